//! A built adapter against exchanges from a file, and against those that an episode recorded.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops where something is missing"
)]

use std::path::Path;

use dynacu_record::{Event, Writer};
use dynacu_runtime::Plugin;
use dynacu_runtime::types::{Duration, Message, ModelError, ModelRequest, Part, Role};
use dynacu_sdk_testing::{Exchanges, Media, Picture, complete, load};

const URL: &str = "https://openai-compatible.invalid/v1/chat/completions";
const ANSWER: &str =
    r#"{"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": "Blue."}}]}"#;

fn adapter() -> Plugin {
    let path = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/sdk/testing"));
    let path = path.join("../../plugins/dist/openai-compatible.wasm");
    assert!(path.exists(), "it is not built: run `make guests`");
    load(path).unwrap()
}

/// "Which colour?", with a picture.
fn question(media: &Media) -> ModelRequest {
    let picture = media.keep(Picture::named("blue").png(), "image/png", "blue");
    let parts = vec![
        Part::Text("Which colour?".to_owned()),
        Part::Image(picture.into()),
    ];
    ModelRequest {
        messages: vec![Message {
            role: Role::User,
            parts,
        }],
        tools: Vec::new(),
        display: None,
        max_output_tokens: Some(100),
        temperature: None,
    }
}

fn body(question: &ModelRequest) -> String {
    let Part::Image(picture) = &question.messages[0].parts[1] else {
        panic!("no picture")
    };
    format!(
        r#"{{"model": "m", "max_tokens": 100, "messages": [{{"role": "user", "content": [
            {{"type": "text", "text": "Which colour?"}},
            {{"type": "image_url", "image_url": {{"url": "data:image/png;base64,blob:{}"}}}}]}}]}}"#,
        picture.sha256
    )
}

#[tokio::test]
async fn a_file_of_exchanges_answers_in_order_and_says_what_is_unlike() {
    let media = Media::default();
    let question = question(&media);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exchanges.json");
    let body = body(&question);
    let text = format!(
        r#"{{"schema": 1, "exchanges": [
            {{"url": "{URL}", "body": {body}, "answer": {{"status": 200, "body": {ANSWER}}}}},
            {{"answer": {{"status": 429, "headers": [["retry-after", "2"]], "body": "slow down"}}}},
            {{"error": "timeout"}},
            {{"body": {{"model": "other"}}, "answer": {{"status": 200, "body": {ANSWER}}}}}]}}"#
    );
    std::fs::write(&file, text).unwrap();
    let exchanges = Exchanges::open(&file).unwrap().with_media(&media);
    let plugin = adapter();
    let mut outcomes = Vec::new();
    for _ in 0..4 {
        let answered = complete(&plugin, "m", "{}", question.clone(), &exchanges);
        outcomes.push(answered.await.unwrap().outcome.unwrap());
    }
    let answer = outcomes[0].as_ref().unwrap();
    assert_eq!(answer.parts, [Part::Text("Blue.".to_owned())]);
    assert_eq!(
        outcomes[1],
        Err(ModelError::RateLimited(Some(Duration::of(2_000))))
    );
    assert_eq!(outcomes[2], Err(ModelError::Timeout));
    assert!(outcomes[3].is_err());
    let unlike = exchanges.unlike();
    assert_eq!(unlike.len(), 1);
    assert!(
        unlike[0].contains("exchange 4") && unlike[0].contains("its body differs at $"),
        "{unlike:?}"
    );
    assert_eq!(exchanges.sent().len(), 4);
}

#[test]
fn a_file_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exchanges.json");
    for (text, wanted) in [
        ("{", "exchanges.json"),
        (r#"{"schema": 2, "exchanges": []}"#, "schema 2"),
        (r#"{"schema": 1, "exchanges": [{}]}"#, "exchange 1"),
        (r#"{"schema": 1, "exchanges": [{"answr": 1}]}"#, "answr"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = Exchanges::open(&file).err().unwrap().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[tokio::test]
async fn an_episode_s_own_exchange_is_played_again() {
    let media = Media::default();
    let question = question(&media);
    let folder = tempfile::tempdir().unwrap();
    let (writer, recorder) = Writer::start(folder.path()).unwrap();
    let request = recorder.blob(body(&question).into_bytes(), "application/json");
    let response = recorder.blob(ANSWER.as_bytes().to_vec(), "application/json");
    let exchange = Event::ModelExchange {
        call: 1,
        attempt: 1,
        method: "POST".to_owned(),
        url: URL.to_owned(),
        request_headers: Vec::new(),
        request,
        status: Some(200),
        response_headers: Vec::new(),
        response: Some(response),
        error: None,
        took_ms: 5,
    };
    recorder.event(1_000, exchange);
    drop(recorder);
    writer.finish().unwrap();
    let exchanges = Exchanges::of_episode(folder.path())
        .unwrap()
        .with_media(&media);
    let adapter = adapter();
    let answered = complete(&adapter, "m", "{}", question, &exchanges);
    let answer = answered.await.unwrap().outcome.unwrap().unwrap();
    assert_eq!(answer.parts, [Part::Text("Blue.".to_owned())]);
    assert_eq!(exchanges.unlike(), Vec::<String>::new());
    let empty = tempfile::tempdir().unwrap();
    assert!(Exchanges::of_episode(empty.path()).is_err());
}
