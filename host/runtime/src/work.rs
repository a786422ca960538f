//! How much work the host does for a policy: pictures, clips of sound, reading and speech.
//!
//! None of it is the guest's CPU time, so it has limits of its own. Each piece has a price in time, near what it takes on a
//! usual core. Prices are counted instead of clocks, so that a policy ends at the same piece on every machine.

use std::collections::HashSet;
use std::time::Duration;

use crate::failure::{Cut, GuestFailure};
use crate::limits::Limits;
use crate::types::{Action, Encoding, Rect, Size};

const SPANS: [&str; 2] = ["in one step", "in all"];

/// A held frame is a PNG, which is decoded for each piece, however small.
const FRAME_MS: f64 = 15.0;
const PICTURE_MS_PER_MEGAPIXEL: f64 = 50.0;
const READING_MS_PER_MEGAPIXEL: f64 = 1000.0;
const CLIP_MS: f64 = 1.0;
const CLIP_MS_PER_SECOND: f64 = 0.25;
/// No episode has longer sound.
const LONGEST_CLIP_S: f64 = 3600.0;
const SPEECH_MS: f64 = 30.0;
const SPEECH_MS_PER_BYTE: f64 = 3.0;
/// Longer texts are not spoken.
const LONGEST_SPEECH: usize = 4000;

/// The prices of what was done.
pub(crate) struct Work {
    limits: [Duration; 2],
    spent: [Duration; 2],
    /// When their frames were captured, and how they were encoded. A frame keeps its pictures: the host makes each once.
    pictures: HashSet<(u64, Encoding)>,
}

impl Work {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            limits: [limits.host_per_step, limits.host_in_all],
            spent: [Duration::ZERO; 2],
            pictures: HashSet::new(),
        }
    }

    /// The guest got an observation.
    pub(crate) fn step_begins(&mut self) {
        self.spent[0] = Duration::ZERO;
    }

    /// A frame that was captured at this time is to be encoded.
    ///
    /// # Errors
    /// The end of the guest, as for all work: it asked for too much.
    pub(crate) fn picture(
        &mut self,
        at: u64,
        size: Size,
        encoding: &Encoding,
    ) -> wasmtime::Result<()> {
        if !self.pictures.insert((at, encoding.clone())) {
            return Ok(());
        }
        let part = encoding.crop.map_or(size, |crop| within(crop.size, size));
        self.charge(FRAME_MS + PICTURE_MS_PER_MEGAPIXEL * megapixels(part))
    }

    /// The text in an area of a frame is to be read.
    pub(crate) fn reading(&mut self, size: Size, area: Rect) -> wasmtime::Result<()> {
        let part = within(area.size, size);
        self.charge(FRAME_MS + READING_MS_PER_MEGAPIXEL * megapixels(part))
    }

    /// Sound between two instants (milliseconds) is to be cut out.
    pub(crate) fn clip(&mut self, start: u64, end: u64) -> wasmtime::Result<()> {
        let seconds = (end.saturating_sub(start) as f64 / 1000.0).min(LONGEST_CLIP_S);
        self.charge(CLIP_MS + CLIP_MS_PER_SECOND * seconds)
    }

    /// An action is to be done. Only speech is work: it is made before it is played, and an aborted one was made too.
    pub(crate) fn action(&mut self, action: &Action) -> wasmtime::Result<()> {
        match action {
            Action::Speak { text } => {
                let bytes = text.len().min(LONGEST_SPEECH) as f64;
                self.charge(SPEECH_MS + SPEECH_MS_PER_BYTE * bytes)
            }
            _ => Ok(()),
        }
    }

    fn charge(&mut self, ms: f64) -> wasmtime::Result<()> {
        let price = Duration::from_secs_f64(ms / 1000.0);
        for ((spent, limit), span) in self.spent.iter_mut().zip(self.limits).zip(SPANS) {
            *spent += price;
            if *spent > limit {
                return Err(Cut(GuestFailure::timeout(format!(
                    "the guest asked for more than {limit:?} of the host's work {span} (pictures, clips, reading, speech)"
                )))
                .into());
            }
        }
        Ok(())
    }
}

