//! The voices of the tasks' speakers: Kokoro-82M, many voices, some 0.4 s of work for a second of speech.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use dynacu_weights::{file, names};
use ort::session::Session;
use ort::value::Tensor;
use parking_lot::Mutex;

use super::phonemes::{self, Clause};
use super::{Pcm, join};
use crate::error::{ModelError, SpeechError};
use crate::onnx;

/// Samples a second of every Kokoro voice.
pub const RATE: u32 = 24_000;

/// The model takes 512 tokens, two of which frame the text.
const MOST_TOKENS: usize = 510;
/// Sentences are spoken together up to here: longer stretches are read in a hurry.
const GOOD_TOKENS: usize = 220;
/// Pause between stretches that are synthesised one by one.
const PAUSE_MS: u32 = 280;
/// Width of one style vector of a voice.
const STYLE: usize = 256;

/// Kokoro's model, loaded and ready; voices are read when they are first used.
pub struct Kokoro {
    session: Mutex<Session>,
    vocabulary: HashMap<char, i64>,
    voices: PathBuf,
    styles: Mutex<HashMap<String, Arc<Vec<f32>>>>,
}

impl Kokoro {
    /// Loads model and vocabulary from the model cache.
    ///
    /// # Errors
    /// When a file is missing or does not open.
    pub fn load() -> Result<Self, ModelError> {
        let path = file(names::KOKORO_VOCABULARY)?;
        let vocabulary =
            vocabulary(&onnx::read(&path)?).map_err(|what| ModelError::Broken { path, what })?;
        let voices = file(names::KOKORO_VOICES)?;
        let session = Mutex::new(onnx::session(&file(names::KOKORO)?, 2)?);
        Ok(Self {
            session,
            vocabulary,
            voices,
            styles: Mutex::default(),
        })
    }

    /// Names of the English voices in the model cache, sorted: `am_` and `af_` American, `bm_` and `bf_` British.
    ///
    /// # Errors
    /// When the folder of voices cannot be read.
    pub fn voices() -> Result<Vec<String>, ModelError> {
        let folder = file(names::KOKORO_VOICES)?;
        let mut voices: Vec<String> = std::fs::read_dir(&folder)
            .map_err(|reason| ModelError::Unreadable {
                path: folder.clone(),
                reason,
            })?
            .filter_map(|entry| {
                entry
                    .ok()?
                    .file_name()
                    .into_string()
                    .ok()?
                    .strip_suffix(".bin")
                    .map(str::to_owned)
            })
            .filter(|voice| language(voice).is_some())
            .collect();
        voices.sort();
        Ok(voices)
    }

    /// Speaks a text at 24 kHz; `speed` 1 is the voice's own. The same arguments give the same samples.
    ///
    /// # Errors
    /// When the voice is unknown, the speed outside 0.5 to 2, there is nothing to speak, or the model fails.
    pub fn synthesize(&self, voice: &str, text: &str, speed: f32) -> Result<Pcm, SpeechError> {
        if !(0.5..=2.0).contains(&speed) {
            return Err(SpeechError::Speed(speed));
        }
        let Some((language, british)) = language(voice) else {
            return Err(SpeechError::UnknownVoice(voice.to_owned()));
        };
        let style = self.style(voice)?;
        let clauses = phonemes::clauses(text, language)?;
        let pieces: Vec<Vec<f32>> = self
            .stretches(&clauses, british)
            .into_iter()
            .map(|tokens| self.stretch(tokens, &style, speed))
            .collect::<Result<_, _>>()?;
        let samples = join(&pieces, RATE, (PAUSE_MS as f32 / speed) as u32);
        if samples.is_empty() {
            return Err(SpeechError::Nothing(text.to_owned()));
        }
        Ok(Pcm {
            rate: RATE,
            samples,
        })
    }

    fn style(&self, voice: &str) -> Result<Arc<Vec<f32>>, SpeechError> {
        let mut styles = self.styles.lock();
        if let Some(style) = styles.get(voice) {
            return Ok(Arc::clone(style));
        }
        let path = self.voices.join(format!("{voice}.bin"));
        let bytes = std::fs::read(&path).map_err(|_| SpeechError::MissingVoice {
            voice: voice.to_owned(),
            folder: self.voices.clone(),
        })?;
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || words.is_empty() || words.len() % STYLE != 0 {
            let what = "it is no Kokoro voice".to_owned();
            return Err(ModelError::Broken { path, what }.into());
        }
        let style: Arc<Vec<f32>> =
            Arc::new(words.iter().map(|word| f32::from_le_bytes(*word)).collect());
        styles.insert(voice.to_owned(), Arc::clone(&style));
        Ok(style)
    }

    /// Token lists of at most the model's length, cut where it is heard least: between sentences, else between
    /// clauses, else between words.
    fn stretches(&self, clauses: &[Clause], british: bool) -> Vec<Vec<i64>> {
        let mut stretches: Vec<Vec<i64>> = Vec::new();
        for sentence in clauses.split_inclusive(Clause::ends_sentence) {
            let parts: Vec<Vec<i64>> = sentence
                .iter()
                .map(|clause| self.tokens(clause, british))
                .collect();
            let whole = spaced(&parts, self.space());
            if whole.len() <= MOST_TOKENS {
                self.append(&mut stretches, whole, GOOD_TOKENS);
                continue;
            }
            for part in parts {
                if part.len() <= MOST_TOKENS {
                    self.append(&mut stretches, part, MOST_TOKENS);
                } else {
                    for word in part.split(|token| Some(*token) == self.space()) {
                        for piece in word.chunks(MOST_TOKENS) {
                            self.append(&mut stretches, piece.to_vec(), MOST_TOKENS);
                        }
                    }
                }
            }
        }
        stretches
    }

