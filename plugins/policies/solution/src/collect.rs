//! `collect`: every distinct reading, from frames and sentences, in the order of time.

use std::collections::BTreeSet;

use dynacu_sdk::{Instant, logging};
use regex::Regex;

use crate::ending::Ending;
use crate::looks::{Reach, Searched};
use crate::memory::{Row, key};
use crate::run::{Halt, Run};
use crate::script::{Collect, Sense, Step};

/// Something perceived, and when.
#[derive(Clone, Debug)]
struct Reading {
    at: Instant,
    row: Row,
    confidence: f32,
}

/// What one sense has gathered.
struct Gathered {
    sense: Sense<Regex>,
    searched: Searched,
    readings: Vec<Reading>,
    /// What the frame before showed.
    shown: BTreeSet<String>,
    /// The last change that was taken in.
    changed_at: Instant,
}

impl Run<'_> {
    pub(crate) fn collect(
        &mut self,
        step: &Step,
        collect: &Collect,
        after: Instant,
    ) -> Result<(), Halt> {
        let mut ending = Ending::of(step, self)?;
        let mut gathered: Vec<Gathered> = self
            .all_ready(&collect.senses)?
            .into_iter()
            .map(|sense| Gathered {
                sense,
                searched: Searched::new(),
                readings: Vec::new(),
                shown: BTreeSet::new(),
                changed_at: after,
            })
            .collect();
        loop {
            self.drain()?;
            let mut more = false;
            for gathered in &mut gathered {
                more |= self.gather(gathered, collect, after)?;
            }
            let rows = rows(&gathered, collect.begins.as_deref());
            let enough = collect.enough.is_some_and(|enough| rows.len() >= enough);
            // What has come in is read to its end even when the time is over.
            if !more && (enough || ending.reached(self)?) {
                for row in &rows {
                    let told: Vec<String> = row
                        .iter()
                        .map(|(name, capture)| format!("{name} = {:?}", capture.text))
                        .collect();
                    logging::info(&format!("{}: {}", collect.into, told.join(", ")));
                }
                self.lists.insert(collect.into.clone(), rows);
                return Ok(());
            }
            if !more {
                self.perceive(ending.next())?;
            }
        }
    }

    /// Takes in one frame, or all that was heard. Says whether there may be more.
    fn gather(
        &mut self,
        gathered: &mut Gathered,
        collect: &Collect,
        after: Instant,
    ) -> Result<bool, Halt> {
        match &gathered.sense {
            Sense::Hear(pattern) => {
                let mentions = self.heard.mentions(pattern, after).into_iter();
                let readings = mentions.map(|mention| Reading {
                    at: mention.started_at,
                    row: mention.row,
                    confidence: 1.0,
                });
                gathered.readings = if collect.repeats {
                    readings.collect()
                } else {
                    distinct(readings, &collect.by)
                };
                Ok(false)
            }
            Sense::Change(spots) => {
                let Some((at, found)) = self.change(spots, gathered.changed_at) else {
                    return Ok(false);
                };
                gathered.changed_at = at;
                gathered.take(at, vec![(found.row, 1.0)], collect, true);
                Ok(true)
            }
            sense @ (Sense::See { .. } | Sense::Colour { .. }) => {
                let reach = Reach::Onward { after };
                let Some((at, found)) = self.on_next(sense, &mut gathered.searched, reach)? else {
                    return Ok(false);
                };
                let found = found
                    .into_iter()
                    .map(|found| (found.row, found.confidence))
                    .filter(|(_, confidence)| *confidence >= collect.sure)
                    .collect();
                gathered.take(at, found, collect, false);
                Ok(true)
            }
        }
    }
}

impl Gathered {
    /// Takes in what one frame shows. A change is over at once, so the next one is another.
    fn take(&mut self, at: Instant, found: Vec<(Row, f32)>, collect: &Collect, passing: bool) {
        let mut shown = BTreeSet::new();
        for (row, confidence) in found {
            let name = key(&row, &collect.by);
            shown.insert(name.clone());
            let known = self
                .readings
                .iter_mut()
                .rev()
                .find(|reading| key(&reading.row, &collect.by) == name);
            let counts = match &known {
                None => true,
                Some(_) if collect.repeats => passing || !self.shown.contains(&name),
                Some(_) => false,
            };
            if counts {
                self.readings.push(Reading {
                    at,
                    row,
                    confidence,
                });
            } else if let Some(known) = known.filter(|known| known.confidence < confidence) {
                // The same thing read better; it was there from the first time on.
                known.row = row;
                known.confidence = confidence;
            }
        }
        self.shown = shown;
    }
}

