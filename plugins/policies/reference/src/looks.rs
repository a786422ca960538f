//! Frames remembered since the episode's start, so that a step also finds what came and went before it began: of two
//! notices in a row, the second may be gone by the time the first has been read.

use std::collections::VecDeque;
use std::rc::Rc;

use dynacu_sdk::{Frame, Keyframe, Observation, Rect};

use crate::reading::Page;

/// Frames held at once. The host keeps them encoded as long as a handle lives.
const HELD: usize = 64;

pub(crate) struct Look {
    pub(crate) frame: Frame,
    pub(crate) captured_at: u64,
    /// The box around the change; none for a screenshot.
    changed: Option<Rect>,
    /// The last step that this frame was handed to.
    searched_by: Option<usize>,
    /// What was read in which area, for later steps that look at the same place.
    pages: Vec<(Rect, Rc<Page>)>,
}

#[derive(Default)]
pub(crate) struct Looks {
    /// In the order of capture.
    all: VecDeque<Look>,
}

/// Which frames a step may read.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Reach {
    /// Everything held; what the last action may have brought about comes first.
    Past { acted_at: u64 },
    /// The newest frame only: what is to be clicked must be there now.
    Newest,
}

impl Looks {
    /// Takes in the frames of an observation.
    pub(crate) fn observe(&mut self, observation: Observation) {
        for keyframe in observation.keyframes {
            self.add_keyframe(keyframe);
        }
        self.add(Look {
            captured_at: observation.screenshot.captured_at(),
            frame: observation.screenshot,
            changed: None,
            searched_by: None,
            pages: Vec::new(),
        });
    }

    /// Takes in a keyframe, which comes both as an event and with the next observation.
    pub(crate) fn add_keyframe(&mut self, keyframe: Keyframe) {
        let known = self
            .all
            .iter()
            .any(|look| look.changed.is_some() && look.captured_at == keyframe.captured_at);
        if !known {
            self.add(Look {
                frame: keyframe.frame,
                captured_at: keyframe.captured_at,
                changed: Some(keyframe.changed),
                searched_by: None,
                pages: Vec::new(),
            });
        }
    }

    fn add(&mut self, look: Look) {
        if self.all.len() == HELD {
            self.all.pop_front();
        }
        let place = self
            .all
            .partition_point(|held| held.captured_at <= look.captured_at);
        self.all.insert(place, look);
    }

    /// The next frame that `step` has not searched, noted as searched. Newest first: it is the most likely to be
    /// settled.
    pub(crate) fn next(&mut self, step: usize, area: Rect, reach: Reach) -> Option<&mut Look> {
        let open = |look: &Look| look.searched_by != Some(step);
        let place = match reach {
            Reach::Newest => {
                let newest = self.all.len().checked_sub(1)?;
                open(&self.all[newest]).then_some(newest)?
            }
            Reach::Past { acted_at } => {
                let find = |wanted: &dyn Fn(&Look) -> bool| {
                    self.all.iter().rposition(|look| open(look) && wanted(look))
                };
                find(&|look| look.captured_at >= acted_at && look.may_show_news_in(area))
                    .or_else(|| find(&|look| look.captured_at >= acted_at))
                    .or_else(|| find(&|look| look.may_show_news_in(area)))?
            }
        };
        let look = self.all.get_mut(place)?;
        look.searched_by = Some(step);
        Some(look)
    }

    /// When the first keyframe later than `after` changed something in `area`.
    pub(crate) fn change_after(&self, after: u64, area: Rect) -> Option<u64> {
        self.all
            .iter()
            .find(|look| {
                look.captured_at > after && look.changed.is_some_and(|changed| changed.meets(&area))
            })
            .map(|look| look.captured_at)
    }
}

impl Look {
    /// What was read in `area` before.
    pub(crate) fn known(&self, area: Rect) -> Option<Rc<Page>> {
        self.pages
            .iter()
            .find(|(known, _)| *known == area)
            .map(|(_, page)| Rc::clone(page))
    }

    /// Keeps what was read in `area`.
    pub(crate) fn remember(&mut self, area: Rect, page: Page) -> Rc<Page> {
        let page = Rc::new(page);
        self.pages.push((area, Rc::clone(&page)));
        page
    }

    fn may_show_news_in(&self, area: Rect) -> bool {
        self.changed.is_none_or(|changed| changed.meets(&area))
    }
}
