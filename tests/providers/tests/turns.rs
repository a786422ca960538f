//! What the server hands out has to come back as it was: calls with their results, signed thinking, reasoning items,
//! signatures of calls.

mod support;

use anyhow::{Context, Result, ensure};
use dynacu_providers::Provider;
use serde_json::{Value, json};
use support::ask;

const THINKS: &str = r#"
schema = 1
[[rule]]
name = "thinks"
answer = [
  { thinking = "The button is on the left." },
  { text = "I click." },
  { tool = "click", arguments = { x = 853, y = 668 } },
  { tool = "type", arguments = { text = "abc" } },
]
[[rule]]
name = "goes on"
times = "any"
answer = [{ text = "Well." }]
"#;

fn tools(wrap: impl Fn(&str) -> Value) -> Value {
    json!([wrap("click"), wrap("type")])
}

#[test]
fn anthropic_wants_its_thinking_back_unchanged() {
    let server = support::server(Provider::Anthropic, THINKS).unwrap();
    let mut body = json!({
        "model": "claude-opus-5-5", "max_tokens": 1024, "messages": [{"role": "user", "content": "Go."}],
        "tools": tools(|name| json!({"name": name, "input_schema": {"type": "object"}})),
    });
    let first = ask(&server, Provider::Anthropic, &body)
        .unwrap()
        .json()
        .unwrap();
    assert_eq!(first["stop_reason"], "tool_use");
    assert_eq!(first["content"][2]["input"], json!({"x": 853, "y": 668}));
    assert!(first["usage"]["input_tokens"].as_u64().unwrap() > 0);
    let results: Vec<Value> = [2, 3]
        .iter()
        .map(|index| json!({"type": "tool_result", "tool_use_id": first["content"][index]["id"], "content": "ok"}))
        .collect();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": first["content"]}));
    messages.push(json!({"role": "user", "content": results}));
    let whole = ask(&server, Provider::Anthropic, &body).unwrap();
    assert_eq!(whole.status, 200, "{whole:?}");
    assert_eq!(whole.json().unwrap()["stop_reason"], "end_turn");
    server.check().unwrap();

    body["messages"][1]["content"][0]["thinking"] = "The button is on the right.".into();
    let changed = ask(&server, Provider::Anthropic, &body).unwrap();
    assert_eq!(changed.status, 400);
    assert!(server.check().is_err());
}

