//! The observation record in its text form: the one place where it is written, so that every policy shows a model
//! the same thing.
//!
//! The order, the headings and the lines are those of the benchmark's specification. A section of a channel that is
//! not granted is left out; one that is granted and has nothing says so. A policy that puts images between the
//! sections, or wants them in another order, writes them one by one with [`RecordText::section`].

use std::fmt;

use crate::{
    AudioContext, Brief, Channels, Instant, Keyframe, Observation, PriorAction, RecentAudio, Rect,
    Size,
};

/// Prior actions shown, newest first. Older ones are in [`Session::prior_actions`](crate::Session::prior_actions).
const SHOWN_ACTIONS: usize = 20;

/// Everything that the text of one observation is made of. Writing it with `{}` gives the text.
///
/// ```
/// use dynacu_sdk::record_text::{RecordText, Section};
/// use dynacu_sdk::{Instant, Size};
///
/// let record = RecordText {
///     step: 1,
///     taken_at: Instant::from_millis(40),
///     screen: Size::from((1280, 720)),
///     audio_context: None,
///     recent_audio: None,
///     keyframes: None,
///     keyframes_dropped: 0,
///     task: "Enter the price.",
///     prior_actions: &[],
/// };
/// assert_eq!(record.section(Section::Task).to_string(), "[TASK]\n\"Enter the price.\"\n");
/// ```
#[derive(Clone, Debug)]
pub struct RecordText<'a> {
    /// The observation's number, from 1.
    pub step: u32,
    /// When it was taken.
    pub taken_at: Instant,
    /// Pixels of the screenshot.
    pub screen: Size,
    /// Layer 2; none when the audio channel is not granted.
    pub audio_context: Option<&'a AudioContext>,
    /// Layer 1; none when the audio channel is not granted.
    pub recent_audio: Option<&'a RecentAudio>,
    /// None when the keyframe channel is not granted.
    pub keyframes: Option<Vec<KeyframeLine>>,
    /// Keyframes that are in no list: the host left them out.
    pub keyframes_dropped: u32,
    /// The instruction.
    pub task: &'a str,
    /// Oldest first.
    pub prior_actions: &'a [PriorAction],
}

/// One part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Step and time.
    Heading,
    /// Layer 2 of what was heard.
    AudioContext,
    /// Layer 1 of what was heard.
    RecentAudio,
    /// The name and size of the screenshot.
    Screenshot,
    /// The names of the keyframes and what changed.
    Keyframes,
    /// The instruction.
    Task,
    /// What was done, newest first, with what went wrong.
    PriorActions,
}

impl Section {
    /// All of them, in the order of the specification.
    pub const ALL: [Self; 7] = [
        Self::Heading,
        Self::AudioContext,
        Self::RecentAudio,
        Self::Screenshot,
        Self::Keyframes,
        Self::Task,
        Self::PriorActions,
    ];
}

/// What the text says of one keyframe. Written with `{}` it is the keyframe's line: its name and what changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyframeLine {
    /// When it was captured.
    pub captured_at: Instant,
    /// The box around the change.
    pub changed: Rect,
    /// Share of all pixels that changed, 0 to 1.
    pub changed_fraction: f32,
    /// False where the picture is not shown beside the text: the time is still named among the recent audio, and the
    /// keyframe is counted as left out.
    pub shown: bool,
}

impl From<&Keyframe> for KeyframeLine {
    fn from(keyframe: &Keyframe) -> Self {
        Self {
            captured_at: keyframe.captured_at,
            changed: keyframe.changed,
            changed_fraction: keyframe.changed_fraction,
            shown: true,
        }
    }
}

impl fmt::Display for KeyframeLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rect { origin, size } = self.changed;
        write!(
            out,
            "→ keyframe_{}.png (changed {:.1}% of the screen, {}x{} at {}, {})",
            self.captured_at,
            f64::from(self.changed_fraction) * 100.0,
            size.width,
            size.height,
            origin.x,
            origin.y
        )
    }
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
                .map(KeyframeLine::from)
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

    /// One part of the text, each line ended; empty where its channel is not granted.
    pub fn section(&self, section: Section) -> impl fmt::Display {
        SectionText {
            record: self,
            section,
        }
    }

    fn write(&self, out: &mut fmt::Formatter<'_>, section: Section) -> fmt::Result {
        match section {
            Section::Heading => {
                let now = self.taken_at;
                writeln!(out, "Observation Record — Step {} (t = {now})", self.step)?;
                writeln!(out, "{}", "═".repeat(59))
            }
            Section::AudioContext => match self.audio_context {
                Some(context) => self.write_audio_context(out, context),
                None => Ok(()),
            },
            Section::RecentAudio => match self.recent_audio {
                Some(recent) => self.write_recent_audio(out, recent),
                None => Ok(()),
            },
            Section::Screenshot => {
                let Size { width, height } = self.screen;
                writeln!(out, "[VISUAL — current screenshot]")?;
                writeln!(
                    out,
                    "→ screenshot_step_{}.png ({width}x{height})",
                    self.step
                )
            }
            Section::Keyframes => match &self.keyframes {
                Some(keyframes) => self.write_keyframes(out, keyframes),
                None => Ok(()),
            },
            Section::Task => writeln!(out, "[TASK]\n\"{}\"", self.task),
            Section::PriorActions => self.write_prior_actions(out),
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
        for (place, sentence) in context.sentences.iter().enumerate() {
            // A dash where somebody else begins to speak, as in a written dialogue.
            let turn = if sentence.starts_turn && place > 0 {
                "– "
            } else {
                ""
            };
            let open = if sentence.is_final {
                ""
            } else {
                " (may still change)"
            };
            let start = sentence.started_at;
            writeln!(out, "({start}) {turn}{}{open}", sentence.text)?;
        }
        Ok(())
    }

    fn write_recent_audio(
        &self,
        out: &mut fmt::Formatter<'_>,
        recent: &RecentAudio,
    ) -> fmt::Result {
        let length = recent.ended_at - recent.started_at;
        writeln!(
            out,
            "[RECENT AUDIO — last {:.1} seconds, synced with visual]",
            length.as_seconds()
        )?;
        let (start, end) = (recent.started_at, recent.ended_at);
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
            .map(|keyframe| keyframe.captured_at.to_string())
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
        let mut hidden = self.keyframes_dropped;
        let mut listed = false;
        for keyframe in keyframes {
            if keyframe.shown {
                writeln!(out, "{keyframe}")?;
                listed = true;
            } else {
                hidden += 1;
            }
        }
        if !listed {
            writeln!(out, "(none)")?;
        }
        if hidden > 0 {
            writeln!(out, "(left out: {hidden})")?;
        }
        Ok(())
    }

    fn write_prior_actions(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
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

impl fmt::Display for RecordText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Section::ALL
            .into_iter()
            .try_for_each(|section| self.write(out, section))
    }
}

struct SectionText<'a> {
    record: &'a RecordText<'a>,
    section: Section,
}

impl fmt::Display for SectionText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.record.write(out, self.section)
    }
}

#[cfg(test)]
#[path = "record_text_tests.rs"]
mod tests;
