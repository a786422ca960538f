//! Neutral requests as bodies of the Messages API.

use claude::conversions::{self, Settings};
use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Role, ToolCall};
use model_wire::fixtures::{MEDIA, clip, message, picture, request, result, sent};
use model_wire::settings::ToolSet;
use serde_json::{Value, json};

fn native() -> Settings {
    Settings {
        tools: ToolSet::Native,
        ..Settings::default()
    }
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

#[test]
fn one_turn_has_the_system_text_apart_and_pictures_spliced() {
    let mut asked = request(vec![
        message(Role::System, vec![text("You operate a computer.")]),
        message(
            Role::User,
            vec![text("Mute the call."), text(""), picture("png-1")],
        ),
    ]);
    asked.temperature = Some(0.2);
    let draft =
        conversions::request("claude-opus-5-5", &Settings::default(), &asked, &MEDIA).unwrap();
    assert_eq!(
        draft.notes,
        ["temperature left out: current models refuse it"]
    );
    let body = sent(&draft.body).unwrap();
    assert_eq!(
        body["tools"][1],
        json!({
            "name": "done",
            "description": asked.tools[1].description,
            "input_schema": serde_json::from_str::<Value>(&asked.tools[1].input_schema).unwrap(),
        })
    );
    let mut rest = body;
    rest.as_object_mut().unwrap().remove("tools");
    assert_eq!(
        rest,
        json!({
            "model": "claude-opus-5-5",
            "max_tokens": 8192,
            "system": [{
                "type": "text",
                "text": "You operate a computer.",
                "cache_control": {"type": "ephemeral"},
            }],
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Mute the call."},
                {"type": "image", "source":
                    {"type": "base64", "media_type": "image/png", "data": "<png-1>"}},
            ]}],
        })
    );
}

#[test]
fn settings_reach_the_body() {
    let settings: Settings = dynacu_sdk::settings::parse(
        r#"{"effort": "low", "cache": false, "max-output-tokens": 100}"#,
    )
    .unwrap();
    let mut asked = request(vec![
        message(Role::System, vec![text("s")]),
        message(Role::User, vec![text("u")]),
    ]);
    let body = sent(
        &conversions::request("m", &settings, &asked, &MEDIA)
            .unwrap()
            .body,
    )
    .unwrap();
    assert_eq!(body["output_config"], json!({"effort": "low"}));
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(body["system"], json!([{"type": "text", "text": "s"}]));
    asked.max_output_tokens = Some(7);
    asked.tools.clear();
    let body = sent(
        &conversions::request("m", &settings, &asked, &MEDIA)
            .unwrap()
            .body,
    )
    .unwrap();
    assert_eq!((&body["max_tokens"], body.get("tools")), (&json!(7), None));
    let unknown: Result<Settings, String> = dynacu_sdk::settings::parse(r#"{"efort": "low"}"#);
    let told = unknown.unwrap_err();
    assert!(told.contains("efort") && !told.contains("line"), "{told}");
}

/// An answer of the computer-use tool goes through a policy and comes back: thinking and the native call unchanged, and
/// one result for what was several calls.
#[test]
fn native_calls_and_thinking_come_back_unchanged() {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": "c2ln"});
    let call = json!({"type": "tool_use", "id": "t1", "name": "key", "toolset_name": "computer",
        "input": {"text": "Down", "repeat": 2}});
    let reply = http::Response {
        status: 200,
        headers: Vec::new(),
        body: json!({"content": [thinking, call], "stop_reason": "tool_use"})
            .to_string()
            .into_bytes(),
    };
    let answer = conversions::answer("m", &reply).unwrap();
    let ids: Vec<String> = answer
        .response
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(call.id.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["t1#1", "t1#2"]);
    let asked = request(vec![
        message(Role::User, vec![text("Go down.")]),
        message(Role::Assistant, answer.response.parts),
        message(
            Role::Tool,
            vec![
                result(&ids[0], "done", false),
                result(&ids[1], "late", true),
            ],
        ),
        message(Role::User, vec![text("Now?"), picture("png-2")]),
    ]);
    let draft = conversions::request("claude-opus-5-5", &native(), &asked, &MEDIA).unwrap();
    let body = sent(&draft.body).unwrap();
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Go down."}]},
            {"role": "assistant", "content": [thinking, call]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "toolset_name": "computer", "is_error": true,
                 "content": [{"type": "text", "text": "done\nlate"}]},
                {"type": "text", "text": "Now?"},
                {"type": "image", "source":
                    {"type": "base64", "media_type": "image/png", "data": "<png-2>"}},
            ]},
        ])
    );
    // What the native tool has is not offered twice.
    assert_eq!(body["tools"][0]["type"], "computer_toolset_20260801");
    assert_eq!(body["tools"][1]["name"], "done");
    assert_eq!(body["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn own_calls_come_back_as_objects_even_where_they_were_none() {
    let asked = request(vec![message(
        Role::Assistant,
        vec![
            Part::ToolCall(ToolCall::new("a", "move", r#"{"x": 1}"#)),
            Part::ToolCall(ToolCall::new("b", "move", r#"{"x": 1"#)),
            Part::ToolCall(ToolCall::new("c", "done", "")),
        ],
    )]);
    let draft = conversions::request("m", &Settings::default(), &asked, &MEDIA).unwrap();
    let content = sent(&draft.body).unwrap()["messages"][0]["content"].clone();
    let inputs: Vec<&Value> = content
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["input"])
        .collect();
    assert_eq!(
        inputs,
        [
            &json!({"x": 1}),
            &json!({"unreadable": "{\"x\": 1"}),
            &json!({})
        ]
    );
}

#[test]
fn the_older_tool_is_told_the_size_of_the_screen() {
    let asked = request(vec![message(Role::User, vec![text("u")])]);
    let draft = conversions::request("claude-sonnet-4-5", &native(), &asked, &MEDIA).unwrap();
    assert_eq!(
        sent(&draft.body).unwrap()["tools"][0],
        json!({"type": "computer_20250124", "name": "computer",
               "display_width_px": 1280, "display_height_px": 720})
    );
}

#[test]
fn what_the_api_has_no_place_for_is_refused_here() {
    for (parts, wanted) in [
        (vec![clip("wav-1")], "audio"),
        (vec![picture("gone")], "gone"),
        (vec![Part::Opaque("{}".to_owned())], "adapter"),
    ] {
        let asked = request(vec![message(Role::User, parts)]);
        let error = conversions::request("m", &Settings::default(), &asked, &MEDIA).unwrap_err();
        assert!(
            matches!(&error, ModelError::InvalidRequest(told) if told.contains(wanted)),
            "{error:?}"
        );
    }
    let asked = request(vec![message(Role::User, vec![picture("png-huge")])]);
    let error = conversions::request("m", &Settings::default(), &asked, &MEDIA).unwrap_err();
    assert!(matches!(error, ModelError::ContextExceeded(_)), "{error:?}");
}
