//! The Responses endpoint.

mod items;
mod reply;

use serde_json::Value;

use super::{Account, Flavour, LARGEST_BODY, model};
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

const SCHEMA: &str = include_str!("../../schemas/openai/responses-request.json");
const NOT_SERVED: [&str; 4] = [
    "background",
    "conversation",
    "previous_response_id",
    "prompt",
];

pub(crate) struct Responses {
    account: Account,
    issued: Issued,
    structure: Structure,
}

impl Responses {
    pub(crate) fn new(options: &crate::Options) -> Result<Self, ServerError> {
        Ok(Self {
            account: Account::new(options, Flavour::OpenAi),
            issued: Issued::default(),
            structure: Structure::of(SCHEMA)?,
        })
    }
}

fn tools(body: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    for tool in body.field("tools").items() {
        let kind = tool.field("type");
        match kind.text() {
            // Unlike in Chat Completions, null is strict.
            "function" => {
                let strict = tool.field("strict").value != &Value::Bool(false);
                super::function(&tool, strict, seen)?;
            }
            "computer" => {
                if !model::takes_computer(&seen.model) {
                    return Err(
                        kind.wrong(format!("`{}` does not take the computer tool", seen.model))
                    );
                }
                if seen.native.replace("computer".into()).is_some() {
                    return Err(kind.wrong("a second computer tool"));
                }
            }
            other => return Err(kind.wrong(format!("`{other}` is no tool that this server has"))),
        }
    }
    Ok(())
}

fn tool_choice(body: &Node<'_>, seen: &NeutralRequest) -> Checked<()> {
    let Some(choice) = body.given("tool_choice") else {
        return Ok(());
    };
    if seen.tools.is_empty() && seen.native.is_none() {
        return Err(choice.wrong("is only allowed together with tools"));
    }
    match choice.field("type").text() {
        "function" => schema::declared(&choice.field("name"), &seen.tools),
        _ => Ok(()),
    }
}

fn settings(body: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    super::not_served(body, &NOT_SERVED)?;
    seen.max_tokens = body
        .given("max_output_tokens")
        .map(|most| most.count(16))
        .transpose()?;
    if model::reasons(&seen.model) {
        for name in ["temperature", "top_p"] {
            if let Some(value) = body.given(name) {
                return Err(value.wrong("is not supported with this model"));
            }
        }
    } else if let Some(reasoning) = body.given("reasoning") {
        return Err(reasoning.wrong("is not supported with this model"));
    }
    let effort = body.field("reasoning").field("effort");
    if effort.text() == "none" && !model::takes_no_effort(&seen.model) {
        return Err(effort.wrong("`none` is not supported with this model"));
    }
    Ok(())
}

impl Protocol for Responses {
    fn route(&self, request: &Request) -> Checked<Route> {
        self.account.route(request, "/v1/responses")
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
        if let Some(instructions) = body.given("instructions") {
            seen.add_text(instructions.text());
        }
        let stored = body.field("store").value != &Value::Bool(false);
        items::check(stored, &self.issued, &body.required("input")?, &mut seen)?;
        tools(&body, &mut seen)?;
        tool_choice(&body, &seen)?;
        settings(&body, &mut seen)?;
        Ok(seen)
    }

    fn can_call(&self, seen: &NeutralRequest, tool: &str) -> bool {
        seen.offers(tool) || (seen.native.is_some() && reply::native(tool, &Value::Null).is_some())
    }

    fn answer(&mut self, seen: &NeutralRequest, answer: &Answer) -> Reply {
        let body = reply::response(seen, answer, &mut self.issued);
        Reply::json(200, &body).with("x-request-id", self.issued.id("req_"))
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
