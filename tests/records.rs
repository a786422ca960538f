//! The record tells what happened: observations as the policy had them, what it did in its order, every line as its schema
//! says; and a committed record of a whole episode can still be read.

use std::path::Path;

use anyhow::{Context, Result};
use dynacu_record::vocabulary::{Action, Sentence};
use dynacu_record::{
    Delivered, Event, Line, Observation, Outcome, SCHEMA, read_episode, read_events, read_run,
};
use dynacu_tests::{checkout, episode, fixture};
use serde_json::{Value, json};

const MODES: [&str; 5] = [
    "standard",
    "aoi_visual",
    "aoi_audio",
    "aoi_full",
    "aoi_interactive",
];

/// The lines that the policy wrote of what it was handed.
fn told(lines: &[Line]) -> Vec<Value> {
    let logged = lines.iter().filter_map(|line| match &line.event {
        Event::GuestLog { message, .. } => serde_json::from_str(message).ok(),
        _ => None,
    });
    logged.collect()
}

fn words(sentence: &Sentence) -> Value {
    json!([
        sentence.started_at,
        sentence.ended_at,
        sentence.text,
        sentence.confidence,
        sentence.is_final,
        sentence.starts_turn
    ])
}

/// What the policy must have been handed, by the record: in the words that the policy uses.
fn rebuilt(observation: &Observation) -> Vec<Value> {
    let recent = observation.recent_audio.as_ref().map(|recent| {
        json!([
            recent.started_at,
            recent.ended_at,
            recent.transcript,
            recent.keyframes
        ])
    });
    let context = observation.audio_context.as_ref();
    let mut lines = vec![json!({
        "what": "observation",
        "step": observation.step,
        "taken_at": observation.taken_at,
        "screenshot": observation.screenshot,
        "pointer": observation.pointer,
        "keyframes": observation.keyframes.len(),
        "dropped": observation.keyframes_dropped,
        "recent": recent,
        "context": context.map(|context| json!([context.started_at, context.ended_at, context.sentences.len()])),
        "remaining": observation.remaining_ms,
    })];
    lines.extend(observation.keyframes.iter().map(|keyframe| {
        json!({
            "what": "keyframe",
            "frame": keyframe.frame,
            "captured_at": keyframe.captured_at,
            "changed": keyframe.changed,
            "fraction": keyframe.changed_fraction,
            "distance": keyframe.semantic_distance,
        })
    }));
    let sentences = context.iter().flat_map(|context| &context.sentences);
    lines
        .extend(sentences.map(|sentence| json!({"what": "sentence", "sentence": words(sentence)})));
    lines
}

fn delivered(lines: &[Line], delivered: &Delivered) -> Value {
    match delivered {
        Delivered::Nothing => json!("nothing"),
        Delivered::Stopped { .. } => json!("stopped"),
        Delivered::Sentence { sentence } => json!(["sentence", words(sentence)]),
        Delivered::Keyframe { frame, captured_at } => json!(["keyframe", frame, captured_at]),
        Delivered::Completion { call } => json!(["completion", call]),
        Delivered::Action { id } => {
            let done = lines.iter().any(
                |line| matches!(&line.event, Event::ActionDone { id: done, .. } if done == id),
            );
            json!(["action", id, done])
        }
    }
}

/// One episode of each mode with a policy that writes down what it is handed, in words of its own.
#[test]
fn observations_and_the_mailbox_are_rebuilt_from_the_record_as_the_policy_had_them() {
    let path = fixture("tells-what-it-observes").unwrap();
    for mode in MODES {
        let ran = episode(path.to_str().unwrap(), "B-E1", mode, 3).unwrap();
        assert_ne!(
            ran.result.outcome,
            Outcome::InfrastructureError,
            "{:?}",
            ran.result
        );
        let lines = read_events(&ran.folder).unwrap();
        let wanted: Vec<Value> = lines
            .iter()
            .flat_map(|line| match &line.event {
                Event::Observation { observation, .. } => rebuilt(observation),
                Event::Next { delivered: got, .. } => {
                    vec![json!({"what": "next", "delivered": delivered(&lines, got)})]
                }
                _ => Vec::new(),
            })
            .collect();
        let (clock, told): (Vec<Value>, Vec<Value>) = told(&lines)
            .into_iter()
            .partition(|line| line["what"] == "clock");
        assert!(told.len() >= 15, "{mode}: {told:?}");
        for (index, (told, wanted)) in told.iter().zip(&wanted).enumerate() {
            assert_eq!(told, wanted, "{mode}, line {index}");
        }
        assert_eq!(told.len(), wanted.len(), "{mode}");
        // Its readings of the clock are there, in their order.
        let read: Vec<u64> = lines
            .iter()
            .flat_map(|line| match &line.event {
                Event::Clock { readings } => readings.clone(),
                _ => Vec::new(),
            })
            .flat_map(|(at, times)| (0..times).map(move |_| at))
            .collect();
        let clock: Vec<u64> = clock
            .iter()
            .filter_map(|line| line["at"].as_u64())
            .collect();
        assert_eq!(read[..clock.len()], clock, "{mode}");
        // What is not granted is not there, and what is granted is.
        let observed = lines.iter().filter_map(|line| match &line.event {
            Event::Observation { observation, .. } => Some(observation),
            _ => None,
        });
        let (sees, hears) = (
            mode.contains("visual") || mode.contains("full") || mode.contains("interactive"),
            mode.contains("audio") || mode.contains("full") || mode.contains("interactive"),
        );
        for observation in observed {
            assert_eq!(observation.recent_audio.is_some(), hears, "{mode}");
            assert_eq!(observation.audio_context.is_some(), hears, "{mode}");
            assert!(sees || observation.keyframes.is_empty(), "{mode}");
            let blob = ran
                .folder
                .join(format!("blobs/{}.png", observation.screenshot));
            assert!(blob.is_file(), "{}", blob.display());
        }
        // Actions are typed, nothing of them is lost.
        let scrolled = lines.iter().find_map(|line| match &line.event {
            Event::ActionsQueued { actions, .. } => actions.first().cloned(),
            _ => None,
        });
        assert!(
            matches!(scrolled, Some(Action::Scroll { at: Some(at), amount: 1, .. }) if at == (640, 301).into()),
            "{scrolled:?}"
        );
        let run = ran.written().join("run");
        validate(&run, &ran.folder).unwrap();
    }
}

