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

use conversions::Settings;

struct OpenAiCompatible;

impl ModelAdapter for OpenAiCompatible {
    type Settings = Settings;

    fn describe() -> AdapterDescriptor {
        // Its models are whatever the server has.
        AdapterDescriptor::new("openai-compatible", Vec::<String>::new())
    }

    fn capabilities_of(_model: &str, settings: &Settings) -> Capabilities {
        settings.capabilities()
    }

    fn complete(model: &str, settings: Settings, request: Request) -> Result<Response, ModelError> {
        let draft = chat::request(model, &settings.dialect(), &request, &MEDIA)?;
        let turn = request.messages.len();
        let url = format!("https://openai-compatible.invalid{}", settings.path);
        client::post(url, &[], draft, |reply| {
            conversions::answer(model, turn, &request, reply)
        })
    }
}

export_adapter!(OpenAiCompatible);
