//! The report and the episode page in a real browser, and both commands over made-up records.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use chromiumoxide::{Browser, BrowserConfig, Page};
use dynacu_record::{EndCause, Event, Outcome, PageEvent, Writer};
use dynacu_tests::dynacu_host;
use futures::StreamExt;
use serde_json::{Value, json};

#[path = "../host/report/benches/synthetic.rs"]
mod synthetic;

/// A run of six tasks in five modes by two models, three trials each, reported by the command.
fn reported() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let size = synthetic::Size {
        tasks: 6,
        modes: 5,
        models: 2,
        trials: 3,
    };
    synthetic::write(folder.path(), &size, 7).map_err(|error| anyhow::anyhow!("{error}"))?;
    sounds(&folder.path().join("episodes"))?;
    let output = dynacu_host(&[
        "report",
        folder.path().to_str().context("a path of letters")?,
    ])?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(folder)
}

/// Five seconds of a tone beside each episode's events.
fn sounds(folder: &Path) -> Result<()> {
    if folder.join("events.jsonl").exists() {
        let tone: Vec<i16> = (0..80_000).map(|i: i32| (i % 40) as i16 * 50).collect();
        dynacu_host::capture::flac::write(&folder.join("heard.flac"), 16_000, &tone)?;
        return Ok(());
    }
    for inside in std::fs::read_dir(folder)? {
        let path = inside?.path();
        if path.is_dir() {
            sounds(&path)?;
        }
    }
    Ok(())
}

/// Headless Chromium with one page, and whatever the page complains about.
struct Window {
    browser: Browser,
    page: Page,
    pump: tokio::task::JoinHandle<()>,
    // The profile lives as long as the browser.
    _profile: tempfile::TempDir,
}

impl Window {
    async fn open(file: &Path) -> Result<Window> {
        let profile = tempfile::tempdir()?;
        let config = BrowserConfig::builder()
            .chrome_executable("/usr/bin/chromium")
            .no_sandbox()
            // A page that still glides is clicked beside what was meant.
            .arg("--force-prefers-reduced-motion")
            .user_data_dir(profile.path())
            .window_size(1200, 900)
            .build()
            .map_err(anyhow::Error::msg)?;
        let (browser, mut events) = Browser::launch(config).await?;
        let pump = tokio::spawn(async move { while events.next().await.is_some() {} });
        let page = browser.new_page("about:blank").await?;
        // Complaints are collected before anything of the page runs.
        page.evaluate_on_new_document(
            "window.complaints = []; addEventListener('error', (e) => complaints.push(e.message)); \
             addEventListener('unhandledrejection', (e) => complaints.push(String(e.reason)));",
        )
        .await?;
        page.goto(format!("file://{}", file.display())).await?;
        page.wait_for_navigation().await?;
        Ok(Window {
            browser,
            page,
            pump,
            _profile: profile,
        })
    }

    async fn says(&self, script: &str) -> Result<Value> {
        Ok(self.page.evaluate(script).await?.into_value()?)
    }

    async fn click(&self, selector: &str) -> Result<()> {
        self.page.find_element(selector).await?.click().await?;
        Ok(())
    }

    async fn close(mut self) -> Result<()> {
        self.browser.close().await?;
        self.browser.wait().await?;
        self.pump.abort();
        Ok(())
    }
}

