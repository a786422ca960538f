//! The chain with stand-ins (what goes where, and when) and with the real models (what is understood).

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use super::*;
use crate::capture::ring::{RATE, duration};
use crate::models::{file, names};
use crate::perception::recognizer::{Segment, Whisper};
use crate::perception::voice_activity::VoiceActivity;

/// Loud is speech.
struct Loud;

impl VoiceActivity for Loud {
    fn probability(&mut self, window: &[f32]) -> Result<f32> {
        Ok(if window.iter().any(|sample| sample.abs() > 0.1) {
            0.9
        } else {
            0.0
        })
    }
}

/// Says how long the clip was, and remembers all clips.
#[derive(Default)]
struct Lengths(Mutex<Vec<usize>>);

impl Transcribe for Lengths {
    fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>> {
        let ms = samples.len() as u64 / 16;
        self.0.lock().unwrap().push(samples.len());
        Ok(vec![Segment {
            start_ms: 0,
            end_ms: ms,
            text: format!("Part {}.", ms / 1000),
            confidence: 0.8,
        }])
    }
}

fn loud(seconds: f32) -> Vec<f32> {
    vec![0.5; (seconds * RATE as f32) as usize]
}

fn quiet(seconds: f32) -> Vec<f32> {
    vec![0.0; (seconds * RATE as f32) as usize]
}

/// Pushes in packets of 40 ms, as fast as it goes, with the times at which they would have sounded.
fn play(push: impl Fn(Instant, &[f32]), start: Instant, samples: &[f32]) {
    for (i, packet) in samples.chunks(640).enumerate() {
        push(start + duration(i as u64 * 640), packet);
    }
}

#[test]
fn utterances_come_with_the_times_at_which_they_sounded() {
    let timebase = Arc::new(Timebase::new());
    let start = timebase.start();
    let (listener, mut said) =
        Listener::with_detector(timebase, Arc::new(Lengths::default()), Box::new(Loud)).unwrap();
    let sound = [
        quiet(1.0),
        loud(2.0),
        quiet(1.0),
        loud(0.2),
        quiet(3.0),
        loud(1.0),
    ]
    .concat();
    play(|at, samples| listener.push(at, samples), start, &sound);
    listener.finish();
    let mut utterances = Vec::new();
    while let Ok(utterance) = said.try_recv() {
        utterances.push((utterance.text, utterance.start_ms, utterance.end_ms));
    }
    let near = |a: u64, b: u64| a.abs_diff(b) <= 40;
    assert_eq!(utterances.len(), 3, "{utterances:?}");
    for ((_, start, end), (wanted_start, wanted_end)) in
        utterances
            .iter()
            .zip([(1000, 3000), (4000, 4200), (7200, 8200)])
    {
        assert!(
            near(*start, wanted_start) && near(*end, wanted_end),
            "{utterances:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_holds_the_open_tail_and_recognises_nothing_twice() {
    let timebase = Arc::new(Timebase::new());
    let start = timebase.start();
    let recognizer = Arc::new(Lengths::default());
    let shared = Arc::new(Shared::new(RING_SECONDS, GAP));
    let chain = Chain::new(
        Arc::clone(&shared),
        timebase,
        Arc::clone(&recognizer) as Arc<dyn Transcribe>,
        Box::new(Loud),
    );
    let worker = chain.spawn("asr-test", |_| {}).unwrap();

    let sound = [loud(2.0), quiet(1.0), loud(3.0)].concat();
    play(|at, samples| shared.push(at, samples), start, &sound);
    let heard = shared.ask(0).unwrap().await.unwrap();
    let texts: Vec<_> = heard
        .recent
        .sentences
        .iter()
        .map(|s| (s.text.as_str(), s.is_final))
        .collect();
    assert_eq!(texts, [("Part 2.", true), ("Part 3.", false)]);
    assert_eq!(heard.recent.sentences, heard.context.sentences);

    // Nothing new was said: nothing is recognised again, and the finished sentence is not repeated.
    let clips = recognizer.0.lock().unwrap().len();
    let again = shared.ask(heard.recent.to_ms).unwrap().await.unwrap();
    assert_eq!(again.recent.sentences, []);
    assert_eq!(again.context.sentences.len(), 2);
    assert_eq!(recognizer.0.lock().unwrap().len(), clips);

    shared.end();
    let all = worker.join().unwrap();
    assert_eq!(
        all.iter().map(|s| s.is_final).collect::<Vec<_>>(),
        [true, true]
    );
    assert!(shared.ask(0).is_none());
}

/// Speech from espeak-ng at 16 kHz. A missing program is a failure: the project needs it anyway.
fn speech(text: &str) -> Vec<f32> {
    let wav = Command::new("espeak-ng")
        .args(["-v", "en-us", "-s", "150", "--stdout", text])
        .stderr(Stdio::inherit())
        .output()
        .expect("espeak-ng is installed by `make setup`")
        .stdout;
    // A header of 44 bytes, then 16-bit samples at 22050 Hz.
    let samples: Vec<f32> = wav[44..]
        .chunks_exact(2)
        .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0)
        .collect();
    let ratio = 22_050.0 / f64::from(RATE);
    let count = (samples.len() as f64 / ratio) as usize - 1;
    (0..count)
        .map(|i| {
            let (at, between) = (
                (i as f64 * ratio) as usize,
                (i as f64 * ratio).fract() as f32,
            );
            samples[at] * (1.0 - between) + samples[at + 1] * between
        })
        .collect()
}

fn understood(sound: &[f32]) -> Vec<String> {
    let model = |name| file(name).expect("the tests need the models");
    let recognizer = Arc::new(Whisper::open(&model(names::WHISPER_TINY)).unwrap());
    let timebase = Arc::new(Timebase::new());
    let start = timebase.start();
    let (listener, mut said) =
        Listener::start(timebase, recognizer, &model(names::SILERO)).unwrap();
    play(|at, samples| listener.push(at, samples), start, sound);
    listener.finish();
    std::iter::from_fn(|| said.try_recv().ok())
        .map(|utterance| utterance.text.to_lowercase())
        .collect()
}

#[test]
fn speech_is_understood() {
    let sound = [
        quiet(1.0),
        speech("The marketing budget is 64 dollars."),
        quiet(2.0),
        speech("Please open the second window."),
        quiet(1.0),
    ]
    .concat();
    let said = understood(&sound);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("marketing budget") && said[0].contains("64"),
        "{said:?}"
    );
    assert!(said[1].contains("second window"), "{said:?}");
}

