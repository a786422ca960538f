//! Chat Completions, as OpenAI has it and as local servers have it.

mod messages;
mod reply;

use serde_json::Value;

use super::model::{self, ChatTools};
use super::{Account, Flavour, LARGEST_BODY};
use crate::http::{Reply, Request};
use crate::issued::Issued;
use crate::problem::{Checked, Problem};
use crate::protocol::{Protocol, Route};
use crate::script::{Answer, FaultKind};
use crate::seen::Seen;
use crate::shape::{Fields, Node};

pub struct Chat {
    account: Account,
    issued: Issued,
}

impl Chat {
    pub fn new(options: &crate::Options, flavour: Flavour) -> Self {
        Self {
            account: Account::new(options, flavour),
            issued: Issued::default(),
        }
    }

    fn is_local(&self) -> bool {
        self.account.flavour == Flavour::Local
    }

    fn tools(&self, fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
        let Some(tools) = fields.optional("tools") else {
            return Ok(());
        };
        for tool in tools.filled_list()? {
            let tool = tool.object()?;
            tool.required("type")?.one_of(&["function"])?;
            let function = tool.required("function")?.object()?;
            tool.no_others()?;
            let mut strict = false;
            // Not every local server knows the field.
            if !self.is_local()
                && let Some(asked) = function.optional("strict")
            {
                strict = asked.boolean()?;
            }
            super::function(&function, strict, seen)?;
            function.no_others()?;
        }
        if self.is_local() {
            return Ok(());
        }
        let effort = fields
            .optional("reasoning_effort")
            .and_then(|effort| effort.value.as_str());
        match model::chat_tools(&seen.model) {
            ChatTools::No => Err(tools.wrong(format!(
                "`{}` takes tools on /v1/responses only",
                seen.model
            ))),
            ChatTools::WithoutEffort if effort != Some("none") => Err(tools.wrong(format!(
                "`{}` takes tools here only with reasoning_effort none",
                seen.model
            ))),
            _ => Ok(()),
        }
    }

    fn settings(&self, fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
        let name = seen.model.clone();
        let old = fields.optional("max_tokens");
        let new = if self.is_local() {
            None
        } else {
            fields.optional("max_completion_tokens")
        };
        if let Some(old) = &old
            && !self.is_local()
            && model::reasons(&name)
        {
            return Err(old.wrong("is not supported with this model, use max_completion_tokens"));
        }
        if old.is_some() && new.is_some() {
            return Err(fields.wrong("max_tokens", "is given beside max_completion_tokens"));
        }
        seen.max_tokens = old.or(new).map(|most| most.count(1)).transpose()?;
        for (field, most) in [("temperature", 2.0), ("top_p", 1.0)] {
            if let Some(value) = fields.optional(field) {
                if !(0.0..=most).contains(&value.number()?) {
                    return Err(value.wrong(format!("is 0 to {most}")));
                }
                if !self.is_local() && model::reasons(&name) {
                    return Err(value.wrong("is not supported with this model"));
                }
            }
        }
        if let Some(effort) = fields.optional("reasoning_effort") {
            let effort_name =
                effort.one_of(&["none", "minimal", "low", "medium", "high", "xhigh", "max"])?;
            if !self.is_local() && !model::reasons(&name) {
                return Err(effort.wrong("is not supported with this model"));
            }
            if !self.is_local() && effort_name == "none" && !model::takes_no_effort(&name) {
                return Err(effort.wrong("`none` is not supported with this model"));
            }
        }
        if let Some(format) = fields.optional("response_format") {
            let format = format.object()?;
            let kind = format
                .required("type")?
                .one_of(&["text", "json_object", "json_schema"])?;
            if kind == "json_schema" {
                format.required("json_schema")?.object()?;
            }
            format.no_others()?;
        }
        if let Some(stream) = fields.optional("stream")
            && stream.boolean()?
        {
            return Err(stream.wrong("this server does not stream"));
        }
        if let Some(seed) = fields.optional("seed") {
            seed.number()?;
        }
        fields.ignore(&["stop"]);
        if self.is_local() {
            fields.ignore(&["chat_template_kwargs"]);
            return Ok(());
        }
        for flag in ["store", "parallel_tool_calls"] {
            if let Some(flag) = fields.optional(flag) {
                flag.boolean()?;
            }
        }
        if fields.has("parallel_tool_calls") && seen.tools.is_empty() {
            return Err(fields.wrong("parallel_tool_calls", "is only allowed together with tools"));
        }
        for text in [
            "prompt_cache_key",
            "safety_identifier",
            "service_tier",
            "user",
        ] {
            if let Some(text) = fields.optional(text) {
                text.text()?;
            }
        }
        fields.ignore(&["metadata", "modalities", "prompt_cache_options"]);
        Ok(())
    }
}

/// `tool_choice` in the form of the endpoint; `named` reads the name of a forced function.
fn tool_choice(fields: &Fields<'_>, seen: &Seen) -> Checked<()> {
    let Some(choice) = fields.optional("tool_choice") else {
        return Ok(());
    };
    if seen.tools.is_empty() {
        return Err(choice.wrong("is only allowed together with tools"));
    }
    if let Value::String(_) = choice.value {
        choice.one_of(&["none", "auto", "required"])?;
        return Ok(());
    }
    let choice = choice.object()?;
    choice.required("type")?.one_of(&["function"])?;
    let function = choice.required("function")?.object()?;
    let name = function.required("name")?;
    if !seen
        .tools
        .iter()
        .any(|tool| Some(tool.as_str()) == name.value.as_str())
    {
        return Err(name.wrong("no tool has this name"));
    }
    function.no_others()?;
    choice.no_others()
}

impl Protocol for Chat {
    fn route(&self, request: &Request) -> Checked<Route> {
        self.account.route(request, "/v1/chat/completions")
    }

    fn largest_body(&self) -> usize {
        LARGEST_BODY
    }

    fn check(&self, _: &Request, _: Option<&str>, body: &Value) -> Checked<Seen> {
        let fields = Node::root(body).object()?;
        let mut seen = Seen::default();
        self.account.model(&fields)?.clone_into(&mut seen.model);
        let rules = messages::Rules {
            local: self.is_local(),
            hears: self.is_local() || model::hears(&seen.model),
            sees: self.is_local() || !model::hears(&seen.model),
        };
        messages::check(rules, &fields.required("messages")?, &mut seen)?;
        self.tools(&fields, &mut seen)?;
        tool_choice(&fields, &seen)?;
        self.settings(&fields, &mut seen)?;
        fields.no_others()?;
        Ok(seen)
    }

    fn can_call(&self, seen: &Seen, tool: &str) -> bool {
        seen.offers(tool)
    }

    fn answer(&mut self, seen: &Seen, answer: &Answer) -> Reply {
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
