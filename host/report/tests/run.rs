//! A made-up run read and reported: the figures against counts of the records themselves, what is missing said, nothing of a
//! record able to break a page.

#[path = "../benches/synthetic.rs"]
mod synthetic;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dynacu_record::{EndCause, EpisodeResult, Outcome, read_episode, read_run};
use dynacu_report::model::{Kind, Weight};
use dynacu_report::{Error, Report, copy, write};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const SIZE: synthetic::Size = synthetic::Size {
    tasks: 12,
    modes: 5,
    models: 2,
    trials: 3,
};

fn run() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    synthetic::write(folder.path(), &SIZE, 3)?;
    Ok(folder)
}

/// Every result, found and read without the code under test.
fn results(folder: &Path) -> Result<Vec<(PathBuf, EpisodeResult)>> {
    let mut results = Vec::new();
    let mut folders = vec![folder.join("episodes")];
    while let Some(folder) = folders.pop() {
        if folder.join("episode.json").exists() {
            results.push((folder.clone(), read_episode(&folder)?));
            continue;
        }
        for inside in fs::read_dir(&folder)? {
            folders.push(inside?.path());
        }
    }
    Ok(results)
}

fn warned(report: &Report, words: &str) -> bool {
    report
        .notes
        .iter()
        .any(|note| note.weight == Weight::Warning && note.text.contains(words))
}

#[test]
fn the_figures_are_those_of_the_records() {
    let folder = run().unwrap();
    let report = write(folder.path()).unwrap();
    let results = results(folder.path()).unwrap();
    assert_eq!(report.counts.episodes as usize, results.len());
    assert_eq!(
        report.agents.len(),
        2,
        "each mode's own policy is one agent a model"
    );
    assert_eq!(report.conditions.len(), 10);
    for condition in &report.conditions {
        let model = report.agents[condition.agent].model.clone().unwrap();
        let mut tasks: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        let mut lost = 0;
        for (_, result) in &results {
            if result.mode != condition.mode || result.model.as_ref().unwrap().model != model {
                continue;
            }
            if result.outcome == Outcome::InfrastructureError {
                lost += 1;
                continue;
            }
            let task = tasks.entry(result.task.clone()).or_default();
            task.0 += u32::from(result.outcome == Outcome::Passed);
            task.1 += 1;
        }
        let mean = tasks
            .values()
            .map(|t| f64::from(t.0) / f64::from(t.1))
            .sum::<f64>()
            / tasks.len() as f64;
        let share = condition.success.as_ref().unwrap();
        assert!((share.value - mean).abs() < 1e-12);
        assert_eq!(condition.counts.infrastructure_errors, lost);
        let interval = share.interval.unwrap();
        assert!(interval.low <= mean && mean <= interval.high && interval.low < interval.high);
        let lost_facts: u64 = condition.stages.values().sum();
        assert_eq!(
            lost_facts,
            condition.counts.counted - condition.counts.passed
        );
    }
    assert_eq!(report.headline.len(), 2);
    assert!(
        report
            .comparisons
            .iter()
            .any(|comparison| comparison.kind == Kind::Agent)
    );
    assert_eq!(report.tasks.len(), 12);
}

#[test]
fn every_form_of_it_is_written_and_links_lead_somewhere() {
    let folder = run().unwrap();
    let report = write(folder.path()).unwrap();
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["counts"]["passed"], report.counts.passed);
    let markdown = fs::read_to_string(folder.path().join("report.md")).unwrap();
    for line in markdown.lines().filter(|line| line.starts_with('|')) {
        assert!(line.ends_with('|'), "{line}");
    }
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    let links: Vec<&str> = html
        .split("href=\"episodes/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(links.len() as u64, report.counts.episodes);
    for link in links {
        assert!(
            folder.path().join("episodes").join(link).is_file(),
            "{link}"
        );
    }
    for outside in ["http://", "https://", "src="] {
        assert!(!html.contains(outside), "{outside} in report.html");
    }
}

#[test]
fn what_is_missing_or_was_touched_is_said_and_the_rest_is_reported() {
    let folder = run().unwrap();
    let results = results(folder.path()).unwrap();
    fs::remove_file(results[0].0.join("episode.json")).unwrap();
    fs::write(results[1].0.join("episode.json"), "{").unwrap();
    let events = results[2].0.join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    fs::write(&events, text.replacen("Do what", "Do not what", 1)).unwrap();
    let report = write(folder.path()).unwrap();
    assert_eq!(report.counts.unfinished, 1);
    assert_eq!(report.counts.unreadable, 1);
    assert_eq!(report.counts.episodes as usize, results.len() - 2);
    assert!(warned(&report, "not finished"));
    assert!(warned(&report, "Results that cannot be read"));
    assert!(warned(&report, "changed or cut"));
    assert!(!results[2].0.join("view.html").exists());
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("Its events cannot be read"));
}

