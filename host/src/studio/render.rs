//! A variant's speech: synthesised, levelled, encoded, and checked to be understood.
//!
//! Rendering is deterministic: the same clip, voice, models and programs give the same bytes, so a clip is known by what
//! went into it and is rendered once on a machine.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::perception::recognizer::Transcribe;
use crate::speech::Pcm;
use crate::speech::kokoro::Kokoro;
use crate::subprocess;
use crate::task::SpeechClip;
use crate::weights::cache::hash;
use crate::weights::names;

mod background;
pub mod entity;
pub mod noise;
mod sound;

pub use sound::decode;

/// Changes when the same inputs would give other bytes.
const VERSION: u32 = 1;
/// A minute of speech is encoded in under a second.
const LIMIT: Duration = Duration::from_secs(60);

/// A variant's clips. The lists run in the order of the clips.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Ogg Opus, `<folder>/<id>.ogg`.
    pub files: Vec<PathBuf>,
    /// Whether every recogniser got every entity out of every clip.
    pub admitted: bool,
    pub misses: Vec<Miss>,
    /// For each clip what each recogniser wrote.
    pub transcripts: Vec<Vec<String>>,
    /// Of the files, lower-case hexadecimal.
    pub sha256s: Vec<String>,
    /// Lengths in milliseconds.
    pub durations: Vec<u64>,
}

/// An entity that a recogniser did not get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The clip's id.
    pub clip: String,
    /// The entity as it is spoken.
    pub entity: String,
    /// Position of the recogniser in the list that was given.
    pub transcriber: usize,
    /// What it wrote.
    pub heard: String,
}

/// What is kept beside a rendered file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Note {
    millis: u64,
    /// By the recogniser's name.
    transcripts: std::collections::BTreeMap<String, String>,
}

/// Renders the clips into a folder and has each recogniser listen to each file. Recognition is done afresh at each call;
/// [`render_named`] remembers it.
///
/// # Errors
/// When a voice is unknown, a model or program is missing, or a folder cannot be written to. An entity that is not
/// recognised is no error: see [`Rendered::admitted`].
pub fn render(
    clips: &[SpeechClip],
    transcribers: &[Arc<dyn Transcribe>],
    into: &Path,
) -> Result<Rendered> {
    let named: Vec<(&str, Arc<dyn Transcribe>)> = transcribers
        .iter()
        .map(|transcriber| ("", Arc::clone(transcriber)))
        .collect();
    render_in(&cache()?, clips, &named, into)
}

/// As [`render`], with a name for each recogniser, under which its transcripts are kept. The name says everything that decides
/// about a transcript: the model's hash, and the version of the code that uses it.
///
/// # Errors
/// As [`render`].
pub fn render_named(
    clips: &[SpeechClip],
    transcribers: &[(&str, Arc<dyn Transcribe>)],
    into: &Path,
) -> Result<Rendered> {
    render_in(&cache()?, clips, transcribers, into)
}

fn cache() -> Result<PathBuf> {
    Ok(dirs::cache_dir()
        .context("this user has no cache folder (HOME is not set)")?
        .join("dynacu")
        .join("renders"))
}

