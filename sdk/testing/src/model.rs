//! A model that answers by script.

use std::collections::VecDeque;

use dynacu_runtime::types::{
    Capabilities, ModelError, ModelRequest, ModelResponse, Part, StopReason, ToolCall,
};

/// What the model says to one request, and how long it thinks.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(crate) after_ms: u64,
    /// None: it thinks until the call is given up.
    pub(crate) outcome: Option<Result<ModelResponse, ModelError>>,
}

impl Reply {
    /// Tool calls by name and arguments (JSON), in their order.
    #[must_use]
    pub fn calls(calls: &[(&str, &str)]) -> Self {
        let parts = calls.iter().enumerate().map(|(n, (name, arguments))| {
            Part::ToolCall(ToolCall {
                id: format!("call-{n}"),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            })
        });
        Self::parts(parts.collect(), StopReason::ToolCall)
    }

    /// Text alone.
    #[must_use]
    pub fn text(said: &str) -> Self {
        Self::parts(vec![Part::Text(said.to_owned())], StopReason::EndTurn)
    }

    /// Any parts, and why the model stopped.
    #[must_use]
    pub fn parts(parts: Vec<Part>, stop_reason: StopReason) -> Self {
        Self {
            after_ms: 0,
            outcome: Some(Ok(ModelResponse {
                parts,
                stop_reason,
                usage: None,
                model: "scripted".to_owned(),
            })),
        }
    }

    /// No answer, for this reason.
    #[must_use]
    pub fn fails(error: ModelError) -> Self {
        Self {
            after_ms: 0,
            outcome: Some(Err(error)),
        }
    }

    /// Thinks until the policy gives the call up or the episode ends.
    #[must_use]
    pub fn never() -> Self {
        Self {
            after_ms: 0,
            outcome: None,
        }
    }

    /// The same after so many milliseconds of the script's time; at once without.
    #[must_use]
    pub fn after(self, milliseconds: u64) -> Self {
        Self {
            after_ms: milliseconds,
            ..self
        }
    }
}

type Rule = Box<dyn FnMut(&ModelRequest) -> Option<Reply> + Send>;

/// A model that answers by script. Unless told otherwise it sees, takes tools, and names pixels.
pub struct Model {
    pub(crate) name: String,
    pub(crate) capabilities: Capabilities,
    rule: Rule,
}

impl Model {
    /// One answer after another. A request beyond the last one ends the episode, as the operator would.
    #[must_use]
    pub fn answering(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        Self::by_rule(move |_| replies.pop_front())
    }

    /// An answer for each request; none ends the episode.
    #[must_use]
    pub fn by_rule(rule: impl FnMut(&ModelRequest) -> Option<Reply> + Send + 'static) -> Self {
        Self {
            name: "scripted".to_owned(),
            capabilities: Capabilities {
                images: true,
                max_images: None,
                audio: false,
                tools: true,
                coordinate_grid: None,
            },
            rule: Box::new(rule),
        }
    }

    /// For a policy that asks nobody: any request ends its episode.
    #[must_use]
    pub fn nobody() -> Self {
        Self::answering([])
    }

    /// What it takes.
    #[must_use]
    pub fn taking(self, capabilities: Capabilities) -> Self {
        Self {
            capabilities,
            ..self
        }
    }

    pub(crate) fn answer(&mut self, request: &ModelRequest) -> Option<Reply> {
        (self.rule)(request)
    }
}
