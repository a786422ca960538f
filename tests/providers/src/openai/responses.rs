//! The Responses endpoint.

mod items;
mod reply;

use serde_json::Value;

use super::{Account, Flavour, LARGEST_BODY, model};
use crate::http::{Reply, Request};
use crate::issued::Issued;
use crate::problem::{Checked, Problem};
use crate::protocol::{Protocol, Route};
use crate::script::{Answer, FaultKind};
use crate::seen::Seen;
use crate::shape::{Fields, Node};

pub struct Responses {
    account: Account,
    issued: Issued,
}

impl Responses {
    pub fn new(options: &crate::Options) -> Self {
        Self {
            account: Account::new(options, Flavour::OpenAi),
            issued: Issued::default(),
        }
    }
}

fn tools(fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
    let Some(tools) = fields.optional("tools") else {
        return Ok(());
    };
    for tool in tools.list()? {
        let tool = tool.object()?;
        let kind = tool.required("type")?;
        match kind.one_of(&["function", "computer"])? {
            "function" => {
                // Unlike in Chat Completions both have to be there, be it as null.
                let strict = tool.required("strict")?;
                tool.required("parameters")?;
                let strict = strict.value.is_null() || strict.boolean()?;
                super::function(&tool, strict, seen)?;
            }
            _ => {
                if !model::takes_computer(&seen.model) {
                    return Err(
                        kind.wrong(format!("`{}` does not take the computer tool", seen.model))
                    );
                }
                if seen.native.replace("computer".into()).is_some() {
                    return Err(kind.wrong("a second computer tool"));
                }
            }
        }
        tool.no_others()?;
    }
    Ok(())
}

fn tool_choice(fields: &Fields<'_>, seen: &Seen) -> Checked<()> {
    let Some(choice) = fields.optional("tool_choice") else {
        return Ok(());
    };
    if seen.tools.is_empty() && seen.native.is_none() {
        return Err(choice.wrong("is only allowed together with tools"));
    }
    if let Value::String(_) = choice.value {
        choice.one_of(&["none", "auto", "required"])?;
        return Ok(());
    }
    let choice = choice.object()?;
    if choice.required("type")?.one_of(&["function", "computer"])? == "function" {
        let name = choice.required("name")?;
        if !seen
            .tools
            .iter()
            .any(|tool| Some(tool.as_str()) == name.value.as_str())
        {
            return Err(name.wrong("no tool has this name"));
        }
    }
    choice.no_others()
}

fn settings(fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
    seen.max_tokens = fields
        .optional("max_output_tokens")
        .map(|most| most.count(16))
        .transpose()?;
    for flag in ["store", "parallel_tool_calls", "background", "stream"] {
        if let Some(node) = fields.optional(flag)
            && node.boolean()?
            && matches!(flag, "background" | "stream")
        {
            return Err(node.wrong("this server answers at once and in one body"));
        }
    }
    for name in ["temperature", "top_p"] {
        if let Some(value) = fields.optional(name) {
            value.number()?;
            if model::reasons(&seen.model) {
                return Err(value.wrong("is not supported with this model"));
            }
        }
    }
    if let Some(reasoning) = fields.optional("reasoning") {
        if !model::reasons(&seen.model) {
            return Err(reasoning.wrong("is not supported with this model"));
        }
        let reasoning = reasoning.object()?;
        if let Some(effort) = reasoning.optional("effort") {
            let name =
                effort.one_of(&["none", "minimal", "low", "medium", "high", "xhigh", "max"])?;
            if name == "none" && !model::takes_no_effort(&seen.model) {
                return Err(effort.wrong("`none` is not supported with this model"));
            }
        }
        if let Some(summary) = reasoning.optional("summary") {
            summary.one_of(&["auto", "concise", "detailed"])?;
        }
        reasoning.no_others()?;
    }
    if let Some(truncation) = fields.optional("truncation") {
        truncation.one_of(&["auto", "disabled"])?;
    }
    if let Some(include) = fields.optional("include") {
        for name in include.list()? {
            name.one_of(&["reasoning.encrypted_content"])?;
        }
    }
    if let Some(image) = fields.optional("image") {
        let image = image.object()?;
        if let Some(compression) = image.optional("context_compression") {
            compression.one_of(&["auto", "enabled", "disabled"])?;
        }
        image.no_others()?;
    }
    if let Some(text) = fields.optional("text") {
        text.object()?;
    }
    if let Some(before) = fields.optional("previous_response_id") {
        return Err(before.wrong("no response of this id is stored: this server stores none"));
    }
    for text in ["prompt_cache_key", "safety_identifier", "service_tier"] {
        if let Some(text) = fields.optional(text) {
            text.text()?;
        }
    }
    fields.ignore(&["metadata", "prompt_cache_options"]);
    Ok(())
}

impl Protocol for Responses {
    fn route(&self, request: &Request) -> Checked<Route> {
        self.account.route(request, "/v1/responses")
    }

    fn largest_body(&self) -> usize {
        LARGEST_BODY
    }

    fn check(&self, _: &Request, _: Option<&str>, body: &Value) -> Checked<Seen> {
        let fields = Node::root(body).object()?;
        let mut seen = Seen::default();
        self.account.model(&fields)?.clone_into(&mut seen.model);
        if let Some(instructions) = fields.optional("instructions") {
            seen.add_text(instructions.text()?);
        }
        let stored = fields
            .optional("store")
            .is_none_or(|store| store.value == &Value::Bool(true));
        items::check(stored, &self.issued, &fields.required("input")?, &mut seen)?;
        tools(&fields, &mut seen)?;
        tool_choice(&fields, &seen)?;
        settings(&fields, &mut seen)?;
        fields.no_others()?;
        Ok(seen)
    }

    fn can_call(&self, seen: &Seen, tool: &str) -> bool {
        seen.offers(tool) || (seen.native.is_some() && reply::native(tool, &Value::Null).is_some())
    }

    fn answer(&mut self, seen: &Seen, answer: &Answer) -> Reply {
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
