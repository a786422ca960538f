use clap::{Args, FromArgMatches};

use super::*;

/// What a command line says.
fn typed(arguments: &[&str]) -> Result<RunSettings, clap::Error> {
    let command = RunSettings::augment_args(clap::Command::new("run").no_binary_name(true));
    RunSettings::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

fn run(arguments: &[&str], base: RunSettings) -> Result<RunConfig> {
    RunConfig::resolve(typed(arguments).unwrap(), base)
}

/// What a run's file says.
fn written(text: &str) -> Result<RunSettings> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("run.toml");
    std::fs::write(&file, text)?;
    RunSettings::read(&file)
}

#[test]
fn what_a_run_records_of_its_configuration_gives_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables.toml");
    std::fs::write(&tables, "[reference]\nlevel = 3\n").unwrap();
    let config = run(
        &[
            "--plugin=reference",
            "--mode=needs,aoi_full",
            "--task=A-E1",
            "--seed=7",
            "--trials=3",
            "--pace=2.5",
            "--gate=none,local,none",
            "--lanes=auto",
            "--burst",
            "--grant=reading",
            "--model=small",
            "--endpoint=a.example=http://127.0.0.1:3",
            "--max-cost=$2.5",
            "--no-preflight",
            "--out=elsewhere",
            "--settings",
            tables.to_str().unwrap(),
        ],
        RunSettings::default(),
    )
    .unwrap();
    assert_eq!(config.gates, [GateKind::Local, GateKind::None]);
    assert_eq!((config.pace_ms, config.fps), (2500, DEFAULT_FPS));
    assert_eq!(config.out.as_deref(), Some(Path::new("elsewhere")));

    let kept = recorded(&config).unwrap();
    assert_eq!(
        (&kept["fps"], &kept["out"]),
        (&3.0.into(), &serde_json::Value::Null)
    );
    assert_eq!(kept["models"]["preflight"], false);
    assert_eq!(kept["settings"]["reference"]["level"], 3);
    let again = run(&[], RunSettings::from_record(&kept).unwrap()).unwrap();
    assert_eq!(again.groups, config.groups);
    assert_eq!(again.lanes, Lanes::Auto);
    assert_eq!(recorded(&again).unwrap(), kept);
}

#[test]
fn a_page_is_recorded_with_its_limit() {
    let page = [
        "--plugin=idle",
        "--page=quiz.html",
        "--instruction=Press it.",
        "--success=pressed",
    ];
    let config = run(&page, RunSettings::default()).unwrap();
    let limit = |config: &RunConfig| config.pages.first().map(|page| page.time_limit.as_secs());
    assert_eq!(limit(&config), Some(120));
    let kept = recorded(&config).unwrap();
    let again = run(&[], RunSettings::from_record(&kept).unwrap()).unwrap();
    assert_eq!(recorded(&again).unwrap(), kept);
    // A page that is typed has nothing of the file's.
    let file = "schema = 1\n[page]\npage = \"a.html\"\ninstruction = \"\"\nsuccess = \"\"\ntime-limit = 40\n";
    let over = run(&page, written(file).unwrap()).unwrap();
    assert_eq!(limit(&over), Some(120));
}

#[test]
fn a_set_of_pages_is_recorded_whole_and_gives_way_to_one_that_is_typed() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.html"), "getTaskResult").unwrap();
    let entry = "[[page]]\npage = \"a.html\"\ninstruction = \"Wait.\"\nsuccess = \"over\"\n";
    let file = root.path().join("pages.toml");
    std::fs::write(
        &file,
        format!("schema = 1\n{entry}{entry}mode = \"standard\"\n"),
    )
    .unwrap();
    let set = format!("--pages={}", file.display());
    let config = run(&["--plugin=idle", &set], RunSettings::default()).unwrap();
    assert_eq!(config.pages.len(), 2);
    assert_eq!(config.pages[1].modes, [ModeChoice::Fixed(Mode::Standard)]);
    let kept = recorded(&config).unwrap();
    // The record holds what the file says, not where it lies.
    std::fs::remove_file(&file).unwrap();
    let again = run(&[], RunSettings::from_record(&kept).unwrap()).unwrap();
    assert_eq!(again.pages, config.pages);
    assert_eq!(recorded(&again).unwrap(), kept);
    let one = ["--page=b.html", "--instruction=Wait.", "--success=over"];
    let over = run(&one, RunSettings::from_record(&kept).unwrap()).unwrap();
    let ids: Vec<&str> = over.pages.iter().map(|page| page.id.as_str()).collect();
    assert_eq!(ids, ["PAGE"]);
}

