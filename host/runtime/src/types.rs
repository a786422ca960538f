//! The plain types of `wit/` and of the vocabulary, by name. Times are milliseconds on the episode's clock, points are pixels of
//! the screen.

pub use crate::bindings::model_adapter::dynacu::host::blobs::{BlobError, BlobInfo};
pub use crate::bindings::model_adapter::dynacu::host::http::{
    BodyPart, HttpError, Method as HttpMethod, Request as HttpRequest, Response as HttpResponse,
};
pub use crate::bindings::model_adapter::dynacu::host::logging::Level;
pub use crate::bindings::model_adapter::dynacu::host::types::{BlobId, Duration, Instant};
pub use crate::bindings::model_adapter::dynacu::model::types::{
    Capabilities, Message, ModelError, Part, Request as ModelRequest, Response as ModelResponse,
    Role, StopReason, Tool, ToolCall, ToolOutput, ToolResult, Usage,
};
pub use crate::bindings::model_adapter::exports::dynacu::model::adapter::Descriptor as AdapterDescriptor;
pub use crate::bindings::policy::dynacu::assist::reading::ReadingError;
pub use crate::bindings::policy::dynacu::assist::solution::SolutionError;
pub use crate::bindings::policy::dynacu::environment::hearing::HearingError;
pub use crate::bindings::policy::dynacu::environment::observation::EncodeError;
pub use crate::bindings::policy::exports::dynacu::policy::policy::PolicyError;
pub use crate::bindings::scorer::exports::dynacu::scoring::scorer::{
    EndCause, Episode as ScoredEpisode, Metric, PageEvent, Score, ScoreError,
};
pub use dynacu_vocabulary::{
    Action, ActionError, Assist, AudioContext, Brief, Channel, Encoding, ImageFormat, MouseButton,
    PerformError, Point, RecentAudio, Rect, ScrollDirection, Sentence, Size, StopCause, TextLine,
};

impl Instant {
    /// So many milliseconds after the page's start signal.
    #[must_use]
    pub fn at(milliseconds: u64) -> Self {
        Self { milliseconds }
    }
}

impl Duration {
    /// So many milliseconds.
    #[must_use]
    pub fn of(milliseconds: u64) -> Self {
        Self { milliseconds }
    }
}

impl From<String> for BlobId {
    fn from(sha256: String) -> Self {
        Self { sha256 }
    }
}
