//! Runs as a whole: their plan, their resumption after an end of any kind, and several lanes at once.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use dynacu_providers::{Options, Provider, Script, Server};
use dynacu_record::{EndCause, EpisodeResult, Outcome, read_episode, read_events, read_run};
use dynacu_tests::{checkout, dynacu_host, host};
use serde_json::Value;

/// A page that is over after six seconds, whatever is done.
const PAGE: [&str; 9] = [
    "--plugin",
    "idle",
    "--page",
    "tests/fixtures/pages/counter.html",
    "--instruction",
    "Wait.",
    "--success",
    "over",
    "--time-limit",
];
/// How long a host may take to come to where a test wants it.
const PATIENCE: Duration = Duration::from_secs(180);

/// Ends the host that a failed test would leave.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn signal(&self, name: &str) -> Result<()> {
        let killed = Command::new("kill")
            .args([name, &self.0.id().to_string()])
            .status()?;
        anyhow::ensure!(killed.success(), "kill {name} failed");
        Ok(())
    }
}

fn start(arguments: &[&str], out: &Path, errors: &Path) -> Result<Running> {
    let child = Command::new(host()?)
        .args(arguments)
        .arg("--out")
        .arg(out)
        .current_dir(checkout())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(errors)?)
        .spawn()?;
    Ok(Running(child))
}

fn until(what: &str, done: impl Fn() -> bool) -> Result<()> {
    let began = Instant::now();
    while !done() {
        if began.elapsed() > PATIENCE {
            bail!("{what} did not happen");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// The folders of whole episodes below a run's folder.
fn whole(run: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![run.join("episodes")];
    while let Some(folder) = open.pop() {
        if folder.join("episode.json").exists() {
            found.push(folder);
            continue;
        }
        for inside in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if inside.path().is_dir() {
                open.push(inside.path());
            }
        }
    }
    found.sort();
    found
}

fn resume(run: &Path, more: &[&str]) -> Result<Output> {
    let mut arguments = vec!["--resume", run.to_str().context("the path is no text")?];
    arguments.extend(more);
    dynacu_host(&arguments)
}

/// What is still to do, as the host plans it.
fn due(run: &Path) -> Result<Vec<String>> {
    let output = resume(run, &["--dry-run", "--json"])?;
    folders(&output)
}

fn folders(output: &Output) -> Result<Vec<String>> {
    let said: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let episodes = said["episodes"].as_array().context("no episodes")?;
    Ok(episodes
        .iter()
        .filter_map(|episode| episode["folder"].as_str().map(str::to_owned))
        .collect())
}

fn refused(output: &Output, words: &[&str]) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    for word in words {
        assert!(errors.contains(word), "`{word}` is not in: {errors}");
    }
}

#[test]
fn a_plan_is_the_same_for_the_same_seed_and_runs_nothing() {
    let plan = |seed: &str| {
        folders(
            &dynacu_host(&[
                "--plugin",
                "idle",
                "--plugin",
                "random",
                "--task",
                "A-E1,F-E1",
                "--mode",
                "standard,aoi_full",
                "--gate",
                "local,none",
                "--trials",
                "2",
                "--seed",
                seed,
                "--dry-run",
                "--json",
            ])
            .unwrap(),
        )
        .unwrap()
    };
    let first = plan("0");
    assert_eq!(first.len(), 2 * 2 * 2 * 2 * 2);
    assert_eq!(first, plan("0"));
    let other = plan("1");
    assert_ne!(first, other);
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(sorted(first.clone()), sorted(other));
    assert!(
        first.contains(&"episodes/idle/aoi_full@none/F-E1-error-toast/2".to_owned()),
        "{first:?}"
    );
    assert!(first.contains(&"episodes/random/standard/F-E1-error-toast/1".to_owned()));
}

/// A component with one more custom section: another file, the same plugin.
fn other_bytes(wasm: &mut Vec<u8>) {
    wasm.extend([0, 5, 4, b'n', b'o', b't', b'e']);
}

#[test]
fn an_interrupted_run_is_resumed_as_it_was_or_not_at_all() {
    let root = tempfile::tempdir().unwrap();
    let (run, plugin) = (root.path().join("run"), root.path().join("mine.wasm"));
    std::fs::copy(checkout().join("plugins/dist/idle.wasm"), &plugin).unwrap();
    let errors = root.path().join("errors");
    let mut arguments = PAGE.to_vec();
    arguments[1] = plugin.to_str().unwrap();
    arguments.extend(["60", "--mode", "standard,aoi_audio"]);
    let mut running = start(&arguments, &run, &errors).unwrap();
    // An observation is in the record, so the first episode is under way.
    until("the first step", || {
        ["standard", "aoi_audio"].iter().any(|mode| {
            let events = run.join(format!("episodes/idle/{mode}/PAGE-counter/1/events.jsonl"));
            std::fs::read_to_string(events).is_ok_and(|text| text.contains("page-started"))
        })
    })
    .unwrap();
    // Nobody else may write there meanwhile.
    refused(&resume(&run, &[]).unwrap(), &["another dynacu-host"]);
    running.signal("-INT").unwrap();
    let status = running.0.wait().unwrap();
    let said = std::fs::read_to_string(&errors).unwrap();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("(operator,"), "{said}");
    assert!(whole(&run).is_empty());
    assert_eq!(due(&run).unwrap().len(), 2);

    let changed = |more: &[&str], words: &[&str]| {
        let mut arguments = vec!["--dry-run"];
        arguments.extend(more);
        refused(&resume(&run, &arguments).unwrap(), words);
    };
    changed(&["--pace", "2"], &["setting pace: was 5.0, is 2.0"]);
    changed(&["--seed", "3"], &["setting seed: was 0, is 3"]);
    changed(&["--gate", "spec"], &["setting gate: was local, is spec"]);
    changed(
        &["--mode", "standard"],
        &[
            "setting group",
            "modes: was aoi_audio, standard, is standard",
        ],
    );
    assert!(
        resume(&run, &["--dry-run", "--lanes", "2", "--max-cost", "9"])
            .unwrap()
            .status
            .success()
    );
    let mut bytes = std::fs::read(&plugin).unwrap();
    other_bytes(&mut bytes);
    std::fs::write(&plugin, bytes).unwrap();
    changed(&[], &["policy idle SHA-256: was ", ", is "]);
}

