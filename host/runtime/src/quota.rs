//! How much one policy may add to its episode's record. Lines have a quota of their own, in `lines.rs`.

use crate::failure::{Cut, GuestFailure};
use crate::limits::Limits;
use crate::types::{Action, ModelRequest, Part, TextLine, ToolOutput};

/// What a line takes beside its texts: kind, times, ids, the hash of the line before it; and the clock readings that may have a line of
/// their own before it.
const ENTRY: usize = 400;

/// Bytes left.
pub(crate) struct Quota {
    recorded: u64,
    media: u64,
    limits: (u64, u64),
}

impl Quota {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            recorded: limits.recorded,
            media: limits.media,
            limits: (limits.recorded, limits.media),
        }
    }

    /// One entry with so many bytes of text.
    ///
    /// # Errors
    /// The end of the guest: its record is full.
    pub(crate) fn recorded(&mut self, text: usize) -> wasmtime::Result<()> {
        let what = "of its episode's record";
        take(
            &mut self.recorded,
            (ENTRY + text) as u64,
            self.limits.0,
            what,
        )
    }

    /// One picture, sound or model request.
    ///
    /// # Errors
    /// The end of the guest: it had too many made.
    pub(crate) fn made(&mut self, bytes: u64) -> wasmtime::Result<()> {
        let what = "of pictures, sound and model requests";
        take(&mut self.media, bytes, self.limits.1, what)
    }
}

fn take(left: &mut u64, bytes: u64, limit: u64, what: &str) -> wasmtime::Result<()> {
    let mib = limit >> 20;
    *left = left.checked_sub(bytes).ok_or_else(|| {
        Cut(GuestFailure::too_much(format!(
            "the guest used up the {mib} MiB {what} that one policy may fill"
        )))
    })?;
    Ok(())
}

/// An action's texts; it is recorded twice, when it is queued and when it is over.
pub(crate) fn recorded_size(action: &Action) -> usize {
    let text = match action {
        Action::Type { text } | Action::Speak { text } | Action::Key { combo: text } => text.len(),
        Action::Click { .. }
        | Action::Drag { .. }
        | Action::Move { .. }
        | Action::Scroll { .. }
        | Action::Wait { .. }
        | Action::Done => 0,
    };
    ENTRY + 2 * text
}

/// A line that was read out of a frame.
pub(crate) fn reading_size(line: &TextLine) -> usize {
    ENTRY / 2 + line.text.len()
}

/// A model request's texts.
pub(crate) fn request_size(request: &ModelRequest) -> u64 {
    let output = |output: &ToolOutput| match output {
        ToolOutput::Text(text) => text.len(),
        ToolOutput::Image(blob) => blob.sha256.len(),
    };
    let part = |part: &Part| match part {
        Part::Text(text) | Part::Opaque(text) => text.len(),
        Part::Image(blob) | Part::Audio(blob) => blob.sha256.len(),
        Part::ToolCall(call) => call.id.len() + call.name.len() + call.arguments.len(),
        Part::ToolResult(result) => {
            result.id.len() + result.output.iter().map(output).sum::<usize>()
        }
    };
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let tools = request
        .tools
        .iter()
        .map(|tool| ENTRY + tool.name.len() + tool.description.len() + tool.input_schema.len());
    let all = parts.map(|found| ENTRY + part(found)).sum::<usize>() + tools.sum::<usize>();
    all as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    #[test]
    fn past_its_quota_a_guest_ends() {
        let mut quota = Quota::new(&Limits {
            recorded: 1000,
            media: 1000,
            ..Limits::policy(std::time::Duration::from_secs(10), [0; 32])
        });
        let typed = Action::Type {
            text: "x".repeat(100),
        };
        quota.recorded(recorded_size(&typed)).unwrap();
        let end = quota.recorded(recorded_size(&typed)).unwrap_err();
        let failure = &end.downcast_ref::<Cut>().unwrap().0;
        assert_eq!(failure.kind, FailureKind::OutputTooLarge, "{failure}");
        quota.made(1000).unwrap();
        assert!(quota.made(1).is_err());
    }
}
