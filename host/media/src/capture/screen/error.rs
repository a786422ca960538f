//! Why a display cannot be captured.

use std::io;

use x11rb::errors::{ConnectionError, ReplyError, ReplyOrIdError};

#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    #[error("the display {display} cannot be captured: {what}")]
    Unfit { display: String, what: String },
    #[error(
        "the display has no DAMAGE extension, which captures in a burst need: run without --burst"
    )]
    NoDamage,
    #[error("cannot make memory that is shared with the display: {0}")]
    Memory(io::Error),
    #[error("the display has gone away or refuses to be captured: {0}")]
    Gone(String),
    #[error("the display gave {bytes} bytes of picture in place of {expected}")]
    Picture { bytes: u32, expected: usize },
}

impl From<ConnectionError> for ScreenError {
    fn from(error: ConnectionError) -> Self {
        Self::Gone(error.to_string())
    }
}

impl From<ReplyError> for ScreenError {
    fn from(error: ReplyError) -> Self {
        Self::Gone(error.to_string())
    }
}

impl From<ReplyOrIdError> for ScreenError {
    fn from(error: ReplyOrIdError) -> Self {
        Self::Gone(error.to_string())
    }
}
