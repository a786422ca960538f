//! Text with `{placeholders}`: the only way in which a drawn value enters a sentence, a setting or a reveal.

/// Last parts of a placeholder that ask for a form of the value instead of the value.
pub const FORMS: [&str; 3] = ["spoken", "written", "others"];

/// A value inside the variant: a field, then sub-fields, for example `place.capital`. The last
/// may be one of [`FORMS`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValuePath {
    pub segments: Vec<String>,
}

impl ValuePath {
    /// # Errors
    /// One line if a segment is not made of letters, digits, `_` and `-`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let segments: Vec<String> = text.split('.').map(str::to_owned).collect();
        let plain = |segment: &String| {
            !segment.is_empty()
                && segment
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || "_-".contains(character))
        };
        if segments.iter().all(plain) {
            Ok(Self { segments })
        } else {
            Err(format!(
                "`{text}` is not the name of a value: write field or field.part"
            ))
        }
    }

    #[must_use]
    pub fn field(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }

    /// The path without the form.
    #[must_use]
    pub fn value(&self) -> Self {
        let mut segments = self.segments.clone();
        if segments.len() > 1
            && segments
                .last()
                .is_some_and(|last| FORMS.contains(&last.as_str()))
        {
            segments.pop();
        }
        Self { segments }
    }

    /// Whether one of the two holds the other, or both are the same.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.segments
            .iter()
            .zip(&other.segments)
            .all(|(one, another)| one == another)
    }
}

impl std::fmt::Display for ValuePath {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.segments.join("."))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Value(ValuePath),
}

/// A parsed text. `{{` and `}}` stand for the braces themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub parts: Vec<Part>,
}

impl Template {
    /// # Errors
    /// One line that names the brace or the placeholder that is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
            } else if brace == "}" {
                return Err("a `}` without its `{`: write }} for the brace itself".to_owned());
            } else {
                let Some(end) = rest.find('}') else {
                    return Err("a `{` without its `}`: write {{ for the brace itself".to_owned());
                };
                if !literal.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut literal)));
                }
                parts.push(Part::Value(ValuePath::parse(&rest[..end])?));
                rest = &rest[end + 1..];
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self { parts })
    }

    /// The text that is one placeholder and nothing else.
    #[must_use]
    pub fn of(path: &ValuePath) -> Self {
        Self {
            parts: vec![Part::Value(path.clone())],
        }
    }

    pub fn values(&self) -> impl Iterator<Item = &ValuePath> {
        self.parts.iter().filter_map(|part| match part {
            Part::Value(path) => Some(path),
            Part::Text(_) => None,
        })
    }

    /// The path, if the text is one placeholder and nothing else: then a value keeps its JSON type.
    #[must_use]
    pub fn single(&self) -> Option<&ValuePath> {
        match self.parts.as_slice() {
            [Part::Value(path)] => Some(path),
            _ => None,
        }
    }

    /// # Errors
    /// Whatever `text` returns for a placeholder.
    pub fn fill<E>(
        &self,
        mut text: impl FnMut(&ValuePath) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Text(literal) => filled.push_str(literal),
                Part::Value(path) => filled.push_str(&text(path)?),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_braces_escaped() {
        let template = Template::parse("{{a}} costs {price.spoken}, the {product}.").unwrap();
        let paths: Vec<String> = template.values().map(ToString::to_string).collect();
        assert_eq!(paths, ["price.spoken", "product"]);
        let filled = template
            .fill(|path| Ok::<_, ()>(format!("<{path}>")))
            .unwrap();
        assert_eq!(filled, "{a} costs <price.spoken>, the <product>.");
        assert_eq!(template.single(), None);
        assert!(
            Template::parse("{place.capital}")
                .unwrap()
                .single()
                .is_some()
        );
    }

    #[test]
    fn broken_braces_are_refused() {
        for text in ["{price", "price}", "{}", "{a b}", "{a..b}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn overlap_is_containment() {
        let path = |text: &str| ValuePath::parse(text).unwrap();
        assert!(path("place").overlaps(&path("place.capital")));
        assert!(!path("place.country").overlaps(&path("place.capital")));
        assert_eq!(path("price.spoken").value(), path("price"));
    }
}
