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
use model_wire::Answer;

use script::Script;

struct Scripted;

impl ModelAdapter for Scripted {
    type Settings = Script;

    fn describe() -> AdapterDescriptor {
        AdapterDescriptor {
            provider: "scripted".to_owned(),
            models: vec!["script".to_owned()],
        }
    }

    fn capabilities_of(_model: &str, script: &Script) -> Capabilities {
        script.takes.capabilities()
    }

    fn complete(model: &str, script: Script, request: Request) -> Result<Response, ModelError> {
        let Answer { response, notes } = conversions::answer(model, &script, &request)?;
        for note in &notes {
            logging::info(note);
        }
        Ok(response)
    }
}

export_adapter!(Scripted);
