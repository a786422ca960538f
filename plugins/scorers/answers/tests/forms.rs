//! One table of accepted and rejected forms a type, in `forms/<type>.toml`.

#![allow(clippy::unwrap_used)] // a table that cannot be read is a failed test

use answers::{Heard, Kind};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Kind,
    /// The least number of forms that the table must hold.
    least: usize,
    #[serde(default)]
    typed: Vec<Typed>,
    #[serde(default)]
    spoken: Vec<Spoken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    expected: String,
    accepted: Vec<String>,
    rejected: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spoken {
    expected: String,
    #[serde(default)]
    others: Vec<String>,
    right: Vec<String>,
    wrong: Vec<String>,
    nothing: Vec<String>,
}

fn check(text: &str) {
    let table: Table = toml::from_str(text).unwrap();
    let mut faults = Vec::new();
    let mut forms = 0;
    for row in &table.typed {
        let all = row.accepted.iter().map(|form| (form, true));
        for (form, wanted) in all.chain(row.rejected.iter().map(|form| (form, false))) {
            forms += 1;
            if table.kind.accepts(&row.expected, form).unwrap() != wanted {
                let word = if wanted { "accepted" } else { "rejected" };
                faults.push(format!("{form:?} is to be {word} for {:?}", row.expected));
            }
        }
    }
    for row in &table.spoken {
        for (list, wanted) in [
            (&row.right, Heard::Right),
            (&row.wrong, Heard::Wrong),
            (&row.nothing, Heard::Nothing),
        ] {
            for said in list {
                forms += 1;
                let heard = table.kind.hears(&row.expected, &row.others, said).unwrap();
                if heard != wanted {
                    faults.push(format!(
                        "{said:?} is to be {wanted:?} for {:?}, not {heard:?}",
                        row.expected
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(forms >= table.least, "only {forms} forms");
}

#[test]
fn text() {
    check(include_str!("forms/text.toml"));
}

#[test]
fn number() {
    check(include_str!("forms/number.toml"));
}

#[test]
fn money() {
    check(include_str!("forms/money.toml"));
}

#[test]
fn percent() {
    check(include_str!("forms/percent.toml"));
}

#[test]
fn date() {
    check(include_str!("forms/date.toml"));
}

#[test]
fn time() {
    check(include_str!("forms/time.toml"));
}

#[test]
fn duration() {
    check(include_str!("forms/duration.toml"));
}

#[test]
fn phone() {
    check(include_str!("forms/phone.toml"));
}

#[test]
fn code() {
    check(include_str!("forms/code.toml"));
}

#[test]
fn name() {
    check(include_str!("forms/name.toml"));
}

#[test]
fn list() {
    check(include_str!("forms/list.toml"));
}

#[test]
fn ordered_list() {
    check(include_str!("forms/ordered-list.toml"));
}

#[test]
fn a_wrong_truth_is_reported() {
    let error = Kind::Money.accepts("cheap", "64").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the expected value \"cheap\" is no money"
    );
}

#[test]
fn digits_of_words() {
    for (text, digits) in [
        ("sixty-four", Some("64")),
        ("$64", Some("64")),
        (" 64 dollars", Some("64")),
        ("one point four million", Some("1400000")),
        ("12.50", Some("12.5")),
        ("sixty-four and", None),
        ("cheap", None),
    ] {
        assert_eq!(answers::digits(text).as_deref(), digits, "{text}");
    }
}
