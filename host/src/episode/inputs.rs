//! What decides about an episode beside chance and the machine, as hashes. The record keeps it, and the gates compare it with what
//! lies in the checkout.

use std::path::Path;

use anyhow::{Context, Result};
use dynacu_record::{Inputs, hash};

use crate::bundled;
use crate::perception;
use crate::task::catalogue::{Task, digest};
use crate::task::home::Home;

/// Of a policy, known by the hash of its component, on one of our tasks.
///
/// # Errors
/// The scorer is not built, or a file cannot be read.
pub fn inputs(home: &Home, task: &Task, policy: &str) -> Result<Inputs> {
    Ok(Inputs {
        policy: policy.to_owned(),
        scorer: component(&bundled::scorer(home, task)?)?,
        task: files(&task.folder)?,
        page_library: files(&home.page_lib)?,
        perception: perception::VERSION,
    })
}

/// SHA-256 of a built plugin. Guests are built the same byte for byte on every machine.
///
/// # Errors
/// The file cannot be read.
pub fn component(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(hash(&bytes))
}

fn files(folder: &Path) -> Result<String> {
    digest(folder).with_context(|| format!("cannot read {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::manifest::tests::{example, manifest};

    #[test]
    fn what_is_run_and_served_decides_and_what_is_written_about_it_does_not() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = root.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("tasks/page-lib/session.js", "// library");
        write("tasks/A-E1-podcast-price/task.toml", &example());
        write(
            "tasks/A-E1-podcast-price/page/index.html",
            "<!doctype html>",
        );
        write("plugins/dist/typed-answer.wasm", "scorer");
        let home = Home::at(root.path()).unwrap();
        let task = Task {
            folder: home.tasks.join("A-E1-podcast-price"),
            manifest: manifest(),
        };
        let now = || inputs(&home, &task, "p").unwrap();
        let first = now();
        assert_eq!(first.perception, perception::VERSION);

        // The sources of a scorer, a README and a test are none of the episode's.
        write("plugins/scorers/typed-answer/src/lib.rs", "// a comment");
        write("tasks/A-E1-podcast-price/README.md", "what it tests");
        write("tasks/page-lib/README.md", "what it has");
        write("tasks/page-lib/session.test.js", "// a test");
        assert_eq!(now(), first);

        write("plugins/dist/typed-answer.wasm", "another scorer");
        let second = now();
        assert_ne!(second.scorer, first.scorer);
        write("tasks/page-lib/session.js", "// another library");
        let third = now();
        assert_ne!(third.page_library, second.page_library);
        write("tasks/A-E1-podcast-price/audio/review.ogg", "sound");
        assert_ne!(now().task, third.task);

        std::fs::remove_file(root.path().join("plugins/dist/typed-answer.wasm")).unwrap();
        assert!(inputs(&home, &task, "p").is_err());
    }
}
