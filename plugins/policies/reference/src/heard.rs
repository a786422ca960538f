//! Everything heard so far, each word once, from sentence events and both layers of the observations.

use dynacu_sdk::{Observation, Sentence};
use regex::{Captures, Regex};

#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// In the order in which they were said.
    sentences: Vec<Said>,
    /// Layer 1, interval by interval: it may hold words that no sentence has yet.
    recent: Vec<String>,
}

#[derive(Debug)]
struct Said {
    started_at: u64,
    ended_at: u64,
    text: String,
    is_final: bool,
}

impl Heard {
    pub(crate) fn observe(&mut self, observation: &Observation) {
        if let Some(context) = &observation.audio_context {
            for sentence in &context.sentences {
                self.add(sentence);
            }
        }
        if let Some(recent) = &observation.recent_audio {
            self.add_recent(&recent.transcript);
        }
    }

    /// Takes in a sentence. It replaces an earlier reading of the same time, unless that was final and this is not.
    pub(crate) fn add(&mut self, sentence: &Sentence) {
        let new = Said {
            started_at: sentence.started_at,
            ended_at: sentence.ended_at,
            text: squeeze(&sentence.text),
            is_final: sentence.is_final,
        };
        if new.text.is_empty() {
            return;
        }
        let settled = |old: &Said| old.is_final && !new.is_final && old.covers(&new);
        if self.sentences.iter().any(settled) {
            return;
        }
        self.sentences.retain(|old| !old.covers(&new));
        let place = self
            .sentences
            .partition_point(|old| old.started_at <= new.started_at);
        self.sentences.insert(place, new);
    }

    fn add_recent(&mut self, transcript: &str) {
        let transcript = squeeze(transcript);
        if !transcript.is_empty() {
            self.recent.push(transcript);
        }
    }

    /// The captures of the first match. Final sentences come first; in what may still change, a match that ends with
    /// the text is not believed, because the next word may belong to it ("sixty" of "sixty-four").
    pub(crate) fn search(&self, pattern: &Regex) -> Option<Vec<(String, String)>> {
        let settled = self.text(|said| said.is_final);
        if let Some(found) = pattern.captures(&settled) {
            return Some(named(pattern, &found));
        }
        [self.text(|_| true), self.recent.join(" ")]
            .iter()
            .find_map(|open| {
                let found = pattern.captures(open)?;
                let ends_inside = found.get(0)?.end() < open.len();
                ends_inside.then(|| named(pattern, &found))
            })
    }

    /// All that was heard, for the log.
    pub(crate) fn all(&self) -> String {
        self.text(|_| true)
    }

    fn text(&self, which: impl Fn(&Said) -> bool) -> String {
        let texts: Vec<&str> = self
            .sentences
            .iter()
            .filter(|said| which(said))
            .map(|said| said.text.as_str())
            .collect();
        texts.join(" ")
    }
}

impl Said {
    /// Whether the two are readings of the same stretch of sound: more than half of the shorter one is shared.
    fn covers(&self, other: &Self) -> bool {
        let start = self.started_at.max(other.started_at);
        let end = self.ended_at.min(other.ended_at);
        let shared = end.saturating_sub(start);
        let length = |said: &Self| said.ended_at.saturating_sub(said.started_at);
        let shorter = length(self).min(length(other));
        self.started_at == other.started_at || shared * 2 > shorter
    }
}

/// The named captures of a match.
pub(crate) fn named(pattern: &Regex, found: &Captures<'_>) -> Vec<(String, String)> {
    pattern
        .capture_names()
        .flatten()
        .filter_map(|name| {
            let text = found.name(name)?.as_str().trim();
            Some((name.to_owned(), text.to_owned()))
        })
        .collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(started_at: u64, ended_at: u64, text: &str, is_final: bool) -> Sentence {
        Sentence {
            started_at,
            ended_at,
            text: text.to_owned(),
            confidence: 1.0,
            is_final,
            starts_turn: false,
        }
    }

    #[test]
    fn each_word_once() {
        let mut heard = Heard::default();
        heard.add(&sentence(0, 2_000, "Welcome back.", true));
        heard.add(&sentence(2_100, 4_000, "I ended up paying sixty", false));
        heard.add(&sentence(
            2_100,
            6_000,
            "I ended up paying sixty-four dollars for it.",
            true,
        ));
        heard.add(&sentence(2_100, 4_000, "I ended up paying sixty", false));
        heard.add(&sentence(0, 2_000, "Welcome  back.", true));
        assert_eq!(
            heard.all(),
            "Welcome back. I ended up paying sixty-four dollars for it."
        );
        let pattern = Regex::new("paying (?<price>.+?) for").unwrap();
        let found = heard.search(&pattern).unwrap();
        assert_eq!(
            found,
            [("price".to_owned(), "sixty-four dollars".to_owned())]
        );
    }

    #[test]
    fn an_open_end_is_not_believed() {
        let mut heard = Heard::default();
        let pattern = Regex::new(r"paying (?<price>[\w-]+)").unwrap();
        heard.add(&sentence(0, 2_000, "I was paying sixty", false));
        heard.add_recent("I was paying sixty");
        assert!(heard.search(&pattern).is_none());
        heard.add_recent("four dollars for it.");
        assert!(heard.search(&pattern).is_some());
    }
}
