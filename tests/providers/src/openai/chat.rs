//! Chat Completions, as OpenAI has it and as local servers have it.

mod local;
mod messages;
mod reply;

use serde_json::Value;

use super::model::{self, ChatTools};
use super::{Account, Flavour, LARGEST_BODY};
use crate::http::{Reply, Request};
use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::{Checked, Problem};
use crate::protocol::{Protocol, Route};
use crate::schema;
use crate::script::{Answer, FaultKind};
use crate::server::ServerError;
use crate::structure::Structure;

pub(crate) const SCHEMA: &str = include_str!("../../schemas/openai/chat-request.json");
const NOT_SERVED: [&str; 5] = [
    "audio",
    "function_call",
    "functions",
    "prediction",
    "web_search_options",
];

pub(crate) struct Chat {
    account: Account,
    issued: Issued,
    structure: Structure,
}

impl Chat {
    pub(crate) fn new(options: &crate::Options, flavour: Flavour) -> Result<Self, ServerError> {
        Ok(Self {
            account: Account::new(options, flavour),
            issued: Issued::default(),
            structure: match flavour {
                Flavour::OpenAi => Structure::of(SCHEMA)?,
                Flavour::Local => Structure::changed(SCHEMA, local::narrow)?,
            },
        })
    }

    fn is_local(&self) -> bool {
        self.account.flavour == Flavour::Local
    }

    fn tools(&self, body: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
        let Some(tools) = body.given("tools") else {
            return Ok(());
        };
        for tool in tools.filled_items()? {
            let kind = tool.field("type");
            if kind.text() != "function" {
                return Err(kind.wrong("this server has functions only"));
            }
            let function = tool.field("function");
            super::function(&function, function.field("strict").is_true(), seen)?;
        }
        if self.is_local() {
            return Ok(());
        }
        match model::chat_tools(&seen.model) {
            ChatTools::No => Err(tools.wrong(format!(
                "`{}` takes tools on /v1/responses only",
                seen.model
            ))),
            ChatTools::WithoutEffort if body.field("reasoning_effort").text() != "none" => {
                Err(tools.wrong(format!(
                    "`{}` takes tools here only with reasoning_effort none",
                    seen.model
                )))
            }
            _ => Ok(()),
        }
    }

    fn settings(&self, body: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
        let (old, new) = (
            body.given("max_tokens"),
            body.given("max_completion_tokens"),
        );
        if let (Some(old), Some(_)) = (&old, &new) {
            return Err(old.wrong("is given beside max_completion_tokens"));
        }
        let limit = new.or_else(|| old.clone());
        seen.max_tokens = limit.map(|most| most.count(1)).transpose()?;
        body.field("temperature").between(0.0, 2.0)?;
        body.field("top_p").between(0.0, 1.0)?;
        if self.is_local() {
            return Ok(());
        }
        super::not_served(body, &NOT_SERVED)?;
        let effort = body.given("reasoning_effort");
        if model::reasons(&seen.model) {
            if let Some(old) = old {
                return Err(
                    old.wrong("is not supported with this model, use max_completion_tokens")
                );
            }
            for name in ["temperature", "top_p"] {
                if let Some(value) = body.given(name) {
                    return Err(value.wrong("is not supported with this model"));
                }
            }
            if let Some(effort) = effort
                && effort.text() == "none"
                && !model::takes_no_effort(&seen.model)
            {
                return Err(effort.wrong("`none` is not supported with this model"));
            }
        } else if let Some(effort) = effort {
            return Err(effort.wrong("is not supported with this model"));
        }
        if let Some(parallel) = body.given("parallel_tool_calls")
            && seen.tools.is_empty()
        {
            return Err(parallel.wrong("is only allowed together with tools"));
        }
        Ok(())
    }
}

fn tool_choice(body: &Node<'_>, seen: &NeutralRequest) -> Checked<()> {
    let Some(choice) = body.given("tool_choice") else {
        return Ok(());
    };
    if seen.tools.is_empty() {
        return Err(choice.wrong("is only allowed together with tools"));
    }
    match choice.field("type").text() {
        "function" => schema::declared(&choice.field("function").field("name"), &seen.tools),
        _ => Ok(()),
    }
}

impl Protocol for Chat {
    fn route(&self, request: &Request) -> Checked<Route> {
        self.account.route(request, "/v1/chat/completions")
    }

    fn largest_body(&self) -> usize {
        LARGEST_BODY
    }

    fn check(&self, _: &Request, _: Option<&str>, body: &Value) -> Checked<NeutralRequest> {
        self.structure.check(body)?;
        let body = Node::root(body);
        let mut seen = NeutralRequest {
            model: self.account.model(&body)?.to_owned(),
            ..NeutralRequest::default()
        };
        let rules = messages::Rules {
            hears: self.is_local() || model::hears(&seen.model),
            sees: self.is_local() || !model::hears(&seen.model),
        };
        messages::check(rules, &body.field("messages"), &mut seen)?;
        self.tools(&body, &mut seen)?;
        tool_choice(&body, &seen)?;
        self.settings(&body, &mut seen)?;
        Ok(seen)
    }

    fn can_call(&self, seen: &NeutralRequest, tool: &str) -> bool {
        seen.offers(tool)
    }

    fn answer(&mut self, seen: &NeutralRequest, answer: &Answer) -> Reply {
        let body = reply::completion(seen, answer, self.is_local(), &mut self.issued);
        Reply::json(200, &body)
            .with("x-request-id", self.issued.id("req_"))
            .with("x-ratelimit-remaining-requests", 999)
    }

    fn models(&self) -> Reply {
        self.account.list()
    }

    fn problem(&self, problem: &Problem) -> Reply {
        self.account.problem(problem)
    }

    fn fault(&self, kind: FaultKind, retry_after: Option<f64>) -> Reply {
        self.account.fault(kind, retry_after)
    }
}
