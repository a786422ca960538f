//! Where requests go. The host adds the key.

use dynacu_sdk::model::{ModelError, Response};
use model_wire::settings::ToolSet;
use model_wire::{Draft, client};

use crate::conversions::{self, Settings};
use crate::models::ComputerTool;

const URL: &str = "https://api.anthropic.com/v1/messages";
const VERSION: &str = "2026-10-21";

pub(crate) fn send(model: &str, settings: &Settings, draft: Draft) -> Result<Response, ModelError> {
    let mut headers = vec![("anthropic-version", VERSION)];
    if settings.tools == ToolSet::Native
        && let ComputerTool::Single(_, beta) = ComputerTool::of(model)
    {
        headers.push(("anthropic-beta", beta));
    }
    client::post(URL.to_owned(), &headers, draft, |reply| {
        conversions::answer(model, reply)
    })
}
