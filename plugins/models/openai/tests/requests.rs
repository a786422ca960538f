//! Neutral requests as bodies of Chat Completions and of Responses.

use dynacu_sdk::BlobId;
use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Request, Role, ToolCall};
use model_wire::fixtures::{MEDIA, clip, message, picture, request, result, sent};
use openai::conversions::{Settings, chat, responses};
use serde_json::{Value, json};

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn conversation() -> Request {
    let mut asked = request(vec![
        message(Role::System, vec![text("You operate a computer.")]),
        message(Role::User, vec![text("Look:"), picture("png-1")]),
        message(
            Role::Assistant,
            vec![
                text("I move."),
                Part::ToolCall(ToolCall::new("c1", "move", r#"{"x":1,"y":2}"#)),
            ],
        ),
        message(Role::Tool, vec![result("c1", "outside", true)]),
        message(Role::User, vec![text("Again.")]),
    ]);
    asked.temperature = Some(0.2);
    asked
}

fn settings(json: &str) -> Result<Settings, String> {
    dynacu_sdk::settings::parse(json)
}

#[test]
fn chat_completions() {
    let asked = conversation();
    let dialect = chat("gpt-4o", &settings("{}").unwrap());
    let draft = chat_completions::request("gpt-4o", &dialect, &asked, &MEDIA).unwrap();
    let mut body = sent(&draft.body).unwrap();
    let tools = body.as_object_mut().unwrap().remove("tools").unwrap();
    assert_eq!(tools[1]["type"], "function");
    assert_eq!(tools[1]["function"]["name"], "done");
    assert_eq!(
        body,
        json!({
            "model": "gpt-4o",
            "max_completion_tokens": 8192,
            "temperature": 0.2,
            "tool_choice": "required",
            "store": false,
            "messages": [
                {"role": "system", "content": "You operate a computer."},
                {"role": "user", "content": [
                    {"type": "text", "text": "Look:"},
                    {"type": "image_url", "image_url":
                        {"url": "data:image/png;base64,<png-1>", "detail": "high"}},
                ]},
                {"role": "assistant", "content": "I move.", "tool_calls": [
                    {"id": "c1", "type": "function",
                     "function": {"name": "move", "arguments": "{\"x\":1,\"y\":2}"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "outside"},
                {"role": "user", "content": "Again."},
            ],
        })
    );
}

#[test]
fn sound_goes_to_the_models_that_hear() {
    let asked = request(vec![message(
        Role::User,
        vec![text("Write it down."), clip("wav-1")],
    )]);
    let dialect = chat("gpt-audio-1.5", &settings("{}").unwrap());
    let draft = chat_completions::request("gpt-audio-1.5", &dialect, &asked, &MEDIA).unwrap();
    assert_eq!(
        sent(&draft.body).unwrap()["messages"][0]["content"][1],
        json!({"type": "input_audio", "input_audio": {"data": "<wav-1>", "format": "wav"}})
    );
    let error =
        responses::request("gpt-6-sol", &settings("{}").unwrap(), &asked, &MEDIA).unwrap_err();
    assert!(matches!(error, ModelError::InvalidRequest(_)), "{error:?}");
}

#[test]
fn responses_without_storage() {
    let asked = conversation();
    let draft = responses::request(
        "gpt-6-sol",
        &settings(r#"{"effort": "low", "tool-choice": "auto"}"#).unwrap(),
        &asked,
        &MEDIA,
    )
    .unwrap();
    assert_eq!(draft.notes.len(), 1);
    let mut body = sent(&draft.body).unwrap();
    let tools = body.as_object_mut().unwrap().remove("tools").unwrap();
    assert_eq!(
        (&tools[1]["name"], &tools[1]["strict"]),
        (&json!("done"), &json!(false))
    );
    assert_eq!(
        body,
        json!({
            "model": "gpt-6-sol",
            "max_output_tokens": 8192,
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "instructions": "You operate a computer.",
            "reasoning": {"effort": "low"},
            "tool_choice": "auto",
            "input": [
                {"role": "user", "content": [
                    {"type": "input_text", "text": "Look:"},
                    {"type": "input_image", "detail": "original",
                     "image_url": "data:image/png;base64,<png-1>"},
                ]},
                {"role": "assistant", "content": "I move."},
                {"type": "function_call", "call_id": "c1", "name": "move", "arguments": "{\"x\":1,\"y\":2}"},
                {"type": "function_call_output", "call_id": "c1", "output": "outside"},
                {"role": "user", "content": [{"type": "input_text", "text": "Again."}]},
            ],
        })
    );
}

#[test]
fn computer_calls_come_back_with_their_checks_and_a_screenshot() {
    let native = settings(r#"{"tools": "native"}"#).unwrap();
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "eA=="});
    let checks = json!([{"id": "sc_1", "code": "irrelevant_domain", "message": "m"}]);
    let call = json!({"type": "computer_call", "id": "cc_1", "call_id": "call_1", "status": "completed",
        "pending_safety_checks": checks,
        "actions": [{"type": "click", "button": "left", "x": 1, "y": 2}, {"type": "wait"}]});
    let reply = http::Response {
        status: 200,
        headers: Vec::new(),
        body: json!({"status": "completed", "output": [reasoning, call]})
            .to_string()
            .into_bytes(),
    };
    let parts = responses::answer("m", &native, &reply)
        .unwrap()
        .response
        .parts;
    let turns = |after: Vec<Part>| {
        request(vec![
            message(Role::User, vec![text("Click.")]),
            message(Role::Assistant, parts.clone()),
            message(
                Role::Tool,
                vec![result("call_1#1", "", false), result("call_1#2", "", false)],
            ),
            message(Role::User, after),
        ])
    };
    let asked = turns(vec![picture("png-old"), picture("png-new")]);
    let draft = responses::request("gpt-6-sol", &native, &asked, &MEDIA).unwrap();
    let body = sent(&draft.body).unwrap();
    assert_eq!(body["tools"][0], json!({"type": "computer"}));
    assert_eq!(body["tools"].as_array().unwrap().len(), 2);
    let input = body["input"].as_array().unwrap();
    assert_eq!(input[1..3], [reasoning, call]);
    assert_eq!(
        input[3],
        json!({"type": "computer_call_output", "call_id": "call_1", "acknowledged_safety_checks": checks,
               "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,<png-new>"}})
    );
    let error =
        responses::request("gpt-6-sol", &native, &turns(vec![text("blind")]), &MEDIA).unwrap_err();
    assert!(matches!(error, ModelError::InvalidRequest(_)), "{error:?}");
}

#[test]
fn the_computer_tool_is_in_responses_alone() {
    let native = settings(r#"{"tools": "native"}"#).unwrap();
    assert!(native.is_chat("gpt-4o").is_err());
    assert_eq!(native.is_chat("gpt-6-sol"), Ok(false));
    let forced = settings(r#"{"api": "responses"}"#).unwrap();
    assert_eq!(forced.is_chat("gpt-4o"), Ok(false));
}

#[test]
fn a_result_with_a_picture_keeps_it() {
    let asked = request(vec![
        message(
            Role::Assistant,
            vec![Part::ToolCall(ToolCall::new("c1", "move", "{}"))],
        ),
        message(
            Role::Tool,
            vec![Part::ToolResult(dynacu_sdk::model::ToolResult {
                id: "c1".to_owned(),
                output: vec![dynacu_sdk::model::ToolOutput::Image(BlobId::new("jpeg-1"))],
                is_error: false,
            })],
        ),
    ]);
    let draft = responses::request("gpt-6-sol", &settings("{}").unwrap(), &asked, &MEDIA).unwrap();
    let output: Value = sent(&draft.body).unwrap()["input"][1]["output"].clone();
    assert_eq!(output[0]["image_url"], "data:image/jpeg;base64,<jpeg-1>");
    // In Chat Completions a result is text, so the picture follows in the user's turn.
    let dialect = chat("gpt-4o", &settings("{}").unwrap());
    let draft = chat_completions::request("gpt-4o", &dialect, &asked, &MEDIA).unwrap();
    let messages = sent(&draft.body).unwrap()["messages"].clone();
    assert_eq!(messages[1]["role"], "tool");
    assert_eq!(messages[2]["content"][0]["type"], "image_url");
}
