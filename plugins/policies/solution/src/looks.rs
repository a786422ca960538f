//! Frames remembered since the episode's start, so that a step also finds what came and went before it began: of two
//! notices in a row, the second may be gone by the time the first has been read.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use dynacu_sdk::{Frame, Instant, Keyframe, Observation, Rect};

use crate::reading::Page;

/// Frames held at once. The host keeps them encoded as long as a handle lives.
const HELD: usize = 64;

pub(crate) struct Look {
    /// Counts frames as they came in.
    pub(crate) id: u64,
    pub(crate) frame: Frame,
    pub(crate) captured_at: Instant,
    /// The box around the change; none for a screenshot.
    pub(crate) changed: Option<Rect>,
    /// What was read in which area, for whoever looks at the same place later.
    pages: Vec<(Rect, Rc<Page>)>,
}

#[derive(Default)]
pub(crate) struct Looks {
    /// In the order of capture.
    all: VecDeque<Look>,
    last_id: u64,
}

/// The frames that were looked at already, by their ids.
pub(crate) type Searched = BTreeSet<u64>;

/// Which frame is wanted next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reach {
    /// Anything held from `after` on; the newest of what the last action may have brought about comes first, being the
    /// most likely to be settled.
    Past { acted_at: Instant, after: Instant },
    /// The newest frame that may show news there: what is to be clicked must be there now.
    Newest,
    /// Everything held from `after` on, oldest first.
    Onward { after: Instant },
}

impl Looks {
    /// Takes in the frames of an observation.
    pub(crate) fn observe(&mut self, observation: Observation) {
        for keyframe in observation.keyframes {
            self.add_keyframe(keyframe);
        }
        let captured_at = observation.screenshot.captured_at();
        self.add(observation.screenshot, captured_at, None);
    }

    /// Takes in a keyframe, which comes both as an event and with the next observation.
    pub(crate) fn add_keyframe(&mut self, keyframe: Keyframe) {
        let known = self
            .all
            .iter()
            .any(|look| look.changed.is_some() && look.captured_at == keyframe.captured_at);
        if !known {
            self.add(keyframe.frame, keyframe.captured_at, Some(keyframe.changed));
        }
    }

    fn add(&mut self, frame: Frame, captured_at: Instant, changed: Option<Rect>) {
        if self.all.len() == HELD {
            self.all.pop_front();
        }
        self.last_id += 1;
        let look = Look {
            id: self.last_id,
            frame,
            captured_at,
            changed,
            pages: Vec::new(),
        };
        let place = self
            .all
            .partition_point(|held| held.captured_at <= captured_at);
        self.all.insert(place, look);
    }

    /// The next frame that may show something in `area`, noted as searched.
    pub(crate) fn next(
        &mut self,
        searched: &mut Searched,
        area: Rect,
        reach: Reach,
    ) -> Option<&mut Look> {
        let open = |look: &Look| !searched.contains(&look.id);
        let place = match reach {
            Reach::Newest => {
                let newest = self
                    .all
                    .iter()
                    .rposition(|look| look.may_show_news_in(area))?;
                open(&self.all[newest]).then_some(newest)?
            }
            Reach::Onward { after } => self.all.iter().position(|look| {
                look.captured_at >= after && open(look) && look.may_show_news_in(area)
            })?,
            Reach::Past { acted_at, after } => {
                let find = |wanted: &dyn Fn(&Look) -> bool| {
                    self.all
                        .iter()
                        .rposition(|look| look.captured_at >= after && open(look) && wanted(look))
                };
                find(&|look| look.captured_at >= acted_at && look.may_show_news_in(area))
                    .or_else(|| find(&|look| look.captured_at >= acted_at))
                    .or_else(|| find(&|look| look.may_show_news_in(area)))?
            }
        };
        let look = self.all.get_mut(place)?;
        searched.insert(look.id);
        Some(look)
    }

    /// The first keyframe later than `after` that changed something in one of some areas: when, and in which of them most.
    pub(crate) fn change_after(&self, after: Instant, areas: &[Rect]) -> Option<(Instant, usize)> {
        self.all.iter().find_map(|look| {
            let changed = look.changed.filter(|_| look.captured_at > after)?;
            let (place, share) = areas
                .iter()
                .map(|area| shared(changed, *area))
                .enumerate()
                .max_by_key(|(place, share)| (*share, std::cmp::Reverse(*place)))?;
            (share > 0).then_some((look.captured_at, place))
        })
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

/// Pixels that two areas have in common.
fn shared(a: Rect, b: Rect) -> u64 {
    let along = |start: i32, length: u32, other: i32, other_length: u32| {
        let end =
            (i64::from(start) + i64::from(length)).min(i64::from(other) + i64::from(other_length));
        u64::try_from(end - i64::from(start.max(other))).unwrap_or(0)
    };
    along(a.origin.x, a.size.width, b.origin.x, b.size.width)
        * along(a.origin.y, a.size.height, b.origin.y, b.size.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_areas_share() {
        let pad = Rect::new(100, 100, 50, 40);
        for (x, y, wanted) in [
            (120, 120, 30 * 20),
            (100, 100, 50 * 40),
            (150, 100, 0),
            (0, 0, 0),
        ] {
            assert_eq!(shared(Rect::new(x, y, 50, 40), pad), wanted, "{x}, {y}");
        }
    }
}
