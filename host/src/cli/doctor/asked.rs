//! Do the models answer? One tiny request to each model of the adapters that were named.

use std::path::PathBuf;

use anyhow::Result;
use dynacu_runtime::Engine;

use super::Finding;
use crate::config::model::ModelArguments;
use crate::config::{Flags, RunConfig};
use crate::model::ping::ping;
use crate::model::provider::Model;
use crate::suite::agents::Crew;
use crate::task::home::home;

/// One finding a model; none where no adapter was named. An adapter that cannot be loaded is an error: the command is
/// wrong then, not the machine.
pub async fn findings(
    adapters: Vec<String>,
    settings: Option<PathBuf>,
    model: ModelArguments,
) -> Result<Vec<Finding>> {
    if adapters.is_empty() {
        return Ok(Vec::new());
    }
    let config = RunConfig::resolve(Flags {
        plugins: adapters,
        settings,
        model,
        ..Flags::default()
    })?;
    // Without a task there is no mode whose policy would have to be loaded.
    let crew = Crew::load(&Engine::new()?, &home()?, &config, &[], None).await?;
    let mut findings = Vec::new();
    for model in &crew.models {
        findings.push(finding(model).await);
    }
    Ok(findings)
}

async fn finding(model: &Model) -> Finding {
    let part = format!("model {}", model.name);
    if !model.provider.reaches_a_network() {
        return Finding::good(&part, "its adapter asks nobody");
    }
    match ping(model).await {
        Ok(pong) => Finding::good(
            &part,
            format!(
                "answers as {} after {:.1} s",
                pong.model,
                pong.took.as_secs_f64()
            ),
        ),
        Err(unusable) => Finding::bad(
            &part,
            unusable.why,
            "check the key, the account and the model's name; --endpoint names another server",
        ),
    }
}
