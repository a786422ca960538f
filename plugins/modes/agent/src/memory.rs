//! What the agent still knows of earlier steps. What was done is among the prior actions; this is the rest.

use std::collections::VecDeque;
use std::fmt::Write as _;

use dynacu_sdk::{BlobId, Instant};

use crate::scene::Scene;

/// Characters kept of what the model said in one step.
const SAID: usize = 400;

/// One earlier step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Past {
    pub(crate) step: u32,
    pub(crate) taken_at: Instant,
    /// Where the sound of this step begins, and what was heard in it.
    pub(crate) heard: Option<(Instant, String)>,
    pub(crate) said: String,
    pub(crate) notes: Vec<String>,
}

impl Past {
    pub(crate) fn of(scene: &Scene) -> Self {
        let recent = scene.recent_audio.as_ref();
        Self {
            step: scene.step,
            taken_at: scene.taken_at,
            heard: recent.map(|recent| (recent.started_at, recent.transcript.clone())),
            said: String::new(),
            notes: Vec::new(),
        }
    }

    /// Adds what the model said.
    pub(crate) fn say(&mut self, said: &str) {
        if !self.said.is_empty() && !said.is_empty() {
            self.said.push(' ');
        }
        self.said.push_str(said);
    }
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    most_steps: usize,
    most_pictures: usize,
    steps: VecDeque<Past>,
    /// Line and blob, oldest first.
    pictures: VecDeque<(String, BlobId)>,
}

impl Memory {
    pub(crate) fn new(most_steps: usize, most_pictures: usize) -> Self {
        Self {
            most_steps,
            most_pictures,
            ..Self::default()
        }
    }

    pub(crate) fn keep(&mut self, past: Past, pictures: Vec<(String, BlobId)>) {
        self.steps.push_back(past);
        while self.steps.len() > self.most_steps {
            self.steps.pop_front();
        }
        self.pictures.extend(pictures);
        while self.pictures.len() > self.most_pictures {
            self.pictures.pop_front();
        }
    }

    /// The newest pictures, at most so many.
    pub(crate) fn pictures(&self, most: usize) -> impl Iterator<Item = &(String, BlobId)> {
        let skipped = self.pictures.len().saturating_sub(most);
        self.pictures.iter().skip(skipped)
    }

    /// The steps as text, oldest first; empty where there is nothing to tell. Sound that begins after
    /// `transcribed_from` is in the transcript already.
    pub(crate) fn text(&self, transcribed_from: Option<Instant>) -> String {
        let mut text = String::new();
        for past in &self.steps {
            let mut lines = String::new();
            if let Some((from, heard)) = &past.heard
                && transcribed_from.is_none_or(|start| *from < start)
                && !heard.trim().is_empty()
            {
                let _ = writeln!(lines, "heard: \"{}\"", heard.trim());
            }
            if !past.said.trim().is_empty() {
                let _ = writeln!(lines, "said: {}", shortened(past.said.trim()));
            }
            for note in &past.notes {
                let _ = writeln!(lines, "noted: {note}");
            }
            if !lines.is_empty() {
                let _ = write!(text, "Step {} (t = {})\n{lines}", past.step, past.taken_at);
            }
        }
        if text.is_empty() {
            return text;
        }
        format!("[EARLIER STEPS]\n{text}")
    }
}

pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SAID) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(step: u32, heard: &str, note: &str) -> Past {
        Past {
            step,
            taken_at: Instant::from_millis(u64::from(step) * 5_000),
            heard: Some((
                Instant::from_millis(u64::from(step) * 5_000 - 5_000),
                heard.to_owned(),
            )),
            said: String::new(),
            notes: vec![note.to_owned()],
        }
    }

    #[test]
    fn only_so_many_steps_and_pictures_are_kept() {
        let mut memory = Memory::new(2, 3);
        for step in 1..=3 {
            let pictures = (0..2).map(|n| (format!("{step}.{n}"), BlobId::new("b")));
            memory.keep(past(step, "Hello.", "A page."), pictures.collect());
        }
        let text = memory.text(None);
        assert_eq!(
            text,
            "[EARLIER STEPS]\nStep 2 (t = 10.0s)\nheard: \"Hello.\"\nnoted: A page.\n\
             Step 3 (t = 15.0s)\nheard: \"Hello.\"\nnoted: A page.\n"
        );
        let names = |most| -> Vec<&str> {
            memory
                .pictures(most)
                .map(|(name, _)| name.as_str())
                .collect()
        };
        assert_eq!(names(9), ["2.1", "3.0", "3.1"]);
        assert_eq!(names(1), ["3.1"]);
    }

    #[test]
    fn what_the_transcript_has_is_not_told_twice() {
        let mut memory = Memory::new(9, 0);
        memory.keep(
            past(1, "Early.", "One."),
            vec![(String::new(), BlobId::new("b"))],
        );
        memory.keep(past(2, "Late.", "Two."), Vec::new());
        let text = memory.text(Some(Instant::from_millis(5_000)));
        assert!(text.contains("Early.") && !text.contains("Late."), "{text}");
        assert!(text.contains("Two."));
        assert_eq!(memory.pictures(9).count(), 0);
    }

    #[test]
    fn nothing_to_tell_is_no_section_and_long_talk_is_shortened() {
        let mut memory = Memory::new(9, 0);
        let silent = Past {
            notes: Vec::new(),
            ..past(1, " ", "")
        };
        memory.keep(silent, Vec::new());
        assert_eq!(memory.text(None), "");
        let long = "ä".repeat(SAID + 1);
        assert_eq!(shortened(&long).chars().count(), SAID + 1);
    }
}
