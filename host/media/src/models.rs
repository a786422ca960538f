//! Weights and runtimes: what is locked, how it is fetched, checked and converted, where it lies.

use std::path::PathBuf;

pub mod convert;
mod fetch;
pub mod lock;
pub mod onnx;
pub mod protobuf;
pub mod pull;
mod stamp;

/// Names of the files in the model cache.
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

#[derive(Debug, thiserror::Error)]
#[error("the model file {name} is not in {}: run `dynacu-host models pull`", directory.display())]
pub struct MissingModel {
    pub name: String,
    pub directory: PathBuf,
}

/// Where the models lie: `$DYNACU_MODELS`, else `dynacu/models` in the user's cache folder.
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
pub fn file(name: &str) -> Result<PathBuf, MissingModel> {
    let directory = directory();
    let path = directory.join(name);
    if path.exists() {
        Ok(path)
    } else {
        Err(MissingModel {
            name: name.to_owned(),
            directory,
        })
    }
}