fn render_in(
    cache: &Path,
    clips: &[SpeechClip],
    transcribers: &[(&str, Arc<dyn Transcribe>)],
    into: &Path,
) -> Result<Rendered> {
    for folder in [cache, into] {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot write to {}", folder.display()))?;
    }
    let mut rendered = Rendered {
        files: Vec::new(),
        admitted: true,
        misses: Vec::new(),
        transcripts: Vec::new(),
        sha256s: Vec::new(),
        durations: Vec::new(),
    };
    let mut voices = Voices::default();
    for clip in clips {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        ensure!(
            !clip.id.is_empty() && clip.id.chars().all(plain),
            "{:?} is not a clip id: use letters, digits, - and _",
            clip.id
        );
        let context = || format!("cannot render the clip {}", clip.id);
        let key = key(clip).with_context(context)?;
        let kept = cache.join(format!("{key}.ogg"));
        let note_path = cache.join(format!("{key}.json"));
        let mut note: Note = fs::read(&note_path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        if !kept.is_file() || note.millis == 0 {
            let pcm = voices.speak(clip).with_context(context)?;
            let opus = sound::encode(&pcm, serial(&key)).with_context(context)?;
            write(&kept, &opus)?;
            note = Note {
                millis: pcm.millis(),
                ..Note::default()
            };
        }
        let opus = fs::read(&kept).with_context(|| format!("cannot read {}", kept.display()))?;
        let file = into.join(format!("{}.ogg", clip.id));
        write(&file, &opus)?;

        let transcripts = listen(&kept, transcribers, &mut note).with_context(context)?;
        write(&note_path, &serde_json::to_vec(&note)?)?;
        for (transcriber, heard) in transcripts.iter().enumerate() {
            for (written, spoken) in &clip.entities {
                if !entity::heard(heard, written, spoken) {
                    rendered.admitted = false;
                    rendered.misses.push(Miss {
                        clip: clip.id.clone(),
                        entity: spoken.clone(),
                        transcriber,
                        heard: heard.clone(),
                    });
                }
            }
        }
        rendered.files.push(file);
        rendered.transcripts.push(transcripts);
        rendered.sha256s.push(hex::encode(Sha256::digest(&opus)));
        rendered.durations.push(note.millis);
    }
    Ok(rendered)
}

/// What each recogniser writes for a file, from the note where it knows.
fn listen(
    file: &Path,
    transcribers: &[(&str, Arc<dyn Transcribe>)],
    note: &mut Note,
) -> Result<Vec<String>> {
    // Decoded, not as synthesised: the page plays the file.
    let mut samples: Option<Vec<f32>> = None;
    let mut transcripts = Vec::new();
    for (name, transcriber) in transcribers {
        if let Some(known) = note.transcripts.get(*name) {
            transcripts.push(known.clone());
            continue;
        }
        if samples.is_none() {
            samples = Some(sound::decode(file)?);
        }
        let segments = transcriber.transcribe(samples.as_deref().unwrap_or_default())?;
        let text: Vec<&str> = segments.iter().map(|segment| segment.text.trim()).collect();
        let text = text.join(" ");
        if !name.is_empty() {
            note.transcripts.insert((*name).to_owned(), text.clone());
        }
        transcripts.push(text);
    }
    Ok(transcripts)
}

/// The speech model, loaded when the first clip is really rendered.
#[derive(Default)]
struct Voices {
    kokoro: Option<Kokoro>,
}

impl Voices {
    fn speak(&mut self, clip: &SpeechClip) -> Result<Pcm> {
        let kokoro = match self.kokoro.take() {
            Some(kokoro) => kokoro,
            None => Kokoro::load()?,
        };
        let kokoro = self.kokoro.insert(kokoro);
        let mut whole: Option<Pcm> = None;
        for turn in &clip.turns {
            // Each speaker by itself: none is louder than another.
            let pcm = sound::levelled(kokoro.synthesize(&turn.voice, &turn.text, turn.speed)?);
            let whole = whole.get_or_insert_with(|| Pcm {
                rate: pcm.rate,
                samples: Vec::new(),
            });
            let pause = (turn.pause * whole.rate as f32) as usize;
            whole.samples.extend(std::iter::repeat_n(0.0, pause));
            whole.samples.extend(pcm.samples);
        }
        let mut whole = whole.context("a clip says something")?;
        if let Some(background) = clip.background {
            whole = background::behind(whole, background);
        }
        if clip.telephone {
            whole = background::over_a_telephone(whole);
        }
        Ok(whole)
    }
}

/// Everything that decides about the bytes of a clip, as one hash.
fn key(clip: &SpeechClip) -> Result<String> {
    let mut parts = vec![VERSION.to_string()];
    for turn in &clip.turns {
        parts.extend([
            turn.text.clone(),
            turn.voice.clone(),
            turn.speed.to_string(),
        ]);
        if turn.pause > 0.0 {
            parts.push(format!("pause {}", turn.pause));
        }
    }
    parts.push(hash(names::KOKORO)?);
    parts.push(hash(names::KOKORO_VOCABULARY)?);
    for turn in &clip.turns {
        let voice = format!("{}/{}.bin", names::KOKORO_VOICES, turn.voice);
        parts.push(hash(&voice).with_context(|| format!("the voice {} is unknown", turn.voice))?);
    }
    parts.push(programs()?.clone());
    if let Some(background) = clip.background {
        parts.push(serde_json::to_string(&background)?);
    }
    if clip.telephone {
        parts.push("telephone".to_owned());
    }
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Ok(hex::encode(hash.finalize()))
}

/// The number of the Ogg stream, which would otherwise be drawn at random.
fn serial(key: &str) -> u32 {
    u32::from_str_radix(&key[..7.min(key.len())], 16).unwrap_or(1)
}

/// Versions of the programs that take part.
fn programs() -> Result<&'static String> {
    static PROGRAMS: OnceLock<String> = OnceLock::new();
    if let Some(known) = PROGRAMS.get() {
        return Ok(known);
    }
    let mut versions = String::new();
    for program in ["espeak-ng", "opusenc"] {
        let ended = subprocess::run(Command::new(program).arg("--version"), b"", LIMIT)
            .with_context(|| {
                format!("rendering needs {program} (Debian packages espeak-ng and opus-tools)")
            })?;
        // The first line is the version; espeak-ng also says where its data lies.
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        versions.push_str(
            text.lines()
                .next()
                .unwrap_or("")
                .split("  Data at")
                .next()
                .unwrap_or(""),
        );
    }
    Ok(PROGRAMS.get_or_init(|| versions))
}