#[test]
fn a_killed_run_loses_what_was_running_and_its_resumption_does_the_rest() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let errors = root.path().join("errors");
    let mut arguments = PAGE.to_vec();
    arguments.extend([
        "30",
        "--mode",
        "standard,aoi_visual",
        "--trials",
        "2",
        "--lanes",
        "2",
    ]);
    let mut running = start(&arguments, &run, &errors).unwrap();
    until("the first whole episode", || !whole(&run).is_empty()).unwrap();
    running.signal("-KILL").unwrap();
    running.0.wait().unwrap();
    let kept = whole(&run);
    assert!((1..4).contains(&kept.len()), "{kept:?}");
    let before: Vec<Vec<u8>> = kept
        .iter()
        .map(|folder| std::fs::read(folder.join("events.jsonl")).unwrap())
        .collect();
    let missing = due(&run).unwrap();
    assert_eq!(missing.len() + kept.len(), 4);

    let output = resume(&run, &["--json", "--lanes", "auto"]).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains(&format!("{} of 4 episodes", missing.len())),
        "{said}"
    );
    let after: Vec<Vec<u8>> = kept
        .iter()
        .map(|folder| std::fs::read(folder.join("events.jsonl")).unwrap())
        .collect();
    assert!(before == after, "an episode that was whole was run again");
    let all = whole(&run);
    assert_eq!(all.len(), 4);
    for folder in &all {
        assert_eq!(read_episode(folder).unwrap().page_result, "over");
        read_events(folder).unwrap();
    }
    let info = read_run(&run).unwrap();
    assert_eq!((info.planned, info.resumed.len()), (4, 1));
    assert!((1..=missing.len()).contains(&info.lanes), "{}", info.lanes);
    if missing.len() > 1 {
        assert!(said.contains("--lanes auto takes"), "{said}");
    }
    assert!(info.ended.is_some());
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["episodes"].as_array().map(Vec::len), Some(4));
    assert!(due(&run).unwrap().is_empty());
}

/// Answers the word before a run and two requests; asks three times for more patience than a step has; works again.
const GOES_DOWN: &str = r#"
schema = 1