#[test]
fn a_word_of_half_a_second_is_understood() {
    let word = speech("Yes.");
    assert!(word.len() < RATE as usize * 9 / 10);
    let said = understood(&[quiet(0.5), word, quiet(1.0)].concat());
    assert!(said.len() == 1 && said[0].contains("yes"), "{said:?}");
}

#[test]
fn silence_noise_and_a_tone_are_no_speech() {
    let mut seed = 1u32;
    let noise: Vec<f32> = (0..RATE * 4)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as f32 / 65536.0 * 0.1 - 0.05
        })
        .collect();
    let tone: Vec<f32> = (0..RATE * 4)
        .map(|i| (i as f32 * 0.172_8).sin() * 0.3)
        .collect();
    assert_eq!(
        understood(&[quiet(3.0), noise, quiet(1.0), tone, quiet(1.0)].concat()),
        [] as [&str; 0]
    );
}

/// A sound server of its own, in a folder of its own, with a silent sink.
struct Server {
    process: std::process::Child,
    folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("sound");
        let process = Command::new("pulseaudio")
            .args([
                "-n",
                "--daemonize=no",
                "--use-pid-file=no",
                "--exit-idle-time=-1",
                "--log-level=error",
            ])
            .arg(format!(
                "--load=module-native-protocol-unix socket={} auth-anonymous=1",
                socket.display()
            ))
            .arg("--load=module-null-sink sink_name=speaker")
            .env("HOME", folder.path())
            .env("XDG_RUNTIME_DIR", folder.path())
            .spawn()
            .expect("pulseaudio is installed by `make setup`");
        let server = Self { process, folder };
        while std::os::unix::net::UnixStream::connect(server.socket()).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn socket(&self) -> std::path::PathBuf {
        self.folder.path().join("sound")
    }

    fn play(&self, file: &Path) {
        let status = Command::new("paplay")
            .arg(format!("--server={}", self.socket().display()))
            .args([
                "--raw",
                "--rate=16000",
                "--channels=1",
                "--format=float32le",
            ])
            .arg(file)
            .env("HOME", self.folder.path())
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_sound_server_plays_is_heard_and_its_end_is_reported() {
    let server = Server::start();
    let timebase = Arc::new(Timebase::new());
    let (hearing, mut events) = Hearing::start(HearingConfig {
        pulse_server: format!("unix:{}", server.socket().display()),
        source: "speaker.monitor".to_owned(),
        timebase: Arc::clone(&timebase),
        recognizer: Arc::new(Whisper::open(&file(names::WHISPER_TINY).unwrap()).unwrap()),
        voice_activity_model: file(names::SILERO).unwrap(),
    })
    .unwrap();
    timebase.start();
    let sound = server.folder.path().join("speech.raw");
    let bytes: Vec<u8> = speech("Please open the second window.")
        .iter()
        .flat_map(|s| s.to_le_bytes())
        .collect();
    std::fs::write(&sound, bytes).unwrap();
    let began = timebase.now();
    server.play(&sound);

    let heard = hearing.heard(0).await;
    assert!(
        heard.recent.text().to_lowercase().contains("second window"),
        "{heard:?}"
    );
    let Some(HeardEvent::Sentence(sentence)) = events.recv().await else {
        panic!("no sentence")
    };
    assert!(
        sentence.is_final && sentence.starts_turn && sentence.started_at >= began,
        "{sentence:?}"
    );
    let clip = hearing
        .clip(sentence.started_at, sentence.ended_at)
        .unwrap();
    assert!(clip.iter().any(|sample| sample.abs() > 0.1));
    assert_eq!(hearing.clip(0, timebase.now() + 5000), None);

    drop(server);
    loop {
        match events.recv().await {
            Some(HeardEvent::Lost(reason)) => break assert!(!reason.is_empty()),
            Some(HeardEvent::Sentence(_)) => {}
            None => panic!("the loss was not reported"),
        }
    }
    let all = tokio::task::spawn_blocking(|| hearing.stop())
        .await
        .unwrap();
    assert_eq!(
        all.sentences.len(),
        1,
        "{:?} {:?}",
        all.sentences,
        all.stats
    );
    assert_eq!((all.stats.failures, all.gaps.len()), (0, 0));
    assert!(all.samples.len() > RATE as usize);
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let error = Recorder::start("unix:/nonexistent/pulse", "speaker.monitor", |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("/nonexistent/pulse"),
        "{error:#}"
    );
}
