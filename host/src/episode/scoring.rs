//! The last call of an episode: its score.

use dynacu_record::{EndCause as Cause, ScoreResult};
use dynacu_runtime::types::{EndCause, ScoreError, ScoredEpisode};

use super::Trial;
use super::judge::Judge;

/// Asks the scorer. None where the cause leaves nothing to score: the agent or the infrastructure failed.
pub async fn score(
    judge: &Judge,
    trial: &Trial,
    page_result: &str,
    cause: Cause,
    duration: u64,
) -> Option<Result<ScoreResult, String>> {
    let ended = match cause {
        Cause::Done => EndCause::Done,
        Cause::TaskEnded => EndCause::TaskEnded,
        Cause::TimeLimit => EndCause::TimeLimit,
        Cause::StepLimit => EndCause::StepLimit,
        Cause::Budget => EndCause::Budget,
        Cause::LeftPage => EndCause::LeftPage,
        Cause::Operator => EndCause::Operator,
        Cause::PolicyReturned => EndCause::PolicyReturned,
        _ => return None,
    };
    let episode = ScoredEpisode {
        task: trial.task.task.manifest.id.clone(),
        variant_values: trial.task.variant.scorer_input.to_string(),
        page_events: judge.page_events(),
        page_result: page_result.to_owned(),
        ended,
        duration,
    };
    Some(match judge.scorer().score_episode(episode).await {
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
    })
}
