//! Who acts in a run: the policies and adapters that were named, loaded and paired.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use dynacu_record::{AskedModel, InferenceInfo, PluginFile};
use dynacu_runtime::types::Assist;
use dynacu_runtime::{Engine, Plugin, PluginKind};

use super::plan::{Slot, agent_name};
use crate::bundled;
use crate::config::RunConfig;
use crate::episode::Policy;
use crate::inference::budget::{Budget, Spent};
use crate::inference::egress::network::Network;
use crate::inference::prices::Prices;
use crate::inference::provider::{Model, ModelService, Provider, choose};
use crate::mode::Mode;
use crate::task::home::Home;

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
    /// Loads what the groups name, and each mode's own policy where a group names adapters alone. A run that is resumed goes
    /// on with the random key and the sums of what it was `earlier`.
    pub async fn load(
        engine: &Engine,
        home: &Home,
        config: &RunConfig,
        slots: &[Slot],
        earlier: Option<&InferenceInfo>,
    ) -> Result<Crew> {
        let random = match earlier {
            Some(earlier) => key(&earlier.adapter_random)?,
            None => {
                let mut random = [0_u8; 32];
                getrandom::fill(&mut random).context("the system gives no random numbers")?;
                random
            }
        };
        let spent = earlier.map_or_else(Spent::default, |earlier| Spent {
            tokens: earlier.tokens,
            cost_usd: earlier.cost_usd,
            uncounted: earlier.uncounted,
        });
        let mut crew = Crew {
            policies: Vec::new(),
            models: Vec::new(),
            providers: Vec::new(),
            service: Arc::new(ModelService {
                network: Arc::new(Network::default()),
                prices: Prices::load(config.model.prices.as_deref())?,
                budget: Budget::new(config.model.max_cost, config.model.max_tokens).after(spent),
                deadline: config.model.timeout,
            }),
            agents: Vec::new(),
            random,
            mode_policies: HashMap::new(),
        };
        let mut loading = Loading {
            engine,
            home,
            config,
            policies: HashMap::new(),
            providers: HashMap::new(),
        };
        for (index, group) in config.groups.iter().enumerate() {
            let mut policies = Vec::new();
            let mut providers = Vec::new();
            for name in &group.plugins {
                match loading.plugin(name, &mut crew).await? {
                    Loaded::Policy(policy) => policies.push(policy),
                    Loaded::Adapter(provider) => providers.push(provider),
                }
            }
            if policies.is_empty() {
                for slot in slots.iter().filter(|slot| slot.group == index) {
                    crew.load_mode_policy(&mut loading, slot.mode).await?;
                }
            }
            let models = crew.open_models(&providers, &group.models).await?;
            let agents = crew.pair(&policies, &models)?;
            crew.agents.push(agents);
        }
        crew.check_endpoints(config)?;
        crew.check_placeholders()?;
        crew.check_prices(config)?;
        // `doctor` loads adapters alone, and may be given a run's settings.
        if !slots.is_empty() {
            crew.tell_unused_settings(config);
        }
        Ok(crew)
    }

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

    async fn load_mode_policy(&mut self, loading: &mut Loading<'_>, mode: Mode) -> Result<()> {
        if self.mode_policies.contains_key(&mode) {
            return Ok(());
        }
        let name = mode.name().replace('_', "-");
        let Loaded::Policy(policy) = loading.plugin(&name, self).await? else {
            bail!("{name}, the mode's own policy, is no policy: build the bundled plugins again");
        };
        self.mode_policies.insert(mode, policy);
        Ok(())
    }

    async fn open_models(
        &mut self,
        providers: &[Arc<Provider>],
        named: &[String],
    ) -> Result<Vec<usize>> {
        if providers.is_empty() {
            if let Some(model) = named.first() {
                bail!("--model {model}: no model adapter was named; name one with --plugin");
            }
            return Ok(Vec::new());
        }
        let mut models = Vec::new();
        for model in choose(providers, named, &self.service).await? {
            let known = self.models.iter().position(|known| {
                known.name == model.name && Arc::ptr_eq(&known.provider, &model.provider)
            });
            models.push(known.unwrap_or_else(|| {
                self.models.push(Arc::new(model));
                self.models.len() - 1
            }));
        }
        Ok(models)
    }

    /// Every policy that asks a model with every model; the others alone.
    fn pair(&self, policies: &[usize], models: &[usize]) -> Result<Vec<Agent>> {
        let mut agents = Vec::new();
        let choices: Vec<Option<usize>> = if policies.is_empty() {
            vec![None]
        } else {
            policies.iter().copied().map(Some).collect()
        };
        for policy in choices {
            let asker = policy.and_then(|index| self.policies.get(index));
            match asker {
                Some(alone) if !alone.plugin.manifest.needs_model => agents.push(Agent {
                    policy,
                    model: None,
                }),
                Some(asker) if models.is_empty() => bail!(
                    "{} asks a model, and this run has no model adapter: name one with --plugin",
                    asker.plugin.name
                ),
                _ => agents.extend(models.iter().map(|&model| Agent {
                    policy,
                    model: Some(model),
                })),
            }
        }
        Ok(agents)
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
                    "--endpoint {host}: no adapter of this run asks that host; `dynacu-host plugin inspect` shows which ones it asks"
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
                    "{} asks a server of your own: say where it is with --endpoint {host}=URL",
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

/// A key as `run.json` has it.
fn key(text: &str) -> Result<[u8; 32]> {
    let mut key = [0_u8; 32];
    hex::decode_to_slice(text, &mut key)
        .context("run.json holds no key of the adapters' random numbers: start a new run")?;
    Ok(key)
}

enum Loaded {
    Policy(usize),
    Adapter(Arc<Provider>),
}

/// Plugins by the name that they were asked for, so that each is loaded once.
struct Loading<'a> {
    engine: &'a Engine,
    home: &'a Home,
    config: &'a RunConfig,
    policies: HashMap<String, usize>,
    providers: HashMap<String, Arc<Provider>>,
}

