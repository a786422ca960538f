//! What goes wrong at a provider, each in that provider's own form; and what the server keeps of all this.

mod support;

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use dynacu_providers::{Options, Outcome, Provider, Script, Server};
use serde_json::{Value, json};
use support::{Reply, ask};

fn small(provider: Provider) -> Value {
    match provider {
        Provider::Anthropic => {
            json!({"model": "claude-opus-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Go."}]})
        }
        Provider::OpenAiChat | Provider::OpenAiCompatible => {
            json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "Go."}]})
        }
        Provider::OpenAiResponses => json!({"model": "gpt-6-sol", "input": "Go."}),
        Provider::Gemini => json!({"contents": [{"parts": [{"text": "Go."}]}]}),
    }
}

/// One rule, once.
fn with(provider: Provider, reaction: &str) -> Result<(Server, Result<Reply>)> {
    let server = support::server(
        provider,
        &format!("schema = 1\n[[rule]]\nname = \"only\"\n{reaction}\n"),
    )?;
    let reply = ask(&server, provider, &small(provider));
    Ok((server, reply))
}

/// Fault, status, and what the body says, provider by provider.
#[test]
fn each_fault_has_the_providers_status_and_words() {
    use Provider::{Anthropic, Gemini, OpenAiChat, OpenAiCompatible, OpenAiResponses};
    let cases: [(Provider, &str, u16, &str); 24] = [
        (Anthropic, "rate-limited", 429, "rate_limit_error"),
        (Anthropic, "overloaded", 529, "overloaded_error"),
        (Anthropic, "quota", 429, "enforced_spend_limit_reached"),
        (Anthropic, "authentication", 401, "authentication_error"),
        (Anthropic, "permission", 403, "permission_error"),
        (Anthropic, "no-model", 404, "not_found_error"),
        (Anthropic, "too-large", 413, "request_too_large"),
        (Anthropic, "context-length", 400, "prompt is too long"),
        (Anthropic, "server-error", 500, "api_error"),
        (Anthropic, "timeout", 504, "timeout_error"),
        (OpenAiChat, "rate-limited", 429, "rate_limit_exceeded"),
        (OpenAiChat, "quota", 429, "insufficient_quota"),
        (OpenAiChat, "context-length", 400, "context_length_exceeded"),
        (OpenAiResponses, "overloaded", 503, "server_is_overloaded"),
        (OpenAiResponses, "authentication", 401, "invalid_api_key"),
        (OpenAiResponses, "no-model", 404, "model_not_found"),
        (OpenAiCompatible, "server-error", 500, "\"code\":500"),
        (OpenAiCompatible, "bad-request", 400, "\"code\":400"),
        (Gemini, "rate-limited", 429, "google.rpc.RetryInfo"),
        (Gemini, "quota", 429, "PerDay"),
        (Gemini, "overloaded", 503, "UNAVAILABLE"),
        (Gemini, "authentication", 400, "API_KEY_INVALID"),
        (Gemini, "server-error", 500, "INTERNAL"),
        (Gemini, "timeout", 504, "DEADLINE_EXCEEDED"),
    ];
    for (provider, kind, status, word) in cases {
        let (server, reply) = with(provider, &format!("fault = {{ kind = \"{kind}\" }}")).unwrap();
        let reply = reply.unwrap();
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert_eq!(reply.status, status, "{provider} {kind}: {text}");
        assert!(text.contains(word), "{provider} {kind}: {text}");
        // It was a good request: the trouble was the script's wish.
        server.check().unwrap();
        assert_eq!(server.fired(), ["only"]);
    }
}

#[test]
fn how_long_to_wait_is_said_where_the_provider_says_it() {
    let limited = "fault = { kind = \"rate-limited\", retry-after = 1.5 }";
    let (_server, reply) = with(Provider::Anthropic, limited).unwrap();
    assert_eq!(reply.unwrap().header("retry-after"), Some("2"));
    let (_server, reply) = with(Provider::OpenAiChat, limited).unwrap();
    assert_eq!(reply.unwrap().header("retry-after-ms"), Some("1500"));
    let (_server, reply) = with(Provider::Gemini, limited).unwrap();
    let reply = reply.unwrap();
    assert_eq!(reply.header("retry-after"), None);
    assert_eq!(
        reply.json().unwrap()["error"]["details"][0]["retryDelay"],
        "1.5s"
    );
    // A used-up quota is nothing to wait for.
    let (_server, reply) = with(
        Provider::Anthropic,
        "fault = { kind = \"quota\", retry-after = 5 }",
    )
    .unwrap();
    assert_eq!(reply.unwrap().header("retry-after"), None);
}

