//! What can go wrong, told so that a person knows what to do about it. The text of an error names its cause.

use std::io;
use std::path::PathBuf;

use dynacu_weights::MissingFile;

use crate::capture::screen::{FrameError, ScreenError};
use crate::perception::recognizer::RemoteError;
use crate::subprocess::SubprocessError;

/// A model cannot be loaded or asked.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    Missing(#[from] MissingFile),
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: io::Error },
    /// The file is there and is not what it should be.
    #[error("cannot use the model file {}: {what}: run `dynacu-host models verify`", path.display())]
    Broken { path: PathBuf, what: String },
    #[error("ONNX Runtime: {0}")]
    Onnx(String),
    #[error("{model} failed: {reason}")]
    Failed { model: &'static str, reason: String },
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

impl From<ort::Error> for ModelError {
    fn from(error: ort::Error) -> Self {
        Self::Onnx(error.to_string())
    }
}

impl ModelError {
    /// For `map_err`: a model failed, whatever it says.
    pub(crate) fn failed<E: std::fmt::Display>(model: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::Failed {
            model,
            reason: error.to_string(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot start the thread {name}: {reason}")]
pub struct ThreadError {
    name: &'static str,
    reason: io::Error,
}

impl ThreadError {
    /// For `map_err`.
    pub(crate) fn of(name: &'static str) -> impl Fn(io::Error) -> Self {
        move |reason| Self { name, reason }
    }
}

/// A text cannot be spoken.
#[derive(Debug, thiserror::Error)]
pub enum SpeechError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("there is nothing to speak in {0:?}")]
    Nothing(String),
    #[error("the text to speak has {bytes} bytes; at most {most} are spoken at once")]
    TooLong { bytes: usize, most: usize },
    #[error("a speed of {0} is outside 0.5 to 2")]
    Speed(f32),
    #[error("{0:?} is no English Kokoro voice; their names begin with am_, af_, bm_ or bf_")]
    UnknownVoice(String),
    #[error("the voice {voice} is not in {}: `dynacu-host models pull` fetches all", folder.display())]
    MissingVoice { voice: String, folder: PathBuf },
    #[error("speech needs espeak-ng (Debian package espeak-ng)")]
    Espeak(#[from] SubprocessError),
    #[error("espeak-ng refused the text in {language}: {said}")]
    Refused { language: String, said: String },
}

/// Sound cannot be recorded or played.
#[derive(Debug, thiserror::Error)]
pub enum SoundError {
    #[error("PulseAudio's client library does not start")]
    Library,
    #[error("cannot reach the sound server {server}: {reason}")]
    Unreachable { server: String, reason: String },
    #[error("cannot record {device}: {reason}")]
    NotRecorded { device: String, reason: String },
    #[error("cannot play into the sink {sink}: {reason}")]
    NotPlayed { sink: String, reason: String },
    #[error("the connection to the sound server broke: {0}")]
    Broken(String),
    #[error("cannot change the sample rate from {from} Hz to {to} Hz: {reason}")]
    Rate { from: u32, to: u32, reason: String },
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// The desktop's sound cannot be heard.
#[derive(Debug, thiserror::Error)]
pub enum HearingError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Sound(#[from] SoundError),
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// The screen cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum SeeingError {
    #[error("captures a second must be above 0 and at most 60")]
    Rate,
    #[error(transparent)]
    Screen(#[from] ScreenError),
    #[error(transparent)]
    Thread(#[from] ThreadError),
}
