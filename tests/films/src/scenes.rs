//! The films themselves.

use dynacu_media::capture::screen::Area;

use super::canvas::{Canvas, Colour, HEIGHT, INK, WIDTH};
use super::{Event, Film};

const RED: Colour = [208, 40, 48];
const GREEN: Colour = [32, 160, 84];

/// All of them: the restless things first.
#[must_use]
pub fn all() -> Vec<Film> {
    let mut films = restless();
    films.extend(texts());
    films.extend(pictures());
    films.push(noise());
    films
}

/// A film without any event: less is better.
fn rest(name: &'static str, draw: impl Fn(&mut Canvas, f32) + Send + 'static) -> Film {
    Film::new(name, 30.0, Vec::new(), draw)
}

/// Things that move and tell nothing.
fn restless() -> Vec<Film> {
    vec![
        rest("caret in a field", caret),
        rest("colon of a clock, blinking", blink),
        rest("spinner, 40 px", spinner),
        rest("progress bar, smooth", |page, t| progress(page, t / 30.0)),
        rest("progress bar, a step each 2 s", |page, t| {
            progress(page, (t / 2.0).floor() / 15.0)
        }),
        rest("still picture with video grain", grain),
        rest("waveform of a player, 452x52", waveform),
        rest("seconds of a clock, 14 px", |page, t| {
            clock(page, (1000, 17), t);
        }),
        rest("player: waveform, seconds, thin bar", |page, t| {
            waveform(page, t);
            clock(page, (404, 672), t);
            page.fill((470, 677, 560, 5), [216, 221, 228]);
            page.fill((470, 677, (t / 30.0 * 560.0) as u32, 5), RED);
        }),
    ]
}

/// A page with all the noise that a page can have and nothing else, for a minute.
#[must_use]
pub fn noise() -> Film {
    Film::new(
        "noise page: all of these but the waveform",
        60.0,
        Vec::new(),
        |page, t| {
            caret(page, t);
            blink(page, t);
            spinner(page, t);
            progress(page, t / 60.0);
            grain(page, t);
        },
    )
}

/// Words and numbers that tell something.
fn texts() -> Vec<Film> {
    let toasts = Film::new(
        "toast, 300x60, for 1.5 s",
        24.0,
        every(6.0, 3, 1.5),
        |page, t| {
            if let Some(index) = shown(t, 6.0, 3, 1.5) {
                let text = ["SAVED AS DRAFT 17", "ERROR E-4471", "CODE 83625"][index];
                page.fill((940, 620, 300, 60), INK);
                page.text(960, 642, 2, text, [250; 3]);
            }
        },
    );
    let numbers = Film::new(
        "number, 36 px, each second another",
        20.0,
        every(1.0, 18, 1.0),
        |page, t| {
            let value = 2040 + (t.floor() as u32 * 37) % 83;
            page.text(232, 160, 5, &value.to_string(), INK);
        },
    );
    let digit = Film::new(
        "one digit of 14 px changes and stays",
        24.0,
        every(6.0, 3, 6.0),
        |page, t| {
            page.text(
                232,
                240,
                2,
                &format!("12.{}5", 3 + 2 * (t / 6.0) as u32),
                INK,
            );
        },
    );
    let beside_clock = Film::new(
        "number, 36 px, beside the seconds of a clock",
        24.0,
        every(6.0, 3, 6.0),
        |page, t| {
            page.text(
                232,
                160,
                5,
                &(2040 + (t / 6.0) as u32 * 37).to_string(),
                INK,
            );
            clock(page, (356, 172), t);
        },
    );
    let word_below_clock = Film::new(
        "word, 14 px, below the seconds of a clock",
        24.0,
        every(6.0, 3, 6.0),
        |page, t| {
            clock(page, (970, 10), t);
            let word = ["OPEN", "HELD", "SHUT", "OVER"][((t / 6.0) as usize).min(3)];
            page.text(970, 30, 2, word, [240, 244, 250]);
        },
    );
    vec![toasts, numbers, digit, beside_clock, word_below_clock]
}