/// A stop that the script wants, and where the provider puts it.
#[test]
fn truncation_and_refusal_are_said_as_the_provider_says_them() {
    use Provider::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};
    let cases = [
        (Anthropic, "max-tokens", "/stop_reason", json!("max_tokens")),
        (Anthropic, "refusal", "/stop_details/type", json!("refusal")),
        (
            Anthropic,
            "context-window",
            "/stop_reason",
            json!("model_context_window_exceeded"),
        ),
        (
            OpenAiChat,
            "max-tokens",
            "/choices/0/finish_reason",
            json!("length"),
        ),
        (
            OpenAiChat,
            "refusal",
            "/choices/0/message/refusal",
            json!("Sorry."),
        ),
        (
            OpenAiChat,
            "content-filter",
            "/choices/0/finish_reason",
            json!("content_filter"),
        ),
        (
            OpenAiResponses,
            "max-tokens",
            "/incomplete_details/reason",
            json!("max_output_tokens"),
        ),
        (
            OpenAiResponses,
            "refusal",
            "/output/0/content/0/refusal",
            json!("Sorry."),
        ),
        (
            OpenAiResponses,
            "content-filter",
            "/incomplete_details/reason",
            json!("content_filter"),
        ),
        (
            Gemini,
            "max-tokens",
            "/candidates/0/finishReason",
            json!("MAX_TOKENS"),
        ),
        (
            Gemini,
            "refusal",
            "/candidates/0/finishReason",
            json!("SAFETY"),
        ),
        (
            Gemini,
            "content-filter",
            "/promptFeedback/blockReason",
            json!("PROHIBITED_CONTENT"),
        ),
    ];
    for (provider, stop, at, expected) in cases {
        let reaction = format!("answer = [{{ text = \"Sorry.\" }}]\nstop = \"{stop}\"");
        let (_server, reply) = with(provider, &reaction).unwrap();
        let body = reply.unwrap().json().unwrap();
        assert_eq!(
            body.pointer(at),
            Some(&expected),
            "{provider} {stop}: {body}"
        );
    }
}

#[test]
fn usage_is_what_the_script_says() {
    let reaction = "answer = [{ text = \"Yes.\" }]\nusage = { input = 1000, output = 50, cached = 400, reasoning = 30 }";
    let cases = [
        (Provider::Anthropic, "/usage/input_tokens", 600),
        (Provider::Anthropic, "/usage/cache_read_input_tokens", 400),
        (Provider::OpenAiChat, "/usage/prompt_tokens", 1000),
        (
            Provider::OpenAiChat,
            "/usage/completion_tokens_details/reasoning_tokens",
            30,
        ),
        (
            Provider::OpenAiResponses,
            "/usage/input_tokens_details/cached_tokens",
            400,
        ),
        (Provider::Gemini, "/usageMetadata/totalTokenCount", 1080),
    ];
    for (provider, at, expected) in cases {
        let (_server, reply) = with(provider, reaction).unwrap();
        let body = reply.unwrap().json().unwrap();
        assert_eq!(
            body.pointer(at),
            Some(&json!(expected)),
            "{provider}: {body}"
        );
    }
}

#[test]
fn a_connection_is_cut_before_or_in_the_reply() {
    let (server, reply) = with(Provider::OpenAiChat, "cut = \"before-reply\"").unwrap();
    assert!(reply.unwrap_err().to_string().contains("no whole head"));
    assert_eq!(server.fired(), ["only"]);
    let (_server, reply) = with(
        Provider::OpenAiChat,
        "answer = [{ text = \"Half of it.\" }]\ncut = \"in-body\"",
    )
    .unwrap();
    assert!(reply.unwrap_err().to_string().contains("cut"));
}

