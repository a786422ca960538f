//! `view.html` in an episode's folder: the episode on a time line.
//!
//! A page that was opened from a file may show pictures and play sound that lie beside it, but may not read them as data. So
//! events and texts are in the page, and pictures and sound stay where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use dynacu_record::{Event, Line};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use crate::read::{Episode, Error};
use crate::text;
use crate::trace::Moment;

const STYLE: &str = include_str!("../assets/view.css");
const SCRIPT: &str = include_str!("../assets/view.js");
/// A text blob is cut after so many bytes; the file beside the page has all of it.
const TEXT: usize = 60_000;
/// All texts of a page together.
const TEXTS: usize = 4_000_000;

/// What the script gets.
#[derive(Serialize)]
struct Data<'a> {
    entries: &'a [Line],
    /// What each action comes to in prose, and why those that failed did, by id.
    actions: BTreeMap<u64, ActionLine>,
    /// Why model calls have no answer, by call.
    model_errors: BTreeMap<u64, String>,
    /// Blob to file name.
    files: BTreeMap<String, String>,
    /// Blob to text, as far as it fits.
    texts: BTreeMap<String, String>,
    /// Sounds that exist.
    sounds: Vec<&'static str>,
    moments: &'a [Moment],
    look_at: Option<&'a crate::trace::Pointer>,
    /// Milliseconds.
    length: u64,
}

/// An action for people.
#[derive(Serialize)]
struct ActionLine {
    text: String,
    error: Option<String>,
}

/// Writes an episode's page.
///
/// # Errors
/// It cannot be written; a picture or text that is missing is told in the page.
pub(crate) fn write(folder: &Path, episode: &Episode, entries: &[Line]) -> Result<(), Error> {
    let path = folder.join("view.html");
    let page = page(folder, episode, entries);
    // A page can be made again at any time: no need to wait for the disk, as for a record.
    fs::write(&path, page).map_err(|source| Error::Write { path, source })
}

fn page(folder: &Path, episode: &Episode, entries: &[Line]) -> String {
    let files = files(folder);
    let data = Data {
        entries,
        actions: actions(entries),
        model_errors: entries.iter().filter_map(model_error).collect(),
        texts: texts(folder, entries, &files),
        files,
        sounds: ["heard.flac", "spoken.flac"]
            .into_iter()
            .filter(|name| folder.join(name).is_file())
            .collect(),
        moments: episode
            .trace
            .as_ref()
            .map_or(&[], |trace| trace.moments.as_slice()),
        look_at: episode
            .trace
            .as_ref()
            .ok()
            .and_then(|trace| trace.look_at.as_ref()),
        length: entries.iter().map(|entry| entry.t).max().unwrap_or(0),
    };
    // Inside a script element nothing but `<` could end it.
    let json = serde_json::to_string(&data).map(|json| json.replace('<', "\\u003c"));
    let json = json.unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()));
    let result = &episode.result;
    let title = format!("{} in {}, trial {}", result.task, result.mode, result.trial);
    let agent = match &result.model {
        Some(model) => format!("{} + {}", result.policy.name, model.model),
        None => result.policy.name.clone(),
    };
    let up = "../".repeat(episode.path.split('/').count());
    let outcome = result.outcome.name();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · DynaCU-Bench" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    a href={(up) "report.html#task-" (result.task)} { "← Report" }
                    h1 { (title) }
                    p { span class={"outcome " (outcome)} { (outcome) } " " (result.cause.name()) " · " (agent) " · seed " (result.seed) " · " (text::number(u64::from(result.steps), "step")) " · " (text::seconds(result.wall_s)) }
                    @if let Ok(trace) = &episode.trace {
                        p .instruction { strong { "Asked: " } (trace.instruction) }
                        @if let Some(stage) = trace.stage { p { strong { "Failed at this stage: " } (stage.text()) "." } }
                    }
                    @if let Some(score) = &result.score { p { strong { "Scorer: " } (score.explanation) } }
                    @if !result.detail.is_empty() { p .small { (result.detail) } }
                }
                (main(data.look_at.is_some(), &data.sounds))
                script #data type="application/json" { (PreEscaped(json)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

