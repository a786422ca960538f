//! What the stand-ins answer has the structure that the providers' own SDKs read.

mod support;

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use dynacu_providers::Provider;
use serde_json::{Value, json};
use support::{Reply, ask};

/// Everything that an answer can hold, and how each kind of trouble ends one.
const REACTIONS: [&str; 8] = [
    "answer = [{ thinking = 'Left.' }, { text = 'I click.' }, { tool = 'click', arguments = { x = 1, y = 2 } }]",
    "answer = [{ text = 'Done.' }]\nusage = { input = 90, output = 5, cached = 40, reasoning = 3 }",
    "answer = []",
    "answer = [{ text = 'Cut' }]\nstop = 'max-tokens'",
    "answer = [{ text = 'Sorry.' }]\nstop = 'refusal'",
    "answer = [{ text = 'Sorry.' }]\nstop = 'content-filter'",
    "answer = [{ text = 'Cut' }]\nstop = 'context-window'",
    "answer = [{ text = 'Yes.' }]\nmodel = 'another'",
];
/// Each action that a native tool can be asked for.
const ACTIONS: [&str; 10] = [
    "click', arguments = { x = 1, y = 2 }",
    "click', arguments = { x = 1, y = 2, button = 'right' }",
    "click', arguments = { x = 1, y = 2, count = 2 }",
    "move', arguments = { x = 1, y = 2 }",
    "drag', arguments = { start_x = 1, start_y = 2, end_x = 3, end_y = 4 }",
    "type', arguments = { text = 'a' }",
    "key', arguments = { combo = 'ctrl+a' }",
    "key', arguments = { combo = 'Return' }",
    "scroll', arguments = { x = 1, y = 2, direction = 'down', amount = 3 }",
    "wait', arguments = { seconds = 1.0 }",
];
const FAULTS: [&str; 11] = [
    "rate-limited",
    "overloaded",
    "quota",
    "authentication",
    "permission",
    "no-model",
    "too-large",
    "context-length",
    "bad-request",
    "server-error",
    "timeout",
];

fn vendored(name: &str) -> Result<Value> {
    let folder = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/tests/providers/schemas"));
    let text = std::fs::read_to_string(folder.join(name)).with_context(|| name.to_owned())?;
    Ok(serde_json::from_str(&text)?)
}

/// Says where a value is not what the schema has.
fn validate(schema: &str, value: &Value) -> Result<()> {
    let validator = jsonschema::draft202012::new(&vendored(schema)?)?;
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    ensure!(wrong.is_empty(), "{value} against {schema}: {wrong:#?}");
    Ok(())
}

fn schema_of_answers(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic => "anthropic/reply.json",
        Provider::OpenAiChat | Provider::OpenAiCompatible => "openai/chat-reply.json",
        Provider::OpenAiResponses => "openai/responses-reply.json",
        Provider::Gemini => "gemini/reply.json",
    }
}

