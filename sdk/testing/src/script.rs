//! What happens in front of a policy, on one time line.

use dynacu_runtime::types::{Brief, Channel, Sentence, Size};
use dynacu_runtime::{Limits, Plugin};
use std::time::Duration;

use crate::desk::Desk;
use crate::{Media, Model, Picture, Ran};

/// A screen from an instant on.
#[derive(Clone)]
pub(crate) struct Shot {
    pub(crate) at: u64,
    pub(crate) picture: Picture,
}

/// A scripted episode. All times are milliseconds since the page's start signal.
///
/// Without further words it grants no channel and no assist, lasts a minute and ten steps, has a pace of five seconds, and shows one
/// plain screen in silence.
#[derive(Clone)]
pub struct Script {
    pub(crate) brief: Brief,
    pub(crate) begins_at: u64,
    pub(crate) shots: Vec<Shot>,
    pub(crate) sentences: Vec<Sentence>,
    pub(crate) recognised_after: u64,
    pub(crate) reading: bool,
    pub(crate) solution: Option<String>,
    limits: Limits,
}

impl Script {
    /// An episode with this instruction.
    #[must_use]
    pub fn new(instruction: impl Into<String>) -> Self {
        let brief = Brief {
            episode: "scripted".to_owned(),
            instruction: instruction.into(),
            screen: Size {
                width: 1280,
                height: 720,
            },
            pace_ms: 5_000,
            time_limit_ms: 60_000,
            step_limit: 10,
            granted: Vec::new(),
        };
        Self {
            brief,
            begins_at: 0,
            shots: Vec::new(),
            sentences: Vec::new(),
            recognised_after: 0,
            reading: false,
            solution: None,
            // Wall time: the script's own passes at once.
            limits: Limits::policy(Duration::from_secs(60), [7; 32]),
        }
    }

    /// The channels that the mode grants.
    #[must_use]
    pub fn granting(mut self, channels: impl IntoIterator<Item = Channel>) -> Self {
        self.brief.granted = channels.into_iter().collect();
        self
    }

    /// The limits of time and of steps.
    #[must_use]
    pub fn lasting(mut self, milliseconds: u64, steps: u32) -> Self {
        self.brief.time_limit_ms = milliseconds;
        self.brief.step_limit = steps;
        self
    }

    /// When the policy is started; at the start signal without.
    #[must_use]
    pub fn beginning_at(mut self, milliseconds: u64) -> Self {
        self.begins_at = milliseconds;
        self
    }

    /// The screen from an instant on. One that differs from the screen before is kept as a keyframe.
    #[must_use]
    pub fn shows(mut self, at: u64, picture: Picture) -> Self {
        self.shots.push(Shot { at, picture });
        self.shots.sort_by_key(|shot| shot.at);
        self
    }

    /// A sentence that the speakers play.
    #[must_use]
    pub fn says(mut self, from: u64, until: u64, text: impl Into<String>) -> Self {
        self.sentences.push(Sentence {
            started_at: from,
            ended_at: until.max(from),
            text: text.into(),
            confidence: 0.9,
            is_final: true,
            starts_turn: false,
        });
        self.sentences.sort_by_key(|sentence| sentence.ended_at);
        self
    }

    /// How long after its end a sentence becomes an event, as with a recogniser; observations have it at once.
    #[must_use]
    pub fn recognised_after(mut self, milliseconds: u64) -> Self {
        self.recognised_after = milliseconds;
        self
    }

    /// Grants the assist `reading`: the words that pictures were given.
    #[must_use]
    pub fn with_reading(mut self) -> Self {
        self.reading = true;
        self
    }

    /// Grants the assist `solution`, with this script for the task's.
    #[must_use]
    pub fn with_solution(mut self, toml: impl Into<String>) -> Self {
        self.solution = Some(toml.into());
        self
    }

    /// Other limits of the guest than an episode's. Their deadline is of wall time.
    #[must_use]
    pub fn limited_to(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Plays the episode. `settings` is the policy's table of the run configuration, as JSON. What is no policy ends at
    /// once as failed.
    pub async fn run(self, plugin: &Plugin, model: Model, settings: &str) -> Ran {
        let (brief, limits) = (self.brief.clone(), self.limits.clone());
        let desk = Desk::new(self, model, Media::default());
        let recording = desk.recording();
        let end = plugin
            .run_policy(Box::new(desk), brief, settings.to_owned(), limits)
            .ended()
            .await;
        Ran::new(end, &recording)
    }
}
