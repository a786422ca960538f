//! The wall page: what changes on it, how large and how long, and which of that a gate's kept frames show.

use std::collections::BTreeMap;

use anyhow::Result;
use dynacu_figures::Spread;
use serde_json::{Value, json};

use super::scene::Scene;
use dynacu_host::capture::screen::{Area, Frame};

/// Sizes of a change, as width and height of its place: 0.03, 0.1, 0.5, 2 and 10 % of the screen.
const SIZES: [(u32, u32); 5] = [(18, 16), (46, 21), (96, 48), (320, 58), (400, 231)];
/// Their names in tables.
pub const SIZE_NAMES: [&str; 5] = ["0.03 %", "0.1 %", "0.5 %", "2 %", "10 %"];
/// How long a change is shown (ms), and how many changes of each size there are.
const LENGTHS: [(Option<u32>, usize); 5] = [
    (Some(150), 2),
    (Some(350), 3),
    (Some(700), 3),
    (Some(1500), 2),
    (None, 2),
];
pub const LENGTH_NAMES: [&str; 5] = ["150 ms", "350 ms", "700 ms", "1500 ms", "stays"];
/// A change that stays counts when it is kept within this time (ms): a screen has settled by then.
const STAYS: u64 = 2000;
/// A frame is captured a moment after the page's clock was read (ms).
const SLACK: u64 = 100;
/// Colours that differ by less than this in every channel are one colour.
const SAME_COLOUR: u8 = 8;
/// One change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Index into [`SIZE_NAMES`].
    pub size: usize,
    /// Index into [`LENGTH_NAMES`].
    pub length: usize,
    pub place: usize,
    pub colour: [u8; 3],
    wait: u32,
}

/// Everything that the page will do.
#[derive(Debug, Clone)]
pub struct Wall {
    places: Vec<Area>,
    pub changes: Vec<Change>,
}

impl Wall {
    /// The 60 changes, or every seventh of them.
    #[must_use]
    pub fn new(quick: bool) -> Self {
        let mut places = Vec::new();
        let mut rows: [Vec<usize>; 5] = Default::default();
        for (size, (count, x, y, step_x, step_y)) in [
            (12, 24, 470, 40, 0),
            (12, 24, 420, 80, 0),
            (10, 24, 330, 108, 0),
            (3, 880, 72, 0, 72),
            (2, 24, 72, 416, 0),
        ]
        .into_iter()
        .enumerate()
        {
            for place in 0..count {
                let (width, height) = SIZES[size];
                rows[size].push(places.len());
                places.push((x + place * step_x, y + place * step_y, width, height));
            }
        }
        let mut changes = Vec::new();
        for (size, row) in rows.iter().enumerate() {
            let lengths = LENGTHS
                .iter()
                .enumerate()
                .flat_map(|(length, (_, count))| std::iter::repeat_n(length, *count));
            for (number, length) in lengths.enumerate() {
                changes.push((size, length, row[(number * 7) % row.len()]));
            }
        }
        // Mixed, the same way every time: 60 and 23 have no divisor in common.
        let count = changes.len();
        let mut changes: Vec<Change> = (0..count)
            .map(|position| {
                let (size, length, place) = changes[position * 23 % count];
                Change {
                    size,
                    length,
                    place,
                    colour: colour(position),
                    // Every phase of a capture interval comes up.
                    wait: 650 + (position as u32 * 137) % 334,
                }
            })
            .collect();
        if quick {
            changes = changes.into_iter().step_by(7).collect();
        }
        Self { places, changes }
    }

    /// For the page server.
    #[must_use]
    pub fn scene(&self) -> Scene {
        let places: Vec<[u32; 4]> = self
            .places
            .iter()
            .map(|&(x, y, width, height)| [x, y, width, height])
            .collect();
        let changes: Vec<Value> = self
            .changes
            .iter()
            .enumerate()
            .map(|(index, change)| {
                let [red, green, blue] = change.colour;
                json!({
                    "place": change.place,
                    "colour": format!("#{red:02x}{green:02x}{blue:02x}"),
                    "text": format!("{}", 1000 + index * 37),
                    "wait": change.wait,
                    "up": LENGTHS[change.length].0,
                })
            })
            .collect();
        Scene::new(
            "wall",
            json!({ "places": places, "changes": changes, "rest": 2000 }),
        )
    }

