//! What a scorer implements, and the parts of its input.

pub use crate::bindings::scorer::exports::dynacu::scoring::scorer::{
    EndCause, Episode, Metric, PageEvent, Score, ScoreError,
};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{logging, settings};

/// Pure functions of what the page did: no clock, no network, no randomness, so that an old record can be scored
/// again. Export it with [`export_scorer!`](crate::export_scorer).
///
/// ```
/// use dynacu_sdk::Instant;
/// use dynacu_sdk::scoring::{Episode, PageEvent, Score, ScoreError, Scorer, Variant};
/// use dynacu_sdk::settings::NoSettings;
///
/// /// The page posts `saved` when it has saved.
/// struct Saved;
///
/// impl Scorer for Saved {
///     type Settings = NoSettings;
///
///     fn judge(_variant: &Variant<NoSettings>, page_events: &[PageEvent]) -> Option<String> {
///         let saved = page_events.iter().any(|event| event.name == "saved");
///         saved.then(|| "saved".to_owned())
///     }
///
///     fn score_episode(variant: &Variant<NoSettings>, episode: &Episode) -> Result<Score, ScoreError> {
///         episode.expect_result(&["saved"])?;
///         Ok(match Self::judge(variant, &episode.page_events) {
///             Some(_) => Score::pass("The page saved."),
///             None => Score::fail("The page never saved."),
///         })
///     }
/// }
///
/// let variant = Variant::parse(r#"{"values": {}, "settings": {}}"#).unwrap();
/// let saved = PageEvent { at: Instant::from_millis(4_000), name: "saved".into(), data: "{}".into() };
/// assert_eq!(Saved::judge(&variant, &[saved]), Some("saved".into()));
/// ```
pub trait Scorer {
    /// The task's `[scorer.settings]`; [`NoSettings`](crate::settings::NoSettings) where the scorer has none.
    type Settings: DeserializeOwned;

    /// The label that `window.getTaskResult()` returns from now on, or none while the task is pending. Called after
    /// each `submit`, `utterance` and `window-closed` with every event so far; how much it may compute is bounded in
    /// instructions. Where the settings do not fit it is not called, and the score says why.
    fn judge(variant: &Variant<Self::Settings>, page_events: &[PageEvent]) -> Option<String>;

    /// The score of a finished episode.
    ///
    /// # Errors
    ///
    /// [`ScoreError::MalformedResult`] when the page's result is none that the task publishes,
    /// [`ScoreError::Unscorable`] when the episode cannot be judged.
    fn score_episode(
        variant: &Variant<Self::Settings>,
        episode: &Episode,
    ) -> Result<Score, ScoreError>;
}

/// What the component's export `judge` does.
#[doc(hidden)]
pub fn judge<S: Scorer>(variant_values: &str, page_events: &[PageEvent]) -> Option<String> {
    match Variant::parse(variant_values) {
        Ok(variant) => S::judge(&variant, page_events),
        Err(error) => {
            logging::warn(&error.to_string());
            None
        }
    }
}

/// What the component's export `score-episode` does.
#[doc(hidden)]
pub fn score_episode<S: Scorer>(episode: &Episode) -> Result<Score, ScoreError> {
    S::score_episode(&Variant::parse(&episode.variant_values)?, episode)
}

/// The scorer's input `variant-values`, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant<S> {
    /// Every value of the variant, the truth included.
    pub values: Map<String, Value>,
    /// The task's `[scorer.settings]` with its placeholders filled.
    pub settings: S,
}

/// As it is passed.
#[derive(Deserialize)]
struct Passed {
    values: Map<String, Value>,
    settings: Value,
}

impl<S: DeserializeOwned> Variant<S> {
    /// Reads the JSON of `variant-values`, as the export macro does.
    ///
    /// # Errors
    ///
    /// [`ScoreError::Unscorable`] names the key that does not fit.
    pub fn parse(variant_values: &str) -> Result<Self, ScoreError> {
        let misfit = |reason: String| {
            ScoreError::Unscorable(format!(
                "the task's [scorer.settings] do not fit this scorer: {reason}"
            ))
        };
        let Passed { values, settings } =
            serde_json::from_str(variant_values).map_err(|error| misfit(error.to_string()))?;
        let settings = settings::from_value(settings).map_err(misfit)?;
        Ok(Self { values, settings })
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
