//! One mode with one adapter on one task: a server with the task's script, the host in a folder that is no checkout.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use dynacu_providers::{Exchange, Options, Script, Server};
use dynacu_record::Outcome;
use dynacu_tests::{Ran, checkout, only_once};

use super::adapters::{Adapter, Stand};

/// The one key that the servers take. It must appear nowhere in a record.
const KEY: &str = "key-of-the-tests-4cf1a7";

/// A task with the seed whose values its script knows.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    pub id: &'static str,
    pub seed: u32,
    /// The modes whose channels it needs.
    pub modes: &'static [&'static str],
}

pub(crate) const PRICE: Task = Task {
    id: "A-E1",
    seed: 1,
    modes: &["aoi_audio", "aoi_full", "aoi_interactive"],
};
pub(crate) const MESSAGES: Task = Task {
    id: "F-E1",
    seed: 1,
    modes: &["aoi_visual", "aoi_full", "aoi_interactive"],
};
pub(crate) const CAPITAL: Task = Task {
    id: "H-E1",
    seed: 1,
    modes: &["aoi_interactive"],
};

/// What came of it.
pub(crate) struct Cell {
    pub ran: Ran,
    /// Empty for the adapter that asks nobody.
    pub exchanges: Vec<Exchange>,
    /// The rules that answered, in order.
    pub fired: Vec<String>,
}

impl Cell {
    pub(crate) fn passed(&self) -> bool {
        self.ran.result.outcome == Outcome::Passed
    }
}

/// Runs one; what is lost to the infrastructure is tried once more, with a fresh server.
///
/// # Errors
/// When no episode ran, when the server would have rejected a request, or when the record holds the key.
pub(crate) fn run(mode: &str, adapter: &Adapter, task: Task) -> Result<Cell> {
    let first = attempt(mode, adapter, task)?;
    if first.ran.result.outcome != Outcome::InfrastructureError {
        return Ok(first);
    }
    eprintln!(
        "lost to the infrastructure, tried once more: {:?}",
        first.ran.result
    );
    attempt(mode, adapter, task)
}

fn attempt(mode: &str, adapter: &Adapter, task: Task) -> Result<Cell> {
    let elsewhere = tempfile::tempdir()?;
    let file = format!("{}.wasm", adapter.plugin);
    let built = checkout().join("plugins/dist").join(&file);
    std::fs::copy(&built, elsewhere.path().join(&file))
        .with_context(|| format!("{} is missing: run `make guests` first", built.display()))?;
    let seed = task.seed.to_string();
    let mut arguments = vec![
        "--plugin",
        &file,
        "--model",
        adapter.model,
        "--task",
        task.id,
        "--mode",
        mode,
        "--seed",
        &seed,
    ];
    let home = checkout().to_string_lossy().into_owned();
    let mut variables = vec![("DYNACU_HOME", home.as_str())];
    match &adapter.server {
        Some(stand) => {
            let server = start(stand, task)?;
            let endpoint = format!("{}={}", stand.host, server.url());
            // The copy is a file like any other: it does not come with the host.
            let grant = format!("secret={}@{}", stand.key, stand.host);
            arguments.extend(["--endpoint", &endpoint, "--grant", &grant]);
            variables.push((stand.key, KEY));
            let settings = format!("[{}]\ntools = \"native\"\n", adapter.plugin);
            std::fs::write(elsewhere.path().join("native.toml"), settings)?;
            if adapter.native {
                arguments.extend(["--settings", "native.toml"]);
            }
            let ran = only_once(elsewhere.path(), &arguments, &variables)?;
            server.check()?;
            holds_no_key(ran.written())?;
            Ok(Cell {
                ran,
                exchanges: server.exchanges(),
                fired: server.fired(),
            })
        }
        None => {
            let script =
                checkout().join(format!("plugins/models/scripted/scripts/{}.toml", task.id));
            let script = script.to_string_lossy().into_owned();
            arguments.extend(["--settings", &script]);
            Ok(Cell {
                ran: only_once(elsewhere.path(), &arguments, &variables)?,
                exchanges: Vec::new(),
                fired: Vec::new(),
            })
        }
    }
}

fn start(stand: &Stand, task: Task) -> Result<Server> {
    let name = format!("{}.toml", task.id.to_lowercase());
    let script = Script::load(&checkout().join("tests/providers/scripts").join(name))?;
    let options = Options {
        key: Some(KEY.to_owned()),
        ..Options::default()
    };
    Ok(Server::start(stand.provider, script, &options)?)
}

/// The host put the key into each request, and into nothing that it wrote.
fn holds_no_key(folder: &Path) -> Result<()> {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if memchr::memmem::find(&std::fs::read(&path)?, KEY.as_bytes()).is_some() {
                bail!("{} holds the key", path.display());
            }
        }
    }
    Ok(())
}
