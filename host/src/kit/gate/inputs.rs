//! What decides about a line of the ledger, shortened to what tells lines apart: of a record, and of what lies in the checkout.

use anyhow::Result;
use dynacu_record::{Inputs, hash};

use crate::bundled;
use crate::episode::inputs::{component, inputs};
use crate::kit::lint;
use crate::task::catalogue::{Task, digest};
use crate::task::home::Home;

/// Characters of a hash that are kept.
const KEPT: usize = 20;

/// Of an episode, as its record has them.
#[must_use]
pub fn digest_of(inputs: &Inputs) -> String {
    let Inputs {
        policy,
        scorer,
        task,
        page_library,
        perception,
    } = inputs;
    joined(&[policy, scorer, task, page_library, &perception.to_string()])
}

/// Of an episode of a bundled policy that would be run now.
///
/// # Errors
/// A file cannot be read, or a plugin is not built.
pub fn of_run(task: &Task, home: &Home, policy: &str) -> Result<String> {
    let policy = component(&bundled::bundled(home, policy)?)?;
    Ok(digest_of(&inputs(home, task, &policy)?))
}

/// Of lint: the task, the page library, and what lint does.
///
/// # Errors
/// A file cannot be read.
pub fn of_lint(task: &Task, home: &Home) -> Result<String> {
    let (task, library) = (task.digest()?, digest(&home.page_lib)?);
    Ok(joined(&[&task, &library, &lint::VERSION.to_string()]))
}

fn joined(parts: &[&str]) -> String {
    hash(parts.join(" ").as_bytes())[..KEPT].to_owned()
}
