//! Short ways to make descriptors, decisions and scores.

use crate::model::AdapterDescriptor;
use crate::scoring::{Metric, Score};
use crate::{Action, Click, Decision, Drag, Scroll};

impl AdapterDescriptor {
    /// A provider and the models that the adapter knows.
    ///
    /// ```
    /// use dynacu_sdk::model::AdapterDescriptor;
    ///
    /// let adapter = AdapterDescriptor::new("example", ["small", "large"]);
    /// assert_eq!(adapter.models.len(), 2);
    /// ```
    pub fn new(
        provider: impl Into<String>,
        models: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            provider: provider.into(),
            models: models.into_iter().map(Into::into).collect(),
        }
    }
}

impl Score {
    /// Full marks, with a sentence that says why.
    ///
    /// ```
    /// use dynacu_sdk::scoring::{Metric, Score};
    ///
    /// let score = Score::pass("the price was right").with_metric(Metric::new("answers", 1.0, None));
    /// assert!(score.passed);
    /// ```
    pub fn pass(explanation: impl Into<String>) -> Self {
        Self {
            value: 1.0,
            passed: true,
            metrics: Vec::new(),
            explanation: explanation.into(),
        }
    }

    /// Nothing, with a sentence that says why.
    pub fn fail(explanation: impl Into<String>) -> Self {
        Self {
            value: 0.0,
            passed: false,
            ..Self::pass(explanation)
        }
    }

    /// Adds a figure.
    #[must_use]
    pub fn with_metric(mut self, metric: Metric) -> Self {
        self.metrics.push(metric);
        self
    }
}

/// A batch of one.
impl From<Action> for Decision {
    fn from(action: Action) -> Self {
        Self::Act(vec![action])
    }
}

impl From<Vec<Action>> for Decision {
    fn from(actions: Vec<Action>) -> Self {
        Self::Act(actions)
    }
}

impl From<Click> for Action {
    fn from(click: Click) -> Self {
        Self::Click(click)
    }
}

impl From<Drag> for Action {
    fn from(drag: Drag) -> Self {
        Self::Drag(drag)
    }
}

impl From<Scroll> for Action {
    fn from(scroll: Scroll) -> Self {
        Self::Scroll(scroll)
    }
}
