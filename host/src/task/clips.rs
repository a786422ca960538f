//! A folder of rendered clips with `clips.toml`, which pins what each file says and its SHA-256. Committed clips of
//! seed 0 and cached clips of other seeds have the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::variant::Seed;
use super::{Background, SpeechClip, Turn};

const FILE: &str = "clips.toml";
const SCHEMA: u32 = 2;

/// `clips.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClipSet {
    pub schema: u32,
    pub seed: Seed,
    /// The draw that was admitted.
    pub sub_seed: u32,
    #[serde(default, rename = "clip")]
    pub clips: Vec<Pinned>,
}

/// What one file says, and its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pinned {
    pub id: String,
    pub file: String,
    pub sha256: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub telephone: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    pub turns: Vec<Turn>,
}

/// Why a folder of clips cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClipsError {
    #[error("{} is missing", .0.display())]
    Missing(PathBuf),
    #[error("{}: {message}", file.display())]
    Unreadable { file: PathBuf, message: String },
    #[error("{} was rendered for another text, voice, speed or background of the clip `{id}`", folder.display())]
    Outdated { folder: PathBuf, id: String },
    #[error("{} is not the file that clips.toml pins", file.display())]
    Changed { file: PathBuf },
}

impl ClipSet {
    /// Reads `clips.toml` of a folder; the files are checked by [`ClipSet::verify`].
    ///
    /// # Errors
    /// It is missing or not of this form.
    pub fn read(folder: &Path) -> Result<Self, ClipsError> {
        let file = folder.join(FILE);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ClipsError::Missing(file));
            }
            Err(error) => {
                return Err(ClipsError::Unreadable {
                    file,
                    message: error.to_string(),
                });
            }
        };
        let set: Self = toml::from_str(&text).map_err(|error| ClipsError::Unreadable {
            file: file.clone(),
            message: error.message().replace('\n', " "),
        })?;
        if set.schema == SCHEMA {
            Ok(set)
        } else {
            Err(ClipsError::Unreadable {
                file,
                message: format!("schema {} is not known", set.schema),
            })
        }
    }

    /// The files of the clips by id, if they are those that were rendered for exactly these texts.
    ///
    /// # Errors
    /// Another text, voice or speed; a clip too few or too many; a file that is missing or changed.
    pub fn verify(
        &self,
        folder: &Path,
        speech: &[SpeechClip],
    ) -> Result<BTreeMap<String, PathBuf>, ClipsError> {
        let outdated = |id: &str| ClipsError::Outdated {
            folder: folder.to_owned(),
            id: id.to_owned(),
        };
        if let Some(extra) = self
            .clips
            .iter()
            .find(|pinned| !speech.iter().any(|clip| clip.id == pinned.id))
        {
            return Err(outdated(&extra.id));
        }
        let mut files = BTreeMap::new();
        for clip in speech {
            let pinned = self
                .clips
                .iter()
                .find(|pinned| pinned.id == clip.id)
                .ok_or_else(|| outdated(&clip.id))?;
            if pinned.turns != clip.turns
                || pinned.background != clip.background
                || pinned.telephone != clip.telephone
            {
                return Err(outdated(&clip.id));
            }
            let file = folder.join(&pinned.file);
            let bytes = std::fs::read(&file).map_err(|_| ClipsError::Missing(file.clone()))?;
            if hex::encode(Sha256::digest(&bytes)) != pinned.sha256 {
                return Err(ClipsError::Changed { file });
            }
            files.insert(clip.id.clone(), file);
        }
        Ok(files)
    }

    /// Copies rendered files into a folder as `<id>.<extension>` and writes `clips.toml` last, so that a folder
    /// that has one is whole. Files of clips that no longer exist are removed.
    ///
    /// # Errors
    /// The renderer left a clip out, or a file cannot be written.
    pub fn write(
        folder: &Path,
        seed: Seed,
        sub_seed: u32,
        speech: &[SpeechClip],
        files: &BTreeMap<String, PathBuf>,
    ) -> anyhow::Result<Self> {
        use anyhow::Context;
        let place = || format!("cannot write into {}", folder.display());
        std::fs::create_dir_all(folder).with_context(place)?;
        for old in std::fs::read_dir(folder).with_context(place)? {
            let old = old.with_context(place)?.path();
            if old
                .extension()
                .is_some_and(|extension| extension == "ogg" || extension == "toml")
            {
                std::fs::remove_file(&old).with_context(place)?;
            }
        }
        let mut clips = Vec::new();
        for clip in speech {
            let from = files
                .get(&clip.id)
                .with_context(|| format!("the clip `{}` was not rendered", clip.id))?;
            let bytes =
                std::fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
            let file = format!("{}.ogg", clip.id);
            std::fs::write(folder.join(&file), &bytes).with_context(place)?;
            clips.push(Pinned {
                id: clip.id.clone(),
                file,
                sha256: hex::encode(Sha256::digest(&bytes)),
                telephone: clip.telephone,
                background: clip.background,
                turns: clip.turns.clone(),
            });
        }
        let set = Self {
            schema: SCHEMA,
            seed,
            sub_seed,
            clips,
        };
        std::fs::write(folder.join(FILE), toml::to_string_pretty(&set)?).with_context(place)?;
        Ok(set)
    }
}
