//! Everything an episode needs of its task before the page opens: the drawn values and the sound.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::SpeechClip;
use super::catalogue::Task;
use super::clips::ClipSet;
use super::foreign::Source;
use super::manifest::Manifest;
use super::variant::{Seed, Variant, draw};

/// Draws of one seed that are tried before its speech is given up.
const TRIES: u32 = 8;

/// Speaks clips into files and listens whether they are understood.
pub trait Renderer: Send + Sync {
    /// Renders every clip into the folder `into`, which exists.
    ///
    /// # Errors
    /// A voice or model is missing, or a file cannot be written. Speech that is not understood is no error.
    fn render(&self, clips: &[SpeechClip], into: &Path) -> Result<RenderedClips>;

    /// Which of these texts cannot be read off a screen, for people; none is what it should be.
    ///
    /// # Errors
    /// A font or model is missing.
    fn unreadable(&self, texts: &[String]) -> Result<Vec<String>>;
}

/// What [`Renderer::render`] made.
#[derive(Debug, Clone, Default)]
pub struct RenderedClips {
    /// Ogg Opus files by clip id.
    pub files: BTreeMap<String, PathBuf>,
    /// Whether every entity was recognised.
    pub admitted: bool,
    /// What was not recognised, for people.
    pub misses: Vec<String>,
}

/// What decides a page that is none of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    pub source: Source,
    /// What `window.getTaskResult()` returns when the task is done.
    pub success: String,
    /// What it returns when the task has failed for good.
    pub failure: Vec<String>,
}

/// A task with one variant of it, ready to be served.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub task: Task,
    pub variant: Variant,
    /// Ogg Opus files by clip id.
    pub clips: BTreeMap<String, PathBuf>,
    /// Where the page is none of ours.
    pub foreign: Option<Foreign>,
}

impl Prepared {
    /// The task's manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.task.manifest
    }
}

/// Draws the variant of a seed and finds or renders its speech. It blocks: rendering takes seconds.
///
/// Seed 0 uses the committed clips, whose files and texts must be those that `audio/clips.toml` pins. Other seeds are
/// rendered into the cache, drawn again until what they say is understood.
///
/// # Errors
/// Committed clips are missing or do not fit; nothing understandable in eight draws; whatever the renderer returns.
pub fn prepare(task: &Task, seed: Seed, renderer: &dyn Renderer) -> Result<Prepared> {
    let ready = |variant: Variant, clips| Prepared {
        task: task.clone(),
        variant,
        clips,
        foreign: None,
    };
    if task.manifest.speech.is_empty() {
        return Ok(ready(silent(task, seed, renderer)?, BTreeMap::new()));
    }
    if seed == Seed::default() {
        let folder = task.folder.join("audio");
        let id = &task.manifest.id;
        let advice = || {
            format!(
                "the committed speech of {id} does not fit it: run `dynacu-host tasks render {id}`"
            )
        };
        let (variant, clips) = found(task, seed, &folder).with_context(advice)?;
        return Ok(ready(variant, clips));
    }
    let folder = cached(task, seed)?;
    // Whatever is wrong with a cached folder, rendering it again is the cure.
    if let Ok((variant, clips)) = found(task, seed, &folder) {
        return Ok(ready(variant, clips));
    }
    let admitted = render(task, seed, renderer, &cache())?;
    keep(&admitted, &folder, || found(task, seed, &folder).is_ok())?;
    let (variant, clips) = found(task, seed, &folder)?;
    Ok(ready(variant, clips))
}

/// Renders the speech of a seed anew: seed 0 into the task's own `audio/`, to be committed, others into the cache.
/// Gives the folder and the variant that was admitted.
///
/// # Errors
/// The task says nothing; nothing understandable in eight draws; a folder that cannot be written; whatever the
/// renderer returns.
pub fn write_committed(
    task: &Task,
    seed: Seed,
    renderer: &dyn Renderer,
) -> Result<(PathBuf, Variant)> {
    ensure!(
        !task.manifest.speech.is_empty(),
        "{} has no [[speech]] to render",
        task.manifest.id
    );
    let admitted = render(task, seed, renderer, &cache())?;
    let folder = if seed == Seed::default() {
        let folder = task.folder.join("audio");
        write(&admitted, &folder)?;
        folder
    } else {
        let folder = cached(task, seed)?;
        keep(&admitted, &folder, || false)?;
        folder
    };
    Ok((folder, admitted.variant))
}

