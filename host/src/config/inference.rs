//! How models are asked: defaults, then the table `[models]` of `run.toml`, then flags.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::inference::egress::allowed::Endpoint;

/// One model call, retries included: reasoning models take minutes.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(180);

/// The flags of every command that asks models.
#[derive(Debug, Clone, Default, Args)]
pub struct ModelArguments {
    /// A model for the policies that ask one, as its provider names it, or ADAPTER/NAME; may be repeated [default: the
    /// adapter's first]
    #[arg(long, value_delimiter = ',')]
    pub model: Vec<String>,
    /// Sends an adapter's host elsewhere, HOST=URL: a proxy, a test server, a server of your own
    #[arg(long)]
    pub endpoint: Vec<String>,
    /// Stops the run when its model calls have cost so much, in US dollars by the price table
    #[arg(long, value_name = "MONEY")]
    pub max_cost: Option<String>,
    /// Stops the run when its model calls have used so many tokens, input and output together
    #[arg(long, value_name = "TOKENS")]
    pub max_tokens: Option<u64>,
    /// A price table in the place of the one that ships
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Seconds that one model call may take, its retries included [default: 180]
    #[arg(long, value_name = "SECONDS")]
    pub model_timeout: Option<f64>,
    /// Does not ask each model for a word before the first episode
    #[arg(long)]
    pub no_preflight: bool,
}

/// The table `[models]` of a run's file.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelTable {
    /// Host to URL.
    #[serde(default)]
    endpoint: BTreeMap<String, String>,
    /// US dollars.
    max_cost: Option<f64>,
    max_tokens: Option<u64>,
    prices: Option<PathBuf>,
    /// Seconds.
    timeout: Option<f64>,
    preflight: Option<bool>,
}

impl ModelTable {
    /// The table that gives this configuration.
    #[must_use]
    pub fn of(config: &ModelConfig) -> ModelTable {
        ModelTable {
            endpoint: config
                .endpoints
                .iter()
                .map(|endpoint| (endpoint.host.clone(), endpoint.url.to_string()))
                .collect(),
            max_cost: config.max_cost,
            max_tokens: config.max_tokens,
            prices: config.prices.clone(),
            timeout: Some(config.timeout.as_secs_f64()),
            preflight: Some(config.preflight),
        }
    }
}

/// How a run asks models.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    pub endpoints: Vec<Endpoint>,
    /// US dollars.
    pub max_cost: Option<f64>,
    pub max_tokens: Option<u64>,
    pub prices: Option<PathBuf>,
    pub timeout: Duration,
    pub preflight: bool,
}

impl ModelConfig {
    /// Merges; flags win.
    pub fn resolve(flags: &ModelArguments, table: ModelTable) -> Result<ModelConfig> {
        let mut endpoints = Vec::new();
        for text in &flags.endpoint {
            endpoints.push(text.parse::<Endpoint>()?);
        }
        for (host, url) in &table.endpoint {
            let endpoint = Endpoint::new(host, url)?;
            if endpoints.iter().all(|named| named.host != endpoint.host) {
                endpoints.push(endpoint);
            }
        }
        let max_cost = match &flags.max_cost {
            Some(text) => Some(money(text)?),
            None => table.max_cost,
        };
        if max_cost.is_some_and(|cost| !cost.is_finite() || cost <= 0.0) {
            bail!("--max-cost must be more than 0");
        }
        let seconds = flags.model_timeout.or(table.timeout);
        let timeout = match seconds {
            None => DEFAULT_TIMEOUT,
            Some(seconds) if (1.0..=3600.0).contains(&seconds) => Duration::from_secs_f64(seconds),
            Some(_) => bail!("--model-timeout must be from 1 to 3600 seconds"),
        };
        Ok(ModelConfig {
            endpoints,
            max_cost,
            max_tokens: flags.max_tokens.or(table.max_tokens),
            prices: flags.prices.clone().or(table.prices),
            timeout,
            preflight: !flags.no_preflight && table.preflight.unwrap_or(true),
        })
    }
}

/// US dollars, with or without their sign.
fn money(text: &str) -> Result<f64> {
    let number = text
        .trim()
        .trim_start_matches('$')
        .trim_end_matches("USD")
        .trim();
    match number.parse() {
        Ok(cost) => Ok(cost),
        Err(_) => bail!("--max-cost {text}: write US dollars, for example 2.50"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_table() {
        let table: ModelTable = toml::from_str(
            "max-cost = 9\nmax-tokens = 5\npreflight = false\n[endpoint]\n\"a.example\" = \"http://127.0.0.1:1\"\n\"b.example\" = \"http://127.0.0.1:2\"\n",
        )
        .unwrap();
        let flags = ModelArguments {
            endpoint: vec!["a.example=http://127.0.0.1:3".to_owned()],
            max_cost: Some("$2.50".to_owned()),
            ..ModelArguments::default()
        };
        let config = ModelConfig::resolve(&flags, table).unwrap();
        let ports: Vec<_> = config
            .endpoints
            .iter()
            .map(|endpoint| endpoint.url.port())
            .collect();
        assert_eq!(ports, [Some(3), Some(2)]);
        assert_eq!(
            (config.max_cost, config.max_tokens, config.preflight),
            (Some(2.5), Some(5), false)
        );
    }

    #[test]
    fn nonsense_is_told() {
        let resolve = |flags: ModelArguments| {
            ModelConfig::resolve(&flags, ModelTable::default())
                .unwrap_err()
                .to_string()
        };
        let cost = |text: &str| ModelArguments {
            max_cost: Some(text.to_owned()),
            ..ModelArguments::default()
        };
        assert!(resolve(cost("a lot")).contains("US dollars"));
        assert!(resolve(cost("0")).contains("--max-cost"));
        let timeout = ModelArguments {
            model_timeout: Some(0.0),
            ..ModelArguments::default()
        };
        assert!(resolve(timeout).contains("--model-timeout"));
        assert!(toml::from_str::<ModelTable>("max_cost = 1").is_err());
    }
}
