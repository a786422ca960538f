//! What Whisper gives, token by token, made into words; what nobody said is refused.

use whisper_rs::WhisperSegment;

use super::Word;

/// Below this mean token probability a text is an invention.
pub(super) const REFUSE_BELOW: f32 = 0.3;
/// Below this one it is too, if the model also says that it heard no speech.
const DOUBT_BELOW: f32 = 0.55;
const NO_SPEECH: f32 = 0.6;
/// A token that seems to last longer has silence before it (ms).
const LONGEST_MS: u64 = 600;

/// One segment as Whisper gives it.
pub(super) struct Tokens {
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

impl Tokens {
    pub(super) fn from(segment: &WhisperSegment<'_>) -> Self {
        let time = |centiseconds: i64| u64::try_from(centiseconds).unwrap_or(0) * 10;
        let mut tokens: Vec<Token> = Vec::new();
        for token in (0..segment.n_tokens()).filter_map(|i| segment.get_token(i)) {
            let (Ok(bytes), data) = (token.to_bytes(), token.token_data()) else {
                continue;
            };
            // Marks of time and the end: `[_BEG_]`, `[_TT_150]`.
            if bytes.starts_with(b"[_") {
                continue;
            }
            // Where the model stops to attend to the token, if that was asked for (-1 if not): far nearer to the truth.
            let (start_ms, end_ms) = if data.t_dtw >= 0 {
                let before = tokens.last().map_or(0, |token| token.end_ms);
                let end = time(data.t_dtw);
                (before.max(end.saturating_sub(LONGEST_MS)), end)
            } else {
                (time(data.t0), time(data.t1))
            };
            tokens.push(Token {
                bytes: bytes.to_vec(),
                probability: data.p,
                start_ms,
                end_ms: end_ms.max(start_ms),
            });
        }
        Self {
            tokens,
            no_speech: segment.no_speech_probability(),
        }
    }

    pub(super) fn text(&self) -> String {
        text(&self.tokens)
    }

    pub(super) fn confidence(&self) -> f32 {
        mean(&self.tokens)
    }

    /// Whether this is a text that nobody said.
    pub(super) fn refused(&self) -> bool {
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
        !words || described || doubtful
    }

    /// The words; each lasts until the next one begins, at most.
    pub(super) fn words(&self) -> Vec<Word> {
        let begins = |token: &Token| token.bytes.first().is_some_and(u8::is_ascii_whitespace);
        let mut words: Vec<Word> = Vec::new();
        let mut first = 0;
        for i in 1..=self.tokens.len() {
            if i < self.tokens.len() && !begins(&self.tokens[i]) {
                continue;
            }
            let tokens = &self.tokens[first..i];
            first = i;
            let (Some(start), Some(end)) = (tokens.first(), tokens.last()) else {
                continue;
            };
            let text = text(tokens).trim().to_owned();
            if text.is_empty() {
                continue;
            }
            // No word goes on into the next one.
            if let Some(before) = words.last_mut() {
                before.end_ms = before.end_ms.min(start.start_ms.max(before.start_ms));
            }
            words.push(Word {
                start_ms: start.start_ms,
                end_ms: end.end_ms.max(start.start_ms),
                text,
                confidence: mean(tokens),
            });
        }
        words
    }
}

fn text(tokens: &[Token]) -> String {
    let bytes: Vec<u8> = tokens
        .iter()
        .flat_map(|token| token.bytes.iter().copied())
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn mean(tokens: &[Token]) -> f32 {
    tokens.iter().map(|token| token.probability).sum::<f32>() / tokens.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perception::recognizer::sentences;

    #[test]
    fn tokens_are_joined_to_words_and_words_to_sentences_with_times_of_their_own() {
        let token = |text: &str, start_ms| Token {
            bytes: text.as_bytes().to_vec(),
            probability: 0.9,
            start_ms,
            end_ms: start_ms + 100,
        };
        let heard = Tokens {
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
        let words = heard.words();
        let texts: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["It", "is", "1.4.", "Next", "one?"]);
        let texts: Vec<_> = sentences(&words)
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
        let refused = |text: &str, probability, no_speech| {
            let token = Token {
                bytes: text.as_bytes().to_vec(),
                probability,
                start_ms: 0,
                end_ms: 1,
            };
            Tokens {
                tokens: vec![token],
                no_speech,
            }
            .refused()
        };
        assert!(refused(" [Music]", 0.9, 0.1));
        assert!(refused(" ...", 0.9, 0.1));
        assert!(refused(" you", 0.4, 0.8));
        assert!(!refused(" Yes.", 0.5, 0.2));
    }
}
