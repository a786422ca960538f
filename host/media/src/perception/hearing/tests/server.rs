//! A real sound server, from its sink's monitor to the transcript.

use std::path::Path;
use std::process::Command;

use super::super::*;
use super::models::speech;
use crate::capture::ring::RATE;
use crate::perception::recognizer::Whisper;
use dynacu_weights::{file, names};

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
