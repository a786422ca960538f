//! How models are asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::layers::layered;
use super::values::bounded;
use crate::inference::egress::allowed::Endpoint;

bounded!(
    /// US dollars.
    Money(f64), without_sign, |dollars| dollars.is_finite() && *dollars > 0.0,
    "write US dollars, more than 0, for example 2.50"
);
bounded!(
    /// Seconds that a model call may take.
    Timeout(f64), str::trim, |seconds| (1.0..=3600.0).contains(seconds), "must be from 1 to 3600 seconds"
);

impl Timeout {
    /// Retries included: reasoning models take minutes.
    const DEFAULT: Self = Self(180.0);
}

/// How models are asked: the flags of every command that asks any, and the table `[models]`.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelSettings {
    /// Redirects an adapter's host, HOST=URL: to a proxy, a test server, or your own server
    #[arg(long)]
    #[serde(with = "by_host")]
    pub endpoint: Vec<Endpoint>,
    /// Stops the run when its model calls have cost this much, in US dollars by the price table
    #[arg(long, value_name = "MONEY")]
    pub max_cost: Option<Money>,
    /// Stops the run when its model calls have used this many tokens, input and output together
    #[arg(long, value_name = "TOKENS")]
    pub max_tokens: Option<u64>,
    /// A price table to use instead of the bundled one
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Seconds that one model call may take, its retries included [default: 180]
    #[arg(id = "model_timeout", long = "model-timeout", value_name = "SECONDS")]
    pub timeout: Option<Timeout>,
    /// Skips the test request to each model before the first episode
    #[arg(long)]
    #[serde(rename = "preflight", with = "negated")]
    pub no_preflight: bool,
}

layered!(ModelSettings {
    endpoint,
    max_cost,
    max_tokens,
    prices,
    timeout,
    no_preflight,
});

/// In a file the endpoints are a table, host to URL.
mod by_host {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use super::{BTreeMap, Deserialize, Endpoint};

    pub(super) fn serialize<S: Serializer>(
        endpoints: &[Endpoint],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let pair = |endpoint: &Endpoint| (endpoint.host.clone(), endpoint.url.to_string());
        to.collect_map(endpoints.iter().map(pair).collect::<BTreeMap<_, _>>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Endpoint>, D::Error> {
        BTreeMap::<String, String>::deserialize(from)?
            .iter()
            .map(|(host, url)| Endpoint::new(host, url).map_err(D::Error::custom))
            .collect()
    }
}

/// In a file the check before the first episode is on or off.
mod negated {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(off: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(!off)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        bool::deserialize(from).map(|on| !on)
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
    /// Fills in what the settings do not say.
    pub fn resolve(settings: &mut ModelSettings) -> ModelConfig {
        let timeout = *settings.timeout.get_or_insert(Timeout::DEFAULT);
        ModelConfig {
            endpoints: settings.endpoint.clone(),
            max_cost: settings.max_cost.map(Money::get),
            max_tokens: settings.max_tokens,
            prices: settings.prices.clone(),
            timeout: Duration::from_secs_f64(timeout.get()),
            preflight: !settings.no_preflight,
        }
    }
}

/// An amount may have its sign.
fn without_sign(text: &str) -> &str {
    text.trim()
        .trim_start_matches('$')
        .trim_end_matches("USD")
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layers::Over;

    #[test]
    fn flags_win_over_the_table() {
        let table: ModelSettings = toml::from_str(
            "max-cost = 9\nmax-tokens = 5\npreflight = false\n[endpoint]\n\"a.example\" = \"http://127.0.0.1:1\"\n\"b.example\" = \"http://127.0.0.1:2\"\n",
        )
        .unwrap();
        let flags = ModelSettings {
            endpoint: vec!["a.example=http://127.0.0.1:3".parse().unwrap()],
            max_cost: Some("$2.50".parse().unwrap()),
            ..ModelSettings::default()
        };
        let config = ModelConfig::resolve(&mut flags.over(table));
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
        for text in ["a lot", "0", "inf", "-1"] {
            let error = text.parse::<Money>().unwrap_err();
            assert!(error.contains("US dollars"), "{text}: {error}");
        }
        assert!("0".parse::<Timeout>().unwrap_err().contains("1 to 3600"));
        for (text, word) in [
            ("max_cost = 1", "max_cost"),
            ("max-cost = 0", "US dollars"),
            ("timeout = 0", "1 to 3600"),
            ("[endpoint]\n\"a.example\" = \"ftp://b\"", "http://"),
        ] {
            let error = toml::from_str::<ModelSettings>(text).unwrap_err();
            assert!(error.to_string().contains(word), "{text}: {error}");
        }
    }
}
