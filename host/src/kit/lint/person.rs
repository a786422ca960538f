//! How long a person needs: three words a second to read, a second to react, a second a click, the length of clips.

use std::path::Path;

use anyhow::{Context, Result};

use crate::task::catalogue::Task;
use crate::task::clips::ClipSet;
use crate::task::manifest::{After, Manifest, Tier};

/// Words read or said in a second.
const WORDS: f64 = 3.0;
/// Seconds for a click or a key.
const CLICK: f64 = 1.0;
/// Seconds for a word that is typed.
const TYPED: f64 = 1.5;
/// Seconds to react to something.
const REACT: f64 = 1.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Person {
    /// What a person needs, in seconds.
    pub seconds: f64,
    /// The task's limit by that.
    pub ratio: f64,
}

/// How many times of what is needed a tier gives at least.
#[must_use]
pub fn least(tier: Tier) -> f64 {
    match tier {
        Tier::Easy => 2.0,
        Tier::Medium => 1.5,
        Tier::Hard => 1.05,
    }
}

/// Adds up what the manifest, the committed clips and the solution's steps say.
///
/// # Errors
/// `solution.toml` is no TOML.
pub fn person(task: &Task) -> Result<Person> {
    let manifest = &task.manifest;
    let instruction: usize = manifest
        .instruction
        .parts
        .iter()
        .map(|part| match part {
            crate::task::template::Part::Text(text) => text.split_whitespace().count(),
            crate::task::template::Part::Value(_) => 1,
        })
        .sum();
    let needed = manifest.moments.iter().filter(|moment| moment.needed);
    let reactions: u32 = needed.map(|moment| moment.times).sum();
    let shown = longest_chain(manifest);
    let heard = clips_seconds(&task.folder.join("audio"));
    let file = task.folder.join("solution.toml");
    let acts = match std::fs::read_to_string(&file) {
        Ok(text) => acts(
            &toml::from_str(&text).with_context(|| format!("{} is not TOML", file.display()))?,
        ),
        Err(_) => 0.0,
    };
    let seconds =
        instruction as f64 / WORDS + shown.max(heard) + f64::from(reactions) * REACT + acts;
    let limit = manifest.time_limit.as_secs_f64();
    Ok(Person {
        seconds,
        ratio: limit / seconds,
    })
}

/// Seconds from the first to the last moment that somebody has to wait for; parts that follow different acts add up.
fn longest_chain(manifest: &Manifest) -> f64 {
    let mut ends: Vec<(String, f64, f64)> = Vec::new();
    let (mut from_start, mut from_acts) = (0.0_f64, 0.0);
    for moment in &manifest.moments {
        let more = f64::from(moment.times - 1) * moment.every.1;
        let base = match &moment.after {
            Some(After::Moment(name)) => ends
                .iter()
                .find(|(other, ..)| other == name)
                .map_or(0.0, |(_, start, _)| *start),
            Some(After::Start | After::Act) | None => 0.0,
        };
        let start = base + moment.delay.1 + more;
        let end = start + moment.seconds.unwrap_or(0.0);
        if moment.needed {
            match moment.after {
                Some(After::Act) => from_acts += end,
                Some(After::Moment(_)) | Some(After::Start) | None => {
                    from_start = from_start.max(end);
                }
            }
        }
        ends.push((moment.name.clone(), start, end));
    }
    from_start + from_acts
}

/// The seconds that the acts of a solution take a person: nested lists of steps count once.
fn acts(value: &toml::Value) -> f64 {
    match value {
        toml::Value::Table(table) => table
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "guess" | "lookup"))
            .map(|(key, item)| {
                let words = |per: f64| {
                    item.as_str()
                        .map_or(per, |text| text.split_whitespace().count() as f64 * per)
                };
                match key.as_str() {
                    "click" | "find" | "key" | "drag" | "scroll" => CLICK,
                    "type" => words(TYPED),
                    "speak" => words(1.0 / WORDS),
                    _ => acts(item),
                }
            })
            .sum(),
        toml::Value::Array(items) => items.iter().map(acts).sum(),
        _ => 0.0,
    }
}

/// The length of all committed clips together.
fn clips_seconds(folder: &Path) -> f64 {
    files(folder)
        .iter()
        .filter_map(|file| opus_seconds(&std::fs::read(file).ok()?))
        .sum()
}

/// How many bytes the committed clips have.
#[must_use]
pub fn speech_bytes(task: &Task) -> u64 {
    files(&task.folder.join("audio"))
        .iter()
        .filter_map(|file| Some(std::fs::metadata(file).ok()?.len()))
        .sum()
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    ClipSet::read(folder)
        .map(|set| {
            set.clips
                .iter()
                .map(|clip| folder.join(&clip.file))
                .collect()
        })
        .unwrap_or_default()
}

/// The length of an Ogg Opus file: the last page's position less what a decoder skips, at 48 kHz.
fn opus_seconds(bytes: &[u8]) -> Option<f64> {
    let head = find(bytes, b"OpusHead")?;
    let skipped = u16::from_le_bytes(bytes.get(head + 10..head + 12)?.try_into().ok()?);
    let last = bytes.windows(4).rposition(|window| window == b"OggS")?;
    let position = u64::from_le_bytes(bytes.get(last + 6..last + 14)?.try_into().ok()?);
    Some(position.saturating_sub(skipped.into()) as f64 / 48_000.0)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_s_acts_are_added_up() {
        let solution: toml::Value = toml::from_str(
            "[[step]]\nclick = [1, 2]\n[[step]]\ntype = \"two words\"\n[[step]]\nspeak = \"one two three\"\n[[step]]\nrepeat = { step = [{ key = \"Tab\" }] }\n[guess]\nclick = 3\n",
        )
        .unwrap();
        assert_eq!(acts(&solution), 1.0 + 3.0 + 1.0 + 1.0);
    }

    #[test]
    fn the_length_of_a_clip_is_read_from_its_last_page() {
        let folder = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host"))
            .join("../tasks/A-E1-podcast-price/audio");
        let bytes = std::fs::read(folder.join("review-3.ogg")).unwrap();
        let seconds = opus_seconds(&bytes).unwrap();
        assert!((3.0..9.0).contains(&seconds), "{seconds}");
        assert_eq!(opus_seconds(b"nothing"), None);
    }
}
