//! The talk page: what is said on it and when, and what hearing made of that.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::scene::{Clip, PAGES, Scene};
use super::words::{Errors, align, words};
use dynacu_host::perception::transcript::Sentence;
use dynacu_host::task::SpeechClip;
use dynacu_host::task::home::Home;

/// Between two sentences of one slide, and before the first of a slide (ms), beside the silence inside the clips.
const BREATH: u32 = 60;
const NEW_SLIDE: u32 = 700;
/// After the last one, so that hearing can come to its end (ms).
const REST: u32 = 4000;

/// `talk.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    schema: u32,
    speaker: Vec<Speaker>,
    slide: Vec<Slide>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Speaker {
    name: String,
    voice: String,
    coat: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slide {
    title: String,
    points: Vec<String>,
    speaker: usize,
    said: Vec<String>,
}

/// The talk as it will be given.
#[derive(Debug, Clone)]
pub struct Talk {
    script: Script,
    /// Slides that are shown; all, or the first few.
    slides: usize,
    rounds: usize,
}

impl Talk {
    /// Reads the script that lies with the page. A quick one ends after two slides.
    ///
    /// # Errors
    /// The file is missing or not of this form.
    pub fn load(home: &Home, quick: bool, rounds: usize) -> Result<Self> {
        let file = home.root.join(PAGES).join("talk/talk.toml");
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let script: Script =
            toml::from_str(&text).with_context(|| format!("in {}", file.display()))?;
        ensure!(
            script.schema == 1,
            "{}: schema {} is not known",
            file.display(),
            script.schema
        );
        for slide in &script.slide {
            ensure!(
                slide.speaker < script.speaker.len(),
                "{}: the slide {} has no speaker",
                file.display(),
                slide.title
            );
        }
        let slides = if quick { 2 } else { script.slide.len() };
        Ok(Self {
            slides: slides.min(script.slide.len()),
            script,
            rounds,
        })
    }

    /// Slides and sentences in the order in which they come, for one round.
    fn order(&self) -> impl Iterator<Item = (usize, usize, &Slide, &String)> {
        let slides = self.script.slide.iter().enumerate().take(self.slides);
        slides.flat_map(|(number, slide)| {
            let said = slide.said.iter().enumerate();
            said.map(move |(at, sentence)| (number, at, slide, sentence))
        })
    }

    /// The sentences of all rounds.
    #[must_use]
    pub fn sentences(&self) -> Vec<&str> {
        let one: Vec<&str> = self.order().map(|(.., text)| text.as_str()).collect();
        std::iter::repeat_n(one, self.rounds).flatten().collect()
    }

    /// One clip for each sentence of a round.
    #[must_use]
    pub fn clips(&self) -> Vec<SpeechClip> {
        self.order()
            .map(|(number, at, slide, text)| {
                let voice = self.script.speaker[slide.speaker].voice.clone();
                SpeechClip::plain(format!("s{number}-{at}"), voice, text.clone(), 1.0)
            })
            .collect()
    }

    /// For the page server.
    #[must_use]
    pub fn scene(&self) -> Scene {
        let sentences: Vec<Value> = self
            .order()
            .map(|(number, at, slide, _)| {
                let wait = if at == 0 { NEW_SLIDE } else { BREATH };
                json!({ "clip": format!("s{number}-{at}"), "speaker": slide.speaker, "slide": number, "wait": wait })
            })
            .collect();
        let speakers: Vec<Value> = self
            .script
            .speaker
            .iter()
            .map(|speaker| json!({ "name": speaker.name, "coat": speaker.coat }))
            .collect();
        let slides: Vec<Value> = self
            .script
            .slide
            .iter()
            .map(|slide| json!({ "title": slide.title, "points": slide.points }))
            .collect();
        Scene {
            clips: self.clips(),
            ..Scene::new(
                "talk",
                json!({ "speakers": speakers, "slides": slides, "sentences": sentences, "rounds": self.rounds, "rest": REST }),
            )
        }
    }

    /// When each sentence's voice began and ended (ms on the episode's clock), from the page's reports. None for those that
    /// the page did not come to.
    #[must_use]
    pub fn spoken<'a>(
        &self,
        clips: &BTreeMap<String, Clip>,
        reports: impl IntoIterator<Item = (u64, &'a Value)>,
    ) -> Vec<Option<(f64, f64)>> {
        let ids: Vec<String> = self.clips().into_iter().map(|clip| clip.id).collect();
        let mut spoken = vec![None; ids.len() * self.rounds];
        for (at, data) in reports {
            let (Some(index), Some(position)) = (data["index"].as_u64(), data["position"].as_f64())
            else {
                continue;
            };
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            let clip = ids
                .get(index % ids.len().max(1))
                .and_then(|id| clips.get(id));
            if let (Some(place), Some(clip)) = (spoken.get_mut(index), clip) {
                let start = at as f64 - position * 1000.0;
                *place = Some((start + clip.voice.0 as f64, start + clip.voice.1 as f64));
            }
        }
        spoken
    }
}

/// What hearing made of sentences with known times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeardTalk {
    /// From a sentence's last sound at the page to the event that has its last word (ms).
    pub delays: Vec<f64>,
    /// How far a heard sentence's beginning is from that of the one that was said (ms).
    pub onsets: Vec<f64>,
    pub errors: Errors,
    /// Sentences that were said and of which nothing was heard.
    pub lost: usize,
}

