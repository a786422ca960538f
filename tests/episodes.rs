//! One real episode of each kind: heard, seen, spoken. Sound leaves Chromium, pixels come from the X server, speech enters
//! the page's microphone. What is asserted is order and content, never milliseconds.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use dynacu_record::vocabulary::Action;
use dynacu_record::{
    EndCause, EpisodeResult, Event, Line, Outcome, PageEvent, ReadError, read_events,
};
use dynacu_tests::{checkout, episode, only_once};

fn position(events: &[Line], what: &str, is: impl Fn(&Event) -> bool) -> usize {
    events
        .iter()
        .position(|entry| is(&entry.event))
        .unwrap_or_else(|| panic!("the record has no {what}"))
}

fn transcript(folder: &Path) -> Result<String, ReadError> {
    let events = read_events(folder)?;
    let sentences: Vec<String> = events
        .into_iter()
        .filter_map(|entry| match entry.event {
            Event::Sentence { sentence } => Some(sentence.text),
            _ => None,
        })
        .collect();
    Ok(sentences.join(" "))
}

#[test]
fn a_price_is_heard_in_a_podcast_and_typed() {
    let ran = episode("reference", "A-E1", "aoi_audio", 0).unwrap();
    assert_eq!(ran.result.outcome, Outcome::Passed, "{:?}", ran.result);
    assert_eq!(ran.result.page_result, "price_correct");
    assert!(ran.folder.join("heard.flac").metadata().unwrap().len() > 100_000);
    assert!(
        transcript(&ran.folder).unwrap().len() > 100,
        "the review was not heard"
    );

    let events = read_events(&ran.folder).unwrap();
    let started = position(&events, "start", |event| {
        matches!(event, Event::PageStarted { .. })
    });
    let typed = position(&events, "typed price", |event| {
        matches!(
            event,
            Event::ActionDone {
                action: Action::Type { .. },
                ..
            }
        )
    });
    let submitted = position(
        &events,
        "submission",
        |event| matches!(event, Event::Page(PageEvent { name, .. }) if name == "submit"),
    );
    let verdict = position(&events, "verdict", |event| {
        matches!(event, Event::Verdict { .. })
    });
    assert!(started < typed && typed < submitted && submitted < verdict);
    assert!(
        !events
            .iter()
            .any(|entry| matches!(entry.event, Event::Read { .. })),
        "nothing had to be read"
    );
}

#[test]
fn two_toasts_are_seen_between_screenshots_and_typed() {
    let ran = episode("reference", "F-E1", "aoi_visual", 0).unwrap();
    assert_eq!(ran.result.outcome, Outcome::Passed, "{:?}", ran.result);
    let events = read_events(&ran.folder).unwrap();
    let kept = events
        .iter()
        .filter(|entry| matches!(entry.event, Event::Keyframe { .. }))
        .count();
    assert!(
        kept >= 2,
        "both toasts must have been kept, {kept} frames were"
    );
    let audio = events.iter().any(|entry| {
        matches!(&entry.event, Event::Observation { observation, .. }
            if observation.recent_audio.is_some() || observation.audio_context.is_some())
    });
    assert!(!audio, "aoi_visual gives no sound");
}

#[test]
fn a_question_is_heard_and_its_answer_spoken_into_the_microphone() {
    let ran = episode("reference", "H-E1", "aoi_interactive", 0).unwrap();
    assert_eq!(ran.result.outcome, Outcome::Passed, "{:?}", ran.result);
    assert!(ran.folder.join("spoken.flac").metadata().unwrap().len() > 10_000);
    let events = read_events(&ran.folder).unwrap();
    let spoke = position(&events, "spoken answer", |event| {
        matches!(
            event,
            Event::ActionDone {
                action: Action::Speak { .. },
                ..
            }
        )
    });
    let heard_by_page = position(
        &events,
        "utterance",
        |event| matches!(event, Event::Page(PageEvent { name, .. }) if name == "utterance"),
    );
    let opened = position(
        &events,
        "window",
        |event| matches!(event, Event::Page(PageEvent { name, .. }) if name == "window-opened"),
    );
    assert!(opened < spoke && opened < heard_by_page);
}

#[test]
fn screenshots_alone_do_not_solve_a_task_of_two_toasts() {
    let ran = episode("reference", "F-E1", "standard", 0).unwrap();
    assert_ne!(ran.result.outcome, Outcome::Passed, "{:?}", ran.result);
    let events = read_events(&ran.folder).unwrap();
    for entry in &events {
        if let Event::Observation { observation, .. } = &entry.event {
            assert!(observation.keyframes.is_empty());
            assert!(observation.recent_audio.is_none() && observation.audio_context.is_none());
        }
    }
    assert!(
        events
            .iter()
            .any(|entry| matches!(entry.event, Event::Keyframe { .. })),
        "the host sees in every mode; only the policy does not"
    );
}

