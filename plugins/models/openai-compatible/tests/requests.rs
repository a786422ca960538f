//! What settings make of a request to a server of one's own.

use dynacu_sdk::http;
use dynacu_sdk::model::{Part, Role};
use model_wire::fixtures::{MEDIA, message, picture, request, sent};
use openai_compatible::conversions::{self, Settings};
use serde_json::json;

fn settings(json: &str) -> Result<Settings, String> {
    dynacu_sdk::settings::parse(json)
}

#[test]
fn only_what_every_server_knows_is_sent_unless_settings_say_more() {
    let mut asked = request(vec![message(
        Role::User,
        vec![Part::Text("Look.".to_owned()), picture("png-1")],
    )]);
    asked.tools.clear();
    asked.temperature = Some(0.7);
    let plain = settings("{}").unwrap();
    let draft = chat_completions::request("local", &plain.dialect(), &asked, &MEDIA).unwrap();
    let messages = json!([{"role": "user", "content": [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,<png-1>"}},
    ]}]);
    assert_eq!(
        sent(&draft.body).unwrap(),
        json!({"model": "local", "max_tokens": 4096, "temperature": 0.7, "messages": messages})
    );
    let more = settings(
        r#"{"limit-field": "max_completion_tokens", "detail": "low", "max-output-tokens": 9,
            "extra": {"temperature": 0, "chat_template_kwargs": {"enable_thinking": false}}}"#,
    )
    .unwrap();
    let draft = chat_completions::request("local", &more.dialect(), &asked, &MEDIA).unwrap();
    let body = sent(&draft.body).unwrap();
    assert_eq!(body["max_completion_tokens"], 9);
    assert_eq!(body["temperature"], 0);
    assert_eq!(
        body["chat_template_kwargs"],
        json!({"enable_thinking": false})
    );
    assert_eq!(
        body["messages"][0]["content"][1]["image_url"]["detail"],
        "low"
    );
}

#[test]
fn capabilities_are_what_settings_say() {
    let takes =
        settings(r#"{"audio": true, "tools": false, "coordinate-grid": 1000, "max-images": 4}"#)
            .unwrap()
            .capabilities();
    assert!(takes.images && takes.audio && !takes.tools);
    assert_eq!(
        (takes.max_images, takes.coordinate_grid),
        (Some(4), Some(1000))
    );
}

#[test]
fn a_prompt_that_the_server_cut_is_noted() {
    let asked = request(vec![message(
        Role::User,
        vec![Part::Text("word ".repeat(2_000))],
    )]);
    let reply = |tokens: u64| {
        http::Response {
        status: 200,
        headers: Vec::new(),
        body: json!({"model": "local", "choices": [{"message": {"content": "hm"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 1}})
        .to_string()
        .into_bytes(),
    }
    };
    let notes = |tokens| {
        conversions::answer("local", 1, &asked, &reply(tokens))
            .unwrap()
            .notes
    };
    assert_eq!(notes(2_000), Vec::<String>::new());
    assert!(notes(500)[0].starts_with("prompt_cut: 500"));
}
