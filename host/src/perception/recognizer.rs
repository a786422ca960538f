//! Speech recognition.

use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperSegment,
    WhisperState,
};

use super::transcript;
use crate::capture::ring::RATE;

/// A stretch of recognised speech. Times are milliseconds from the start of the clip that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    pub start_ms: u64,
    pub end_ms: u64,
    pub text: String,
    /// Mean token probability, 0 to 1.
    pub confidence: f32,
}

/// Turns speech into text: 16 kHz mono samples from -1 to 1.
pub trait Transcribe: Send + Sync {
    fn transcribe(&self, samples: &[f32]) -> anyhow::Result<Vec<Segment>>;
}

/// Whisper's encoder sees 50 positions a second, 1500 in all: 30 s.
const CONTEXT_PER_SECOND: usize = 50;
const FULL_CONTEXT: usize = 1500;
/// Shorter contexts than this make the decoder loop, however short the clip is.
const SMALLEST_CONTEXT: usize = 192;
/// Positions beyond the clip's end, so that the decoder hears the silence after the last word.
const CONTEXT_MARGIN: usize = 64;
/// What a clip gets on top when its recognition went round in circles.
const LOOP_MARGIN: usize = 128;
/// Longer clips are recognised piece by piece.
const LONGEST: usize = 29 * RATE as usize;
/// Silence around a clip: Whisper drops words that touch the edge of what it hears.
const EDGE: usize = RATE as usize / 5;
/// A shorter clip is filled up with silence to this length.
const SHORTEST: usize = RATE as usize * 5 / 4;
/// A phrase that is repeated this often, with more context too, is an invention.
const INVENTED_ROUNDS: usize = 8;
/// Below this mean token probability a text is an invention.
const REFUSE_BELOW: f32 = 0.3;
/// Below this one it is too, if the model also says that it heard no speech.
const DOUBT_BELOW: f32 = 0.55;
const NO_SPEECH: f32 = 0.6;

/// Whisper through whisper.cpp: one model, one state, used by everyone who listens, in the order in which they ask.
pub struct Whisper {
    state: Mutex<WhisperState>,
    turn: Turn,
}

impl Whisper {
    /// Loads a ggml file (see [`crate::models::names`]); takes about a tenth of a second and 150 MB.
    pub fn open(model: &Path) -> Result<Self> {
        // Without a sink compiled in, this silences whisper.cpp, which otherwise writes to standard error.
        whisper_rs::install_logging_hooks();
        let mut parameters = WhisperContextParameters::new();
        parameters.use_gpu(false).flash_attn(false);
        let context = WhisperContext::new_with_params(model, parameters).with_context(|| {
            format!(
                "cannot open the speech model {}: run `dynacu-host models verify`",
                model.display()
            )
        })?;
        let state = context
            .create_state()
            .context("whisper.cpp gave no state")?;
        Ok(Self {
            state: Mutex::new(state),
            turn: Turn::default(),
        })
    }

    fn clip(&self, samples: &[f32]) -> Result<Vec<Segment>> {
        let mut padded = vec![0.0; EDGE];
        padded.extend_from_slice(samples);
        padded.resize((padded.len() + EDGE).max(SHORTEST), 0.0);
        let seconds = padded.len().div_ceil(RATE as usize / 10) as f32 / 10.0;
        let needed = (seconds * CONTEXT_PER_SECOND as f32) as usize + CONTEXT_MARGIN;
        // A multiple of 64: the matrices divide evenly, and equal lengths give equal results.
        let cut = needed
            .max(SMALLEST_CONTEXT)
            .next_multiple_of(64)
            .min(FULL_CONTEXT);
        let mut segments = self.pass(&padded, cut)?;
        // A decoder that hears too little of what comes after goes round in circles. A little more is mostly enough,
        // and the whole context would hold everything up for seconds.
        for more in [cut + LOOP_MARGIN, cut * 2] {
            if !loops(&segments) {
                break;
            }
            segments = self.pass(&padded, more.min(FULL_CONTEXT))?;
        }
        segments.retain_mut(|segment| {
            let words = plain_words(&segment.text);
            let Some((first, length, rounds)) = repetition(&words) else {
                return true;
            };
            segment.text = [&words[..first + length], &words[first + length * rounds..]]
                .concat()
                .join(" ");
            segment.confidence /= 2.0;
            // Even with more to hear: nobody said that.
            rounds < INVENTED_ROUNDS
        });
        let shift = (EDGE * 1000 / RATE as usize) as u64;
        let length = (samples.len() * 1000 / RATE as usize) as u64;
        for segment in &mut segments {
            segment.start_ms = segment.start_ms.saturating_sub(shift).min(length);
            segment.end_ms = segment
                .end_ms
                .saturating_sub(shift)
                .clamp(segment.start_ms, length);
        }
        Ok(segments)
    }

