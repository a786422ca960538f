//! Credentials: read from the environment at the start, put into requests as they leave, cut out of everything that
//! comes back or is written down.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use dynacu_runtime::{Credential as Binding, Manifest};
use reqwest::header::{HeaderName, HeaderValue};

/// Shorter ones would be cut out of innocent text.
const SHORTEST: usize = 8;

/// Variables that people have set already, and the only host that each is for, whatever a manifest or a grant says.
const RESERVED: [(&str, &str); 4] = [
    ("ANTHROPIC_API_KEY", "api.anthropic.com"),
    ("GEMINI_API_KEY", "generativelanguage.googleapis.com"),
    ("GOOGLE_API_KEY", "generativelanguage.googleapis.com"),
    ("OPENAI_API_KEY", "api.openai.com"),
];

/// A credential that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CredentialError {
    #[error("{plugin} sends ${variable} to {host}, but it is not set: export {variable}=… first")]
    Missing {
        plugin: String,
        variable: String,
        host: String,
    },
    #[error(
        "${0} is shorter than {SHORTEST} characters: too short for a key, and it could not be told from other text"
    )]
    TooShort(String),
    #[error(
        "${variable} is {owner}'s key, and {plugin}'s manifest binds it to {host}: name another variable there"
    )]
    Reserved {
        plugin: String,
        variable: String,
        owner: &'static str,
        host: String,
    },
    #[error("${0} cannot be put into a header: it holds a line break or another control character")]
    NotAHeader(String),
    #[error(
        "{plugin}'s manifest binds ${variable} to `{header}`, which is not the name of a header"
    )]
    BadHeader {
        plugin: String,
        variable: String,
        header: String,
    },
}

/// One secret on its way to one host.
#[derive(Clone)]
pub struct Credential {
    /// As the manifest binds it: to a host, methods and paths.
    pub binding: Binding,
    pub header: HeaderName,
    /// None where it is optional and not set.
    pub value: Option<HeaderValue>,
}

/// All credentials of one plugin, and what must never be seen.
#[derive(Clone, Default)]
pub struct Secrets {
    credentials: Vec<Credential>,
    scrubber: Scrubber,
}

impl Secrets {
    /// Reads what a manifest binds. `variable` looks one up in the environment.
    ///
    /// # Errors
    /// One is missing, cannot be sent, or belongs to another host.
    pub fn read(
        plugin: &str,
        manifest: &Manifest,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Secrets, CredentialError> {
        let mut secrets = Secrets::default();
        for wanted in &manifest.credentials {
            reserved(plugin, wanted)?;
            let header = HeaderName::from_bytes(wanted.header.as_bytes()).map_err(|_| {
                CredentialError::BadHeader {
                    plugin: plugin.to_owned(),
                    variable: wanted.secret.clone(),
                    header: wanted.header.clone(),
                }
            })?;
            let secret = variable(&wanted.secret)
                .map(|secret| secret.trim().to_owned())
                .filter(|secret| !secret.is_empty());
            let value = match secret {
                None if wanted.optional => None,
                None => {
                    return Err(CredentialError::Missing {
                        plugin: plugin.to_owned(),
                        variable: wanted.secret.clone(),
                        host: wanted.host.clone(),
                    });
                }
                Some(secret) if secret.len() < SHORTEST => {
                    return Err(CredentialError::TooShort(wanted.secret.clone()));
                }
                Some(secret) => {
                    let mut value = HeaderValue::from_str(&format!("{}{secret}", wanted.prefix))
                        .map_err(|_| CredentialError::NotAHeader(wanted.secret.clone()))?;
                    value.set_sensitive(true);
                    secrets.scrubber.add(&wanted.secret, &secret);
                    Some(value)
                }
            };
            secrets.credentials.push(Credential {
                binding: wanted.clone(),
                header,
                value,
            });
        }
        Ok(secrets)
    }

    /// Those of one host.
    pub fn of<'a>(&'a self, host: &'a str) -> impl Iterator<Item = &'a Credential> {
        self.credentials
            .iter()
            .filter(move |credential| credential.binding.host.eq_ignore_ascii_case(host))
    }

    #[must_use]
    pub fn scrubber(&self) -> &Scrubber {
        &self.scrubber
    }
}

/// Refuses a provider's key on its way to somebody else.
///
/// # Errors
/// The binding is one.
pub fn reserved(plugin: &str, binding: &Binding) -> Result<(), CredentialError> {
    let owner = RESERVED
        .iter()
        .find(|(variable, _)| *variable == binding.secret);
    match owner {
        Some((_, owner)) if !binding.host.eq_ignore_ascii_case(owner) => {
            Err(CredentialError::Reserved {
                plugin: plugin.to_owned(),
                variable: binding.secret.clone(),
                owner,
                host: binding.host.clone(),
            })
        }
        Some(_) | None => Ok(()),
    }
}

/// Replaces secrets, also in the forms that servers like to echo them in.
#[derive(Clone, Default)]
pub struct Scrubber {
    /// What to look for, longest first, and what to put there.
    forms: Vec<(Vec<u8>, String)>,
}

impl Scrubber {
    fn add(&mut self, name: &str, secret: &str) {
        let instead = format!("[secret {name}]");
        let percent: String = reqwest::Url::parse("http://x/")
            .map(|mut url| {
                url.query_pairs_mut().append_key_only(secret);
                url.query().unwrap_or_default().to_owned()
            })
            .unwrap_or_default();
        let json = serde_json::Value::from(secret).to_string();
        for form in [
            secret.to_owned(),
            percent,
            json[1..json.len() - 1].to_owned(),
            BASE64_STANDARD.encode(secret),
            BASE64_STANDARD_NO_PAD.encode(secret),
            BASE64_URL_SAFE_NO_PAD.encode(secret),
            hex::encode(secret),
        ] {
            let form = form.into_bytes();
            if form.len() >= SHORTEST && self.forms.iter().all(|(known, _)| *known != form) {
                self.forms.push((form, instead.clone()));
            }
        }
        self.forms
            .sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
    }

