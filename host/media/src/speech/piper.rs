//! The agent's voice: Piper, one short sentence in well under half a second.

use std::collections::HashMap;

use dynacu_weights::{file, names};
use ort::session::Session;
use ort::value::Tensor;
use parking_lot::Mutex;
use serde::Deserialize;

use super::phonemes::{self, Clause};
use super::{Pcm, Voice, join};
use crate::error::{ModelError, SpeechError};
use crate::onnx;

/// Pause between two sentences.
const PAUSE_MS: u32 = 200;

/// The part of the voice's own configuration that synthesis needs.
#[derive(Debug, Deserialize)]
struct Config {
    audio: Audio,
    espeak: Espeak,
    inference: Inference,
    phoneme_id_map: HashMap<String, Vec<i64>>,
}

#[derive(Debug, Deserialize)]
struct Audio {
    sample_rate: u32,
}

#[derive(Debug, Deserialize)]
struct Espeak {
    voice: String,
}

#[derive(Debug, Deserialize)]
struct Inference {
    length_scale: f32,
}

/// Piper's voice, loaded and ready.
///
/// The model adds noise to pitch and to the length of phonemes, drawn anew by the runtime at every call. It is switched
/// off (both noise scales 0), so that an agent's sentence sounds the same in every trial; the configured length scale stays.
pub struct Piper {
    session: Mutex<Session>,
    config: Config,
}

impl Piper {
    /// Loads model and configuration from the model cache.
    ///
    /// # Errors
    /// When a file is missing or does not open.
    pub fn load() -> Result<Self, ModelError> {
        let path = file(names::PIPER_CONFIG)?;
        let broken = |what: String| ModelError::Broken {
            path: path.clone(),
            what,
        };
        let config: Config = serde_json::from_slice(&onnx::read(&path)?)
            .map_err(|error| broken(error.to_string()))?;
        for frame in ["^", "_", "$"] {
            if !config.phoneme_id_map.contains_key(frame) {
                return Err(broken(format!("it has no id for {frame:?}")));
            }
        }
        let session = Mutex::new(onnx::session(&file(names::PIPER)?, 2)?);
        Ok(Self { session, config })
    }

    /// Ids of one sentence: start, each sign followed by padding, end. Signs the model does not know are left out.
    fn ids(&self, sentence: &[Clause]) -> Vec<i64> {
        let map = &self.config.phoneme_id_map;
        let of = |sign: &str| map.get(sign).map_or(&[] as &[i64], Vec::as_slice);
        let mut ids = of("^").to_vec();
        ids.extend_from_slice(of("_"));
        let mut sign = [0; 4];
        for (position, clause) in sentence.iter().enumerate() {
            let mark = match clause.mark {
                '…' => '.',
                '—' => ',',
                mark => mark,
            };
            let space = (position > 0).then_some(' ');
            for c in space
                .into_iter()
                .chain(clause.ipa.chars().filter(|c| *c != '^'))
                .chain([mark])
            {
                let known = of(c.encode_utf8(&mut sign));
                if !known.is_empty() {
                    ids.extend_from_slice(known);
                    ids.extend_from_slice(of("_"));
                }
            }
        }
        ids.extend_from_slice(of("$"));
        ids
    }

    fn sentence(&self, clauses: &[Clause]) -> Result<Vec<f32>, ModelError> {
        let ids = self.ids(clauses);
        let count = ids.len();
        let scales = vec![0.0_f32, self.config.inference.length_scale, 0.0];
        let inputs = ort::inputs![
            "input" => Tensor::from_array(([1, count], ids))?,
            "input_lengths" => Tensor::from_array(([1], vec![count as i64]))?,
            "scales" => Tensor::from_array(([3], scales))?,
        ];
        let mut session = self.session.lock();
        let outputs = session.run(inputs)?;
        let (_, samples) = outputs[0].try_extract_tensor::<f32>()?;
        Ok(samples.to_vec())
    }
}

impl Voice for Piper {
    /// Speaks a text at the voice's own rate (22.05 kHz). The same text gives the same samples.
    ///
    /// # Errors
    /// When there is nothing to speak in the text, or espeak-ng or the model fails.
    fn synthesize(&self, text: &str) -> Result<Pcm, SpeechError> {
        let clauses = phonemes::clauses(text, &self.config.espeak.voice)?;
        let sentences: Vec<Vec<f32>> = clauses
            .split_inclusive(Clause::ends_sentence)
            .map(|sentence| self.sentence(sentence))
            .collect::<Result<_, _>>()?;
        let rate = self.config.audio.sample_rate;
        let samples = join(&sentences, rate, PAUSE_MS);
        if samples.is_empty() {
            return Err(SpeechError::Nothing(text.to_owned()));
        }
        Ok(Pcm { rate, samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn speaks_the_same_sound_for_the_same_text() {
        let piper = Piper::load().unwrap();
        for text in [
            "Paris.",
            "The capital of Australia is Canberra, I think.",
            "I paid $64. It was worth it!",
        ] {
            let start = Instant::now();
            let sound = piper.synthesize(text).unwrap();
            let seconds = sound.samples.len() as f32 / sound.rate as f32;
            eprintln!(
                "Piper: {seconds:.2} s of speech in {:.3} s: {text}",
                start.elapsed().as_secs_f32()
            );
            assert_eq!(sound.rate, 22_050);
            let words = text.split(' ').count() as f32;
            assert!(
                seconds > 0.15 * words && seconds < 1.0 + 0.7 * words,
                "{seconds} s"
            );
            let rms = (sound.samples.iter().map(|s| s * s).sum::<f32>()
                / sound.samples.len() as f32)
                .sqrt();
            assert!(
                rms > 0.01 && sound.samples.iter().all(|s| s.abs() <= 1.0),
                "{rms}"
            );
            assert_eq!(piper.synthesize(text).unwrap(), sound);
        }
        assert!(
            piper
                .synthesize("  ")
                .unwrap_err()
                .to_string()
                .contains("nothing to speak")
        );
    }
}
