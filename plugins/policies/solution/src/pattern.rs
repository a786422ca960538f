//! Regular expressions in which `{name}` stands for a capture: `{region}\s+(?<figure>[\d.]+)`.

use regex::Regex;

/// A pattern that was found to be right; what its placeholders stand for comes when it is used.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    source: String,
    /// With a letter for each placeholder.
    sample: Regex,
    names: Vec<String>,
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        let placeholders = placeholders(source);
        let sample = filled(source, |_| Ok("x".to_owned()))?;
        Ok(Self {
            source: source.to_owned(),
            sample: Regex::new(&sample).map_err(|error| error.to_string())?,
            names: placeholders.into_iter().map(|(_, name)| name).collect(),
        })
    }

    /// What it captures.
    pub(crate) fn captures(&self) -> impl Iterator<Item = &str> {
        self.sample.capture_names().flatten()
    }

    /// The captures that it needs.
    pub(crate) fn needs(&self) -> &[String] {
        &self.names
    }

    /// The expression, with every placeholder filled by the words that `value` gives, whatever their case and spaces.
    pub(crate) fn regex(
        &self,
        value: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Regex, String> {
        if self.names.is_empty() {
            return Ok(self.sample.clone());
        }
        let source = filled(&self.source, |name| Ok(literal(&value(name)?)))?;
        Regex::new(&source).map_err(|error| error.to_string())
    }
}

/// Reading loses spaces, so any number of them will do.
fn literal(words: &str) -> String {
    let words: Vec<String> = words.split_whitespace().map(regex::escape).collect();
    format!("(?i:{})", words.join(r"\s*"))
}

fn filled(source: &str, value: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = 0;
    for (range, name) in placeholders(source) {
        filled.push_str(&source[rest..range.start]);
        filled.push_str(&value(&name)?);
        rest = range.end;
    }
    filled.push_str(&source[rest..]);
    Ok(filled)
}

/// `{name}`, which no quantifier can be, since those hold digits; but not the braces of `\p{…}` and `\x{…}`.
fn placeholders(source: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = source[from..].find('{').map(|at| from + at) {
        from = open + 1;
        let Some(close) = source[from..].find('}').map(|at| from + at) else {
            break;
        };
        let name = &source[from..close];
        let starts = name.starts_with(|letter: char| letter.is_alphabetic());
        let ends = name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_');
        let class = [r"\p", r"\P", r"\x", r"\u", r"\U"]
            .iter()
            .any(|class| source[..open].ends_with(class));
        if starts && ends && !class {
            found.push((open..close + 1, name.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_words_not_expressions() {
        let pattern = Pattern::new(r"{region}\s+(?<figure>\d{1,3}\.\d{2})\b").unwrap();
        assert_eq!(pattern.needs(), ["region"]);
        assert_eq!(pattern.captures().collect::<Vec<_>>(), ["figure"]);
        let regex = pattern.regex(|_| Ok("North (east)".to_owned())).unwrap();
        let found = regex.captures("NORTH(EAST)  12.50").unwrap();
        assert_eq!(&found["figure"], "12.50");
        assert!(!regex.is_match("Northeast 12.50"));
    }

    #[test]
    fn what_is_no_expression_is_said_so() {
        assert!(Pattern::new("({name}").is_err());
        assert!(Pattern::new(r"\d{2,}").unwrap().needs().is_empty());
    }
}
