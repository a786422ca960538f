//! Speech recognition.

use std::sync::atomic::AtomicBool;

use super::transcript;
use crate::error::ModelError;

pub use choice::RecognizerChoice;
pub use remote::{Remote, RemoteError, RemoteSettings};
pub use whisper::Whisper;

mod choice;
mod loops;
mod remote;
mod tokens;
mod turn;
mod whisper;

/// Changes when the same model would write the same sound otherwise: transcripts that were kept are made anew.
pub const VERSION: u32 = 2;

/// A recognised word with the punctuation that touches it. Times are milliseconds from the start of the clip that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    pub start_ms: u64,
    pub end_ms: u64,
    pub text: String,
    /// Mean token probability, 0 to 1.
    pub confidence: f32,
}

/// A stretch of recognised speech. Times are milliseconds from the start of the clip that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    pub start_ms: u64,
    pub end_ms: u64,
    pub text: String,
    /// Mean token probability, 0 to 1.
    pub confidence: f32,
}

/// What is to be recognised, word by word.
pub struct Clip<'a> {
    /// 16 kHz mono, from -1 to 1.
    pub samples: &'a [f32],
    /// Somebody sets this when the result is not wanted any more.
    pub interrupt: &'a AtomicBool,
}

/// How often a recogniser may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Again and again while somebody speaks.
    Continuous,
    /// Once for each utterance, and when somebody waits for an answer: each question costs money or a round trip.
    ByUtterance,
}

/// Turns speech into text: 16 kHz mono samples from -1 to 1.
pub trait Transcribe: Send + Sync {
    /// A whole clip, sentence by sentence.
    ///
    /// # Errors
    /// When the model or the server fails.
    fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>, ModelError>;

    /// A clip word by word; none if it was interrupted. A recogniser that knows no times of words has them shared out by
    /// length.
    ///
    /// # Errors
    /// When the model or the server fails.
    fn words(&self, clip: &Clip<'_>) -> Result<Option<Vec<Word>>, ModelError> {
        let segments = self.transcribe(clip.samples)?;
        Ok(Some(segments.iter().flat_map(spread).collect()))
    }

    fn pace(&self) -> Pace {
        Pace::Continuous
    }
}

/// The words of a segment, its time shared out by their lengths.
pub(crate) fn spread(segment: &Segment) -> Vec<Word> {
    let length = segment.text.len().max(1) as u64;
    let duration = segment.end_ms.saturating_sub(segment.start_ms);
    let at = |offset: usize| segment.start_ms + duration * offset as u64 / length;
    let mut offset = 0;
    let mut words = Vec::new();
    for word in segment.text.split_inclusive(char::is_whitespace) {
        let from = offset;
        offset += word.len();
        if !word.trim().is_empty() {
            words.push(Word {
                start_ms: at(from),
                end_ms: at(from + word.trim_end().len()),
                text: word.trim().to_owned(),
                confidence: segment.confidence,
            });
        }
    }
    words
}

/// Words as one text.
#[must_use]
pub fn text_of(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// For each sentence that ends in these words: the number of words up to its end. The last one may be followed by more words
/// of a sentence that has not ended.
#[must_use]
pub fn sentence_lengths(words: &[Word]) -> Vec<usize> {
    let mut ends = transcript::sentence_ends(&text_of(words))
        .into_iter()
        .peekable();
    let mut position = 0;
    let mut lengths = Vec::new();
    for (i, word) in words.iter().enumerate() {
        position += word.text.len();
        if ends.next_if(|end| *end <= position).is_some() {
            lengths.push(i + 1);
        }
        position += 1;
    }
    lengths
}

/// One segment for each sentence, and one for what is left.
#[must_use]
pub fn sentences(words: &[Word]) -> Vec<Segment> {
    let mut lengths = sentence_lengths(words);
    if lengths.last() != Some(&words.len()) {
        lengths.push(words.len());
    }
    let mut from = 0;
    let mut out = Vec::new();
    for to in lengths {
        let part = &words[from..to];
        if let (Some(first), Some(last)) = (part.first(), part.last()) {
            out.push(Segment {
                start_ms: first.start_ms,
                end_ms: last.end_ms.max(first.start_ms),
                text: text_of(part),
                confidence: part.iter().map(|word| word.confidence).sum::<f32>()
                    / part.len() as f32,
            });
        }
        from = to;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segments_time_is_shared_out_among_its_words() {
        let words = spread(&Segment {
            start_ms: 1000,
            end_ms: 2000,
            text: "It is 1.4 now. Yes.".to_owned(),
            confidence: 0.5,
        });
        let times: Vec<_> = words
            .iter()
            .map(|word| (word.text.as_str(), word.start_ms))
            .collect();
        assert_eq!(
            times,
            [
                ("It", 1000),
                ("is", 1157),
                ("1.4", 1315),
                ("now.", 1526),
                ("Yes.", 1789)
            ]
        );
        assert_eq!(sentence_lengths(&words), [4, 5]);
        assert_eq!(sentence_lengths(&words[..4]), [4]);
        assert_eq!(sentence_lengths(&words[..3]), [] as [usize; 0]);
        let texts: Vec<_> = sentences(&words)
            .into_iter()
            .map(|s| (s.text, s.start_ms, s.end_ms))
            .collect();
        assert_eq!(
            texts,
            [
                ("It is 1.4 now.".to_owned(), 1000, 1736),
                ("Yes.".to_owned(), 1789, 2000)
            ]
        );
    }
}
