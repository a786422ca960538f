//! What differs between a run as it began and as it would go on: such runs are not mixed.

use std::fmt;

use dynacu_record::RunInfo;
use serde_json::{Map, Value, json};

/// Settings that say how much of a run is done at once or paid for, not what it measures.
const FREE: [&str; 5] = [
    "setting lanes",
    "setting models max-cost",
    "setting models max-tokens",
    "setting models preflight",
    "setting out",
];
/// Characters of a hash that are shown.
const SHOWN: usize = 12;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub what: String,
    pub was: String,
    pub is: String,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: was {}, is {}", self.what, self.was, self.is)
    }
}

/// Everything that decides what a run's episodes are, and that is not the same any more.
#[must_use]
pub fn changes(was: &RunInfo, is: &RunInfo) -> Vec<Change> {
    let mut found = Vec::new();
    compare("", &identity(was), &identity(is), &mut found);
    found.retain(|change| !FREE.contains(&change.what.as_str()));
    found
}

/// What does not forbid to go on, but should be known: another commit, another machine.
#[must_use]
pub fn remarks(was: &RunInfo, is: &RunInfo) -> Vec<Change> {
    let about = |info: &RunInfo| {
        json!({
            "host commit": info.host_commit,
            "kernel": info.machine.kernel,
            "CPU": info.machine.cpu,
            "cores": info.machine.cores,
            "Chromium": info.machine.chromium,
            "PulseAudio": info.machine.pulseaudio,
        })
    };
    let mut found = Vec::new();
    compare("", &about(was), &about(is), &mut found);
    found
}

fn identity(info: &RunInfo) -> Value {
    let mut all = Map::new();
    for plugin in &info.plugins {
        all.insert(
            format!("{} {}", plugin.kind, plugin.name),
            json!({"version": plugin.version, "SHA-256": plugin.sha256, "grants": plugin.grants}),
        );
    }
    for file in &info.models {
        all.insert(format!("model file {}", file.name), json!(file.sha256));
    }
    if let Some(inference) = &info.inference {
        all.insert("price table".to_owned(), json!(inference.prices_sha256));
        for model in &inference.models {
            all.insert(format!("model {}", model.model), json!(model.adapter));
        }
    }
    all.insert("task set".to_owned(), json!(info.task_set));
    all.insert("tasks".to_owned(), json!(info.tasks));
    all.insert("modes".to_owned(), json!(info.modes));
    all.insert("image encoder".to_owned(), json!(info.encoder));
    all.insert("recogniser".to_owned(), json!(info.recognizer));
    all.insert("host version".to_owned(), json!(info.host_version));
    all.insert("setting".to_owned(), info.config.clone());
    Value::Object(all)
}

fn compare(what: &str, was: &Value, is: &Value, found: &mut Vec<Change>) {
    if was == is {
        return;
    }
    if let (Value::Object(was), Value::Object(is)) = (was, is) {
        let names = was
            .keys()
            .chain(is.keys().filter(|name| !was.contains_key(*name)));
        for name in names {
            let inner = format!("{what} {name}");
            let (was, is) = (was.get(name), is.get(name));
            let nothing = Value::Null;
            compare(
                inner.trim_start(),
                was.unwrap_or(&nothing),
                is.unwrap_or(&nothing),
                found,
            );
        }
        return;
    }
    found.push(Change {
        what: what.to_owned(),
        was: shown(was),
        is: shown(is),
    });
}

/// A value in a sentence; hashes are cut.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text)
            if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            text.get(..SHOWN).unwrap_or(text).to_owned()
        }
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| format!("{name} {}", shown(value)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunInfo {
        serde_json::from_value(json!({
            "schema": 2, "command": [], "host_version": "1", "host_commit": "abc",
            "plugins": [{"name": "idle", "kind": "policy", "version": "1", "sha256": "a".repeat(64), "grants": []}],
            "models": [{"name": "silero", "sha256": "b".repeat(64)}],
            "task_set": "c".repeat(64), "machine": {"kernel": "6", "cpu": "", "cores": 2, "memory_mib": 1, "chromium": "156", "pulseaudio": "16"},
            "tasks": ["A-E1"], "modes": ["standard"], "seed": "0", "trials": 1, "pace_ms": 5000, "fps": 3.0, "gate": "local", "gates": ["local"],
            "pixel_threshold": null, "semantic_threshold": null, "burst": false, "encoder": "lcnet", "recognizer": "base",
            "started": 0, "resumed": [], "ended": null, "lanes": 1, "planned": 1, "inference": null,
            "config": {"pace": 5.0, "lanes": 1, "models": {"max-cost": 1.0, "timeout": 180.0}, "group": [{"plugin": ["idle"]}]}
        }))
        .unwrap()
    }

    fn described(change: impl FnOnce(&mut RunInfo)) -> Vec<String> {
        let mut other = run();
        change(&mut other);
        let found = changes(&run(), &other);
        found.iter().map(Change::to_string).collect()
    }

    #[test]
    fn each_kind_of_change_is_told_with_both_values() {
        let hash = "d".repeat(64);
        assert_eq!(
            described(|run| run.plugins[0].sha256.clone_from(&hash)),
            ["policy idle SHA-256: was aaaaaaaaaaaa, is dddddddddddd"]
        );
        assert_eq!(
            described(|run| run.models[0].sha256.clone_from(&hash)),
            ["model file silero: was bbbbbbbbbbbb, is dddddddddddd"]
        );
        assert_eq!(
            described(|run| run.task_set.clone_from(&hash)),
            ["task set: was cccccccccccc, is dddddddddddd"]
        );
        assert_eq!(
            described(|run| run.config["pace"] = json!(2.5)),
            ["setting pace: was 5.0, is 2.5"]
        );
        assert_eq!(
            described(|run| run.config["models"]["timeout"] = json!(9.0)),
            ["setting models timeout: was 180.0, is 9.0"]
        );
        assert_eq!(
            described(|run| run.config["group"] = json!([{"plugin": ["idle", "random"]}])),
            ["setting group: was plugin idle, is plugin idle, random"]
        );
        let gone = described(|run| run.plugins.clear()).join("; ");
        assert!(
            gone.starts_with("policy idle: was") && gone.ends_with("is nothing"),
            "{gone}"
        );
    }

    #[test]
    fn lanes_budget_and_machine_may_change() {
        assert!(
            described(|run| {
                run.config["lanes"] = json!("auto");
                run.config["models"]["max-cost"] = json!(7.0);
                run.machine.chromium = "157".to_owned();
                run.host_commit = None;
            })
            .is_empty()
        );
        let mut other = run();
        other.machine.chromium = "157".to_owned();
        let said: Vec<String> = remarks(&run(), &other)
            .iter()
            .map(Change::to_string)
            .collect();
        assert_eq!(said, ["Chromium: was 156, is 157"]);
    }
}