    /// The bytes without secrets.
    #[must_use]
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut clean = Cow::Borrowed(bytes);
        for (form, instead) in &self.forms {
            if let Some(found) = replace(&clean, form, instead.as_bytes()) {
                clean = Cow::Owned(found);
            }
        }
        clean
    }

    /// The text without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }
}

fn replace(bytes: &[u8], form: &[u8], instead: &[u8]) -> Option<Vec<u8>> {
    // Bodies have megabytes of pictures: a loop of our own is not optimised in this crate.
    let form_at = memchr::memmem::Finder::new(form);
    let find = |from: usize| form_at.find(bytes.get(from..)?).map(|at| from + at);
    let mut at = find(0)?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut from = 0;
    loop {
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(instead);
        from = at + form.len();
        match find(from) {
            Some(next) => at = next,
            None => break,
        }
    }
    out.extend_from_slice(&bytes[from..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(optional: bool) -> Manifest {
        Manifest::parse(
            &format!(
                "schema = 2\nhosts = [\"api.example.com\"]\n[[credentials]]\nsecret = \"EXAMPLE_KEY\"\nhost = \"api.example.com\"\nheader = \"Authorization\"\nprefix = \"Bearer \"\noptional = {optional}\n"
            ),
            "plugin.toml",
        )
        .unwrap()
    }

    fn read(optional: bool, value: Option<&str>) -> Result<Secrets, CredentialError> {
        Secrets::read("claude", &manifest(optional), |name| {
            assert_eq!(name, "EXAMPLE_KEY");
            value.map(str::to_owned)
        })
    }

    #[test]
    fn a_missing_one_names_variable_plugin_and_host() {
        let error = read(false, None).err().unwrap().to_string();
        for word in ["claude", "EXAMPLE_KEY", "api.example.com"] {
            assert!(error.contains(word), "{error}");
        }
        assert!(
            read(true, None)
                .unwrap()
                .of("api.example.com")
                .all(|one| one.value.is_none())
        );
        assert!(matches!(
            read(false, Some("short")),
            Err(CredentialError::TooShort(_))
        ));
        assert!(matches!(
            read(false, Some("two\nlines of it")),
            Err(CredentialError::NotAHeader(_))
        ));
    }

    #[test]
    fn every_form_of_a_secret_is_cut_out() {
        let secret = "sk/te+st \"quoted\" 0123456789";
        let secrets = read(false, Some(secret)).unwrap();
        let credential = secrets.of("api.example.com").next().unwrap();
        assert_eq!(
            credential.value.as_ref().unwrap().as_bytes(),
            format!("Bearer {secret}").as_bytes()
        );
        let scrubber = secrets.scrubber();
        for form in [
            secret.to_owned(),
            format!("{:?}", secret),
            "sk%2Fte%2Bst+%22quoted%22+0123456789".to_owned(),
            BASE64_STANDARD.encode(secret),
            hex::encode(secret),
        ] {
            let clean = scrubber.text(&format!("you sent {form}, and {form} again"));
            assert_eq!(clean.matches("[secret EXAMPLE_KEY]").count(), 2, "{clean}");
            assert!(!clean.contains("0123456789"), "{clean}");
        }
        assert_eq!(scrubber.text("nothing here"), "nothing here");
    }
}
