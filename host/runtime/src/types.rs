//! The plain types of `wit/`, by name. Times are milliseconds on the episode's clock, points are page pixels.

pub use crate::bindings::model_adapter::dynacu::host::blobs::{BlobError, BlobInfo};
pub use crate::bindings::model_adapter::dynacu::host::http::{
    BodyPart, HttpError, Method as HttpMethod, Request as HttpRequest, Response as HttpResponse,
};
pub use crate::bindings::model_adapter::dynacu::host::logging::Level;
pub use crate::bindings::model_adapter::dynacu::model::types::{
    Capabilities, Message, ModelError, Part, Request as ModelRequest, Response as ModelResponse,
    Role, StopReason, Tool, ToolCall, ToolOutput, ToolResult, Usage,
};
pub use crate::bindings::model_adapter::exports::dynacu::model::adapter::Descriptor as AdapterDescriptor;
pub use crate::bindings::policy::dynacu::environment::action::{
    Action, ActionError, ActionReceipt, Click, Drag, MouseButton, Scroll, ScrollDirection,
};
pub use crate::bindings::policy::dynacu::environment::hearing::HearingError;
pub use crate::bindings::policy::dynacu::environment::observation::{
    AudioContext, EncodeError, Encoding, ImageFormat, Point, RecentAudio, Rect, Sentence, Size,
};
pub use crate::bindings::policy::dynacu::environment::reading::{ReadingError, TextLine};
pub use crate::bindings::policy::dynacu::policy::session::{
    ActionOutcome, Completion, PerformError, StopCause,
};
pub use crate::bindings::policy::exports::dynacu::policy::policy::{
    Brief, Channels, Descriptor as PolicyDescriptor, PolicyError,
};
pub use crate::bindings::scorer::exports::dynacu::scoring::scorer::{
    EndCause, Episode as ScoredEpisode, Metric, PageEvent, Score, ScoreError,
};
