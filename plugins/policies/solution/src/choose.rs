//! `choose`: one row of a list, or how many there are.

use crate::memory::{Capture, Row, plain};
use crate::run::{Halt, Run};
use crate::script::{Choose, Pick};

impl Run<'_> {
    pub(crate) fn choose(&mut self, choose: &Choose) -> Result<(), Halt> {
        let mut rows = self.lists.get(&choose.from).cloned().unwrap_or_default();
        for (name, pattern) in &choose.filter {
            let regex = self.regex(pattern)?;
            rows.retain(|row| {
                row.get(name)
                    .is_some_and(|capture| regex.is_match(&capture.text))
            });
        }
        if let Pick::Count(name) = &choose.pick {
            let text = rows.len().to_string();
            self.keep(Row::from([(name.clone(), Capture { text, at: None })]));
            return Ok(());
        }
        let row = pick(&rows, &choose.pick).ok_or_else(|| {
            Halt::Missed(format!(
                "none of the {} rows of {:?} is that",
                rows.len(),
                choose.from
            ))
        })?;
        self.keep(row.clone());
        Ok(())
    }
}

fn pick<'a>(rows: &'a [Row], pick: &Pick) -> Option<&'a Row> {
    match pick {
        Pick::Smallest(name) => extreme(rows, name, |new, best| new < best),
        Pick::Largest(name) => extreme(rows, name, |new, best| new > best),
        Pick::Most(name) => {
            let text = |row: &'a Row| row.get(name).map(|capture| plain(&capture.text));
            let count = |row: &'a Row| {
                let own = text(row);
                rows.iter().filter(|row| text(row) == own).count()
            };
            let named = rows.iter().filter(|row| row.contains_key(name));
            // The last maximum is the first of the rows, seen from behind.
            named.rev().max_by_key(|row| count(row))
        }
        Pick::Row(place) => {
            let from_end = usize::try_from(place.unsigned_abs()).ok()?;
            let index = if *place < 0 {
                rows.len().checked_sub(from_end)?
            } else {
                from_end.checked_sub(1)?
            };
            rows.get(index)
        }
        Pick::Count(_) => None,
    }
}

/// The first row whose number no other beats.
fn extreme<'a>(rows: &'a [Row], name: &str, beats: fn(f64, f64) -> bool) -> Option<&'a Row> {
    let mut best: Option<(&Row, f64)> = None;
    for row in rows {
        let Some(value) = row.get(name).and_then(|capture| number(&capture.text)) else {
            continue;
        };
        if best.is_none_or(|(_, best)| beats(value, best)) {
            best = Some((row, value));
        }
    }
    best.map(|(row, _)| row)
}

/// The number in a text: as the answers' types read it, or its digits, with a colon of a time for a point.
fn number(text: &str) -> Option<f64> {
    let whole = answers::digits(text.trim()).and_then(|digits| digits.parse().ok());
    whole.or_else(|| {
        let kept: String = text
            .chars()
            .filter(|letter| letter.is_ascii_digit() || ".:-−".contains(*letter))
            .map(|letter| match letter {
                ':' => '.',
                '−' => '-',
                other => other,
            })
            .collect();
        kept.trim_end_matches(['.', '-']).parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::row;

    fn offers() -> Vec<Row> {
        [
            ("Kettle", "$1,299.00"),
            ("Stool", "sold out"),
            ("Lamp", "$ 84.50"),
            ("Radio", "84.50"),
            ("Fork", "ninety-nine dollars"),
        ]
        .map(|(name, price)| row(&[("name", name), ("price", price)]))
        .into()
    }

    fn name(rows: &[Row], how: &Pick) -> Option<String> {
        pick(rows, how).map(|row| row["name"].text.clone())
    }

    #[test]
    fn one_row_by_its_number_or_place() {
        let price = || "price".to_owned();
        for (how, wanted) in [
            (Pick::Smallest(price()), Some("Lamp")),
            (Pick::Largest(price()), Some("Kettle")),
            (Pick::Row(2), Some("Stool")),
            (Pick::Row(-1), Some("Fork")),
            (Pick::Row(6), None),
            (Pick::Row(-6), None),
            (Pick::Smallest("code".to_owned()), None),
        ] {
            assert_eq!(name(&offers(), &how).as_deref(), wanted, "{how:?}");
        }
    }

    #[test]
    fn the_first_of_the_most_frequent() {
        let rows: Vec<Row> = [
            ("1", "No"),
            ("2", "Yes"),
            ("3", "yes."),
            ("4", "no"),
            ("5", "?"),
        ]
        .map(|(name, vote)| row(&[("name", name), ("vote", vote)]))
        .into();
        let most = Pick::Most("vote".to_owned());
        assert_eq!(name(&rows, &most).as_deref(), Some("1"));
        assert_eq!(name(&rows[1..], &most).as_deref(), Some("2"));
    }

    #[test]
    fn numbers_as_they_are_shown() {
        for (text, wanted) in [
            ("92 %", Some(92.0)),
            ("9:30", Some(9.3)),
            ("−4.5 °C", Some(-4.5)),
            ("1.4 million", Some(1_400_000.0)),
            ("full", None),
        ] {
            assert_eq!(number(text), wanted, "{text}");
        }
    }
}
