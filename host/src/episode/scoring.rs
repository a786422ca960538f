//! The last call of an episode: its score.

use dynacu_record::{EndCause as Cause, ScoreResult};
use dynacu_runtime::Scorer;
use dynacu_runtime::types::{Duration, EndCause, ScoreError, ScoredEpisode};

use super::judge::Judge;
use crate::task::prepare::Prepared;

/// Asks the scorer. None where the cause leaves nothing to score: the agent or the infrastructure failed.
pub(crate) async fn score(
    judge: &Judge,
    task: &Prepared,
    page_result: &str,
    cause: Cause,
    duration: u64,
) -> Option<Result<ScoreResult, String>> {
    let ended = ended(cause)?;
    let Some(scorer) = judge.scorer() else {
        let success = task.foreign.as_ref().map(|page| page.success.as_str());
        return Some(Ok(of_page(page_result, success.unwrap_or_default())));
    };
    let episode = ScoredEpisode {
        task: task.manifest().id.clone(),
        variant_values: task.variant.scorer_input.to_string(),
        page_events: judge.page_events(),
        page_result: page_result.to_owned(),
        ended,
        duration: Duration::of(duration),
    };
    Some(ask(scorer, episode).await)
}

/// The score of a page that tells its result itself.
pub(crate) fn of_page(page_result: &str, success: &str) -> ScoreResult {
    let passed = success == page_result;
    ScoreResult {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        explanation: format!("the page's result is {page_result}, success is {success}"),
        metrics: std::collections::BTreeMap::new(),
    }
}

/// What a scorer is told of an end; none where it leaves nothing to score.
pub(crate) fn ended(cause: Cause) -> Option<EndCause> {
    Some(match cause {
        Cause::Done => EndCause::Done,
        Cause::TaskEnded => EndCause::TaskEnded,
        Cause::TimeLimit => EndCause::TimeLimit,
        Cause::StepLimit => EndCause::StepLimit,
        Cause::Budget => EndCause::Budget,
        Cause::LeftPage => EndCause::LeftPage,
        Cause::Operator => EndCause::Operator,
        Cause::PolicyReturned => EndCause::PolicyReturned,
        Cause::GuestTimeout
        | Cause::GuestOutOfMemory
        | Cause::GuestTrap
        | Cause::GuestOutputTooLarge
        | Cause::GuestError
        | Cause::ModelRefused
        | Cause::ModelMalformed
        | Cause::ModelAuthentication
        | Cause::ModelQuota
        | Cause::ProviderOutage
        | Cause::PageFailed
        | Cause::PageHung
        | Cause::BrowserLost
        | Cause::SoundLost
        | Cause::ScreenLost
        | Cause::CaptureLate
        | Cause::LaneCheckFailed
        | Cause::RecordLost
        | Cause::HostError => return None,
    })
}

/// The score of a whole episode; the error says why there is none.
pub(crate) async fn ask(scorer: &Scorer, episode: ScoredEpisode) -> Result<ScoreResult, String> {
    match scorer.score_episode(episode).await {
        Ok(Ok(score)) => Ok(ScoreResult {
            value: score.value,
            passed: score.passed,
            explanation: score.explanation,
            metrics: score
                .metrics
                .into_iter()
                .map(|metric| match metric.unit {
                    Some(unit) => (format!("{} [{unit}]", metric.name), metric.value),
                    None => (metric.name, metric.value),
                })
                .collect(),
        }),
        Ok(Err(ScoreError::MalformedResult(text) | ScoreError::Unscorable(text))) => Err(text),
        Err(failure) => Err(format!("the scorer failed: {}", failure.detail)),
    }
}
