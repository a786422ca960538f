//! The chain with the real models: what is understood, and what is not taken for speech.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::super::*;
use super::sounds::{STYLES, fan, keyboard, music, noise, quiet};
use crate::capture::ring::RATE;
use crate::perception::recognizer::RecognizerChoice;
use crate::speech::kokoro::Kokoro;
use crate::speech::resample::resample;
use dynacu_weights::{file, names};

/// Speech from espeak-ng at 16 kHz. A missing program is a failure: the project needs it anyway.
pub(crate) fn speech(text: &str) -> Vec<f32> {
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

/// Speech of one of the tasks' speakers at 16 kHz.
fn voice(name: &str, text: &str) -> Vec<f32> {
    static KOKORO: OnceLock<Kokoro> = OnceLock::new();
    let kokoro = KOKORO.get_or_init(|| Kokoro::load().expect("the tests need the models"));
    let pcm = kokoro.synthesize(name, text, 1.0).unwrap();
    resample(&pcm.samples, pcm.rate, RATE).unwrap()
}

fn heard_by(choice: &RecognizerChoice, sound: &[f32]) -> HeardAll {
    let recognizer = choice.load().expect("the tests need the models");
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let silero = file(names::SILERO).expect("the tests need the models");
    let (hearing, _events) = Hearing::fed(timebase, recognizer, &silero).unwrap();
    hearing.feed(sound);
    hearing.stop()
}

/// What the small model understands, in small letters.
fn understood(sound: &[f32]) -> Vec<String> {
    let heard = heard_by(&RecognizerChoice::Tiny, sound);
    let texts = heard.sentences.iter();
    texts.map(|sentence| sentence.text.to_lowercase()).collect()
}

#[test]
fn speech_is_understood_and_its_beginning_is_known() {
    let first = speech("The marketing budget is 64 dollars.");
    let second = speech("Please open the second window.");
    let starts = [1.0, 3.0 + first.len() as f32 / RATE as f32];
    let sound = [quiet(1.0), first, quiet(2.0), second, quiet(1.0)].concat();
    let heard = heard_by(&RecognizerChoice::Tiny, &sound).sentences;
    let texts: Vec<_> = heard.iter().map(|s| s.text.to_lowercase()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(
        texts[0].contains("marketing budget") && texts[0].contains("64"),
        "{texts:?}"
    );
    assert!(texts[1].contains("second window"), "{texts:?}");
    for (sentence, start) in heard.iter().zip(starts) {
        assert!(
            sentence.started_at.abs_diff((start * 1000.0) as u64) <= 300,
            "{sentence:?}"
        );
    }
}

#[test]
fn a_word_of_half_a_second_is_understood() {
    for text in ["Yes.", "Four."] {
        let word = speech(text);
        assert!(word.len() < RATE as usize * 9 / 10);
        let said = understood(&[quiet(0.5), word, quiet(1.0)].concat());
        let plain = text.trim_end_matches('.').to_lowercase();
        let written = said.first().map(|text| text.replace('4', "four"));
        assert!(
            said.len() == 1 && written.is_some_and(|text| text.contains(&plain)),
            "{text}: {said:?}"
        );
    }
}

#[test]
fn what_nobody_says_gives_no_text() {
    let mut sound = [
        quiet(3.0),
        noise(4.0, -50.0, 1),
        noise(4.0, -30.0, 2),
        fan(6.0),
        keyboard(8.0),
    ]
    .concat();
    let tone = (0..RATE * 4).map(|i| (i as f32 * 0.172_8).sin() * 0.3);
    sound.extend(tone);
    for style in STYLES {
        sound.extend(music(12.0, style));
        sound.extend(quiet(1.0));
    }
    // Both models: each has inventions of its own.
    for choice in [RecognizerChoice::Tiny, RecognizerChoice::Base] {
        let heard = heard_by(&choice, &sound);
        assert_eq!(heard.sentences, [], "{choice}");
    }
}

#[test]
fn speech_after_half_a_minute_of_silence_is_whole() {
    let said = understood(
        &[
            quiet(30.0),
            speech("Please open the second window."),
            quiet(1.0),
        ]
        .concat(),
    );
    assert!(
        said.len() == 1 && said[0].starts_with("please open"),
        "{said:?}"
    );
}

#[test]
fn two_speakers_in_turn_stay_in_order_and_take_turns() {
    let lines = [
        (
            "am_michael",
            "We have set the budget at one point four million.",
            "1.4 million",
        ),
        ("bf_emma", "That is less than I had hoped for.", "hoped"),
        (
            "am_michael",
            "The crane costs sixty four dollars an hour.",
            "64",
        ),
        (
            "bf_emma",
            "Then we should begin on Monday morning.",
            "monday",
        ),
    ];
    let mut sound = quiet(0.5);
    for (name, text, _) in lines {
        sound.extend(voice(name, text));
        sound.extend(quiet(0.35));
    }
    sound.extend(quiet(1.0));
    let heard = heard_by(&RecognizerChoice::Base, &sound).sentences;
    let texts: Vec<String> = heard.iter().map(|s| s.text.to_lowercase()).collect();
    assert_eq!(texts.len(), lines.len(), "{texts:?}");
    for ((_, _, expected), text) in lines.iter().zip(&texts) {
        assert!(text.contains(expected), "{texts:?}");
    }
    let turns: Vec<bool> = heard.iter().map(|s| s.starts_turn).collect();
    assert_eq!(turns, [true; 4], "{texts:?}");
}

#[tokio::test]
async fn both_layers_write_a_number_one_way_and_sentences_whole() {
    let text = "The marketing budget for the coming year is set at one point four million dollars and the deadline is the twelfth of June.";
    let sound = [quiet(0.5), voice("am_michael", text), quiet(1.5)].concat();
    let recognizer = RecognizerChoice::Base.load().unwrap();
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let silero = file(names::SILERO).unwrap();
    let (hearing, _events) = Hearing::fed(timebase, recognizer, &silero).unwrap();
    let (mut since, mut told) = (0, Vec::new());
    let mut last = Heard::default();
    for part in sound.chunks(RATE as usize * 2) {
        hearing.feed(part);
        last = hearing.heard(since).await;
        since = last.recent.to_ms;
        told.extend(last.recent.sentences.clone());
    }
    let [sentence] = last.context.sentences.as_slice() else {
        panic!("one sentence is heard as {:?}", last.context.sentences)
    };
    let written = &sentence.text;
    assert!(
        written.contains("1.4 million") && written.contains("12"),
        "{written}"
    );
    for word in ["marketing", "coming year", "deadline"] {
        assert_eq!(written.matches(word).count(), 1, "{written}");
    }
    // Layer 1 had the same text when the sentence was whole.
    assert!(
        told.iter().any(|sentence| sentence.text == *written),
        "{told:?}"
    );
}