#[tokio::test]
async fn the_report_is_clicked_through_to_the_step_that_failed() {
    let run = reported().unwrap();
    let window = Window::open(&run.path().join("report.html")).await.unwrap();

    // Nothing is fetched from anywhere, and every section has something in it.
    let outside = window
        .says("performance.getEntriesByType('resource').filter((r) => !r.name.startsWith('file:') && !r.name.startsWith('data:')).length")
        .await
        .unwrap();
    assert_eq!(outside, 0);
    let empty = window
        .says("[...document.querySelectorAll('main section')].filter((s) => s.textContent.trim().length < 40).map((s) => s.id)")
        .await
        .unwrap();
    assert_eq!(empty, serde_json::json!([]));
    let charts = window
        .says("document.querySelectorAll('svg.chart').length")
        .await
        .unwrap();
    assert!(charts.as_u64().unwrap() >= 6, "{charts} charts");

    // Every mark tells a screen reader what it is, and shows the same when it has the focus.
    let mute = window
        .says("[...document.querySelectorAll('.mark')].filter((m) => !m.getAttribute('aria-label') || m.tabIndex !== 0).length")
        .await
        .unwrap();
    assert_eq!(mute, 0);
    let shown = window
        .says(
            "(() => { const mark = document.querySelector('#success .mark'); mark.focus(); \
               return !tip.hidden && tip.textContent === mark.getAttribute('aria-label'); })()",
        )
        .await
        .unwrap();
    assert_eq!(shown, true);

    // The filter leaves tasks of that name only.
    let find = window.page.find_element("#find").await.unwrap();
    find.focus().await.unwrap().type_str("A-E2").await.unwrap();
    until(
        &window,
        "document.getElementById('shown').textContent === '1 of 6 tasks'",
    )
    .await
    .unwrap();
    window
        .says("find.value = ''; find.dispatchEvent(new Event('input')); 0")
        .await
        .unwrap();

    // Dark and light.
    window.click("#theme").await.unwrap();
    let paper = "getComputedStyle(document.body).backgroundColor";
    let one = window.says(paper).await.unwrap();
    window.click("#theme").await.unwrap();
    until(&window, &format!("{paper} !== {one}")).await.unwrap();

    // From a failed episode's sign to its page, and there to where it went wrong.
    window.click("#tasks-table a.sign.failed").await.unwrap();
    window.page.wait_for_navigation().await.unwrap();
    until(&window, "!!document.getElementById('jump')")
        .await
        .unwrap();
    window.click("#jump").await.unwrap();
    let at = window
        .says("[Number(document.getElementById('line').getAttribute('aria-valuenow')), data.look_at.t]")
        .await
        .unwrap();
    assert_eq!(at[0], at[1]);
    assert!(at[1].as_u64().unwrap() > 0);
    let caption = window
        .says("document.getElementById('caption').textContent")
        .await
        .unwrap();
    assert!(caption.as_str().unwrap().starts_with("Here: "), "{caption}");

    // Play moves on, and the keyboard goes back.
    window.says("seek(0); 0").await.unwrap();
    window.click("#play").await.unwrap();
    until(&window, "now > 300").await.unwrap();
    // The sound is what keeps the time, so it is where the picture is.
    until(
        &window,
        "(() => { const heard = audios.find((audio) => audio.dataset.of === 'heard.flac'); \
           return !heard.paused && heard.currentTime > 0.3 && Math.abs(heard.currentTime * 1000 - now) < 200; })()",
    )
    .await
    .unwrap();
    window.click("#play").await.unwrap();
    window
        .says("document.getElementById('line').focus(); 0")
        .await
        .unwrap();
    window
        .page
        .find_element("#line")
        .await
        .unwrap()
        .press_key("Home")
        .await
        .unwrap();
    assert_eq!(window.says("now").await.unwrap(), 0);

    // Back to the task's row.
    window.click("header a").await.unwrap();
    until(&window, "location.hash.startsWith('#task-')")
        .await
        .unwrap();
    assert_eq!(
        window.says("complaints").await.unwrap(),
        serde_json::json!([])
    );
    window.close().await.unwrap();
}

#[tokio::test]
async fn nothing_is_wider_than_a_phone() {
    let run = reported().unwrap();
    let window = Window::open(&run.path().join("report.html")).await.unwrap();
    let narrow =
        chromiumoxide::cdp::browser_protocol::emulation::SetDeviceMetricsOverrideParams::new(
            360, 740, 2.0, true,
        );
    window.page.execute(narrow).await.unwrap();
    let wide = "document.documentElement.scrollWidth <= 360";
    until(&window, wide).await.unwrap();
    let failed = window
        .says("document.querySelector('#tasks-table a.sign.failed').href")
        .await
        .unwrap();
    window.page.goto(failed.as_str().unwrap()).await.unwrap();
    until(&window, "!!document.getElementById('jump')")
        .await
        .unwrap();
    until(&window, wide).await.unwrap();
    window.close().await.unwrap();
}

