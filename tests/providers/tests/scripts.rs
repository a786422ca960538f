//! The scripts of the tasks answer to what they should, and to nothing less.

mod support;

use std::path::Path;

use dynacu_providers::{Options, Provider, Script, Server};
use serde_json::{Value, json};
use support::ask;

fn scripted(name: &str) -> anyhow::Result<Server> {
    let file = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/tests/providers"))
        .join("scripts")
        .join(name);
    Ok(Server::start(
        Provider::OpenAiChat,
        Script::load(&file)?,
        &Options::default(),
    )?)
}

/// A request with this text and so many pictures, that offers these tools.
fn request(text: &str, pictures: usize, tools: &[&str]) -> anyhow::Result<Value> {
    let picture = support::picture(1280, 720, image::ImageFormat::Png)?;
    let url = format!("data:image/png;base64,{picture}");
    let mut parts =
        vec![json!({"type": "text", "text": format!("Observation Record — Step 1\n{text}")})];
    for _ in 0..pictures {
        parts.push(json!({"type": "image_url", "image_url": {"url": url}}));
    }
    let tools: Vec<Value> = tools
        .iter()
        .map(|name| json!({"type": "function", "function": {"name": name}}))
        .collect();
    Ok(json!({"model": "gpt-4o", "messages": [{"role": "user", "content": parts}], "tools": tools}))
}

const TOOLS: [&str; 5] = ["click", "type", "key", "speak", "wait"];

fn calls(
    server: &Server,
    text: &str,
    pictures: usize,
    tools: &[&str],
) -> anyhow::Result<Vec<(String, String)>> {
    let reply = ask(
        server,
        Provider::OpenAiChat,
        &request(text, pictures, tools)?,
    )?;
    let body = reply.json()?;
    let calls = body["choices"][0]["message"]["tool_calls"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(calls
        .iter()
        .map(|call| {
            (
                text(&call["function"]["name"]),
                text(&call["function"]["arguments"]),
            )
        })
        .collect())
}

#[test]
fn a_price_is_taken_from_the_transcript() {
    let server = scripted("a-e1.toml").unwrap();
    let none = calls(
        &server,
        "Now the money, the maker listed at $96.",
        1,
        &TOOLS,
    )
    .unwrap();
    assert_eq!(none[0].0, "wait");
    let heard = "(21.0s) Weighted for the spring sale and ended up paying $77 for the desk lamp.";
    let typed = calls(&server, heard, 1, &TOOLS).unwrap();
    assert_eq!(typed[1], ("type".into(), r#"{"text":"$77"}"#.into()));
    assert_eq!(typed.len(), 3);
    server.check().unwrap();
}

#[test]
fn messages_are_typed_only_when_their_keyframes_came() {
    let server = scripted("f-e1.toml").unwrap();
    let label = "→ keyframe_1.8s.png (changed 7.4% of the screen, 581x620 at 329, 57)\n";
    let booked = calls(&server, "", 1, &TOOLS).unwrap();
    assert_eq!(booked, [("click".into(), r#"{"x":853,"y":668}"#.into())]);
    let page = "→ keyframe_0.2s.png (changed 65.6% of the screen, 1268x696 at 12, 0)\n";
    assert_eq!(
        calls(&server, &page.repeat(2), 3, &TOOLS).unwrap()[0].0,
        "wait"
    );
    assert_eq!(
        calls(&server, &label.repeat(2), 1, &TOOLS).unwrap()[0].0,
        "wait",
        "no pictures came"
    );
    assert_eq!(
        calls(&server, label, 2, &TOOLS).unwrap()[0].0,
        "wait",
        "one message is not two"
    );
    let typed = calls(&server, label, 2, &TOOLS).unwrap();
    assert_eq!(typed.iter().filter(|(name, _)| name == "type").count(), 2);
    assert_eq!(
        server.fired(),
        ["books", "looks", "looks", "saw one", "saw both"]
    );

    let together = scripted("f-e1.toml").unwrap();
    calls(&together, "", 1, &TOOLS).unwrap();
    assert_eq!(
        calls(&together, &label.repeat(2), 3, &TOOLS).unwrap().len(),
        5
    );
}

#[test]
fn a_capital_is_only_said_with_a_voice() {
    let server = scripted("h-e1.toml").unwrap();
    let heard = "(15.0s) Please tell me what is the capital of Norway?";
    let mute: Vec<&str> = TOOLS.into_iter().filter(|name| *name != "speak").collect();
    assert_eq!(calls(&server, heard, 1, &mute).unwrap()[0].0, "wait");
    let said = calls(&server, heard, 1, &TOOLS).unwrap();
    assert_eq!(
        said,
        [(
            "speak".into(),
            r#"{"text":"The capital of Norway is Oslo."}"#.into()
        )]
    );
}

#[test]
fn the_word_before_a_run_is_answered() {
    for name in ["a-e1.toml", "f-e1.toml", "h-e1.toml"] {
        let server = scripted(name).unwrap();
        let body = json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "Say ok."}], "max_tokens": 16});
        assert_eq!(
            ask(&server, Provider::OpenAiChat, &body).unwrap().status,
            200
        );
        assert_eq!(server.fired(), ["a word"]);
    }
}
