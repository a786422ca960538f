//! A plugin: a file that was read, checked, compiled and linked, ready to be instantiated.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use wasmtime::component::{Component, InstancePre, Linker};

use crate::adapter::{self, Adapter, AdapterPart, Inside};
use crate::bindings::model_adapter::ModelAdapterPre;
use crate::bindings::policy::PolicyPre;
use crate::bindings::scorer::ScorerPre;
use crate::doors;
use crate::engine::Engine;
use crate::failure::GuestFailure;
use crate::guest::{Guest, Part};
use crate::limits::Limits;
use crate::load_error::LoadError;
use crate::manifest::Manifest;
use crate::manifest_source::{Found, ManifestSource};
use crate::names;
use crate::outline::Outline;
use crate::policy::{self, PolicyPart};
use crate::policy_host::PolicyHost;
use crate::policy_run::{self, PolicyRun, Start};
use crate::scorer::{self, Scorer, ScorerPart};
use crate::types::Brief;
use crate::world::{PluginKind, recognise};

/// Bytes. A larger file is no plugin; Python's are near 20 MB.
pub(crate) const LARGEST: u64 = 128 << 20;

/// A loaded plugin. Nothing of it runs yet.
#[derive(Clone)]
pub struct Plugin {
    /// As its manifest calls it; the file's stem where that does not.
    pub name: String,
    /// Which world it is a component of.
    pub kind: PluginKind,
    /// Its own version, from the manifest; empty where that names none.
    pub version: String,
    /// Version of the interfaces it was built against.
    pub interface_version: String,
    /// Lower-case hex of the file's bytes.
    pub sha256: String,
    /// The component's file.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Every import by its full name, `wasi:*` included.
    pub imports: Vec<String>,
    /// Every export by its full name.
    pub exports: Vec<String>,
    /// The one that counts.
    pub manifest: Manifest,
    /// Where that one is.
    pub manifest_source: ManifestSource,
    /// Another manifest, which differs and does not count.
    pub passed_over: Option<ManifestSource>,
    engine: Engine,
    code: Code,
}

#[derive(Clone)]
enum Code {
    Policy(PolicyPre<Guest<PolicyPart>>),
    ModelAdapter(ModelAdapterPre<Guest<AdapterPart>>),
    Scorer(ScorerPre<Guest<ScorerPart>>),
}

/// Everything that `plugin inspect` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// [`Plugin::name`].
    pub name: String,
    /// [`Plugin::path`].
    pub path: PathBuf,
    /// [`Plugin::kind`].
    pub kind: PluginKind,
    /// [`Plugin::version`].
    pub version: String,
    /// [`Plugin::interface_version`].
    pub interface_version: String,
    /// [`Plugin::sha256`].
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// [`Plugin::imports`].
    pub imports: Vec<String>,
    /// [`Plugin::exports`].
    pub exports: Vec<String>,
    /// [`Plugin::manifest`].
    pub manifest: Manifest,
    /// [`Plugin::manifest_source`].
    pub manifest_source: ManifestSource,
    /// [`Plugin::passed_over`].
    pub passed_over: Option<ManifestSource>,
    /// The manifest's asks in words, one line each.
    pub asks: Vec<String>,
}

impl Plugin {
    /// Reads, checks, compiles and links one component. Takes long for a large one that is not in the cache yet:
    /// call it where blocking is fine.
    ///
    /// # Errors
    /// One line that says what to do.
    pub fn load(engine: &Engine, path: &Path) -> Result<Self, LoadError> {
        let bytes = read(path)?;
        let outline = Outline::read(&bytes).map_err(|fault| LoadError::from_fault(path, fault))?;
        let (kind, interface_version) =
            recognise(&outline).map_err(|misfit| LoadError::from_misfit(path, misfit))?;
        let Found {
            manifest,
            source: manifest_source,
            passed_over,
        } = Found::at(path, outline.manifest.as_deref()).map_err(LoadError::Manifest)?;
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let name = match &manifest.name {
            Some(name) => name.clone(),
            None => stem(path)?,
        };
        let version = manifest.version.clone().unwrap_or_default();
        let component = engine
            .component(kind, &bytes, &sha256)
            .map_err(|error| LoadError::not_compiled(path, error))?;
        let code =
            link(kind, &component).map_err(|error| LoadError::mismatch(path, kind, &error))?;
        Ok(Self {
            name,
            kind,
            version,
            interface_version,
            sha256,
            path: path.to_owned(),
            size: bytes.len() as u64,
            imports: outline.imports,
            exports: outline.exports,
            manifest,
            manifest_source,
            passed_over,
            engine: engine.clone(),
            code,
        })
    }

