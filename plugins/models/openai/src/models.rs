//! What is known of single models. Names and limits as of November 2026.

/// Models of the current generations, and those of GPT-4o's.
pub(crate) const KNOWN: &[&str] = &[
    "gpt-6.2-astra",
    "gpt-6.1-sol",
    "gpt-6.1-terra",
    "gpt-6-astra",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.5",
    "gpt-5.4",
    "gpt-5.4-mini",
    "gpt-5.4-nano",
    "gpt-4o",
    "gpt-4o-mini",
    "gpt-4.1",
    "gpt-4.1-mini",
    "gpt-audio-1.5",
];

/// Pictures of one request that all take.
pub(crate) const MAX_IMAGES: u32 = 500;
/// Bytes of one request, pictures in base64 included; a little below the limit, for the text.
pub(crate) const MAX_BYTES: u64 = 48 << 20;

/// Whether a model is spoken to through Chat Completions. Models that are not known are taken for newer ones.
pub(crate) fn is_of_chat(model: &str) -> bool {
    ["gpt-3", "gpt-4", "chatgpt-4", "gpt-audio"]
        .iter()
        .any(|start| model.starts_with(start))
}

/// Whether a model takes sound.
pub(crate) fn hears(model: &str) -> bool {
    model.starts_with("gpt-audio") || model.contains("-audio-preview")
}

/// The finest `detail` that a model takes for pictures: from GPT-5.4 on they are looked at as they are.
pub(crate) fn detail(model: &str) -> &'static str {
    let old = is_of_chat(model)
        || ["gpt-5", "o1", "o3", "o4"].iter().any(|start| {
            model
                .strip_prefix(start)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
        || ["gpt-5.0", "gpt-5.1", "gpt-5.2", "gpt-5.3"]
            .iter()
            .any(|start| model.starts_with(start));
    if old { "high" } else { "original" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_go_where_they_are_served() {
        for (model, chat, finest) in [
            ("gpt-4o", true, "high"),
            ("gpt-4.1-mini", true, "high"),
            ("gpt-audio-1.5", true, "high"),
            ("gpt-5", false, "high"),
            ("gpt-5-mini", false, "high"),
            ("gpt-5.4-nano", false, "original"),
            ("gpt-6.2-astra", false, "original"),
            ("o3", false, "high"),
        ] {
            assert_eq!(
                (is_of_chat(model), detail(model)),
                (chat, finest),
                "{model}"
            );
        }
    }
}