fn main(failed: bool, sounds: &[&str]) -> Markup {
    html! {
        main {
            section .stage aria-label="Screen" {
                div #screen {
                    img #picture alt="The screen at this time" hidden;
                    svg #overlay viewBox="0 0 1280 720" aria-hidden="true" {}
                    p #no-picture { "No picture yet" }
                }
                p #caption aria-live="polite" {}
                div .controls role="group" aria-label="Play" {
                    button #play type="button" { "Play" }
                    button #back type="button" aria-label="Step back" { "◀ Step" }
                    button #on type="button" aria-label="Step on" { "Step ▶" }
                    label { "Speed " select #speed { option { "0.5" } option selected { "1" } option { "2" } option { "4" } } }
                    @for sound in sounds {
                        @let name = sound.trim_end_matches(".flac");
                        label { input type="checkbox" checked[name == "heard"] data-sound=(sound); " " (name) }
                    }
                    @if sounds.is_empty() { span .small { "No sound recorded" } }
                    @if failed { button #jump type="button" { "Where it went wrong" } }
                    output #clock { "0.0 s" }
                }
                @for sound in sounds { audio preload="auto" src=(sound) data-of=(sound) {} }
                div #line role="slider" tabindex="0" aria-label="Time" aria-valuemin="0" aria-valuenow="0" {}
                p .small { "Keys: space plays, ← → move a second, [ ] a step, j goes where it went wrong." }
            }
            div .panels {
                section aria-labelledby="h-heard" { h2 #h-heard { "Heard" } ol #heard .list {} }
                section aria-labelledby="h-spoken" { h2 #h-spoken { "Spoken" } ol #spoken .list {} }
                section aria-labelledby="h-moments" { h2 #h-moments { "Moments" } ol #moments .list {} }
                section .wide aria-labelledby="h-keyframes" { h2 #h-keyframes { "Pictures" } div #strip .strip {} }
                section .wide aria-labelledby="h-events" {
                    h2 #h-events { "Events" }
                    label { "Show " select #kinds { option value="main" { "what matters" } option value="" { "all" } } }
                    ol #events .list {}
                }
                section .wide aria-labelledby="h-model" { h2 #h-model { "Model" } div #model {} }
            }
        }
    }
}

fn actions(lines: &[Line]) -> BTreeMap<u64, ActionLine> {
    let told = |line: &Line| match &line.event {
        Event::ActionDone { id, action, .. } => Some((*id, action.to_string(), None)),
        Event::ActionFailed { id, action, error } => {
            Some((*id, action.to_string(), Some(error.to_string())))
        }
        _ => None,
    };
    let told = lines.iter().filter_map(told);
    told.map(|(id, text, error)| (id, ActionLine { text, error }))
        .collect()
}

fn model_error(line: &Line) -> Option<(u64, String)> {
    match &line.event {
        Event::ModelAnswer {
            call,
            error: Some(error),
            ..
        } => Some((*call, error.to_string())),
        _ => None,
    }
}

/// Every blob of the episode by its id.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let inside = fs::read_dir(folder.join("blobs"))
        .into_iter()
        .flatten()
        .flatten();
    inside
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_owned();
            let (id, _) = name.split_once('.')?;
            (!id.is_empty()).then(|| (id.to_owned(), name.clone()))
        })
        .collect()
}

/// The texts that model events name.
fn texts(
    folder: &Path,
    entries: &[Line],
    files: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut wanted: BTreeSet<&String> = BTreeSet::new();
    for entry in entries {
        match &entry.event {
            Event::ModelCall { request, .. } => {
                wanted.insert(request);
            }
            Event::ModelExchange {
                request, response, ..
            } => {
                wanted.insert(request);
                wanted.extend(response);
            }
            Event::ModelAnswer { response, .. } => wanted.extend(response),
            _ => {}
        }
    }
    let mut left = TEXTS;
    let mut texts = BTreeMap::new();
    for id in wanted {
        let Some(bytes) = files
            .get(id)
            .and_then(|name| fs::read(folder.join("blobs").join(name)).ok())
        else {
            continue;
        };
        let shown = &bytes[..bytes.len().min(TEXT).min(left)];
        left -= shown.len();
        let mut text = String::from_utf8_lossy(shown).into_owned();
        if shown.len() < bytes.len() {
            text.push_str(&format!("\n… cut: the file has {} bytes", bytes.len()));
        }
        texts.insert(id.clone(), text);
    }
    texts
}
