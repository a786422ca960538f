//! Which model takes what.

/// Of the ids that the SDK knows, those without a date.
pub(super) const KNOWN: [&str; 19] = [
    "claude-fable-5-2",
    "claude-mythos-5-2",
    "claude-haiku-5-5",
    "claude-sonnet-5-5",
    "claude-fable-5-1",
    "claude-opus-5-5",
    "claude-mythos-5-1",
    "claude-sonnet-5",
    "claude-fable-5",
    "claude-mythos-5",
    "claude-opus-5",
    "claude-opus-4-8",
    "claude-opus-4-7",
    "claude-mythos-preview",
    "claude-opus-4-6",
    "claude-sonnet-4-6",
    "claude-haiku-4-5",
    "claude-opus-4-5",
    "claude-sonnet-4-5",
];

/// Family and generation, read from the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Model<'a> {
    family: &'a str,
    generation: (u32, u32),
}

impl<'a> Model<'a> {
    /// A name of no known form counts as the newest, for which the rules are strictest.
    pub(super) fn of(name: &'a str) -> Self {
        let mut parts = name.split('-').skip(1);
        let family = parts.next().unwrap_or_default();
        let major = parts.next().and_then(|part| part.parse().ok());
        // A date is no minor number.
        let minor = parts
            .next()
            .filter(|part| part.len() == 1)
            .and_then(|part| part.parse().ok());
        Self {
            family,
            generation: (
                major.unwrap_or(5),
                minor.unwrap_or(if major.is_some() { 0 } else { 5 }),
            ),
        }
    }

    /// `temperature`, `top_p`, `top_k`, where the version header allows them at all.
    pub(super) fn takes_sampling(self) -> bool {
        self.generation < (4, 7)
    }

    /// `tool_choice` of `any` and `tool`.
    pub(super) fn takes_forced_calls(self) -> bool {
        self.generation < (5, 1)
    }

    /// A conversation that ends with the assistant.
    pub(super) fn takes_prefill(self) -> bool {
        self.generation < (4, 6)
    }

    pub(super) fn takes_thinking(self, kind: &str) -> bool {
        match kind {
            "between_tools" => self.family == "sonnet" && self.generation >= (5, 5),
            "disabled" | "enabled" => !(self.family == "opus" && self.generation >= (5, 5)),
            _ => self.generation >= (4, 6),
        }
    }

    /// The native computer tools, by type.
    pub(super) fn takes_native(self, kind: &str) -> bool {
        match kind {
            "computer_toolset_20260801" => self.generation >= (4, 8),
            "computer_20251124" => {
                let older_without = self.generation == (4, 5) && self.family != "opus";
                self.generation >= (4, 5) && self.generation < (5, 5) && !older_without
            }
            _ => self.generation == (4, 5) && self.family != "opus",
        }
    }

    /// Pictures a request may have: fewer on models with the smaller window.
    pub(super) fn most_pictures(self) -> usize {
        if self.generation < (4, 6) { 100 } else { 600 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sdk_knows_the_models() {
        let known = crate::structure::known_words(crate::anthropic::SCHEMA, "model");
        for name in KNOWN {
            assert!(known.iter().any(|word| word == name), "{name}");
        }
    }

    #[test]
    fn a_name_is_read_with_and_without_a_date() {
        assert_eq!(Model::of("claude-opus-4-8").generation, (4, 8));
        assert_eq!(Model::of("claude-haiku-4-5-20251001").generation, (4, 5));
        assert_eq!(Model::of("claude-sonnet-5").generation, (5, 0));
        assert_eq!(Model::of("claude-mythos-preview").generation, (5, 5));
        assert!(!Model::of("claude-opus-5-5").takes_native("computer_20251124"));
        assert!(Model::of("claude-sonnet-4-6").takes_native("computer_20251124"));
        assert!(!Model::of("claude-sonnet-4-5").takes_native("computer_20251124"));
    }
}