/// Waits until a page's condition holds.
async fn until(window: &Window, condition: &str) -> Result<()> {
    for _ in 0..600 {
        // While a page is being left there is nobody to answer.
        if let Ok(Value::Bool(true)) = window.says(condition).await {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("the page never came to: {condition}")
}

#[test]
fn report_of_no_run_says_what_to_name() {
    let folder = tempfile::tempdir().unwrap();
    let output = dynacu_host(&["report", folder.path().to_str().unwrap()]).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("run.json"), "{errors}");
}

#[test]
fn rescore_finds_the_one_episode_whose_score_was_changed() {
    let run = tempfile::tempdir().unwrap();
    let size = synthetic::Size {
        tasks: 1,
        modes: 1,
        models: 1,
        trials: 3,
    };
    synthetic::write(run.path(), &size, 7).unwrap();
    let trials = run
        .path()
        .join("episodes/standard+model-1/standard/A-E1-made-up");
    for (trial, answer, passed) in [("1", "$32", true), ("2", "$99", true), ("3", "$99", false)] {
        answered(&trials.join(trial), answer, passed).unwrap();
    }
    let output = dynacu_host(&["rescore", run.path().to_str().unwrap(), "--json"]).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{errors}"));
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(told["changed"], 1, "{told:#}");
    let changed: Vec<&Value> = told["episodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["changed"] == true)
        .collect();
    assert_eq!(changed[0]["trial"], 2);
    assert_eq!(changed[0]["old"]["outcome"], "passed");
    assert_eq!(changed[0]["new"]["outcome"], "failed");
    assert_eq!(changed[0]["new"]["page_result"], "wrong_answer");
    // The record itself stays as it was.
    let kept = dynacu_record::read_episode(&trials.join("2")).unwrap();
    assert_eq!(kept.page_result, "price_correct");
}

/// An episode of A-E1 with one answer of two possible prices, and the score that its record claims.
fn answered(folder: &Path, answer: &str, passed: bool) -> Result<()> {
    let mut result = dynacu_record::read_episode(folder)?;
    let (writer, recorder) = Writer::start(folder)?;
    let settings = json!({"form": "entry", "field": "price", "value": "32", "type": "money",
        "success": "price_correct", "failure": "wrong_answer"});
    recorder.event(0, beginning(json!({"values": {}, "settings": settings}))?);
    recorder.event(
        9000,
        Event::Page(PageEvent {
            at: 8990,
            name: "submit".to_owned(),
            data: json!({"form": "entry", "values": {"price": answer}}),
        }),
    );
    recorder.event(
        9100,
        Event::Ended {
            cause: EndCause::TaskEnded,
            detail: String::new(),
        },
    );
    drop(recorder);
    writer.finish()?;
    result.cause = EndCause::TaskEnded;
    result.outcome = if passed {
        Outcome::Passed
    } else {
        Outcome::Failed
    };
    result.page_result = if passed {
        "price_correct"
    } else {
        "wrong_answer"
    }
    .to_owned();
    if let Some(score) = &mut result.score {
        score.passed = passed;
        score.value = f64::from(u8::from(passed));
    }
    dynacu_record::write_json(&folder.join("episode.json"), &result)?;
    Ok(())
}

fn beginning(variant: Value) -> Result<Event> {
    Ok(serde_json::from_value(json!({
        "event": "episode-started", "schema": 2, "task": "A-E1", "mode": "standard", "trial": 1, "seed": "1", "sub_seed": 0,
        "variant": variant, "policy": "standard", "settings": "{}", "model": null, "assists": [], "guest_random": "",
        "brief": {"episode": "", "instruction": "", "screen": [1280, 720], "pace_ms": 5000, "time_limit_ms": 60000,
            "step_limit": 10, "granted": []},
        "perception": {"fps": 3.0, "gate": "local", "gate_key": "", "pixel_threshold": null, "semantic_threshold": null,
            "burst": false, "encoder": ""},
        "moments": [],
    }))?)
}