    fn pass(&self, padded: &[f32], audio_context: usize) -> Result<Vec<Segment>> {
        let mut parameters = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        parameters.set_n_threads(threads());
        parameters.set_language(Some("en"));
        parameters.set_translate(false);
        parameters.set_no_context(true);
        parameters.set_audio_ctx(audio_context as i32);
        parameters.set_token_timestamps(true);
        parameters.set_suppress_blank(true);
        parameters.set_suppress_nst(true);
        // One decoding at temperature 0: the same sound gives the same text, in bounded time.
        parameters.set_temperature(0.0);
        parameters.set_temperature_inc(0.0);
        parameters.set_print_special(false);
        parameters.set_print_progress(false);
        parameters.set_print_realtime(false);
        parameters.set_print_timestamps(false);
        // Ten tokens a second are more than anyone speaks; a loop must not run to the model's limit.
        parameters.set_max_tokens((padded.len() / (RATE as usize / 10)) as i32 + 16);
        let mut state = lock(&self.state);
        state
            .full(parameters, padded)
            .context("whisper.cpp could not recognise a clip")?;
        let mut out = Vec::new();
        for segment in state.as_iter() {
            let heard = Heard::from(&segment);
            if let Some(text) = heard.refused() {
                tracing::debug!(%text, confidence = heard.confidence(), no_speech = heard.no_speech, "refused");
                continue;
            }
            out.extend(heard.sentences());
        }
        Ok(out)
    }
}

impl Whisper {
    fn pieces(&self, samples: &[f32]) -> Result<Vec<Segment>> {
        let mut out = Vec::new();
        for (i, piece) in samples.chunks(LONGEST).enumerate() {
            let offset = (i * LONGEST * 1000 / RATE as usize) as u64;
            out.extend(self.clip(piece)?.into_iter().map(|segment| Segment {
                start_ms: segment.start_ms + offset,
                end_ms: segment.end_ms + offset,
                ..segment
            }));
        }
        Ok(out)
    }
}

impl Transcribe for Whisper {
    fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>> {
        let _turn = self.turn.take();
        // On a thread of its own: on processors with AMX, whisper.cpp sets up a thread's matrix tiles once and trusts them
        // for ever, and ONNX Runtime's 8-bit kernels (Kokoro's) set them up otherwise on the same thread. The text is
        // nonsense after that (seen: one token at a probability of 0.005).
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("whisper".to_owned())
                .spawn_scoped(scope, || self.pieces(samples))
                .context("cannot start the thread that recognises")?
                .join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("the recognizer panicked")))
        })
    }
}

/// One segment as Whisper gives it, token by token.
struct Heard {
    tokens: Vec<Token>,
    no_speech: f32,
}

struct Token {
    /// A token can end inside a character.
    bytes: Vec<u8>,
    probability: f32,
    start_ms: u64,
    end_ms: u64,
}

