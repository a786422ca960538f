//! `dynacu-measure` on a real lane: every line of the budget table is there with something measured in it. What the
//! figures are is nobody's business here.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

/// Runs a quick measurement and gives its report.
fn measured(arguments: &[&str]) -> Result<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_dynacu-measure"))
        .args(arguments)
        .args(["--quick", "--json"])
        .current_dir(env!("DYNACU_CHECKOUT"))
        .output()?;
    eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    let reports: Value =
        serde_json::from_slice(&output.stdout).context("the command printed no reports")?;
    Ok(reports[0].clone())
}

fn lines(report: &Value) -> Vec<(String, Option<f64>)> {
    let lines = report["lines"].as_array().cloned().unwrap_or_default();
    let line = |line: &Value| {
        let name = line["what"].as_str().unwrap_or_default().to_owned();
        (name, line["value"].as_f64())
    };
    lines.iter().map(line).collect()
}

#[test]
fn perception_fills_every_line_of_the_table() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let document = out.path().join("doc.md");
    let marked = "<!-- measured: perception -->\n<!-- end: perception -->\n";
    std::fs::write(&document, marked).unwrap();
    let report = measured(&[
        "perception",
        "--out",
        folder,
        "--doc",
        document.to_str().unwrap(),
    ])
    .unwrap();
    let lines = lines(&report);
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "pixel gate, one frame",
        "capture of one frame",
        "capture intervals kept",
        "keyframe decision after capture",
        "recent audio and 60 s of context ready after observe",
        "observe as a whole",
        "end of a sentence at the page to its event",
        "memory of the lane without Chromium",
        "recall of changes of 0.1 % and more, 700 ms and more, local",
        "keyframes a minute on the noise page, local",
    ];
    let places: Vec<usize> = wanted
        .iter()
        .map(|wanted| {
            let place = names.iter().position(|name| name == wanted);
            place.unwrap_or_else(|| panic!("{wanted} is not in {names:?}"))
        })
        .collect();
    assert!(places.is_sorted(), "{names:?}");
    for (name, value) in &lines {
        assert!(value.is_some(), "nothing was measured of: {name}");
    }
    let rows = |title: &str| -> usize {
        let tables = report["tables"].as_array().unwrap();
        let table = tables
            .iter()
            .find(|table| table["title"].as_str().unwrap().starts_with(title));
        table.map_or(0, |table| table["rows"].as_array().unwrap().len())
    };
    assert!(
        rows("CPU and memory") >= 4,
        "host, Xvfb, PulseAudio, Chromium"
    );
    assert!(rows("Gates on the wall page") >= 2);
    assert_eq!(rows("Changes that `local` kept"), 5);

    for file in ["perception.json", "perception.md", "recall-by-length.svg"] {
        let text = std::fs::read_to_string(Path::new(folder).join(file)).unwrap();
        assert!(!text.is_empty(), "{file}");
    }
    let document = std::fs::read_to_string(document).unwrap();
    assert!(document.contains("| pixel gate, one frame "), "{document}");
    assert!(document.contains("](./recall-by-size.svg)"), "{document}");
}

#[test]
fn plugins_are_loaded_and_called() {
    let report = measured(&["plugins"]).unwrap();
    let lines = lines(&report);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|(_, value)| value.is_some_and(|value| value > 0.0))
    );
    let spread = &report["lines"][0]["spread"];
    assert_eq!(spread["n"], 20);
    assert!(spread["median"].as_f64() <= spread["p95"].as_f64());
}