/// The variant of a task that says nothing: the first draw that can be read.
///
/// # Errors
/// Nothing readable in eight draws; whatever the renderer returns.
pub fn silent(task: &Task, seed: Seed, renderer: &dyn Renderer) -> Result<Variant> {
    let mut misses = Vec::new();
    for sub_seed in 0..TRIES {
        let variant = draw(&task.manifest, &seed, sub_seed)?;
        misses = renderer.unreadable(&variant.reads)?;
        if misses.is_empty() {
            return Ok(variant);
        }
        tracing::info!(task = %task.manifest.id, %seed, sub_seed, ?misses, "a text was not read, drawing again");
    }
    bail!(
        "{}, seed {seed}: in {TRIES} draws, what the page shows for a moment could not be read (last missed: {}): change its values in task.toml",
        task.manifest.id,
        misses.join(", ")
    )
}

/// The clips of a folder with the variant that they were rendered for.
fn found(task: &Task, seed: Seed, folder: &Path) -> Result<(Variant, BTreeMap<String, PathBuf>)> {
    let set = ClipSet::read(folder)?;
    ensure!(
        set.seed == seed,
        "{} holds the clips of seed {}",
        folder.display(),
        set.seed
    );
    ensure!(
        set.sub_seed < TRIES,
        "{} names the draw {}, but there are {TRIES}",
        folder.display(),
        set.sub_seed
    );
    let variant = draw(&task.manifest, &seed, set.sub_seed)?;
    let clips = set.verify(folder, &variant.speech)?;
    Ok((variant, clips))
}

/// Speech that was understood, in a folder that goes when this does.
struct Admitted {
    variant: Variant,
    files: BTreeMap<String, PathBuf>,
    work: tempfile::TempDir,
}

fn render(task: &Task, seed: Seed, renderer: &dyn Renderer, cache: &Path) -> Result<Admitted> {
    let id = &task.manifest.id;
    std::fs::create_dir_all(cache).with_context(|| format!("cannot make {}", cache.display()))?;
    let mut misses = Vec::new();
    for sub_seed in 0..TRIES {
        let variant = draw(&task.manifest, &seed, sub_seed)?;
        misses = renderer.unreadable(&variant.reads)?;
        if !misses.is_empty() {
            tracing::info!(task = %id, %seed, sub_seed, ?misses, "a text was not read, drawing again");
            continue;
        }
        let work = tempfile::Builder::new()
            .prefix("rendering-")
            .tempdir_in(cache)
            .with_context(|| format!("cannot write into {}", cache.display()))?;
        let rendered = renderer
            .render(&variant.speech, work.path())
            .with_context(|| format!("the speech of {id}, seed {seed}, cannot be rendered"))?;
        if rendered.admitted {
            return Ok(Admitted {
                variant,
                files: rendered.files,
                work,
            });
        }
        tracing::info!(task = %id, %seed, sub_seed, misses = ?rendered.misses, "speech was not understood, drawing again");
        misses = rendered.misses;
    }
    bail!(
        "{id}, seed {seed}: in {TRIES} draws the speech was not understood or a text not read (last missed: {}): change its text or voice in task.toml",
        misses.join(", ")
    )
}

fn write(admitted: &Admitted, folder: &Path) -> Result<ClipSet> {
    let variant = &admitted.variant;
    ClipSet::write(
        folder,
        variant.seed,
        variant.sub_seed,
        &variant.speech,
        &admitted.files,
    )
}

