//! Model requests and replies in neutral form, and what a model adapter implements.

pub use crate::bindings::adapter::exports::dynacu::model::adapter::Descriptor as AdapterDescriptor;
pub use crate::bindings::policy::dynacu::model::types::{
    Capabilities, Message, ModelError, Part, Request, Response, Role, StopReason, Tool, ToolCall,
    ToolOutput, ToolResult, Usage,
};

/// Turns one neutral request into one provider's HTTP call and its answer back. Export it with
/// [`export_adapter!`](crate::export_adapter).
///
/// Retries, deadlines and budgets are the host's: an adapter makes one call through
/// [`http::send`](crate::http::send) and says by the case of [`ModelError`] what the host should do next. What the tools
/// of a request mean, and in which form calls go back, is in [`tools`](crate::tools).
///
/// ```
/// use dynacu_sdk::model::{AdapterDescriptor, Capabilities, ModelAdapter, ModelError, Request, Response};
///
/// struct Nobody;
///
/// impl ModelAdapter for Nobody {
///     fn describe() -> AdapterDescriptor {
///         AdapterDescriptor::new("nobody", ["none"])
///     }
///
///     fn capabilities_of(_model: &str, _settings: &str) -> Capabilities {
///         Capabilities { images: true, tools: true, ..Capabilities::default() }
///     }
///
///     fn complete(_model: &str, _settings: &str, _request: Request) -> Result<Response, ModelError> {
///         Err(ModelError::Other("there is nobody".into()))
///     }
/// }
/// ```
pub trait ModelAdapter {
    /// The provider's name and the models that the adapter knows.
    fn describe() -> AdapterDescriptor;

    /// What one model takes under these settings (as in [`complete`](Self::complete)), as far as the adapter knows.
    fn capabilities_of(model: &str, settings: &str) -> Capabilities;

    /// Makes one call. `settings` is the adapter's table of the run configuration, as JSON.
    ///
    /// # Errors
    ///
    /// The case of [`ModelError`] decides whether the host tries again.
    fn complete(model: &str, settings: &str, request: Request) -> Result<Response, ModelError>;
}

impl Message {
    /// A message of one text part.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            parts: vec![Part::Text(text.into())],
        }
    }
}
