//! What came of a scripted episode.

use std::sync::Arc;

use dynacu_runtime::PolicyEnd;
use dynacu_runtime::types::{
    Action, ActionError, BlobId, Encoding, Level, ModelRequest, Part, PerformError, Rect,
    StopCause, ToolOutput,
};
use parking_lot::Mutex;

use crate::Media;

/// An action that was asked for.
#[derive(Clone, Debug)]
pub struct Performed {
    /// When it began.
    pub at: u64,
    /// As asked for.
    pub action: Action,
    /// Why it was not done.
    pub refused: Option<ActionError>,
}

/// Collected while it runs.
#[derive(Default)]
pub(crate) struct Recording {
    pub(crate) observations: u32,
    pub(crate) requests: Vec<ModelRequest>,
    pub(crate) performed: Vec<Performed>,
    pub(crate) refused: Vec<PerformError>,
    pub(crate) encodings: Vec<Encoding>,
    pub(crate) clips: Vec<(u64, u64)>,
    pub(crate) readings: Vec<Rect>,
    pub(crate) cancelled: Vec<u64>,
    pub(crate) log: Vec<(Level, String)>,
    pub(crate) stopped: Option<StopCause>,
    pub(crate) media: Media,
}

/// What came of a scripted episode.
#[derive(Clone)]
pub struct Ran {
    /// How the policy ended.
    pub end: PolicyEnd,
    /// Observations that it took.
    pub observations: u32,
    /// What it asked the model, in order.
    pub requests: Vec<ModelRequest>,
    /// What it did, in order, the refused included.
    pub performed: Vec<Performed>,
    /// Why whole batches of actions were not taken.
    pub refused: Vec<PerformError>,
    /// How it wanted pictures.
    pub encodings: Vec<Encoding>,
    /// The sound that it took, from and until.
    pub clips: Vec<(u64, u64)>,
    /// The areas in which it had text read.
    pub readings: Vec<Rect>,
    /// Model calls that it gave up.
    pub cancelled: Vec<u64>,
    /// Its log lines, and what it printed.
    pub log: Vec<(Level, String)>,
    /// Why the episode was over, if it was before the policy returned.
    pub stopped: Option<StopCause>,
    /// Every picture and clip that it had made.
    pub media: Media,
}

impl Ran {
    pub(crate) fn new(end: PolicyEnd, recording: &Arc<Mutex<Recording>>) -> Self {
        let recording = std::mem::take(&mut *recording.lock());
        Self {
            end,
            observations: recording.observations,
            requests: recording.requests,
            performed: recording.performed,
            refused: recording.refused,
            encodings: recording.encodings,
            clips: recording.clips,
            readings: recording.readings,
            cancelled: recording.cancelled,
            log: recording.log,
            stopped: recording.stopped,
            media: recording.media,
        }
    }

    /// What was done, without what was refused.
    #[must_use]
    pub fn done(&self) -> Vec<&Action> {
        let done = self.performed.iter().filter(|one| one.refused.is_none());
        done.map(|one| &one.action).collect()
    }

    /// What a request shows the model, in order: texts as they are, pictures and sounds as `<name>`, each on a line of its
    /// own. The system's text is left out.
    #[must_use]
    pub fn shown(&self, request: &ModelRequest) -> String {
        use dynacu_runtime::types::Role;
        let name = |id: &BlobId| {
            let name = self.media.name_of(&id.sha256);
            format!("<{}>\n", name.unwrap_or_default())
        };
        let mut shown = String::new();
        let messages = request
            .messages
            .iter()
            .filter(|message| message.role != Role::System);
        for part in messages.flat_map(|message| &message.parts) {
            match part {
                Part::Text(text) => shown.push_str(text),
                Part::Image(id) | Part::Audio(id) => shown.push_str(&name(id)),
                Part::ToolCall(call) => {
                    shown.push_str(&format!("[{} {}]\n", call.name, call.arguments));
                }
                Part::ToolResult(result) => {
                    for output in &result.output {
                        match output {
                            ToolOutput::Text(text) => shown.push_str(text),
                            ToolOutput::Image(id) => shown.push_str(&name(id)),
                        }
                    }
                }
                Part::Opaque(_) => {}
            }
        }
        shown
    }
}
