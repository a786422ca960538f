//! What is wrong with a request, before a provider puts it into its own words.

use std::fmt;

use thiserror::Error;

/// One step into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// A place in a JSON body. Providers write it differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct At(Vec<Step>);

impl At {
    pub(crate) fn key(&self, name: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(name.to_owned()));
        Self(steps)
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }

    /// A place inside of this one.
    pub(crate) fn join(&self, inside: &Self) -> Self {
        Self([self.0.as_slice(), &inside.0].concat())
    }

    pub(crate) fn ends_with(&self, name: &str) -> bool {
        matches!(self.0.last(), Some(Step::Key(last)) if last == name)
    }

    /// How many steps lead there.
    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    /// `messages.0.content`
    pub(crate) fn dotted(&self) -> String {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|step| match step {
                Step::Key(name) => name.clone(),
                Step::Index(index) => index.to_string(),
            })
            .collect();
        parts.join(".")
    }

    /// `messages[0].content`
    pub(crate) fn bracketed(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                Step::Key(name) if text.is_empty() => text.push_str(name),
                Step::Key(name) => {
                    text.push('.');
                    text.push_str(name);
                }
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }
}

/// What is wrong at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    Missing,
    Unknown,
    /// What was expected, as a noun with its article.
    Expected(String),
    Other(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("a required field is missing"),
            Self::Unknown => out.write_str("there is no such field"),
            Self::Expected(what) => write!(out, "{what} was expected"),
            Self::Other(what) => out.write_str(what),
        }
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Problem {
    #[error("there is nothing at {method} {path}")]
    Route { method: String, path: String },
    #[error("not authenticated: {0}")]
    Authentication(String),
    #[error("a header is missing or wrong: {0}")]
    Header(String),
    #[error("the body is no JSON: {0}")]
    NotJson(String),
    #[error("{}: {fault}", at.bracketed())]
    Invalid { at: At, fault: Fault },
    #[error("there is no model `{0}`")]
    Model(String),
    #[error("the request has {size} bytes, at most {limit} are taken")]
    TooLarge { size: usize, limit: usize },
    /// Not the adapter's fault: the script has nothing to say.
    #[error("the script has no rule for this request")]
    NoRule,
}

impl Problem {
    pub(crate) fn at(at: At, what: impl Into<String>) -> Self {
        Self::Invalid {
            at,
            fault: Fault::Other(what.into()),
        }
    }

    pub(crate) fn missing(at: At) -> Self {
        Self::Invalid {
            at,
            fault: Fault::Missing,
        }
    }
}

pub(crate) type Checked<T> = Result<T, Problem>;
