//! Walking a JSON body: each value knows its place, and each object knows which of its fields were asked for, so that
//! one that nobody asked for is unknown.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::problem::{At, Checked, Fault, Problem};

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    pub value: &'a Value,
    pub at: At,
}

/// An object whose fields are being read.
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    pub at: At,
    read: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Node<'a> {
    pub fn root(value: &'a Value) -> Self {
        Self {
            value,
            at: At::default(),
        }
    }

    fn expected(&self, what: &'static str) -> Problem {
        Problem::Invalid {
            at: self.at.clone(),
            fault: Fault::Expected(what),
        }
    }

    /// A problem of this value.
    pub fn wrong(&self, what: impl Into<String>) -> Problem {
        Problem::at(self.at.clone(), what)
    }

    pub fn object(&self) -> Checked<Fields<'a>> {
        let map = self.value.as_object();
        Ok(Fields {
            map: map.ok_or_else(|| self.expected("an object"))?,
            at: self.at.clone(),
            read: RefCell::default(),
        })
    }

    pub fn list(&self) -> Checked<Vec<Node<'a>>> {
        let items = self.value.as_array();
        let items = items.ok_or_else(|| self.expected("a list"))?;
        let node = |(index, value)| Node {
            value,
            at: self.at.index(index),
        };
        Ok(items.iter().enumerate().map(node).collect())
    }

    /// A list with something in it.
    pub fn filled_list(&self) -> Checked<Vec<Node<'a>>> {
        let items = self.list()?;
        if items.is_empty() {
            return Err(self.wrong("the list is empty"));
        }
        Ok(items)
    }

    pub fn text(&self) -> Checked<&'a str> {
        let text = self.value.as_str();
        text.ok_or_else(|| self.expected("a string"))
    }

    pub fn filled_text(&self) -> Checked<&'a str> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(self.wrong("the text is empty"));
        }
        Ok(text)
    }

    pub fn boolean(&self) -> Checked<bool> {
        let is = self.value.as_bool();
        is.ok_or_else(|| self.expected("a boolean"))
    }

    pub fn number(&self) -> Checked<f64> {
        let number = self.value.as_f64();
        number.ok_or_else(|| self.expected("a number"))
    }

    /// A whole number of at least `least`.
    pub fn count(&self, least: u64) -> Checked<u64> {
        let count = self.value.as_u64();
        let count = count.ok_or_else(|| self.expected("a whole number"))?;
        if count < least {
            return Err(self.wrong(format!("{count} is too small, at least {least} is needed")));
        }
        Ok(count)
    }

    /// One of the given words.
    pub fn one_of(&self, words: &[&'static str]) -> Checked<&'static str> {
        let text = self.text()?;
        let found = words.iter().find(|word| **word == text);
        found.copied().ok_or_else(|| {
            self.wrong(format!(
                "`{text}` is not supported, it can be {}",
                words.join(", ")
            ))
        })
    }
}

impl<'a> Fields<'a> {
    fn node(&self, name: &'static str) -> Option<Node<'a>> {
        self.read.borrow_mut().insert(name);
        let value = self.map.get(name)?;
        Some(Node {
            value,
            at: self.at.key(name),
        })
    }

    pub fn required(&self, name: &'static str) -> Checked<Node<'a>> {
        self.node(name)
            .ok_or_else(|| Problem::missing(self.at.key(name)))
    }

    /// Null counts as absent, as all providers have it.
    pub fn optional(&self, name: &'static str) -> Option<Node<'a>> {
        self.node(name).filter(|node| !node.value.is_null())
    }

    /// The value may be anything; only the field's name is known.
    pub fn ignore(&self, names: &[&'static str]) {
        self.read.borrow_mut().extend(names);
    }

    pub fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// A problem of one field.
    pub fn wrong(&self, name: &str, what: impl Into<String>) -> Problem {
        Problem::at(self.at.key(name), what)
    }

    /// All known fields were asked for: any other is unknown.
    pub fn no_others(&self) -> Checked<()> {
        let read = self.read.borrow();
        match self.map.keys().find(|name| !read.contains(name.as_str())) {
            Some(name) => Err(Problem::unknown(self.at.key(name))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_that_nobody_asked_for_is_named_with_its_place() {
        let body = json!({"list": [{"known": 1, "other": 2}]});
        let fields = Node::root(&body).object().unwrap();
        let items = fields.required("list").unwrap().list().unwrap();
        let item = items[0].object().unwrap();
        assert_eq!(item.required("known").unwrap().count(1), Ok(1));
        let problem = item.no_others().unwrap_err();
        assert_eq!(problem.to_string(), "list[0].other: there is no such field");
        assert_eq!(fields.no_others(), Ok(()));
    }
}
