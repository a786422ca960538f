use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::Builder;

use super::*;

/// A sound server of its own with one null sink.
struct Server {
    child: Child,
    folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("native");
        let child = Command::new("pulseaudio")
            .args([
                "-n",
                "--daemonize=no",
                "--use-pid-file=no",
                "--exit-idle-time=-1",
                "--disallow-exit",
            ])
            .args([
                "--high-priority=no",
                "--realtime=no",
                "--log-target=stderr",
                "--log-level=error",
            ])
            .arg(format!(
                "--load=module-native-protocol-unix auth-anonymous=1 socket={}",
                socket.display()
            ))
            .arg("--load=module-null-sink sink_name=mouth rate=48000 channels=1 norewinds=1")
            .env("XDG_RUNTIME_DIR", folder.path())
            .env("HOME", folder.path())
            .env("PULSE_RUNTIME_PATH", folder.path())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, folder };
        for _ in 0..400 {
            if Microphone::connect(&server.address(), "mouth", Arc::default()).is_ok() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("the sound server did not start");
    }

    fn address(&self) -> String {
        format!("unix:{}", self.folder.path().join("native").display())
    }

    /// Records what the sink plays, 16 kHz mono. Returns once sound arrives.
    fn record(&self) -> Recorder {
        let mut child = Command::new("parec")
            .args([
                "-s",
                &self.address(),
                "-d",
                "mouth.monitor",
                "--raw",
                "--format=s16le",
            ])
            .args(["--rate=16000", "--channels=1", "--latency-msec=20"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&bytes);
        let read = move || {
            let mut block = [0; 640];
            while let Ok(count @ 1..) = pipe.read(&mut block) {
                into.lock().extend_from_slice(&block[..count]);
            }
        };
        let thread = Builder::new()
            .name("recorder".to_owned())
            .spawn(read)
            .unwrap();
        while bytes.lock().len() < 3200 {
            std::thread::sleep(Duration::from_millis(10));
        }
        Recorder {
            child,
            bytes,
            thread,
        }
    }
}

struct Recorder {
    child: Child,
    bytes: Arc<Mutex<Vec<u8>>>,
    thread: std::thread::JoinHandle<()>,
}

