//! What a run may spend on model calls, in money and in tokens. It is looked at before each request, so calls that are
//! under way may carry the sum a little beyond it.

use dynacu_record::Usage;
use parking_lot::Mutex;

/// The limits of a run and what was spent so far.
#[derive(Default)]
pub struct Budget {
    /// US dollars.
    pub max_cost: Option<f64>,
    /// Input and output together.
    pub max_tokens: Option<u64>,
    spent: Mutex<Spent>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    pub tokens: u64,
    pub cost_usd: f64,
    /// Answers without usage or without a price: they are not in the sums.
    pub uncounted: u64,
}

impl Budget {
    #[must_use]
    pub fn new(max_cost: Option<f64>, max_tokens: Option<u64>) -> Budget {
        Budget {
            max_cost,
            max_tokens,
            spent: Mutex::default(),
        }
    }

    /// The same with what a run spent before it was resumed.
    #[must_use]
    pub fn after(self, spent: Spent) -> Budget {
        Budget {
            spent: Mutex::new(spent),
            ..self
        }
    }

    /// Adds one answer.
    pub fn charge(&self, usage: Option<&Usage>) {
        let mut spent = self.spent.lock();
        let cost = usage.and_then(|usage| usage.cost_usd);
        if let Some(usage) = usage {
            let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
            spent.tokens = spent.tokens.saturating_add(tokens);
        }
        spent.cost_usd += cost.unwrap_or_default();
        spent.uncounted += u64::from(cost.is_none());
    }

    #[must_use]
    pub fn spent(&self) -> Spent {
        *self.spent.lock()
    }

    /// Which limit is reached, in a sentence.
    #[must_use]
    pub fn exhausted(&self) -> Option<String> {
        let spent = self.spent();
        if let Some(limit) = self.max_cost
            && spent.cost_usd >= limit
        {
            return Some(format!(
                "the run's budget of ${limit:.2} is spent: ${:.4} by the price table (--max-cost)",
                spent.cost_usd
            ));
        }
        if let Some(limit) = self.max_tokens
            && spent.tokens >= limit
        {
            return Some(format!(
                "the run's budget of {limit} tokens is used up: {} (--max-tokens)",
                spent.tokens
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(tokens: u64, cost_usd: Option<f64>) -> Usage {
        Usage {
            input_tokens: tokens,
            output_tokens: 1,
            cost_usd,
            ..Usage::default()
        }
    }

    #[test]
    fn each_limit_is_named_when_it_is_reached() {
        let money = Budget::new(Some(0.5), None);
        money.charge(Some(&usage(10, Some(0.3))));
        assert_eq!(money.exhausted(), None);
        money.charge(Some(&usage(10, Some(0.3))));
        assert!(money.exhausted().unwrap().contains("--max-cost"));

        let tokens = Budget::new(None, Some(22));
        tokens.charge(Some(&usage(10, None)));
        tokens.charge(None);
        assert_eq!(tokens.exhausted(), None);
        tokens.charge(Some(&usage(10, None)));
        assert!(tokens.exhausted().unwrap().contains("--max-tokens"));
        assert_eq!(tokens.spent().uncounted, 3);
        assert_eq!(Budget::default().exhausted(), None);

        // What a resumed run spent before counts.
        let spent = tokens.spent();
        let again = Budget::new(None, Some(22)).after(spent);
        assert!(again.exhausted().is_some());
        assert_eq!(again.spent(), spent);
    }
}
