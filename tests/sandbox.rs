//! Hostile plugins in real episodes: each ends its own with its own cause, in bounded time, and the next one is clean.
//! `host/runtime/tests/fixtures.rs` has all of them, without a desktop.

#[path = "sandbox/attacks.rs"]
mod attacks;
#[path = "sandbox/compiling.rs"]
mod compiling;
#[path = "sandbox/loaded.rs"]
mod loaded;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use dynacu_record::{EndCause, EpisodeResult, Event, Outcome, read_events};
use dynacu_tests::{
    checkout, dynacu_host, episode, fixture, home_with_a_short_task, host, only_once,
};
use loaded::peak_kib;

fn end_of(name: &str) -> Result<EpisodeResult> {
    let path = fixture(name)?;
    Ok(episode(&path.to_string_lossy(), "F-E1", "standard", 0)?.result)
}

/// What becomes of a guest that computes without end: its CPU time is used up, or, where other work leaves a guest's thread
/// next to none, the task's own limit comes first.
fn computed_too_long(result: &EpisodeResult) -> bool {
    matches!(
        (result.outcome, result.cause),
        (Outcome::AgentError, EndCause::GuestTimeout) | (Outcome::Timeout, EndCause::TimeLimit)
    )
}

#[test]
fn a_guest_that_loops_for_ever() {
    let result = end_of("loops-forever").unwrap();
    assert!(computed_too_long(&result), "{result:?}");
}

#[test]
fn a_guest_that_grows_memory_for_ever() {
    let result = end_of("grows-memory").unwrap();
    let wanted = (Outcome::AgentError, EndCause::GuestOutOfMemory);
    assert_eq!((result.outcome, result.cause), wanted, "{result:?}");
}

/// The work is the host's and the fault the guest's: it neither goes on nor makes the episode one that is not counted.
#[test]
fn a_guest_that_has_the_host_work_without_end() {
    let result = end_of("keeps-the-host-busy").unwrap();
    let wanted = (Outcome::AgentError, EndCause::GuestTimeout);
    assert_eq!((result.outcome, result.cause), wanted, "{result:?}");
    assert!(
        result.detail.contains("of the host's work in one step"),
        "{result:?}"
    );
}

#[test]
fn after_a_hostile_guest_the_next_episode_on_the_lane_is_clean() {
    let run = tempfile::tempdir().unwrap();
    let out = run.path().join("run");
    let traps = fixture("traps").unwrap();
    let output = dynacu_host(&[
        "--plugin",
        traps.to_str().unwrap(),
        "--plugin",
        "reference",
        "--task",
        "F-E1",
        "--mode",
        "aoi_visual",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ])
    .unwrap();
    // The order of a run is drawn; this seed's has the hostile one first.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("[2/2] F-E1-error-toast in aoi_visual by reference"),
        "{said}"
    );
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["episodes"][0]["cause"], "guest-trap");
    assert_eq!(summary["episodes"][1]["outcome"], "passed", "{summary}");
}

#[test]
fn a_scratch_folder_has_to_be_granted_and_is_empty_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("keeps-a-note.wasm");
    std::fs::copy(fixture("keeps-a-note").unwrap(), &plugin).unwrap();
    std::fs::write(
        folder.path().join("plugin.toml"),
        "schema = 2\nscratch = true\n",
    )
    .unwrap();
    let plugin = plugin.to_string_lossy();
    let mut arguments = vec!["--plugin", &plugin, "--task", "F-E1", "--mode", "standard"];
    let refused = dynacu_host(&arguments).unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("allow it with --grant scratch"), "{said}");
    arguments.extend(["--grant", "scratch"]);
    for _ in 0..2 {
        let ran = only_once(&checkout(), &arguments, &[]).unwrap();
        assert!(
            ran.result.detail.contains("0 files before, then kept"),
            "{:?}",
            ran.result
        );
    }
}

/// Policies that spoil what all policies share, each followed by one that solves the task, all on one lane of one host: that is
/// the order that this seed gives.
const SHARED: &str = r#"
schema = 1
seed = 19

[[group]]
plugin = ["{spins-a-core}", "{floods-the-record}", "{asks-for-everything}"]
task = ["F-E1"]
mode = ["standard"]

[[group]]
plugin = "{never-observes}"
task = ["F-E2"]
mode = ["standard"]

[[group]]
plugin = "reference"
task = ["F-E1"]
mode = ["aoi_visual"]
trials = 2

[[group]]
plugin = "reference"
task = ["F-E1"]
mode = ["aoi_full", "aoi_interactive"]
"#;

