//! `dynacu-host tasks play`.

use std::io::BufRead;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::cli::Done;
use crate::kit::play::play;
use crate::task::catalogue::Task;
use crate::task::home::Home;
use crate::task::prepare::{Renderer, prepare};
use crate::task::variant::Seed;

/// Shows the instruction, lets the person begin, and prints what came of it.
#[allow(clippy::print_stdout, reason = "the result is this command's output")]
pub(super) async fn run(
    task: Task,
    home: &Home,
    seed: Seed,
    now: bool,
    renderer: Arc<dyn Renderer>,
) -> Result<Done> {
    let work = tempfile::tempdir()?;
    let limit = task.manifest.time_limit.as_secs();
    let preparing = tokio::task::spawn_blocking(move || prepare(&task, seed, renderer.as_ref()));
    let prepared = Arc::new(preparing.await.context("preparation was aborted")??);
    println!("{}\n", prepared.variant.instruction);
    let begin = async move {
        if !now {
            println!("You have {limit} s. Press Enter here to begin.");
            let waiting = tokio::task::spawn_blocking(|| {
                // A closed input begins at once, like an empty line.
                let _ = std::io::stdin().lock().read_line(&mut String::new());
            });
            let _ = waiting.await;
        }
    };
    let played = play(prepared, home, work.path(), begin).await?;
    println!(
        "{} after {:.1} s of {limit} ({})",
        played.result,
        played.seconds,
        played.cause.name()
    );
    if let Some(score) = played.score {
        println!(
            "{}: {}",
            if score.passed { "passed" } else { "not passed" },
            score.explanation
        );
    }
    Ok(Done::Well)
}
