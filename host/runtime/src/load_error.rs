//! Why a plugin cannot be loaded: one line each, with what to do.

use std::path::{Path, PathBuf};

use crate::compile::CompileError;
use crate::manifest::ManifestError;
use crate::outline::Fault;
use crate::world::{INTERFACE_VERSION, Misfit, PluginKind};

/// A plugin that cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each message says it")]
pub enum LoadError {
    #[error("{}: no such file: check the path, or build the plugin first", .0.display())]
    Missing(PathBuf),
    #[error("{}: not a file: name the .wasm itself; in a project, the one that the build creates", .0.display())]
    NotAFile(PathBuf),
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: {mib} MiB is more than a plugin may have ({limit_mib} MiB): leave out debug information", path.display())]
    TooLarge {
        path: PathBuf,
        mib: u64,
        limit_mib: u64,
    },
    #[error("{}: not WebAssembly: build a component with `cargo build --release --target wasm32-wasip2`", .0.display())]
    NotWebAssembly(PathBuf),
    #[error(
        "{}: a core module, not a component: build it for wasm32-wasip2, or wrap it with `wasm-tools component new`",
        .0.display()
    )]
    CoreModule(PathBuf),
    #[error("{}: the file ends too early: copy or build it again", .0.display())]
    Truncated(PathBuf),
    #[error("{}: too large for a plugin: {excess}: build a smaller one", path.display())]
    TooMuch { path: PathBuf, excess: String },
    #[error("{}: not a valid component: {reason}: build it again", path.display())]
    Invalid { path: PathBuf, reason: String },
    #[error("{}: not compiled: {reason}", path.display())]
    NotCompiled { path: PathBuf, reason: String },
    #[error(
        "{}: a component of no known world: export dynacu:policy/policy, dynacu:model/adapter or dynacu:scoring/scorer \
         (the SDK's macros do)",
        .0.display()
    )]
    NoWorld(PathBuf),
    #[error("{}: a component of several worlds ({}): build one component for each", path.display(), worlds.join(", "))]
    SeveralWorlds {
        path: PathBuf,
        worlds: Vec<&'static str>,
    },
    #[error(
        "{}: made for {interface} {}, this host speaks {INTERFACE_VERSION}: build it with the SDK of this version",
        path.display(),
        if version.is_empty() { "without a version" } else { version }
    )]
    Version {
        path: PathBuf,
        interface: String,
        version: String,
    },
    #[error("{}: imports `{import}`, which a {kind} may not: remove it, or build another kind of plugin", path.display())]
    ForeignImport {
        path: PathBuf,
        kind: &'static str,
        import: String,
    },
    #[error("{}: its interfaces differ from this host's {kind} world: {reason}: build it with the SDK of this version", path.display())]
    Mismatch {
        path: PathBuf,
        kind: &'static str,
        reason: String,
    },
    #[error(
        "{}: the plugin would be called as its file, which becomes a folder's name: rename it to letters, digits, `-`, `_` and `.`, at most 64 \
         and starting with a letter or digit, or give its manifest a `name`",
        .0.display()
    )]
    NoName(PathBuf),
    #[error(transparent)]
    Manifest(ManifestError),
}

impl LoadError {
    pub(crate) fn from_io(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        if source.kind() == std::io::ErrorKind::NotFound {
            return Self::Missing(path);
        }
        Self::Unreadable { path, source }
    }

    pub(crate) fn from_fault(path: &Path, fault: Fault) -> Self {
        let path = path.to_owned();
        match fault {
            Fault::NotWebAssembly => Self::NotWebAssembly(path),
            Fault::CoreModule => Self::CoreModule(path),
            Fault::Truncated => Self::Truncated(path),
            Fault::Broken(reason) => Self::Invalid {
                path,
                reason: one_line(&reason),
            },
            Fault::TooMuch(excess) => Self::TooMuch { path, excess },
        }
    }

    pub(crate) fn from_misfit(path: &Path, misfit: Misfit) -> Self {
        let path = path.to_owned();
        match misfit {
            Misfit::NoWorld => Self::NoWorld(path),
            Misfit::Several(worlds) => Self::SeveralWorlds { path, worlds },
            Misfit::Version(interface, version) => Self::Version {
                path,
                interface,
                version,
            },
            Misfit::Import(kind, import) => Self::ForeignImport {
                path,
                kind: kind.name(),
                import,
            },
        }
    }

    pub(crate) fn not_compiled(path: &Path, error: CompileError) -> Self {
        let path = path.to_owned();
        match error {
            CompileError::Invalid(reason) => Self::Invalid {
                path,
                reason: one_line(&reason),
            },
            CompileError::TooMuch(excess) => Self::TooMuch { path, excess },
            CompileError::Host(reason) => Self::NotCompiled {
                path,
                reason: one_line(&reason),
            },
        }
    }

    pub(crate) fn mismatch(path: &Path, kind: PluginKind, error: &wasmtime::Error) -> Self {
        Self::Mismatch {
            path: path.to_owned(),
            kind: kind.name(),
            reason: one_line(&format!("{error:#}")),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
