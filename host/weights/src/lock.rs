//! The lock file: which files the host needs, their hashes, and where each can be had.

use serde::Deserialize;

use crate::WeightsError;

/// The lock file, compiled in.
const TEXT: &str = include_str!("weights.lock.toml");

/// The whole lock file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    schema: u32,
    #[serde(rename = "file")]
    pub files: Vec<File>,
}

/// One file of the model cache.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// Its name in the cache; one in a folder has a slash.
    pub name: String,
    /// Lower-case hexadecimal. Only an optional file may go without.
    pub sha256: Option<String>,
    /// Bytes.
    pub size: Option<u64>,
    pub licence: String,
    /// Whether everything works without it.
    #[serde(default)]
    pub optional: bool,
    /// The official file.
    pub url: Option<String>,
    /// Members of packages that make up the file, joined in this order.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// Set when the joined parts still have to be converted.
    pub whisper: Option<Whisper>,
}

/// A file inside a package.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub from: Registry,
    pub package: String,
    pub version: String,
    pub member: String,
}

/// The client that fetches a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Registry {
    Pip,
    Npm,
}

/// Conversion from CTranslate2's format to ggml.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Whisper {
    pub multilingual: bool,
    /// Hash of the joined parts, before the conversion.
    pub joined_sha256: String,
    pub vocabulary: Part,
    pub vocabulary_sha256: String,
}

impl Lock {
    /// The lock file of this build.
    ///
    /// # Errors
    /// When it is malformed, which a test rules out.
    pub fn embedded() -> Result<Self, WeightsError> {
        Self::parse(TEXT).map_err(WeightsError::Lock)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let lock: Self = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        if lock.schema != 1 {
            return Err(format!(
                "it has schema {}, this version knows 1",
                lock.schema
            ));
        }
        for file in &lock.files {
            if file.sha256.is_none() && !file.optional {
                return Err(format!("{} has no hash", file.name));
            }
            if file.url.is_none() && file.parts.is_empty() {
                return Err(format!("{} has no source", file.name));
            }
        }
        Ok(lock)
    }

    /// The files of the given names, all of them for none. A folder's name stands for its files.
    ///
    /// # Errors
    /// When a name is in no lock file entry.
    pub fn select(&self, only: &[String]) -> Result<Vec<&File>, WeightsError> {
        for name in only {
            if !self.files.iter().any(|file| file.is(name)) {
                let names = self.files.iter().map(|file| file.group().to_owned());
                let mut known: Vec<String> = names.collect();
                known.dedup();
                return Err(WeightsError::Unknown {
                    name: name.clone(),
                    known,
                });
            }
        }
        Ok(self
            .files
            .iter()
            .filter(|file| only.is_empty() || only.iter().any(|name| file.is(name)))
            .collect())
    }
}

impl File {
    fn is(&self, name: &str) -> bool {
        self.name == name || self.group() == name
    }

    /// Its folder in the cache where it has one, else its own name.
    #[must_use]
    pub fn group(&self) -> &str {
        self.name
            .split_once('/')
            .map_or(self.name.as_str(), |(folder, _)| folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn every_name_is_locked() {
        let lock = Lock::embedded().unwrap();
        for name in [
            names::ONNX_RUNTIME,
            names::WHISPER_BASE,
            names::WHISPER_TINY,
            names::PIPER,
            names::PIPER_CONFIG,
            names::KOKORO,
            names::KOKORO_VOCABULARY,
            names::KOKORO_VOICES,
            names::SILERO,
            names::OCR_DETECTION,
            names::OCR_RECOGNITION,
            names::LCNET,
            names::CLIP,
        ] {
            assert!(
                !lock.select(&[name.to_owned()]).unwrap().is_empty(),
                "{name}"
            );
        }
        let voices = lock.select(&[names::KOKORO_VOICES.to_owned()]).unwrap();
        assert_eq!(voices.len(), 28);
        assert!(
            lock.select(&["whisper-huge".to_owned()])
                .unwrap_err()
                .to_string()
                .contains("whisper-base-q8.bin")
        );
        for file in &lock.files {
            let hash = file.sha256.as_deref();
            assert!(
                hash.is_none_or(|hash| hash.len() == 64 && hex::decode(hash).is_ok()),
                "{}",
                file.name
            );
            assert!(
                !file.name.starts_with('/') && !file.name.contains(".."),
                "{}",
                file.name
            );
            assert!(
                file.url
                    .as_deref()
                    .is_none_or(|url| url.starts_with("https://")),
                "{}",
                file.name
            );
        }
    }
}
