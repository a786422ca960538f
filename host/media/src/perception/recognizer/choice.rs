//! Which recogniser a run uses.

use std::fmt;
use std::sync::Arc;

use dynacu_weights::{file, names};

use super::remote::{Remote, RemoteSettings};
use super::{Transcribe, Whisper};
use crate::error::ModelError;

/// Who turns what the speakers play into text for the policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RecognizerChoice {
    /// Whisper base at 8 bits, on this machine.
    #[default]
    Base,
    /// Whisper tiny at 8 bits: for tests and slow machines.
    Tiny,
    /// A server.
    Remote(RemoteSettings),
}

/// A name that stands for no recogniser.
#[derive(Debug, thiserror::Error)]
pub enum UnknownRecognizer {
    #[error("there is no recogniser {0:?}: use base, tiny or remote")]
    Name(String),
    #[error(
        "a remote recogniser needs a table [remote-recognizer] with url, model and, if it wants a key, key-variable in the file of --config"
    )]
    NoTable,
}

impl RecognizerChoice {
    /// The choice of a name; `remote` is the server that goes with the name of the same spelling.
    ///
    /// # Errors
    /// When the name is unknown, or a server is named without its settings.
    pub fn named(name: &str, remote: Option<RemoteSettings>) -> Result<Self, UnknownRecognizer> {
        match (name, remote) {
            ("base", _) => Ok(Self::Base),
            ("tiny", _) => Ok(Self::Tiny),
            ("remote", Some(settings)) => Ok(Self::Remote(settings)),
            ("remote", None) => Err(UnknownRecognizer::NoTable),
            (name, _) => Err(UnknownRecognizer::Name(name.to_owned())),
        }
    }

    /// Loads the model, or makes the client.
    ///
    /// # Errors
    /// When the model's file is missing or does not open, or the server's key is missing.
    pub fn load(&self) -> Result<Arc<dyn Transcribe>, ModelError> {
        Ok(match self {
            Self::Base => Arc::new(Whisper::open(&file(names::WHISPER_BASE)?)?),
            Self::Tiny => Arc::new(Whisper::open(&file(names::WHISPER_TINY)?)?),
            Self::Remote(settings) => Arc::new(Remote::open(settings.clone())?),
        })
    }
}

/// As it stands in the record.
impl fmt::Display for RecognizerChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base => formatter.write_str(names::WHISPER_BASE),
            Self::Tiny => formatter.write_str(names::WHISPER_TINY),
            Self::Remote(settings) => {
                write!(formatter, "{} at {}", settings.model, settings.url)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_a_server_needs_its_table() {
        assert_eq!(
            RecognizerChoice::named("tiny", None).unwrap(),
            RecognizerChoice::Tiny
        );
        let text = |name| RecognizerChoice::named(name, None).unwrap_err().to_string();
        assert!(text("remote").contains("[remote-recognizer]"));
        assert!(text("large").contains("base, tiny or remote"));
        let settings = RemoteSettings {
            url: "https://speech.example".to_owned(),
            model: "whisper-1".to_owned(),
            key_variable: Some("SPEECH_KEY".to_owned()),
        };
        let choice = RecognizerChoice::named("remote", Some(settings)).unwrap();
        assert_eq!(choice.to_string(), "whisper-1 at https://speech.example");
    }
}
