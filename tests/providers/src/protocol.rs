//! What the server asks of each provider's protocol.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::http::{Reply, Request};
use crate::neutral::NeutralRequest;
use crate::problem::{Checked, Problem};
use crate::script::{Answer, FaultKind};
use crate::server::ServerError;
use crate::{anthropic, gemini, openai};

/// The protocols that are spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    Anthropic,
    OpenAiChat,
    OpenAiResponses,
    Gemini,
    /// Chat Completions as local servers have it: fewer fields, a key only where one was set.
    OpenAiCompatible,
}

impl Provider {
    pub const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Gemini,
        Self::OpenAiCompatible,
    ];

    /// As it is written on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Gemini => "gemini",
            Self::OpenAiCompatible => "openai-compatible",
        }
    }

    /// The grid on which its models are told to answer; none for pixels.
    pub(crate) fn usual_grid(self) -> Option<u32> {
        (self == Self::Gemini).then_some(1_000)
    }

    pub(crate) fn protocol(
        self,
        options: &crate::Options,
    ) -> Result<Box<dyn Protocol>, ServerError> {
        use openai::{Flavour, chat::Chat, responses::Responses};
        Ok(match self {
            Self::Anthropic => Box::new(anthropic::Anthropic::new(options)?),
            Self::OpenAiChat => Box::new(Chat::new(options, Flavour::OpenAi)?),
            Self::OpenAiCompatible => Box::new(Chat::new(options, Flavour::Local)?),
            Self::OpenAiResponses => Box::new(Responses::new(options)?),
            Self::Gemini => Box::new(gemini::Gemini::new(options)?),
        })
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL
            .into_iter()
            .find(|provider| provider.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no provider {name}: use {names}")
        })
    }
}

/// Where a request leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// The model's answer is asked for; Gemini has the model in the path.
    Complete { model: Option<String> },
    /// The list of models.
    Models,
}

pub(crate) trait Protocol: Send {
    /// Path, method, credentials and headers, in the order in which a server looks at them.
    fn route(&self, request: &Request) -> Checked<Route>;

    /// Largest body, in bytes.
    fn largest_body(&self) -> usize;

    /// The whole body. What was handed out before has to come back unchanged.
    fn check(
        &self,
        request: &Request,
        model: Option<&str>,
        body: &Value,
    ) -> Checked<NeutralRequest>;

    /// Whether a model that was sent this request could call a tool of this name.
    fn can_call(&self, seen: &NeutralRequest, tool: &str) -> bool;

    fn answer(&mut self, seen: &NeutralRequest, answer: &Answer) -> Reply;

    fn models(&self) -> Reply;

    fn problem(&self, problem: &Problem) -> Reply;

    /// `retry_after` is in seconds.
    fn fault(&self, kind: FaultKind, retry_after: Option<f64>) -> Reply;
}

/// Coordinates of a script's answer, given in pixels of the script's screen, in the space in which the model answers: a
/// grid, or the pixels of the picture that it was sent. Names that are read: `x`, `y` and those that end in `_x`, `_y`.
pub(crate) fn to_space(
    arguments: &mut serde_json::Map<String, Value>,
    screen: (u32, u32),
    space: (u32, u32),
) {
    for (name, value) in arguments.iter_mut() {
        let (from, to) = match name.as_bytes() {
            [b'x'] | [.., b'_', b'x'] => (screen.0, space.0),
            [b'y'] | [.., b'_', b'y'] => (screen.1, space.1),
            _ => continue,
        };
        if let Some(pixel) = value.as_u64()
            && from != to
        {
            // Rounded up, since whoever turns it into pixels rounds down: it is the same pixel, or the next.
            let there = (pixel * u64::from(to)).div_ceil(u64::from(from.max(1)));
            *value = Value::from(there);
        }
    }
}

/// A call as a model without tools writes it: one JSON object.
pub(crate) fn in_words(tool: &str, arguments: &serde_json::Map<String, Value>) -> String {
    let mut object = serde_json::Map::new();
    object.insert("action".into(), tool.into());
    object.extend(arguments.clone());
    Value::Object(object).to_string()
}
