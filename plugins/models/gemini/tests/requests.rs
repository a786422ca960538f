//! Neutral requests as bodies of generateContent.

use dynacu_sdk::BlobId;
use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Role, ToolOutput, ToolResult};
use gemini::conversions::{self, Settings};
use model_wire::fixtures::{MEDIA, clip, message, picture, request, result, sent};
use serde_json::json;

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn settings(json: &str) -> Result<Settings, String> {
    dynacu_sdk::settings::parse(json)
}

#[test]
fn one_turn_with_pictures_and_sound() {
    let asked = request(vec![
        message(Role::System, vec![text("You operate a computer.")]),
        message(
            Role::User,
            vec![text("Look and listen."), picture("png-1"), clip("wav-1")],
        ),
    ]);
    let set = settings(r#"{"thinking-level": "LOW", "media-resolution": "MEDIA_RESOLUTION_HIGH"}"#)
        .unwrap();
    let draft = conversions::request("gemini-3.8-flash", &set, &asked, &MEDIA).unwrap();
    let mut body = sent(&draft.body).unwrap();
    let tools = body.as_object_mut().unwrap().remove("tools").unwrap();
    let functions = &tools[0]["functionDeclarations"];
    assert_eq!(
        functions[0]["parameters"]["properties"]["x"]["type"],
        "INTEGER"
    );
    assert_eq!(functions[0]["parameters"].get("additionalProperties"), None);
    assert_eq!(functions[1].get("parameters"), None);
    assert_eq!(
        body,
        json!({
            "systemInstruction": {"parts": [{"text": "You operate a computer."}]},
            "contents": [{"role": "user", "parts": [
                {"text": "Look and listen."},
                {"inlineData": {"mimeType": "image/png", "data": "<png-1>"}},
                {"inlineData": {"mimeType": "audio/wav", "data": "<wav-1>"}},
            ]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            "generationConfig": {
                "maxOutputTokens": 8192,
                "thinkingConfig": {"thinkingLevel": "LOW"},
                "mediaResolution": "MEDIA_RESOLUTION_HIGH",
            },
        })
    );
}

#[test]
fn signatures_and_confirmations_come_back() {
    let native = settings(r#"{"tools": "native"}"#).unwrap();
    let part = json!({"functionCall": {"id": "f1", "name": "type_text_at", "args": {"x": 1, "y": 2, "text": "a",
            "press_enter": false, "clear_before_typing": false,
            "safety_decision": {"decision": "require_confirmation", "explanation": "e"}}},
        "thoughtSignature": "c2ln"});
    let reply = http::Response {
        status: 200,
        headers: Vec::new(),
        body: json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [part]}}]})
            .to_string()
            .into_bytes(),
    };
    let asked = request(vec![message(Role::User, vec![text("Type a.")])]);
    let parts = conversions::answer("m", &native, &asked, &reply)
        .unwrap()
        .response
        .parts;
    let picture = ToolResult {
        id: "f1#2".to_owned(),
        output: vec![ToolOutput::Image(BlobId::new("png-1"))],
        is_error: false,
    };
    let asked = request(vec![
        message(Role::User, vec![text("Type a.")]),
        message(Role::Assistant, parts),
        message(
            Role::Tool,
            vec![result("f1#1", "clicked", false), Part::ToolResult(picture)],
        ),
        message(Role::User, vec![text("Go on.")]),
    ]);
    let response = json!({"id": "f1", "name": "type_text_at",
        "response": {"output": "clicked", "safety_acknowledgement": true}});
    let inline = json!({"inlineData": {"mimeType": "image/png", "data": "<png-1>"}});
    let draft = conversions::request("gemini-3.8-flash", &native, &asked, &MEDIA).unwrap();
    let body = sent(&draft.body).unwrap();
    let mut held = response.clone();
    held["parts"] = json!([inline]);
    assert_eq!(
        body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "Type a."}]},
            {"role": "model", "parts": [part]},
            {"role": "user", "parts": [{"functionResponse": held}, {"text": "Go on."}]},
        ])
    );
    assert_eq!(
        body["tools"][0]["computerUse"]["environment"],
        "ENVIRONMENT_BROWSER"
    );
    assert_eq!(
        body["tools"][1]["functionDeclarations"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(body.get("toolConfig"), None);
    // Before the third generation a response holds no picture, so it goes beside it.
    let draft = conversions::request("gemini-2.5-pro", &native, &asked, &MEDIA).unwrap();
    assert_eq!(
        sent(&draft.body).unwrap()["contents"][2]["parts"],
        json!([{"functionResponse": response}, inline, {"text": "Go on."}])
    );
}

#[test]
fn too_many_bytes_are_refused_here() {
    let asked = request(vec![message(Role::User, vec![picture("png-huge")])]);
    let error = conversions::request("m", &settings("{}").unwrap(), &asked, &MEDIA).unwrap_err();
    assert!(matches!(error, ModelError::ContextExceeded(_)), "{error:?}");
}