#[test]
fn responses_wants_its_reasoning_back_with_what_came_after_it() {
    let server = support::server(Provider::OpenAiResponses, THINKS).unwrap();
    let mut body = json!({
        "model": "gpt-6-sol", "store": false, "input": [{"role": "user", "content": "Go."}],
        "tools": tools(|name| json!({"type": "function", "name": name, "strict": false, "parameters": {"type": "object"}})),
    });
    let first = ask(&server, Provider::OpenAiResponses, &body)
        .unwrap()
        .json()
        .unwrap();
    assert_eq!(first["status"], "completed");
    let output = first["output"].as_array().unwrap();
    let kinds: Vec<&str> = output
        .iter()
        .filter_map(|item| item["type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["reasoning", "message", "function_call", "function_call"]
    );
    assert_eq!(output[2]["arguments"], r#"{"x":853,"y":668}"#);
    let input = body["input"].as_array_mut().unwrap();
    input.extend(output.iter().cloned());
    for call in &output[2..] {
        input.push(
            json!({"type": "function_call_output", "call_id": call["call_id"], "output": "ok"}),
        );
    }
    let whole = ask(&server, Provider::OpenAiResponses, &body).unwrap();
    assert_eq!(whole.status, 200, "{whole:?}");
    server.check().unwrap();

    body["input"][1]["encrypted_content"] = "bWFkZSB1cA==".into();
    let changed = ask(&server, Provider::OpenAiResponses, &body).unwrap();
    assert_eq!(changed.status, 400);
}

#[test]
fn gemini_wants_the_signature_of_a_call_back_in_its_part() {
    let server = support::server(Provider::Gemini, THINKS).unwrap();
    let mut body = json!({
        "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
        "tools": [{"functionDeclarations": tools(|name| json!({"name": name, "description": name}))}],
    });
    let first = ask(&server, Provider::Gemini, &body)
        .unwrap()
        .json()
        .unwrap();
    let content = first["candidates"][0]["content"].clone();
    assert_eq!(content["parts"][0]["thought"], true);
    // The grid of 1000: the pixel (853, 668) of 1280x720, rounded up.
    assert_eq!(
        content["parts"][2]["functionCall"]["args"],
        json!({"x": 667, "y": 928})
    );
    let response = |index: usize| {
        let call = &content["parts"][index]["functionCall"];
        json!({"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "ok"}}})
    };
    let contents = body["contents"].as_array_mut().unwrap();
    contents.push(content.clone());
    contents.push(json!({"role": "user", "parts": [response(2), response(3)]}));
    let whole = ask(&server, Provider::Gemini, &body).unwrap();
    assert_eq!(whole.status, 200, "{whole:?}");
    server.check().unwrap();

    let part = body["contents"][1]["parts"][2].as_object_mut().unwrap();
    part.remove("thoughtSignature");
    let lost = ask(&server, Provider::Gemini, &body).unwrap();
    assert_eq!(lost.status, 400);
    assert!(String::from_utf8_lossy(&lost.body).contains("thoughtSignature"));
}

#[test]
fn chat_wants_a_result_for_each_call() {
    let server = support::server(Provider::OpenAiChat, THINKS).unwrap();
    let mut body = json!({
        "model": "gpt-4o", "messages": [{"role": "user", "content": "Go."}],
        "tools": tools(|name| json!({"type": "function", "function": {"name": name}})),
    });
    let first = ask(&server, Provider::OpenAiChat, &body)
        .unwrap()
        .json()
        .unwrap();
    let message = first["choices"][0]["message"].clone();
    assert_eq!(message["content"], "I click.");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(message.clone());
    for call in message["tool_calls"].as_array().unwrap() {
        messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "ok"}));
    }
    let whole = ask(&server, Provider::OpenAiChat, &body).unwrap();
    assert_eq!(whole.status, 200, "{whole:?}");
    body["messages"].as_array_mut().unwrap().pop();
    assert_eq!(
        ask(&server, Provider::OpenAiChat, &body).unwrap().status,
        400
    );
}

/// Where the model is only given the provider's own computer tool, the same script is answered with that.
#[test]
fn the_native_tool_is_used_where_no_function_of_that_name_is_offered() {
    let click = "schema = 1\n[[rule]]\nname = 'a'\nanswer = [{ tool = 'click', arguments = { x = 640, y = 360 } }]";
    let cases = [
        (
            Provider::Anthropic,
            json!({"model": "claude-opus-5-5", "max_tokens": 10, "messages": [{"role": "user", "content": "Go."}],
                "tools": [{"type": "computer_toolset_20260801"}]}),
            "/content/0",
            json!({"type": "tool_use", "id": "toolu_0001", "name": "left_click", "toolset_name": "computer",
                "input": {"coordinate": [640, 360]}, "caller": {"type": "direct"}}),
        ),
        (
            Provider::OpenAiResponses,
            json!({"model": "gpt-5.4", "input": "Go.", "tools": [{"type": "computer"}]}),
            "/output/0/actions",
            json!([{"type": "click", "button": "left", "x": 640, "y": 360}]),
        ),
        (
            Provider::Gemini,
            json!({"contents": [{"parts": [{"text": "Go."}]}],
                "tools": [{"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]}),
            "/candidates/0/content/parts/0/functionCall/args",
            json!({"x": 500, "y": 500}),
        ),
    ];
    for (provider, body, at, expected) in cases {
        let server = support::server(provider, click).unwrap();
        let reply = ask(&server, provider, &body).unwrap().json().unwrap();
        assert_eq!(reply.pointer(at), Some(&expected), "{provider}: {reply}");
    }
}

/// A model without tools is told of the actions in words and answers in words.
#[test]
fn a_call_is_written_as_text_where_no_tools_are_declared() {
    let script = "schema = 1\n[[rule]]\nname = 'a'\nanswer = [{ tool = 'key', arguments = { combo = 'Return' } }]";
    let server = support::server(Provider::OpenAiCompatible, script).unwrap();
    let body =
        |text: &str| json!({"model": "small", "messages": [{"role": "user", "content": text}]});
    let told = ask(
        &server,
        Provider::OpenAiCompatible,
        &body(r#"{"action": "wait"} waits"#),
    )
    .unwrap();
    assert_eq!(told.status, 400, "this action was not offered");
    let told = ask(
        &server,
        Provider::OpenAiCompatible,
        &body(r#"{"action": "key"} presses"#),
    )
    .unwrap();
    let text = said(&told).unwrap();
    assert_eq!(text, r#"{"action":"key","combo":"Return"}"#);
}

fn said(reply: &support::Reply) -> Result<String> {
    ensure!(reply.status == 200, "{reply:?}");
    let body = reply.json()?;
    let text = body["choices"][0]["message"]["content"].as_str();
    Ok(text.context("no text came")?.to_owned())
}