impl Loading<'_> {
    async fn plugin(&mut self, name: &str, crew: &mut Crew) -> Result<Loaded> {
        if let Some(policy) = self.policies.get(name) {
            return Ok(Loaded::Policy(*policy));
        }
        if let Some(provider) = self.providers.get(name) {
            return Ok(Loaded::Adapter(Arc::clone(provider)));
        }
        let path = bundled::find(self.home, name)?;
        let bundled = path.parent() == Some(self.home.plugins_dist.as_path());
        let plugin = Plugin::load(self.engine, &path)?;
        match plugin.kind {
            PluginKind::Scorer => bail!(
                "{name} is a scorer: tasks name their scorers themselves; --plugin takes policies and model adapters"
            ),
            PluginKind::Policy => {
                let policy = self.policy(name, plugin, bundled)?;
                crew.policies.push(policy);
                let index = crew.policies.len() - 1;
                self.policies.insert(name.to_owned(), index);
                Ok(Loaded::Policy(index))
            }
            PluginKind::ModelAdapter => {
                let provider = Arc::new(self.provider(name, plugin, bundled, crew.random).await?);
                crew.providers.push(Arc::clone(&provider));
                self.providers
                    .insert(name.to_owned(), Arc::clone(&provider));
                Ok(Loaded::Adapter(provider))
            }
        }
    }

    fn policy(&self, name: &str, plugin: Plugin, bundled: bool) -> Result<Policy> {
        let asked = |assist: Assist| {
            let asked = plugin.manifest.assists.contains(&assist);
            self.allowed(name, bundled, assist.name(), asked)
        };
        let reading = asked(Assist::Reading)?;
        let solution = asked(Assist::Solution)?;
        let settings = self.settings(&plugin.name)?;
        let memory = self.allowed(
            name,
            bundled,
            "memory",
            plugin.manifest.memory_needs_grant(),
        )?;
        let scratch = self.allowed(name, bundled, "scratch", plugin.manifest.scratch)?;
        let policy = Policy {
            plugin,
            settings,
            reading,
            solution,
            memory,
            scratch,
        };
        eprintln!("{name}: {}", policy_asks(&policy));
        Ok(policy)
    }

    async fn provider(
        &self,
        name: &str,
        plugin: Plugin,
        bundled: bool,
        random: [u8; 32],
    ) -> Result<Provider> {
        let memory = self.allowed(
            name,
            bundled,
            "memory",
            plugin.manifest.memory_needs_grant(),
        )?;
        if plugin.manifest.scratch {
            bail!(
                "{name} asks for a scratch folder, and only policies have one: take `scratch` out of its manifest"
            );
        }
        let asks = plugin.manifest.asks();
        let settings = self.settings(&plugin.name)?;
        let endpoints = &self.config.model.endpoints;
        let provider = Provider::open(plugin, settings, endpoints, random, memory).await?;
        if asks.is_empty() {
            eprintln!("{name}: a model adapter that asks for nothing");
        } else {
            eprintln!("{name}: a model adapter that asks for {}", asks.join("; "));
        }
        Ok(provider)
    }

    /// Whether something beyond naming the plugin is allowed to it.
    fn allowed(&self, name: &str, bundled: bool, what: &str, asked: bool) -> Result<bool> {
        if asked && !bundled && !self.config.grants.iter().any(|grant| grant == what) {
            bail!("{name} asks for `{what}`: allow it with --grant {what}");
        }
        Ok(asked)
    }

    /// A plugin's table of the run configuration, as JSON.
    fn settings(&self, name: &str) -> Result<String> {
        let table = self.config.settings.get(name);
        table.map_or_else(
            || Ok("{}".to_owned()),
            |table| {
                serde_json::to_string(table)
                    .context("the plugin's settings cannot be written as JSON")
            },
        )
    }
}

/// Assists and resources, by name.
fn policy_grants(policy: &Policy) -> Vec<String> {
    let assists = policy
        .assists()
        .into_iter()
        .map(|assist| assist.to_string());
    assists.chain(policy.resources()).collect()
}

fn policy_asks(policy: &Policy) -> String {
    let channels = policy.grants(Mode::AoiInteractive).channels();
    let mut all: Vec<String> = channels.iter().map(ToString::to_string).collect();
    all.extend(policy_grants(policy));
    if all.is_empty() {
        "asks for nothing beyond screenshots".to_owned()
    } else {
        format!(
            "asks for {} (a mode grants no more than its own channels)",
            all.join(", ")
        )
    }
}
