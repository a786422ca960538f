//! Every name must be known by the time it is used; a task's author learns it before the episode runs.

use std::collections::{BTreeMap, BTreeSet};

use super::{At, Choose, Pick, Place, Rounds, Script, Sense, Step, Target, What};
use crate::fill;

/// Where captures come from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Source {
    Perception,
    /// `[guess]`, for a policy that perceives nothing.
    Constants,
}

struct Known<'a> {
    script: &'a Script,
    source: Source,
    names: BTreeSet<String>,
    /// The names in the rows of each list.
    lists: BTreeMap<String, BTreeSet<String>>,
}

pub(super) fn check(script: &Script, source: Source) -> Result<(), String> {
    let mut known = Known {
        script,
        source,
        names: BTreeSet::new(),
        lists: BTreeMap::new(),
    };
    if source == Source::Constants {
        let constants = &script.guess;
        known.names.extend(constants.captures.keys().cloned());
        for (list, rows) in &constants.lists {
            let names = rows.iter().flat_map(|row| row.keys().cloned()).collect();
            known.lists.insert(list.clone(), names);
        }
    }
    known.steps(&script.steps)
}

impl Known<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| {
            self.step(step)
                .map_err(|error| format!("step {}: {error}", step.label))?;
            self.steps(step.then())
        })
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        for (name, pattern) in step.when.iter().chain(&step.unless) {
            self.need(name)?;
            self.need_each(pattern.needs())?;
        }
        if self.source == Source::Perception {
            self.perceive(step)?;
        }
        match &step.what {
            What::Find(find) => self.find(&find.what)?,
            What::Click { place, .. } | What::Move(place) => self.place(place)?,
            What::Drag { from, to } => {
                self.place(from)?;
                self.place(to)?;
            }
            What::Scroll(scroll) => scroll.at.iter().try_for_each(|place| self.place(place))?,
            What::Type(text) | What::Speak(text) => self.need_all(text)?,
            What::Key(chords) => chords.iter().try_for_each(|chord| self.need_all(chord))?,
            What::Choose(choose) => self.choose(choose)?,
            What::Repeat { rounds, .. } => match rounds {
                Rounds::Times(times) => self.need_all(times)?,
                Rounds::Each(list) => {
                    let names = self.list(list)?;
                    self.names.extend(names);
                }
                Rounds::On => {}
            },
            What::Wait(_) | What::Watch(_) | What::Collect(_) | What::Pause(_) | What::Done => {}
        }
        Ok(())
    }

    /// What a step captures, into names or into its list.
    fn perceive(&mut self, step: &Step) -> Result<(), String> {
        let named = |sense: &Sense| -> Vec<String> {
            sense.names().into_iter().map(str::to_owned).collect()
        };
        for sense in step.senses() {
            self.need_each(sense.needs())?;
        }
        self.names.extend(step.until.iter().flat_map(named));
        match &step.what {
            What::Wait(sense) => self.names.extend(named(sense)),
            What::Watch(watch) => {
                let names: BTreeSet<String> = watch.senses.iter().flat_map(named).collect();
                has_all(&names, &watch.by)?;
                self.names.extend(names);
            }
            What::Collect(collect) => {
                let names: BTreeSet<String> = collect.senses.iter().flat_map(named).collect();
                has_all(&names, collect.by.iter().chain(&collect.begins))?;
                self.lists.insert(collect.into.clone(), names);
            }
            _ => {}
        }
        Ok(())
    }

    fn find(&mut self, target: &Target) -> Result<(), String> {
        match (target, self.source) {
            (Target::Words(text), _) => self.need_all(text),
            (Target::Pattern(pattern), Source::Perception) => {
                self.need_each(pattern.needs())?;
                self.names.extend(pattern.captures().map(str::to_owned));
                Ok(())
            }
            (Target::Pattern(_), Source::Constants) => Ok(()),
        }
    }

    fn choose(&mut self, choose: &Choose) -> Result<(), String> {
        // Without the list, `guess` has the captures themselves, or the step that needs them says so.
        if self.source == Source::Constants && !self.lists.contains_key(&choose.from) {
            return Ok(());
        }
        let names = self.list(&choose.from)?;
        let field = match &choose.pick {
            Pick::Smallest(field) | Pick::Largest(field) | Pick::Most(field) => Some(field),
            Pick::Row(_) | Pick::Count(_) => None,
        };
        has_all(
            &names,
            choose.filter.iter().map(|(name, _)| name).chain(field),
        )
        .map_err(|error| format!("in the rows of {:?} {error}", choose.from))?;
        for (_, pattern) in &choose.filter {
            self.need_each(pattern.needs())?;
        }
        match &choose.pick {
            Pick::Count(name) => {
                self.names.insert(name.clone());
            }
            _ => self.names.extend(names),
        }
        Ok(())
    }

    fn place(&self, place: &Place) -> Result<(), String> {
        match &place.at {
            At::Capture(name) => self.need(name),
            At::Point(_) => Ok(()),
        }
    }

    fn need_all(&self, text: &str) -> Result<(), String> {
        self.need_each(&fill::names(text)?)
    }

    fn need_each(&self, names: &[String]) -> Result<(), String> {
        names.iter().try_for_each(|name| self.need(name))
    }

    fn need(&self, name: &str) -> Result<(), String> {
        let source = self
            .script
            .lookups
            .get(name)
            .map_or(name, |lookup| &lookup.key);
        // A lookup's result may itself be a constant.
        if self.names.contains(source) || self.names.contains(name) {
            return Ok(());
        }
        Err(match self.source {
            Source::Perception => format!("nothing before it captures {source:?}"),
            Source::Constants => format!("[guess] has no {source:?}, which it needs"),
        })
    }

    fn list(&self, name: &str) -> Result<BTreeSet<String>, String> {
        self.lists
            .get(name)
            .cloned()
            .ok_or_else(|| match self.source {
                Source::Perception => format!("nothing before it collects {name:?}"),
                Source::Constants => format!("[guess] has no list {name:?}, which it needs"),
            })
    }
}

fn has_all<'a>(
    names: &BTreeSet<String>,
    wanted: impl IntoIterator<Item = &'a String>,
) -> Result<(), String> {
    wanted.into_iter().try_for_each(|name| {
        if names.contains(name) {
            Ok(())
        } else {
            Err(format!("no pattern captures {name:?}"))
        }
    })
}
