//! OpenAI: Chat Completions for GPT-4o and its kin, Responses for what came after.
//!
//! Settings: `api` (`auto`, `chat`, `responses`), `tools` (`host`, or `native` for the computer tool of Responses),
//! `effort`, `detail`, `tool-choice` (`required`), `safety-checks` (`continue` or `stop`), `max-output-tokens` (8192,
//! where the request has none).

mod client;
pub mod conversions;
mod models;

use dynacu_sdk::export_adapter;
use dynacu_sdk::model::{
    AdapterDescriptor, Capabilities, ModelAdapter, ModelError, Request, Response,
};

use conversions::Settings;

struct OpenAi;

impl ModelAdapter for OpenAi {
    type Settings = Settings;

    fn describe() -> AdapterDescriptor {
        AdapterDescriptor::new("openai", models::KNOWN.iter().copied())
    }

    fn capabilities_of(model: &str, _settings: &Settings) -> Capabilities {
        let audio = models::hears(model);
        Capabilities {
            // Nothing says that the models that hear take pictures in the same request.
            images: !audio,
            max_images: Some(if audio { 0 } else { models::MAX_IMAGES }),
            audio,
            tools: true,
            coordinate_grid: None,
        }
    }

    fn complete(model: &str, settings: Settings, request: Request) -> Result<Response, ModelError> {
        client::send(model, &settings, &request)
    }
}

export_adapter!(OpenAi);
