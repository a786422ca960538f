//! A body whose structure was checked, walked: each value knows its place, so that a rule can say where it is broken.
//!
//! What is absent or of another kind reads as nothing: the structure ([`crate::structure`]) has refused it before, or allows it.

use serde_json::Value;

use crate::problem::{At, Checked, Problem};

static NOTHING: Value = Value::Null;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    pub value: &'a Value,
    pub at: At,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self {
            value,
            at: At::default(),
        }
    }

    /// A field; null where there is none.
    pub(crate) fn field(&self, name: &str) -> Node<'a> {
        Node {
            value: self.value.get(name).unwrap_or(&NOTHING),
            at: self.at.key(name),
        }
    }

    /// A field, unless it is absent or null.
    pub(crate) fn given(&self, name: &str) -> Option<Node<'a>> {
        Some(self.field(name)).filter(|node| !node.value.is_null())
    }

    /// A field that the provider wants, although its SDK lets it be left out.
    pub(crate) fn required(&self, name: &str) -> Checked<Node<'a>> {
        self.given(name)
            .ok_or_else(|| Problem::missing(self.at.key(name)))
    }

    pub(crate) fn items(&self) -> Vec<Node<'a>> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items
            .map(|(index, value)| Node {
                value,
                at: self.at.index(index),
            })
            .collect()
    }

    /// As [`Node::items`], and there are some.
    pub(crate) fn filled_items(&self) -> Checked<Vec<Node<'a>>> {
        let items = self.items();
        if items.is_empty() {
            return Err(self.wrong("the list is empty"));
        }
        Ok(items)
    }

    pub(crate) fn fields(&self) -> Vec<(&'a str, Node<'a>)> {
        let fields = self.value.as_object().into_iter().flatten();
        fields
            .map(|(name, value)| {
                let at = self.at.key(name);
                (name.as_str(), Node { value, at })
            })
            .collect()
    }

    pub(crate) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    pub(crate) fn filled_text(&self) -> Checked<&'a str> {
        let text = self.text();
        if text.trim().is_empty() {
            return Err(self.wrong("the text is empty"));
        }
        Ok(text)
    }

    pub(crate) fn is_true(&self) -> bool {
        self.value == &Value::Bool(true)
    }

    /// A whole number of at least `least`.
    pub(crate) fn count(&self, least: u64) -> Checked<u64> {
        let count = self.value.as_u64().filter(|count| *count >= least);
        count.ok_or_else(|| {
            self.wrong(format!(
                "{} is too small, at least {least} is needed",
                self.value
            ))
        })
    }

    pub(crate) fn between(&self, least: f64, most: f64) -> Checked<()> {
        match self.value.as_f64() {
            Some(number) if !(least..=most).contains(&number) => {
                Err(self.wrong(format!("is {least} to {most}")))
            }
            _ => Ok(()),
        }
    }

    /// A problem of this value.
    pub(crate) fn wrong(&self, what: impl Into<String>) -> Problem {
        Problem::at(self.at.clone(), what)
    }
}
