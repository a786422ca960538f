//! The steps that wait for one thing or act.

use dynacu_sdk::{Action, Click, Drag, Duration, Instant, Point, Rect, Scroll, logging};
use regex::Regex;

use crate::looks::{Reach, Searched};
use crate::reading::Match;
use crate::run::{Halt, Run};
use crate::script::{Find, Press, Sense, Spots, Step, Target, What};

/// Below this confidence a reading is checked against later frames: a notice is often captured while it fades in.
const SURE: f32 = 0.9;
/// How long a doubtful reading waits for a better one.
const SETTLING: Duration = Duration::from_millis(1_500);
/// How long `guess` looks for words to click: what stands on the page is there by then.
const GLANCE: Duration = Duration::from_secs(10);

/// Until when a step waits.
#[derive(Clone, Copy)]
struct Limit {
    deadline: Instant,
    within: Duration,
}

impl Limit {
    fn missed(self, what: &str) -> Halt {
        Halt::Missed(format!("{what} within {} s", self.within.as_seconds()))
    }
}

impl Run<'_> {
    pub(crate) fn take(&mut self, step: &Step) -> Result<(), Halt> {
        let limit = self.limit(step.within.unwrap_or(Duration::MAX));
        // What is fresh came after the last action.
        let after = if step.fresh {
            self.acted_at
        } else {
            Instant::START
        };
        match &step.what {
            What::Wait(sense) => match self.ready(sense)? {
                Sense::Hear(pattern) => self.hear(&pattern, after, limit),
                Sense::See { area, text } => {
                    let area = area.unwrap_or_else(|| self.screen());
                    self.see(area, &text, after, limit)
                }
                Sense::Change(spots) => self.see_change(&spots, limit),
                sense @ Sense::Colour { .. } => self.see_colour(&sense, limit),
            },
            What::Find(find) => self.find(find, limit),
            What::Watch(watch) => self.watch(step, watch),
            What::Collect(collect) => self.collect(step, collect, after),
            What::Choose(choose) => self.choose(choose),
            What::Repeat { rounds, then } => self.repeat(step, rounds, then),
            what => self.do_it(what),
        }
    }

    /// The step as `guess` does it: it waits a while instead of perceiving, and the constants stand for the rest.
    pub(crate) fn pass(&mut self, step: &Step) -> Result<(), Halt> {
        if step.guess > Duration::ZERO {
            self.pause(step.guess)?;
        }
        match &step.what {
            What::Wait(_) | What::Collect(_) => Ok(()),
            What::Find(find) => match &find.what {
                Target::Words(_) => {
                    let limit = self.limit(step.within.unwrap_or(GLANCE).min(GLANCE));
                    self.find(find, limit)
                }
                Target::Pattern(pattern) => {
                    let name = pattern.captures().next().unwrap_or_default();
                    let at = self.captures.get(name).and_then(|capture| capture.at);
                    let at =
                        at.ok_or_else(|| Halt::Missed("[guess] has no place for it".to_owned()))?;
                    self.act(vec![click(find.from_there.apply(at), find.press)])
                }
            },
            What::Watch(watch) => self.steps(&watch.then),
            What::Choose(choose) => self.choose(choose),
            What::Repeat { rounds, then } => self.repeat(step, rounds, then),
            what => self.do_it(what),
        }
    }

    fn limit(&self, within: Duration) -> Limit {
        Limit {
            deadline: self.session.now() + within,
            within,
        }
    }

    /// What needs no perception.
    fn do_it(&mut self, what: &What) -> Result<(), Halt> {
        let action = match what {
            What::Click { place, press } => click(self.place(place)?, *press),
            What::Move(place) => Action::Move(self.place(place)?),
            What::Drag { from, to } => Action::Drag(Drag {
                start: self.place(from)?,
                end: self.place(to)?,
            }),
            What::Scroll(scroll) => Action::Scroll(Scroll {
                at: scroll
                    .at
                    .as_ref()
                    .map(|place| self.place(place))
                    .transpose()?,
                direction: scroll.direction,
                amount: scroll.notches,
            }),
            What::Type(text) => Action::type_text(self.fill(text)?),
            What::Key(chords) => {
                let chords = chords
                    .iter()
                    .map(|chord| Ok(Action::key(self.fill(chord)?)));
                return self.act(chords.collect::<Result<_, Halt>>()?);
            }
            What::Speak(text) => Action::speak(self.fill(text)?),
            What::Pause(time) => return self.pause(*time),
            What::Done => {
                self.act(vec![Action::Done])?;
                return Err(self.session.wait_for_end().into());
            }
            What::Wait(_)
            | What::Find(_)
            | What::Watch(_)
            | What::Collect(_)
            | What::Choose(_)
            | What::Repeat { .. } => return Ok(()),
        };
        self.act(vec![action])
    }

    fn hear(&mut self, pattern: &Regex, after: Instant, limit: Limit) -> Result<(), Halt> {
        loop {
            self.drain()?;
            if let Some(row) = self.heard.search(pattern, after) {
                self.keep(row);
                return Ok(());
            }
            if self.session.now() >= limit.deadline {
                logging::info(&format!("heard so far: {}", self.heard.all()));
                return Err(limit.missed("nothing heard matched"));
            }
            self.perceive(limit.deadline)?;
        }
    }

    fn see(
        &mut self,
        area: Rect,
        pattern: &Regex,
        after: Instant,
        limit: Limit,
    ) -> Result<(), Halt> {
        let acted_at = self.acted_at;
        let reach = Reach::Past { acted_at, after };
        let mut searched = Searched::new();
        let mut best: Option<Match> = None;
        let mut deadline = limit.deadline;
        loop {
            self.drain()?;
            if let Some((_, page)) = self.read_next(area, &mut searched, reach)? {
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
                let found = best.ok_or_else(|| limit.missed("nothing read matched"))?;
                self.keep(found.row);
                return Ok(());
            }
            self.perceive(deadline)?;
        }
    }

    fn see_change(&mut self, spots: &Spots, limit: Limit) -> Result<(), Halt> {
        loop {
            self.drain()?;
            let after = self.acted_at.max(self.changed_at);
            if let Some((changed_at, found)) = self.change(spots, after) {
                self.changed_at = changed_at;
                self.keep(found.row);
                return Ok(());
            }
            if self.session.now() >= limit.deadline {
                return Err(limit.missed("nothing changed there"));
            }
            self.perceive(limit.deadline)?;
        }
    }

    fn see_colour(&mut self, sense: &Sense<Regex>, limit: Limit) -> Result<(), Halt> {
        let after = self.acted_at;
        let mut searched = Searched::new();
        loop {
            self.drain()?;
            if let Some((_, found)) = self.on_next(sense, &mut searched, Reach::Onward { after })? {
                if let Some(found) = found.into_iter().next() {
                    self.keep(found.row);
                    return Ok(());
                }
                continue;
            }
            if self.session.now() >= limit.deadline {
                return Err(limit.missed("nothing had that colour"));
            }
            self.perceive(limit.deadline)?;
        }
    }

    fn find(&mut self, find: &Find, limit: Limit) -> Result<(), Halt> {
        let area = find.area.unwrap_or_else(|| self.screen());
        let (words, pattern) = match &find.what {
            Target::Words(words) => (Some(self.fill(words)?), None),
            Target::Pattern(pattern) => (None, Some(self.regex(pattern)?)),
        };
        let mut searched = Searched::new();
        loop {
            self.drain()?;
            if let Some((_, page)) = self.read_next(area, &mut searched, Reach::Newest)? {
                let place = match (&words, &pattern) {
                    (Some(words), _) => page.place_of(words),
                    (_, Some(pattern)) => page.search(pattern).and_then(|found| {
                        self.keep(found.row);
                        found.at
                    }),
                    (None, None) => None,
                };
                if let Some(at) = place {
                    return self.act(vec![click(find.from_there.apply(at), find.press)]);
                }
            }
            if self.session.now() >= limit.deadline {
                let what = words.as_deref().map_or_else(
                    || "nothing on the newest frame matched".to_owned(),
                    |words| format!("{words:?} was not found"),
                );
                return Err(limit.missed(&what));
            }
            self.perceive(limit.deadline)?;
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
