//! Where a task's speech is made: rendered by a voice, then listened to by two recognizers. Its drawn texts are tried by the reader.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use parking_lot::Mutex;

use crate::perception::reading::Reader;
use crate::perception::recognizer::{self, RecognizerChoice, Transcribe};
use crate::task::SpeechClip;
use crate::task::prepare::{RenderedClips, Renderer};
use crate::weights::cache::hash;
use crate::weights::names;

pub mod admission;
pub mod lettering;
pub mod render;

use render::render_named;

/// Each under the name by which its transcripts are kept.
type Listeners = [(String, Arc<dyn Transcribe>); 2];

/// Renders with Kokoro's voices; a clip is admitted when the base and the tiny recognizer both understand it.
pub struct Studio {
    base: Option<Arc<dyn Transcribe>>,
    reader: Mutex<Option<Arc<Reader>>>,
    recognizers: Mutex<Option<Listeners>>,
}

impl Studio {
    /// A studio that shares a base recognizer and a reader, or loads its own when it first needs them.
    #[must_use]
    pub fn new(base: Option<Arc<dyn Transcribe>>, reader: Option<Arc<Reader>>) -> Studio {
        Studio {
            base,
            reader: Mutex::new(reader),
            recognizers: Mutex::new(None),
        }
    }

    fn recognizers(&self) -> Result<Listeners> {
        let mut loaded = self.recognizers.lock();
        if let Some(recognizers) = &*loaded {
            return Ok(recognizers.clone());
        }
        let base = match &self.base {
            Some(base) => Arc::clone(base),
            None => RecognizerChoice::Base.load()?,
        };
        let tiny = RecognizerChoice::Tiny.load()?;
        // What was written down holds for one model and one way to use it.
        let name = |model: &str| -> Result<String> {
            Ok(format!("{} {}", hash(model)?, recognizer::VERSION))
        };
        let recognizers = [
            (name(names::WHISPER_BASE)?, base),
            (name(names::WHISPER_TINY)?, tiny),
        ];
        *loaded = Some(recognizers.clone());
        Ok(recognizers)
    }
}

impl Renderer for Studio {
    fn unreadable(&self, texts: &[String]) -> Result<Vec<String>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let reader = {
            let mut loaded = self.reader.lock();
            let reader = match loaded.take() {
                Some(reader) => reader,
                None => Arc::new(Reader::load()?),
            };
            Arc::clone(loaded.insert(reader))
        };
        admission::unreadable(&reader, texts)
    }

    fn render(&self, clips: &[SpeechClip], into: &Path) -> Result<RenderedClips> {
        let recognizers = self.recognizers()?;
        let named: Vec<(&str, Arc<dyn Transcribe>)> = recognizers
            .iter()
            .map(|(name, recognizer)| (name.as_str(), Arc::clone(recognizer)))
            .collect();
        let rendered = render_named(clips, &named, into)?;
        Ok(RenderedClips {
            files: clips
                .iter()
                .map(|clip| clip.id.clone())
                .zip(rendered.files)
                .collect(),
            admitted: rendered.admitted,
            misses: rendered
                .misses
                .into_iter()
                .map(|miss| {
                    format!(
                        "{}: {:?} was not in {:?}",
                        miss.clip, miss.entity, miss.heard
                    )
                })
                .collect(),
        })
    }
}
