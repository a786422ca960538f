//! Canned answers, for tests of everything around a model: a normal adapter that asks nobody.
//!
//! Its settings are a script; see [`script`]. An adapter remembers nothing between calls, so a rule looks at the
//! request alone: what was heard and done before stands in it.

pub mod conversions;
pub mod script;

use dynacu_sdk::model::{
    AdapterDescriptor, Capabilities, ModelAdapter, ModelError, Request, Response,
};
use dynacu_sdk::{export_adapter, logging};
use model_wire::{Answer, settings};

use script::Script;

struct Scripted;

impl ModelAdapter for Scripted {
    fn describe() -> AdapterDescriptor {
        AdapterDescriptor {
            provider: "scripted".to_owned(),
            models: vec!["script".to_owned()],
        }
    }

    fn capabilities_of(_model: &str, settings: &str) -> Capabilities {
        // Settings that do not fit are reported by the first call, which the host makes before a run.
        let script: Script = settings::read("scripted", settings).unwrap_or_default();
        script.takes.capabilities()
    }

    fn complete(model: &str, settings: &str, request: Request) -> Result<Response, ModelError> {
        let script: Script = settings::read("scripted", settings)?;
        let Answer { response, notes } = conversions::answer(model, &script, &request)?;
        for note in &notes {
            logging::info(note);
        }
        Ok(response)
    }
}

export_adapter!(Scripted);
