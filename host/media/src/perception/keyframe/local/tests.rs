//! The gate on small films, with an encoder that is easy to reason about.

use image::{Rgb, RgbImage};

use super::super::GateKind;
use super::*;

/// Three samples a second.
const INTERVAL: Duration = Duration::from_millis(333);
const PAGE: Rgb<u8> = Rgb([240, 240, 240]);
const TOAST: Area = (900, 600, 320, 64);

/// Embeds a picture as its colours averaged over a grid of 8 by 8: small things are lost on a large picture.
struct Averages;

impl Encoder for Averages {
    fn name(&self) -> &str {
        "averages"
    }

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
        let mut sums = vec![0.0; 8 * 8 * 3];
        let (width, height) = image.dimensions();
        for (x, y, pixel) in image.enumerate_pixels() {
            let cell = (y * 8 / height * 8 + x * 8 / width) as usize;
            for channel in 0..3 {
                sums[cell * 3 + channel] += f32::from(pixel[channel]) - 120.0;
            }
        }
        Ok(sums)
    }
}

/// A screen with coloured boxes on it.
#[derive(Clone, Default)]
struct Page(Vec<(Area, [u8; 3])>);

impl Page {
    fn with(&self, area: Area, colour: [u8; 3]) -> Self {
        let mut page = self.clone();
        page.0.push((area, colour));
        page
    }

    /// A toast in the style of pages: a dark box with a bright pattern for the text, as opaque as told.
    fn toast(&self, text: u32, opacity: f32) -> Self {
        let blend =
            |over: u8| (f32::from(PAGE[0]) * (1.0 - opacity) + f32::from(over) * opacity) as u8;
        let mut page = self.with(TOAST, [blend(20); 3]);
        for bit in (0..16).filter(|bit| text >> bit & 1 == 1) {
            page = page.with(
                (TOAST.0 + 10 + bit * 18, TOAST.1 + 20, 14, 24),
                [blend(250); 3],
            );
        }
        page
    }

    fn draw(&self) -> RgbImage {
        let mut picture = RgbImage::from_pixel(1280, 720, PAGE);
        for &((left, top, width, height), colour) in &self.0 {
            for y in top..top + height {
                for x in left..left + width {
                    picture.put_pixel(x, y, Rgb(colour));
                }
            }
        }
        picture
    }
}

/// Plays a film to a gate as the two threads would; gives the indices of the kept frames and whether each was settled.
fn play(kind: GateKind, film: &[Page]) -> Vec<(usize, bool)> {
    let mut gate = kind.build(Arc::new(Averages), INTERVAL, 7);
    let start = Instant::now();
    let mut last: Option<Arc<Frame>> = None;
    let mut kept = Vec::new();
    for (index, page) in film.iter().enumerate() {
        let captured = start + INTERVAL * index as u32;
        let frame = Arc::new(Frame::from_rgb(captured, &page.draw()));
        let same = last.as_ref().is_some_and(|last| last.looks_like(&frame));
        let decision = if same && !gate.wants_every_frame() {
            gate.rest(captured).unwrap()
        } else {
            gate.offer(&frame).unwrap()
        };
        kept.extend(decision.map(|decision| (index, decision.settled)));
        last = Some(frame);
    }
    kept
}

fn film(parts: &[(usize, Page)]) -> Vec<Page> {
    parts
        .iter()
        .flat_map(|(frames, page)| std::iter::repeat_n(page.clone(), *frames))
        .collect()
}

#[test]
fn two_toasts_in_a_row_are_both_kept() {
    let page = Page::default();
    let film = film(&[
        (3, page.clone()),
        (6, page.toast(0b1010_0110, 1.0)),
        (6, page.toast(0b0101_1001, 1.0)),
        (6, page),
    ]);
    let kept = play(GateKind::Local, &film);
    assert!(
        kept.contains(&(3, false)) && kept.contains(&(9, false)),
        "{kept:?}"
    );
    assert!(kept.len() <= 4, "{kept:?}");
    assert_eq!(
        play(GateKind::Spec, &film),
        [],
        "the specification's gate sees neither"
    );
}

#[test]
fn a_toast_caught_in_its_fade_is_kept_again_when_it_is_clear() {
    let page = Page::default();
    let film = film(&[
        (3, page.clone()),
        (1, page.toast(0b1010_0110, 0.4)),
        (5, page.toast(0b1010_0110, 1.0)),
        (5, page),
    ]);
    let kept = play(GateKind::Local, &film);
    assert!(
        kept.contains(&(3, false)) && kept.iter().any(|&(index, _)| (4..=5).contains(&index)),
        "{kept:?}"
    );
}

#[test]
fn a_new_slide_is_kept_by_both_gates() {
    let slide = Page::default().with((0, 0, 640, 720), [10, 60, 120]);
    let film = film(&[(3, Page::default()), (9, slide)]);
    assert_eq!(play(GateKind::Spec, &film), [(3, false)]);
    assert_eq!(play(GateKind::Local, &film), [(3, false)]);
}

#[test]
fn a_lamp_that_changes_colour_is_kept() {
    let lamp = |colour| Page::default().with((600, 300, 18, 18), colour);
    let kept = play(
        GateKind::Local,
        &film(&[(3, lamp([0, 200, 0])), (6, lamp([230, 0, 0]))]),
    );
    assert_eq!(kept, [(3, false)]);
}