    /// Which change each place shows; none for its idle look, or while it is being drawn.
    ///
    /// # Errors
    /// A compact frame cannot be decoded.
    pub fn shown(&self, frame: &Frame) -> Result<Vec<Option<usize>>> {
        let picture = frame.rgb()?;
        // A corner, where no text is.
        let corner =
            |&(x, y, ..): &Area| picture.get_pixel_checked(x + 2, y + 2).map(|pixel| pixel.0);
        Ok(self
            .places
            .iter()
            .enumerate()
            .map(|(place, area)| {
                let seen = corner(area)?;
                self.changes.iter().position(|change| {
                    change.place == place
                        && change
                            .colour
                            .iter()
                            .zip(seen)
                            .all(|(one, other)| one.abs_diff(other) < SAME_COLOUR)
                })
            })
            .collect())
    }
}

/// A colour that no other change has, dark enough for white text.
fn colour(index: usize) -> [u8; 3] {
    let step = |position: usize| 50 * (position % 4) as u8;
    [
        60 + step(index),
        20 + step(index / 4),
        40 + step(index / 16),
    ]
}

/// When a change was up, on the episode's clock (ms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Up {
    pub from: Option<u64>,
    /// None while it stays.
    pub to: Option<u64>,
}

/// Reads the page's reports: one [`Up`] for each change.
#[must_use]
pub fn truth<'a>(wall: &Wall, reports: impl IntoIterator<Item = (u64, &'a Value)>) -> Vec<Up> {
    let mut truth = vec![Up::default(); wall.changes.len()];
    for (at, data) in reports {
        let index = data["index"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        let Some(up) = index.and_then(|index| truth.get_mut(index)) else {
            continue;
        };
        match data["shown"].as_bool() {
            Some(true) => up.from = Some(at),
            Some(false) => up.to = Some(at),
            None => {}
        }
    }
    truth
}

/// A frame that a gate kept, reduced to what matters here.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptView {
    pub captured_at: u64,
    /// When the decision was made.
    pub decided_at: u64,
    /// What [`Wall::shown`] says.
    pub shown: Vec<Option<usize>>,
}

/// How well one gate did.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// By size and length: caught, of how many.
    pub cells: BTreeMap<(usize, usize), (usize, usize)>,
    pub kept: usize,
    /// Kept frames that show something else than the kept frame before them.
    pub telling: usize,
    /// From a change's first drawing to the decision that kept it (ms).
    pub delays: Vec<f64>,
    pub minutes: f64,
}

impl Score {
    /// Caught and all of the changes that fit.
    #[must_use]
    pub fn recall(&self, fits: impl Fn(usize, usize) -> bool) -> (usize, usize) {
        self.cells
            .iter()
            .filter(|((size, length), _)| fits(*size, *length))
            .fold((0, 0), |(caught, all), (_, cell)| {
                (caught + cell.0, all + cell.1)
            })
    }

    /// Share of kept frames that tell something; none of none.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.kept > 0).then(|| self.telling as f64 / self.kept as f64)
    }

    #[must_use]
    pub fn delay(&self) -> Option<Spread> {
        Spread::of(&self.delays)
    }

    #[must_use]
    pub fn per_minute(&self) -> f64 {
        self.kept as f64 / self.minutes.max(f64::EPSILON)
    }
}