[[rule]]
name = "a word"
times = "any"
when = [{ no-tools = true, without = ["Observation Record"] }]
answer = [{ text = "ok" }]

[[rule]]
name = "waits"
times = 2
when = [{ images = 1 }]
answer = [{ tool = "wait", arguments = { seconds = 5 } }]

[[rule]]
name = "down"
times = 3
when = [{ images = 1 }]
fault = { kind = "overloaded", retry-after = 30 }

[[rule]]
name = "up again"
times = "any"
when = [{ images = 1 }]
answer = [{ tool = "wait", arguments = { seconds = 5 } }]
"#;

#[test]
fn a_provider_that_goes_down_stops_the_run_and_its_resumption_does_the_rest() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let options = Options {
        key: Some("a-key-of-the-tests".to_owned()),
        ..Options::default()
    };
    let script = Script::parse(GOES_DOWN).unwrap();
    let server = Server::start(Provider::Anthropic, script, &options).unwrap();
    let endpoint = format!("api.anthropic.com={}", server.url());
    let start = |arguments: &[&str]| {
        Command::new(host().unwrap())
            .args(arguments)
            .args(["--endpoint", &endpoint])
            .env("ANTHROPIC_API_KEY", "a-key-of-the-tests")
            .current_dir(checkout())
            .output()
            .unwrap()
    };
    let mut arguments = PAGE.to_vec();
    arguments[1] = "claude";
    let out = run.to_str().unwrap();
    arguments.extend(["60", "--mode", "standard", "--trials", "6", "--out", out]);
    let output = start(&arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("the run stops here: the provider failed in 3 episodes in a row"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1), "{said}");
    let results: Vec<EpisodeResult> = whole(&run)
        .iter()
        .map(|folder| read_episode(folder).unwrap())
        .collect();
    let lost = |result: &&EpisodeResult| {
        result.outcome == Outcome::InfrastructureError && result.cause == EndCause::ProviderOutage
    };
    assert_eq!(results.iter().filter(lost).count(), 3, "{results:?}");
    assert_eq!(results.len(), 4, "nothing was begun after the third");

    // The one that was scored stays; three are run again, and two for the first time.
    let planned = start(&["--resume", out, "--dry-run", "--json"]);
    assert_eq!(folders(&planned).unwrap().len(), 5);
    let output = start(&["--resume", out]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let results: Vec<EpisodeResult> = whole(&run)
        .iter()
        .map(|folder| read_episode(folder).unwrap())
        .collect();
    assert!(results.iter().all(|result| result.page_result == "over"));
    let again = results
        .iter()
        .filter(|result| result.earlier_infrastructure_errors == 1);
    assert_eq!((results.len(), again.count()), (6, 3));
}

#[test]
fn an_episode_that_the_machine_slept_through_is_not_scored() {
    let root = tempfile::tempdir().unwrap();
    let (run, errors) = (root.path().join("run"), root.path().join("errors"));
    let mut arguments = PAGE.to_vec();
    arguments.extend(["60", "--mode", "standard"]);
    let mut running = start(&arguments, &run, &errors).unwrap();
    let folder = run.join("episodes/idle/standard/PAGE-counter/1");
    until("the page's start", || {
        let events = std::fs::read_to_string(folder.join("events.jsonl"));
        events.is_ok_and(|text| text.contains("page-started"))
    })
    .unwrap();
    // The page goes on, and nobody looks or listens for most of it.
    running.signal("-STOP").unwrap();
    std::thread::sleep(Duration::from_secs(5));
    running.signal("-CONT").unwrap();
    running.0.wait().unwrap();
    let result = read_episode(&folder).unwrap();
    assert_eq!(
        (result.outcome, result.cause),
        (Outcome::InfrastructureError, EndCause::CaptureLate),
        "{result:?}"
    );
    assert!(result.score.is_none());
}

/// Processes that belong to a host's lanes: their command lines name its lanes' folder.
fn parts_of(host: u32, program: &str) -> Vec<String> {
    let lane = format!("/lanes/{host}-");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let (command, environment) = (read("cmdline"), read("environ"));
        let named = |bytes: &[u8]| memchr::memmem::find(bytes, lane.as_bytes()).is_some();
        let first = command.split(|byte| *byte == 0).next().unwrap_or_default();
        if first.ends_with(program.as_bytes()) && (named(&command) || named(&environment)) {
            found.extend(entry.file_name().to_str().map(str::to_owned));
        }
    }
    found
}

