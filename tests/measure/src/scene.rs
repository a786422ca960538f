//! A page that is measured with, made ready to be served as a task's page is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use dynacu_host::studio::render;
use dynacu_host::task::SpeechClip;
use dynacu_host::task::catalogue::Task;
use dynacu_host::task::home::Home;
use dynacu_host::task::manifest::{Manifest, Moment, MomentChannel};
use dynacu_host::task::prepare::Prepared;
use dynacu_host::task::variant::{Seed, Variant};

/// Where the pages and the scripts lie, under the checkout.
pub const PAGES: &str = "tests/measure/pages";
/// The events that the pages report.
const MOMENTS: [&str; 9] = [
    "over",
    "change",
    "slide",
    "said",
    "listening",
    "spoken-to",
    "your-questions-are-over",
    "asked",
    "answered",
];
/// The stage wants a manifest with a scorer; nothing here is scored.
const MANIFEST: &str = r#"
schema = 1
id = "A-E1"
slug = "measure"
title = "A page to measure with"
category = "A"
tier = "easy"
axes = ["audio"]
needs = "aoi_full"
instruction = "Nothing is to be done."
time-limit = 3600
step-limit = 1000

[scorer]
plugin = "typed-answer"

[scorer.settings]
field = "none"
value = "none"
type = "text"
success = "never"
failure = "never_either"
"#;

/// What a page shows and says.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Its folder's name.
    pub page: &'static str,
    pub values: Value,
    pub clips: Vec<SpeechClip>,
}

impl Scene {
    /// A silent one.
    #[must_use]
    pub fn new(page: &'static str, values: Value) -> Self {
        Self {
            page,
            values,
            clips: Vec::new(),
        }
    }

    /// For the page's server. The clips must have been rendered.
    ///
    /// # Errors
    /// The page is not there.
    pub fn prepared(&self, home: &Home, clips: BTreeMap<String, PathBuf>) -> Result<Arc<Prepared>> {
        let folder = home.root.join(PAGES).join(self.page);
        ensure!(
            folder.join("page/index.html").is_file(),
            "the page {} is missing from {}: measuring needs a checkout",
            self.page,
            folder.display()
        );
        let mut manifest = Manifest::parse(MANIFEST, Path::new("measure"))?;
        manifest.moments = MOMENTS
            .iter()
            .map(|name| Moment {
                name: (*name).to_owned(),
                channel: MomentChannel::Screen,
                seconds: None,
                needed: false,
                after: None,
                delay: (0.0, 0.0),
                times: 1,
                every: (0.0, 0.0),
                tells: Vec::new(),
            })
            .collect();
        Ok(Arc::new(Prepared {
            foreign: None,
            task: Task { folder, manifest },
            variant: Variant {
                seed: Seed::default(),
                sub_seed: 0,
                values: json!({}),
                page_values: self.values.clone(),
                reveals: BTreeMap::new(),
                reads: Vec::new(),
                speech: self.clips.clone(),
                scorer_input: json!({ "values": {}, "settings": { "field": "none", "value": "none", "type": "text", "success": "never", "failure": "never_either" } }),
                instruction: String::new(),
            },
            clips,
        }))
    }
}

/// A rendered clip.
#[derive(Debug, Clone)]
pub struct Clip {
    pub file: PathBuf,
    /// 16 kHz mono, as a listener gets it: decoded.
    pub samples: Vec<f32>,
    /// Where its voice begins and ends (ms).
    pub voice: (u64, u64),
}

/// Renders speech, from the cache where it is there, into a folder.
///
/// # Errors
/// A voice, model or program is missing.
pub fn render(clips: &[SpeechClip], into: &Path) -> Result<BTreeMap<String, Clip>> {
    let rendered = render::render_named(clips, &[], into)?;
    clips
        .iter()
        .zip(rendered.files)
        .map(|(clip, file)| {
            let samples = render::decode(&file)?;
            let voice =
                voice(&samples).with_context(|| format!("the clip {} is silent", clip.id))?;
            let clip_ready = Clip {
                file,
                samples,
                voice,
            };
            Ok((clip.id.clone(), clip_ready))
        })
        .collect()
}

/// First and last moment (ms) that are loud, of a sound at 16 kHz.
#[must_use]
pub fn voice(samples: &[f32]) -> Option<(u64, u64)> {
    /// Ten milliseconds.
    const WINDOW: usize = 160;
    /// Loudness of a full-scale sine is 1; voices are near 0.14.
    const FLOOR: f32 = 0.02;
    let loud = |window: &[f32]| {
        let power = window.iter().map(|sample| sample * sample).sum::<f32>() / window.len() as f32;
        (2.0 * power).sqrt() > FLOOR
    };
    let windows: Vec<bool> = samples.chunks(WINDOW).map(loud).collect();
    let first = windows.iter().position(|loud| *loud)?;
    let last = windows.iter().rposition(|loud| *loud)?;
    Some((first as u64 * 10, (last as u64 + 1) * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voice_lies_between_its_silences() {
        let mut samples = vec![0.0; 16_000];
        for (at, sample) in samples[4800..9600].iter_mut().enumerate() {
            *sample = 0.2 * (at as f32 * 0.3).sin();
        }
        assert_eq!(voice(&samples), Some((300, 600)));
        assert_eq!(voice(&vec![0.001; 8000]), None);
        assert_eq!(voice(&[]), None);
    }

    #[test]
    fn every_page_can_be_served() {
        let root = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("..");
        let home = Home::at(&root).unwrap();
        for page in ["talk", "wall", "noise", "conversation"] {
            let scene = Scene::new(page, json!({ "length": 1 }));
            let prepared = scene.prepared(&home, BTreeMap::new()).unwrap();
            assert_eq!(prepared.variant.page_values["length"], 1);
        }
        let error = Scene::new("nowhere", json!({}))
            .prepared(&home, BTreeMap::new())
            .unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
    }
}
