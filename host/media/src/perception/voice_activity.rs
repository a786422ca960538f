//! Where in the sound somebody speaks: Silero's model, and utterances cut from what it says.

use std::path::Path;

use ort::session::Session;
use ort::value::Tensor;

use crate::capture::ring::RATE;
use crate::error::ModelError;
use crate::onnx;

/// Samples that are judged at once: 32 ms.
pub(crate) const WINDOW: usize = 512;

/// Says how likely it is that a window holds speech. Windows come in order, without a hole.
pub(crate) trait VoiceActivity: Send {
    /// The probability, 0 to 1, for the next [`WINDOW`] samples (16 kHz, -1 to 1).
    fn probability(&mut self, window: &[f32]) -> Result<f32, ModelError>;
}

/// The Silero model: a small recurrent network, about 0.1 ms a window.
pub(crate) struct Silero {
    session: Session,
    /// Both recurrent states, [2, 1, 128].
    state: Vec<f32>,
    /// The last samples of the window before, which the model wants in front, then the window.
    input: Vec<f32>,
}

impl Silero {
    const CONTEXT: usize = 64;
    const STATE: [usize; 3] = [2, 1, 128];

    pub(crate) fn open(model: &Path) -> Result<Self, ModelError> {
        let session = onnx::session(model, 1)?;
        let state = vec![0.0; Self::STATE.iter().product()];
        Ok(Self {
            session,
            state,
            input: vec![0.0; Self::CONTEXT + WINDOW],
        })
    }
}

impl VoiceActivity for Silero {
    fn probability(&mut self, window: &[f32]) -> Result<f32, ModelError> {
        let failed = |why| ModelError::failed("voice activity")(why);
        if window.len() != WINDOW {
            return Err(failed(format!(
                "a window has {} samples, expected {WINDOW}",
                window.len()
            )));
        }
        self.input.copy_within(WINDOW.., 0);
        self.input[Self::CONTEXT..].copy_from_slice(window);
        let inputs = ort::inputs![
            "input" => Tensor::from_array(([1, Self::CONTEXT + WINDOW], self.input.clone()))?,
            "state" => Tensor::from_array((Self::STATE, self.state.clone()))?,
            "sr" => Tensor::from_array(((), vec![i64::from(RATE)]))?,
        ];
        let outputs = self.session.run(inputs)?;
        let (_, state) = outputs["stateN"].try_extract_tensor::<f32>()?;
        self.state.clear();
        self.state.extend_from_slice(state);
        let (_, probability) = outputs["output"].try_extract_tensor::<f32>()?;
        probability
            .first()
            .copied()
            .ok_or_else(|| failed("it gave nothing".to_owned()))
    }
}

/// Windows of silence that count as a pause inside an utterance.
const PAUSE: usize = 3;

/// When an utterance begins and ends. Lengths are in windows of 32 ms.
#[derive(Debug, Clone)]
pub(crate) struct Cutting {
    /// Speech begins at this probability …
    pub enter: f32,
    /// … and lasts until it falls below this one.
    pub leave: f32,
    /// What is shorter is a click, not a word.
    pub shortest: usize,
    /// The pause that ends an utterance.
    pub pause: usize,
    /// The pause that ends an utterance of `long` or more: what is still open at an observation has to be recognised
    /// while the policy waits.
    pub short_pause: usize,
    pub long: usize,
    /// At this length an utterance is cut at its quietest point.
    pub longest: usize,
    /// Kept before and after: a soft first consonant is not lost.
    pub margin: usize,
}

impl Default for Cutting {
    fn default() -> Self {
        Self {
            enter: 0.5,
            leave: 0.35,
            shortest: 3,
            pause: 16,
            short_pause: 9,
            long: 190,
            longest: 470,
            margin: 7,
        }
    }
}

/// A stretch of speech, as positions of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Speech {
    /// With its margins: what is to be recognised.
    pub start: u64,
    pub end: u64,
    /// Without its margins: where speech was.
    pub speech_start: u64,
    pub speech_end: u64,
    /// Its inner pauses, from the last speech before to the first after.
    pub pauses: Vec<(u64, u64)>,
    /// True if it was cut in running speech, so that a sentence may go on in the next one.
    pub cut: bool,
}

#[derive(Debug, Clone, Copy)]
struct Judged {
    probability: f32,
    level: f32,
    speech: bool,
}

/// Cuts utterances out of a stream of judged windows.
#[derive(Debug)]
pub(crate) struct Segmenter {
    cutting: Cutting,
    /// Windows judged so far.
    next: usize,
    /// The margin of an utterance must not reach into the one before.
    free_from: usize,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    first: usize,
    windows: Vec<Judged>,
    /// Windows of speech so far, and the last of them.
    spoken: usize,
    last: usize,
    in_speech: bool,
}