#[test]
fn a_core_the_record_time_and_channels_are_not_a_policy_s_to_spoil() {
    let folder = tempfile::tempdir().unwrap();
    let home = home_with_a_short_task(folder.path()).unwrap();
    let mut config = SHARED.to_owned();
    for name in [
        "spins-a-core",
        "floods-the-record",
        "never-observes",
        "asks-for-everything",
    ] {
        let path = fixture(name).unwrap();
        config = config.replace(&format!("{{{name}}}"), &path.to_string_lossy());
    }
    let file = folder.path().join("run.toml");
    std::fs::write(&file, config).unwrap();
    let order = planned(&file, &home).unwrap();
    let solves: Vec<bool> = order.iter().map(|agent| agent == "reference").collect();
    assert_eq!(solves, [false, true].repeat(4), "{order:?}");
    let (episodes, peak_mib) = run(folder.path(), &home, &file).unwrap();
    let ends: Vec<_> = episodes
        .iter()
        .map(|episode| (episode.policy.name.as_str(), episode.outcome, episode.cause))
        .collect();
    let solved = ("reference", Outcome::Passed, EndCause::TaskEnded);
    assert_eq!(ends[0].0, "spins-a-core");
    assert!(computed_too_long(&episodes[0]), "{:?}", episodes[0]);
    let wanted = [
        (
            "floods-the-record",
            Outcome::AgentError,
            EndCause::GuestOutputTooLarge,
        ),
        (
            "asks-for-everything",
            Outcome::Failed,
            EndCause::PolicyReturned,
        ),
        ("never-observes", Outcome::Timeout, EndCause::TimeLimit),
        solved,
        solved,
        solved,
        solved,
    ];
    assert_eq!(ends[1..], wanted, "{episodes:#?}");
    let asked = &episodes[2].detail;
    assert!(
        asked.contains("refused: channels, reading, hearing, solution, voice"),
        "{asked}"
    );
    assert_eq!(episodes[3].steps, 0);
    for episode in &episodes {
        let seen = &episode.perception;
        assert!(seen.frames > 0, "no capture was recorded: {episode:?}");
        eprintln!(
            "{}: {:.1} s, {} of {} frames late",
            episode.policy.name, episode.wall_s, seen.late_frames, seen.frames
        );
    }
    eprintln!("the host's peak memory: {peak_mib} MiB");
    assert!(peak_mib < 1024, "the host took {peak_mib} MiB");
}

/// The agents of a run's episodes in the order in which they are run.
fn planned(config: &Path, home: &Path) -> Result<Vec<String>> {
    let output = Command::new(host()?)
        .args([Path::new("--config"), config])
        .args(["--dry-run", "--json"])
        .env("DYNACU_HOME", home)
        .output()?;
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let episodes = plan["episodes"].as_array().context("no episodes")?;
    let agents = episodes
        .iter()
        .filter_map(|episode| episode["agent"].as_str());
    Ok(agents.map(str::to_owned).collect())
}

/// A whole run, and the host's peak memory in MiB.
fn run(folder: &Path, home: &Path, config: &Path) -> Result<(Vec<EpisodeResult>, u64)> {
    let mut child = Command::new(host()?)
        .args([
            Path::new("--config"),
            config,
            Path::new("--out"),
            &folder.join("run"),
        ])
        .arg("--json")
        .env("DYNACU_HOME", home)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        peak = peak_kib(child.id()).max(peak);
        std::thread::sleep(Duration::from_millis(200));
    }
    let said = child.wait_with_output()?;
    let mut summary: serde_json::Value = serde_json::from_slice(&said.stdout)?;
    let episodes = summary["episodes"].take();
    let episodes = serde_json::from_value(episodes).context("the summary has no episodes")?;
    Ok((episodes, peak / 1024))
}

#[test]
fn a_tight_loop_of_observations_gets_one_screenshot_a_pace_and_no_other_channel() {
    let path = fixture("observes-in-a-loop").unwrap();
    let ran = episode(path.to_str().unwrap(), "F-E1", "standard", 0).unwrap();
    let mut taken = Vec::new();
    for entry in read_events(&ran.folder).unwrap() {
        if let Event::Observation { observation, .. } = entry.event {
            taken.push(observation.taken_at);
            assert!(observation.keyframes.is_empty());
            assert!(observation.recent_audio.is_none() && observation.audio_context.is_none());
        }
    }
    assert!(taken.len() >= 3, "{taken:?}");
    // The pace is a rule of the benchmark, not a speed: two observations are never nearer than it.
    assert!(
        taken.windows(2).all(|pair| pair[1] - pair[0] >= 4_999),
        "{taken:?}"
    );
}
