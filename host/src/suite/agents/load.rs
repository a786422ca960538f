//! Plugins that a run names are loaded, asked what they are, allowed what the operator grants, and paired with models.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use dynacu_record::InferenceInfo;
use dynacu_runtime::types::Assist;
use dynacu_runtime::{Engine, Plugin, PluginKind};

use super::{Agent, Crew, policy_grants};
use crate::bundled;
use crate::config::RunConfig;
use crate::config::grants::Grant;
use crate::episode::Policy;
use crate::inference::budget::{Budget, Spent};
use crate::inference::egress::network::Network;
use crate::inference::prices::Prices;
use crate::inference::provider::{ModelService, Provider, choose};
use crate::inference::seal::Seal;
use crate::mode::Mode;
use crate::suite::slots::Slot;
use crate::task::home::Home;

mod network;

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
                getrandom::fill(&mut random).context("the system provides no random numbers")?;
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
                seal: Seal::new().context("the system gives no random numbers")?,
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
        // `doctor` loads adapters alone, may be given a run's settings, and asks for no more than a word.
        if !slots.is_empty() {
            crew.check_budget(config)?;
            crew.tell_unused_settings(config);
        }
        Ok(crew)
    }

    async fn load_mode_policy(&mut self, loading: &mut Loading<'_>, mode: Mode) -> Result<()> {
        if self.mode_policies.contains_key(&mode) {
            return Ok(());
        }
        let name = mode.name().replace('_', "-");
        let Loaded::Policy(policy) = loading.plugin(&name, self).await? else {
            bail!(
                "{name}, the mode's own policy, is not a policy: build the bundled plugins again"
            );
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
}

/// A key as `run.json` has it.
fn key(text: &str) -> Result<[u8; 32]> {
    let mut key = [0_u8; 32];
    hex::decode_to_slice(text, &mut key)
        .context("run.json has no key for the adapters' random numbers: start a new run")?;
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
            self.allowed(name, bundled, &assist.into(), asked)
        };
        let reading = asked(Assist::Reading)?;
        let solution = asked(Assist::Solution)?;
        let settings = self.settings(&plugin.name)?;
        let memory = self.allowed(
            name,
            bundled,
            &Grant::Memory,
            plugin.manifest.memory_needs_grant(),
        )?;
        let scratch = self.allowed(name, bundled, &Grant::Scratch, plugin.manifest.scratch)?;
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
        mut plugin: Plugin,
        bundled: bool,
        random: [u8; 32],
    ) -> Result<Provider> {
        let memory = self.allowed(
            name,
            bundled,
            &Grant::Memory,
            plugin.manifest.memory_needs_grant(),
        )?;
        if plugin.manifest.scratch {
            bail!(
                "{name} asks for a scratch folder, but only policies may have one: remove `scratch` from its manifest"
            );
        }
        let asks = plugin.manifest.asks();
        if asks.is_empty() {
            eprintln!("{name}: a model adapter that asks for nothing");
        } else {
            eprintln!("{name}: a model adapter that asks for {}", asks.join("; "));
        }
        // Said before the adapter runs or a variable is read.
        if !bundled {
            let given = network::given(name, &mut plugin.manifest, self.config)?;
            if !given.is_empty() {
                eprintln!("{name}: granted {}", given.join("; "));
            }
        }
        let settings = self.settings(&plugin.name)?;
        let endpoints = &self.config.model.endpoints;
        Ok(Provider::open(plugin, settings, endpoints, random, memory, bundled).await?)
    }

    /// Whether something beyond naming the plugin is allowed to it.
    fn allowed(&self, name: &str, bundled: bool, what: &Grant, asked: bool) -> Result<bool> {
        if asked && !bundled && !self.config.grants.contains(what) {
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
