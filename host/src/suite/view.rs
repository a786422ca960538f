//! What each lane is doing right now, for the progress bars and the live page. Fed by the events of the record, as they are
//! written; nobody waits for anybody here.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use dynacu_record::{Event, PageEvent};
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;

use crate::driver::LaneWatch;
use crate::episode::Watcher;
use crate::episode::phase::Phase;

/// Lines that are kept of the transcript and of the actions.
const LINES: usize = 14;

/// One lane.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LaneView {
    /// As in `$DISPLAY`; none while no desktop runs.
    pub display: Option<String>,
    /// Task, mode and agent; empty between episodes.
    pub episode: String,
    /// What goes on before and after the steps.
    pub doing: String,
    pub step: u32,
    /// What was heard and what the page's microphone heard, oldest first.
    pub transcript: VecDeque<String>,
    /// Oldest first.
    pub actions: VecDeque<String>,
    #[serde(skip)]
    pub began: Option<Instant>,
}

/// All lanes of a run that did something. Cheap to clone.
#[derive(Clone, Default)]
pub struct Views(Arc<Mutex<Vec<LaneView>>>);

impl Views {
    fn lanes(&self) -> MutexGuard<'_, Vec<LaneView>> {
        self.0.lock()
    }

    fn change(&self, lane: usize, change: impl FnOnce(&mut LaneView)) {
        let mut lanes = self.lanes();
        if lanes.len() <= lane {
            lanes.resize_with(lane + 1, LaneView::default);
        }
        if let Some(view) = lanes.get_mut(lane) {
            change(view);
        }
    }

    /// The lanes as they are now.
    #[must_use]
    pub fn now(&self) -> Vec<LaneView> {
        self.lanes().clone()
    }

    fn desktop(&self, lane: usize, display: Option<String>) {
        self.change(lane, |view| view.display = display);
    }

    /// What a lane does outside an episode's steps.
    pub fn doing(&self, lane: usize, what: &str) {
        self.change(lane, |view| view.doing = what.to_owned());
    }

    /// A lane takes up an episode.
    pub fn begins(&self, lane: usize, episode: String) {
        self.change(lane, |view| {
            *view = LaneView {
                display: view.display.take(),
                episode,
                began: Some(Instant::now()),
                ..LaneView::default()
            };
        });
    }

    /// A lane has nothing to do.
    pub fn rests(&self, lane: usize) {
        self.change(lane, |view| {
            view.episode.clear();
            view.doing.clear();
            view.began = None;
        });
    }

    /// Who watches a lane between its episodes.
    #[must_use]
    pub fn watch_of(&self, lane: usize) -> impl LaneWatch + use<> {
        WatchOf {
            views: self.clone(),
            lane,
        }
    }

    /// Who watches the episodes of a lane.
    #[must_use]
    pub fn watcher(&self, lane: usize) -> Watcher {
        let views = self.clone();
        Arc::new(move |_: u64, event: &Event| views.change(lane, |view| view.happened(event)))
    }
}

struct WatchOf {
    views: Views,
    lane: usize,
}

impl LaneWatch for WatchOf {
    fn begins(&self, phase: Phase) {
        self.views.doing(self.lane, phase.name());
    }

    fn desktop(&self, display: Option<&str>) {
        self.views.desktop(self.lane, display.map(str::to_owned));
    }
}

impl LaneView {
    fn happened(&mut self, event: &Event) {
        match event {
            Event::EpisodeStarted(_) => "page load".clone_into(&mut self.doing),
            Event::PageStarted { .. } => "episode".clone_into(&mut self.doing),
            Event::Observation { observation, .. } => self.step = observation.step,
            Event::Sentence { sentence } => keep(&mut self.transcript, sentence.text.clone()),
            Event::Page(PageEvent { name, data, .. }) if name == "utterance" => {
                let said = data["text"].as_str().unwrap_or_default();
                keep(&mut self.transcript, format!("microphone: {said}"));
            }
            Event::ActionDone { action, .. } => keep(&mut self.actions, action.to_string()),
            Event::ActionFailed { action, error, .. } => {
                keep(&mut self.actions, format!("{action}: {error}"));
            }
            Event::Ended { cause, .. } => self.doing = cause.name(),
            _ => {}
        }
    }
}

fn keep(lines: &mut VecDeque<String>, line: String) {
    if lines.len() == LINES {
        lines.pop_front();
    }
    lines.push_back(line);
}

#[cfg(test)]
mod tests {
    use dynacu_vocabulary::Action;

    use super::*;

    #[test]
    fn a_lane_shows_its_own_episode_and_forgets_the_one_before() {
        let views = Views::default();
        views.doing(1, "lane start");
        views.desktop(0, Some(":7".to_owned()));
        views.begins(0, "F-E1 in standard".to_owned());
        let watcher = views.watcher(0);
        for number in 0..20 {
            let action = Action::Key {
                combo: number.to_string(),
            };
            watcher(
                0,
                &Event::ActionDone {
                    id: number,
                    action,
                    started_at: 0,
                    ended_at: 0,
                },
            );
        }
        let lanes = views.now();
        assert_eq!(lanes[0].actions.len(), LINES);
        assert_eq!(lanes[0].actions.back().unwrap(), "key 19");
        assert!(lanes[1].actions.is_empty());
        views.begins(0, "A-E1 in standard".to_owned());
        let lanes = views.now();
        assert!(lanes[0].actions.is_empty());
        assert_eq!(lanes[0].display.as_deref(), Some(":7"));
    }
}
