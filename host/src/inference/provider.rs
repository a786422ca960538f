//! Adapters that a run loaded, and which of them answers for a model.

use std::sync::Arc;
use std::time::Duration;

use dynacu_record::Usage;
use dynacu_runtime::types::{AdapterDescriptor, Capabilities, ModelResponse};
use dynacu_runtime::{Adapter, GuestFailure, Limits, Plugin};

use super::budget::Budget;
use super::egress::Grant;
use super::egress::allowed::{Allowed, Endpoint};
use super::egress::network::Network;
use super::egress::secrets::{CredentialError, Secrets};
use super::prices::{Price, Prices};
use super::seal::Seal;

/// What all model calls of a run share.
pub struct ModelService {
    pub network: Arc<Network>,
    pub prices: Prices,
    pub budget: Budget,
    pub seal: Seal,
    /// Of one call, its retries included.
    pub deadline: Duration,
}

/// An adapter that cannot serve, or a model that nobody serves.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    #[error(transparent)]
    Credential(#[from] CredentialError),
    #[error("the adapter {name} failed to describe itself: {failure}")]
    Silent { name: String, failure: GuestFailure },
    #[error("{model} is offered by several adapters ({adapters}): write ADAPTER/{model}")]
    Several { model: String, adapters: String },
    #[error(
        "no adapter of this run knows the model {model} ({known}): write ADAPTER/{model} to ask one anyway"
    )]
    Unknown { model: String, known: String },
    #[error("{0} does not list its models: choose one with --model")]
    NoDefault(String),
}

/// One adapter, ready to be asked.
pub struct Provider {
    pub plugin: Plugin,
    pub adapter: Adapter,
    pub descriptor: AdapterDescriptor,
    /// Its table of the run configuration, as JSON.
    pub settings: String,
    pub grant: Arc<Grant>,
    /// It comes with the host.
    pub trusted: bool,
}

impl Provider {
    /// Reads its secrets, starts it and asks what it is. `random` is the key of its random numbers; `memory` whether
    /// it may have more memory than plugins have by default; `trusted` whether it comes with the host.
    ///
    /// # Errors
    /// A secret is missing, or the guest fails.
    pub async fn open(
        plugin: Plugin,
        settings: String,
        endpoints: &[Endpoint],
        random: [u8; 32],
        memory: bool,
        trusted: bool,
    ) -> Result<Provider, ProviderError> {
        let secrets = Secrets::read(&plugin.name, &plugin.manifest, |name| {
            std::env::var(name).ok()
        })?;
        let limits = Limits {
            memory: plugin.manifest.memory_bytes(memory),
            ..Limits::adapter(random)
        };
        let silent = |failure| ProviderError::Silent {
            name: plugin.name.clone(),
            failure,
        };
        let adapter = plugin.adapter(limits).map_err(silent)?;
        let descriptor = adapter.describe().await.map_err(silent)?;
        let grant = Grant {
            allowed: Allowed::new(&plugin.manifest, endpoints),
            secrets,
        };
        Ok(Provider {
            plugin,
            adapter,
            descriptor,
            settings,
            grant: Arc::new(grant),
            trusted,
        })
    }

    /// Whether it has anybody to ask.
    #[must_use]
    pub fn reaches_a_network(&self) -> bool {
        !self.plugin.manifest.hosts.is_empty()
    }
}

/// A model that policies of a run may ask.
pub struct Model {
    pub name: String,
    pub service: Arc<ModelService>,
    pub provider: Arc<Provider>,
    pub capabilities: Capabilities,
    /// None where the price table does not name it.
    pub price: Option<Price>,
}

impl Model {
    async fn open(
        name: &str,
        provider: &Arc<Provider>,
        service: &Arc<ModelService>,
    ) -> Result<Model, ProviderError> {
        let capabilities = provider
            .adapter
            .capabilities_of(name, &provider.settings)
            .await
            .map_err(|failure| ProviderError::Silent {
                name: provider.plugin.name.clone(),
                failure,
            })?;
        Ok(Model {
            name: name.to_owned(),
            service: Arc::clone(service),
            provider: Arc::clone(provider),
            capabilities,
            price: service.prices.of(name),
        })
    }

    /// What an answer used up, with its price where one is known.
    #[must_use]
    pub fn usage(&self, response: &ModelResponse) -> Option<Usage> {
        let said = response.usage.as_ref()?;
        let mut usage = Usage {
            input_tokens: said.input_tokens,
            cached_input_tokens: said.cached_input_tokens.unwrap_or_default(),
            output_tokens: said.output_tokens,
            reasoning_tokens: said.reasoning_tokens.unwrap_or_default(),
            cost_usd: None,
        };
        let price = self.service.prices.of(&response.model).or(self.price);
        usage.cost_usd = price.map(|price| price.of(&usage));
        Some(usage)
    }
}

