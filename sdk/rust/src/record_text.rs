//! The observation record in its text form: the one place where it is written, so that every policy shows a model
//! the same thing.
//!
//! The order, the headings and the lines are those of the benchmark's specification. A section of a channel that is
//! not granted is left out; one that is granted and has nothing says so.

use std::fmt;

use crate::{AudioContext, Brief, Channels, Observation, PriorAction, RecentAudio, Rect, Size};

/// Prior actions shown, newest first. Older ones are in [`Session::prior_actions`](crate::Session::prior_actions).
const SHOWN_ACTIONS: usize = 20;

/// Everything that the text of one observation is made of. Writing it with `{}` gives the text.
#[derive(Clone, Debug)]
pub struct RecordText<'a> {
    /// The observation's number, from 1.
    pub step: u32,
    /// When it was taken, in milliseconds.
    pub taken_at: u64,
    /// Pixels of the screenshot.
    pub screen: Size,
    /// Layer 2; none when the audio channel is not granted.
    pub audio_context: Option<&'a AudioContext>,
    /// Layer 1; none when the audio channel is not granted.
    pub recent_audio: Option<&'a RecentAudio>,
    /// None when the keyframe channel is not granted.
    pub keyframes: Option<Vec<KeyframeLine>>,
    /// Keyframes that the host left out of the list.
    pub keyframes_dropped: u32,
    /// The instruction.
    pub task: &'a str,
    /// Oldest first.
    pub prior_actions: &'a [PriorAction],
}

/// What the text says of one keyframe.
#[derive(Clone, Copy, Debug)]
pub struct KeyframeLine {
    /// When it was captured, in milliseconds.
    pub captured_at: u64,
    /// The box around the change.
    pub changed: Rect,
    /// Share of all pixels that changed, 0 to 1.
    pub changed_fraction: f32,
}

impl<'a> RecordText<'a> {
    /// The text of an observation, given what the host granted and what was done before.
    pub fn of(
        observation: &'a Observation,
        brief: &'a Brief,
        prior_actions: &'a [PriorAction],
    ) -> Self {
        let keyframes = brief.granted.contains(Channels::KEYFRAMES).then(|| {
            observation
                .keyframes
                .iter()
                .map(|keyframe| KeyframeLine {
                    captured_at: keyframe.captured_at,
                    changed: keyframe.changed,
                    changed_fraction: keyframe.changed_fraction,
                })
                .collect()
        });
        Self {
            step: observation.step,
            taken_at: observation.taken_at,
            screen: brief.screen,
            audio_context: observation.audio_context.as_ref(),
            recent_audio: observation.recent_audio.as_ref(),
            keyframes,
            keyframes_dropped: observation.keyframes_dropped,
            task: &brief.instruction,
            prior_actions,
        }
    }

    fn write_audio_context(
        &self,
        out: &mut fmt::Formatter<'_>,
        context: &AudioContext,
    ) -> fmt::Result {
        writeln!(out, "[AUDIO CONTEXT — last 60 seconds]")?;
        if context.sentences.is_empty() {
            writeln!(out, "(nothing heard)")?;
        }
        for sentence in &context.sentences {
            writeln!(out, "({}) {}", Seconds(sentence.started_at), sentence.text)?;
        }
        Ok(())
    }

    fn write_recent_audio(
        &self,
        out: &mut fmt::Formatter<'_>,
        recent: &RecentAudio,
    ) -> fmt::Result {
        let length = recent.ended_at.saturating_sub(recent.started_at);
        writeln!(
            out,
            "[RECENT AUDIO — last {:.1} seconds, synced with visual]",
            length as f64 / 1000.0
        )?;
        let (start, end) = (Seconds(recent.started_at), Seconds(recent.ended_at));
        match recent.transcript.trim() {
            "" => writeln!(out, "({start}–{end}) (nothing heard)")?,
            transcript => writeln!(out, "({start}–{end}) \"{transcript}\"")?,
        }
        let Some(keyframes) = &self.keyframes else {
            return Ok(());
        };
        let times: Vec<String> = recent
            .keyframes
            .iter()
            .filter_map(|index| keyframes.get(*index as usize))
            .map(|keyframe| Seconds(keyframe.captured_at).to_string())
            .collect();
        match times.len() {
            0 => writeln!(out, "↳ During this audio: no keyframe captured"),
            1 => writeln!(
                out,
                "↳ During this audio: 1 keyframe captured ({})",
                times[0]
            ),
            count => writeln!(
                out,
                "↳ During this audio: {count} keyframes captured ({})",
                times.join(", ")
            ),
        }
    }

    fn write_keyframes(
        &self,
        out: &mut fmt::Formatter<'_>,
        keyframes: &[KeyframeLine],
    ) -> fmt::Result {
        writeln!(out, "[VISUAL — keyframes captured since last step]")?;
        if keyframes.is_empty() {
            writeln!(out, "(none)")?;
        }
        for keyframe in keyframes {
            let Rect { origin, size } = keyframe.changed;
            writeln!(
                out,
                "→ keyframe_{}.png (changed {:.1}% of the screen, {}x{} at {}, {})",
                Seconds(keyframe.captured_at),
                f64::from(keyframe.changed_fraction) * 100.0,
                size.width,
                size.height,
                origin.x,
                origin.y
            )?;
        }
        if self.keyframes_dropped > 0 {
            writeln!(out, "(left out: {})", self.keyframes_dropped)?;
        }
        Ok(())
    }
}

impl fmt::Display for RecordText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = Seconds(self.taken_at);
        writeln!(out, "Observation Record — Step {} (t = {now})", self.step)?;
        writeln!(out, "{}", "═".repeat(59))?;
        if let Some(context) = self.audio_context {
            self.write_audio_context(out, context)?;
        }
        if let Some(recent) = self.recent_audio {
            self.write_recent_audio(out, recent)?;
        }
        writeln!(out, "[VISUAL — current screenshot]")?;
        writeln!(
            out,
            "→ screenshot_step_{}.png ({}x{})",
            self.step, self.screen.width, self.screen.height
        )?;
        if let Some(keyframes) = &self.keyframes {
            self.write_keyframes(out, keyframes)?;
        }
        writeln!(out, "[TASK]")?;
        writeln!(out, "\"{}\"", self.task)?;
        writeln!(out, "[PRIOR ACTIONS]")?;
        if self.prior_actions.is_empty() {
            writeln!(out, "(none)")?;
        }
        for prior in self.prior_actions.iter().rev().take(SHOWN_ACTIONS) {
            writeln!(out, "{prior}")?;
        }
        if let Some(older @ 1..) = self.prior_actions.len().checked_sub(SHOWN_ACTIONS) {
            writeln!(out, "(older: {older})")?;
        }
        Ok(())
    }
}

/// An instant as the record writes it: `48.7s`.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1}s", self.0 as f64 / 1000.0)
    }
}

#[cfg(test)]
#[path = "record_text_tests.rs"]
mod tests;