impl Heard {
    fn from(segment: &WhisperSegment<'_>) -> Self {
        let tokens = (0..segment.n_tokens())
            .filter_map(|i| segment.get_token(i))
            .filter_map(|token| {
                let bytes = token.to_bytes().ok()?.to_vec();
                let data = token.token_data();
                let time = |centiseconds: i64| u64::try_from(centiseconds).unwrap_or(0) * 10;
                Some(Token {
                    bytes,
                    probability: data.p,
                    start_ms: time(data.t0),
                    end_ms: time(data.t1),
                })
            })
            // Marks of time and the end: `[_BEG_]`, `[_TT_150]`.
            .filter(|token| !token.bytes.starts_with(b"[_"))
            .collect();
        Self {
            tokens,
            no_speech: segment.no_speech_probability(),
        }
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self
            .tokens
            .iter()
            .flat_map(|token| token.bytes.iter().copied())
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn confidence(&self) -> f32 {
        mean(&self.tokens)
    }

    /// The text, if it is not one that somebody said.
    fn refused(&self) -> Option<String> {
        let text = self.text();
        let trimmed = text.trim();
        let words = trimmed.chars().any(char::is_alphanumeric);
        // "[Music]", "(upbeat music)", "*sighs*": descriptions of sound.
        let described = [('[', ']'), ('(', ')'), ('*', '*'), ('♪', '♪')]
            .iter()
            .any(|(open, close)| trimmed.starts_with(*open) && trimmed.ends_with(*close));
        let confidence = self.confidence();
        let doubtful =
            confidence < REFUSE_BELOW || (confidence < DOUBT_BELOW && self.no_speech > NO_SPEECH);
        (!words || described || doubtful).then(|| trimmed.to_owned())
    }

    /// Cut after each sentence's end, so that each sentence has its own times.
    fn sentences(&self) -> Vec<Segment> {
        let text = self.text();
        let mut ends = transcript::sentence_ends(&text).into_iter().peekable();
        let mut out = Vec::new();
        let (mut first, mut position) = (0, 0);
        for i in 0..self.tokens.len() {
            position += self.tokens[i].bytes.len();
            let last = i + 1 == self.tokens.len();
            if last || ends.next_if(|end| *end <= position).is_some() {
                out.extend(joined(&self.tokens[first..=i]));
                first = i + 1;
            }
        }
        out
    }
}

fn joined(tokens: &[Token]) -> Option<Segment> {
    let bytes: Vec<u8> = tokens
        .iter()
        .flat_map(|token| token.bytes.iter().copied())
        .collect();
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    let (first, last) = (tokens.first()?, tokens.last()?);
    (!text.is_empty()).then(|| Segment {
        start_ms: first.start_ms,
        end_ms: last.end_ms.max(first.start_ms),
        text,
        confidence: mean(tokens),
    })
}

fn mean(tokens: &[Token]) -> f32 {
    tokens.iter().map(|token| token.probability).sum::<f32>() / tokens.len().max(1) as f32
}

/// The words that a decoder repeats, as (first word, words in one round, rounds): at least six single words or
/// three times a longer phrase. People say "no, no, no" and spell "4 4 4 4".
fn repetition(words: &[&str]) -> Option<(usize, usize, usize)> {
    let plain = |word: &&str| {
        word.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let plain: Vec<String> = words.iter().map(plain).collect();
    for length in 1..=plain.len() / 3 {
        let needed = if length == 1 { 6 } else { 3 };
        for first in 0..plain.len() {
            let phrase = &plain[first..(first + length).min(plain.len())];
            let rounds = plain[first..]
                .chunks_exact(length)
                .take_while(|chunk| *chunk == phrase)
                .count();
            if rounds >= needed {
                return Some((first, length, rounds));
            }
        }
    }
    None
}

/// Words, also those that a decoder strings together: "B-B-B-B".
fn plain_words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || c == '-')
        .filter(|word| !word.is_empty())
        .collect()
}

/// Loops run on over segments, so all of them are looked at as one text.
fn loops(segments: &[Segment]) -> bool {
    repetition(
        &segments
            .iter()
            .flat_map(|segment| plain_words(&segment.text))
            .collect::<Vec<_>>(),
    )
    .is_some()
}

