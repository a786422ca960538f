//! Weights and runtimes: what is locked, how it is fetched, checked and converted, where it lies.
//!
//! [`file()`] finds one that is there, and is all that those who load models need. [`pull`] fills the cache from the lock file.

#![warn(unreachable_pub)]

use std::io;
use std::path::PathBuf;

pub mod cache;
mod convert;
mod hub;
pub mod lock;
mod package;
pub mod pull;
mod stamp;
pub mod tls;

/// Names of the files in the cache.
pub mod names {
    pub const ONNX_RUNTIME: &str = "libonnxruntime.so.1.32.0";
    pub const WHISPER_BASE: &str = "whisper-base-q8.bin";
    pub const WHISPER_TINY: &str = "whisper-tiny-en-q8.bin";
    pub const PIPER: &str = "piper-en_US-joe-medium.onnx";
    pub const PIPER_CONFIG: &str = "piper-en_US-joe-medium.onnx.json";
    pub const KOKORO: &str = "kokoro-82m-q8.onnx";
    pub const KOKORO_VOCABULARY: &str = "kokoro-vocab.json";
    /// A folder of `<voice>.bin`.
    pub const KOKORO_VOICES: &str = "kokoro-voices";
    pub const SILERO: &str = "silero-vad-16k.onnx";
    pub const OCR_DETECTION: &str = "ppocr-v4-det.onnx";
    pub const OCR_RECOGNITION: &str = "ppocr-v4-rec.onnx";
    pub const LCNET: &str = "pp-lcnet.onnx";
    /// Optional: used instead of the stand-in whenever it is there.
    pub const CLIP: &str = "clip-vit-b32-image.onnx";
}

/// A file of [`names`] is not in the cache.
#[derive(Debug, thiserror::Error)]
#[error("the model file {name} is not in {}: run `dynacu-host models pull`", directory.display())]
pub struct MissingFile {
    pub name: String,
    pub directory: PathBuf,
}

/// What goes wrong with the cache as a whole.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("the embedded weights.lock.toml is malformed: {0}")]
    Lock(String),
    #[error("there is no model {name:?}; there are {}", known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error(transparent)]
    Missing(#[from] MissingFile),
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("cannot write to {} (DYNACU_MODELS names another folder)", directory.display())]
    Unwritable {
        directory: PathBuf,
        source: io::Error,
    },
}

/// Where the files lie: `$DYNACU_MODELS`, else `dynacu/models` in the user's cache folder.
#[must_use]
pub fn directory() -> PathBuf {
    std::env::var_os("DYNACU_MODELS").map_or_else(
        || {
            dirs::cache_dir()
                .unwrap_or_else(|| PathBuf::from(".cache"))
                .join("dynacu")
                .join("models")
        },
        PathBuf::from,
    )
}

/// The path of one file (or folder) of [`names`], if it is in the cache.
///
/// # Errors
/// When it is not there.
pub fn file(name: &str) -> Result<PathBuf, MissingFile> {
    let directory = directory();
    let path = directory.join(name);
    if path.exists() {
        Ok(path)
    } else {
        Err(MissingFile {
            name: name.to_owned(),
            directory,
        })
    }
}
