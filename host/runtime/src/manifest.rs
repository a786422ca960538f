//! `plugin.toml`: what a plugin asks for. Without one it asks for nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::types::Channels;

/// The custom section that carries the manifest inside a `.wasm`.
pub const SECTION: &str = "dynacu:plugin-manifest";

/// Memory that needs no grant, in MiB.
pub const MEMORY_WITHOUT_GRANT_MIB: u32 = 256;
/// The largest linear memory there is.
const MEMORY_MAX_MIB: u32 = 4096;

/// A plugin's asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always 1.
    pub schema: u32,
    /// Names of hosts that it sends requests to, without scheme and path.
    #[serde(default)]
    pub hosts: Vec<String>,
    #[serde(default)]
    pub credentials: Vec<Credential>,
    /// What a policy perceives and produces beyond one screenshot a step.
    #[serde(default)]
    pub channels: Vec<Channel>,
    /// Linear memory in MiB; more than 256 needs a grant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// A folder of its own during an episode; needs a grant.
    #[serde(default)]
    pub scratch: bool,
}

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    Keyframes,
    Audio,
    Speech,
    /// An assist: text read out of frames.
    Reading,
    /// An assist: the task's own solution.
    Solution,
}

impl Channel {
    const ALL: [Self; 5] = [
        Self::Keyframes,
        Self::Audio,
        Self::Speech,
        Self::Reading,
        Self::Solution,
    ];

    /// As the interfaces have it.
    fn flag(self) -> Channels {
        match self {
            Self::Keyframes => Channels::KEYFRAMES,
            Self::Audio => Channels::AUDIO,
            Self::Speech => Channels::SPEECH,
            Self::Reading => Channels::READING,
            Self::Solution => Channels::SOLUTION,
        }
    }

    /// The channels of a set by their names in a manifest.
    #[must_use]
    pub fn names(of: Channels) -> Vec<&'static str> {
        Self::ALL
            .into_iter()
            .filter(|channel| of.contains(channel.flag()))
            .map(Self::name)
            .collect()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Keyframes => "keyframes",
            Self::Audio => "audio",
            Self::Speech => "speech",
            Self::Reading => "reading",
            Self::Solution => "solution",
        }
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            schema: 1,
            hosts: Vec::new(),
            credentials: Vec::new(),
            channels: Vec::new(),
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
        if manifest.schema != 1 {
            return Err(fault(format!(
                "schema = {}; this host reads schema = 1",
                manifest.schema
            )));
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
                "${} to {} in `{}`",
                credential.secret, credential.host, credential.header
            ));
        }
        if !self.channels.is_empty() {
            asks.push(format!(
                "channels: {}",
                Channel::names(self.channel_set()).join(", ")
            ));
        }
        if let Some(mib) = self.memory_mib {
            asks.push(format!("memory: {mib} MiB"));
        }
        if self.scratch {
            asks.push("a scratch folder".to_owned());
        }
        asks
    }

    /// `channels` as the interfaces have them, to hold against what a policy says of itself.
    #[must_use]
    pub fn channel_set(&self) -> Channels {
        let flags = self.channels.iter().map(|channel| channel.flag());
        flags.fold(Channels::empty(), |all, flag| all | flag)
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

    /// The manifest in force: a file beside the component overrides the one inside it, as a whole.
    pub(crate) fn find(
        component: &Path,
        section: Option<&[u8]>,
    ) -> Result<(Self, Option<PathBuf>), ManifestError> {
        let folder = component.parent().unwrap_or(Path::new("."));
        let own = component.file_stem().map(|stem| {
            let mut name = stem.to_os_string();
            name.push(".plugin.toml");
            folder.join(name)
        });
        for file in own.into_iter().chain([folder.join("plugin.toml")]) {
            match std::fs::read_to_string(&file) {
                Ok(text) => {
                    return Ok((Self::parse(&text, &file.display().to_string())?, Some(file)));
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(ManifestError {
                        place: file.display().to_string(),
                        reason: error.to_string(),
                    });
                }
            }
        }
        match section {
            Some(section) => Ok((Self::inside(component, section)?, None)),
            None => Ok((Self::default(), None)),
        }
    }

    /// The manifest that a component carries.
    pub(crate) fn inside(component: &Path, section: &[u8]) -> Result<Self, ManifestError> {
        let place = format!("{}, section {SECTION}", component.display());
        let text = std::str::from_utf8(section).map_err(|_| ManifestError {
            place: place.clone(),
            reason: "not UTF-8".to_owned(),
        })?;
        Self::parse(text, &place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_key() {
        let manifest = Manifest::parse(
            r#"
schema = 1
hosts = ["api.example.com"]
channels = ["keyframes", "audio"]
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
        assert_eq!(manifest.asks().len(), 5);
        assert_eq!(
            manifest.channel_set(),
            Channels::KEYFRAMES | Channels::AUDIO
        );
        assert_eq!(
            Channel::names(manifest.channel_set()),
            ["keyframes", "audio"]
        );
    }

    #[test]
    fn faults_say_where_and_what() {
        for (text, wanted) in [
            ("schema = 1\nhost = []", "line 2"),
            ("schema = 2", "schema = 2"),
            ("hosts = []", "schema"),
            ("schema = 1\nhosts = [\"https://x\"]", "not a host name"),
            (
                "schema = 1\n[[credentials]]\nsecret = \"K\"\nhost = \"x\"\nheader = \"h\"",
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
