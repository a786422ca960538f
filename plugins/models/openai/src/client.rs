//! Where requests go. The host adds the key.

use dynacu_sdk::model::{ModelError, Request, Response};
use model_wire::client::{self, MEDIA};

use crate::conversions::{Settings, chat, responses};

const CHAT: &str = "https://api.openai.com/v1/chat/completions";
const RESPONSES: &str = "https://api.openai.com/v1/responses";

pub(crate) fn send(
    model: &str,
    settings: &Settings,
    request: &Request,
) -> Result<Response, ModelError> {
    if settings.is_chat(model)? {
        let draft = chat_completions::request(model, &chat(model, settings), request, &MEDIA)?;
        let turn = request.messages.len();
        client::post(CHAT.to_owned(), &[], draft, |reply| {
            chat_completions::answer(model, turn, reply)
        })
    } else {
        let draft = responses::request(model, settings, request, &MEDIA)?;
        client::post(RESPONSES.to_owned(), &[], draft, |reply| {
            responses::answer(model, settings, reply)
        })
    }
}
