//! The code has layers: a module of `host/src` uses only modules of lower layers, and a crate only crates of lower layers. A new
//! module or crate needs its entry here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dynacu_tests::checkout;

#[path = "layers/arrows.rs"]
mod arrows;

use arrows::arrows;

/// The lowest first. Modules of one layer do not know each other.
type Layers = &'static [&'static [&'static str]];

const CRATES: Layers = &[
    &["dynacu-figures", "dynacu-numerals", "dynacu-vocabulary"],
    &["dynacu-record", "dynacu-runtime", "dynacu-weights"],
    // What looks, listens and speaks; what reads records; what plugins are tried with.
    &["dynacu-media", "dynacu-report", "dynacu-sdk-testing"],
    &["dynacu-host"],
    // Nothing of these is in the product.
    &["dynacu-films", "dynacu-providers"],
    &["dynacu-measure"],
    &["dynacu-tests"],
];

/// The modules of `host/src`, with the crates that they use. The modules of `dynacu-media` and `dynacu-weights` count as the host's
/// own, which re-exports them under their names.
const MODULES: Layers = &[
    &[
        "dynacu_figures",
        "dynacu_media",
        "dynacu_numerals",
        "dynacu_record",
        "dynacu_runtime",
        "dynacu_vocabulary",
        "dynacu_weights",
    ],
    &[
        "capture",
        "perception",
        "priority",
        "processor",
        "program",
        "speech",
        "subprocess",
        "weights",
    ],
    // The machine, and asking models.
    &["desktop", "inference", "mode"],
    &["input", "observation"],
    // Tasks as data, and what makes them heard and served.
    &["task"],
    &["bundled", "page_server", "studio"],
    &["action", "config"],
    // One attempt, its lane, many attempts, and what a task's author tries.
    &["episode"],
    &["driver"],
    &["suite"],
    &["kit"],
    &["dynacu_report", "dynacu_sdk_testing"],
    &["cli"],
    // The crate's roots.
    &["dynacu_host"],
];

fn layer(layers: Layers, name: &str) -> Option<usize> {
    layers.iter().position(|layer| layer.contains(&name))
}

/// What is wrong with an arrow, if something is.
fn wrong(layers: Layers, from: &str, to: &str) -> Option<String> {
    if from == to {
        return None;
    }
    match (layer(layers, from), layer(layers, to)) {
        (Some(above), Some(below)) if below < above => None,
        (Some(_), Some(_)) => Some(format!("{from} uses {to}, which is not in a lower layer")),
        (None, _) => Some(format!("{from} is in no layer: add it to tests/layers.rs")),
        (_, None) => Some(format!("{to} is in no layer: add it to tests/layers.rs")),
    }
}

/// What is wrong in one source file, a line for each.
fn faults(place: &str, source: &str, module: &[&str]) -> Result<Vec<String>> {
    let top = module.first().copied().unwrap_or_default();
    let arrows = arrows(source, module).with_context(|| place.to_owned())?;
    Ok(arrows
        .into_iter()
        .filter_map(|arrow| {
            let fault = wrong(MODULES, top, &arrow.to)?;
            Some(format!("{place}:{}: {fault}", arrow.line))
        })
        .collect())
}

/// What is wrong with the crates of ours that a manifest names.
fn crate_faults(place: &str, manifest: &str) -> Result<Vec<String>> {
    let table: toml::Table = manifest.parse().with_context(|| place.to_owned())?;
    let name = table["package"]["name"].as_str().unwrap_or_default();
    let mut faults = Vec::new();
    for (line, text) in manifest.lines().enumerate() {
        let key = text.split(['=', '.', ' ']).next().unwrap_or_default();
        if key.starts_with("dynacu-")
            && let Some(fault) = wrong(CRATES, name, key)
        {
            faults.push(format!("{place}:{}: {fault}", line + 1));
        }
    }
    Ok(faults)
}

/// The Rust files below a folder, in order.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        // What a plugin's author begins with is no part of the host.
        if path.is_dir() && !path.ends_with("cli/plugin/templates") {
            sources(&path, into)?;
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

fn lines(faults: &[String]) -> String {
    faults.iter().fold(String::new(), |mut lines, fault| {
        let _ = writeln!(lines, "{fault}");
        lines
    })
}

#[test]
fn no_module_uses_one_above_it() {
    let (checkout, mut files, mut all) = (checkout(), Vec::new(), Vec::new());
    let root = checkout.join("host/src");
    sources(&root, &mut files).unwrap();
    assert!(
        files.len() > 100,
        "only {} files were looked at",
        files.len()
    );
    for file in files {
        let inside = file.strip_prefix(&root).unwrap().with_extension("");
        let module: Vec<&str> = match inside.to_str().unwrap() {
            "main" => vec!["dynacu_host"],
            inside => inside.split('/').collect(),
        };
        let place = file.strip_prefix(&checkout).unwrap().display().to_string();
        let source = std::fs::read_to_string(&file).unwrap();
        all.extend(faults(&place, &source, &module).unwrap());
    }
    assert!(all.is_empty(), "\n{}", lines(&all));
}

#[test]
fn no_crate_uses_one_above_it() {
    let (checkout, mut all) = (checkout(), Vec::new());
    let workspace: toml::Table = std::fs::read_to_string(checkout.join("Cargo.toml"))
        .unwrap()
        .parse()
        .unwrap();
    for member in workspace["workspace"]["members"].as_array().unwrap() {
        let place = format!("{}/Cargo.toml", member.as_str().unwrap());
        let manifest = std::fs::read_to_string(checkout.join(&place)).unwrap();
        all.extend(crate_faults(&place, &manifest).unwrap());
    }
    assert!(all.is_empty(), "\n{}", lines(&all));
}

#[test]
fn an_upward_arrow_is_named_with_file_and_line() {
    let planted = "//! Rendering.\n\nuse crate::{\n    speech::Pcm,\n    kit::gate::Check,\n};\nuse crate::attic::Box;\n";
    let found = faults("host/src/task/render.rs", planted, &["task", "render"]).unwrap();
    assert_eq!(
        found,
        [
            "host/src/task/render.rs:5: task uses kit, which is not in a lower layer",
            "host/src/task/render.rs:7: attic is in no layer: add it to tests/layers.rs",
        ]
    );
    let neighbour = faults("host/src/bundled.rs", "use crate::studio;", &["bundled"]).unwrap();
    assert_eq!(neighbour.len(), 1, "{neighbour:?}");
    let downward = faults("host/src/kit.rs", "use crate::task;", &["kit"]).unwrap();
    assert_eq!(downward, Vec::<String>::new());
}

#[test]
fn a_crate_that_leans_on_one_above_is_named_with_its_line() {
    let planted = "[package]\nname = \"dynacu-media\"\n\n[dependencies]\nanyhow.workspace = true\ndynacu-host = { path = \"..\" }\ndynacu-vocabulary.workspace = true\n";
    assert_eq!(
        crate_faults("host/media/Cargo.toml", planted).unwrap(),
        ["host/media/Cargo.toml:6: dynacu-media uses dynacu-host, which is not in a lower layer"]
    );
}
