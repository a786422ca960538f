//! Names of people and telephone numbers that a variant can draw.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;

/// Given names and surnames that a small recogniser writes as they are here, and that no other spelling sounds like.
const WOMEN: [&str; 16] = [
    "Helen", "Laura", "Emma", "Julia", "Alice", "Anna", "Olivia", "Victoria", "Diana", "Linda",
    "Susan", "Nancy", "Angela", "Jessica", "Emily", "Martha",
];
const MEN: [&str; 16] = [
    "Daniel", "Thomas", "Peter", "Martin", "Robert", "David", "Michael", "James", "Henry",
    "Oliver", "Frank", "George", "Kevin", "Victor", "Simon", "William",
];
const SURNAMES: [&str; 26] = [
    "Carter", "Baker", "Mason", "Foster", "Turner", "Walker", "Cooper", "Parker", "Bennett",
    "Morgan", "Wilson", "Miller", "Taylor", "Jackson", "Hunter", "Porter", "Marshall", "Palmer",
    "Spencer", "Murphy", "Sullivan", "Campbell", "Russell", "Crawford", "Watson", "Coleman",
];

/// Whose name is drawn; a clip's voice should fit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Person {
    Person,
    Woman,
    Man,
}

impl Person {
    #[must_use]
    pub fn given_names(self) -> Vec<&'static str> {
        match self {
            Self::Woman => WOMEN.to_vec(),
            Self::Man => MEN.to_vec(),
            Self::Person => [WOMEN, MEN].concat(),
        }
    }

    #[must_use]
    pub fn surnames(self) -> &'static [&'static str] {
        &SURNAMES
    }
}

/// A name as a value: `full`, `first`, `last` and `initials`.
#[must_use]
pub fn name_value(first: &str, last: &str) -> Value {
    let initials: String = [first, last]
        .iter()
        .filter_map(|part| part.chars().next())
        .collect();
    json!({ "full": format!("{first} {last}"), "first": first, "last": last, "initials": initials })
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawPhone {
    pattern: Option<String>,
}

/// Numbers that belong to nobody: any area, then the exchange and lines that are kept for fiction.
const FICTION: &str = "### 555 01##";

/// The groups of a telephone number; a pause is made between them when it is said.
pub fn phone_places(raw: &RawPhone) -> Result<Vec<Place>, String> {
    let pattern = raw.pattern.as_deref().unwrap_or(FICTION);
    let known = |character: char| character.is_ascii_digit() || "#+ ()-".contains(character);
    if !pattern.chars().all(known) || pattern.matches('#').count() < 3 || pattern.len() > 24 {
        return Err(format!(
            "a telephone number's pattern has # for a drawn digit (at least three), digits, spaces, +, - and brackets: for example {FICTION:?}"
        ));
    }
    Ok(pattern
        .chars()
        .map(|character| match character {
            '#' => Place::Of(super::DIGITS),
            literal => Place::Literal(literal),
        })
        .collect())
}
