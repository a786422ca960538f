//! The fixed set on which recognition is scored.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::scene::PAGES;
use dynacu_host::task::SpeechClip;
use dynacu_host::task::home::Home;

/// `set.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Set {
    schema: u32,
    pub voices: Vec<String>,
    speeds: Vec<f32>,
    sentence: Vec<Spoken>,
}

/// One sentence and what must be taken from it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spoken {
    pub kind: String,
    pub said: String,
    /// Written, spoken.
    pub facts: Vec<(String, String)>,
}

/// One clip of the set.
pub(super) struct Item {
    pub spoken: Spoken,
    pub clip: SpeechClip,
}

impl Set {
    /// Reads it from beside the pages.
    ///
    /// # Errors
    /// The file is missing or not of this form.
    pub(super) fn load(home: &Home) -> Result<Self> {
        let path = home.root.join(PAGES).join("accuracy/set.toml");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let set: Self = toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
        ensure!(
            set.schema == 1 && !set.voices.is_empty() && !set.speeds.is_empty(),
            "{}: schema 1 with voices and speeds is wanted",
            path.display()
        );
        Ok(set)
    }

    /// Every sentence by two voices; over the set every voice has every speed.
    #[must_use]
    pub(super) fn items(&self, quick: bool) -> Vec<Item> {
        let mut items = Vec::new();
        // Seven and the number of voices have no divisor in common.
        let step = if quick { 7 } else { 1 };
        for (number, spoken) in self.sentence.iter().enumerate().step_by(step) {
            for half in 0..if quick { 1 } else { 2 } {
                let voice =
                    &self.voices[(number + half * self.voices.len() / 2) % self.voices.len()];
                let speed = self.speeds[(number / self.voices.len() + half) % self.speeds.len()];
                items.push(Item {
                    spoken: spoken.clone(),
                    clip: SpeechClip::plain(
                        format!("n{number}-{half}"),
                        voice.clone(),
                        spoken.said.clone(),
                        speed,
                    ),
                });
            }
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use dynacu_host::studio::render::entity;

    #[test]
    fn every_voice_speaks_at_every_speed() {
        let home =
            Home::at(&Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("..")).unwrap();
        let set = Set::load(&home).unwrap();
        let items = set.items(false);
        assert_eq!(items.len(), 72);
        for voice in &set.voices {
            for speed in &set.speeds {
                let both = |item: &&Item| item.clip.voice() == voice && item.clip.speed() == *speed;
                assert_eq!(items.iter().filter(both).count(), 4, "{voice} {speed}");
            }
        }
        let kinds: std::collections::BTreeSet<&str> =
            items.iter().map(|item| item.spoken.kind.as_str()).collect();
        assert_eq!(kinds.len(), 6);
    }

    #[test]
    fn every_fact_is_in_its_own_sentence() {
        let home =
            Home::at(&Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("..")).unwrap();
        for spoken in Set::load(&home).unwrap().sentence {
            for (written, said) in &spoken.facts {
                assert!(
                    entity::heard(&spoken.said, written, said),
                    "{written} in {}",
                    spoken.said
                );
                assert!(
                    entity::heard(&format!("It is {written} here."), written, said),
                    "{written}"
                );
            }
        }
    }
}