/// Slides, lamps and areas that tell something.
fn pictures() -> Vec<Film> {
    let slides = Film::new("slide", 24.0, every(6.0, 3, 6.0), |page, t| {
        let index = (t / 6.0) as usize;
        page.fill((212, 80, 1024, 520), [255; 3]);
        page.text(
            260,
            120,
            6,
            ["AGENDA", "BUDGET", "RISKS", "NEXT STEPS"][index.min(3)],
            [24, 40, 72],
        );
        for line in 0..4 {
            let width = 300 + (index as u32 * 157 + line * 211) % 500;
            page.fill((260, 220 + line * 70, width, 24), [150, 166, 190]);
        }
    });
    let lamps = Film::new(
        "lamp, 18 px, green to red and back",
        24.0,
        every(6.0, 3, 2.0),
        |page, t| {
            let alarm = shown(t, 6.0, 3, 2.0);
            for lamp in 0..4_u32 {
                let lit = alarm == Some(lamp as usize);
                page.fill(
                    (240 + lamp * 60, 160, 18, 18),
                    if lit { RED } else { GREEN },
                );
            }
        },
    );
    let flashes = Film::new(
        "flash in a grid of a game, 0.7 s",
        24.0,
        every(2.0, 11, 0.7),
        |page, t| {
            let lit = shown(t, 2.0, 11, 0.7).map(|index| index * 5 % 9);
            for cell in 0..9_u32 {
                let area: Area = (500 + cell % 3 * 110, 300 + cell / 3 * 100, 96, 88);
                page.fill(
                    area,
                    if lit == Some(cell as usize) {
                        [250, 200, 40]
                    } else {
                        [96, 110, 130]
                    },
                );
            }
        },
    );
    let fade = Film::new(
        "banner that comes slowly and stays",
        24.0,
        vec![Event {
            from: 8.0,
            until: 24.0,
        }],
        |page, t| {
            page.blend(
                (212, 300, 1024, 56),
                [255, 214, 102],
                ((t - 4.0) / 4.0).clamp(0.0, 1.0),
            );
        },
    );
    vec![slides, lamps, flashes, fade]
}

/// So many events at equal distances, the first after one of them, each so long.
fn every(period: f32, count: u32, length: f32) -> Vec<Event> {
    (1..=count)
        .map(|index| index as f32 * period)
        .map(|from| Event {
            from,
            until: from + length,
        })
        .collect()
}

/// Which of the events of [`every`] is on the screen.
fn shown(t: f32, period: f32, count: usize, length: f32) -> Option<usize> {
    let index = (t / period) as usize;
    ((1..=count).contains(&index) && t - index as f32 * period < length).then(|| index - 1)
}

fn caret(page: &mut Canvas, t: f32) {
    page.fill((212, 320, 300, 36), [255; 3]);
    page.text(222, 331, 2, "LOOK FOR A HOST", INK);
    if t.fract() < 0.5 {
        page.fill((408, 328, 2, 20), INK);
    }
}

fn blink(page: &mut Canvas, t: f32) {
    page.text(
        1000,
        17,
        3,
        if t.fract() < 0.5 { "14:02" } else { "14 02" },
        [240, 244, 250],
    );
}

/// Minutes and seconds, 14 px high, grey enough for every ground.
fn clock(page: &mut Canvas, (left, top): (u32, u32), t: f32) {
    let seconds = t as u32 + 52;
    let text = format!("{}:{:02}", seconds / 60, seconds % 60);
    page.text(left, top, 2, &text, [150, 158, 170]);
}

fn spinner(page: &mut Canvas, t: f32) {
    page.arc((700, 340), 20.0, 0.0, 1.0, [222, 226, 232]);
    page.arc((700, 340), 20.0, t / 1.1, 0.25, [36, 98, 214]);
}