/// Two threads where four cores are there, else one.
///
/// whisper.cpp's threads wait for each other by spinning, hundreds of times a word. On two cores that the browser uses
/// too, one of them is always without its core, and two are far slower than one (measured with two busy cores: 11 s of
/// speech in 12 to 20 s against 2.5 to 4.7 s; on idle ones 0.8 to 1.2 s against 1.9 s). The text is the same.
fn threads() -> i32 {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 4) {
        2
    } else {
        1
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// First come, first served. A plain mutex lets whoever runs take it again and again, and an observation
/// that waits for its tail behind a long list of clips would starve.
#[derive(Default)]
struct Turn {
    /// (next ticket, ticket that is served)
    tickets: Mutex<(u64, u64)>,
    changed: Condvar,
}

struct Taken<'a>(&'a Turn);

impl Turn {
    fn take(&self) -> Taken<'_> {
        let mut tickets = lock(&self.tickets);
        let mine = tickets.0;
        tickets.0 += 1;
        while tickets.1 != mine {
            tickets = self
                .changed
                .wait(tickets)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Taken(self)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        lock(&self.0.tickets).1 += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_told_from_speech() {
        let repeated = |text: &str| repetition(&plain_words(text));
        assert_eq!(
            repeated("So: I said. I said. I said. Goodbye."),
            Some((1, 2, 3))
        );
        assert_eq!(repeated("the the the The the, the the"), Some((0, 1, 7)));
        assert_eq!(repeated("B-B-B-B-B-B-B-B-"), Some((0, 1, 8)));
        assert_eq!(repeated("No, no, no. Four four four four."), None);
        assert_eq!(
            repeated("The budget is 1.4 million, down from 1.8 million."),
            None
        );
    }

    #[test]
    fn sentences_of_one_segment_have_their_own_times() {
        let token = |text: &str, start_ms| Token {
            bytes: text.as_bytes().to_vec(),
            probability: 0.9,
            start_ms,
            end_ms: start_ms + 100,
        };
        let heard = Heard {
            tokens: vec![
                token(" It", 0),
                token(" is", 100),
                token(" 1", 200),
                token(".", 250),
                token("4", 300),
                token(".", 400),
                token(" Next", 1200),
                token(" one", 1300),
                token("?", 1400),
            ],
            no_speech: 0.0,
        };
        let texts: Vec<_> = heard
            .sentences()
            .into_iter()
            .map(|s| (s.text, s.start_ms, s.end_ms))
            .collect();
        assert_eq!(
            texts,
            [
                ("It is 1.4.".to_owned(), 0, 500),
                ("Next one?".to_owned(), 1200, 1500)
            ]
        );
    }

    #[test]
    fn descriptions_and_doubt_are_refused() {
        let heard = |text: &str, probability, no_speech| Heard {
            tokens: vec![Token {
                bytes: text.as_bytes().to_vec(),
                probability,
                start_ms: 0,
                end_ms: 1,
            }],
            no_speech,
        };
        assert!(heard(" [Music]", 0.9, 0.1).refused().is_some());
        assert!(heard(" ...", 0.9, 0.1).refused().is_some());
        assert!(heard(" you", 0.4, 0.8).refused().is_some());
        assert!(heard(" Yes.", 0.5, 0.2).refused().is_none());
    }

    #[test]
    fn turns_are_taken_in_order() {
        let turn = Turn::default();
        drop(turn.take());
        let taken = turn.take();
        std::thread::scope(|scope| {
            let waiting = std::thread::Builder::new()
                .name("second".into())
                .spawn_scoped(scope, || {
                    drop(turn.take());
                });
            while lock(&turn.tickets).0 != 3 {
                std::thread::yield_now();
            }
            drop(taken);
            waiting.unwrap().join().unwrap();
        });
        assert_eq!(*lock(&turn.tickets), (3, 3));
    }
}
