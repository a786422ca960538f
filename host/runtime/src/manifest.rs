//! `plugin.toml`: what a plugin is called and what it asks for. Without one it is called as its file and asks for nothing.

use serde::{Deserialize, Serialize};

use crate::types::{Assist, Channel};

/// The custom section that carries the manifest inside a `.wasm`.
pub const SECTION: &str = "dynacu:plugin-manifest";

/// Bytes of the longest manifest.
pub(crate) const LARGEST: usize = 64 << 10;

/// Version of the manifest's shape.
pub const SCHEMA: u32 = 2;
/// Longer names are refused: they become folders.
const LONGEST_NAME: usize = 64;

/// Memory that needs no grant, in MiB.
pub const MEMORY_WITHOUT_GRANT_MIB: u32 = 256;
/// The largest linear memory there is.
const MEMORY_MAX_MIB: u32 = 4096;

/// A plugin's asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always 2.
    pub schema: u32,
    /// What results, settings and folders call it: lower-case letters, digits, `-` and `_`. None takes the file's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Names of hosts that it sends requests to, without scheme and path.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Secrets of the operator's that its requests carry.
    #[serde(default)]
    pub credentials: Vec<Credential>,
    /// What a policy perceives and produces beyond one screenshot a step.
    #[serde(default)]
    pub channels: Vec<Channel>,
    /// Help that no person has: `reading`, `solution`. Needs a grant.
    #[serde(default)]
    pub assists: Vec<Assist>,
    /// Whether a policy cannot do without a model.
    #[serde(default)]
    pub needs_model: bool,
    /// Linear memory in MiB; more than 256 needs a grant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// A folder of its own during an episode; needs a grant.
    #[serde(default)]
    pub scratch: bool,
}

/// The methods that a guest's request may have.
const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

/// A secret that the host adds to requests. It never enters the guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// The environment variable that holds it.
    pub secret: String,
    /// One of `hosts`.
    pub host: String,
    /// The header that carries it.
    pub header: String,
    /// Put before the secret, for example `Bearer ` with its space.
    #[serde(default)]
    pub prefix: String,
    /// Whether requests may leave without it where the variable is not set, as to a server of one's own.
    #[serde(default)]
    pub optional: bool,
    /// Methods of the requests that carry it.
    #[serde(default = "post")]
    pub methods: Vec<String>,
    /// What the paths of these requests begin with: `/v1/messages` stands for itself and everything below it.
    #[serde(default = "any_path")]
    pub paths: Vec<String>,
}

fn post() -> Vec<String> {
    vec!["POST".to_owned()]
}

fn any_path() -> Vec<String> {
    vec!["/".to_owned()]
}

