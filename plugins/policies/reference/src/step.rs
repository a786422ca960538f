//! The steps: each waits for perception or acts.

use dynacu_sdk::{Action, Channels, Click, Event, Point, Rect, logging};
use regex::Regex;

use crate::looks::Reach;
use crate::reading::Match;
use crate::run::{Halt, Run};
use crate::script::{Press, Step, What};

/// Below this confidence a reading is checked against later frames: a notice is often captured while it fades in.
const SURE: f32 = 0.9;
/// How long a doubtful reading waits for a better one, in milliseconds.
const SETTLING: u64 = 1_500;

impl Run<'_> {
    pub(crate) fn take(&mut self, step: &Step) -> Result<(), Halt> {
        let deadline = self.session.now().saturating_add(step.within);
        match &step.what {
            What::Hear(pattern) => self.hear(pattern, deadline, step.within),
            What::See { area, text } => {
                let area = area.unwrap_or_else(|| self.screen());
                self.see(area, text, deadline, step.within)
            }
            What::SeeChange { area } => {
                let area = area.unwrap_or_else(|| self.screen());
                self.see_change(area, deadline, step.within)
            }
            What::Find { area, text, press } => {
                let area = area.unwrap_or_else(|| self.screen());
                self.find(area, text, *press, deadline, step.within)
            }
            What::Click { x, y, press } => self.act(click(Point { x: *x, y: *y }, *press)),
            What::Type(text) => self.act(Action::text(self.fill(text)?)),
            What::Key(chord) => self.act(Action::chord(self.fill(chord)?)),
            What::Speak(text) => self.act(Action::say(self.fill(text)?)),
            What::Wait(milliseconds) => self.pause(*milliseconds),
            What::Done => {
                self.act(Action::Done)?;
                while !matches!(self.session.next(None), Event::Stop(_)) {}
                Err(Halt::Stopped)
            }
        }
    }

    fn hear(&mut self, pattern: &Regex, deadline: u64, within: u64) -> Result<(), Halt> {
        self.need(Channels::AUDIO, "audio")?;
        self.drain()?;
        loop {
            if let Some(captures) = self.heard.search(pattern) {
                self.keep(captures);
                return Ok(());
            }
            if self.session.now() >= deadline {
                logging::info(&format!("heard so far: {}", self.heard.all()));
                return Err(expired("nothing heard matched", within));
            }
            self.perceive(deadline)?;
        }
    }

    fn see(&mut self, area: Rect, pattern: &Regex, deadline: u64, within: u64) -> Result<(), Halt> {
        let reach = Reach::Past {
            acted_at: self.acted_at,
        };
        let mut best: Option<Match> = None;
        let mut deadline = deadline;
        loop {
            self.drain()?;
            if let Some(page) = self.read_next(area, reach)? {
                if let Some(found) = page.search(pattern) {
                    if best.is_none() && found.confidence < SURE {
                        deadline = deadline.min(self.session.now() + SETTLING);
                    }
                    if best
                        .as_ref()
                        .is_none_or(|best| best.confidence < found.confidence)
                    {
                        best = Some(found);
                    }
                }
                if best.as_ref().is_none_or(|best| best.confidence < SURE)
                    && self.session.now() < deadline
                {
                    continue;
                }
            }
            let sure = best.as_ref().is_some_and(|best| best.confidence >= SURE);
            if sure || self.session.now() >= deadline {
                let found = best.ok_or_else(|| expired("nothing read matched", within))?;
                self.keep(found.captures);
                return Ok(());
            }
            self.perceive(deadline)?;
        }
    }

    fn see_change(&mut self, area: Rect, deadline: u64, within: u64) -> Result<(), Halt> {
        self.need(Channels::KEYFRAMES, "keyframes")?;
        self.drain()?;
        loop {
            let after = self.acted_at.max(self.changed_at);
            if let Some(changed_at) = self.looks.change_after(after, area) {
                self.changed_at = changed_at;
                return Ok(());
            }
            if self.session.now() >= deadline {
                return Err(expired("nothing changed there", within));
            }
            self.perceive(deadline)?;
        }
    }

    fn find(
        &mut self,
        area: Rect,
        words: &str,
        press: Press,
        deadline: u64,
        within: u64,
    ) -> Result<(), Halt> {
        let words = self.fill(words)?;
        loop {
            self.drain()?;
            let page = self.read_next(area, Reach::Newest)?;
            if let Some(at) = page.and_then(|page| page.place_of(&words)) {
                return self.act(click(at, press));
            }
            if self.session.now() >= deadline {
                return Err(expired(&format!("{words:?} was not found"), within));
            }
            self.perceive(deadline)?;
        }
    }

    fn keep(&mut self, captures: Vec<(String, String)>) {
        for (name, value) in captures {
            logging::info(&format!("{name} = {value:?}"));
            self.captures.insert(name, value);
        }
    }
}

fn click(at: Point, press: Press) -> Action {
    Action::Click(Click {
        at,
        button: press.button,
        count: press.count,
    })
}

fn expired(what: &str, within: u64) -> Halt {
    Halt::GaveUp(format!("{what} within {} s", within as f64 / 1000.0))
}
