//! When a step that goes on has to end.

use dynacu_sdk::{Duration, Instant};
use regex::Regex;

use crate::looks::{Reach, Searched};
use crate::run::{Halt, Run};
use crate::script::{Sense, Step};

pub(crate) struct Ending {
    began: Instant,
    /// The last action before the step; what came before it is no sign of an end.
    acted_at: Instant,
    /// Ends well then.
    ends_at: Instant,
    /// Gives up then.
    gives_up_at: Instant,
    until: Vec<(Sense<Regex>, Searched)>,
}

impl Ending {
    pub(crate) fn of(step: &Step, run: &Run<'_>) -> Result<Self, Halt> {
        let began = run.session.now();
        let then = |after: Option<Duration>| after.map_or(Instant::MAX, |after| began + after);
        let until = run.all_ready(&step.until)?;
        Ok(Self {
            began,
            acted_at: run.acted_at,
            ends_at: then(step.lasting),
            gives_up_at: then(step.within),
            until: until
                .into_iter()
                .map(|sense| (sense, Searched::new()))
                .collect(),
        })
    }

    /// The next time at which something is to be decided.
    pub(crate) fn next(&self) -> Instant {
        self.ends_at.min(self.gives_up_at)
    }

    /// Whether the step has ended well.
    ///
    /// # Errors
    ///
    /// [`Halt::Missed`] when it did not end in time.
    pub(crate) fn reached(&mut self, run: &mut Run<'_>) -> Result<bool, Halt> {
        for (sense, searched) in &mut self.until {
            let row = match sense {
                Sense::Hear(pattern) => run.heard.search(pattern, self.acted_at),
                Sense::Change(spots) => run
                    .change(spots, self.began.max(self.acted_at))
                    .map(|(_, found)| found.row),
                Sense::See { .. } | Sense::Colour { .. } => run
                    .on_next(sense, searched, Reach::Newest)?
                    .filter(|(captured_at, _)| *captured_at >= self.acted_at)
                    .and_then(|(_, found)| Some(found.into_iter().next()?.row)),
            };
            if let Some(row) = row {
                run.keep(row);
                return Ok(true);
            }
        }
        let now = run.session.now();
        if now >= self.ends_at {
            return Ok(true);
        }
        if now >= self.gives_up_at {
            let seconds = (self.gives_up_at - self.began).as_seconds();
            return Err(Halt::Missed(format!("it did not end within {seconds} s")));
        }
        Ok(false)
    }
}
