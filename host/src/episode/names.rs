//! The interface's errors as they stand in the record: the case's name, and its text after a colon.

use dynacu_record::ModelFailure;
use dynacu_runtime::types::{EncodeError, HearingError, ModelError, ReadingError};

pub(super) fn encode_error(error: &EncodeError) -> String {
    match error {
        EncodeError::BadCrop => "bad-crop".to_owned(),
        EncodeError::Gone => "gone".to_owned(),
        EncodeError::Other(why) => format!("other: {why}"),
    }
}

pub(super) fn hearing_error(error: &HearingError) -> String {
    match error {
        HearingError::NotGranted => "not-granted".to_owned(),
        HearingError::OutOfRange => "out-of-range".to_owned(),
        HearingError::Other(why) => format!("other: {why}"),
    }
}

pub(super) fn reading_error(error: &ReadingError) -> String {
    match error {
        ReadingError::NotGranted => "not-granted".to_owned(),
        ReadingError::Gone => "gone".to_owned(),
        ReadingError::BadArea => "bad-area".to_owned(),
        ReadingError::Other(why) => format!("other: {why}"),
    }
}

pub(super) fn model_failure(error: &ModelError) -> ModelFailure {
    crate::inference::retry::failure(error)
}
