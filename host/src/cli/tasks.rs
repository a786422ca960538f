//! `dynacu-host tasks`: what there is, what is drawn for a seed, and the speech that is rendered.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Subcommand;
use dynacu_figures::table;
use serde_json::json;

use super::Done;
use crate::task::catalogue::{Catalogue, Filters, Task};
use crate::task::home::Home;
use crate::task::manifest::MomentChannel;
use crate::task::prepare::{Renderer, silent, write_committed};
use crate::task::variant::{Seed, Variant, draw};

mod gate;
mod lint;
mod play;
mod sheet;

#[derive(Debug, Clone, Subcommand)]
pub enum TasksCommand {
    /// List all tasks
    #[command(after_help = "Examples:\n  dynacu-host tasks list\n  dynacu-host tasks list --json")]
    List {
        /// Prints one JSON array on standard output
        #[arg(long)]
        json: bool,
    },
    /// Show one task: its manifest and the values that a seed draws (for the operator: this shows the answer)
    #[command(
        after_help = "Examples:\n  dynacu-host tasks show A-E1\n  dynacu-host tasks show A-E1 --seed 2\n  dynacu-host tasks show A-E1 --sheet a-e1.png\n  dynacu-host tasks show A-E1 --sheet a-e1.png --from runs/first/episodes/reference/aoi_full/A-E1-podcast-price/1"
    )]
    Show {
        /// A task's id or folder name
        id: String,
        /// A whole number, or 32 hexadecimal digits
        #[arg(long, default_value = "0")]
        seed: Seed,
        /// Instead, writes a PNG of the page at its moments, from an episode run with the reference policy
        #[arg(long)]
        sheet: Option<PathBuf>,
        /// The folder of an episode to take the pictures from
        #[arg(long, requires = "sheet")]
        from: Option<PathBuf>,
    },
    /// Check tasks without an agent: manifest, page, what screenshots give away, time for a person
    #[command(
        after_help = "Examples:\n  dynacu-host tasks lint\n  dynacu-host tasks lint A-E1 --no-browser"
    )]
    Lint {
        /// Ids or folder names; all tasks, and the rules over the set, if none is given
        ids: Vec<String>,
        /// Skips the checks that need the loaded page: contrast, sizes, reachable controls, answers in the page
        #[arg(long)]
        no_browser: bool,
    },
    /// Try a task yourself, in a window on your own display
    #[command(
        after_help = "Examples:\n  dynacu-host tasks play A-E1\n  dynacu-host tasks play H-E1 --seed 3"
    )]
    Play {
        /// A task's id or folder name
        id: String,
        /// A whole number, or 32 hexadecimal digits
        #[arg(long, default_value = "0")]
        seed: Seed,
        /// Starts as soon as the page is ready
        #[arg(long)]
        now: bool,
    },
    /// Run the gates that a task must pass; what tasks/gates.json holds already is not run again
    #[command(
        after_help = "Examples:\n  dynacu-host tasks gate\n  dynacu-host tasks gate A-E1 F-E1\n  dynacu-host tasks gate A-E1 --fresh\n  dynacu-host tasks gate --status\n  dynacu-host tasks gate A-E1 --records gates\n  dynacu-host tasks gate A-E1 --verify gates"
    )]
    Gate(gate::GateArguments),
    /// Render the speech of tasks: seed 0 into the task's folder, to be committed, others into the cache
    #[command(
        after_help = "Examples:\n  dynacu-host tasks render\n  dynacu-host tasks render A-E1 H-E1\n  dynacu-host tasks render A-E1 --seed 2"
    )]
    Render {
        /// Ids or folder names; all tasks with speech if none is given
        ids: Vec<String>,
        /// A whole number, or 32 hexadecimal digits
        #[arg(long, default_value = "0")]
        seed: Seed,
    },
}

/// Runs a command, printing to standard output. `renderer` is called only by what renders speech, since it loads models.
///
/// # Errors
/// An unknown task, a broken manifest, speech that cannot be rendered or is not understood.
pub async fn run<F>(command: TasksCommand, home: &Home, renderer: F) -> Result<Done>
where
    F: FnOnce() -> Result<Arc<dyn Renderer>>,
{
    let catalogue = Catalogue::open(home)?;
    match command {
        TasksCommand::List { json } => list(&catalogue, json, &mut std::io::stdout().lock())?,
        TasksCommand::Lint { ids, no_browser } => {
            return lint::run(&catalogue, home, ids, !no_browser).await;
        }
        TasksCommand::Gate(arguments) => return gate::run(&catalogue, home, arguments).await,
        TasksCommand::Play { id, seed, now } => {
            return play::run(catalogue.get(&id)?, home, seed, now, renderer()?).await;
        }
        TasksCommand::Show {
            id,
            seed,
            sheet: Some(file),
            from,
        } => sheet::run(&catalogue.get(&id)?, home, seed, from, &file).await?,
        TasksCommand::Show { id, seed, .. } => {
            let task = catalogue.get(&id)?;
            let out = &mut std::io::stdout().lock();
            if task.manifest.speech.is_empty() {
                let variant = silent(&task, seed, renderer()?.as_ref())?;
                show(&task, &variant, out)?;
                return Ok(Done::Well);
            }
            // The draw that was admitted is pinned with the committed clips.
            let sub_seed = crate::task::clips::ClipSet::read(&task.folder.join("audio"))
                .ok()
                .filter(|set| set.seed == seed)
                .map_or(0, |set| set.sub_seed);
            show(&task, &draw(&task.manifest, &seed, sub_seed)?, out)?;
        }
        TasksCommand::Render { ids, seed } => {
            let named = !ids.is_empty();
            let tasks = catalogue.select(&Filters {
                tasks: ids,
                ..Filters::default()
            })?;
            render(tasks, named, seed, renderer()?).await?;
        }
    }
    Ok(Done::Well)
}