#[test]
fn flags_win_over_what_was_recorded() {
    let kept = recorded(&run(&["--plugin=idle"], RunSettings::default()).unwrap()).unwrap();
    let base = RunSettings::from_record(&kept).unwrap();
    let again = run(
        &[
            "--lanes=3",
            "--mode=standard",
            "--category=a",
            "--tier=easy",
        ],
        base,
    )
    .unwrap();
    assert_eq!(again.lanes, Lanes::Fixed(3));
    let group = &again.groups[0];
    assert_eq!(group.modes, [ModeChoice::Fixed(Mode::Standard)]);
    assert_eq!(
        (group.categories.as_slice(), group.tiers.as_slice()),
        (['A'].as_slice(), [Tier::Easy].as_slice())
    );
    assert_eq!(group.plugins, ["idle"]);
}

#[test]
fn a_group_may_have_trials_of_its_own() {
    let file = "schema = 1\ntrials = 2\n[[group]]\nplugin = \"reference\"\ntrials = 3\n[[group]]\nplugin = [\"idle\"]\n";
    let trials = |arguments: &[&str]| {
        let config = run(arguments, written(file).unwrap()).unwrap();
        let each: Vec<u32> = config.groups.iter().map(|group| group.trials).collect();
        (each, config.trials())
    };
    assert_eq!(trials(&[]), (vec![3, 2], 3));
    assert_eq!(trials(&["--trials=1"]), (vec![1, 1], 1));
    assert_eq!(trials(&["--plugin=idle"]), (vec![2], 2));
}

#[test]
fn nonsense_is_told_with_its_flag() {
    for (argument, word) in [
        ("--lanes=0", "auto"),
        ("--lanes=65", "1 to 64"),
        ("--mode=fast", "aoi_interactive"),
        ("--gate=all", "uniform-1"),
        ("--category=K", "A, B"),
        ("--tier=none", "medium"),
        ("--recognizer=large", "tiny"),
        ("--grant=all", "scratch"),
        ("--trials=0", "at least 1"),
        ("--pace=61", "0 to 60 seconds"),
        ("--fps=0", "0.5 to 10"),
        ("--seed=-1", "32 hexadecimal digits"),
        ("--max-cost=much", "US dollars"),
        ("--model-timeout=0", "1 to 3600 seconds"),
        ("--settings=nowhere.toml", "cannot read nowhere.toml"),
    ] {
        let error = typed(&[argument]).unwrap_err().to_string();
        let flag = argument.split('=').next().unwrap();
        assert!(
            error.contains(flag) && error.contains(word),
            "{argument}: {error}"
        );
    }
    let nothing = run(&[], RunSettings::default()).unwrap_err();
    assert!(nothing.to_string().contains("--plugin"));
}

#[test]
fn nonsense_is_told_with_its_file_and_key() {
    for (text, words) in [
        ("", "`schema = 1` is missing"),
        ("schema = 2", "schema 2"),
        ("schema = 1\ncolour = \"red\"", "colour"),
        ("schema = 1\ntyped = {}", "typed"),
        ("schema = 1\npace = 61", "0 to 60 seconds"),
        ("schema = 1\nseed = -1", "32 hexadecimal digits"),
        ("schema = 1\nlanes = 65", "1 to 64"),
        ("schema = 1\ngate = \"all\"", "uniform-1"),
        (
            "schema = 1\n[[group]]\ntask = [\"A-E1\"]",
            "[[group]] 1 names no plugin",
        ),
        (
            "schema = 1\n[[group]]\nplugin = \"idle\"\nmode = [\"fast\"]",
            "aoi_interactive",
        ),
        (
            "schema = 1\n[page]\npage = \"a.html\"",
            "[page]: a page needs",
        ),
        ("schema = 1\n[page]\n[[pages]]", "do not go together"),
    ] {
        let error = format!("{:#}", written(text).unwrap_err());
        assert!(
            error.contains("run.toml") && error.contains(words),
            "{text}: {error}"
        );
        // Where it is one value's fault, its line is shown.
        if let Some(line) = text.lines().last().filter(|_| error.contains(" at line ")) {
            assert!(error.contains(line), "{text}: {error}");
        }
    }
    let recorded = serde_json::json!({"schema": 1, "colour": "red"});
    let error = RunSettings::from_record(&recorded).unwrap_err();
    assert!(error.to_string().contains("run.json"));
}

#[test]
fn a_server_that_recognises_has_a_table_in_the_file() {
    let file = "schema = 1\nrecognizer = \"remote\"\n[[group]]\nplugin = \"idle\"\n";
    let error = run(&[], written(file).unwrap()).unwrap_err();
    assert!(error.to_string().contains("[remote-recognizer]"), "{error}");
    let table = "[remote-recognizer]\nurl = \"https://speech.example\"\nmodel = \"whisper-1\"\n";
    let config = run(&[], written(&format!("{file}{table}")).unwrap()).unwrap();
    let kept = recorded(&config).unwrap();
    let again = run(&[], RunSettings::from_record(&kept).unwrap()).unwrap();
    assert_eq!(again.recognizer, config.recognizer);
    assert_eq!(recorded(&again).unwrap(), kept);
}