/// Puts clips into the cache, whole or not at all. Lanes may render the same seed at once: `there` tells whether
/// another was faster, and then its folder stays, since it may be in use.
fn keep(admitted: &Admitted, folder: &Path, there: impl Fn() -> bool) -> Result<()> {
    let whole = admitted.work.path().join("whole");
    write(admitted, &whole)?;
    if there() {
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(folder);
    match std::fs::rename(&whole, folder) {
        Err(error) if !there() => {
            Err(error).with_context(|| format!("cannot write {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// `$DYNACU_SPEECH`, else `dynacu/speech` in the user's cache folder.
fn cache() -> PathBuf {
    std::env::var_os("DYNACU_SPEECH").map_or_else(
        || {
            dirs::cache_dir()
                .unwrap_or_else(|| PathBuf::from(".cache"))
                .join("dynacu")
                .join("speech")
        },
        PathBuf::from,
    )
}

/// The cache folder of a seed. Its name holds what the first draw says, so that a changed task is rendered anew.
fn cached(task: &Task, seed: Seed) -> Result<PathBuf> {
    let first = draw(&task.manifest, &seed, 0)?;
    let mut hash = Sha256::new();
    for clip in &first.speech {
        let said = serde_json::to_string(&(&clip.turns, clip.background, clip.telephone))?;
        for part in [&clip.id, &said] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
    }
    let digest = hex::encode(hash.finalize());
    Ok(cache().join(format!("{}-{seed}-{}", task.manifest.id, &digest[..16])))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::task::manifest::tests::{example, manifest};

    /// Writes a clip's text as its sound; what it says is understood from the given try on.
    struct Scribe {
        understood_from: u32,
        tries: AtomicU32,
    }

    impl Scribe {
        fn new(understood_from: u32) -> Self {
            Self {
                understood_from,
                tries: AtomicU32::new(0),
            }
        }
    }

    impl Renderer for Scribe {
        fn render(&self, clips: &[SpeechClip], into: &Path) -> Result<RenderedClips> {
            let mut files = BTreeMap::new();
            for clip in clips {
                let file = into.join(format!("{}-raw.ogg", clip.id));
                std::fs::write(&file, clip.text())?;
                files.insert(clip.id.clone(), file);
            }
            let admitted = self.tries.fetch_add(1, Ordering::SeqCst) >= self.understood_from;
            let misses = if admitted {
                Vec::new()
            } else {
                vec!["review: $64".to_owned()]
            };
            Ok(RenderedClips {
                files,
                admitted,
                misses,
            })
        }

        fn unreadable(&self, _: &[String]) -> Result<Vec<String>> {
            Ok(Vec::new())
        }
    }

    fn task(root: &Path) -> Task {
        Task {
            folder: root.to_owned(),
            manifest: manifest(),
        }
    }

    #[test]
    fn committed_speech_is_pinned_by_text_and_hash() {
        let root = tempfile::tempdir().unwrap();
        let mut task = task(root.path());
        let scribe = Scribe::new(0);
        let missing = format!(
            "{:#}",
            prepare(&task, Seed::default(), &scribe).unwrap_err()
        );
        assert!(
            missing.contains("run `dynacu-host tasks render A-E1`")
                && missing.contains("clips.toml is missing"),
            "{missing}"
        );

        let variant = draw(&task.manifest, &Seed::default(), 1).unwrap();
        let admitted = Admitted {
            files: scribe.render(&variant.speech, root.path()).unwrap().files,
            variant,
            work: tempfile::tempdir().unwrap(),
        };
        write(&admitted, &root.path().join("audio")).unwrap();
        let prepared = prepare(&task, Seed::default(), &scribe).unwrap();
        assert_eq!(prepared.variant.sub_seed, 1, "the admitted draw is pinned");
        assert_eq!(
            std::fs::read_to_string(&prepared.clips["review"]).unwrap(),
            prepared.variant.speech[0].text()
        );

        let text = example().replace(
            "for the {product}.\"\n\n[[moments",
            "for this {product}.\"\n\n[[moments",
        );
        task.manifest =
            crate::task::manifest::Manifest::parse(&text, Path::new("task.toml")).unwrap();
        let outdated = format!(
            "{:#}",
            prepare(&task, Seed::default(), &scribe).unwrap_err()
        );
        assert!(
            outdated.contains("another text, voice, speed or background of the clip `review`"),
            "{outdated}"
        );
        task.manifest = manifest();
        std::fs::write(root.path().join("audio/review.ogg"), "other").unwrap();
        let changed = format!(
            "{:#}",
            prepare(&task, Seed::default(), &scribe).unwrap_err()
        );
        assert!(
            changed.contains("review.ogg is not the file that clips.toml pins"),
            "{changed}"
        );
    }

    #[test]
    fn speech_is_drawn_again_until_it_is_understood() {
        let root = tempfile::tempdir().unwrap();
        let task = task(root.path());
        let cache = root.path().join("cache");
        let admitted = render(&task, Seed::Number(4), &Scribe::new(2), &cache).unwrap();
        assert_eq!(admitted.variant.sub_seed, 2);
        let folder = cache.join("set");
        keep(&admitted, &folder, || false).unwrap();
        let (variant, clips) = found(&task, Seed::Number(4), &folder).unwrap();
        assert_eq!((variant.sub_seed, clips.len()), (2, 1));
        assert!(found(&task, Seed::Number(5), &folder).is_err());
        // A second lane finds it there and leaves it as it is.
        keep(
            &render(&task, Seed::Number(4), &Scribe::new(2), &cache).unwrap(),
            &folder,
            || true,
        )
        .unwrap();
        drop(admitted);
        assert_eq!(
            std::fs::read_dir(&cache).unwrap().count(),
            1,
            "nothing but the finished clips is left"
        );

        let never = Scribe::new(100);
        let error = render(&task, Seed::Number(4), &never, &cache)
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("in 8 draws the speech was not understood or a text not read (last missed: review: $64)"),
            "{error}"
        );
        assert_eq!(never.tries.load(Ordering::SeqCst), 8);
    }
}