#[test]
fn a_part_of_the_desktop_that_dies_ends_its_episode_and_the_next_one_has_a_new_lane() {
    // Without a display neither capture nor browser goes on: whichever is noticed first.
    let display = [
        EndCause::ScreenLost,
        EndCause::BrowserLost,
        EndCause::LaneCheckFailed,
    ];
    for (program, causes) in [
        ("Xvfb", &display[..]),
        // Its end is noticed by its process or by its silence.
        (
            "pulseaudio",
            &[EndCause::SoundLost, EndCause::LaneCheckFailed][..],
        ),
    ] {
        let root = tempfile::tempdir().unwrap();
        let (run, errors) = (root.path().join("run"), root.path().join("errors"));
        let mut arguments = PAGE.to_vec();
        arguments.extend(["60", "--mode", "aoi_audio", "--trials", "2"]);
        let mut running = start(&arguments, &run, &errors).unwrap();
        let begun = || {
            (1..3).find(|trial| {
                let events = run.join(format!(
                    "episodes/idle/aoi_audio/PAGE-counter/{trial}/events.jsonl"
                ));
                std::fs::read_to_string(events).is_ok_and(|text| text.contains("page-started"))
            })
        };
        until("the page's start", || begun().is_some()).unwrap();
        let first = begun().unwrap();
        let parts = parts_of(running.0.id(), program);
        assert!(!parts.is_empty(), "no {program}");
        let killed = Command::new("kill").arg("-9").args(&parts).status();
        assert!(killed.unwrap().success());
        running.0.wait().unwrap();
        let said = std::fs::read_to_string(&errors).unwrap();
        let result = |trial: u32| {
            read_episode(&run.join(format!("episodes/idle/aoi_audio/PAGE-counter/{trial}")))
                .unwrap()
        };
        let (lost, next) = (result(first), result(3 - first));
        assert_eq!(lost.outcome, Outcome::InfrastructureError, "{lost:?}");
        assert!(causes.contains(&lost.cause), "{program}: {lost:?}");
        assert_eq!(next.outcome, Outcome::Passed, "{next:?}\n{said}");
    }
}

/// Two pages in a file; where the first one's record belongs something is in the way.
#[test]
fn a_record_that_cannot_be_written_ends_its_own_episode_and_is_resumed() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("pages.toml");
    let page = checkout().join("tests/fixtures/pages/counter.html");
    let entry = format!(
        "[[page]]\npage = {page:?}\ninstruction = \"Wait.\"\nsuccess = \"over\"\ntime-limit = 60\n"
    );
    std::fs::write(&file, format!("schema = 1\n{entry}{entry}")).unwrap();
    let run = root.path().join("run");
    let place = run.join("episodes/idle/standard/PAGE-1-counter");
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(&place, "in the way").unwrap();
    let (file, out) = (file.to_str().unwrap(), run.to_str().unwrap());
    let output = dynacu_host(&[
        "--plugin", "idle", "--mode", "standard", "--pages", file, "--out", out, "--json",
    ])
    .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ended: Vec<(&str, &str)> = said["episodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|episode| {
            let name = |key: &str| episode[key].as_str().unwrap();
            (name("task"), name("cause"))
        })
        .collect();
    assert_eq!(ended, [("PAGE-1", "record-lost"), ("PAGE-2", "task-ended")]);
    assert_eq!(said["episodes"][1]["outcome"], "passed");

    // The file of pages is in the record: it may be gone.
    std::fs::remove_file(root.path().join("pages.toml")).unwrap();
    std::fs::remove_file(&place).unwrap();
    assert_eq!(
        due(&run).unwrap(),
        ["episodes/idle/standard/PAGE-1-counter/1"]
    );
    let output = resume(&run, &[]).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(whole(&run).len(), 2);
    let output = dynacu_host(&["rescore", out, "--json"]).unwrap();
    let again: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&again["changed"], &again["not_scored"]),
        (&0.into(), &0.into())
    );
}