#[test]
fn a_caret_is_never_kept_and_blinking_is_kept_a_few_times() {
    let blink = |area: Area| {
        let (on, off) = (Page::default().with(area, [0; 3]), Page::default());
        (0..60)
            .map(|index| {
                if index / 2 % 2 == 0 {
                    on.clone()
                } else {
                    off.clone()
                }
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(play(GateKind::Local, &blink((300, 300, 2, 18))), []);
    let kept = play(GateKind::Local, &blink((300, 300, 18, 18)));
    assert!((2..=5).contains(&kept.len()), "{kept:?}");
}

#[test]
fn a_blinking_lamp_that_stops_is_kept_in_its_last_state() {
    let (on, off) = (
        Page::default().with((300, 300, 18, 18), [0; 3]),
        Page::default(),
    );
    for last in [&on, &off] {
        let blinking = (0..24).map(|index| {
            if index / 2 % 2 == 0 {
                on.clone()
            } else {
                off.clone()
            }
        });
        let film: Vec<Page> = blinking
            .chain(std::iter::repeat_n(last.clone(), 24))
            .collect();
        let kept = play(GateKind::Local, &film);
        let state = |index: usize| film[index].0.is_empty();
        // The last kept frame shows how the lamp ended.
        assert_eq!(
            kept.last().map(|&(index, _)| state(index)),
            Some(last.0.is_empty()),
            "{kept:?}"
        );
    }
}

#[test]
fn a_toast_beside_a_blinking_lamp_is_kept() {
    let (on, off) = (
        Page::default().with((300, 300, 18, 18), [0; 3]),
        Page::default(),
    );
    let film: Vec<Page> = (0..60)
        .map(|index| {
            let page = if index / 2 % 2 == 0 { &on } else { &off };
            if (41..47).contains(&index) {
                page.toast(0b1100_0101, 1.0)
            } else {
                page.clone()
            }
        })
        .collect();
    let kept = play(GateKind::Local, &film);
    assert!(kept.contains(&(41, false)), "{kept:?}");
    assert!(
        kept.iter().filter(|(index, _)| *index > 20).count() <= 3,
        "{kept:?}"
    );
}

/// A dot that goes round in a light ring.
fn spinner(step: usize, dot: [u8; 3]) -> Page {
    let (x, y) = [
        (0, 0),
        (12, 0),
        (24, 0),
        (24, 12),
        (24, 24),
        (12, 24),
        (0, 24),
        (0, 12),
    ][step % 8];
    Page::default()
        .with((500, 500, 40, 40), [225; 3])
        .with((502 + x, 502 + y, 12, 12), dot)
}

#[test]
fn a_pale_spinner_is_not_kept_while_it_turns() {
    let film: Vec<Page> = (0..60).map(|step| spinner(step, [205; 3])).collect();
    assert_eq!(play(GateKind::Local, &film), []);
}

#[test]
fn a_loud_spinner_is_kept_for_one_turn_at_most_and_hides_no_toast() {
    let film: Vec<Page> = (0..60).map(|step| spinner(step, [0; 3])).collect();
    let kept = play(GateKind::Local, &film);
    assert!(
        !kept.is_empty() && kept.iter().all(|&(index, _)| index <= 8),
        "{kept:?}"
    );

    let toasted = film.iter().enumerate().map(|(index, page)| {
        if (41..47).contains(&index) {
            page.toast(0b1100_0101, 1.0)
        } else {
            page.clone()
        }
    });
    let kept = play(GateKind::Local, &toasted.collect::<Vec<_>>());
    assert!(kept.contains(&(41, false)), "{kept:?}");
}

#[test]
fn a_number_that_changes_with_every_sample_is_kept() {
    let number = |value: u32| {
        (0..6)
            .filter(|bit| value >> bit & 1 == 1)
            .fold(Page::default(), |page, bit| {
                page.with((386 + bit % 3 * 20, 386 + bit / 3 * 20, 19, 19), [0; 3])
            })
    };
    let film: Vec<Page> = (1..40).map(|step| number(step * 11 % 64)).collect();
    let kept = play(GateKind::Local, &film);
    assert!(kept.len() >= 30, "{kept:?}");
}

#[test]
fn ticks_of_a_thin_progress_bar_are_kept_at_most_every_ten_seconds() {
    let film: Vec<Page> = (0..90)
        .map(|index| Page::default().with((40, 650, 200 + index / 3 * 20, 6), [30; 3]))
        .collect();
    let kept = play(GateKind::Local, &film);
    assert!(
        kept.len() <= 3 && kept.iter().all(|kept| kept.1),
        "{kept:?}"
    );
}

#[test]
fn a_bar_that_leaps_is_kept_and_one_that_creeps_is_not() {
    let bar = |height: u32| Page::default().with((600, 500 - height, 40, height), [20, 60, 200]);
    let leap = film(&[(3, bar(60)), (2, bar(260)), (3, bar(60))]);
    assert!(play(GateKind::Local, &leap).contains(&(3, false)));
    let creep: Vec<Page> = (0..40).map(|index| bar(60 + index * 8)).collect();
    assert_eq!(play(GateKind::Local, &creep), []);
}

#[test]
fn a_faint_change_that_stays_is_kept_when_it_has_settled() {
    let film = film(&[
        (3, Page::default()),
        (9, Page::default().with((400, 400, 60, 20), [225, 240, 240])),
    ]);
    let kept = play(GateKind::Local, &film);
    assert_eq!(
        kept.iter().map(|kept| kept.1).collect::<Vec<_>>(),
        [true],
        "{kept:?}"
    );
}

#[test]
fn names_of_gates_are_understood_and_others_refused() {
    for kind in GateKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    assert!(
        "lokal"
            .parse::<GateKind>()
            .unwrap_err()
            .contains("spec, local")
    );
}
