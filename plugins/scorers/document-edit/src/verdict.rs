//! The judgement on the document as it was handed in.

use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::{Submission, submissions};

use crate::settings::{Section, Settings};
use crate::words::{agreement, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    /// Words are missing, or too many were added.
    Words,
    /// A named entity is missing, or one is left that was to go.
    Entity,
    /// Another section was changed.
    Disturbed,
}

pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    /// The share of the expected words that is there, over all sections.
    pub(crate) words_found: f64,
    /// Words beside the expected ones, as a share of these.
    pub(crate) words_added: f64,
    pub(crate) entity_faults: usize,
    pub(crate) disturbed: usize,
    /// When it was submitted.
    pub(crate) at: Instant,
    pub(crate) explanation: String,
}

/// None while the document was not handed in.
pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Option<Verdict>, ScoreError> {
    let submissions = submissions(page_events, Some(&settings.form))?;
    let Some(submission) = submissions.first() else {
        return Ok(None);
    };
    let (mut found, mut added, mut expected) = (0, 0, 0);
    let mut faults = Vec::new();
    let mut entity_faults = Vec::new();
    for section in &settings.sections {
        let typed = submission.value(&section.section);
        let wanted = words(&section.text);
        let agreement = agreement(&wanted, &words(typed));
        found += agreement.found;
        added += agreement.added;
        expected += wanted.len();
        let least = (wanted.len() as f64 * section.words).ceil() as usize;
        if agreement.found < least || agreement.added > wanted.len() - least {
            faults.push(format!(
                "{} has {} of {} words and {} others; {least} are needed, and at most {} others",
                section.section,
                agreement.found,
                wanted.len(),
                agreement.added,
                wanted.len() - least
            ));
        }
        entities(section, typed, &mut entity_faults)?;
    }
    let disturbed = disturbed(settings, submission);

    let outcome = if !faults.is_empty() {
        Outcome::Words
    } else if !entity_faults.is_empty() {
        Outcome::Entity
    } else if !disturbed.is_empty() {
        Outcome::Disturbed
    } else {
        Outcome::Right
    };
    let entity_count = entity_faults.len();
    faults.extend(entity_faults);
    faults.extend(disturbed.iter().map(|name| format!("{name} was changed")));
    let explanation = if faults.is_empty() {
        format!("{found} of {expected} words, every entity, nothing else changed.")
    } else {
        format!("{}.", faults.join("; "))
    };
    Ok(Some(Verdict {
        outcome,
        words_found: found as f64 / expected as f64,
        words_added: added as f64 / expected as f64,
        entity_faults: entity_count,
        disturbed: disturbed.len(),
        at: submission.at,
        explanation,
    }))
}

fn entities(section: &Section, typed: &str, faults: &mut Vec<String>) -> Result<(), ScoreError> {
    for (entities, wanted) in [(&section.entities, true), (&section.gone, false)] {
        for entity in entities {
            if entity.mentioned(typed)? != wanted {
                let word = if wanted {
                    "does not mention"
                } else {
                    "still has"
                };
                faults.push(format!(
                    "{} {word} {:?} ({})",
                    section.section,
                    entity.value.0,
                    entity.kind.as_str()
                ));
            }
        }
    }
    Ok(())
}

/// The sections that are not what they were to stay; only the amount of white space is free.
fn disturbed<'s>(settings: &'s Settings, submission: &Submission) -> Vec<&'s str> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let changed = settings
        .unchanged
        .iter()
        .filter(|(name, text)| plain(submission.value(name)) != plain(&text.0));
    changed.map(|(name, _)| name.as_str()).collect()
}
