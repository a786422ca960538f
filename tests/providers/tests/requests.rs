//! Good requests are answered, and each way of spoiling one is rejected where and how the real server would reject it.
//!
//! `tests/requests/PROVIDER` has good bodies as `*.json`, and `spoiled.toml` with what is done to them and what the server
//! says then.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use dynacu_providers::{Outcome, Provider, Server};
use serde::Deserialize;
use serde_json::Value;

const ANSWERS: &str = r#"
schema = 1
[[rule]]
name = "answers"
times = "any"
answer = [{ text = "hello" }]
"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spoiled {
    case: Vec<Case>,
}

/// One way of spoiling a good request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Case {
    /// The good body, without `.json`.
    of: String,
    /// A JSON pointer to what is changed; its last part may be new.
    at: Option<String>,
    /// JSON text of the new value; without it the value is removed.
    to: Option<String>,
    /// Headers that are sent otherwise; empty removes one.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    path: Option<String>,
    method: Option<String>,
    /// The whole body instead.
    body: Option<String>,
    status: u16,
    /// Words that the reply has.
    says: Vec<String>,
}

fn folder(provider: Provider) -> PathBuf {
    Path::new(concat!(env!("DYNACU_CHECKOUT"), "/tests/providers"))
        .join("tests/requests")
        .join(provider.name())
}

fn good(provider: Provider) -> Result<BTreeMap<String, Value>> {
    let mut bodies = BTreeMap::new();
    for entry in std::fs::read_dir(folder(provider))? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let body = support::filled(&std::fs::read_to_string(&path)?);
            bodies.insert(
                name,
                body.with_context(|| format!("{} is no JSON", path.display()))?,
            );
        }
    }
    Ok(bodies)
}

fn spoil(body: &mut Value, at: &str, to: Option<&str>) -> Result<()> {
    let (parent, last) = at.rsplit_once('/').context("a pointer begins with /")?;
    let to = to.map(support::filled).transpose()?;
    let place = body
        .pointer_mut(parent)
        .with_context(|| format!("there is no {parent}"))?;
    match (place, to) {
        (Value::Object(map), Some(to)) => {
            map.insert(last.to_owned(), to);
        }
        (Value::Object(map), None) => {
            map.remove(last)
                .with_context(|| format!("there is no {at}"))?;
        }
        (Value::Array(items), Some(to)) if last == "-" => items.push(to),
        (Value::Array(items), Some(to)) => items[last.parse::<usize>()?] = to,
        (Value::Array(items), None) => {
            items.remove(last.parse()?);
        }
        _ => bail!("{parent} has no inside"),
    }
    Ok(())
}

fn path_of<'a>(provider: Provider, name: &str, usual: &'a str) -> std::borrow::Cow<'a, str> {
    // Gemini's model stands in the path; a body whose name begins with a model's is sent to that one.
    match (provider, name.split_once(" for ")) {
        (Provider::Gemini, Some((_, model))) => {
            format!("/v1beta/models/{model}:generateContent").into()
        }
        _ => usual.into(),
    }
}

fn accepts(provider: Provider) -> Result<()> {
    let server = support::server(provider, ANSWERS)?;
    for (name, body) in good(provider)? {
        let (usual, mut headers) = support::usual(provider);
        if name.contains("older version") {
            headers.retain(|(name, _)| *name != "anthropic-version");
            headers.push(("anthropic-version", "2023-06-01"));
            headers.push(("anthropic-beta", "computer-use-2025-11-24"));
        }
        let path = path_of(provider, &name, usual);
        let reply = support::send(
            &server,
            "POST",
            &path,
            &headers,
            body.to_string().as_bytes(),
        )?;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        if reply.status != 200 || !text.contains("hello") {
            bail!("`{name}` was not accepted: {} {text}", reply.status);
        }
    }
    server.check()?;
    Ok(())
}

fn send_spoiled(
    server: &Server,
    provider: Provider,
    case: &Case,
    body: &[u8],
) -> Result<support::Reply> {
    let (usual, mut headers) = support::usual(provider);
    let mut path = path_of(provider, &case.of, usual).into_owned();
    for (name, value) in &case.headers {
        headers.retain(|(known, _)| known != name);
        if !value.is_empty() {
            headers.push((name, value));
        }
    }
    if let Some(other) = &case.path {
        path.clone_from(other);
    }
    let method = case.method.as_deref().unwrap_or("POST");
    support::send(server, method, &path, &headers, body)
}

fn rejects(provider: Provider) -> Result<()> {
    let server = support::server(provider, ANSWERS)?;
    let bodies = good(provider)?;
    let text = std::fs::read_to_string(folder(provider).join("spoiled.toml"))?;
    let spoiled: Spoiled = toml::from_str(&text)?;
    let mut wrong = Vec::new();
    for (number, case) in spoiled.case.iter().enumerate() {
        let what = format!(
            "case {} ({} of {})",
            number + 1,
            case.at.as_deref().unwrap_or("not the body"),
            case.of
        );
        let mut body = bodies
            .get(&case.of)
            .with_context(|| format!("{what}: no such body"))?
            .clone();
        if let Some(at) = &case.at {
            spoil(&mut body, at, case.to.as_deref()).context(what.clone())?;
        }
        let bytes = case.body.clone().unwrap_or_else(|| body.to_string());
        let reply = send_spoiled(&server, provider, case, bytes.as_bytes())?;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        let missing: Vec<&String> = case
            .says
            .iter()
            .filter(|word| !text.contains(word.as_str()))
            .collect();
        if reply.status != case.status || !missing.is_empty() {
            wrong.push(format!(
                "{what}: {} {text}, wanted {} and {missing:?}",
                reply.status, case.status
            ));
        }
        let last = server.exchanges().pop().context("nothing was remembered")?;
        if !matches!(last.outcome, Outcome::Rejected { .. }) {
            wrong.push(format!("{what}: remembered as {:?}", last.outcome));
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    let complaint = server
        .check()
        .err()
        .context("the server had nothing against spoiled requests")?;
    let lines = complaint.to_string().lines().count();
    if lines != spoiled.case.len() {
        bail!(
            "{lines} complaints of {} spoiled requests",
            spoiled.case.len()
        );
    }
    Ok(())
}

#[test]
fn anthropic_accepts() {
    accepts(Provider::Anthropic).unwrap();
}

#[test]
fn anthropic_rejects() {
    rejects(Provider::Anthropic).unwrap();
}

#[test]
fn openai_chat_accepts() {
    accepts(Provider::OpenAiChat).unwrap();
}

#[test]
fn openai_chat_rejects() {
    rejects(Provider::OpenAiChat).unwrap();
}

#[test]
fn openai_responses_accepts() {
    accepts(Provider::OpenAiResponses).unwrap();
}

#[test]
fn openai_responses_rejects() {
    rejects(Provider::OpenAiResponses).unwrap();
}

#[test]
fn gemini_accepts() {
    accepts(Provider::Gemini).unwrap();
}

#[test]
fn gemini_rejects() {
    rejects(Provider::Gemini).unwrap();
}

#[test]
fn a_local_server_accepts() {
    accepts(Provider::OpenAiCompatible).unwrap();
}

#[test]
fn a_local_server_rejects() {
    rejects(Provider::OpenAiCompatible).unwrap();
}
