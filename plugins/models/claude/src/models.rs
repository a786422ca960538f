//! What is known of single models. Names and limits as of November 2026.

/// Models of the current generations.
pub(crate) const KNOWN: &[&str] = &[
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-fable-5-2",
    "claude-mythos-5-2",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-opus-4-8",
    "claude-opus-4-7",
    "claude-opus-4-6",
    "claude-sonnet-4-6",
    "claude-opus-4-5",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
];

/// Pictures of one request that every model takes, whatever its window.
pub(crate) const MAX_IMAGES: u32 = 100;
/// Bytes of one request, pictures in base64 included; a little below the limit, for the text.
pub(crate) const MAX_BYTES: u64 = 30 << 20;

/// The computer-use tool of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputerTool {
    /// One tool an action; no beta header.
    Toolset,
    /// One tool for all actions: its type, and the beta header that it needs.
    Single(&'static str, &'static str),
}

impl ComputerTool {
    /// The newest that a model takes. Models that are not known are taken for newer than those that are.
    pub(crate) fn of(model: &str) -> Self {
        let older = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
        if older(&["claude-sonnet-4-5", "claude-haiku-4-5"]) {
            Self::Single("computer_20250124", "computer-use-2025-01-24")
        } else if older(&[
            "claude-opus-4-5",
            "claude-opus-4-6",
            "claude-opus-4-7",
            "claude-sonnet-4-6",
        ]) {
            Self::Single("computer_20251124", "computer-use-2025-11-24")
        } else {
            Self::Toolset
        }
    }
}