/// Lays what was heard beside what was said, word by word.
#[must_use]
pub fn compare(said: &[(&str, Option<(f64, f64)>)], heard: &[(u64, Sentence)]) -> HeardTalk {
    let flat = |texts: &mut dyn Iterator<Item = &str>| {
        let (mut all, mut owner) = (Vec::new(), Vec::new());
        for (number, text) in texts.enumerate() {
            let words = words(text);
            owner.extend(std::iter::repeat_n(number, words.len()));
            all.extend(words);
        }
        (all, owner)
    };
    let (said_words, said_owner) = flat(&mut said.iter().map(|(text, _)| *text));
    let (heard_words, heard_owner) =
        flat(&mut heard.iter().map(|(_, sentence)| sentence.text.as_str()));
    let mut result = HeardTalk {
        errors: Errors {
            said: said_words.len(),
            ..Errors::default()
        },
        ..HeardTalk::default()
    };
    // For each sentence said: the event that has its last word that was heard at all.
    let mut last: Vec<Option<usize>> = vec![None; said.len()];
    let first = |owner: &[usize], at: usize| at == 0 || owner[at - 1] != owner[at];
    for pair in align(&said_words, &heard_words) {
        match pair {
            (Some(one), Some(other)) => {
                result.errors.substituted += usize::from(said_words[one] != heard_words[other]);
                let (sentence, event) = (said_owner[one], heard_owner[other]);
                last[sentence] = Some(event);
                if first(&said_owner, one)
                    && first(&heard_owner, other)
                    && let Some((start, _)) = said[sentence].1
                {
                    result
                        .onsets
                        .push((heard[event].1.started_at as f64 - start).abs());
                }
            }
            (Some(_), None) => result.errors.left_out += 1,
            (None, _) => result.errors.put_in += 1,
        }
    }
    for ((_, times), event) in said.iter().zip(last) {
        match (times, event) {
            (Some((_, end)), Some(event)) => result.delays.push(heard[event].0 as f64 - end),
            (_, None) => result.lost += 1,
            (None, Some(_)) => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn heard(started_at: u64, ended_at: u64, text: &str) -> Sentence {
        Sentence {
            started_at,
            ended_at,
            text: text.to_owned(),
            confidence: 1.0,
            is_final: true,
            starts_turn: false,
        }
    }

    #[test]
    fn the_script_has_forty_sentences_by_four_voices() {
        let root = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("..");
        let talk = Talk::load(&Home::at(&root).unwrap(), false, 2).unwrap();
        assert_eq!(talk.clips().len(), 40);
        assert_eq!(talk.sentences().len(), 80);
        let voices: std::collections::BTreeSet<String> = talk
            .clips()
            .into_iter()
            .map(|clip| clip.voice().to_owned())
            .collect();
        assert_eq!(voices.len(), 4);
        let scene = talk.scene();
        assert_eq!(scene.values["sentences"].as_array().unwrap().len(), 40);
    }

    #[test]
    fn reports_give_the_times_of_voices() {
        let root = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("..");
        let talk = Talk::load(&Home::at(&root).unwrap(), true, 2).unwrap();
        let count = talk.clips().len();
        let clip = Clip {
            file: std::path::PathBuf::new(),
            samples: Vec::new(),
            voice: (200, 1200),
        };
        let clips: BTreeMap<String, Clip> = talk
            .clips()
            .into_iter()
            .map(|one| (one.id, clip.clone()))
            .collect();
        let reports = [
            (
                1050,
                json!({ "name": "said", "index": 0, "position": 0.05 }),
            ),
            (
                9000,
                json!({ "name": "said", "index": count, "position": 0.1 }),
            ),
        ];
        let spoken = talk.spoken(&clips, reports.iter().map(|(at, data)| (*at, data)));
        assert_eq!(spoken.len(), 2 * count);
        assert_eq!(spoken[0], Some((1200.0, 2200.0)));
        assert_eq!(spoken[count], Some((9100.0, 10_100.0)));
        assert_eq!(spoken[1], None);
    }

    #[test]
    fn joined_sentences_are_late_and_lost_ones_are_counted() {
        let said = [
            ("The boat is here.", Some((1000.0, 2000.0))),
            ("It has two masts.", Some((2300.0, 3400.0))),
            ("Nobody noticed.", Some((4000.0, 5000.0))),
            ("Then it left.", Some((6000.0, 7000.0))),
        ];
        let events = [
            // The first two came as one event.
            (
                4600,
                heard(1050, 3400, "The boat is here. It has two masts."),
            ),
            (8100, heard(6200, 7000, "Then it left.")),
        ];
        let found = compare(&said, &events);
        assert_eq!(found.delays, [2600.0, 1200.0, 1100.0]);
        assert_eq!(found.onsets, [50.0, 200.0]);
        assert_eq!((found.lost, found.errors.left_out), (1, 2));
        assert_eq!(found.errors.said, 13);
    }
}
