//! The three worlds by name: which kind of plugin a component is, and what it may import.

use crate::outline::Outline;

/// Version of the interfaces in `wit/` that this host speaks.
pub const INTERFACE_VERSION: &str = "0.2.0";

/// What a plugin is, read from its exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PluginKind {
    /// It plays.
    Policy,
    /// It speaks to a model.
    ModelAdapter,
    /// It judges.
    Scorer,
}

impl PluginKind {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Policy, Self::ModelAdapter, Self::Scorer];

    /// The world's name in `wit/worlds.wit`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::ModelAdapter => "model-adapter",
            Self::Scorer => "scorer",
        }
    }

    /// The export that makes a component one of this kind.
    #[must_use]
    pub fn export(self) -> &'static str {
        match self {
            Self::Policy => "dynacu:policy/policy",
            Self::ModelAdapter => "dynacu:model/adapter",
            Self::Scorer => "dynacu:scoring/scorer",
        }
    }

    /// Interfaces that the world imports, those with only types included.
    fn imports(self) -> &'static [&'static str] {
        match self {
            Self::Policy => &[
                "dynacu:host/logging",
                "dynacu:host/types",
                "dynacu:host/clock",
                "dynacu:host/blobs",
                "dynacu:environment/observation",
                "dynacu:environment/action",
                "dynacu:environment/hearing",
                "dynacu:assist/reading",
                "dynacu:assist/solution",
                "dynacu:model/types",
                "dynacu:model/inference",
                "dynacu:policy/session",
            ],
            Self::ModelAdapter => &[
                "dynacu:host/logging",
                "dynacu:host/types",
                "dynacu:host/blobs",
                "dynacu:host/http",
                "dynacu:model/types",
            ],
            Self::Scorer => &["dynacu:host/logging", "dynacu:host/types"],
        }
    }
}

/// Why a component fits no world.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    NoWorld,
    Several(Vec<&'static str>),
    /// The interface and the version that it has.
    Version(String, String),
    /// An import that the world does not offer.
    Import(PluginKind, String),
}

/// The kind of a component and its interface version.
pub(crate) fn recognise(outline: &Outline) -> Result<(PluginKind, String), Misfit> {
    let mut found = Vec::new();
    for kind in PluginKind::ALL {
        for export in &outline.exports {
            let (name, version) = split(export);
            if name == kind.export() {
                found.push((kind, version));
            }
        }
    }
    let (kind, version) = match found.as_slice() {
        [] => return Err(Misfit::NoWorld),
        [one] => *one,
        several => {
            return Err(Misfit::Several(
                several.iter().map(|(kind, _)| kind.name()).collect(),
            ));
        }
    };
    if !fits(version) {
        return Err(Misfit::Version(
            kind.export().to_owned(),
            version.to_owned(),
        ));
    }
    for import in &outline.imports {
        let (name, version) = split(import);
        // Toolchains bring many; those that are not answered are closed doors.
        if name.starts_with("wasi:") {
            continue;
        }
        if !kind.imports().contains(&name) {
            return Err(Misfit::Import(kind, import.clone()));
        }
        if !fits(version) {
            return Err(Misfit::Version(name.to_owned(), version.to_owned()));
        }
    }
    Ok((kind, version.to_owned()))
}

fn split(name: &str) -> (&str, &str) {
    name.split_once('@').unwrap_or((name, ""))
}

/// Before 1.0 the second number is the one that breaks.
fn fits(version: &str) -> bool {
    let minor = |version: &str| version.rsplit_once('.').map(|(minor, _)| minor.to_owned());
    minor(version).is_some() && minor(version) == minor(INTERFACE_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(exports: &[&str], imports: &[&str]) -> Outline {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Outline {
            exports: owned(exports),
            imports: owned(imports),
            manifest: None,
        }
    }

    #[test]
    fn the_kind_comes_from_the_exports() {
        let policy = outline(
            &["dynacu:policy/policy@0.2.0"],
            &["wasi:http/types@0.2.4", "dynacu:host/clock@0.2.0"],
        );
        assert_eq!(
            recognise(&policy),
            Ok((PluginKind::Policy, "0.2.0".to_owned()))
        );
        assert_eq!(
            recognise(&outline(&["wasi:cli/run@0.2.0"], &[])),
            Err(Misfit::NoWorld)
        );
        let both = outline(
            &["dynacu:policy/policy@0.2.0", "dynacu:scoring/scorer@0.2.0"],
            &[],
        );
        assert_eq!(
            recognise(&both),
            Err(Misfit::Several(vec!["policy", "scorer"]))
        );
    }

    #[test]
    fn versions_and_foreign_imports_are_named() {
        let older = outline(&["dynacu:scoring/scorer@0.1.0"], &[]);
        let version =
            |name: &str, version: &str| Err(Misfit::Version(name.to_owned(), version.to_owned()));
        assert_eq!(recognise(&older), version("dynacu:scoring/scorer", "0.1.0"));
        let mixed = outline(
            &["dynacu:scoring/scorer@0.2.0"],
            &["dynacu:host/logging@0.1.0"],
        );
        assert_eq!(recognise(&mixed), version("dynacu:host/logging", "0.1.0"));
        let network = outline(
            &["dynacu:scoring/scorer@0.2.0"],
            &["dynacu:host/http@0.2.0"],
        );
        let wanted = Misfit::Import(PluginKind::Scorer, "dynacu:host/http@0.2.0".to_owned());
        assert_eq!(recognise(&network), Err(wanted));
    }
}
