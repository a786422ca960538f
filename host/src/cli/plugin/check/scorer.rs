//! A scorer in front of an episode in which nothing happened, twice.

use dynacu_runtime::Plugin;
use dynacu_runtime::types::{
    Duration, EndCause, Instant, PageEvent, Score, ScoreError, ScoredEpisode,
};

use super::Findings;

/// As the host hands it over for a task without settings.
const VALUES: &str = r#"{"values": {}, "settings": {}}"#;

pub(super) async fn check(plugin: &Plugin, findings: &mut Findings) {
    let scorer = match plugin.scorer() {
        Ok(scorer) => scorer,
        Err(failure) => return findings.failed("start", &failure),
    };
    let submitted = PageEvent {
        at: Instant::at(4_000),
        name: "submit".to_owned(),
        data: r#"{"form": "answer", "values": {}}"#.to_owned(),
    };
    for (part, events) in [
        ("no event", Vec::new()),
        ("a submission", vec![submitted.clone()]),
    ] {
        match scorer.judge(VALUES, events).await {
            Ok(None) => findings.ok(part, "judged as still pending"),
            Ok(Some(label)) if part == "no event" => findings.note(
                part,
                format!("judged as `{label}` before anything happened: return none while pending"),
            ),
            Ok(Some(label)) => findings.ok(part, format!("judged as `{label}`")),
            Err(failure) => return findings.failed(part, &failure),
        }
    }
    let mut scores = Vec::new();
    for _ in 0..2 {
        let episode = ScoredEpisode {
            task: "X-E1".to_owned(),
            variant_values: VALUES.to_owned(),
            page_events: vec![submitted.clone()],
            page_result: "pending".to_owned(),
            ended: EndCause::PolicyReturned,
            duration: Duration::of(30_000),
        };
        match scorer.score_episode(episode).await {
            Ok(score) => scores.push(score),
            Err(failure) => return findings.failed("score", &failure),
        }
    }
    if scores.first() != scores.last() {
        return findings.fault(
            "score",
            "the same episode got two different scores: use only the input",
        );
    }
    match scores.pop() {
        Some(Ok(score)) => judge(&score, findings),
        Some(Err(ScoreError::Unscorable(why))) => findings.note(
            "score",
            format!("unscorable without a task's [scorer.settings]: {why}"),
        ),
        Some(Err(ScoreError::MalformedResult(why))) => findings.note("score", why),
        None => {}
    }
}

fn judge(score: &Score, findings: &mut Findings) {
    if !(0.0..=1.0).contains(&score.value) {
        return findings.fault(
            "score",
            format!("its value is {}, but must be from 0 to 1", score.value),
        );
    }
    if score.explanation.is_empty() {
        findings.note(
            "score",
            "no explanation: one sentence helps whoever reads the result",
        );
    }
    findings.ok(
        "score",
        format!("{}, the same twice: {}", score.value, score.explanation),
    );
}