    /// What `plugin inspect` prints.
    #[must_use]
    pub fn inspect(&self) -> Inspection {
        Inspection {
            name: self.name.clone(),
            path: self.path.clone(),
            kind: self.kind,
            version: self.version.clone(),
            interface_version: self.interface_version.clone(),
            sha256: self.sha256.clone(),
            size: self.size,
            imports: self.imports.clone(),
            exports: self.exports.clone(),
            manifest: self.manifest.clone(),
            manifest_source: self.manifest_source.clone(),
            passed_over: self.passed_over.clone(),
            asks: self.manifest.asks(),
        }
    }

    /// Starts a policy on a thread of its own. A plugin of another kind ends at once as [`PolicyEnd::Failed`].
    ///
    /// [`PolicyEnd::Failed`]: crate::PolicyEnd::Failed
    #[must_use]
    pub fn run_policy(
        &self,
        host: Box<dyn PolicyHost>,
        brief: Brief,
        settings: String,
        limits: Limits,
    ) -> PolicyRun {
        let Code::Policy(policy) = &self.code else {
            return PolicyRun::never_began(self.wrong_kind(PluginKind::Policy));
        };
        let engine = self.engine.wasmtime().clone();
        policy_run::run(
            &self.name,
            Start {
                engine,
                policy: policy.clone(),
                host,
                brief,
                settings,
                limits,
            },
        )
    }

    /// Starts a scorer.
    ///
    /// # Errors
    /// It is no scorer, or there is no thread for it.
    pub fn scorer(&self) -> Result<Scorer, GuestFailure> {
        let Code::Scorer(scorer) = &self.code else {
            return Err(self.wrong_kind(PluginKind::Scorer));
        };
        Scorer::start(&self.name, scorer.clone())
    }

    /// Starts a model adapter. `limits` hold for each model call; what a call reaches comes with the call.
    ///
    /// # Errors
    /// It is no adapter, or there is no thread for it.
    pub fn adapter(&self, limits: Limits) -> Result<Adapter, GuestFailure> {
        let Code::ModelAdapter(adapter) = &self.code else {
            return Err(self.wrong_kind(PluginKind::ModelAdapter));
        };
        let inside = Inside {
            name: self.name.clone(),
            engine: self.engine.wasmtime().clone(),
            adapter: adapter.clone(),
            limits,
        };
        Adapter::start(&self.name, inside)
    }

    fn wrong_kind(&self, wanted: PluginKind) -> GuestFailure {
        let (path, is) = (self.path.display(), self.kind.name());
        GuestFailure::error(format!("{path} is a {is}, not a {}", wanted.name()))
    }
}

/// What a plugin is called whose manifest does not say.
fn stem(path: &Path) -> Result<String, LoadError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if names::is_stem(&stem) {
        return Ok(stem.into_owned());
    }
    Err(LoadError::NoName(path.to_owned()))
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let unreadable = |error: std::io::Error| LoadError::from_io(path, error);
    let file = std::fs::metadata(path).map_err(unreadable)?;
    if !file.is_file() {
        return Err(LoadError::NotAFile(path.to_owned()));
    }
    if file.len() > LARGEST {
        return Err(LoadError::TooLarge {
            path: path.to_owned(),
            mib: file.len() >> 20,
            limit_mib: LARGEST >> 20,
        });
    }
    std::fs::read(path).map_err(unreadable)
}

fn link(kind: PluginKind, component: &Component) -> wasmtime::Result<Code> {
    Ok(match kind {
        PluginKind::Policy => Code::Policy(PolicyPre::new(pre(component, policy::link)?)?),
        PluginKind::ModelAdapter => {
            Code::ModelAdapter(ModelAdapterPre::new(pre(component, adapter::link)?)?)
        }
        PluginKind::Scorer => Code::Scorer(ScorerPre::new(pre(component, scorer::link)?)?),
    })
}

fn pre<P: Part>(
    component: &Component,
    world: fn(&mut Linker<Guest<P>>) -> wasmtime::Result<()>,
) -> wasmtime::Result<InstancePre<Guest<P>>> {
    let mut linker = Linker::new(component.engine());
    world(&mut linker)?;
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    // Names beyond the world were refused before.
    doors::close(&mut linker, component)?;
    linker.instantiate_pre(component)
}
