//! Plays a script: what every step needs of time, perception and memory. The steps themselves are in `step.rs`,
//! `watch.rs`, `collect.rs` and `choose.rs`.

use std::collections::BTreeMap;

use dynacu_sdk::{
    ActFailure, Action, Duration, Event, Instant, PerformError, Point, Session, StopCause, logging,
};
use regex::Regex;

use crate::Senses;
use crate::fill;
use crate::heard::Heard;
use crate::looks::Looks;
use crate::memory::Row;
use crate::pattern::Pattern;
use crate::script::{At, Place, Script, Shift, Step};

/// Why the script was not played to its end.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The host ended the episode.
    Stopped(StopCause),
    /// What the step waited for or looked for did not come; an optional step goes on.
    Missed(String),
    /// The step cannot be done.
    Failed(String),
    /// Either of the two, with the step that it is about.
    GaveUp(String),
}

impl From<StopCause> for Halt {
    fn from(cause: StopCause) -> Self {
        Self::Stopped(cause)
    }
}

pub(crate) struct Run<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) script: &'a Script,
    pub(crate) senses: Senses,
    pub(crate) captures: Row,
    pub(crate) lists: BTreeMap<String, Vec<Row>>,
    pub(crate) heard: Heard,
    pub(crate) looks: Looks,
    /// When the next observation is due.
    next_look: Instant,
    /// When the last action began; what came after it may be its effect.
    pub(crate) acted_at: Instant,
    /// The last change that a step was satisfied by.
    pub(crate) changed_at: Instant,
}

impl<'a> Run<'a> {
    pub(crate) fn new(session: &'a mut Session, script: &'a Script, senses: Senses) -> Self {
        let (captures, lists) = match senses {
            Senses::Open => (Row::new(), BTreeMap::new()),
            Senses::Shut => (script.guess.captures.clone(), script.guess.lists.clone()),
        };
        Self {
            session,
            script,
            senses,
            captures,
            lists,
            heard: Heard::default(),
            looks: Looks::default(),
            next_look: Instant::START,
            acted_at: Instant::START,
            changed_at: Instant::START,
        }
    }

    pub(crate) fn play(mut self) -> Result<(), Halt> {
        self.session.subscribe(true);
        let script = self.script;
        self.steps(&script.steps)
    }