/// Writes a file whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    file.persist(path).with_context(context)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use dynacu_media::error::ModelError;

    use super::*;
    use crate::perception::recognizer::Segment;

    /// A recogniser that always writes the same, and counts how often it was asked.
    struct Deaf {
        text: &'static str,
        asked: AtomicUsize,
    }

    impl Transcribe for Deaf {
        fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>, ModelError> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let loud = samples.iter().filter(|sample| sample.abs() > 0.02).count();
            assert!(loud > samples.len() / 10, "the clip is silent");
            let end_ms = samples.len() as u64 / 16;
            Ok(vec![Segment {
                start_ms: 0,
                end_ms,
                text: self.text.to_owned(),
                confidence: 1.0,
            }])
        }
    }

    fn clip() -> SpeechClip {
        SpeechClip {
            entities: vec![("$64".to_owned(), "sixty four dollars".to_owned())],
            ..SpeechClip::plain(
                "review".to_owned(),
                "am_michael".to_owned(),
                "I ended up paying sixty four dollars.".to_owned(),
                1.0,
            )
        }
    }

    #[test]
    fn the_same_clip_gives_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let right = Arc::new(Deaf {
            text: "I ended up paying $64.",
            asked: AtomicUsize::new(0),
        });
        let named: [(&str, Arc<dyn Transcribe>); 1] = [("right", Arc::clone(&right) as _)];
        let first = render_in(
            &folder.path().join("a"),
            &[clip()],
            &named,
            &folder.path().join("1"),
        )
        .unwrap();
        let second = render_in(
            &folder.path().join("b"),
            &[clip()],
            &named,
            &folder.path().join("2"),
        )
        .unwrap();
        assert_eq!(first.sha256s, second.sha256s);
        assert!(first.admitted && first.misses.is_empty());
        assert!(
            (1500..5000).contains(&first.durations[0]),
            "{:?}",
            first.durations
        );
        let bytes = fs::read(&first.files[0]).unwrap();
        assert!(
            bytes.starts_with(b"OggS") && bytes.len() < 40_000,
            "{} bytes",
            bytes.len()
        );

        // From the cache: the same bytes, and nobody has to listen again.
        let third = render_in(
            &folder.path().join("a"),
            &[clip()],
            &named,
            &folder.path().join("3"),
        )
        .unwrap();
        assert_eq!(third.sha256s, first.sha256s);
        assert_eq!(third.durations, first.durations);
        assert_eq!(right.asked.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn an_entity_that_one_recogniser_misses_is_not_admitted() {
        let folder = tempfile::tempdir().unwrap();
        let heard = |text| {
            Arc::new(Deaf {
                text,
                asked: AtomicUsize::new(0),
            }) as Arc<dyn Transcribe>
        };
        let named = [
            ("right", heard("paying sixty-four dollars")),
            ("", heard("paying $60 for")),
        ];
        let rendered = render_in(
            &folder.path().join("a"),
            &[clip()],
            &named,
            &folder.path().join("1"),
        )
        .unwrap();
        assert!(!rendered.admitted);
        assert_eq!(rendered.misses.len(), 1);
        assert_eq!(
            (
                rendered.misses[0].transcriber,
                rendered.misses[0].clip.as_str()
            ),
            (1, "review")
        );
    }

    #[test]
    fn clip_ids_and_voices_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |clip: SpeechClip| {
            format!(
                "{:#}",
                render_in(folder.path(), &[clip], &[], &folder.path().join("x")).unwrap_err()
            )
        };
        assert!(
            refused(SpeechClip {
                id: "../up".to_owned(),
                ..clip()
            })
            .contains("is not a clip id")
        );
        assert!(
            refused(SpeechClip::plain(
                "review".to_owned(),
                "am_nobody".to_owned(),
                "Hello.".to_owned(),
                1.0
            ))
            .contains("am_nobody")
        );
    }
}
