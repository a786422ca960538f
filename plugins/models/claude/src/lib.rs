//! Anthropic's Messages API.
//!
//! Settings: `tools` (`host`, or `native` for the computer-use tool), `effort`, `cache` (true), `max-output-tokens`
//! (8192, where the request has none).

mod client;
pub mod conversions;
mod models;

use dynacu_sdk::export_adapter;
use dynacu_sdk::model::{
    AdapterDescriptor, Capabilities, ModelAdapter, ModelError, Request, Response,
};
use model_wire::client::MEDIA;

use conversions::Settings;

struct Claude;

impl ModelAdapter for Claude {
    type Settings = Settings;

    fn describe() -> AdapterDescriptor {
        AdapterDescriptor::new("anthropic", models::KNOWN.iter().copied())
    }

    fn capabilities_of(_model: &str, _settings: &Settings) -> Capabilities {
        Capabilities {
            images: true,
            max_images: Some(models::MAX_IMAGES),
            audio: false,
            tools: true,
            coordinate_grid: None,
        }
    }

    fn complete(model: &str, settings: Settings, request: Request) -> Result<Response, ModelError> {
        let draft = conversions::request(model, &settings, &request, &MEDIA)?;
        client::send(model, &settings, draft)
    }
}

export_adapter!(Claude);
