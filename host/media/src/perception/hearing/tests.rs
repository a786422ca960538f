//! The chain with stand-ins: what goes where, and when.

use std::time::Instant;

use super::*;
use crate::capture::ring::RATE;
use stand_ins::{Loud, Talk, word};

mod models;
mod server;
mod sounds;
mod stand_ins;

/// Hears a talk with stand-ins; lock step, so that everything happens in one order.
fn hearing(talk: &Arc<Talk>) -> (Hearing, mpsc::Receiver<HeardEvent>) {
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let recognizer = Arc::clone(talk) as Arc<dyn Transcribe>;
    let (hearing, _, events) = Hearing::of(timebase, recognizer, Box::new(Loud)).unwrap();
    (hearing, events)
}

fn texts(sentences: &[Sentence]) -> Vec<&str> {
    sentences
        .iter()
        .map(|sentence| sentence.text.as_str())
        .collect()
}

#[test]
fn fluent_speech_becomes_final_while_it_goes_on_and_no_pass_is_long() {
    // Two sentences without any pause, the second one of 13 s.
    let first = "This one is short.";
    let second: Vec<String> = (0..32u8)
        .map(|i| format!("w{}{}", char::from(b'a' + i / 8), char::from(b'a' + i % 8)))
        .collect();
    let second = format!("Now {}.", second.join(" "));
    let talk = Arc::new(Talk::new(&[(&format!("{first} {second}"), 2000)]));
    let (hearing, mut events) = hearing(&talk);
    let sound = talk.sound();
    let (early, late) = sound.split_at(5 * RATE as usize);
    hearing.feed(early);
    let Ok(HeardEvent::Sentence(sentence)) = events.try_recv() else {
        panic!("the first sentence is final before the second one has ended")
    };
    assert_eq!(sentence.text, first);
    assert!(
        sentence.ended_at.abs_diff(talk.start_of("Now")) < 300,
        "{sentence:?}"
    );
    hearing.feed(late);
    let all = hearing.stop();
    assert_eq!(texts(&all.sentences), [first, &second]);
    let clips = talk.clips();
    assert!(clips.iter().all(|(from, to)| to - from < 7000), "{clips:?}");
    // What is final is not recognised again: clips begin later and later.
    assert!(clips.is_sorted_by_key(|(from, _)| *from), "{clips:?}");
}

#[test]
fn each_word_comes_once_and_in_order_whenever_somebody_asks() {
    let sentence = |from: usize, to: usize| -> String {
        let words: Vec<String> = (from..to).map(|i| format!("w{i}")).collect();
        format!("S{from} {}.", words.join(" "))
    };
    let said: Vec<String> = [(0, 5), (5, 30), (30, 34), (34, 47)]
        .map(|(from, to)| sentence(from, to))
        .to_vec();
    let talk = Arc::new(Talk::new(&[
        (&format!("{} {}", said[0], said[1]), 700),
        (&said[2], 250),
        (&said[3], 1500),
    ]));
    let (hearing, _events) = hearing(&talk);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let all_words: Vec<&str> = said.iter().flat_map(|text| text.split(' ')).collect();
    let (mut since, mut told) = (0, Vec::new());
    for part in talk.sound().chunks(RATE as usize * 137 / 100) {
        hearing.feed(part);
        let heard = runtime.block_on(hearing.heard(since));
        let context = heard.context.text();
        let words: Vec<&str> = context.split(' ').filter(|word| *word != "um").collect();
        assert!(
            words
                .iter()
                .zip(&all_words)
                .all(|(a, b)| word(a) == word(b)),
            "{words:?}"
        );
        // All that was said until a moment ago.
        let expected = talk.words_before(heard.recent.to_ms.saturating_sub(40));
        assert!(
            words.len() >= expected,
            "{} of {expected}: {context}",
            words.len()
        );
        assert!(heard.recent.to_ms >= since);
        since = heard.recent.to_ms;
        told.extend(heard.recent.sentences);
    }
    // In layer 1, over all observations, every sentence comes whole.
    for text in &said {
        assert!(
            told.iter().any(|sentence| sentence.text == *text),
            "{text} in {told:?}"
        );
    }
    assert_eq!(texts(&hearing.stop().sentences), said);
}

