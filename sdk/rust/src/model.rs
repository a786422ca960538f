//! Model requests and replies in neutral form, and what a model adapter implements.

use serde::de::DeserializeOwned;

use crate::{logging, settings};

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
/// use dynacu_sdk::settings::NoSettings;
///
/// struct Nobody;
///
/// impl ModelAdapter for Nobody {
///     type Settings = NoSettings;
///
///     fn describe() -> AdapterDescriptor {
///         AdapterDescriptor::new("nobody", ["none"])
///     }
///
///     fn capabilities_of(_model: &str, _settings: &NoSettings) -> Capabilities {
///         Capabilities { images: true, tools: true, ..Capabilities::default() }
///     }
///
///     fn complete(_model: &str, _settings: NoSettings, _request: Request) -> Result<Response, ModelError> {
///         Err(ModelError::Other("there is nobody".into()))
///     }
/// }
/// ```
pub trait ModelAdapter {
    /// The adapter's table of the run configuration; [`NoSettings`](crate::settings::NoSettings) where it has none.
    type Settings: DeserializeOwned + Default;

    /// The provider's name and the models that the adapter knows.
    fn describe() -> AdapterDescriptor;

    /// What one model takes under these settings, as far as the adapter knows. Where they do not fit, the default ones
    /// stand here, and the first call says which key it is.
    fn capabilities_of(model: &str, settings: &Self::Settings) -> Capabilities;

    /// Makes one call.
    ///
    /// # Errors
    ///
    /// The case of [`ModelError`] decides whether the host tries again.
    fn complete(
        model: &str,
        settings: Self::Settings,
        request: Request,
    ) -> Result<Response, ModelError>;
}

/// What the component's export `capabilities-of` does.
#[doc(hidden)]
pub fn capabilities_of<A: ModelAdapter>(model: &str, settings: &str) -> Capabilities {
    let settings = settings::parse(settings).unwrap_or_else(|reason| {
        logging::warn(&format!("settings: {reason}"));
        A::Settings::default()
    });
    A::capabilities_of(model, &settings)
}

/// What the component's export `complete` does.
#[doc(hidden)]
pub fn complete<A: ModelAdapter>(
    model: &str,
    settings: &str,
    request: Request,
) -> Result<Response, ModelError> {
    let settings = settings::parse(settings)
        .map_err(|reason| ModelError::InvalidRequest(format!("settings: {reason}")))?;
    A::complete(model, settings, request)
}

impl ModelError {
    /// The error as a clause for a log or a reason.
    pub fn reason(&self) -> String {
        match self {
            Self::RateLimited(_) => "too many requests".to_owned(),
            Self::Overloaded(_) => "the provider is overloaded".to_owned(),
            Self::Timeout => "it took too long".to_owned(),
            Self::Cancelled => "the call was given up".to_owned(),
            Self::QuotaExceeded(why)
            | Self::Authentication(why)
            | Self::InvalidRequest(why)
            | Self::ContextExceeded(why)
            | Self::Refused(why)
            | Self::Protocol(why)
            | Self::Other(why) => why.clone(),
        }
    }
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
