//! What was said, as whole sentences: utterances end at pauses, sentences need not.

pub use dynacu_vocabulary::Sentence;

use super::recognizer::Segment;

/// A longer pause begins a new turn (ms).
pub const TURN_PAUSE: u64 = 1500;
/// A sentence without a full stop is over after this pause (ms).
const SETTLE_AFTER: u64 = 1000;
/// Before these a full stop ends a word, not a sentence.
const ABBREVIATIONS: [&str; 15] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "vs", "etc", "inc", "ltd", "jr", "sr", "e.g",
    "i.e",
];

/// The whole episode's sentences, and the one that has not ended yet.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    sentences: Vec<Sentence>,
    open: Option<Sentence>,
    /// Where the last sentence before the first one kept here ended; only copies lack the sentences themselves.
    before: Option<u64>,
}

impl Transcript {
    /// Adds what was recognised in one utterance, with times on the episode's clock; returns the sentences that
    /// this completed. `cut` says that the utterance ended in running speech.
    pub fn add(&mut self, segments: &[Segment], cut: bool) -> Vec<Sentence> {
        let known = self.sentences.len();
        let pieces: Vec<Segment> = segments.iter().flat_map(split).collect();
        let count = pieces.len();
        for (i, piece) in pieces.into_iter().enumerate() {
            self.piece(piece, cut && i + 1 == count);
        }
        self.sentences[known..].to_vec()
    }

    fn piece(&mut self, piece: Segment, cut: bool) {
        let text = piece
            .text
            .trim()
            .trim_start_matches("...")
            .trim_start_matches('…')
            .trim_start();
        // Whisper writes an ellipsis where a clip ends in mid-sentence.
        let trimmed = text
            .trim_end_matches("...")
            .trim_end_matches('…')
            .trim_end();
        let unfinished = trimmed.len() < text.len();
        if trimmed.is_empty() {
            return;
        }
        if let Some(open) = &self.open {
            let continues = piece.start_ms <= open.ended_at + TURN_PAUSE
                && (!ends_sentence(&open.text) || starts_small(trimmed));
            if !continues {
                self.finish_open();
            }
        }
        let open = match self.open.take() {
            Some(mut sentence) => {
                if sentence.text.ends_with('.') && starts_small(trimmed) {
                    sentence.text.pop();
                }
                let (old, new) = (sentence.text.len() as f32, trimmed.len() as f32);
                sentence.confidence =
                    (sentence.confidence * old + piece.confidence * new) / (old + new).max(1.0);
                sentence.text.push(' ');
                sentence.text.push_str(trimmed);
                sentence.ended_at = piece.end_ms.max(sentence.ended_at);
                sentence
            }
            None => {
                let before = self
                    .sentences
                    .last()
                    .map(|sentence| sentence.ended_at)
                    .or(self.before);
                Sentence {
                    started_at: piece.start_ms,
                    ended_at: piece.end_ms,
                    text: trimmed.to_owned(),
                    confidence: piece.confidence,
                    is_final: true,
                    starts_turn: before.is_none_or(|end| piece.start_ms > end + TURN_PAUSE),
                }
            }
        };
        // The full stop of a piece that was cut in running speech may be an invention: the next piece tells.
        let complete = !cut && !unfinished && ends_sentence(&open.text);
        self.open = Some(open);
        if complete {
            self.finish_open();
        }
    }

    /// Completes the open sentence if nothing followed it for a second; `now` is how far the episode was heard.
    pub fn settle(&mut self, now: u64) -> Option<Sentence> {
        let open = self.open.as_ref()?;
        if now < open.ended_at + SETTLE_AFTER {
            return None;
        }
        self.finish_open();
        self.sentences.last().cloned()
    }

    /// Completes the open sentence: no more sound will come.
    pub fn finish(&mut self) -> Option<Sentence> {
        self.open.as_ref()?;
        self.finish_open();
        self.sentences.last().cloned()
    }

    fn finish_open(&mut self) {
        self.sentences.extend(self.open.take());
    }

