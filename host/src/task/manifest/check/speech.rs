//! The rules of `[[speech]]`.

use std::collections::BTreeSet;

use toml::Spanned;

use super::{Checked, Rules, fault, kebab};
use crate::task::manifest::raw::{RawSpeech, RawTurn};
use crate::task::manifest::{Speech, SpeechTurn};
use crate::task::variant::entities;

impl Rules<'_> {
    pub(super) fn speech(&self, raw: Vec<RawSpeech>) -> Checked<Vec<Speech>> {
        let mut ids = BTreeSet::new();
        let mut checked = Vec::new();
        for clip in raw {
            if !kebab(clip.id.get_ref()) || !ids.insert(clip.id.get_ref().clone()) {
                return Err(fault(
                    &clip.id,
                    "a clip has an id of its own: lower-case words joined by -",
                ));
            }
            let raw_turns = match (clip.voice, clip.text, clip.turns) {
                (Some(voice), Some(text), None) => vec![RawTurn {
                    voice,
                    text,
                    speed: clip.speed,
                    pause: None,
                }],
                (None, None, Some(turns)) if clip.speed.is_none() => {
                    if turns.get_ref().is_empty() {
                        return Err(fault(&turns, "a clip says something"));
                    }
                    turns.into_inner()
                }
                _ => {
                    return Err(fault(
                        &clip.id,
                        "a clip has `voice` and `text` for one speaker, or `turns`, each with its own voice, text and speed",
                    ));
                }
            };
            if let Some(background) = clip
                .background
                .as_ref()
                .filter(|background| !(-60.0..=-3.0).contains(&background.get_ref().level))
            {
                return Err(fault(
                    background,
                    "the level of a background is decibels relative to the voices, from -60 to -3",
                ));
            }
            let explicit = clip.entities.map(|names| {
                names
                    .iter()
                    .map(|name| self.path(name))
                    .collect::<Checked<Vec<_>>>()
            });
            let mut wanted = explicit.transpose()?;
            let given = wanted.is_some();
            let mut turns = Vec::new();
            for turn in raw_turns {
                let (turn, at) = self.turn(turn)?;
                let implied = entities(self.fields, &turn.text).map_err(|why| fault(&at, why))?;
                let list = wanted.get_or_insert_with(Vec::new);
                if !given {
                    for path in implied {
                        if !list.contains(&path) {
                            list.push(path);
                        }
                    }
                }
                turns.push(turn);
            }
            let entities = wanted.unwrap_or_default();
            for path in &entities {
                self.samples
                    .forms(path)
                    .map_err(|why| fault(&clip.id, why))?;
            }
            checked.push(Speech {
                id: clip.id.into_inner(),
                turns,
                background: clip.background.map(Spanned::into_inner),
                telephone: clip.telephone,
                entities,
            });
        }
        Ok(checked)
    }

    fn turn(&self, raw: RawTurn) -> Checked<(SpeechTurn, Spanned<String>)> {
        // Kokoro's names: language, gender, then a name.
        let voice = raw.voice.get_ref().as_bytes();
        if !(voice.len() > 3
            && b"ab".contains(&voice[0])
            && b"fm".contains(&voice[1])
            && voice[2] == b'_')
        {
            return Err(fault(
                &raw.voice,
                "not an English Kokoro voice: for example am_michael or bf_emma",
            ));
        }
        if let Some(speed) = raw
            .speed
            .as_ref()
            .filter(|speed| !(0.5..=2.0).contains(speed.get_ref()))
        {
            return Err(fault(speed, "speed is from 0.5 to 2"));
        }
        if let Some(pause) = raw
            .pause
            .as_ref()
            .filter(|pause| !(0.0..=10.0).contains(pause.get_ref()))
        {
            return Err(fault(pause, "a pause is from 0 to 10 seconds"));
        }
        let text = self.template(&raw.text)?;
        if text.parts.is_empty() {
            return Err(fault(&raw.text, "a clip says something"));
        }
        let turn = SpeechTurn {
            voice: raw.voice.into_inner(),
            text,
            speed: raw.speed.map_or(1.0, Spanned::into_inner),
            pause: raw.pause.map_or(0.0, Spanned::into_inner),
        };
        Ok((turn, raw.text))
    }
}