impl Segmenter {
    #[must_use]
    pub(crate) fn new(cutting: Cutting) -> Self {
        Self {
            cutting,
            next: 0,
            free_from: 0,
            open: None,
        }
    }

    /// Takes the next window's probability and level (any measure of loudness); gives an utterance when one ends.
    pub(crate) fn push(&mut self, probability: f32, level: f32) -> Option<Speech> {
        let index = self.next;
        self.next += 1;
        let cutting = &self.cutting;
        let was_speech = self.open.as_ref().is_some_and(|open| open.in_speech);
        let speech = probability
            >= if was_speech {
                cutting.leave
            } else {
                cutting.enter
            };
        let judged = Judged {
            probability,
            level,
            speech,
        };
        let Some(open) = &mut self.open else {
            if speech {
                self.open = Some(Open {
                    first: index,
                    windows: vec![judged],
                    spoken: 1,
                    last: index,
                    in_speech: true,
                });
            }
            return None;
        };
        open.windows.push(judged);
        open.in_speech = speech;
        if open.in_speech {
            open.spoken += 1;
            open.last = index;
        }
        let silence = index - open.last;
        let length = open.last + 1 - open.first;
        let pause = if length >= cutting.long {
            cutting.short_pause
        } else {
            cutting.pause
        };
        if silence >= pause {
            return self.close();
        }
        if open.windows.len() >= cutting.longest {
            return self.split();
        }
        None
    }

    /// Ends what is open: no more sound will come.
    pub(crate) fn finish(&mut self) -> Option<Speech> {
        self.close()
    }

    /// The utterance that has not ended yet, as far as it has been heard.
    #[must_use]
    pub(crate) fn open(&self) -> Option<Speech> {
        let open = self
            .open
            .as_ref()
            .filter(|open| open.spoken >= self.cutting.shortest)?;
        Some(self.utterance(open, open.last, self.next, false))
    }

    /// Takes away what was said before a position, which lies in a pause of what is open: it has been dealt with.
    pub(crate) fn cut_before(&mut self, position: u64) {
        let at = (position / WINDOW as u64) as usize;
        if let Some(open) = self.open.take() {
            self.open = self.rest(open, at);
        }
    }

    /// What is open from a window on, beginning with its first speech.
    fn rest(&mut self, open: Open, at: usize) -> Option<Open> {
        self.free_from = at;
        let windows = open.windows.get(at.saturating_sub(open.first)..)?;
        let silent = windows.iter().position(|window| window.speech)?;
        let windows = windows[silent..].to_vec();
        let spoken = windows.iter().filter(|window| window.speech).count();
        Some(Open {
            first: at.max(open.first) + silent,
            windows,
            spoken,
            ..open
        })
    }

    /// The middle of the quietest window of what is open between two positions, and how loud it is.
    #[must_use]
    pub(crate) fn quietest(&self, from: u64, to: u64) -> Option<(u64, f32)> {
        let open = self.open.as_ref()?;
        let window = |position: u64| (position / WINDOW as u64) as usize;
        let first = window(from).max(open.first);
        let last = (window(to) + 1).min(open.first + open.windows.len());
        (first..last)
            .map(|index| (index, open.windows[index - open.first].level))
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(index, level)| ((index * WINDOW + WINDOW / 2) as u64, level))
    }

    /// Windows of silence since the open utterance's last speech.
    #[must_use]
    pub(crate) fn silence(&self) -> usize {
        self.open
            .as_ref()
            .map_or(0, |open| self.next - 1 - open.last)
    }

    fn close(&mut self) -> Option<Speech> {
        let open = self
            .open
            .take()
            .filter(|open| open.spoken >= self.cutting.shortest)?;
        let utterance = self.utterance(&open, open.last, self.next, false);
        self.free_from = (utterance.end / WINDOW as u64) as usize;
        Some(utterance)
    }

    /// Cuts at the quietest point of the second half, and keeps what follows open.
    fn split(&mut self) -> Option<Speech> {
        let open = self.open.take()?;
        let count = open.windows.len();
        let quiet = |i: &usize| {
            // Over three windows, so that one closed lip is not taken for a pause.
            let around = &open.windows[i - 1..=(i + 1).min(count - 1)];
            around
                .iter()
                .map(|window| window.level * (0.2 + window.probability))
                .sum::<f32>()
        };
        let at = (count / 2..count - 1)
            .min_by(|a, b| quiet(a).total_cmp(&quiet(b)))
            .unwrap_or(count - 1);
        let cut = open.first + at;
        let mut utterance = self.utterance(&open, cut.min(open.last), cut, true);
        // No margin and no hole at a cut: the next piece goes on at this very sample.
        utterance.end = (cut * WINDOW) as u64;
        self.open = self.rest(open, cut);
        Some(utterance)
    }

    fn utterance(&self, open: &Open, last: usize, heard: usize, cut: bool) -> Speech {
        let start = open
            .first
            .saturating_sub(self.cutting.margin)
            .max(self.free_from);
        let end = (last + 1 + self.cutting.margin).min(heard);
        let position = |window: usize| (window * WINDOW) as u64;
        let mut pauses = Vec::new();
        let mut silent_from = None;
        for (i, window) in open.windows.iter().enumerate().take(last + 1 - open.first) {
            let index = open.first + i;
            match (window.speech, silent_from) {
                (false, None) => silent_from = Some(index),
                (true, Some(from)) => {
                    if index - from >= PAUSE {
                        pauses.push((position(from), position(index)));
                    }
                    silent_from = None;
                }
                _ => {}
            }
        }
        Speech {
            start: position(start),
            end: position(end),
            speech_start: position(open.first),
            speech_end: position(last + 1),
            pauses,
            cut,
        }
    }
}

