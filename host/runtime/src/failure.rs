//! How a guest can fail: a closed list, so that a record can be counted.

use wasmtime::Trap;

/// What went wrong, as the record names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A deadline, too much computing, or no return after the host said stop.
    Timeout,
    /// The limit of linear memories or tables.
    OutOfMemory,
    /// The guest's own fault: unreachable code, a bad access, too deep a recursion.
    Trap,
    /// More bytes or handles than one call may hand over, or more in all than the record or the scratch folder takes.
    OutputTooLarge,
    /// More was to be handed to it than a guest of its kind reads: it was not asked.
    InputTooLarge,
    /// Everything else, an error that the guest itself returned included.
    Error,
}

impl FailureKind {
    /// The cause's name in `episode.json`.
    #[must_use]
    pub fn cause(self) -> &'static str {
        match self {
            Self::Timeout => "guest-timeout",
            Self::OutOfMemory => "guest-out-of-memory",
            Self::Trap => "guest-trap",
            Self::OutputTooLarge => "guest-output-too-large",
            Self::InputTooLarge => "guest-input-too-large",
            Self::Error => "guest-error",
        }
    }
}

/// One call into a guest that did not come to a proper end. The instance is gone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", kind.cause())]
pub struct GuestFailure {
    /// What went wrong.
    pub kind: FailureKind,
    /// For the record and for people.
    pub detail: String,
}

impl GuestFailure {
    pub(crate) fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: short(detail.into()),
        }
    }

    pub(crate) fn timeout(detail: impl Into<String>) -> Self {
        Self::new(FailureKind::Timeout, detail)
    }

    pub(crate) fn error(detail: impl Into<String>) -> Self {
        Self::new(FailureKind::Error, detail)
    }

    /// The guest executed as many instructions as one call may.
    fn worked_out(work: u64) -> Self {
        Self::timeout(format!(
            "the guest used up its {} million instructions for one call",
            work / 1_000_000
        ))
    }

    pub(crate) fn too_much(detail: impl Into<String>) -> Self {
        Self::new(FailureKind::OutputTooLarge, detail)
    }
}

/// Why the runtime itself ended a guest; travels inside wasmtime's error and is found again by [`classify`].
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.detail)]
pub(crate) struct Cut(pub(crate) GuestFailure);

/// Puts an error of wasmtime into the closed list.
///
/// `denied` says what the guest asked for beyond its memory and was refused: what usually follows is an abort, which
/// would otherwise read as a plain trap. `work` is how many instructions it had, `said` are the guest's last words.
pub(crate) fn classify(
    error: &wasmtime::Error,
    denied: Option<&str>,
    work: Option<u64>,
    said: &str,
) -> GuestFailure {
    if let Some(Cut(failure)) = error.downcast_ref::<Cut>() {
        return failure.clone();
    }
    let with_words = |text: String| {
        if said.is_empty() {
            text
        } else {
            format!("{text}; it last said: {said}")
        }
    };
    let trap = error.downcast_ref::<Trap>();
    if let (Some(Trap::OutOfFuel), Some(work)) = (trap, work) {
        return GuestFailure::worked_out(work);
    }
    if let Some(what) = denied
        && matches!(
            trap,
            None | Some(Trap::UnreachableCodeReached | Trap::MemoryOutOfBounds)
        )
        && error.downcast_ref::<wasmtime_wasi::I32Exit>().is_none()
    {
        return GuestFailure::new(FailureKind::OutOfMemory, what);
    }
    if let Some(wasmtime_wasi::I32Exit(code)) = error.downcast_ref() {
        return GuestFailure::error(with_words(format!(
            "the guest called exit({code}) instead of returning"
        )));
    }
    let whole = format!("{error:#}");
    // wasmtime keeps this error's type to itself.
    if whole.contains("fuel allocated for hostcalls has been exhausted") {
        return GuestFailure::too_much("one call transferred more bytes than its limit");
    }
    if whole.contains("resource table has no free keys")
        || whole.contains("cannot allocate another handle")
    {
        return GuestFailure::too_much(format!("the guest holds too many handles: {whole}"));
    }
    if let Some(trap) = trap {
        return GuestFailure::new(FailureKind::Trap, with_words(trap.to_string()));
    }
    GuestFailure::error(with_words(whole))
}

/// A guest's own words end up in the record: a few kilobytes are enough.
pub(crate) fn short(mut text: String) -> String {
    const BYTES: usize = 4 << 10;
    if text.len() > BYTES {
        text.truncate(text.floor_char_boundary(BYTES));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abort_after_a_refused_growth_is_out_of_memory() {
        let abort = wasmtime::Error::from(Trap::UnreachableCodeReached);
        assert_eq!(
            classify(&abort, Some("256 MiB"), None, "").kind,
            FailureKind::OutOfMemory
        );
        assert_eq!(classify(&abort, None, None, "").kind, FailureKind::Trap);
        let deep = wasmtime::Error::from(Trap::StackOverflow);
        assert_eq!(
            classify(&deep, Some("256 MiB"), None, "").kind,
            FailureKind::Trap
        );
    }

    #[test]
    fn last_words_travel_with_a_trap() {
        let abort = wasmtime::Error::from(Trap::UnreachableCodeReached);
        assert!(
            classify(&abort, None, None, "panicked at src/lib.rs")
                .detail
                .contains("panicked at src/lib.rs")
        );
    }
}
