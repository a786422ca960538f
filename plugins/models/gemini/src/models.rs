//! What is known of single models. Names and limits as of November 2026.

/// Models of the current generations.
pub(crate) const KNOWN: &[&str] = &[
    "gemini-4-argon",
    "gemini-4-carbon",
    "gemini-4-hydrogen",
    "gemini-4-neon",
    "gemini-3.8-flash",
    "gemini-3.5-flash",
    "gemini-3.1-pro-preview",
    "gemini-3-flash-preview",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-computer-use-preview-10-2025",
];

/// Pictures of one request that every model takes.
pub(crate) const MAX_IMAGES: u32 = 900;
/// Bytes of one request, pictures and sound in base64 included; a little below the limit, for the text.
pub(crate) const MAX_BYTES: u64 = 19 << 20;

/// Whether results of functions may hold pictures; before, these go beside them.
pub(crate) fn results_hold_pictures(model: &str) -> bool {
    !["gemini-1", "gemini-2"]
        .iter()
        .any(|start| model.starts_with(start))
}
