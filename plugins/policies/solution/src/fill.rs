//! Placeholders: `{name}` is a capture or a lookup, `{name:number}` the same as digits, `{name:spelled}` one letter after the
//! other, `{{` and `}}` are braces.

use std::collections::BTreeMap;

use crate::memory::{Row, plain};
use crate::script::Lookup;

enum Piece {
    Text(String),
    Name { name: String, form: Form },
}

#[derive(Clone, Copy)]
enum Form {
    AsItIs,
    Number,
    Spelled,
}

/// The names that a text uses.
pub(crate) fn names(text: &str) -> Result<Vec<String>, String> {
    Ok(pieces(text)?
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Name { name, .. } => Some(name),
            Piece::Text(_) => None,
        })
        .collect())
}

/// The text with every placeholder filled. The message says what could not be.
pub(crate) fn fill(
    text: &str,
    captures: &Row,
    lookups: &BTreeMap<String, Lookup>,
) -> Result<String, String> {
    let mut filled = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text(text) => filled.push_str(&text),
            Piece::Name { name, form } => {
                let value = value(&name, captures, lookups)?;
                match form {
                    Form::AsItIs => filled.push_str(&value),
                    Form::Number => {
                        let digits = answers::digits(&value)
                            .ok_or_else(|| format!("{value:?} of {name} is no number"))?;
                        filled.push_str(&digits);
                    }
                    Form::Spelled => filled.push_str(&spelled(&value)),
                }
            }
        }
    }
    Ok(filled)
}

/// What a name stands for: a lookup's result, unless there is a capture of that name, which in `guess` is a constant.
pub(crate) fn value(
    name: &str,
    captures: &Row,
    lookups: &BTreeMap<String, Lookup>,
) -> Result<String, String> {
    if let Some(capture) = captures.get(name) {
        return Ok(capture.text.clone());
    }
    let lookup = lookups
        .get(name)
        .ok_or_else(|| format!("{name} was not captured"))?;
    let key = captures
        .get(&lookup.key)
        .ok_or_else(|| format!("{} was not captured", lookup.key))?;
    lookup
        .values
        .iter()
        .find(|(known, _)| plain(known) == plain(&key.text))
        .map(|(_, value)| value.clone())
        .ok_or_else(|| format!("cannot look up {:?} in {name}", key.text))
}

/// Letters and digits, parted by spaces.
fn spelled(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.map(String::from).collect::<Vec<_>>().join(" ")
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after_both) = after.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after_both;
            continue;
        }
        let end = after.find('}');
        let (Some(end), "{") = (end, brace) else {
            return Err(format!("a brace is left open in {text:?}"));
        };
        pieces.push(Piece::Text(std::mem::take(&mut plain)));
        let (name, form) = match after[..end].split_once(':') {
            Some((name, form)) => (name, Some(form)),
            None => (&after[..end], None),
        };
        let form = match form {
            None => Form::AsItIs,
            Some("number") => Form::Number,
            Some("spelled") => Form::Spelled,
            Some(form) => {
                return Err(format!(
                    "{form:?} is no form of {name}; there are number and spelled"
                ));
            }
        };
        pieces.push(Piece::Name {
            name: name.to_owned(),
            form,
        });
        rest = &after[end + 1..];
    }
    plain.push_str(rest);
    pieces.push(Piece::Text(plain));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::row;

    #[test]
    fn captures_lookups_numbers_and_braces() {
        let captures = row(&[
            ("price", "sixty-four dollars"),
            ("country", "New Zealand?"),
            ("order", "AB-47"),
        ]);
        let lookups = BTreeMap::from([(
            "capital".to_owned(),
            Lookup {
                key: "country".to_owned(),
                values: BTreeMap::from([("new zealand".to_owned(), "Wellington".to_owned())]),
            },
        )]);
        for (text, wanted) in [
            ("{price:number}", Ok("64")),
            ("It is {capital}.", Ok("It is Wellington.")),
            ("{{{price}}}", Ok("{sixty-four dollars}")),
            ("{country:number}", Err("is no number")),
            ("Order {order:spelled}.", Ok("Order A B 4 7.")),
            ("{price", Err("left open")),
            ("a } b", Err("left open")),
            ("{price:upper}", Err("is no form")),
        ] {
            let filled = fill(text, &captures, &lookups);
            match (filled, wanted) {
                (Ok(filled), Ok(wanted)) => assert_eq!(filled, wanted),
                (Err(error), Err(wanted)) => assert!(error.contains(wanted), "{error}"),
                (filled, _) => panic!("{text}: {filled:?}"),
            }
        }
        let unknown = row(&[("country", "Atlantis")]);
        let error = fill("{capital}", &unknown, &lookups).unwrap_err();
        assert_eq!(error, "cannot look up \"Atlantis\" in capital");
    }
}