fn progress(page: &mut Canvas, share: f32) {
    page.fill((212, 580, 1024, 12), [216, 221, 228]);
    page.fill(
        (212, 580, (1024.0 * share.clamp(0.0, 1.0)) as u32, 12),
        [36, 98, 214],
    );
}

fn grain(page: &mut Canvas, t: f32) {
    let mut state = (t * 1000.0) as u32 | 1;
    for y in 380..560 {
        for x in 860..1180 {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let light = 70 + (x - 860) / 4 + (y - 380) / 4 + state % 25;
            page.fill(
                (x, y, 1, 1),
                [light as u8, (light * 3 / 4) as u8, (light / 2) as u8],
            );
        }
    }
}

/// Bars of the last ten seconds of speech, a new one each 150 ms.
fn waveform(page: &mut Canvas, t: f32) {
    let now = (t / 0.15) as i32;
    for bar in 0..64 {
        let s = (now - 64 + bar) as f32 * 0.15;
        let syllable = (s * 9.1).sin().abs() * (0.6 + 0.4 * (s * 2.3).sin());
        let loud = if (s * 0.9).sin() > -0.7 {
            syllable
        } else {
            0.0
        };
        let height = (loud.clamp(0.06, 1.0) * 48.0) as u32;
        let tint = bar as f32 / 80.0 + 0.2;
        page.blend(
            (430 + bar as u32 * 7, 400 + (52 - height) / 2, 4, height),
            RED,
            tint,
        );
    }
}

/// 60 events of graded size and length at all phases of the capture, each in a place and with a text of its own.
#[must_use]
pub fn wall() -> (Film, Vec<Graded>) {
    const SHARES: [f32; 5] = [0.0003, 0.001, 0.005, 0.02, 0.1];
    const LENGTHS: [f32; 5] = [0.15, 0.35, 0.7, 1.5, f32::INFINITY];
    let mut graded = Vec::new();
    for index in 0..60_u32 {
        let (size, length) = (index as usize % 5, (index / 5 + index) as usize % 5);
        let pixels = SHARES[size] * (WIDTH * HEIGHT) as f32;
        let height = ((pixels / 1.5).sqrt().ceil() as u32).min(300);
        let width = (pixels / height as f32).ceil() as u32;
        let (x, y) = (
            index * 337 % (WIDTH - width),
            index * 211 % (HEIGHT - height),
        );
        let from = 2.0 + index as f32 * 2.5 + (index * 29 % 60) as f32 / 180.0;
        graded.push(Graded {
            share: SHARES[size],
            length: LENGTHS[length],
            area: (x, y, width, height),
            event: Event {
                from,
                until: from + LENGTHS[length].min(2.4),
            },
        });
    }
    let drawn = graded.clone();
    let events = graded.iter().map(|graded| graded.event).collect();
    let film = Film::new("wall of 60 events", 155.0, events, move |page, t| {
        for (index, graded) in drawn.iter().enumerate() {
            let last = if graded.length.is_finite() {
                graded.event.until
            } else {
                f32::INFINITY
            };
            if (graded.event.from..last).contains(&t) {
                let (x, y, width, height) = graded.area;
                let hue = index as u32 * 83;
                page.fill(
                    graded.area,
                    [
                        (hue % 200) as u8,
                        (hue * 7 % 200) as u8,
                        (hue * 3 % 200) as u8,
                    ],
                );
                let dot = (width / 14).min(height / 9).max(1);
                page.text(
                    x + dot,
                    y + dot,
                    dot,
                    &format!("{:02}", index + 10),
                    [250; 3],
                );
            }
        }
    });
    (film, graded)
}

/// An event of the wall.
#[derive(Debug, Clone)]
pub struct Graded {
    /// Share of the screen, 0 to 1.
    pub share: f32,
    /// Seconds; infinite where it stays.
    pub length: f32,
    pub area: Area,
    pub event: Event,
}