impl Recorder {
    fn finish(mut self) -> Vec<i16> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.thread.join().unwrap();
        let bytes = self.bytes.lock();
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| i16::from_le_bytes(*pair))
            .collect()
    }

    fn millis(&self) -> usize {
        self.bytes.lock().len() / 32
    }

    /// Waits until so much more was recorded.
    fn wait(&self, millis: usize) {
        let until = self.millis() + millis;
        while self.millis() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn hears_something(&self) -> bool {
        self.bytes.lock().iter().any(|byte| *byte != 0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tone(seconds: f32) -> Pcm {
    let rate = 22_050;
    let count = (seconds * rate as f32) as usize;
    let sample = |n: usize| 0.5 * (std::f32::consts::TAU * 440.0 * n as f32 / rate as f32).sin();
    Pcm {
        rate,
        samples: (0..count).map(sample).collect(),
    }
}

fn loud_seconds(samples: &[i16], rate: u32) -> f32 {
    let loud = |sample: &i16| sample.unsigned_abs() > 2000;
    match (
        samples.iter().position(loud),
        samples.iter().rposition(loud),
    ) {
        (Some(first), Some(last)) => (last - first) as f32 / rate as f32,
        _ => 0.0,
    }
}

#[test]
fn what_is_played_is_heard_whole_and_remembered_at_its_time() {
    let server = Server::start();
    let timebase = Arc::new(Timebase::new());
    let microphone =
        Microphone::connect(&server.address(), "mouth", Arc::clone(&timebase)).unwrap();
    let recorder = server.record();
    timebase.start();
    let zero = recorder.millis();
    let go = AtomicBool::new(false);
    let asked = timebase.now();
    let first = microphone.play(&tone(0.5), &go).unwrap();
    let second = microphone.play(&tone(0.25), &go).unwrap();
    recorder.wait(300);
    let heard = recorder.finish();
    let first_loud = heard
        .iter()
        .position(|sample| sample.unsigned_abs() > 2000)
        .unwrap()
        / 16;
    eprintln!(
        "play: first sample recorded {} ms after t = 0, reported {} ms after the call; {first:?} {second:?}",
        first_loud as i64 - zero as i64,
        first.started_at - asked
    );

    assert!(!first.cut && !second.cut);
    assert!(first.ended_at > first.started_at, "{first:?}");
    assert!(second.started_at > first.started_at, "{first:?} {second:?}");
    let loud = heard
        .iter()
        .filter(|sample| sample.unsigned_abs() > 2000)
        .count() as f32
        / 16_000.0;
    // A sine of this strength is above the threshold 92 % of the time.
    assert!((0.62..0.75).contains(&loud), "{loud} s heard");

    let spoken = microphone.spoken(5000).unwrap();
    assert_eq!(
        spoken.len(),
        samples_in(Duration::from_secs(5), SPOKEN_RATE)
    );
    let at = |millis: u64| samples_in(Duration::from_millis(millis), SPOKEN_RATE);
    assert!(
        spoken[..at(first.started_at)]
            .iter()
            .all(|sample| *sample == 0)
    );
    assert!(
        spoken[at(first.started_at)..at(first.started_at + 20)]
            .iter()
            .any(|sample| *sample != 0)
    );
    assert!(
        spoken[at(second.started_at + 260)..]
            .iter()
            .all(|sample| *sample == 0)
    );
}

/// Seconds: no machine takes so long to cut it.
const LONG: f32 = 60.0;

#[test]
fn an_utterance_is_cut_when_asked() {
    let server = Server::start();
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let microphone =
        Arc::new(Microphone::connect(&server.address(), "mouth", Arc::clone(&timebase)).unwrap());
    let recorder = server.record();
    let cancel = Arc::new(AtomicBool::new(false));
    let (speaker, stop) = (Arc::clone(&microphone), Arc::clone(&cancel));
    let thread = Builder::new()
        .name("speech".to_owned())
        .spawn(move || speaker.play(&tone(LONG), &stop).unwrap())
        .unwrap();
    while !recorder.hears_something() {
        std::thread::sleep(Duration::from_millis(10));
    }
    cancel.store(true, Ordering::Relaxed);
    let asked = timebase.now();
    let played = thread.join().unwrap();
    let returned = timebase.now();
    // What is on its way when the server is told, and then silence.
    recorder.wait(500);
    let recorded = recorder.finish();
    let heard = loud_seconds(&recorded, 16_000);
    let kept = loud_seconds(&microphone.spoken(0).unwrap(), SPOKEN_RATE);
    eprintln!(
        "cut: returned {} ms after being asked; {heard} s heard, {kept} s kept, {played:?}",
        returned - asked
    );
    assert!(played.cut);
    assert!(
        heard < LONG && kept < LONG,
        "{heard} s heard, {kept} s kept"
    );
    let end = &recorded[recorded.len() - 16 * 200..];
    assert_eq!(loud_seconds(end, 16_000), 0.0, "it went on");
    let lasted = (played.ended_at - played.started_at) as f32 / 1000.0;
    assert!((kept - lasted).abs() < 0.02, "{kept} s kept of {lasted} s");
}

#[test]
fn a_missing_server_or_sink_is_an_error() {
    let error = Microphone::connect("unix:/nowhere/native", "mouth", Arc::default())
        .err()
        .unwrap();
    assert!(
        format!("{error:#}").contains("cannot reach the sound server"),
        "{error:#}"
    );
    let server = Server::start();
    assert!(Microphone::connect(&server.address(), "no-such-sink", Arc::default()).is_err());
}
