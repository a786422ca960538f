//! The five modes with the model adapters, against servers that speak the providers' protocols strictly and answer by a
//! script: what the real provider would reject fails here.
//!
//! Each run is in a folder outside the checkout, with the adapter's one file in it, as someone who was sent the file would
//! do it. A few pairs run always; all of them by `make matrix`.

#[path = "modes/adapters.rs"]
mod adapters;
#[path = "modes/cell.rs"]
mod cell;

use dynacu_providers::{Options, Provider, Script, Server};
use dynacu_record::{EndCause, Event, Outcome, read_events};
use dynacu_tests::{checkout, only_once};

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
    let texts = seen.map(dynacu_providers::NeutralRequest::text);
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

/// Writes down what it hears instead of the host's recogniser, in words that nobody said; then presses what it wrote.
const WRITES_DOWN: &str = r#"
schema = 1

[[rule]]
name = "writes down"
times = "any"
when = [{ audio = 1, no-tools = true }]
answer = [{ text = "(1.0) The night boat leaves from berth nine." }]

[[rule]]
name = "read its own words"
when = [{ images = 1, text = ["night boat leaves from berth nine"] }]
answer = [{ tool = "click", arguments = { x = 720, y = 412 } }]

[[rule]]
name = "looks"
times = "any"
when = [{ images = 1 }]
answer = [{ tool = "wait", arguments = { seconds = 1 } }]
"#;

#[test]
fn a_model_that_hears_may_write_the_transcript_itself() {
    let (host, key, settings) = (
        "generativelanguage.googleapis.com",
        "key-of-the-tests-4cf1a7",
        "[aoi_full]\ntranscriber = \"model\"\n",
    );
    let options = Options {
        key: Some(key.to_owned()),
        ..Options::default()
    };
    let script = Script::parse(WRITES_DOWN).unwrap();
    let server = Server::start(Provider::Gemini, script, &options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, settings).unwrap();
    let endpoint = format!("{host}={}", server.url());
    let arguments = [
        "--plugin",
        "gemini",
        "--model",
        GEMINI.model,
        "--page",
        "tests/fixtures/pages/announcement.html",
        "--instruction",
        "Press the platform that is announced.",
        "--success",
        "right_platform",
        "--failure",
        "announced",
        "--mode",
        "aoi_full",
        "--no-preflight",
        "--settings",
        file.to_str().unwrap(),
        "--endpoint",
        &endpoint,
    ];
    let ran = only_once(&checkout(), &arguments, &[("GEMINI_API_KEY", key)]).unwrap();
    // It is the server that rejects sound in a form that Google's does not take.
    server.check().unwrap();
    let fired = server.fired();
    assert!(fired.contains(&"writes down".to_owned()), "{fired:?}");
    assert!(
        fired.contains(&"read its own words".to_owned()),
        "{fired:?}"
    );
    assert_eq!(ran.result.cause, EndCause::TaskEnded, "{:?}", ran.result);
    // What the host recognised is what was announced, and stays in the record.
    let heard = read_events(&ran.folder).unwrap().into_iter().any(
        |entry| matches!(entry.event, Event::Sentence { sentence } if sentence.text.contains("train")),
    );
    assert!(heard);
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