impl Credential {
    /// Whether a request of this method to this path may carry it.
    #[must_use]
    pub fn covers(&self, method: &str, path: &str) -> bool {
        // What a server may read as another path than this host does.
        let encoded = ["%2e", "%2f", "%5c"];
        let lower = path.to_ascii_lowercase();
        if encoded.iter().any(|encoded| lower.contains(encoded)) {
            return false;
        }
        let below = |prefix: &String| {
            let rest = path.strip_prefix(prefix.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.methods.iter().any(|named| named == method) && self.paths.iter().any(below)
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            name: None,
            version: None,
            hosts: Vec::new(),
            credentials: Vec::new(),
            channels: Vec::new(),
            assists: Vec::new(),
            needs_model: false,
            memory_mib: None,
            scratch: false,
        }
    }
}

/// A manifest that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct ManifestError {
    /// The file, or the section.
    pub place: String,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl Manifest {
    /// Reads one manifest; `place` says in errors where it was found.
    ///
    /// # Errors
    /// Not TOML, an unknown key, another schema, or a value out of range.
    pub fn parse(text: &str, place: &str) -> Result<Self, ManifestError> {
        let fault = |reason: String| ManifestError {
            place: place.to_owned(),
            reason,
        };
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text[..span.start.min(text.len())].matches('\n').count() + 1
            });
            fault(format!(
                "line {line}: {}",
                error.message().replace('\n', ", ")
            ))
        })?;
        if manifest.schema != SCHEMA {
            return Err(fault(format!(
                "schema = {}; this host reads schema = {SCHEMA}",
                manifest.schema
            )));
        }
        if let Some(name) = manifest.name.as_deref().filter(|name| !is_name(name)) {
            return Err(fault(format!(
                "name: {name:?} is not a valid name: use 1 to {LONGEST_NAME} lower-case letters, digits, `-` and `_`, starting with a letter"
            )));
        }
        if manifest
            .version
            .as_deref()
            .is_some_and(|version| !is_version(version))
        {
            return Err(fault("version: use a version such as 0.1.0".to_owned()));
        }
        if manifest
            .memory_mib
            .is_some_and(|mib| mib == 0 || mib > MEMORY_MAX_MIB)
        {
            return Err(fault(format!(
                "memory_mib must be between 1 and {MEMORY_MAX_MIB}"
            )));
        }
        for host in &manifest.hosts {
            if host.is_empty() || host.contains(['/', '@', '?', '#', '*', ' ']) {
                return Err(fault(format!(
                    "hosts: `{host}` is not a host name: leave out scheme and path"
                )));
            }
        }
        for credential in &manifest.credentials {
            if !credential
                .methods
                .iter()
                .all(|method| METHODS.contains(&method.as_str()))
            {
                return Err(fault(format!(
                    "credentials: methods of `{}`: use {}",
                    credential.secret,
                    METHODS.join(", ")
                )));
            }
            if !credential.paths.iter().all(|path| path.starts_with('/')) {
                return Err(fault(format!(
                    "credentials: paths of `{}` begin with a slash",
                    credential.secret
                )));
            }
            if !manifest.hosts.contains(&credential.host) {
                return Err(fault(format!(
                    "credentials: `{}` is bound to `{}`, which is not among `hosts`",
                    credential.secret, credential.host
                )));
            }
        }
        Ok(manifest)
    }

    /// The asks, one short line each, as shown at the start of a run.
    #[must_use]
    pub fn asks(&self) -> Vec<String> {
        let mut asks = Vec::new();
        if !self.hosts.is_empty() {
            asks.push(format!("network: {}", self.hosts.join(", ")));
        }
        for credential in &self.credentials {
            asks.push(format!(
                "${} to {} in `{}` ({} {})",
                credential.secret,
                credential.host,
                credential.header,
                credential.methods.join(", "),
                credential.paths.join(", ")
            ));
        }
        if !self.channels.is_empty() {
            asks.push(format!("channels: {}", names(&self.channels)));
        }
        if !self.assists.is_empty() {
            asks.push(format!("assists: {}", names(&self.assists)));
        }
        if self.needs_model {
            asks.push("a model".to_owned());
        }
        if let Some(mib) = self.memory_mib {
            asks.push(format!("memory: {mib} MiB"));
        }
        if self.scratch {
            asks.push("a scratch folder".to_owned());
        }
        asks
    }

    /// Whether it asks for more memory than comes with naming the plugin.
    #[must_use]
    pub fn memory_needs_grant(&self) -> bool {
        self.memory_mib
            .is_some_and(|mib| mib > MEMORY_WITHOUT_GRANT_MIB)
    }

    /// The linear memory to allow, in bytes, with or without the grant.
    #[must_use]
    pub fn memory_bytes(&self, granted: bool) -> u64 {
        let asked = self.memory_mib.unwrap_or(MEMORY_WITHOUT_GRANT_MIB);
        let allowed = if granted {
            asked
        } else {
            asked.min(MEMORY_WITHOUT_GRANT_MIB)
        };
        u64::from(allowed) << 20
    }
}

fn names(list: &[impl ToString]) -> String {
    let names: Vec<String> = list.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// A plugin's name becomes a folder and a word in terminals.
fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || "-_".contains(one))
}

fn is_version(version: &str) -> bool {
    (1..=LONGEST_NAME).contains(&version.len())
        && version
            .chars()
            .all(|one| one.is_ascii_alphanumeric() || ".-+".contains(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_key() {
        let manifest = Manifest::parse(
            r#"
schema = 2
name = "example"
version = "0.1.0"
hosts = ["api.example.com"]
channels = ["keyframes", "audio"]
assists = ["reading"]
memory_mib = 512
scratch = true
[[credentials]]
secret = "EXAMPLE_KEY"
host = "api.example.com"
header = "authorization"
prefix = "Bearer "
"#,
            "plugin.toml",
        )
        .unwrap();
        assert!(manifest.memory_needs_grant());
        assert_eq!(manifest.memory_bytes(false), 256 << 20);
        assert_eq!(manifest.memory_bytes(true), 512 << 20);
        assert_eq!(manifest.asks().len(), 6);
        assert_eq!(manifest.channels, [Channel::Keyframes, Channel::Audio]);
        assert_eq!(manifest.assists, [Assist::Reading]);
    }

    #[test]
    fn faults_say_where_and_what() {
        for (text, wanted) in [
            ("schema = 2\nhost = []", "line 2"),
            ("schema = 1", "schema = 1"),
            ("schema = 2\nname = \"..\"", "is not a valid name"),
            ("schema = 2\nname = \"Mine\"", "is not a valid name"),
            ("schema = 2\nversion = \"1/2\"", "such as 0.1.0"),
            ("hosts = []", "schema"),
            ("schema = 2\nhosts = [\"https://x\"]", "not a host name"),
            (
                "schema = 2\n[[credentials]]\nsecret = \"K\"\nhost = \"x\"\nheader = \"h\"",
                "not among `hosts`",
            ),
        ] {
            let error = Manifest::parse(text, "plugin.toml")
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(wanted) && error.lines().count() == 1,
                "{text:?} gives {error:?}"
            );
        }
    }
}