fn list(catalogue: &Catalogue, as_json: bool, out: &mut impl Write) -> Result<()> {
    let tasks = catalogue.select(&Filters::default())?;
    if as_json {
        let rows: Vec<_> = tasks
            .iter()
            .map(|task| {
                let manifest = &task.manifest;
                json!({
                    "id": manifest.id, "slug": manifest.slug, "title": manifest.title,
                    "category": manifest.category, "tier": manifest.tier, "axes": manifest.axes,
                    "needs": manifest.needs, "time_limit_s": manifest.time_limit.as_secs(), "step_limit": manifest.step_limit,
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(());
    }
    let rows: Vec<Vec<String>> = tasks
        .iter()
        .map(|task| {
            let manifest = &task.manifest;
            vec![
                manifest.id.clone(),
                manifest.tier.name().to_owned(),
                manifest.needs.name().to_owned(),
                format!("{} s", manifest.time_limit.as_secs()),
                manifest.title.clone(),
            ]
        })
        .collect();
    let columns = ["task", "tier", "needs", "limit", "title"];
    write!(out, "{}", table::text(&columns, &rows))?;
    Ok(())
}

fn show(task: &Task, variant: &Variant, out: &mut impl Write) -> Result<()> {
    let manifest = &task.manifest;
    let axes: Vec<&str> = manifest.axes.iter().map(|axis| axis.name()).collect();
    writeln!(out, "{}  {}", manifest.folder_name(), manifest.title)?;
    writeln!(
        out,
        "tier {}, axes {}, needs {}",
        manifest.tier.name(),
        axes.join(" "),
        manifest.needs.name()
    )?;
    writeln!(
        out,
        "limits {} s, {} steps; scorer {}",
        manifest.time_limit.as_secs(),
        manifest.step_limit,
        manifest.scorer.plugin
    )?;
    writeln!(out, "folder {}", task.folder.display())?;
    writeln!(
        out,
        "digest {}",
        task.digest()
            .with_context(|| format!("cannot read {}", task.folder.display()))?
    )?;
    writeln!(out, "\ninstruction\n  {}", variant.instruction)?;
    writeln!(
        out,
        "\nvalues of seed {}, draw {}",
        variant.seed, variant.sub_seed
    )?;
    for (name, value) in variant.values.as_object().into_iter().flatten() {
        let path = |path: &&crate::task::template::ValuePath| path.field() == name;
        let shown = if manifest.page_values.iter().any(|shown| path(&shown)) {
            "  (the page shows it)"
        } else {
            ""
        };
        writeln!(out, "  {name} = {value}{shown}")?;
    }
    if !variant.reveals.is_empty() {
        writeln!(
            out,
            "\nrevealed at their moment\n  {}",
            variant
                .reveals
                .keys()
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        )?;
    }
    for clip in &variant.speech {
        writeln!(out, "\nclip {}", clip.id)?;
        for turn in &clip.turns {
            writeln!(out, "  {} ({}): {}", turn.voice, turn.speed, turn.text)?;
        }
    }
    if !manifest.moments.is_empty() {
        writeln!(out, "\nmoments")?;
    }
    for moment in &manifest.moments {
        let channel = match moment.channel {
            MomentChannel::Audio => "audio",
            MomentChannel::Screen => "screen",
        };
        let seconds = moment
            .seconds
            .map(|seconds| format!(", {seconds} s"))
            .unwrap_or_default();
        let needed = if moment.needed { "" } else { ", not needed" };
        writeln!(out, "  {} ({channel}{seconds}{needed})", moment.name)?;
    }
    writeln!(
        out,
        "\nscorer settings\n  {}",
        variant.scorer_input["settings"]
    )?;
    Ok(())
}

async fn render(
    tasks: Vec<Task>,
    named: bool,
    seed: Seed,
    renderer: Arc<dyn Renderer>,
) -> Result<()> {
    for task in tasks
        .into_iter()
        .filter(|task| named || !task.manifest.speech.is_empty())
    {
        let renderer = renderer.clone();
        let id = task.manifest.id.clone();
        let work =
            tokio::task::spawn_blocking(move || write_committed(&task, seed, renderer.as_ref()));
        let (folder, variant) = work.await.context("rendering was aborted")??;
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{id}, seed {seed}: {} clips in {} (draw {})",
            variant.speech.len(),
            folder.display(),
            variant.sub_seed
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::manifest::tests::{example, manifest};

    #[test]
    fn list_and_show_tell_what_a_person_wants_to_know() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("tasks/A-E1-podcast-price");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("task.toml"), example()).unwrap();
        let catalogue = Catalogue::open(&Home::at(root.path()).unwrap()).unwrap();
        let text = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            String::from_utf8(out).unwrap()
        };
        let plain = text(&|out| list(&catalogue, false, out).unwrap());
        assert!(
            plain.contains("A-E1  easy  aoi_audio  90 s   Price in a product review"),
            "{plain}"
        );
        let rows: serde_json::Value =
            serde_json::from_str(&text(&|out| list(&catalogue, true, out).unwrap())).unwrap();
        assert_eq!(rows[0]["needs"], "aoi_audio");
        let task = catalogue.get("A-E1").unwrap();
        let variant = draw(&manifest(), &Seed::Number(2), 0).unwrap();
        let shown = text(&|out| show(&task, &variant, out).unwrap());
        assert!(
            shown.contains("(the page shows it)")
                && shown.contains("code-shown (screen, 2 s, not needed)"),
            "{shown}"
        );
        assert!(shown.contains(&variant.speech[0].turns[0].text));
    }
}