/// With a function tool that is called `click`, and with the native tool instead.
fn bodies(provider: Provider) -> (Value, Option<Value>) {
    let parameters = json!({"type": "object"});
    match provider {
        Provider::Anthropic => {
            let body = |tools: Value| json!({"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Go."}], "tools": tools});
            (
                body(json!([{"name": "click", "input_schema": parameters}])),
                Some(body(json!([{"type": "computer_toolset_20260801"}]))),
            )
        }
        Provider::OpenAiChat | Provider::OpenAiCompatible => (
            json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "Go."}],
                "tools": [{"type": "function", "function": {"name": "click"}}]}),
            None,
        ),
        Provider::OpenAiResponses => {
            let body = |tools: Value| json!({"model": "gpt-6-sol", "input": "Go.", "tools": tools});
            (
                body(
                    json!([{"type": "function", "name": "click", "strict": false, "parameters": parameters}]),
                ),
                Some(body(json!([{"type": "computer"}]))),
            )
        }
        Provider::Gemini => {
            let body =
                |tools: Value| json!({"contents": [{"parts": [{"text": "Go."}]}], "tools": tools});
            (
                body(
                    json!([{"functionDeclarations": [{"name": "click", "description": "Clicks."}]}]),
                ),
                Some(body(
                    json!([{"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]),
                )),
            )
        }
    }
}

fn reply(provider: Provider, reaction: &str, body: &Value) -> Result<Reply> {
    let script = format!("schema = 1\n[[rule]]\nname = \"only\"\n{reaction}\n");
    ask(&support::server(provider, &script)?, provider, body)
}

fn answers(provider: Provider) -> Result<()> {
    let (functions, native) = bodies(provider);
    for reaction in REACTIONS {
        let reply = reply(provider, reaction, &functions)?;
        ensure!(reply.status == 200, "{reaction}: {reply:?}");
        let mut answer = reply.json()?;
        if provider == Provider::OpenAiCompatible {
            // What local servers show of their thinking has no place in OpenAI's type.
            let message = answer["choices"][0]["message"].as_object_mut();
            message.context("no message")?.remove("reasoning");
        }
        validate(schema_of_answers(provider), &answer).context(reaction)?;
    }
    let Some(native) = native else { return Ok(()) };
    for action in ACTIONS {
        let reaction = format!("answer = [{{ tool = '{action} }}]");
        let reply = reply(provider, &reaction, &native)?;
        ensure!(reply.status == 200, "{action}: {reply:?}");
        validate(schema_of_answers(provider), &reply.json()?).context(action)?;
    }
    Ok(())
}

/// The error in the form in which the SDK reads it; Google's SDK has no type for it.
fn error(provider: Provider, body: &Value) -> Result<()> {
    match provider {
        // The documentation has this one, the SDK's types do not.
        Provider::Anthropic if body["error"]["type"] == "request_too_large" => Ok(()),
        Provider::Anthropic => {
            let mut body = body.clone();
            let error = body["error"].as_object_mut().context("no error")?;
            // The SDK reads these apart from the error.
            if let Some(details) = error.remove("details") {
                validate("anthropic/error-details.json", &details)?;
            }
            validate("anthropic/error.json", &body)
        }
        Provider::OpenAiChat | Provider::OpenAiResponses => {
            validate("openai/error.json", &body["error"])
        }
        Provider::OpenAiCompatible | Provider::Gemini => {
            ensure!(body["error"]["message"].is_string(), "{body}");
            Ok(())
        }
    }
}

#[test]
fn answers_have_the_structure_of_the_sdks() {
    for provider in Provider::ALL {
        answers(provider).with_context(|| provider.name()).unwrap();
    }
}

#[test]
fn errors_have_the_structure_of_the_sdks() {
    for provider in Provider::ALL {
        let (body, _) = bodies(provider);
        for kind in FAULTS {
            let reply = reply(provider, &format!("fault = {{ kind = '{kind}' }}"), &body).unwrap();
            error(provider, &reply.json().unwrap()).unwrap();
        }
        let refused = reply(provider, "answer = []", &json!({"some": 1})).unwrap();
        assert_eq!(refused.status, 400, "{provider}: {refused:?}");
        error(provider, &refused.json().unwrap()).unwrap();
    }
}

#[test]
fn lists_of_models_have_the_structure_of_the_sdks() {
    for (provider, schema) in [
        (Provider::Anthropic, "anthropic/model.json"),
        (Provider::OpenAiChat, "openai/model.json"),
    ] {
        let server =
            support::server(provider, "schema = 1\n[[rule]]\nname = 'a'\nanswer = []").unwrap();
        let (_, headers) = support::usual(provider);
        let reply = support::send(&server, "GET", "/v1/models", &headers, b"").unwrap();
        let list = models(&reply.json().unwrap()).unwrap();
        for model in list {
            validate(schema, &model).unwrap();
        }
    }
}

fn models(list: &Value) -> Result<Vec<Value>> {
    match list["data"].as_array() {
        Some(models) if !models.is_empty() => Ok(models.clone()),
        _ => bail!("no models: {list}"),
    }
}
