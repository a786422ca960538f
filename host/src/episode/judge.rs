//! From what the page did to the page's result: the scorer is asked after each event that wants a verdict.

use std::time::{Duration, Instant};

use dynacu_record::{Event, PageEvent, Recorder};
use dynacu_runtime::types::{self, Instant as At};
use dynacu_runtime::{GuestFailure, Scorer};
use serde_json::Value;

/// How long the end of an answer window waits for speech that began inside it to be recognised.
const HOLD: Duration = Duration::from_secs(5);
/// Speech that has just begun needs this long to be noticed at all.
const NOTICE: Duration = Duration::from_millis(600);

/// Whether the scorer is asked for a verdict after an event of this name.
pub(crate) fn wants_verdict(event: &str) -> bool {
    matches!(event, "submit" | "window-closed" | "utterance")
}

/// The scorer's label, and when the event that brought it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub label: String,
    pub at: u64,
}

/// Keeps the page's events in order and asks the scorer.
pub struct Judge {
    /// None where the page itself tells its result.
    scorer: Option<Scorer>,
    scorer_input: String,
    recorder: Recorder,
    events: Vec<PageEvent>,
    /// The same as the scorer gets them, made once.
    wire: Vec<types::PageEvent>,
    held: Option<(PageEvent, Instant)>,
    verdict: Option<Verdict>,
}

impl Judge {
    #[must_use]
    pub fn new(scorer: Option<Scorer>, scorer_input: &Value, recorder: Recorder) -> Judge {
        Judge {
            scorer,
            scorer_input: scorer_input.to_string(),
            recorder,
            events: Vec::new(),
            wire: Vec::new(),
            held: None,
            verdict: None,
        }
    }

    /// Takes one event, at the episode's time `now`.
    pub async fn happened(&mut self, event: PageEvent, now: u64) -> Result<(), GuestFailure> {
        self.recorder.event(now, Event::Page(event.clone()));
        // An answer counts when it was made: the window's end is judged after the speech that began before it.
        if event.name == "window-closed" {
            self.held = Some((event, Instant::now()));
            return Ok(());
        }
        self.take(event, now).await
    }

    /// Lets a held window end once nobody is speaking any more. Call it a few times a second.
    pub async fn settle(&mut self, listening: bool, now: u64) -> Result<(), GuestFailure> {
        let over = self.held.as_ref().is_some_and(|(_, since)| {
            since.elapsed() >= HOLD || (!listening && since.elapsed() >= NOTICE)
        });
        match self.held.take_if(|_| over) {
            Some((event, _)) => self.take(event, now).await,
            None => Ok(()),
        }
    }

    async fn take(&mut self, event: PageEvent, now: u64) -> Result<(), GuestFailure> {
        let wants_verdict = wants_verdict(&event.name);
        let at = event.at;
        // Utterances are recognised after what followed them; the scorer sees the order in which things were done.
        let place = self.events.partition_point(|other| other.at <= at);
        self.wire.insert(place, wire(&event));
        self.events.insert(place, event);
        if let Some(scorer) = self
            .scorer
            .as_ref()
            .filter(|_| wants_verdict && self.verdict.is_none())
        {
            let label = scorer.judge(&self.scorer_input, self.page_events()).await?;
            if let Some(label) = label {
                self.decided(label, at, now);
            }
        }
        Ok(())
    }

    /// Takes the result that a page without a scorer tells itself.
    pub fn page_says(&mut self, label: String, now: u64) {
        if self.scorer.is_none() && self.verdict.is_none() {
            self.decided(label, now, now);
        }
    }

    fn decided(&mut self, label: String, at: u64, now: u64) {
        self.recorder.event(
            now,
            Event::Verdict {
                label: label.clone(),
            },
        );
        self.verdict = Some(Verdict { label, at });
    }

    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Whether an event waits to be judged.
    #[must_use]
    pub fn waiting(&self) -> bool {
        self.held.is_some()
    }

    /// Events of one name so far.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a PageEvent> {
        self.events.iter().filter(move |event| event.name == name)
    }

    /// All events as the scorer gets them.
    #[must_use]
    pub fn page_events(&self) -> Vec<types::PageEvent> {
        self.wire.clone()
    }

    #[must_use]
    pub fn scorer(&self) -> Option<&Scorer> {
        self.scorer.as_ref()
    }
}

/// A page event as a scorer gets it.
pub(crate) fn wire(event: &PageEvent) -> types::PageEvent {
    types::PageEvent {
        at: At::at(event.at),
        name: event.name.clone(),
        data: event.data.to_string(),
    }
}
