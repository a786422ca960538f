//! Any server that speaks Chat Completions: vLLM, llama.cpp, Ollama. The host's `--endpoint
//! openai-compatible.invalid=URL` says where it is.
//!
//! What a server and its model take nobody but the operator knows, so all of it is settings; see [`conversions`].

pub mod conversions;

use chat_completions as chat;
use dynacu_sdk::export_adapter;
use dynacu_sdk::model::{
    AdapterDescriptor, Capabilities, ModelAdapter, ModelError, Request, Response,
};
use model_wire::client::{self, MEDIA};
use model_wire::settings;

use conversions::Settings;

struct OpenAiCompatible;

impl ModelAdapter for OpenAiCompatible {
    fn describe() -> AdapterDescriptor {
        // Its models are whatever the server has.
        AdapterDescriptor::new("openai-compatible", Vec::<String>::new())
    }

    fn capabilities_of(_model: &str, settings: &str) -> Capabilities {
        // Settings that do not fit are reported by the first call, which the host makes before a run.
        settings::read::<Settings>("openai-compatible", settings)
            .unwrap_or_default()
            .capabilities()
    }

    fn complete(model: &str, settings: &str, request: Request) -> Result<Response, ModelError> {
        let settings: Settings = settings::read("openai-compatible", settings)?;
        let draft = chat::request(model, &settings.dialect(), &request, &MEDIA)?;
        let turn = request.messages.len();
        let url = format!("https://openai-compatible.invalid{}", settings.path);
        client::post(url, &[], draft, |reply| {
            conversions::answer(model, turn, &request, reply)
        })
    }
}

export_adapter!(OpenAiCompatible);
