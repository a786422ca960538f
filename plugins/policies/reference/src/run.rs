//! Plays a script: what every step needs of time, perception and memory. The steps themselves are in `step.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use dynacu_sdk::{
    ActFailure, Action, Channels, Event, PerformError, ReadingError, Rect, Session, logging,
};

use crate::fill::fill;
use crate::heard::Heard;
use crate::looks::{Looks, Reach};
use crate::reading::Page;
use crate::script::Script;

/// Why the script was not played to its end.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The host ended the episode.
    Stopped,
    /// A step cannot succeed.
    GaveUp(String),
}

pub(crate) struct Run<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) script: &'a Script,
    pub(crate) captures: BTreeMap<String, String>,
    pub(crate) heard: Heard,
    pub(crate) looks: Looks,
    /// The step under way, from 0.
    step: usize,
    /// When the next observation is due.
    next_look: u64,
    /// When the last action began; what came after it may be its effect.
    pub(crate) acted_at: u64,
    /// The last change that a `see-change` step was satisfied by.
    pub(crate) changed_at: u64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(session: &'a mut Session, script: &'a Script) -> Self {
        Self {
            session,
            script,
            captures: BTreeMap::new(),
            heard: Heard::default(),
            looks: Looks::default(),
            step: 0,
            next_look: 0,
            acted_at: 0,
            changed_at: 0,
        }
    }

    pub(crate) fn play(mut self) -> Result<(), Halt> {
        self.session.subscribe(true);
        let script = self.script;
        for (index, step) in script.steps.iter().enumerate() {
            self.step = index;
            let name = step.what.name();
            logging::info(&format!("step {}: {name}", index + 1));
            self.take(step).map_err(|halt| match halt {
                Halt::GaveUp(reason) => {
                    Halt::GaveUp(format!("step {} ({name}): {reason}", index + 1))
                }
                Halt::Stopped => Halt::Stopped,
            })?;
        }
        Ok(())
    }

    /// Takes in what comes next, an observation when one is due and events in between, until `until` at the latest.
    pub(crate) fn perceive(&mut self, until: u64) -> Result<(), Halt> {
        let now = self.session.now();
        if now >= self.next_look {
            return self.observe();
        }
        let wait = self.next_look.min(until).saturating_sub(now);
        let event = self.session.next(Some(Duration::from_millis(wait)));
        self.take_in(event)
    }

    /// Takes in whatever has already come, without waiting.
    pub(crate) fn drain(&mut self) -> Result<(), Halt> {
        loop {
            match self.session.next(Some(Duration::ZERO)) {
                Event::Elapsed => return Ok(()),
                event => self.take_in(event)?,
            }
        }
    }

    fn observe(&mut self) -> Result<(), Halt> {
        let observation = self.session.observe().map_err(|_| Halt::Stopped)?;
        self.next_look = observation.taken_at + self.session.brief().pace;
        self.heard.observe(&observation);
        self.looks.observe(observation);
        Ok(())
    }

    fn take_in(&mut self, event: Event) -> Result<(), Halt> {
        match event {
            Event::Stop(_) => return Err(Halt::Stopped),
            Event::Sentence(sentence) => self.heard.add(&sentence),
            Event::Keyframe(keyframe) => self.looks.add_keyframe(keyframe),
            Event::Completion(_) | Event::Action(_) | Event::Elapsed => {}
        }
        Ok(())
    }

    /// Performs one action and waits for its outcome.
    pub(crate) fn act(&mut self, action: Action) -> Result<(), Halt> {
        self.acted_at = self.session.now();
        self.session
            .act(vec![action])
            .map_err(|failure| match failure {
                ActFailure::Stopped(_) => Halt::Stopped,
                failure => Halt::GaveUp(failure.to_string()),
            })
    }

    /// Performs a pause and goes on perceiving while it lasts.
    pub(crate) fn pause(&mut self, milliseconds: u64) -> Result<(), Halt> {
        let pause = vec![Action::Wait(milliseconds)];
        let ids = self.session.perform(pause).map_err(|error| match error {
            PerformError::Stopped(_) => Halt::Stopped,
            PerformError::TooMany(_) => Halt::GaveUp("one action was too many".to_owned()),
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
                Some(Err(error)) => return Err(Halt::GaveUp(error.reason())),
                None => self.perceive(u64::MAX)?,
            }
        }
    }

    /// What the next frame shows that this step has not searched; none when there is nothing new.
    pub(crate) fn read_next(&mut self, area: Rect, reach: Reach) -> Result<Option<Rc<Page>>, Halt> {
        while let Some(look) = self.looks.next(self.step, area, reach) {
            if let Some(page) = look.known(area) {
                return Ok(Some(page));
            }
            match self.session.read_text(&look.frame, area) {
                Ok(lines) => {
                    let page = look.remember(area, Page::new(lines));
                    let text = format!("read at {} ms: {:?}", look.captured_at, page.text());
                    logging::log(logging::Level::Debug, &text);
                    return Ok(Some(page));
                }
                Err(ReadingError::Gone) => {}
                Err(ReadingError::NotGranted) => {
                    return Err(Halt::GaveUp(
                        "the reading channel is not granted".to_owned(),
                    ));
                }
                Err(ReadingError::Other(reason)) => return Err(Halt::GaveUp(reason)),
            }
        }
        Ok(None)
    }

    /// Gives up at once where a step needs what this mode does not have.
    pub(crate) fn need(&self, channel: Channels, name: &str) -> Result<(), Halt> {
        if self.session.brief().granted.contains(channel) {
            return Ok(());
        }
        Err(Halt::GaveUp(format!("the {name} channel is not granted")))
    }

    pub(crate) fn fill(&self, text: &str) -> Result<String, Halt> {
        fill(text, &self.captures, &self.script.lookups).map_err(Halt::GaveUp)
    }

    pub(crate) fn screen(&self) -> Rect {
        let size = self.session.brief().screen;
        Rect::new(0, 0, size.width, size.height)
    }
}