#[test]
fn a_page_of_somebody_else_speaks_with_the_browser_s_voice_and_tells_its_result() {
    let arguments = [
        "--plugin",
        "idle",
        "--page",
        "tests/fixtures/pages/announcement.html",
        "--instruction",
        "Press the platform that is announced.",
        "--success",
        "announced",
        "--time-limit",
        "60",
        "--mode",
        "aoi_full",
    ];
    let ran = only_once(&checkout(), &arguments, &[]).unwrap();
    assert_eq!(ran.result.outcome, Outcome::Passed, "{:?}", ran.result);
    assert_eq!(ran.result.task, "PAGE");
    let heard = transcript(&ran.folder).unwrap().to_lowercase();
    assert!(
        heard.contains("platform") && heard.contains("train"),
        "what speech-dispatcher said was not heard: {heard:?}"
    );
}

/// A page that says far too much wherever it can, in a folder with its script.
#[test]
fn a_page_that_shouts_is_cut_and_lasts_until_its_limit() {
    let arguments = [
        "--plugin",
        "idle",
        "--page",
        "tests/fixtures/pages/loud",
        "--instruction",
        "Wait.",
        "--success",
        "over",
        "--failure",
        "lost",
        "--time-limit",
        "8",
        "--mode",
        "standard",
    ];
    let ran = only_once(&checkout(), &arguments, &[]).unwrap();
    // No result of its was success or failure: it is asked at its end.
    assert_eq!(ran.result.cause, EndCause::TimeLimit, "{:?}", ran.result);
    assert_eq!(ran.result.outcome, Outcome::Timeout);
    assert!(ran.result.page_result.len() < 20_000);
    for name in ["events.jsonl", "episode.json"] {
        let size = ran.folder.join(name).metadata().unwrap().len();
        assert!(size < 1_000_000, "{name} has {size} bytes");
    }
}

/// A server of somebody else's, as long as it lives.
struct Serving(Child, u16);

impl Serving {
    fn start(folder: &Path) -> Result<Self> {
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut said = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut said)?;
        let words = said.split_whitespace().skip_while(|word| *word != "port");
        let port = words.skip(1).find_map(|port| port.parse().ok());
        Ok(Self(
            child,
            port.with_context(|| format!("no port: {said}"))?,
        ))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_page_on_the_loopback_is_asked_until_it_says_that_it_is_over() {
    let server = Serving::start(&checkout().join("tests/fixtures/pages")).unwrap();
    let address = format!("http://127.0.0.1:{}/counter.html", server.1);
    let arguments = [
        "--plugin",
        "idle",
        "--page",
        &address,
        "--instruction",
        "Wait.",
        "--success",
        "done",
        "--failure",
        "over",
        "--time-limit",
        "60",
        "--mode",
        "standard",
    ];
    let ran = only_once(&checkout(), &arguments, &[]).unwrap();
    assert_eq!(ran.result.cause, EndCause::TaskEnded, "{:?}", ran.result);
    assert_eq!(ran.result.outcome, Outcome::Failed);
    assert_eq!(ran.result.page_result, "over");
}

/// What comes of an episode in which nobody does anything.
fn left_alone(page: &str, seconds: &str) -> Result<EpisodeResult> {
    let arguments = [
        "--plugin",
        "idle",
        "--page",
        page,
        "--instruction",
        "Wait.",
        "--success",
        "over",
        "--time-limit",
        seconds,
        "--mode",
        "standard",
    ];
    Ok(only_once(&checkout(), &arguments, &[])?.result)
}

#[test]
fn a_dialog_that_opens_while_the_page_loads_is_left_to_the_policy() {
    // Longer than a page without a dialog may be silent.
    let result = left_alone("tests/fixtures/pages/asks.html", "40").unwrap();
    assert_eq!(result.cause, EndCause::TimeLimit, "{result:?}");
    assert_eq!(result.outcome, Outcome::Timeout);
}

#[test]
fn a_page_that_hangs_is_named_however_soon_the_time_is_over() {
    for seconds in ["8", "60"] {
        let result = left_alone("tests/fixtures/pages/hangs.html", seconds).unwrap();
        assert_eq!(result.cause, EndCause::PageHung, "{result:?}");
        assert_eq!(result.outcome, Outcome::InfrastructureError);
    }
}
