//! Everything heard so far, each word once, from sentence events and both layers of the observations.

use dynacu_sdk::{Instant, Observation, Sentence};
use regex::Regex;

use crate::memory::{Capture, Row};

#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// In the order in which they were said.
    sentences: Vec<Said>,
    /// Layer 1, interval by interval, with its end: it may hold words that no sentence has yet.
    recent: Vec<(Instant, String)>,
}

/// A match in what is settled.
#[derive(Debug, PartialEq)]
pub(crate) struct Mention {
    /// When the sentence began in which the match begins.
    pub(crate) started_at: Instant,
    pub(crate) text: String,
    pub(crate) row: Row,
}

#[derive(Debug)]
struct Said {
    started_at: Instant,
    ended_at: Instant,
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
            self.add_recent(recent.ended_at, &recent.transcript);
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

    fn add_recent(&mut self, ended_at: Instant, transcript: &str) {
        let transcript = squeeze(transcript);
        if !transcript.is_empty() {
            self.recent.push((ended_at, transcript));
        }
    }

    /// The captures of the first match in what was said until later than `after`. Final sentences come first; in what may
    /// still change, a match that ends with the text is not believed, because the next word may belong to it ("sixty" of
    /// "sixty-four"), and the last one may have been cut. A full stop there says nothing: a recogniser writes one wherever its
    /// sound ends.
    pub(crate) fn search(&self, pattern: &Regex, after: Instant) -> Option<Row> {
        let settled = self.text(|said| said.is_final && said.ended_at > after);
        if let Some(found) = pattern.captures(&settled) {
            return Some(captured(pattern, &found));
        }
        let recent: Vec<&str> = self
            .recent
            .iter()
            .filter(|(ended_at, _)| *ended_at > after)
            .map(|(_, text)| text.as_str())
            .collect();
        [self.text(|said| said.ended_at > after), recent.join(" ")]
            .iter()
            .find_map(|open| {
                let found = pattern.captures(open)?;
                let words = open.trim_end_matches(|c: char| !c.is_alphanumeric());
                let ends_inside = found.get(0)?.end() < words.len();
                ends_inside.then(|| captured(pattern, &found))
            })
    }

    /// Every match in the final sentences that ended later than `after`, in the order of time.
    pub(crate) fn mentions(&self, pattern: &Regex, after: Instant) -> Vec<Mention> {
        let said: Vec<&Said> = self
            .sentences
            .iter()
            .filter(|said| said.is_final && said.ended_at > after)
            .collect();
        let settled = self.text(|said| said.is_final && said.ended_at > after);
        let mut starts = Vec::new();
        let mut at = 0;
        for said in said {
            starts.push((at, said.started_at));
            at += said.text.len() + 1;
        }
        pattern
            .captures_iter(&settled)
            .filter_map(|found| {
                let whole = found.get(0)?;
                let sentence = starts.partition_point(|(start, _)| *start <= whole.start());
                Some(Mention {
                    started_at: starts.get(sentence.checked_sub(1)?)?.1,
                    text: whole.as_str().to_owned(),
                    row: captured(pattern, &found),
                })
            })
            .collect()
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
        let shared = end - start;
        let length = |said: &Self| said.ended_at - said.started_at;
        let shorter = length(self).min(length(other));
        self.started_at == other.started_at || shared + shared > shorter
    }
}

/// The named captures of a match, without places.
fn captured(pattern: &Regex, found: &regex::Captures<'_>) -> Row {
    pattern
        .capture_names()
        .flatten()
        .filter_map(|name| {
            let text = found.name(name)?.as_str().trim().to_owned();
            Some((name.to_owned(), Capture { text, at: None }))
        })
        .collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::row;

    fn at(milliseconds: u64) -> Instant {
        Instant::from_millis(milliseconds)
    }

    fn sentence(started_at: u64, ended_at: u64, text: &str, is_final: bool) -> Sentence {
        Sentence {
            started_at: at(started_at),
            ended_at: at(ended_at),
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
        let found = heard.search(&pattern, at(0)).unwrap();
        assert_eq!(found, row(&[("price", "sixty-four dollars")]));
        assert!(heard.search(&pattern, at(6_000)).is_none(), "said before");
    }

    #[test]
    fn every_mention_with_its_sentence() {
        let mut heard = Heard::default();
        heard.add(&sentence(0, 2_000, "Row two is free, row", true));
        heard.add(&sentence(2_100, 3_000, "five is taken.", true));
        heard.add(&sentence(4_000, 5_000, "Row six is free.", true));
        heard.add(&sentence(6_000, 7_000, "Row ten is free", false));
        let pattern = Regex::new(r"(?i)row (?<row>\w+) is (?<state>\w+)").unwrap();
        let all = heard.mentions(&pattern, at(0));
        let told: Vec<_> = all
            .iter()
            .map(|mention| {
                (
                    mention.started_at.as_millis(),
                    mention.row["row"].text.as_str(),
                )
            })
            .collect();
        assert_eq!(told, [(0, "two"), (0, "five"), (4_000, "six")]);
        assert_eq!(heard.mentions(&pattern, at(3_000)).len(), 1);
    }

    #[test]
    fn an_open_end_is_not_believed() {
        let mut heard = Heard::default();
        let pattern = Regex::new(r"paying (?<price>[\w-]+)").unwrap();
        heard.add(&sentence(0, 2_000, "I was paying sixty", false));
        heard.add_recent(at(2_000), "I was paying sixty");
        assert!(heard.search(&pattern, at(0)).is_none());
        heard.add_recent(at(4_000), "four dollars for it.");
        assert!(heard.search(&pattern, at(0)).is_some());
        let mut stopped = Heard::default();
        stopped.add(&sentence(0, 2_000, "I was paying sixty.", false));
        stopped.add_recent(at(2_000), "I was paying sixty.");
        assert!(
            stopped.search(&pattern, at(0)).is_none(),
            "a stop is no word"
        );
    }
}
