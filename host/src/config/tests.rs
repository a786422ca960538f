use super::*;

fn flags(plugin: &str) -> Flags {
    Flags {
        plugins: vec![plugin.to_owned()],
        ..Flags::default()
    }
}

#[test]
fn what_a_run_records_of_its_configuration_gives_the_same_run() {
    let page = Page {
        file: "quiz.html".into(),
        instruction: "Press it.".to_owned(),
        success: "pressed".to_owned(),
        time_limit: std::time::Duration::from_secs(40),
    };
    let mut config = RunConfig::resolve(Flags {
        modes: vec!["needs".to_owned(), "aoi_full".to_owned()],
        tasks: vec!["A-E1".to_owned()],
        categories: vec!["a".to_owned()],
        tiers: vec!["easy".to_owned()],
        seed: Some("7".to_owned()),
        trials: Some(3),
        pace: Some(2.5),
        gates: vec!["none".to_owned(), "local".to_owned(), "none".to_owned()],
        lanes: Some("auto".to_owned()),
        page: Some(page),
        burst: true,
        grants: vec!["reading".to_owned()],
        model: ModelArguments {
            model: vec!["small".to_owned()],
            endpoint: vec!["a.example=http://127.0.0.1:3".to_owned()],
            max_cost: Some("2.5".to_owned()),
            no_preflight: true,
            ..ModelArguments::default()
        },
        ..flags("reference")
    })
    .unwrap();
    config.settings = toml::from_str("[reference]\nlevel = 3\n").unwrap();
    assert_eq!(config.gates, [GateKind::Local, GateKind::None]);

    let kept = recorded(&config).unwrap();
    let again = RunConfig::resolve(Flags {
        recorded: Some(kept.clone()),
        ..Flags::default()
    })
    .unwrap();
    assert_eq!(again.groups, config.groups);
    assert_eq!(again.lanes, Lanes::Auto);
    assert_eq!(recorded(&again).unwrap(), kept);
}

#[test]
fn flags_win_over_what_was_recorded() {
    let kept = recorded(&RunConfig::resolve(flags("idle")).unwrap()).unwrap();
    let again = RunConfig::resolve(Flags {
        recorded: Some(kept),
        lanes: Some("3".to_owned()),
        modes: vec!["standard".to_owned()],
        ..Flags::default()
    })
    .unwrap();
    assert_eq!(again.lanes, Lanes::Fixed(3));
    assert_eq!(
        again.groups[0].modes,
        [ModeChoice::Fixed(crate::mode::Mode::Standard)]
    );
    assert_eq!(again.groups[0].plugins, ["idle"]);
}

#[test]
fn a_group_may_have_trials_of_its_own() {
    let file = serde_json::json!({"schema": 1, "trials": 2, "group": [
        {"plugin": "reference", "trials": 3},
        {"plugin": "idle"},
    ]});
    let resolve = |trials| {
        let config = RunConfig::resolve(Flags {
            recorded: Some(file.clone()),
            trials,
            ..Flags::default()
        })?;
        let each = config.groups.iter().map(|group| group.trials).collect();
        Ok::<(Vec<u32>, u32), anyhow::Error>((each, config.trials()))
    };
    assert_eq!(resolve(None).unwrap(), (vec![3, 2], 3));
    assert_eq!(resolve(Some(1)).unwrap(), (vec![1, 1], 1));
    assert!(
        resolve(Some(0))
            .unwrap_err()
            .to_string()
            .contains("at least 1")
    );
}

#[test]
fn nonsense_is_told() {
    for text in ["0", "many", "65", "-1"] {
        let error = text.parse::<Lanes>().unwrap_err().to_string();
        assert!(error.contains("auto"), "{error}");
    }
    let recorded = serde_json::json!({"schema": 1, "colour": "red"});
    let error = RunConfig::resolve(Flags {
        recorded: Some(recorded),
        ..Flags::default()
    });
    assert!(error.unwrap_err().to_string().contains("run.json"));
}
