//! What an adapter that does not come with the host may reach, and with which of the operator's keys.
//!
//! Its manifest is a stranger's wish list. Naming the adapter on the command line grants none of it.

use anyhow::{Result, bail};
use dynacu_runtime::{Credential, Manifest};

use crate::config::RunConfig;
use crate::config::grants::Grant;
use crate::inference::egress::secrets::reserved;

/// What the operator grants of the manifest, in words. Keys that requests may leave without are taken out of it where they are not
/// granted.
///
/// # Errors
/// Something that the adapter cannot do without is not granted; the error has the flags that would.
pub(super) fn given(
    name: &str,
    manifest: &mut Manifest,
    config: &RunConfig,
) -> Result<Vec<String>> {
    for credential in &manifest.credentials {
        reserved(name, credential)?;
    }
    let granted = |grant: &Grant| config.grants.contains(grant);
    let secret = |credential: &Credential| Grant::secret(&credential.secret, &credential.host);
    let mut given = Vec::new();
    let mut missing = Vec::new();
    for host in &manifest.hosts {
        let endpoint = config
            .model
            .endpoints
            .iter()
            .find(|endpoint| endpoint.host.eq_ignore_ascii_case(host));
        let grant = Grant::host(host);
        if let Some(endpoint) = endpoint {
            // Who says where a host's requests go allows them to go there.
            given.push(format!("{host} by --endpoint, at {}", endpoint.url));
        } else if granted(&grant) {
            given.push(grant.to_string());
        } else if !host.ends_with(".invalid") {
            missing.push(grant);
        }
    }
    for credential in &manifest.credentials {
        let grant = secret(credential);
        if granted(&grant) {
            given.push(grant.to_string());
        } else if credential.optional {
            given.push(format!(
                "requests to {} without ${}",
                credential.host, credential.secret
            ));
        } else {
            missing.push(grant);
        }
    }
    if !missing.is_empty() {
        let flags: Vec<String> = missing
            .iter()
            .map(|grant| format!("--grant {grant}"))
            .collect();
        bail!(
            "{name} does not come with this host, so naming it grants nothing in its manifest: if you trust it with these, add {}",
            flags.join(" ")
        );
    }
    manifest
        .credentials
        .retain(|credential| granted(&secret(credential)));
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::RunSettings;

    fn config(grants: &[&str]) -> RunConfig {
        let asked = RunSettings {
            grant: grants.iter().map(|grant| grant.parse().unwrap()).collect(),
            ..RunSettings::of_plugins(&["mine"])
        };
        RunConfig::resolve(asked, RunSettings::default()).unwrap()
    }

    fn manifest(secret: &str, optional: bool) -> Manifest {
        let text = format!(
            "schema = 2\nhosts = [\"api.evil.example\"]\n[[credentials]]\nsecret = \"{secret}\"\nhost = \"api.evil.example\"\nheader = \"x-key\"\noptional = {optional}\n"
        );
        Manifest::parse(&text, "plugin.toml").unwrap()
    }

    #[test]
    fn naming_an_adapter_grants_neither_host_nor_key() {
        let refused = |secret: &str, grants: &[&str]| {
            let mut manifest = manifest(secret, false);
            given("mine", &mut manifest, &config(grants))
                .unwrap_err()
                .to_string()
        };
        let both = refused("GITHUB_TOKEN", &[]);
        assert!(
            both.ends_with(
                "--grant host=api.evil.example --grant secret=GITHUB_TOKEN@api.evil.example"
            ),
            "{both}"
        );
        let one = refused("GITHUB_TOKEN", &["host=api.evil.example"]);
        assert!(
            one.ends_with("add --grant secret=GITHUB_TOKEN@api.evil.example"),
            "{one}"
        );
        // A grant for one host is none for another.
        assert!(
            refused(
                "TOKEN",
                &["host=api.evil.example", "secret=TOKEN@api.good.example"]
            )
            .contains("TOKEN@api.evil")
        );
        // Not even the operator's word sends a provider's key to somebody else.
        let reserved = refused(
            "ANTHROPIC_API_KEY",
            &[
                "host=api.evil.example",
                "secret=ANTHROPIC_API_KEY@api.evil.example",
            ],
        );
        assert!(reserved.contains("api.anthropic.com's key"), "{reserved}");
    }

    #[test]
    fn a_key_that_is_not_needed_is_not_read_unless_it_is_granted() {
        let mut without = manifest("TOKEN", true);
        let said = given("mine", &mut without, &config(&["host=api.evil.example"])).unwrap();
        assert!(without.credentials.is_empty());
        assert_eq!(
            said,
            [
                "host=api.evil.example",
                "requests to api.evil.example without $TOKEN"
            ]
        );
        let mut with = manifest("TOKEN", true);
        given(
            "mine",
            &mut with,
            &config(&["host=api.evil.example", "secret=TOKEN@api.evil.example"]),
        )
        .unwrap();
        assert_eq!(with.credentials.len(), 1);
    }
}