    pub(crate) fn steps(&mut self, steps: &[Step]) -> Result<(), Halt> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), Halt> {
        let Step { label, what, .. } = step;
        let name = what.name();
        let level = if label.contains('.') {
            logging::Level::Debug
        } else {
            logging::Level::Info
        };
        if !self.applies(step)? {
            logging::log(level, &format!("step {label}: {name} does not apply"));
            return Ok(());
        }
        logging::log(level, &format!("step {label}: {name}"));
        let done = match self.senses {
            Senses::Open => self.take(step),
            Senses::Shut => self.pass(step),
        };
        match done {
            Err(Halt::Missed(reason)) if step.optional || self.senses == Senses::Shut => {
                logging::info(&format!("step {label} ({name}) goes on: {reason}"));
                Ok(())
            }
            Err(Halt::Missed(reason) | Halt::Failed(reason)) => {
                Err(Halt::GaveUp(format!("step {label} ({name}): {reason}")))
            }
            other => other,
        }
    }

    fn applies(&self, step: &Step) -> Result<bool, Halt> {
        for (conditions, wanted) in [(&step.when, true), (&step.unless, false)] {
            let mut all = true;
            for (name, pattern) in conditions {
                let holds = match self.value(name) {
                    Ok(value) => self.regex(pattern)?.is_match(&value),
                    Err(_) => false,
                };
                all &= holds;
            }
            if !conditions.is_empty() && all != wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes in what comes next, an observation when one is due and events in between, until `until` at the latest.
    pub(crate) fn perceive(&mut self, until: Instant) -> Result<(), Halt> {
        let now = self.session.now();
        if now >= self.next_look {
            return self.observe();
        }
        let wait = self.next_look.min(until) - now;
        if let Some(event) = self.session.next(Some(wait))? {
            self.take_in(event);
        }
        Ok(())
    }

    /// Takes in whatever has already come, without waiting.
    pub(crate) fn drain(&mut self) -> Result<(), Halt> {
        while let Some(event) = self.session.next(Some(Duration::ZERO))? {
            self.take_in(event);
        }
        Ok(())
    }

    fn observe(&mut self) -> Result<(), Halt> {
        let observation = self.session.observe()?;
        self.next_look = observation.taken_at + self.session.brief().pace;
        self.heard.observe(&observation);
        self.looks.observe(observation);
        Ok(())
    }

    fn take_in(&mut self, event: Event) {
        match event {
            Event::Sentence(sentence) => self.heard.add(&sentence),
            Event::Keyframe(keyframe) => self.looks.add_keyframe(keyframe),
            Event::Completion(_) | Event::Action(_) => {}
        }
    }

    /// Performs a batch and waits for its outcome.
    pub(crate) fn act(&mut self, actions: Vec<Action>) -> Result<(), Halt> {
        self.acted_at = self.session.now();
        self.session.act(actions).map_err(|failure| match failure {
            ActFailure::Stopped(cause) => Halt::Stopped(cause),
            ActFailure::TooMany(_) | ActFailure::Failed { .. } => Halt::Failed(failure.to_string()),
        })
    }

    /// Performs a pause and goes on perceiving while it lasts.
    pub(crate) fn pause(&mut self, time: Duration) -> Result<(), Halt> {
        let pause = vec![Action::wait(time)];
        let ids = self.session.perform(pause).map_err(|error| match error {
            PerformError::Stopped(cause) => Halt::Stopped(cause),
            PerformError::TooMany(_) => Halt::Failed("one action was too many".to_owned()),
        })?;
        loop {
            let done = self
                .session
                .prior_actions()
                .iter()
                .rev()
                .find(|prior| ids.contains(&prior.id))
                .and_then(|prior| prior.outcome.clone());
            match done {
                Some(Ok(_)) => return Ok(()),
                Some(Err(error)) => return Err(Halt::Failed(error.reason())),
                None => self.perceive(Instant::MAX)?,
            }
        }
    }

    /// Remembers captures.
    pub(crate) fn keep(&mut self, row: Row) {
        for (name, capture) in &row {
            let at = capture
                .at
                .map_or_else(String::new, |at| format!(" at ({}, {})", at.x, at.y));
            logging::info(&format!("{name} = {:?}{at}", capture.text));
        }
        self.captures.extend(row);
    }

    pub(crate) fn fill(&self, text: &str) -> Result<String, Halt> {
        fill::fill(text, &self.captures, &self.script.lookups).map_err(Halt::Failed)
    }

    fn value(&self, name: &str) -> Result<String, String> {
        fill::value(name, &self.captures, &self.script.lookups)
    }

    /// The expression of a pattern, with what its placeholders stand for now.
    pub(crate) fn regex(&self, pattern: &Pattern) -> Result<Regex, Halt> {
        pattern.regex(|name| self.value(name)).map_err(Halt::Failed)
    }

    pub(crate) fn place(&self, place: &Place) -> Result<Point, Halt> {
        let at = match &place.at {
            At::Point(at) => *at,
            At::Capture(name) => self.place_of(name)?,
        };
        Ok(place.from_there.apply(at))
    }

    fn place_of(&self, name: &str) -> Result<Point, Halt> {
        let Some(capture) = self.captures.get(name) else {
            return Err(Halt::Missed(format!("{name} was not captured")));
        };
        let named = || {
            self.script
                .area_named(name, &capture.text)
                .map(|area| area.centre())
        };
        capture.at.or_else(named).ok_or_else(|| {
            Halt::Missed(format!(
                "{name} has no place, since it was heard and not seen"
            ))
        })
    }
}

impl Shift {
    pub(crate) fn apply(self, at: Point) -> Point {
        Point {
            x: self.x.unwrap_or(at.x) + self.offset[0],
            y: self.y.unwrap_or(at.y) + self.offset[1],
        }
    }
}