/// Loudness of a window: root of the mean square.
#[must_use]
pub(crate) fn level(window: &[f32]) -> f32 {
    (window.iter().map(|sample| sample * sample).sum::<f32>() / window.len().max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds runs of (windows, probability); returns the utterances as windows (start, end, cut).
    fn cut(runs: &[(usize, f32)]) -> (Vec<(u64, u64, bool)>, Segmenter) {
        let mut segmenter = Segmenter::new(Cutting::default());
        let mut out = Vec::new();
        for (count, probability) in runs {
            for _ in 0..*count {
                out.extend(segmenter.push(*probability, *probability));
            }
        }
        let windows = |position: u64| position / WINDOW as u64;
        (
            out.iter()
                .map(|u| (windows(u.start), windows(u.end), u.cut))
                .collect(),
            segmenter,
        )
    }

    #[test]
    fn a_pause_ends_an_utterance_with_its_margins() {
        let (utterances, segmenter) = cut(&[(20, 0.0), (30, 0.9), (16, 0.1)]);
        assert_eq!(utterances, [(13, 57, false)]);
        assert_eq!(segmenter.open(), None);
    }

    #[test]
    fn a_short_word_passes_and_a_click_does_not() {
        assert_eq!(cut(&[(20, 0.0), (2, 0.9), (30, 0.0)]).0, []);
        assert_eq!(cut(&[(20, 0.0), (5, 0.9), (30, 0.0)]).0, [(13, 32, false)]);
    }

    #[test]
    fn doubt_and_short_pauses_do_not_cut() {
        let (utterances, segmenter) = cut(&[(10, 0.0), (30, 0.9), (20, 0.4), (10, 0.0), (30, 0.9)]);
        assert_eq!(utterances, []);
        assert_eq!(
            segmenter.open().map(|u| (u.start, u.speech_end)),
            Some((3 * 512, 100 * 512))
        );
    }

    #[test]
    fn a_long_utterance_ends_at_a_shorter_pause() {
        assert_eq!(cut(&[(10, 0.0), (40, 0.9), (9, 0.0)]).0, []);
        assert_eq!(cut(&[(10, 0.0), (200, 0.9), (9, 0.0)]).0, [(3, 217, false)]);
    }

    #[test]
    fn speech_without_a_pause_is_cut_at_its_quietest_point_without_loss() {
        let (utterances, mut segmenter) = cut(&[(10, 0.0), (300, 0.9), (4, 0.4), (300, 0.9)]);
        let (start, end, is_cut) = utterances[0];
        assert_eq!((start, is_cut, utterances.len()), (3, true, 1));
        assert!((310..314).contains(&end), "{end}");
        let rest = segmenter.finish().unwrap();
        assert_eq!(rest.start, end * 512);
        assert_eq!(rest.end, 614 * 512);
    }

    #[test]
    fn what_was_dealt_with_is_taken_away_in_a_pause() {
        let (_, mut segmenter) = cut(&[(10, 0.0), (30, 0.9), (10, 0.0), (20, 0.9), (4, 0.0)]);
        let open = segmenter.open().unwrap();
        assert_eq!(open.pauses, [(40 * 512, 50 * 512)]);
        segmenter.cut_before(45 * 512);
        let rest = segmenter.open().unwrap();
        assert_eq!(
            (rest.start, rest.speech_start, rest.end),
            (45 * 512, 50 * 512, 74 * 512)
        );
        assert_eq!(rest.pauses, []);
    }
}
