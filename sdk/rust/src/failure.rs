//! Why a policy's run ends before its own end, and how each error of the SDK becomes that with `?`.

use std::fmt;

use crate::blobs::BlobError;
use crate::model::ModelError;
use crate::tools::Unusable;
use crate::{
    ActFailure, AskFailure, EncodeError, HearingError, PerformError, PolicyError, ReadingError,
    SolutionError, StopCause,
};

/// Why a policy stops playing: the host ended the episode, or the policy cannot go on.
///
/// Every error of the SDK turns into it with `?`, so a policy needs no code for the end of its episode: the export macro
/// takes [`Interrupted::Stopped`] for the ordinary end that it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Interrupted {
    /// The episode is over. No failure of the policy.
    Stopped(StopCause),
    /// The policy cannot go on.
    Failed(PolicyError),
}

impl Interrupted {
    /// What the host is told.
    pub(crate) fn outcome(self) -> Result<(), PolicyError> {
        match self {
            Self::Stopped(_) => Ok(()),
            Self::Failed(error) => Err(error),
        }
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(cause) => write!(out, "the episode is over: {}", cause.name()),
            Self::Failed(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Interrupted {}

impl From<StopCause> for Interrupted {
    fn from(cause: StopCause) -> Self {
        Self::Stopped(cause)
    }
}

impl From<PolicyError> for Interrupted {
    fn from(error: PolicyError) -> Self {
        Self::Failed(error)
    }
}

impl From<PerformError> for Interrupted {
    fn from(error: PerformError) -> Self {
        ActFailure::from(error).into()
    }
}

impl From<ActFailure> for Interrupted {
    fn from(failure: ActFailure) -> Self {
        match failure {
            ActFailure::Stopped(cause) => Self::Stopped(cause),
            ActFailure::TooMany(_) => Self::Failed(PolicyError::Other(failure.to_string())),
            ActFailure::Failed { .. } => Self::Failed(PolicyError::GaveUp(failure.to_string())),
        }
    }
}

impl From<AskFailure> for Interrupted {
    fn from(failure: AskFailure) -> Self {
        match failure {
            AskFailure::Stopped(cause) => Self::Stopped(cause),
            AskFailure::Model(error) => error.into(),
        }
    }
}

impl From<ModelError> for PolicyError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Refused(why) => Self::ModelRefused(why),
            ModelError::Protocol(why) => Self::ModelMalformed(why),
            ModelError::RateLimited(_)
            | ModelError::Overloaded(_)
            | ModelError::Timeout
            | ModelError::QuotaExceeded(_)
            | ModelError::Authentication(_)
            | ModelError::InvalidRequest(_)
            | ModelError::ContextExceeded(_)
            | ModelError::Cancelled
            | ModelError::Other(_) => {
                Self::GaveUp(format!("the model gave no answer: {}", error.reason()))
            }
        }
    }
}

impl From<Unusable> for PolicyError {
    fn from(unusable: Unusable) -> Self {
        Self::ModelMalformed(unusable.0)
    }
}

impl From<EncodeError> for PolicyError {
    fn from(error: EncodeError) -> Self {
        Self::Other(match error {
            EncodeError::BadCrop => "a picture's crop is empty or leaves the frame".to_owned(),
            EncodeError::Gone => "a frame was gone before it was encoded".to_owned(),
            EncodeError::Other(why) => format!("a picture could not be encoded: {why}"),
        })
    }
}

impl From<ReadingError> for PolicyError {
    fn from(error: ReadingError) -> Self {
        Self::Other(match error {
            ReadingError::NotGranted => "the `reading` assist is not granted".to_owned(),
            ReadingError::Gone => "a frame was gone before it was read".to_owned(),
            ReadingError::BadArea => "an area to read is empty or leaves the frame".to_owned(),
            ReadingError::Other(why) => format!("text could not be read: {why}"),
        })
    }
}

impl From<SolutionError> for PolicyError {
    fn from(error: SolutionError) -> Self {
        Self::Other(match error {
            SolutionError::NotGranted => "the `solution` assist is not granted".to_owned(),
            SolutionError::Other(why) => format!("the solution script could not be read: {why}"),
        })
    }
}

impl From<HearingError> for PolicyError {
    fn from(error: HearingError) -> Self {
        Self::Other(match error {
            HearingError::NotGranted => "the audio channel is not granted".to_owned(),
            HearingError::OutOfRange => {
                "a clip of sound begins or ends outside the last 60 s".to_owned()
            }
            HearingError::Other(why) => format!("a clip of sound could not be made: {why}"),
        })
    }
}

impl From<BlobError> for PolicyError {
    fn from(error: BlobError) -> Self {
        Self::Other(match error {
            BlobError::NotFound => "a blob is not of this episode".to_owned(),
            BlobError::TooLarge(quota) => {
                format!("a blob would not fit the quota of {quota} bytes")
            }
            BlobError::Other(why) => format!("a blob could not be read: {why}"),
        })
    }
}

/// `?` takes one step: what makes a policy fail interrupts it.
macro_rules! interrupts {
    ($($error:ident),+) => { $(
        impl From<$error> for Interrupted {
            fn from(error: $error) -> Self {
                Self::Failed(error.into())
            }
        }
    )+ };
}

interrupts!(
    ModelError,
    Unusable,
    EncodeError,
    ReadingError,
    SolutionError,
    HearingError,
    BlobError
);

#[cfg(test)]
mod tests {
    use super::*;

    fn asks() -> Result<(), Interrupted> {
        Err(AskFailure::Model(ModelError::Refused("no".to_owned())))?
    }

    #[test]
    fn the_end_of_the_episode_is_no_failure_and_the_rest_is_one() {
        assert_eq!(Interrupted::from(StopCause::Done).outcome(), Ok(()));
        let stopped = ActFailure::Stopped(StopCause::TimeLimit);
        assert_eq!(Interrupted::from(stopped).outcome(), Ok(()));
        let refused = PolicyError::ModelRefused("no".to_owned());
        assert_eq!(asks().unwrap_err().outcome(), Err(refused));
    }
}