    /// Adds to the last stretch, or begins a new one where that would pass `limit`.
    fn append(&self, stretches: &mut Vec<Vec<i64>>, tokens: Vec<i64>, limit: usize) {
        if tokens.is_empty() {
            return;
        }
        match stretches.last_mut() {
            Some(last) if last.len() + 1 + tokens.len() <= limit => {
                last.extend(self.space());
                last.extend(tokens);
            }
            _ => stretches.push(tokens),
        }
    }

    fn space(&self) -> Option<i64> {
        self.vocabulary.get(&' ').copied()
    }

    /// Characters outside the vocabulary are left out.
    fn tokens(&self, clause: &Clause, british: bool) -> Vec<i64> {
        phonemes::kokoro_notation(&clause.ipa, british)
            .chars()
            .chain([clause.mark])
            .filter_map(|c| self.vocabulary.get(&c).copied())
            .collect()
    }

    fn stretch(&self, tokens: Vec<i64>, style: &[f32], speed: f32) -> Result<Vec<f32>, ModelError> {
        // A voice has one style vector for each length of text, without the two framing tokens.
        let row = tokens.len().min(style.len() / STYLE - 1);
        let style = style[row * STYLE..(row + 1) * STYLE].to_vec();
        let framed: Vec<i64> = std::iter::once(0).chain(tokens).chain([0]).collect();
        let inputs = ort::inputs![
            "tokens" => Tensor::from_array(([1, framed.len()], framed))?,
            "style" => Tensor::from_array(([1, STYLE], style))?,
            "speed" => Tensor::from_array(([1], vec![speed]))?,
        ];
        let mut session = self.session.lock();
        let outputs = session.run(inputs)?;
        let (_, samples) = outputs[0].try_extract_tensor::<f32>()?;
        Ok(samples.to_vec())
    }
}

fn spaced(parts: &[Vec<i64>], space: Option<i64>) -> Vec<i64> {
    let mut whole = Vec::new();
    for (position, part) in parts.iter().enumerate() {
        if position > 0 {
            whole.extend(space);
        }
        whole.extend_from_slice(part);
    }
    whole
}

/// espeak-ng's language of a voice and whether it is British; nothing for voices of other languages.
fn language(voice: &str) -> Option<(&'static str, bool)> {
    match voice.as_bytes() {
        [b'a', b'f' | b'm', b'_', ..] => Some(("en-us", false)),
        [b'b', b'f' | b'm', b'_', ..] => Some(("en-gb", true)),
        _ => None,
    }
}

fn vocabulary(json: &[u8]) -> Result<HashMap<char, i64>, String> {
    #[derive(serde::Deserialize)]
    struct File {
        vocab: HashMap<char, i64>,
    }
    let file: File = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    Ok(file.vocab)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn speaks_with_american_and_british_voices() {
        let kokoro = Kokoro::load().unwrap();
        let voices = Kokoro::voices().unwrap();
        assert!(voices.len() >= 28 && voices.iter().any(|voice| voice == "am_michael"));
        let text = "I ended up paying sixty four dollars for the travel kettle.";
        for voice in ["am_michael", "bf_emma"] {
            let start = Instant::now();
            let sound = kokoro.synthesize(voice, text, 1.0).unwrap();
            let seconds = sound.samples.len() as f32 / RATE as f32;
            eprintln!(
                "Kokoro {voice}: {seconds:.2} s of speech in {:.2} s",
                start.elapsed().as_secs_f32()
            );
            assert!((2.0..7.0).contains(&seconds), "{seconds} s");
            let rms = (sound.samples.iter().map(|s| s * s).sum::<f32>()
                / sound.samples.len() as f32)
                .sqrt();
            assert!(rms > 0.01, "{rms}");
        }
        assert_eq!(
            kokoro.synthesize("af_sky", "Yes.", 1.0).unwrap(),
            kokoro.synthesize("af_sky", "Yes.", 1.0).unwrap()
        );
        assert!(
            kokoro
                .synthesize("ff_siwis", "Oui.", 1.0)
                .unwrap_err()
                .to_string()
                .contains("no English")
        );
        assert!(kokoro.synthesize("am_nobody", "Yes.", 1.0).is_err());
    }

    #[test]
    fn long_texts_are_cut_between_sentences() {
        let kokoro = Kokoro::load().unwrap();
        let clause = |words: usize, mark| Clause {
            ipa: vec!["kat"; words].join(" "),
            mark,
        };
        let lengths = |clauses: &[Clause]| -> Vec<usize> {
            kokoro
                .stretches(clauses, false)
                .iter()
                .map(Vec::len)
                .collect()
        };
        // "kat" and a space are 4 tokens, the mark one.
        assert_eq!(lengths(&[clause(10, '.'), clause(10, '.')]), [81]);
        assert_eq!(lengths(&[clause(40, '.'), clause(40, '.')]), [160, 160]);
        assert_eq!(lengths(&[clause(100, ','), clause(100, '.')]), [400, 400]);
        assert!(
            lengths(&[clause(300, '.')])
                .iter()
                .all(|length| *length <= MOST_TOKENS)
        );
    }
}
