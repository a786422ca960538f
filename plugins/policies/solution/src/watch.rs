//! `watch`: does something whenever something new appears; and `repeat`.

use std::collections::BTreeSet;

use dynacu_sdk::{Instant, logging};
use regex::Regex;

use crate::Senses;
use crate::ending::Ending;
use crate::looks::{Reach, Searched};
use crate::memory::{Row, key};
use crate::reading::Match;
use crate::run::{Halt, Run};
use crate::script::{Rounds, Sense, Step, Watch};

/// Rounds of one `repeat`; a script that wants more is wrong about a number.
const MOST: u32 = 1_000;

/// What one sense of a watch has noticed.
struct Watched {
    sense: Sense<Regex>,
    searched: Searched,
    /// What the newest frame shows.
    shown: Vec<Match>,
    /// What was answered already.
    known: BTreeSet<String>,
    /// The names of all groups, so that those of other cases are forgotten.
    names: Vec<String>,
}

impl Run<'_> {
    pub(crate) fn watch(&mut self, step: &Step, watch: &Watch) -> Result<(), Halt> {
        let began = self.session.now();
        let mut ending = Ending::of(step, self)?;
        let mut senses = Vec::new();
        for (sense, raw) in self
            .all_ready(&watch.senses)?
            .into_iter()
            .zip(&watch.senses)
        {
            senses.push(Watched {
                sense,
                searched: Searched::new(),
                shown: Vec::new(),
                known: BTreeSet::new(),
                names: raw.names().into_iter().map(str::to_owned).collect(),
            });
        }
        loop {
            self.drain()?;
            let mut news = None;
            for watched in &mut senses {
                news = self.news(watched, watch, began)?;
                if news.is_some() {
                    watched
                        .names
                        .iter()
                        .for_each(|name| drop(self.captures.remove(name)));
                    break;
                }
            }
            if ending.reached(self)? {
                return Ok(());
            }
            match news {
                Some(row) => {
                    self.keep(row);
                    self.steps(&watch.then)?;
                }
                None => self.perceive(ending.next())?,
            }
        }
    }

    /// The next thing that one sense has not answered yet.
    fn news(
        &mut self,
        watched: &mut Watched,
        watch: &Watch,
        began: Instant,
    ) -> Result<Option<Row>, Halt> {
        match &watched.sense {
            Sense::Hear(pattern) => {
                let mentions = self.heard.mentions(pattern, began);
                Ok(mentions.into_iter().find_map(|mention| {
                    let what = name_of(&mention.row, &watch.by, &mention.text);
                    let known = if watch.repeats {
                        format!("{} {what}", mention.started_at.as_millis())
                    } else {
                        what
                    };
                    watched.known.insert(known).then_some(mention.row)
                }))
            }
            Sense::Change(spots) => {
                let mut after = self.acted_at.max(self.changed_at).max(began);
                while let Some((changed_at, found)) = self.change(spots, after) {
                    self.changed_at = changed_at;
                    after = changed_at;
                    let again = watch.repeats || found.row.is_empty();
                    if watched.known.insert(key(&found.row, &watch.by)) || again {
                        return Ok(Some(found.row));
                    }
                }
                Ok(None)
            }
            sense @ (Sense::See { .. } | Sense::Colour { .. }) => {
                let newest = self.on_next(sense, &mut watched.searched, Reach::Newest)?;
                if let Some((_, shown)) = newest {
                    if watch.repeats {
                        let there: BTreeSet<String> = shown
                            .iter()
                            .map(|found| name_of(&found.row, &watch.by, &found.text))
                            .collect();
                        watched.known.retain(|known| there.contains(known));
                    }
                    watched.shown = shown;
                }
                Ok(watched.shown.iter().find_map(|found| {
                    let what = name_of(&found.row, &watch.by, &found.text);
                    watched.known.insert(what).then(|| found.row.clone())
                }))
            }
        }
    }

    pub(crate) fn repeat(
        &mut self,
        step: &Step,
        rounds: &Rounds,
        then: &[Step],
    ) -> Result<(), Halt> {
        match rounds {
            Rounds::Each(list) => {
                let rows = self.lists.get(list).cloned().unwrap_or_default();
                for row in rows {
                    self.keep(row);
                    self.steps(then)?;
                }
                Ok(())
            }
            Rounds::Times(times) => {
                let text = self.fill(times)?;
                let times = answers::digits(&text)
                    .and_then(|digits| digits.parse::<u32>().ok())
                    .filter(|times| *times <= MOST)
                    .ok_or_else(|| {
                        Halt::Failed(format!("{text:?} is no number of times up to {MOST}"))
                    })?;
                (0..times).try_for_each(|_| self.steps(then))
            }
            Rounds::On if self.senses == Senses::Shut => self.steps(then),
            Rounds::On => {
                let mut ending = Ending::of(step, self)?;
                for round in 1.. {
                    logging::log(logging::Level::Debug, &format!("round {round}"));
                    self.steps(then)?;
                    self.drain()?;
                    if ending.reached(self)? {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

/// What tells a find from others: its captures, or its words where it has none.
fn name_of(row: &Row, by: &[String], text: &str) -> String {
    if row.is_empty() {
        text.to_owned()
    } else {
        key(row, by)
    }
}
