//! What a scorer implements, and the parts of its input.

pub use crate::bindings::scorer::exports::dynacu::scoring::scorer::{
    EndCause, Episode, Metric, PageEvent, Score, ScoreError,
};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Pure functions of what the page did: no clock, no network, no randomness, so that an old record can be scored
/// again. Export it with [`export_scorer!`](crate::export_scorer).
///
/// ```
/// use dynacu_sdk::scoring::{Episode, PageEvent, Score, ScoreError, Scorer};
///
/// /// The page posts `saved` when it has saved.
/// struct Saved;
///
/// impl Scorer for Saved {
///     fn judge(_variant_values: &str, page_events: &[PageEvent]) -> Option<String> {
///         let saved = page_events.iter().any(|event| event.name == "saved");
///         saved.then(|| "saved".to_owned())
///     }
///
///     fn score_episode(episode: &Episode) -> Result<Score, ScoreError> {
///         episode.expect_result(&["saved"])?;
///         Ok(match Self::judge(&episode.variant_values, &episode.page_events) {
///             Some(_) => Score::pass("The page saved."),
///             None => Score::fail("The page never saved."),
///         })
///     }
/// }
///
/// let saved = PageEvent { at: 4_000, name: "saved".into(), data: "{}".into() };
/// assert_eq!(Saved::judge("{}", &[saved]), Some("saved".into()));
/// ```
pub trait Scorer {
    /// The label that `window.getTaskResult()` returns from now on, or none while the task is pending. Called after
    /// each `submit`, `utterance` and `window-closed` with every event so far. What it may compute is counted in
    /// instructions, so that no machine is too slow for it: a thousand million, and twenty thousand more for each byte that it is handed.
    fn judge(variant_values: &str, page_events: &[PageEvent]) -> Option<String>;

    /// The score of a finished episode.
    ///
    /// # Errors
    ///
    /// [`ScoreError::MalformedResult`] when the page's result is none that the task publishes,
    /// [`ScoreError::Unscorable`] when the episode cannot be judged.
    fn score_episode(episode: &Episode) -> Result<Score, ScoreError>;
}

/// The scorer's input `variant-values`, taken apart.
#[derive(Debug, Deserialize)]
pub struct Variant<S> {
    /// Every value of the variant, the truth included.
    pub values: serde_json::Map<String, serde_json::Value>,
    /// The task's `[scorer.settings]` with its placeholders filled.
    pub settings: S,
}

impl<S: DeserializeOwned> Variant<S> {
    /// Reads the JSON that `judge` and `score_episode` are given.
    ///
    /// # Errors
    ///
    /// [`ScoreError::Unscorable`] says what does not fit.
    pub fn parse(variant_values: &str) -> Result<Self, ScoreError> {
        serde_json::from_str(variant_values).map_err(|error| {
            ScoreError::Unscorable(format!(
                "the task's [scorer.settings] do not fit this scorer: {error}"
            ))
        })
    }
}

impl PageEvent {
    /// The event's data as `T`, or none where it has another shape.
    pub fn data_as<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(&self.data).ok()
    }
}

impl Metric {
    /// A named figure; `unit` is a word such as `s`, or none for a plain count.
    pub fn new(name: impl Into<String>, value: f64, unit: Option<&str>) -> Self {
        Self {
            name: name.into(),
            value,
            unit: unit.map(str::to_owned),
        }
    }
}

impl Episode {
    /// Checks that the page's result is one that the task publishes: `pending`, `timeout` or one of its labels.
    ///
    /// # Errors
    ///
    /// [`ScoreError::MalformedResult`] names the result and what was possible.
    pub fn expect_result(&self, labels: &[&str]) -> Result<(), ScoreError> {
        let result = self.page_result.as_str();
        if matches!(result, "pending" | "timeout") || labels.contains(&result) {
            return Ok(());
        }
        Err(ScoreError::MalformedResult(format!(
            "the page's result is {result:?}; this task publishes pending, timeout, {}",
            labels.join(", ")
        )))
    }
}
