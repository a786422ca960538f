//! When sentences were said: the voice's own edges and pauses are exact to a window, the recogniser's times are not.

use crate::perception::recognizer::Segment;
use crate::perception::voice_activity::Speech;

/// A sentence's beginning is looked for in a pause this near to where the recogniser puts it.
const NEAR_PAUSE_MS: u64 = 500;

/// Puts segments, in milliseconds of the ring's positions, where their speech is: a sentence that seems to begin near a pause
/// begins at its end.
pub(super) fn place(speech: &Speech, segments: &mut [Segment]) {
    let (first, last) = (speech.speech_start / 16, speech.speech_end / 16);
    for segment in &mut *segments {
        segment.start_ms = segment.start_ms.clamp(first, last);
        segment.end_ms = segment.end_ms.clamp(first, last);
    }
    if let Some(segment) = segments.first_mut() {
        segment.start_ms = first;
    }
    if let Some(segment) = segments.last_mut() {
        segment.end_ms = last;
    }
    let mut free = speech.pauses.as_slice();
    for i in 1..segments.len() {
        let edge = segments[i].start_ms;
        let distance = |(from, to): &(u64, u64)| {
            (from / 16).saturating_sub(edge) + edge.saturating_sub(to / 16)
        };
        let nearest = (0..free.len()).min_by_key(|i| distance(&free[*i]));
        if let Some(nearest) = nearest.filter(|i| distance(&free[*i]) <= NEAR_PAUSE_MS) {
            segments[i - 1].end_ms = free[nearest].0 / 16;
            segments[i].start_ms = free[nearest].1 / 16;
            free = &free[nearest + 1..];
        }
    }
}
