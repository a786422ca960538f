//! What the targets over adapters' replies share.

#![allow(dead_code, reason = "some adapters read a reply without its request")]

use dynacu_sdk::Size;
use dynacu_sdk::http::Response;
use dynacu_sdk::model::{Message, Part, Request};
use dynacu_sdk::tools::Tools;
use model_wire::Outcome;

/// The first byte picks the status, the rest is the body.
pub fn reply(bytes: &[u8]) -> Option<Response> {
    let (first, body) = bytes.split_first()?;
    let status = match first {
        b'4' => 400,
        b'5' => 500,
        b'9' => 429,
        _ => 200,
    };
    Some(Response {
        status,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.to_vec(),
    })
}

/// What an answer followed upon.
pub fn request() -> Request {
    Request::new(vec![Message::user(vec![Part::from("Click the button.")])])
}

/// An answer, or an error; every call of an answer can be read, or there is a reason for the model.
pub fn holds(outcome: Outcome) {
    let tools = Tools::new(Size::from((1280, 720))).with_speech(true);
    for part in outcome.iter().flat_map(|answer| &answer.response.parts) {
        match part {
            Part::ToolCall(call) => {
                if let Err(why) = tools.read(call) {
                    assert!(!why.to_string().is_empty());
                }
            }
            Part::Text(text) => {
                let _ = tools.recover(text);
            }
            Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) | Part::Opaque(_) => {}
        }
    }
}
