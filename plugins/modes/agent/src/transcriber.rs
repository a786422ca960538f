//! Layer 2 by the model: it is sent the sound of the last 60 seconds, with the keyframes of that time where it sees
//! them, and writes down what was said.

use std::collections::VecDeque;

use dynacu_sdk::model::{Message, Part, Request};
use dynacu_sdk::{AudioContext, BlobId, Duration, Instant, Sentence};

use crate::spread::spread;

/// How much sound is sent. The host keeps 60 s, and asking takes a moment of them.
pub(crate) const WINDOW: Duration = Duration::from_secs(59);

const SYSTEM: &str = "You write down what is said in a recording of a computer's speakers. \
Write one line for each sentence: in brackets the second at which it begins, counted from the beginning of the recording, then what is said, word for word. \
Put a dash before the first sentence of another voice. Write numbers as digits. For example:\n\
(0.4) Good morning, who is calling?\n\
(3.2) – It is Mia, about order 4711.\n\
Write nothing else. If nobody speaks, write (silence).";

/// Pictures of the window, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pictures(VecDeque<(Instant, BlobId)>);

impl Pictures {
    pub(crate) fn add(&mut self, captured_at: Instant, blob: &BlobId) {
        self.0.push_back((captured_at, blob.clone()));
    }

    fn forget_before(&mut self, start: Instant) {
        while self.0.front().is_some_and(|(at, _)| *at < start) {
            self.0.pop_front();
        }
    }
}

/// The request for the sound from `start` on, which is the blob `clip`.
pub(crate) fn request(
    clip: &BlobId,
    start: Instant,
    pictures: &mut Pictures,
    most: usize,
    output_limit: u32,
) -> Request {
    pictures.forget_before(start);
    let mut parts: Vec<Part> = Vec::new();
    for place in spread(pictures.0.len(), most) {
        let (at, blob) = &pictures.0[place];
        let second = (*at - start).as_seconds();
        parts.push(format!("The screen at second {second:.1} of the recording:\n").into());
        parts.push(Part::Image(blob.clone()));
    }
    parts.push("The recording:\n".into());
    parts.push(Part::Audio(clip.clone()));
    Request::new(vec![Message::system(SYSTEM), Message::user(parts)])
        .with_output_limit(output_limit)
}

/// The model's lines as the transcript of this time.
pub(crate) fn transcript(answer: &str, start: Instant, end: Instant) -> AudioContext {
    let mut sentences: Vec<Sentence> = Vec::new();
    for line in answer.lines().map(str::trim) {
        if line.is_empty() || line.eq_ignore_ascii_case("(silence)") || line.starts_with("```") {
            continue;
        }
        match timed(line) {
            Some((second, text)) => {
                let last = sentences.last().map_or(start, |last| last.started_at);
                let at = (start + Duration::from_millis((second * 1000.0) as u64))
                    .min(end)
                    .max(last);
                let words = text.trim_start_matches(['–', '-', '—']).trim();
                if words.is_empty() {
                    continue;
                }
                if let Some(before) = sentences.last_mut() {
                    before.ended_at = at;
                }
                let turn = text.len() > words.len() && !text.starts_with(words);
                sentences.push(said(at, end, words, turn));
            }
            // A line without a time goes on with the one before.
            None => match sentences.last_mut() {
                Some(last) => {
                    last.text.push(' ');
                    last.text.push_str(line);
                }
                None => sentences.push(said(start, end, line, false)),
            },
        }
    }
    AudioContext {
        started_at: start,
        ended_at: end,
        sentences,
    }
}

fn said(started_at: Instant, ended_at: Instant, text: &str, starts_turn: bool) -> Sentence {
    Sentence {
        started_at,
        ended_at,
        text: text.to_owned(),
        confidence: 1.0,
        is_final: true,
        starts_turn,
    }
}

/// Seconds and text of a line such as `(12.3) text`, `[0:12] text` or `12.3s text`.
fn timed(line: &str) -> Option<(f64, &str)> {
    let bare = line.trim_start_matches(['(', '[']);
    let end = bare
        .find(|character: char| !character.is_ascii_digit() && !matches!(character, '.' | ':'))?;
    let (time, rest) = bare.split_at(end);
    let (minutes, seconds) = time.rsplit_once(':').unwrap_or(("0", time));
    let seconds = minutes.parse::<u32>().ok()? as f64 * 60.0 + seconds.parse::<f64>().ok()?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let closed = rest.strip_prefix([')', ']']);
    // Without brackets a sentence that begins with a number is no time.
    if closed.is_none() && (bare.len() != line.len() || rest.len() == bare.len() - end) {
        return None;
    }
    Some((seconds, closed.unwrap_or(rest).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Instant {
        Instant::from_millis(milliseconds)
    }

    #[test]
    fn lines_become_sentences_on_the_episodes_clock() {
        let answer = "(0.4) Good morning, who is calling?\n(3.2) – It is Mia,\nabout order 4711.\n[0:05] Fine.\n9s Bye.\n";
        let context = transcript(answer, at(10_000), at(20_000));
        let lines: Vec<(u64, u64, &str, bool)> = context
            .sentences
            .iter()
            .map(|said| {
                (
                    said.started_at.as_millis(),
                    said.ended_at.as_millis(),
                    said.text.as_str(),
                    said.starts_turn,
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                (10_400, 13_200, "Good morning, who is calling?", false),
                (13_200, 15_000, "It is Mia, about order 4711.", true),
                (15_000, 19_000, "Fine.", false),
                (19_000, 20_000, "Bye.", false),
            ]
        );
    }

    #[test]
    fn silence_prose_and_wild_times_are_survived() {
        assert_eq!(transcript("(silence)", at(0), at(9_000)).sentences, []);
        assert_eq!(transcript("", at(0), at(9_000)).sentences, []);
        let prose = transcript("2019 was a good year.\nWas it?", at(5_000), at(9_000));
        assert_eq!(prose.sentences.len(), 1);
        assert_eq!(prose.sentences[0].text, "2019 was a good year. Was it?");
        assert_eq!(prose.sentences[0].started_at, at(5_000));
        let wild = transcript(
            "(500) Late.\n(1) Early.\n(1.2.3) No time.",
            at(0),
            at(9_000),
        );
        let times: Vec<Instant> = wild.sentences.iter().map(|said| said.started_at).collect();
        assert_eq!(times, [at(9_000), at(9_000)]);
    }

    #[test]
    fn pictures_of_the_window_come_before_the_sound() {
        let mut pictures = Pictures::default();
        for captured_at in [1_000, 6_000, 7_000, 8_000] {
            pictures.add(at(captured_at), &BlobId::new(format!("k{captured_at}")));
        }
        let request = request(&BlobId::new("wav"), at(5_000), &mut pictures, 2, 100);
        let user = &request.messages[1].parts;
        let images: Vec<&str> = user
            .iter()
            .filter_map(|part| match part {
                Part::Image(blob) => Some(blob.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(images, ["k6000", "k8000"]);
        assert!(user.contains(&"The screen at second 3.0 of the recording:\n".into()));
        assert_eq!(user.last(), Some(&Part::Audio(BlobId::new("wav"))));
        assert_eq!(request.tools, []);
    }
}
