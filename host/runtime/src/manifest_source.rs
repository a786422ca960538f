//! Which manifest counts, where a component has more than one.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::manifest::{LARGEST, Manifest, ManifestError, SECTION};

/// Where a manifest is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestSource {
    /// `NAME.plugin.toml` beside `NAME.wasm`.
    Named(PathBuf),
    /// Inside the component.
    Packed,
    /// `plugin.toml` in the component's folder.
    Folder(PathBuf),
    /// There is no manifest.
    Nowhere,
}

impl fmt::Display for ManifestSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(file) | Self::Folder(file) => write!(out, "{}", file.display()),
            Self::Packed => out.write_str("the manifest in the .wasm"),
            Self::Nowhere => out.write_str("none"),
        }
    }
}

/// The manifest that counts.
pub(crate) struct Found {
    pub(crate) manifest: Manifest,
    pub(crate) source: ManifestSource,
    pub(crate) passed_over: Option<ManifestSource>,
}

/// A manifest's text, or why it cannot be read.
type Text = Result<String, String>;

impl Found {
    /// `NAME.plugin.toml` is meant for this component, so it comes first; then the manifest inside. `plugin.toml` may be meant
    /// for anything in its folder, so it counts only for a component that contains none.
    pub(crate) fn at(component: &Path, section: Option<&[u8]>) -> Result<Self, ManifestError> {
        let mut there = candidates(component, section).into_iter();
        let Some((mut source, text)) = there.next() else {
            return Ok(Self {
                manifest: Manifest::default(),
                source: ManifestSource::Nowhere,
                passed_over: None,
            });
        };
        let place = match &source {
            ManifestSource::Packed => format!("{}, section {SECTION}", component.display()),
            file => file.to_string(),
        };
        let text = text.map_err(|reason| ManifestError {
            place: place.clone(),
            reason,
        })?;
        let manifest = Manifest::parse(&text, &place)?;
        let mut passed_over = None;
        for (other, text) in there {
            let same = text.is_ok_and(|text| {
                Manifest::parse(&text, "").is_ok_and(|parsed| parsed == manifest)
            });
            if !same {
                passed_over.get_or_insert(other);
            } else if other == ManifestSource::Packed {
                // The file beside it adds nothing.
                source = other;
            }
        }
        Ok(Self {
            manifest,
            source,
            passed_over,
        })
    }
}

/// In the order in which they count.
fn candidates(component: &Path, section: Option<&[u8]>) -> Vec<(ManifestSource, Text)> {
    let folder = component.parent().unwrap_or(Path::new("."));
    let named = component.file_stem().map(|stem| {
        let mut name = stem.to_os_string();
        name.push(".plugin.toml");
        folder.join(name)
    });
    let named = named.and_then(|file| Some((read(&file)?, ManifestSource::Named(file))));
    let packed = section.map(|section| {
        let text = std::str::from_utf8(section).map_err(|_| "not UTF-8".to_owned());
        (text.map(str::to_owned), ManifestSource::Packed)
    });
    let shared = folder.join("plugin.toml");
    let shared = read(&shared).map(|text| (text, ManifestSource::Folder(shared)));
    let all = named.into_iter().chain(packed).chain(shared);
    all.map(|(text, source)| (source, text)).collect()
}

/// None where there is no such file.
fn read(file: &Path) -> Option<Text> {
    let read = || {
        let mut text = String::new();
        let whole = File::open(file)?
            .take(LARGEST as u64 + 1)
            .read_to_string(&mut text)?;
        if whole > LARGEST {
            let reason = format!("it has more than {LARGEST} bytes");
            return Err(std::io::Error::other(reason));
        }
        Ok(text)
    };
    match read() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        read => Some(read.map_err(|error| error.to_string())),
    }
}