/// The models that were named, each with its adapter; the first of each adapter where none was named.
///
/// # Errors
/// Nobody or more than one serves a model.
pub async fn choose(
    providers: &[Arc<Provider>],
    named: &[String],
    service: &Arc<ModelService>,
) -> Result<Vec<Model>, ProviderError> {
    let offers: Vec<Offer<'_>> = providers
        .iter()
        .map(|provider| Offer {
            adapter: &provider.plugin.name,
            models: &provider.descriptor.models,
        })
        .collect();
    let mut models = Vec::new();
    for (provider, name) in route(&offers, named)? {
        if let Some(provider) = providers.get(provider) {
            models.push(Model::open(&name, provider, service).await?);
        }
    }
    Ok(models)
}

/// What an adapter serves, by its own word.
struct Offer<'a> {
    adapter: &'a str,
    models: &'a [String],
}

/// Index of the adapter and the model's name for each model that was named.
fn route(offers: &[Offer<'_>], named: &[String]) -> Result<Vec<(usize, String)>, ProviderError> {
    if named.is_empty() {
        return offers
            .iter()
            .enumerate()
            .map(|(index, offer)| match offer.models.first() {
                Some(first) => Ok((index, first.clone())),
                None => Err(ProviderError::NoDefault(offer.adapter.to_owned())),
            })
            .collect();
    }
    named.iter().map(|name| find(offers, name)).collect()
}

fn find(offers: &[Offer<'_>], name: &str) -> Result<(usize, String), ProviderError> {
    // Models have slashes in their names too, so only an adapter's name counts as one.
    if let Some((adapter, rest)) = name.split_once('/')
        && let Some(index) = offers.iter().position(|offer| offer.adapter == adapter)
    {
        return Ok((index, rest.to_owned()));
    }
    let serving: Vec<usize> = (0..offers.len())
        .filter(|&index| offers[index].models.iter().any(|model| model == name))
        .collect();
    let names = |indices: &[usize]| {
        let names: Vec<&str> = indices.iter().map(|&index| offers[index].adapter).collect();
        names.join(", ")
    };
    match serving.as_slice() {
        [one] => Ok((*one, name.to_owned())),
        // Providers have more models than an adapter can list.
        [] if offers.len() == 1 => Ok((0, name.to_owned())),
        [] => Err(ProviderError::Unknown {
            model: name.to_owned(),
            known: names(&(0..offers.len()).collect::<Vec<_>>()),
        }),
        several => Err(ProviderError::Several {
            model: name.to_owned(),
            adapters: names(several),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(offers: &[(&str, &[&str])], named: &[&str]) -> Result<Vec<(usize, String)>, String> {
        let models: Vec<Vec<String>> = offers
            .iter()
            .map(|(_, models)| models.iter().map(|&model| model.to_owned()).collect())
            .collect();
        let offers: Vec<Offer<'_>> = offers
            .iter()
            .zip(&models)
            .map(|((adapter, _), models)| Offer { adapter, models })
            .collect();
        let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
        route(&offers, &named).map_err(|error| error.to_string())
    }

    fn to(index: usize, name: &str) -> (usize, String) {
        (index, name.to_owned())
    }

    #[test]
    fn a_model_finds_the_adapter_that_offers_it() {
        let two: [(&str, &[&str]); 2] = [
            ("claude", &["opus", "shared"]),
            ("openai", &["gpt", "shared"]),
        ];
        assert_eq!(
            routed(&two, &["gpt", "opus"]),
            Ok(vec![to(1, "gpt"), to(0, "opus")])
        );
        assert_eq!(routed(&two, &[]), Ok(vec![to(0, "opus"), to(1, "gpt")]));
        assert_eq!(
            routed(&two, &["openai/new/one"]),
            Ok(vec![to(1, "new/one")])
        );
        assert!(
            routed(&two, &["shared"])
                .unwrap_err()
                .contains("claude, openai")
        );
        assert!(
            routed(&two, &["Qwen/vl"])
                .unwrap_err()
                .contains("ADAPTER/Qwen/vl")
        );
    }

    #[test]
    fn a_lone_adapter_takes_any_name_but_needs_one() {
        let one: [(&str, &[&str]); 1] = [("compatible", &[])];
        assert_eq!(routed(&one, &["Qwen/vl"]), Ok(vec![to(0, "Qwen/vl")]));
        assert!(routed(&one, &[]).unwrap_err().contains("--model"));
    }
}
