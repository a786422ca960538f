//! The five modes with the model adapters, against servers that speak the providers' protocols strictly and answer by a
//! script: what the real provider would reject fails here.
//!
//! Each run is in a folder outside the checkout, with the adapter's one file in it, as someone who was sent the file would
//! do it. A few pairs run always; all of them by `make matrix`.

#[path = "modes/adapters.rs"]
mod adapters;
#[path = "modes/cell.rs"]
mod cell;

use dynacu_record::Outcome;

use adapters::{ALL, Adapter, CLAUDE, GEMINI, LOCAL, OPENAI_CHAT, OPENAI_RESPONSES};
use cell::{CAPITAL, Cell, MESSAGES, PRICE, Task, run};

const MODES: [&str; 5] = [
    "standard",
    "aoi_visual",
    "aoi_audio",
    "aoi_full",
    "aoi_interactive",
];

/// The texts of all requests that show an observation: they carry what the mode's channels bring, and nothing else.
fn texts(cell: &Cell) -> Vec<String> {
    let seen = cell
        .exchanges
        .iter()
        .filter_map(|exchange| exchange.seen.as_ref());
    let texts = seen.map(dynacu_providers::Seen::text);
    texts
        .filter(|text| text.contains("Observation Record"))
        .collect()
}

#[test]
fn claude_hears_a_price_in_aoi_audio() {
    let cell = run("aoi_audio", &CLAUDE, PRICE).unwrap();
    assert!(
        cell.passed(),
        "{:?}, rules {:?}",
        cell.ran.result,
        cell.fired
    );
    assert!(cell.fired.contains(&"heard the price".to_owned()));
    let texts = texts(&cell);
    assert!(texts.iter().all(|text| text.contains("[AUDIO CONTEXT")));
    assert!(
        !texts.iter().any(|text| text.contains("keyframe_")),
        "aoi_audio gives no keyframes"
    );
}

#[test]
fn openai_chat_sees_two_messages_in_aoi_visual() {
    let cell = run("aoi_visual", &OPENAI_CHAT, MESSAGES).unwrap();
    assert!(
        cell.passed(),
        "{:?}, rules {:?}",
        cell.ran.result,
        cell.fired
    );
    let texts = texts(&cell);
    assert!(texts.iter().any(|text| text.contains("keyframe_")));
    assert!(
        !texts.iter().any(|text| text.contains("AUDIO")),
        "aoi_visual gives no sound"
    );
}

#[test]
fn openai_responses_hears_a_price_in_aoi_full() {
    let cell = run("aoi_full", &OPENAI_RESPONSES, PRICE).unwrap();
    assert!(
        cell.passed(),
        "{:?}, rules {:?}",
        cell.ran.result,
        cell.fired
    );
    let offered = cell
        .exchanges
        .iter()
        .filter_map(|exchange| exchange.seen.as_ref());
    assert!(
        offered
            .flat_map(|seen| &seen.tools)
            .all(|tool| tool != "speak"),
        "aoi_full has no voice"
    );
}

#[test]
fn gemini_answers_a_question_aloud_in_aoi_interactive() {
    let cell = run("aoi_interactive", &GEMINI, CAPITAL).unwrap();
    assert!(
        cell.passed(),
        "{:?}, rules {:?}",
        cell.ran.result,
        cell.fired
    );
    assert_eq!(
        cell.fired
            .iter()
            .filter(|rule| *rule == "heard the question")
            .count(),
        1
    );
}

#[test]
fn a_server_of_ones_own_misses_the_messages_in_standard() {
    let cell = run("standard", &LOCAL, MESSAGES).unwrap();
    assert_eq!(
        cell.ran.result.outcome,
        Outcome::Timeout,
        "{:?}",
        cell.ran.result
    );
    let texts = texts(&cell);
    assert!(texts.len() > 3, "it looked more than once");
    assert!(
        !texts
            .iter()
            .any(|text| text.contains("keyframe_") || text.contains("AUDIO"))
    );
}

/// One line of the table, and whether it is as it should be.
fn line(mode: &str, adapter: &Adapter, task: Task) -> (String, bool) {
    let wanted = task.modes.contains(&mode);
    let head = format!("{:4}  {mode:15}  {:18}", task.id, adapter.name);
    match run(mode, adapter, task) {
        Ok(cell) => {
            let result = &cell.ran.result;
            let outcome = format!("{:?}", result.outcome);
            let line = format!(
                "{head}  {outcome:20}  {:6}  {:5}  {:7.0}  {:8}",
                if wanted { "pass" } else { "fail" },
                result.steps,
                result.wall_s,
                cell.exchanges.len()
            );
            let ran = result.outcome != Outcome::InfrastructureError;
            (line, ran && cell.passed() == wanted)
        }
        Err(error) => (format!("{head}  {error:#}"), false),
    }
}

/// Prints a table as it goes, and fails where a mode with the channels did not pass, or one without them did.
fn matrix(task: Task) {
    eprintln!(
        "task  mode             adapter             outcome               wanted  steps  seconds  requests"
    );
    let mut wrong = Vec::new();
    for mode in MODES {
        for adapter in ALL {
            // How a mode fails without its channels does not depend on how calls are written.
            if adapter.native && !task.modes.contains(&mode) {
                continue;
            }
            let (line, good) = line(mode, adapter, task);
            eprintln!("{line}");
            if !good {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "a task with every mode and every adapter takes forty minutes: make matrix"]
fn matrix_of_the_spoken_price() {
    matrix(PRICE);
}

#[test]
#[ignore = "a task with every mode and every adapter takes forty minutes: make matrix"]
fn matrix_of_the_two_messages() {
    matrix(MESSAGES);
}

#[test]
#[ignore = "a task with every mode and every adapter takes forty minutes: make matrix"]
fn matrix_of_the_spoken_answer() {
    matrix(CAPITAL);
}