    /// True while a sentence has begun and not ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The final sentence that began at a time begins a turn: somebody else speaks.
    pub fn starts_turn(&mut self, started_at: u64) {
        let mut latest = self.sentences.iter_mut().rev();
        if let Some(sentence) = latest.find(|sentence| sentence.started_at == started_at) {
            sentence.starts_turn = true;
        }
    }

    /// The sentences that are final.
    #[must_use]
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// The sentences that ended after `since`, then what is not final yet: the open sentence joined with a
    /// provisional recognition of the tail.
    #[must_use]
    pub fn after(&self, since: u64, tail: &[Segment]) -> Vec<Sentence> {
        let mut provisional = Transcript {
            sentences: Vec::new(),
            open: self.open.clone(),
            before: self
                .sentences
                .last()
                .map(|sentence| sentence.ended_at)
                .or(self.before),
        };
        provisional.add(tail, true);
        provisional.finish_open();
        let confirmed = self.sentences.iter().cloned();
        let unsure = provisional.sentences.into_iter().map(|sentence| Sentence {
            is_final: false,
            ..sentence
        });
        confirmed
            .chain(unsure)
            .filter(|sentence| sentence.ended_at > since)
            .collect()
    }
}

/// Sentences as one text.
#[must_use]
pub fn text_of(sentences: &[Sentence]) -> String {
    sentences
        .iter()
        .map(|sentence| sentence.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// One segment per sentence; a recogniser that gives longer ones has its times shared out by length.
fn split(segment: &Segment) -> Vec<Segment> {
    let length = segment.text.len().max(1) as u64;
    let duration = segment.end_ms.saturating_sub(segment.start_ms);
    let at = |offset: usize| segment.start_ms + duration * offset as u64 / length;
    let mut ends = sentence_ends(&segment.text);
    if ends.last() != Some(&segment.text.len()) {
        ends.push(segment.text.len());
    }
    let mut from = 0;
    let mut out = Vec::new();
    for end in ends {
        let text = segment.text[from..end].trim();
        if !text.is_empty() {
            out.push(Segment {
                start_ms: at(from),
                end_ms: at(end),
                text: text.to_owned(),
                ..segment.clone()
            });
        }
        from = end;
    }
    out
}

/// Where sentences end in a text, as byte offsets after the stop and its closing quotes. A stop inside a number, after an
/// abbreviation or before a small letter ends none.
#[must_use]
pub fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    let mut words = text.split_inclusive(char::is_whitespace).peekable();
    while let Some(word) = words.next() {
        let end = start + word.trim_end().len();
        start += word.len();
        let next = words.peek().map(|next| next.trim());
        let stops = match next {
            None => ends_sentence(&text[..end]),
            Some(next) => {
                ends_sentence(word) && !starts_small(next) && !is_abbreviation(word, next)
            }
        };
        if stops {
            ends.push(end);
        }
    }
    ends
}

fn bare(text: &str) -> &str {
    text.trim_end().trim_end_matches(['"', '\'', '”', '’', ')'])
}

/// Whether a text ends with a full stop, question or exclamation mark (and quotes after it).
#[must_use]
pub fn ends_sentence(text: &str) -> bool {
    let text = bare(text);
    text.ends_with(['.', '?', '!']) && !text.ends_with("...")
}

fn starts_small(text: &str) -> bool {
    text.chars()
        .find(|c| c.is_alphanumeric())
        .is_some_and(char::is_lowercase)
}

fn is_abbreviation(word: &str, next: &str) -> bool {
    let Some(stem) = bare(word).strip_suffix('.') else {
        return false;
    };
    let stem = stem.trim_start_matches(|c: char| !c.is_alphanumeric());
    let initial = stem.chars().count() == 1 && stem.chars().all(char::is_uppercase);
    // "No. 5" but "No. Yes."
    let number = next.starts_with(|c: char| c.is_ascii_digit());
    match stem.to_lowercase().as_str() {
        "no" => number,
        stem => initial || ABBREVIATIONS.contains(&stem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(start_ms: u64, end_ms: u64, text: &str) -> Segment {
        Segment {
            start_ms,
            end_ms,
            text: text.to_owned(),
            confidence: 0.9,
        }
    }

    fn texts(sentences: &[Sentence]) -> Vec<&str> {
        sentences
            .iter()
            .map(|sentence| sentence.text.as_str())
            .collect()
    }

    #[test]
    fn stops_inside_numbers_and_abbreviations_end_nothing() {
        let text =
            "It is 1.4 million. Ask Dr. Smith at 5 p.m. today about No. 5. No. \"Really?\" Yes";
        let parts: Vec<_> = split(&heard(0, 1000, text))
            .into_iter()
            .map(|part| part.text)
            .collect();
        assert_eq!(
            parts,
            [
                "It is 1.4 million.",
                "Ask Dr. Smith at 5 p.m. today about No. 5.",
                "No.",
                "\"Really?\"",
                "Yes"
            ]
        );
    }

    #[test]
    fn a_sentence_over_three_utterances_is_one() {
        let mut transcript = Transcript::default();
        assert!(
            transcript
                .add(
                    &[heard(
                        0,
                        2000,
                        "For marketing, after our discussion last week,"
                    )],
                    false
                )
                .is_empty()
        );
        assert!(
            transcript
                .add(
                    &[heard(2600, 4000, "we've set the budget at 1.4 million...")],
                    false
                )
                .is_empty()
        );
        let done = transcript.add(
            &[heard(4300, 6000, "...down from 1.8. Operations hold.")],
            false,
        );
        assert_eq!(
            texts(&done),
            [
                "For marketing, after our discussion last week, we've set the budget at 1.4 million down from 1.8.",
                "Operations hold."
            ]
        );
        assert_eq!(
            (done[0].started_at, done[0].starts_turn, done[1].starts_turn),
            (0, true, false)
        );
    }

    #[test]
    fn an_invented_stop_at_a_cut_is_taken_back() {
        let mut transcript = Transcript::default();
        assert!(
            transcript
                .add(&[heard(0, 9000, "It runs until the.")], true)
                .is_empty()
        );
        assert_eq!(
            texts(&transcript.add(&[heard(9000, 9900, "end of May.")], false)),
            ["It runs until the end of May."]
        );
        assert!(
            transcript
                .add(&[heard(10_000, 11_000, "That was one.")], true)
                .is_empty()
        );
        assert_eq!(
            texts(&transcript.add(&[heard(11_000, 12_000, "Two.")], false)),
            ["That was one.", "Two."]
        );
    }

    #[test]
    fn a_pause_settles_what_has_no_stop() {
        let mut transcript = Transcript::default();
        transcript.add(&[heard(0, 500, "Four")], false);
        assert_eq!(transcript.settle(1400), None);
        assert_eq!(
            transcript.settle(1500).map(|sentence| sentence.text),
            Some("Four".to_owned())
        );
        transcript.add(&[heard(5000, 5500, "Yes")], false);
        assert!(transcript.finish().unwrap().starts_turn);
    }

    #[test]
    fn the_tail_is_provisional_and_leaves_no_trace() {
        let mut transcript = Transcript::default();
        transcript.add(&[heard(0, 1000, "First. Sales came in")], false);
        let seen = transcript.after(0, &[heard(1200, 2000, "at 800")]);
        assert_eq!(texts(&seen), ["First.", "Sales came in at 800"]);
        assert_eq!((seen[0].is_final, seen[1].is_final), (true, false));
        let done = transcript.add(&[heard(1200, 2400, "at 800K.")], false);
        assert_eq!(texts(&done), ["Sales came in at 800K."]);
        assert_eq!(
            texts(&transcript.after(1000, &[])),
            ["Sales came in at 800K."]
        );
        assert_eq!(texts(&transcript.after(2400, &[])), [] as [&str; 0]);
    }
}
