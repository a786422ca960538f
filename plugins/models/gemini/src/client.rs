//! Where requests go. The host adds the key, as a header: in an address it would end up in logs.

use dynacu_sdk::model::{ModelError, Request, Response};
use model_wire::{Draft, client};

use crate::conversions::{self, Settings};

const HOST: &str = "https://generativelanguage.googleapis.com";

pub(crate) fn send(
    model: &str,
    settings: &Settings,
    request: &Request,
    draft: Draft,
) -> Result<Response, ModelError> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-._".contains(character);
    if model.is_empty() || !model.chars().all(plain) {
        return Err(ModelError::InvalidRequest(format!(
            "{model:?} is no name of a Gemini model: letters, digits, hyphens and dots"
        )));
    }
    let url = format!("{HOST}/{}/models/{model}:generateContent", settings.version);
    client::post(url, &[], draft, |reply| {
        conversions::answer(model, settings, request, reply)
    })
}