/// Compares what was kept with what the page says it showed. A change is caught by a kept frame that shows it, captured
/// while it was up (one that stays: within two seconds).
#[must_use]
pub fn score(wall: &Wall, truth: &[Up], kept: &[KeptView], length_ms: u64) -> Score {
    let mut cells: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    let mut delays = Vec::new();
    for (index, (change, up)) in wall.changes.iter().zip(truth).enumerate() {
        let Some(from) = up.from else { continue };
        let to = up.to.unwrap_or(from + STAYS);
        let window = from.saturating_sub(SLACK)..=to + SLACK;
        let caught = kept.iter().find(|kept| {
            kept.shown.get(change.place) == Some(&Some(index)) && window.contains(&kept.captured_at)
        });
        let cell = cells.entry((change.size, change.length)).or_default();
        cell.1 += 1;
        if let Some(caught) = caught {
            cell.0 += 1;
            delays.push(caught.decided_at.saturating_sub(from) as f64);
        }
    }
    let idle = vec![None; wall.places.len()];
    let telling = std::iter::once(&idle)
        .chain(kept.iter().map(|kept| &kept.shown))
        .zip(kept)
        .filter(|(before, kept)| **before != kept.shown)
        .count();
    Score {
        cells,
        kept: kept.len(),
        telling,
        delays,
        minutes: length_ms as f64 / 60_000.0,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use image::{Rgb, RgbImage};

    use super::*;

    /// The places' own look, as in the page's style.
    const IDLE: [u8; 3] = [0xf7, 0xf9, 0xfc];

    #[test]
    fn sixty_changes_of_every_size_and_length() {
        let wall = Wall::new(false);
        assert_eq!(wall.changes.len(), 60);
        for size in 0..5 {
            for (length, (_, count)) in LENGTHS.iter().enumerate() {
                let of_both = wall
                    .changes
                    .iter()
                    .filter(|change| (change.size, change.length) == (size, length));
                assert_eq!(of_both.count(), *count);
            }
            let (width, height) = SIZES[size];
            let share = f64::from(width * height) / (1280.0 * 720.0) * 100.0;
            let named: f64 = SIZE_NAMES[size].trim_end_matches(" %").parse().unwrap();
            assert!(
                (share / named - 1.0).abs() < 0.06,
                "{share} is called {named}"
            );
        }
        for (index, change) in wall.changes.iter().enumerate() {
            let twin = wall.changes[..index]
                .iter()
                .any(|other| other.colour == change.colour);
            assert!(!twin && change.colour != IDLE);
        }
        for (index, one) in wall.places.iter().enumerate() {
            assert!(one.0 + one.2 <= 1280 && one.1 + one.3 <= 560, "{one:?}");
            for other in &wall.places[..index] {
                let apart = one.0 + one.2 <= other.0
                    || other.0 + other.2 <= one.0
                    || one.1 + one.3 <= other.1
                    || other.1 + other.3 <= one.1;
                assert!(apart, "{one:?} lies on {other:?}");
            }
        }
    }

    /// The wall as the page would show it.
    fn picture(wall: &Wall, up: &[usize]) -> Frame {
        let mut picture = RgbImage::from_pixel(1280, 720, Rgb(IDLE));
        for index in up {
            let change = &wall.changes[*index];
            let (x, y, width, height) = wall.places[change.place];
            for row in y..y + height {
                for column in x..x + width {
                    picture.put_pixel(column, row, Rgb(change.colour));
                }
            }
        }
        Frame::from_rgb(Instant::now(), &picture)
    }

    #[test]
    fn a_frame_tells_which_changes_are_up() {
        let wall = Wall::new(false);
        let shown = wall.shown(&picture(&wall, &[7, 8])).unwrap();
        let up: Vec<usize> = shown.iter().flatten().copied().collect();
        assert_eq!(up.len(), 2);
        assert!(up.contains(&7) && up.contains(&8));
        assert_eq!(shown[wall.changes[7].place], Some(7));
    }

    #[test]
    fn only_a_frame_that_shows_a_change_in_its_time_catches_it() {
        let mut wall = Wall::new(false);
        wall.changes.truncate(3);
        let reports = [
            (1000, json!({ "index": 0, "shown": true })),
            (1350, json!({ "index": 0, "shown": false })),
            (3000, json!({ "index": 1, "shown": true })),
            (3350, json!({ "index": 1, "shown": false })),
            (5000, json!({ "index": 2, "shown": true })),
            (5700, json!({ "index": 2, "shown": false })),
            (6000, json!({ "index": 99, "shown": true })),
        ];
        let truth = truth(&wall, reports.iter().map(|(at, data)| (*at, data)));
        assert_eq!(
            truth[1],
            Up {
                from: Some(3000),
                to: Some(3350)
            }
        );
        let view = |captured_at, up: &[usize]| KeptView {
            captured_at,
            decided_at: captured_at + 20,
            shown: wall.shown(&picture(&wall, up)).unwrap(),
        };
        let kept = [
            view(1100, &[0]), // catches 0
            view(1500, &[]),  // its end: tells, catches nothing
            view(1833, &[]),  // tells nothing
            view(5600, &[2]), // catches 2 late
        ];
        let score = score(&wall, &truth, &kept, 60_000);
        assert_eq!(score.recall(|_, _| true), (2, 3));
        assert_eq!((score.kept, score.telling), (4, 3));
        assert_eq!(score.precision(), Some(0.75));
        assert_eq!(score.delays, [120.0, 620.0]);
        assert_eq!(score.per_minute(), 4.0);
        let of_second = wall.changes[1].clone();
        assert_eq!(score.cells[&(of_second.size, of_second.length)].0, 0);
    }
}
