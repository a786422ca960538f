//! Google's generateContent.
//!
//! Settings: `tools` (`host`, or `native` for the computer-use tool), `version` (`v1beta`), `mode` (`ANY`),
//! `thinking-level`, `media-resolution`, `safety-checks` (`continue` or `stop`), `max-output-tokens` (8192, where the
//! request has none).

mod client;
pub mod conversions;
mod models;

use dynacu_sdk::export_adapter;
use dynacu_sdk::model::{
    AdapterDescriptor, Capabilities, ModelAdapter, ModelError, Request, Response,
};
use model_wire::client::MEDIA;

use conversions::Settings;

struct Gemini;

impl ModelAdapter for Gemini {
    type Settings = Settings;

    fn describe() -> AdapterDescriptor {
        AdapterDescriptor::new("google", models::KNOWN.iter().copied())
    }

    fn capabilities_of(_model: &str, _settings: &Settings) -> Capabilities {
        Capabilities {
            images: true,
            max_images: Some(models::MAX_IMAGES),
            audio: true,
            tools: true,
            // It answers on this grid whatever the tool and the size of the picture.
            coordinate_grid: Some(1000),
        }
    }

    fn complete(model: &str, settings: Settings, request: Request) -> Result<Response, ModelError> {
        let draft = conversions::request(model, &settings, &request, &MEDIA)?;
        client::send(model, &settings, &request, draft)
    }
}

export_adapter!(Gemini);
