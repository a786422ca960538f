//! What a run may spend on model calls, in money and in tokens. Whoever is about to send a request holds the most that it is expected
//! to cost until it is known what it did cost, so calls that overlap cannot go past a limit together.

use parking_lot::Mutex;

/// The limits of a run and what was spent so far.
#[derive(Default)]
pub struct Budget {
    /// US dollars.
    max_cost: Option<f64>,
    /// Input and output together.
    max_tokens: Option<u64>,
    sums: Mutex<Sums>,
}

/// An amount of both kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Amount {
    /// Input and output together.
    pub tokens: u64,
    pub cost_usd: f64,
}

impl Amount {
    /// The sum.
    #[must_use]
    pub fn and(self, other: Amount) -> Amount {
        Amount {
            tokens: self.tokens.saturating_add(other.tokens),
            cost_usd: self.cost_usd + other.cost_usd,
        }
    }

    /// What is left of it; nothing is less than nothing.
    #[must_use]
    pub fn without(self, other: Amount) -> Amount {
        Amount {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost_usd: (self.cost_usd - other.cost_usd).max(0.0),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    pub tokens: u64,
    pub cost_usd: f64,
    /// Answers without usage or without a price: of them the sums have the least that they can have cost, or nothing.
    pub uncounted: u64,
}

#[derive(Default)]
struct Sums {
    spent: Spent,
    held: Amount,
}

impl Budget {
    #[must_use]
    pub fn new(max_cost: Option<f64>, max_tokens: Option<u64>) -> Budget {
        Budget {
            max_cost,
            max_tokens,
            sums: Mutex::default(),
        }
    }

    /// The same with what a run spent before it was resumed.
    #[must_use]
    pub fn after(self, spent: Spent) -> Budget {
        let held = Amount::default();
        Budget {
            sums: Mutex::new(Sums { spent, held }),
            ..self
        }
    }

    /// Sets aside what a request may cost.
    ///
    /// # Errors
    /// It does not fit beside what is spent and held; in a sentence.
    pub fn hold(&self, asked: Amount) -> Result<(), String> {
        let mut sums = self.sums.lock();
        if let Some(why) = self.over(&sums, asked) {
            return Err(why);
        }
        sums.held = sums.held.and(asked);
        Ok(())
    }

    /// Gives back what was held.
    pub fn release(&self, held: Amount) {
        let mut sums = self.sums.lock();
        sums.held = sums.held.without(held);
    }

    /// Gives back what was held and adds what it came to.
    pub fn settle(&self, held: Amount, cost: Amount, uncounted: bool) {
        let mut sums = self.sums.lock();
        sums.held = sums.held.without(held);
        sums.spent.tokens = sums.spent.tokens.saturating_add(cost.tokens);
        sums.spent.cost_usd += cost.cost_usd;
        sums.spent.uncounted += u64::from(uncounted);
    }

    #[must_use]
    pub fn spent(&self) -> Spent {
        self.sums.lock().spent
    }

    /// Which limit is reached, in a sentence.
    #[must_use]
    pub fn exhausted(&self) -> Option<String> {
        let sums = self.sums.lock();
        let spent = sums.spent;
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

    fn over(&self, sums: &Sums, asked: Amount) -> Option<String> {
        let Sums { spent, held } = sums;
        if let Some(limit) = self.max_cost
            && spent.cost_usd + held.cost_usd + asked.cost_usd > limit
        {
            return Some(format!(
                "the run's budget of ${limit:.2} has no room for another request: ${:.4} are spent, ${:.4} are held for requests under way, and this one may cost ${:.4} (--max-cost)",
                spent.cost_usd, held.cost_usd, asked.cost_usd
            ));
        }
        let tokens = spent.tokens.saturating_add(held.tokens);
        if let Some(limit) = self.max_tokens
            && tokens.saturating_add(asked.tokens) > limit
        {
            return Some(format!(
                "the run's budget of {limit} tokens has no room for another request: {} are used, {} are held for requests under way, and this one may take {} (--max-tokens)",
                spent.tokens, held.tokens, asked.tokens
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(tokens: u64, cost_usd: f64) -> Amount {
        Amount { tokens, cost_usd }
    }

    #[test]
    fn each_limit_is_named_when_it_is_reached() {
        let money = Budget::new(Some(0.5), None);
        money.settle(Amount::default(), amount(11, 0.3), false);
        assert_eq!(money.exhausted(), None);
        money.settle(Amount::default(), amount(11, 0.3), false);
        assert!(money.exhausted().unwrap().contains("--max-cost"));

        let tokens = Budget::new(None, Some(22));
        tokens.settle(Amount::default(), amount(11, 0.0), true);
        tokens.settle(Amount::default(), Amount::default(), true);
        assert_eq!(tokens.exhausted(), None);
        tokens.settle(Amount::default(), amount(11, 0.0), true);
        assert!(tokens.exhausted().unwrap().contains("--max-tokens"));
        assert_eq!(tokens.spent().uncounted, 3);
        assert_eq!(Budget::default().exhausted(), None);

        // What a resumed run spent before counts.
        let spent = tokens.spent();
        let again = Budget::new(None, Some(22)).after(spent);
        assert!(again.exhausted().is_some());
        assert_eq!(again.spent(), spent);
    }

    #[test]
    fn what_is_held_counts_until_it_is_settled() {
        for (budget, word) in [
            (Budget::new(Some(1.0), None), "--max-cost"),
            (Budget::new(None, Some(100)), "--max-tokens"),
        ] {
            budget.hold(amount(60, 0.6)).unwrap();
            let refused = budget.hold(amount(60, 0.6)).unwrap_err();
            assert!(refused.contains(word), "{refused}");
            assert_eq!(budget.spent(), Spent::default());
            budget.settle(amount(60, 0.6), amount(10, 0.1), false);
            budget.hold(amount(60, 0.6)).unwrap();
            budget.release(amount(60, 0.6));
            budget.hold(amount(80, 0.8)).unwrap();
            assert_eq!(budget.spent().tokens, 10);
        }
    }
}
