//! Placeholders: `{name}` is a capture or a lookup, `{name:number}` the same as digits, `{{` and `}}` are braces.

use std::collections::BTreeMap;

use crate::script::Lookup;

enum Piece {
    Text(String),
    Name { name: String, as_number: bool },
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
    captures: &BTreeMap<String, String>,
    lookups: &BTreeMap<String, Lookup>,
) -> Result<String, String> {
    let mut filled = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text(text) => filled.push_str(&text),
            Piece::Name { name, as_number } => {
                let value = value(&name, captures, lookups)?;
                if as_number {
                    let digits = answers::digits(&value)
                        .ok_or_else(|| format!("{value:?} of {name} is no number"))?;
                    filled.push_str(&digits);
                } else {
                    filled.push_str(&value);
                }
            }
        }
    }
    Ok(filled)
}

fn value(
    name: &str,
    captures: &BTreeMap<String, String>,
    lookups: &BTreeMap<String, Lookup>,
) -> Result<String, String> {
    let captured = |name: &str| {
        captures
            .get(name)
            .ok_or_else(|| format!("{name} was not captured"))
    };
    let Some(lookup) = lookups.get(name) else {
        return captured(name).cloned();
    };
    let key = captured(&lookup.key)?;
    lookup
        .values
        .iter()
        .find(|(known, _)| plain(known) == plain(key))
        .map(|(_, value)| value.clone())
        .ok_or_else(|| format!("cannot look up {key:?} in {name}"))
}

/// Lower case, letters and digits only.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
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
        if !matches!(form, None | Some("number")) {
            return Err(format!("{:?} is no form; there is number", &after[..end]));
        }
        pieces.push(Piece::Name {
            name: name.to_owned(),
            as_number: form.is_some(),
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

    #[test]
    fn captures_lookups_numbers_and_braces() {
        let captures = BTreeMap::from([
            ("price".to_owned(), "sixty-four dollars".to_owned()),
            ("country".to_owned(), "New Zealand?".to_owned()),
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
        let unknown = BTreeMap::from([("country".to_owned(), "Atlantis".to_owned())]);
        let error = fill("{capital}", &unknown, &lookups).unwrap_err();
        assert_eq!(error, "cannot look up \"Atlantis\" in capital");
    }
}