#[test]
fn a_raw_reply_is_sent_as_it_is() {
    let raw =
        "raw = { status = 502, headers = { content-type = \"text/html\" }, body = \"<html>gone\" }";
    let (_server, reply) = with(Provider::Gemini, raw).unwrap();
    let reply = reply.unwrap();
    assert_eq!(
        (reply.status, reply.body.as_slice()),
        (502, b"<html>gone".as_slice())
    );
    assert_eq!(reply.header("content-type"), Some("text/html"));
}

#[test]
fn a_request_that_the_script_did_not_foresee_is_remembered() {
    let script = "schema = 1\n[[rule]]\nname = \"a\"\nwhen = [{ images = 3 }]\nanswer = []";
    let server = support::server(Provider::OpenAiResponses, script).unwrap();
    let reply = ask(
        &server,
        Provider::OpenAiResponses,
        &small(Provider::OpenAiResponses),
    )
    .unwrap();
    assert_eq!(reply.status, 400);
    assert!(
        server
            .check()
            .unwrap_err()
            .to_string()
            .contains("no rule held")
    );
    let exchange = server.exchanges().pop().unwrap();
    assert_eq!(exchange.outcome, Outcome::Unmatched);
    assert_eq!(exchange.seen.unwrap().texts, ["Go."]);
    assert!(
        exchange
            .headers
            .contains(&("authorization".into(), "Bearer k".into()))
    );
}

#[test]
fn a_wrong_key_and_an_unknown_model_are_refused_where_they_were_named() {
    let script = Script::parse("schema = 1\n[[rule]]\nname = \"a\"\nanswer = []").unwrap();
    let options = Options {
        key: Some("right".into()),
        models: vec!["only-this".into()],
        ..Options::default()
    };
    for provider in Provider::ALL {
        let server = Server::start(provider, script.clone(), &options).unwrap();
        let reply = ask(&server, provider, &small(provider)).unwrap();
        assert!(
            matches!(reply.status, 400 | 401),
            "{provider}: {}",
            reply.status
        );
        let (path, headers) = support::usual(provider);
        let mut headers: Vec<_> = headers
            .into_iter()
            .filter(|(_, value)| !value.ends_with('k'))
            .collect();
        let bearer = ("authorization", "Bearer right");
        headers.push(if provider == Provider::Gemini {
            ("x-goog-api-key", "right")
        } else {
            bearer
        });
        let body = small(provider).to_string();
        let reply = support::send(&server, "POST", path, &headers, body.as_bytes()).unwrap();
        assert_eq!(reply.status, 404, "{provider}: {reply:?}");
        let list = match provider {
            Provider::Gemini => "/v1beta/models",
            _ => "/v1/models",
        };
        let reply = support::send(&server, "GET", list, &headers, b"").unwrap();
        assert_eq!(reply.status, 200, "{provider}: {reply:?}");
        assert!(String::from_utf8_lossy(&reply.body).contains("only-this"));
    }
}

/// The command: its address comes first, its exchanges can be read, a script that is none is one clear error.
#[test]
fn the_command_says_its_address_and_lists_its_exchanges() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.toml");
    std::fs::write(
        &file,
        "schema = 1\n[[rule]]\nname = \"a\"\nanswer = [{ text = \"hello\" }]",
    )
    .unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_provider-server"))
        .args(["--provider", "openai-chat", "--script"])
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let listed = listing(&mut server);
    let _already_ended = server.kill();
    server.wait().unwrap();
    let listed = listed.unwrap();
    assert_eq!(
        listed[0]["outcome"],
        json!({"kind": "answered", "rule": "a"})
    );
    assert_eq!(listed[1]["outcome"]["kind"], "rejected");

    std::fs::write(&file, "schema = 1\n[[rules]]").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_provider-server"))
        .args(["--provider", "gemini", "--script"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("script.toml"));
}

/// Asks twice, once well, and reads the list.
fn listing(server: &mut std::process::Child) -> Result<Value> {
    use std::io::{BufRead, BufReader};
    let out = server.stdout.take().context("no output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let url = line.trim();
    if !url.starts_with("http://127.0.0.1:") {
        bail!("the first line is {line}");
    }
    let (path, headers) = support::usual(Provider::OpenAiChat);
    let good = small(Provider::OpenAiChat).to_string();
    support::send_to(url, "POST", path, &headers, good.as_bytes())?;
    support::send_to(url, "POST", path, &headers, b"{}")?;
    support::send_to(url, "GET", "/_exchanges", &[], b"")?.json()
}
