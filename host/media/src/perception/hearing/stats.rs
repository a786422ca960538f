//! What hearing counts and times while it works.

/// Counts over the episode so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HearingStats {
    /// Samples captured, gaps included.
    pub samples: u64,
    /// Stretches for which the sound server gave nothing.
    pub gaps: u32,
    /// Samples that left the ring before they were judged: recognition was more than a minute late.
    pub overrun_samples: u64,
    pub utterances: u32,
    /// Recognitions, of whatever length and for whatever reason …
    pub passes: u32,
    /// … and how many of them were given up because an observation waited.
    pub interrupted: u32,
    /// Length of the sound that was recognised, and the time this took, the tails of observations included.
    pub recognized_ms: u64,
    pub recognizing_ms: u64,
    /// Recognitions that failed; their speech is missing from the transcript.
    pub failures: u32,
    /// Events that nobody took in time.
    pub events_dropped: u32,
}

/// More than an episode has; what comes later is not kept.
const MOST: usize = 10_000;

/// Single measurements (ms), in the order in which they were taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HearingTimes {
    /// Each recognition that came to its end.
    pub pass_ms: Vec<u32>,
    /// From an observation's question to its answer.
    pub tail_ms: Vec<u32>,
    /// From the end of a sentence's sound to its event.
    pub sentence_ms: Vec<u32>,
}

impl HearingTimes {
    pub(super) fn keep(times: &mut Vec<u32>, ms: u64) {
        if times.len() < MOST {
            times.push(u32::try_from(ms).unwrap_or(u32::MAX));
        }
    }
}
