//! Names of controls in a scorer's settings.

use serde::Deserialize;

/// One name or a list of names; a `*` at the end of one stands for anything.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Controls {
    /// None at all.
    #[default]
    #[serde(skip)]
    None,
    /// A single name.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Controls {
    /// Whether a control is one of these.
    pub fn contain(&self, control: &str) -> bool {
        self.names()
            .iter()
            .any(|name| match name.strip_suffix('*') {
                Some(beginning) => control.starts_with(beginning),
                None => control == name,
            })
    }

    /// The names as the settings have them.
    pub fn names(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}
