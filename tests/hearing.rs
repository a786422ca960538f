//! What a page plays, heard on a real lane: any rate, any channel, and never the agent's own voice by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "in a test a panic is the report"
)]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dynacu_host::capture::timebase::Timebase;
use dynacu_host::desktop::lane::Lane;
use dynacu_host::perception::hearing::{Hearing, HearingConfig};
use dynacu_host::perception::recognizer::RecognizerChoice;
use dynacu_host::perception::transcript::Sentence;
use dynacu_host::speech::Pcm;
use dynacu_host::speech::playback::Microphone;
use dynacu_host::speech::resample::resample;
use dynacu_host::weights::{file, names};
use tokio::time::sleep;

#[allow(dead_code, reason = "shared with the other tests of the desktop")]
#[path = "desktop/bench.rs"]
mod bench;

use bench::{on_page, with_lanes};

/// Speech from espeak-ng.
fn speech(text: &str) -> Pcm {
    let wav = Command::new("espeak-ng")
        .args(["-v", "en-us", "-s", "150", "--stdout", text])
        .output()
        .expect("espeak-ng is installed by `make setup`")
        .stdout;
    let samples = wav[44..]
        .chunks_exact(2)
        .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0);
    Pcm {
        rate: 22_050,
        samples: samples.collect(),
    }
}

/// A stereo WAV file with the voice on one side alone, as hexadecimal digits.
fn one_sided(pcm: &Pcm, rate: u32, left: bool) -> String {
    let samples = resample(&pcm.samples, pcm.rate, rate).unwrap();
    let length = samples.len() as u32 * 4;
    let mut wav = Vec::new();
    wav.extend(b"RIFF");
    wav.extend((36 + length).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x02\0");
    wav.extend(rate.to_le_bytes());
    wav.extend((rate * 4).to_le_bytes());
    wav.extend(b"\x04\0\x10\0data");
    wav.extend(length.to_le_bytes());
    for sample in samples {
        let sample = ((sample * 32767.0) as i16).to_le_bytes();
        let silent = [0; 2];
        let (first, second) = if left {
            (sample, silent)
        } else {
            (silent, sample)
        };
        wav.extend(first);
        wav.extend(second);
    }
    wav.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn listen(lane: &Lane) -> (Hearing, Arc<Timebase>) {
    let timebase = Arc::new(Timebase::new());
    let config = HearingConfig {
        pulse_server: lane.pulse_server.clone(),
        source: lane.speaker_monitor.clone(),
        timebase: Arc::clone(&timebase),
        recognizer: RecognizerChoice::Base.load().unwrap(),
        voice_activity_model: file(names::SILERO).unwrap(),
    };
    let (hearing, _events) = tokio::task::spawn_blocking(|| Hearing::start(config))
        .await
        .unwrap()
        .unwrap();
    timebase.start();
    (hearing, timebase)
}

/// What has been heard in all, once a whole sentence has the words or a quarter of a minute is over. A sentence that may still change
/// would be joined with what is played right after it.
async fn heard(hearing: &Hearing, words: &str) -> String {
    let mut text = String::new();
    for _ in 0..30 {
        let context = hearing.heard(0).await.context;
        text = context.text().to_lowercase();
        let whole =
            |sentence: &Sentence| sentence.is_final && sentence.text.to_lowercase().contains(words);
        if context.sentences.iter().any(whole) {
            break;
        }
        sleep(Duration::from_millis(500)).await;
    }
    text
}

#[test]
fn stereo_and_every_usual_rate_are_heard() {
    with_lanes(|parent| async move {
        let (lane, browser, _input) = on_page(&parent).await;
        let (hearing, _) = listen(&lane).await;
        let bytes = "(hex => Uint8Array.from(hex.match(/../g), pair => parseInt(pair, 16)))";
        let element = |hex: &str| {
            format!(
                "void new Audio(URL.createObjectURL(new Blob([{bytes}('{hex}')], {{type: 'audio/wav'}}))).play()"
            )
        };
        let graph = |hex: &str, rate: u32| {
            format!(
                "void (async () => {{ const c = new AudioContext({{sampleRate: {rate}}}); const s = c.createBufferSource();
                 s.buffer = await c.decodeAudioData({bytes}('{hex}').buffer); s.connect(c.destination); s.start(); }})()"
            )
        };
        let cases = [
            (
                "Please open the second window.",
                "second window",
                44_100,
                true,
                false,
            ),
            (
                "The marketing budget is ready.",
                "marketing budget",
                48_000,
                false,
                false,
            ),
            (
                "We will meet again on Wednesday.",
                "wednesday",
                44_100,
                false,
                true,
            ),
            (
                "The train leaves the station.",
                "leaves the station",
                48_000,
                true,
                true,
            ),
        ];
        for (text, words, rate, left, by_graph) in cases {
            let hex = one_sided(&speech(text), rate, left);
            let script = if by_graph {
                graph(&hex, rate)
            } else {
                element(&hex)
            };
            let () = browser.evaluate(&script).await.unwrap();
            let heard = heard(&hearing, words).await;
            assert!(heard.contains(words), "{rate} Hz: {heard:?}");
            // A breath, so that two clips are two utterances.
            sleep(Duration::from_secs(1)).await;
        }
        let all = tokio::task::spawn_blocking(|| hearing.stop())
            .await
            .unwrap();
        assert_eq!(all.sentences.len(), cases.len(), "{:?}", all.sentences);
        assert_eq!((all.stats.failures, all.gaps.len()), (0, 0));
        lane.stop().await.unwrap();
    });
}

#[test]
fn the_agents_voice_is_heard_only_where_the_page_plays_it() {
    with_lanes(|parent| async move {
        let (lane, browser, _input) = on_page(&parent).await;
        let (hearing, timebase) = listen(&lane).await;
        let microphone = Microphone::connect(&lane.pulse_server, &lane.microphone_sink, timebase);
        let microphone = Arc::new(microphone.unwrap());
        let speak = || {
            let (microphone, voice) = (
                Arc::clone(&microphone),
                speech("Please open the second window."),
            );
            tokio::task::spawn_blocking(move || microphone.play(&voice, &AtomicBool::new(false)))
        };
        // The page records, and keeps to itself what it hears.
        let record = "navigator.mediaDevices.getUserMedia({audio: {echoCancellation: false, noiseSuppression: false, autoGainControl: false}})
            .then(stream => { window.ear = new AudioContext(); window.stream = ear.createMediaStreamSource(stream); return ear.state; })";
        let state: String = browser.evaluate(record).await.unwrap();
        assert_eq!(state, "running");
        speak().await.unwrap().unwrap();
        sleep(Duration::from_secs(2)).await;
        assert_eq!(hearing.heard(0).await.context.sentences, []);
        // A page that plays its microphone, as a call with an echo does.
        let () = browser
            .evaluate("void stream.connect(ear.destination)")
            .await
            .unwrap();
        speak().await.unwrap().unwrap();
        let heard = heard(&hearing, "second window").await;
        assert_eq!(heard.matches("second window").count(), 1, "{heard:?}");
        drop(hearing);
        lane.stop().await.unwrap();
    });
}