/// Every file of a run folder against the committed schemas, by a validator that knows nothing of our types.
fn validate(run: &Path, episode: &Path) -> Result<()> {
    let schema = |name: &str| -> Result<jsonschema::Validator> {
        let path = checkout().join(format!("docs/schemas/{name}.schema.json"));
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        Ok(jsonschema::validator_for(&schema)?)
    };
    let hold = |validator: &jsonschema::Validator, text: &str, what: &str| -> Result<()> {
        let value: Value = serde_json::from_str(text)?;
        let found = validator
            .validate(&value)
            .map_err(|error| error.to_string());
        found.map_err(|error| anyhow::anyhow!("{what}: {error}\n{text}"))
    };
    hold(
        &schema("run")?,
        &std::fs::read_to_string(run.join("run.json"))?,
        "run.json",
    )?;
    hold(
        &schema("episode")?,
        &std::fs::read_to_string(episode.join("episode.json"))?,
        "episode.json",
    )?;
    let event = schema("event")?;
    for line in std::fs::read_to_string(episode.join("events.jsonl"))?.lines() {
        hold(&event, line, "events.jsonl")?;
    }
    Ok(())
}

#[test]
fn the_golden_record_is_read_and_holds() {
    let run = checkout().join("tests/golden/run");
    let info = read_run(&run).unwrap();
    assert_eq!(info.schema, SCHEMA);
    let episode = run.join("episodes/reference/aoi_visual/F-E1-error-toast/1");
    let result = read_episode(&episode).unwrap();
    assert_eq!(
        (result.outcome, result.page_result.as_str()),
        (Outcome::Passed, "code_entered")
    );
    let lines = read_events(&episode).unwrap();
    assert!(matches!(&lines[0].event, Event::EpisodeStarted(started) if started.task == "F-E1"));
    assert!(
        matches!(&lines.last().unwrap().event, Event::Scored { score: Some(score) } if score.passed)
    );
    let typed = lines.iter().any(|line| {
        matches!(
            &line.event,
            Event::ActionDone {
                action: Action::Type { .. },
                ..
            }
        )
    });
    assert!(typed, "a code was typed");
    // The bytes of each picture are what their name says.
    for line in &lines {
        if let Event::Observation { observation, .. } = &line.event {
            let bytes =
                std::fs::read(episode.join(format!("blobs/{}.png", observation.screenshot)))
                    .unwrap();
            assert_eq!(dynacu_record::hash(&bytes), observation.screenshot);
        }
    }
    validate(&run, &episode).unwrap();
}

#[test]
fn a_schema_is_refused_by_a_validator_and_another_one_by_the_reader() {
    let golden = checkout().join("tests/golden/run");
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(golden.join("run.json")).unwrap();
    std::fs::write(
        folder.path().join("run.json"),
        text.replacen("\"schema\": 2", "\"schema\": 1", 1),
    )
    .unwrap();
    let error = read_run(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("schema 1") && error.lines().count() == 1,
        "{error}"
    );
    // A field of another type is noticed: the schemas are no formality.
    let schema = std::fs::read_to_string(checkout().join("docs/schemas/run.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["trials"] = json!("three");
    let refused = jsonschema::validator_for(&schema)
        .context("the schema is one")
        .unwrap();
    assert!(refused.validate(&value).is_err());
}
