//! Who acts in a run: the policies and adapters that were named.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use dynacu_record::{AskedModel, InferenceInfo, PluginFile};
use dynacu_runtime::PluginKind;

use crate::config::RunConfig;
use crate::episode::Policy;
use crate::inference::provider::{Model, ModelService, Provider};
use crate::mode::Mode;

mod load;

/// One policy, or each mode's own, with a model where it asks one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Index into the policies; none for each mode's own.
    pub policy: Option<usize>,
    /// Index into the models.
    pub model: Option<usize>,
}

/// Everybody who acts in a run.
pub struct Crew {
    pub policies: Vec<Policy>,
    pub models: Vec<Arc<Model>>,
    pub providers: Vec<Arc<Provider>>,
    pub service: Arc<ModelService>,
    /// The agents of each group of the configuration.
    pub agents: Vec<Vec<Agent>>,
    /// The key of the adapters' random numbers.
    pub random: [u8; 32],
    mode_policies: HashMap<Mode, usize>,
}

impl Crew {
    /// The policy that an agent is in a mode.
    #[must_use]
    pub fn policy_of(&self, agent: &Agent, mode: Mode) -> Option<usize> {
        agent
            .policy
            .or_else(|| self.mode_policies.get(&mode).copied())
    }

    /// The folder name of a policy with its model.
    #[must_use]
    pub fn name_of(&self, policy: usize, model: Option<usize>) -> String {
        let policy = self.policies.get(policy);
        let model = model.and_then(|model| self.models.get(model));
        agent_name(
            policy.map_or("", |policy| policy.plugin.name.as_str()),
            model.map(|model| model.name.as_str()),
        )
    }

    /// The plugins as `run.json` lists them.
    #[must_use]
    pub fn files(&self) -> Vec<PluginFile> {
        let policies = self.policies.iter().map(|policy| PluginFile {
            name: policy.plugin.name.clone(),
            kind: PluginKind::Policy.name().to_owned(),
            version: policy.plugin.version.clone(),
            sha256: policy.plugin.sha256.clone(),
            grants: policy_grants(policy),
        });
        let adapters = self.providers.iter().map(|provider| PluginFile {
            name: provider.plugin.name.clone(),
            kind: PluginKind::ModelAdapter.name().to_owned(),
            version: provider.plugin.version.clone(),
            sha256: provider.plugin.sha256.clone(),
            grants: provider.plugin.manifest.asks(),
        });
        policies.chain(adapters).collect()
    }

    /// How models are asked, as `run.json` says it; none where nobody asks one.
    #[must_use]
    pub fn inference_info(&self, config: &RunConfig) -> Option<InferenceInfo> {
        if self.models.is_empty() {
            return None;
        }
        let spent = self.service.budget.spent();
        Some(InferenceInfo {
            models: self
                .models
                .iter()
                .map(|model| AskedModel {
                    adapter: model.provider.plugin.name.clone(),
                    model: model.name.clone(),
                    usd_per_million: model
                        .price
                        .map(|price| [price.input, price.cached_input, price.output]),
                })
                .collect(),
            endpoints: config
                .model
                .endpoints
                .iter()
                .map(|endpoint| (endpoint.host.clone(), endpoint.url.to_string()))
                .collect(),
            timeout_s: self.service.deadline.as_secs_f64(),
            prices_date: self.service.prices.date.clone(),
            prices_sha256: self.service.prices.sha256.clone(),
            max_cost_usd: config.model.max_cost,
            max_tokens: config.model.max_tokens,
            adapter_random: hex::encode(self.random),
            tokens: spent.tokens,
            cost_usd: spent.cost_usd,
            uncounted: spent.uncounted,
        })
    }

    fn check_endpoints(&self, config: &RunConfig) -> Result<()> {
        for endpoint in &config.model.endpoints {
            let host = &endpoint.host;
            if !self
                .providers
                .iter()
                .any(|provider| provider.grant.allowed.knows(host))
            {
                bail!(
                    "--endpoint {host}: no adapter of this run uses that host; `dynacu-host plugin inspect` shows which ones it uses"
                );
            }
        }
        Ok(())
    }

    /// Host names that lead nowhere stand for a server of one's own.
    fn check_placeholders(&self) -> Result<()> {
        for provider in &self.providers {
            if let Some(host) = provider.grant.allowed.placeholder() {
                bail!(
                    "{} needs your own server: give its address with --endpoint {host}=URL",
                    provider.plugin.name
                );
            }
        }
        Ok(())
    }

    /// One file of settings may serve several runs, so a table that no plugin reads is only reported. A plugin's table has the
    /// name that its manifest gives, or its file's.
    fn tell_unused_settings(&self, config: &RunConfig) {
        let policies = self.policies.iter().map(|one| one.plugin.name.as_str());
        let adapters = self.providers.iter().map(|one| one.plugin.name.as_str());
        let names: Vec<&str> = policies.chain(adapters).collect();
        for table in config.settings.keys() {
            if !names.contains(&table.as_str()) {
                eprintln!(
                    "settings: [{table}] is not used, since no plugin of this run has that name (there are {})",
                    names.join(", ")
                );
            }
        }
    }

    /// A stranger's adapter decides what is asked of a provider and at whose expense. Servers of this machine cost nothing.
    fn check_budget(&self, config: &RunConfig) -> Result<()> {
        if config.model.max_cost.is_some() || config.model.max_tokens.is_some() {
            return Ok(());
        }
        for provider in self.providers.iter().filter(|provider| !provider.trusted) {
            if let Some(host) = provider.grant.allowed.beyond_this_machine() {
                bail!(
                    "{} does not come with this host and asks {host}: say what the run may spend there, with --max-cost DOLLARS where the price table names the model, or with --max-tokens N",
                    provider.plugin.name
                );
            }
        }
        Ok(())
    }

    /// A limit in money needs a price; without a limit a missing one is said once.
    fn check_prices(&self, config: &RunConfig) -> Result<()> {
        for model in self.models.iter().filter(|model| model.price.is_none()) {
            let name = &model.name;
            if !model.provider.reaches_a_network() {
                continue;
            }
            if config.model.max_cost.is_some() {
                bail!(
                    "--max-cost: the price table does not name {name}, so its cost cannot be counted: add it to a table of your own (--prices FILE), or limit the run with --max-tokens"
                );
            }
            eprintln!("{name}: no price is known, so its cost is not counted (--prices FILE)");
        }
        Ok(())
    }
}

/// A policy and its model as a folder name.
#[must_use]
pub fn agent_name(policy: &str, model: Option<&str>) -> String {
    let whole = match model {
        Some(model) => format!("{policy}+{model}"),
        None => policy.to_owned(),
    };
    whole
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || "-_.+".contains(letter) {
                letter
            } else {
                '-'
            }
        })
        .collect()
}

/// Assists and resources, by name.
fn policy_grants(policy: &Policy) -> Vec<String> {
    let assists = policy
        .assists()
        .into_iter()
        .map(|assist| assist.to_string());
    assists.chain(policy.resources()).collect()
}
