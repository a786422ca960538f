//! The conversation page: how soon speech is at the page, and how soon the page is answered.

use std::collections::BTreeMap;

use dynacu_runtime::types::Action;
use dynacu_runtime::{PolicyHost, SessionEvent};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::bed::Heard;
use super::scene::{Clip, Scene};
use dynacu_host::episode::session::Session;
use dynacu_host::page_server::PageEvent;
use dynacu_host::task::SpeechClip;

/// Sentences of ten words, each with one full stop.
const TEN_WORDS: [&str; 10] = [
    "Good morning, I would like to move my appointment please.",
    "My daughter has a cold and has to stay home.",
    "Could we come in on Thursday a little before noon?",
    "We have been with Doctor Hansen for about four years.",
    "I can also take the bus if parking is difficult.",
    "Please send the letter to my new address in town.",
    "She takes two of the small white tablets every morning.",
    "The pharmacy told me to ask you for another form.",
    "I will bring the insurance card and the yellow booklet.",
    "Thank you very much for your help, see you then.",
];
/// What the desk says in the second part.
const QUESTIONS: [&str; 12] = [
    "How can I help you this afternoon?",
    "May I have your family name please?",
    "And when were you born?",
    "Is this about a new problem?",
    "Would Tuesday morning be all right for you?",
    "Do you need a certificate for work?",
    "Are you taking any medicine at the moment?",
    "Has your address changed since last year?",
    "Shall I send you a reminder the day before?",
    "Would you like to speak to the nurse?",
    "Is there anything else that I can do for you?",
    "Do you have any other question for me?",
];
/// What an instant policy answers.
const ANSWER: &str = "Yes, please.";
const VOICES: [&str; 2] = ["bf_emma", "am_michael"];
/// How long the page waits for a voice (ms).
const PATIENCE: u64 = 10_000;
/// Loudness of a single sample from which something is heard.
const AUDIBLE: f32 = 0.01;

/// How many of each.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    pub spoken: usize,
    pub questions: usize,
}

/// The questions' clips.
#[must_use]
pub fn clips(turns: Turns) -> Vec<SpeechClip> {
    QUESTIONS
        .iter()
        .take(turns.questions)
        .enumerate()
        .map(|(number, text)| {
            let voice = VOICES[number % VOICES.len()].to_owned();
            SpeechClip::plain(format!("question-{number}"), voice, (*text).to_owned(), 1.0)
        })
        .collect()
}

/// For the page server.
#[must_use]
pub fn scene(turns: Turns, rendered: &BTreeMap<String, Clip>) -> Scene {
    let clips = clips(turns);
    let questions: Vec<Value> = clips
        .iter()
        .filter_map(|clip| Some(json!({ "clip": clip.id, "end": rendered.get(&clip.id)?.voice.1 })))
        .collect();
    Scene {
        clips,
        ..Scene::new(
            "conversation",
            json!({ "turns": turns.spoken, "questions": questions, "patience": PATIENCE }),
        )
    }
}

/// In the policy's place: first speaks a sentence at each turn, then answers each sentence that it hears, at once.
/// Brings when each of its sentences was asked for, on the episode's clock (ms).
pub async fn caller(
    mut session: Session,
    mut page: mpsc::Receiver<PageEvent>,
    turns: Turns,
) -> Vec<u64> {
    let mut asked = Vec::new();
    let mut spoken = 0;
    while spoken < turns.spoken {
        let Some(event) = page.recv().await else {
            return asked;
        };
        // The page listens from its first report on, and again after each turn.
        if !matches!(event.data["name"].as_str(), Some("listening" | "spoken-to")) {
            continue;
        }
        if event.data["name"] == "spoken-to" {
            // The desk waits until the last sentence is over before it listens anew.
            done_speaking(&mut session).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        asked.push(session.now());
        let text = TEN_WORDS[spoken % TEN_WORDS.len()].to_owned();
        if session.perform(vec![Action::Speak { text }]).await.is_err() {
            return asked;
        }
        spoken += 1;
    }
    session.subscribe(true);
    loop {
        tokio::select! {
            event = session.next(None) => match event {
                Ok(Some(SessionEvent::Sentence(_))) => {
                    // More than one sentence in a question is answered once, as a person would.
                    let text = ANSWER.to_owned();
                    let _ = session.perform(vec![Action::Speak { text }]).await;
                    done_speaking(&mut session).await;
                }
                Err(_) => return asked,
                Ok(_) => {}
            },
            event = page.recv() => if event.is_none() {
                return asked;
            },
        }
    }
}

async fn done_speaking(session: &mut Session) {
    loop {
        match session.next(Some(PATIENCE)).await {
            Ok(Some(SessionEvent::Action(_)) | None) | Err(_) => return,
            Ok(Some(_)) => {}
        }
    }
}

/// From each request to the first sample that the page's microphone delivered of it (ms).
#[must_use]
pub fn first_samples(asked: &[u64], microphone: &[Heard]) -> Vec<f64> {
    asked
        .iter()
        .filter_map(|asked| {
            microphone
                .iter()
                .filter(|heard| heard.at + 40 >= *asked)
                .find_map(|heard| {
                    let first = heard
                        .samples
                        .iter()
                        .position(|sample| sample.abs() > AUDIBLE)?;
                    let at = heard.at as f64 + first as f64 / 16.0;
                    (at >= *asked as f64).then_some(at - *asked as f64)
                })
        })
        .collect()
}

/// The page's own figure for each question: from the end of its voice to the first sound of the answer (ms); none where
/// nobody answered.
#[must_use]
pub fn answers<'a>(reports: impl IntoIterator<Item = (u64, &'a Value)>) -> Vec<Option<f64>> {
    reports
        .into_iter()
        .map(|(_, data)| data["latency"].as_f64())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_ten_words() {
        for sentence in TEN_WORDS {
            assert_eq!(sentence.split(' ').count(), 10, "{sentence}");
        }
    }

    #[test]
    fn the_first_loud_sample_after_the_request_counts() {
        let silent = |at| Heard {
            at,
            samples: vec![0.001; 640],
        };
        let mut loud = silent(1400);
        loud.samples[160] = 0.2;
        let microphone = [silent(900), silent(1360), loud, silent(1440)];
        assert_eq!(first_samples(&[1000, 5000], &microphone), [410.0]);
    }

    #[test]
    fn a_question_without_an_answer_is_a_hole() {
        let reports = [
            (9, json!({ "name": "answered", "latency": 1800.0 })),
            (9, json!({ "name": "answered", "latency": null })),
        ];
        let found = answers(reports.iter().map(|(at, data)| (*at, data)));
        assert_eq!(found, [Some(1800.0), None]);
    }
}
