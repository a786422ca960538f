//! How large a request may be, and how many pictures it may have.

mod support;

use anyhow::Result;
use dynacu_providers::{Provider, Server};
use serde_json::{Value, json};
use support::ask;

const ANSWERS: &str = "schema = 1\n[[rule]]\nname = \"a\"\ntimes = \"any\"\nanswer = []";

fn long_text(provider: Provider, megabytes: usize) -> Value {
    let text = "a".repeat(megabytes << 20);
    match provider {
        Provider::Gemini => json!({"contents": [{"parts": [{"text": text}]}]}),
        _ => {
            json!({"model": "claude-opus-5", "max_tokens": 9, "messages": [{"role": "user", "content": text}]})
        }
    }
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_looked_at() {
    let anthropic = support::server(Provider::Anthropic, ANSWERS).unwrap();
    let reply = ask(
        &anthropic,
        Provider::Anthropic,
        &long_text(Provider::Anthropic, 32),
    )
    .unwrap();
    assert_eq!(reply.status, 413);
    assert_eq!(reply.json().unwrap()["error"]["type"], "request_too_large");
    let reply = ask(
        &anthropic,
        Provider::Anthropic,
        &long_text(Provider::Anthropic, 30),
    )
    .unwrap();
    assert_eq!(reply.status, 200);

    let gemini = support::server(Provider::Gemini, ANSWERS).unwrap();
    let reply = ask(&gemini, Provider::Gemini, &long_text(Provider::Gemini, 20)).unwrap();
    assert_eq!(reply.status, 400);
    assert!(
        reply.json().unwrap()["error"]["message"]
            .to_string()
            .contains("20971520")
    );
}

fn pictured(server: &Server, model: &str, count: usize, width: u32) -> Result<u16> {
    let data = support::picture(width, 2, image::ImageFormat::Png)?;
    let source = json!({"type": "base64", "media_type": "image/png", "data": data});
    let content = vec![json!({"type": "image", "source": source}); count];
    let body = json!({"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": content}]});
    Ok(ask(server, Provider::Anthropic, &body)?.status)
}

#[test]
fn many_pictures_have_to_be_small_and_not_too_many() {
    let server = support::server(Provider::Anthropic, ANSWERS).unwrap();
    assert_eq!(pictured(&server, "claude-opus-5", 20, 2_001).unwrap(), 200);
    assert_eq!(pictured(&server, "claude-opus-5", 21, 2_001).unwrap(), 400);
    assert_eq!(pictured(&server, "claude-opus-5", 21, 2_000).unwrap(), 200);
    assert_eq!(pictured(&server, "claude-haiku-4-5", 100, 2).unwrap(), 200);
    assert_eq!(pictured(&server, "claude-haiku-4-5", 101, 2).unwrap(), 400);
    assert_eq!(pictured(&server, "claude-opus-5", 101, 2).unwrap(), 200);
}
