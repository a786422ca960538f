//! Which model takes what, by its name.

/// The models that the SDK knows and whose rules are known here, and one that only the documentation has.
pub(super) const KNOWN: [&str; 19] = [
    "gpt-6.2-astra",
    "gpt-6.2-sol",
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

/// Models that reason: `max_tokens` is refused, and sampling is only taken without an effort.
pub(super) fn reasons(name: &str) -> bool {
    !name.starts_with("gpt-4") && !name.starts_with("gpt-audio")
}

/// Models that hear, and, as far as is known, do not see.
pub(super) fn hears(name: &str) -> bool {
    name.starts_with("gpt-audio")
}

/// Tools on Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChatTools {
    Any,
    /// Only with `reasoning_effort: "none"`.
    WithoutEffort,
    /// Only on the Responses endpoint.
    No,
}

pub(super) fn chat_tools(name: &str) -> ChatTools {
    match name {
        name if name.contains("astra") || name.starts_with("gpt-6.1") => ChatTools::No,
        name if name.starts_with("gpt-6") || name.starts_with("gpt-5.6") => {
            ChatTools::WithoutEffort
        }
        _ => ChatTools::Any,
    }
}

/// The effort `none`.
pub(super) fn takes_no_effort(name: &str) -> bool {
    chat_tools(name) != ChatTools::No
}

/// The native computer tool: from GPT-5.4 on.
pub(super) fn takes_computer(name: &str) -> bool {
    reasons(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sdk_knows_the_models() {
        let known = crate::structure::known_words(super::super::chat::SCHEMA, "model");
        for name in KNOWN {
            let is_there = known.iter().any(|word| word == name);
            assert_eq!(is_there, name != "gpt-audio-1.5", "{name}");
        }
    }
}