fn distinct(readings: impl Iterator<Item = Reading>, by: &[String]) -> Vec<Reading> {
    let mut known = BTreeSet::new();
    readings
        .filter(|reading| known.insert(key(&reading.row, by)))
        .collect()
}

/// All readings in the order of time, those that lack `begins` put to the row before.
fn rows(gathered: &[Gathered], begins: Option<&str>) -> Vec<Row> {
    let mut readings: Vec<&Reading> = gathered
        .iter()
        .flat_map(|gathered| &gathered.readings)
        .collect();
    readings.sort_by_key(|reading| reading.at);
    let mut rows: Vec<Row> = Vec::new();
    for reading in readings {
        match (begins, rows.last_mut()) {
            (Some(begins), last) if !reading.row.contains_key(begins) => {
                if let Some(last) = last {
                    for (name, capture) in &reading.row {
                        last.entry(name.clone()).or_insert_with(|| capture.clone());
                    }
                }
            }
            _ => rows.push(reading.row.clone()),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::row;

    fn collect(repeats: bool) -> Collect {
        Collect {
            into: "list".to_owned(),
            senses: Vec::new(),
            by: Vec::new(),
            repeats,
            begins: None,
            sure: 0.8,
            enough: None,
        }
    }

    fn gathered() -> Gathered {
        Gathered {
            sense: Sense::Hear(Regex::new("x").unwrap()),
            searched: Searched::new(),
            readings: Vec::new(),
            shown: BTreeSet::new(),
            changed_at: Instant::START,
        }
    }

    fn taken(repeats: bool, frames: &[&[&str]]) -> Vec<String> {
        let mut gathered = gathered();
        for (at, pads) in frames.iter().enumerate() {
            let found = pads.iter().map(|pad| (row(&[("pad", pad)]), 1.0)).collect();
            gathered.take(
                Instant::from_millis(at as u64),
                found,
                &collect(repeats),
                false,
            );
        }
        rows(&[gathered], None)
            .iter()
            .map(|row| row["pad"].text.clone())
            .collect()
    }

    #[test]
    fn lights_go_on_again_and_slides_do_not() {
        let frames: [&[&str]; 7] = [&["a"], &["a"], &[], &["a"], &["b"], &["b", "c"], &["a"]];
        assert_eq!(taken(true, &frames), ["a", "a", "b", "c", "a"]);
        assert_eq!(taken(false, &frames), ["a", "b", "c"]);
    }

    #[test]
    fn the_better_reading_of_the_same_is_kept_with_its_first_time() {
        let mut gathered = gathered();
        let mut by_code = collect(false);
        by_code.by = vec!["code".to_owned()];
        let read = |price: &str| row(&[("code", "A1"), ("price", price)]);
        gathered.take(
            Instant::from_millis(10),
            vec![(read("$ 1.I0"), 0.82)],
            &by_code,
            false,
        );
        gathered.take(
            Instant::from_millis(20),
            vec![(read("$ 1.10"), 0.97)],
            &by_code,
            false,
        );
        gathered.take(
            Instant::from_millis(30),
            vec![(read("$ 1.1O"), 0.9)],
            &by_code,
            false,
        );
        let [reading] = gathered.readings.as_slice() else {
            panic!("{:?}", gathered.readings)
        };
        assert_eq!(
            (reading.at.as_millis(), reading.row["price"].text.as_str()),
            (10, "$ 1.10")
        );
    }

    #[test]
    fn what_was_said_goes_to_the_slide_that_was_up() {
        let reading = |at: u64, name: &str, text: &str| Reading {
            at: Instant::from_millis(at),
            row: row(&[(name, text)]),
            confidence: 1.0,
        };
        let mut slides = gathered();
        slides.readings = vec![
            reading(100, "region", "East"),
            reading(300, "region", "West"),
        ];
        let mut speech = gathered();
        speech.readings = vec![
            reading(50, "sales", "none"),
            reading(150, "sales", "4.1"),
            reading(350, "sales", "2.7"),
            reading(360, "sales", "9.9"),
        ];
        let rows = rows(&[slides, speech], Some("region"));
        let wanted = [
            row(&[("region", "East"), ("sales", "4.1")]),
            row(&[("region", "West"), ("sales", "2.7")]),
        ];
        assert_eq!(rows, wanted);
    }
}