#[test]
fn an_answer_recognises_nothing_twice() {
    let talk = Arc::new(Talk::new(&[("It is done.", 1000), ("And then", 300)]));
    let (hearing, _events) = hearing(&talk);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    hearing.feed(&talk.sound());
    let heard = runtime.block_on(hearing.heard(0));
    let got: Vec<_> = heard
        .recent
        .sentences
        .iter()
        .map(|s| (s.text.as_str(), s.is_final))
        .collect();
    assert_eq!(got, [("It is done.", true), ("And then", false)]);
    assert_eq!(heard.recent.sentences, heard.context.sentences);
    let clips = talk.clips().len();
    let again = runtime.block_on(hearing.heard(heard.recent.to_ms));
    assert_eq!(again.context.sentences.len(), 2);
    assert!(again.recent.sentences.iter().all(|s| !s.is_final));
    assert_eq!(talk.clips().len(), clips);
}

#[test]
fn a_pause_that_was_over_before_anybody_looked_still_ends_its_sentence() {
    let talk = Arc::new(Talk::new(&[
        ("It is done.", 448),
        ("And then we go on and on", 200),
    ]));
    let (hearing, _events) = hearing(&talk);
    // All at once, as if a pass had been under way all the time. The end comes only when it has been looked at.
    hearing.push(Instant::now(), &talk.sound());
    while talk.clips().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(
        texts(&hearing.stop().sentences),
        ["It is done.", "And then we go on and on"]
    );
    let pause = talk.end_of("done.")..talk.start_of("And");
    let (_, end) = talk.clips()[0];
    assert!(pause.contains(&end), "{end} in {pause:?}");
}

#[test]
fn an_observation_ends_a_pass_that_hears_too_little() {
    let talk = Arc::new(Talk::new(&[("One two three four five six seven", 0)]).stuck());
    let (hearing, _events) = hearing(&talk);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let start = Instant::now();
    for (i, part) in talk.sound().chunks(480).enumerate() {
        hearing.push(start + duration(i as u64 * 480), part);
    }
    // The pass that began by itself waits for ever: only a question ends it.
    while !talk.is_stuck() {
        std::thread::sleep(Duration::from_millis(1));
    }
    hearing.push(
        start + duration(talk.sound().len() as u64),
        &talk.more(8000),
    );
    let heard = runtime.block_on(hearing.heard(0));
    assert_eq!(heard.recent.text(), "One two three four five six seven");
    assert_eq!(hearing.stats().interrupted, 1);
}

#[test]
fn speech_that_cannot_be_recognised_is_a_loss_and_not_silence() {
    let talk = Arc::new(Talk::new(&[("It is done.", 1000)]).failing());
    let (hearing, mut events) = hearing(&talk);
    hearing.feed(&talk.sound());
    let Ok(HeardEvent::Lost(why)) = events.try_recv() else {
        panic!("no loss")
    };
    assert!(why.contains("out of order"), "{why}");
    assert!(hearing.stop().stats.failures > 0);
}

#[test]
fn a_recogniser_that_costs_is_asked_once_an_utterance() {
    let talk =
        Arc::new(Talk::new(&[("One two three four five six.", 1000), ("Seven.", 1000)]).costly());
    let (hearing, _events) = hearing(&talk);
    hearing.feed(&talk.sound());
    assert_eq!(talk.clips().len(), 2);
    assert_eq!(
        texts(&hearing.stop().sentences),
        ["One two three four five six.", "Seven."]
    );
}

#[test]
fn utterances_come_whole_with_the_times_at_which_they_sounded() {
    let talk = Arc::new(Talk::new(&[
        ("It is done. And this.", 1000),
        ("Yes.", 3000),
        ("No", 300),
    ]));
    let timebase = Arc::new(Timebase::new());
    let start = timebase.start();
    let recognizer = Arc::clone(&talk) as Arc<dyn Transcribe>;
    let (listener, mut said) =
        Listener::with_detector(timebase, recognizer, Box::new(Loud)).unwrap();
    for (i, packet) in talk.sound().chunks(640).enumerate() {
        listener.push(start + duration(i as u64 * 640), packet);
    }
    listener.finish();
    let near = |a: u64, b: u64| a.abs_diff(b) <= 40;
    for (text, first, last) in [
        ("It is done. And this.", "It", "this."),
        ("Yes.", "Yes.", "Yes."),
        ("No", "No", "No"),
    ] {
        let utterance = said.try_recv().unwrap();
        assert_eq!(utterance.text, text);
        assert!(
            near(utterance.start_ms, talk.start_of(first))
                && near(utterance.end_ms, talk.end_of(last)),
            "{utterance:?}"
        );
    }
    assert!(said.try_recv().is_err());
}