/// What lies outside of the frame is refused later and costs nothing.
fn within(part: Size, whole: Size) -> Size {
    Size {
        width: part.width.min(whole.width),
        height: part.height.min(whole.height),
    }
}

fn megapixels(size: Size) -> f64 {
    f64::from(size.width) * f64::from(size.height) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;
    use crate::types::{ImageFormat, Point};

    const SCREEN: Size = Size {
        width: 1280,
        height: 720,
    };

    fn work(per_step: u64, in_all: u64) -> Work {
        Work::new(&Limits {
            host_per_step: Duration::from_secs(per_step),
            host_in_all: Duration::from_secs(in_all),
            ..Limits::policy(Duration::from_secs(60), [0; 32])
        })
    }

    fn area(width: u32) -> Rect {
        Rect {
            origin: Point { x: 0, y: 0 },
            size: Size { width, height: 720 },
        }
    }

    fn encoding(width: u32) -> Encoding {
        Encoding {
            format: ImageFormat::Jpeg,
            max_side: None,
            crop: Some(area(width)),
        }
    }

    fn speech(length: usize) -> Action {
        Action::Speak {
            text: "x".repeat(length),
        }
    }

    /// How often something can be asked for until the guest ends, and why it does.
    fn until_the_end(mut ask: impl FnMut(u32) -> wasmtime::Result<()>) -> (u32, String) {
        let mut times = 0;
        loop {
            if let Err(end) = ask(times) {
                let failure = &end.downcast_ref::<Cut>().unwrap().0;
                assert_eq!(failure.kind, FailureKind::Timeout);
                return (times, failure.detail.clone());
            }
            times += 1;
            assert!(times < 100_000, "it goes on for ever");
        }
    }

    #[test]
    fn each_kind_of_work_ends_a_guest_that_asks_for_too_much() {
        let mut one = work(20, 60);
        let (pictures, why) =
            until_the_end(|turn| one.picture(u64::from(turn), SCREEN, &encoding(1280)));
        assert!((200..600).contains(&pictures), "{pictures}");
        assert!(
            why.contains("more than 20s of the host's work in one step"),
            "{why}"
        );
        let mut one = work(20, 60);
        let (tiny, _) = until_the_end(|turn| one.picture(u64::from(turn), SCREEN, &encoding(1)));
        assert!(tiny < 2000, "{tiny}");
        let mut one = work(20, 60);
        let (readings, _) = until_the_end(|_| one.reading(SCREEN, area(1280)));
        assert!((15..30).contains(&readings), "{readings}");
        let mut one = work(20, 60);
        let (clips, _) = until_the_end(|_| one.clip(0, 60_000));
        assert!((500..5000).contains(&clips), "{clips}");
        let mut one = work(20, 60);
        let (spoken, _) = until_the_end(|_| one.action(&speech(400)));
        assert!((10..30).contains(&spoken), "{spoken}");
    }

    #[test]
    fn observations_renew_the_step_and_not_the_whole() {
        let mut one = work(20, 60);
        let (readings, why) = until_the_end(|_| {
            one.step_begins();
            one.reading(SCREEN, area(1280))
        });
        assert!((50..70).contains(&readings), "{readings}");
        assert!(
            why.contains("more than 60s of the host's work in all"),
            "{why}"
        );
    }

    #[test]
    fn what_the_host_has_already_and_what_it_will_refuse_costs_next_to_nothing() {
        let mut one = work(1, 1);
        for _ in 0..1000 {
            one.picture(7, SCREEN, &encoding(1280)).unwrap();
            one.action(&Action::Done).unwrap();
        }
        let mut one = work(20, 20);
        one.clip(0, u64::MAX).unwrap();
        one.clip(9, 3).unwrap();
        one.reading(SCREEN, area(u32::MAX)).unwrap();
        one.picture(1, SCREEN, &encoding(u32::MAX)).unwrap();
        one.action(&speech(1 << 20)).unwrap();
    }
}