#[test]
fn a_copy_has_the_report_and_the_time_lines_that_were_asked_for() {
    let folder = run().unwrap();
    let results = results(folder.path()).unwrap();
    let chosen = results[0].0.strip_prefix(folder.path()).unwrap();
    fs::create_dir_all(results[0].0.join("blobs")).unwrap();
    let picture = image::RgbImage::from_pixel(64, 36, image::Rgb([200, 10, 10]));
    picture.save(results[0].0.join("blobs/0a.png")).unwrap();
    let mut info = read_run(folder.path()).unwrap();
    info.command = vec!["/somewhere/dynacu-host".to_owned(), "--out".to_owned()];
    dynacu_record::write_json(&folder.path().join("run.json"), &info).unwrap();

    let elsewhere = tempfile::tempdir().unwrap();
    let to = elsewhere.path().join("copy");
    let with = [chosen.to_str().unwrap().to_owned()];
    copy(folder.path(), &to, &with).unwrap();
    let html = fs::read_to_string(to.join("report.html")).unwrap();
    let links: Vec<&str> = html.split("href=\"episodes/").skip(1).collect();
    assert_eq!(links.len(), 1);
    assert!(to.join(chosen).join("view.html").is_file());
    let small = image::open(to.join(chosen).join("blobs/0a.jpg")).unwrap();
    assert_eq!((small.width(), small.height()), (32, 18));
    for name in ["report.json", "report.md"] {
        let text = fs::read_to_string(to.join(name)).unwrap();
        assert!(!text.contains("/somewhere"), "{name}");
    }
    assert!(!folder.path().join("report.html").exists());

    assert!(matches!(
        copy(folder.path(), &to, &[]),
        Err(Error::NotEmpty(_))
    ));
    let nobody = ["nobody/standard".to_owned()];
    let other = elsewhere.path().join("other");
    assert!(matches!(
        copy(folder.path(), &other, &nobody),
        Err(Error::NoEpisode(_))
    ));
    assert!(!other.exists());
}

#[test]
fn what_a_run_went_through_is_said() {
    let folder = run().unwrap();
    let results = results(folder.path()).unwrap();
    let (at, mut late) = results.into_iter().next().unwrap();
    late.outcome = Outcome::InfrastructureError;
    late.cause = EndCause::CaptureLate;
    dynacu_record::write_json(&at.join("episode.json"), &late).unwrap();
    let mut info = read_run(folder.path()).unwrap();
    info.planned = 12 * 5 * 2 * 3 + 7;
    info.resumed = vec![info.started + 100];
    info.lanes = 4;
    dynacu_record::write_json(&folder.path().join("run.json"), &info).unwrap();
    let report = write(folder.path()).unwrap();
    assert!(warned(&report, "367 planned episodes 7 were not started"));
    assert!(warned(&report, "too slow for 1 episode (`capture-late`)"));
    let noted = |words: &str| report.notes.iter().any(|note| note.text.contains(words));
    assert!(noted("interrupted and resumed 1 time"));
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("4 lanes"));
}

#[test]
fn a_run_without_two_modes_has_no_headline_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let size = synthetic::Size {
        modes: 1,
        trials: 1,
        ..SIZE
    };
    synthetic::write(folder.path(), &size, 3).unwrap();
    let report = write(folder.path()).unwrap();
    assert!(report.headline.is_empty() && report.repeats.is_empty());
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("there is no headline"));
    assert!(html.contains("need at least two"));
}

#[test]
fn no_run_and_an_empty_run_are_errors_that_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(write(folder.path()), Err(Error::NoRun(_))));
    let size = synthetic::Size { tasks: 0, ..SIZE };
    synthetic::write(folder.path(), &size, 3).unwrap();
    assert!(matches!(write(folder.path()), Err(Error::Empty(_))));
}

#[test]
fn text_of_a_record_cannot_end_a_script() {
    let folder = tempfile::tempdir().unwrap();
    let size = synthetic::Size {
        tasks: 1,
        modes: 1,
        models: 1,
        trials: 1,
    };
    synthetic::write(folder.path(), &size, 3).unwrap();
    let (at, mut result) = results(folder.path()).unwrap().remove(0);
    result.detail = "</script><script>alert(1)</script>".to_owned();
    result.page_result = "<img src=x onerror=alert(1)>".to_owned();
    dynacu_record::write_json(&at.join("episode.json"), &result).unwrap();
    let text = fs::read_to_string(at.join("events.jsonl")).unwrap();
    let first = text
        .lines()
        .next()
        .unwrap()
        .replacen("<now>", "</script><b>", 1);
    fs::write(at.join("events.jsonl"), format!("{first}\n")).unwrap();
    write(folder.path()).unwrap();
    let page = fs::read_to_string(at.join("view.html")).unwrap();
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.contains("\\u003c/script>\\u003cb>") || page.contains("\\u003c/script>"));
    assert!(!page.contains("<b>"));
}
