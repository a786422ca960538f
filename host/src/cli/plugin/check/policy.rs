//! A policy in front of scripted episodes: with nothing granted, with all that it asks for, and with a model that fails.

use dynacu_runtime::types::{Assist, Channel, ModelError, PerformError, Point, Rect, Size};
use dynacu_runtime::{Limits, Plugin, PolicyEnd};
use dynacu_sdk_testing::{Model, Picture, Ran, Reply, Script};
use std::time::Duration;

use super::Findings;

/// Wall time of one dry run: the script's own time passes at once.
const WALL: Duration = Duration::from_secs(20);

pub(super) async fn check(plugin: &Plugin, settings: &str, findings: &mut Findings) {
    let manifest = &plugin.manifest;
    if !manifest.hosts.is_empty() {
        findings.note(
            "manifest",
            "`hosts` has no effect for a policy, which has no network",
        );
    }
    let model = || {
        if manifest.needs_model {
            obliging()
        } else {
            Model::nobody()
        }
    };
    let bare = run(plugin, script(&[]), model(), settings).await;
    report("standard", &bare, settings, findings);
    if !manifest.needs_model && !bare.requests.is_empty() {
        findings.note(
            "manifest",
            "it asked a model: write `needs_model = true` into plugin.toml if it cannot do without one",
        );
    }
    if !manifest.channels.is_empty() || !manifest.assists.is_empty() {
        let full = assisted(script(&manifest.channels), &manifest.assists);
        let full = run(plugin, full, model(), settings).await;
        report("all channels", &full, settings, findings);
    }
    if manifest.needs_model {
        let silent = Model::by_rule(|_| Some(Reply::fails(ModelError::Overloaded(None))));
        let ran = run(plugin, script(&manifest.channels), silent, settings).await;
        report("model fails", &ran, settings, findings);
    }
}

/// What a policy that plays a task's script is given: the shortest one that there is.
const SOLUTION: &str = "[[step]]\nwait = 0.1\n";

fn assisted(script: Script, assists: &[Assist]) -> Script {
    assists.iter().fold(script, |script, assist| match assist {
        Assist::Reading => script.with_reading(),
        Assist::Solution => script.with_solution(SOLUTION),
    })
}

async fn run(plugin: &Plugin, script: Script, model: Model, settings: &str) -> Ran {
    let limits = Limits {
        memory: plugin.manifest.memory_bytes(true),
        ..Limits::policy(WALL, [7; 32])
    };
    script.limited_to(limits).run(plugin, model, settings).await
}

/// A minute in front of a form: a toast, and sentences.
fn script(granted: &[Channel]) -> Script {
    let form = Picture::named("form");
    let corner = Rect {
        origin: Point { x: 900, y: 24 },
        size: Size {
            width: 320,
            height: 64,
        },
    };
    let toast = form.with_box("toast", corner, [255, 255, 255]);
    Script::new("Enter the code that is said into the field, and submit it.")
        .granting(granted.iter().copied())
        .shows(0, form.clone())
        .says(1_000, 3_200, "The code is four seven one one.")
        .shows(7_000, toast)
        .shows(9_000, form)
        .says(11_000, 12_500, "Please enter it now.")
}

/// A model that answers whatever it is asked, in turn with every common action.
fn obliging() -> Model {
    let mut count = 0;
    Model::by_rule(move |_| {
        count += 1;
        Some(match count {
            1 => Reply::calls(&[("wait", r#"{"seconds": 1}"#)]),
            2 => Reply::calls(&[("click", r#"{"x": 640, "y": 360}"#)]),
            3 => Reply::calls(&[
                ("type", r#"{"text": "4711"}"#),
                ("key", r#"{"combo": "Return"}"#),
            ]),
            _ => Reply::calls(&[("done", "{}")]),
        })
    })
}

fn report(part: &'static str, ran: &Ran, settings: &str, findings: &mut Findings) {
    let did = format!(
        "{} observations, {} model calls, {} actions",
        ran.observations,
        ran.requests.len(),
        ran.done().len()
    );
    match &ran.end {
        PolicyEnd::Returned => findings.ok(part, format!("{did}; it returned")),
        PolicyEnd::GaveUp(why) => findings.ok(part, format!("{did}; it gave up: {why}")),
        PolicyEnd::ModelRefused(why) | PolicyEnd::ModelMalformed(why) => {
            findings.note(part, format!("{did}; it could not use the answers: {why}"));
        }
        // Without a file there may be none that would do.
        PolicyEnd::BadSettings(why) if settings == "{}" => findings.note(
            part,
            format!("it needs other settings ({why}): give them with --settings FILE"),
        ),
        PolicyEnd::BadSettings(why) => {
            findings.fault(part, format!("it cannot use these settings: {why}"));
        }
        PolicyEnd::Failed(failure)
            if part == "model fails"
                && ran.observations > 0
                && failure.kind == dynacu_runtime::FailureKind::Error =>
        {
            findings.ok(part, format!("{did}; it ended: {}", failure.detail));
        }
        PolicyEnd::Failed(failure) => findings.failed(part, failure),
    }
    for error in ran.refused.iter().take(3) {
        if let PerformError::TooMany { count } = error {
            let text = format!("a batch of {count} actions was refused: pass 64 at most");
            findings.note(part, text);
        }
    }
    for refused in ran
        .performed
        .iter()
        .filter(|one| one.refused.is_some())
        .take(3)
    {
        if let Some(error) = &refused.refused {
            findings.note(part, format!("refused: {}: {error}", refused.action));
        }
    }
}
