//! What one attempt at a model call may cost, and what it did.

use std::sync::Arc;

use dynacu_record::Usage;
use dynacu_runtime::types::{ModelRequest, ModelResponse, Part};
use parking_lot::Mutex;

use super::budget::Amount;
use super::floor;
use super::prices::Price;
use super::provider::{Model, ModelService};

/// Output of a request that names no limit: what the bundled adapters ask for then.
const USUAL_OUTPUT: u32 = 8192;

/// Between the first request of an attempt and its end. Dropped before it is settled, because the call was given up, it charges the
/// least that the requests which left can have cost.
pub struct Account {
    service: Arc<ModelService>,
    price: Option<Price>,
    /// Whether the adapter comes with the host: only then is its word for what the provider cached believed.
    trusted: bool,
    /// The most tokens that one request is answered with.
    output: u64,
    open: Mutex<Option<Open>>,
}

#[derive(Default)]
struct Open {
    held: Amount,
    /// Tokens that left, by the host's own count.
    sent: u64,
}

impl Account {
    #[must_use]
    pub fn open(model: &Model, request: &ModelRequest) -> Account {
        let (service, price) = (Arc::clone(&model.service), model.price);
        let output = request.max_output_tokens.unwrap_or(USUAL_OUTPUT);
        Account::new(service, price, model.provider.trusted, output)
    }

    pub(super) fn new(
        service: Arc<ModelService>,
        price: Option<Price>,
        trusted: bool,
        output: u32,
    ) -> Account {
        Account {
            service,
            price,
            trusted,
            output: output.into(),
            open: Mutex::new(Some(Open::default())),
        }
    }

    /// Holds what a request of so many tokens may cost.
    ///
    /// # Errors
    /// The budget has no room for it.
    pub fn hold(&self, sent: u64) -> Result<(), String> {
        let asked = self.most(sent);
        if let Some(open) = &mut *self.open.lock() {
            self.service.budget.hold(asked)?;
            open.held = open.held.and(asked);
            open.sent += sent;
        }
        Ok(())
    }

    /// That request never arrived, or was answered by an error, which no provider charges for.
    pub fn free(&self, sent: u64) {
        let asked = self.most(sent);
        if let Some(open) = &mut *self.open.lock() {
            self.service.budget.release(asked);
            open.held = open.held.without(asked);
            open.sent = open.sent.saturating_sub(sent);
        }
    }

    /// The attempt is over. Charged is what the adapter reports, and at least what the host saw.
    pub fn settle(&self, response: Option<&ModelResponse>) {
        let Some(open) = self.open.lock().take() else {
            return;
        };
        let said = response.and_then(|response| response.usage);
        let mut usage = Usage {
            input_tokens: open.sent,
            output_tokens: response.map_or(0, received),
            ..Usage::default()
        };
        if let Some(said) = said {
            usage.input_tokens = usage.input_tokens.max(said.input_tokens);
            usage.output_tokens = usage.output_tokens.max(said.output_tokens);
            if self.trusted {
                usage.cached_input_tokens = said.cached_input_tokens.unwrap_or_default();
            }
        }
        // The dearer one where the adapter names another model than the one that was asked.
        let answered = response.and_then(|response| self.service.prices.of(&response.model));
        let prices = [self.price, answered];
        let costs = prices.iter().flatten().map(|price| price.of(&usage));
        let cost = Amount {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            cost_usd: costs.fold(0.0, f64::max),
        };
        let priced = prices.iter().any(Option::is_some);
        let uncounted = response.is_some() && (said.is_none() || !priced);
        self.service.budget.settle(open.held, cost, uncounted);
    }

    fn most(&self, sent: u64) -> Amount {
        let usage = Usage {
            input_tokens: sent,
            output_tokens: self.output,
            ..Usage::default()
        };
        Amount {
            tokens: sent.saturating_add(self.output),
            cost_usd: self.price.map_or(0.0, |price| price.of(&usage)),
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.settle(None);
    }
}

/// Tokens of what the model wrote, as far as the policy gets it.
fn received(response: &ModelResponse) -> u64 {
    let part = |part: &Part| match part {
        Part::Text(text) => text.len(),
        Part::ToolCall(call) => call.name.len() + call.arguments.len(),
        // What a provider signs or encrypts is longer than what it charges for.
        Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) | Part::Opaque(_) => 0,
    };
    floor::of_text(response.parts.iter().map(part).sum())
}
