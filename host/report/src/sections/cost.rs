//! Tokens and money.

use super::of_conditions;
use crate::document::Block;
use crate::model::{Report, Usage};
use crate::text;

pub(super) fn cost(report: &Report) -> Vec<Block<'_>> {
    if report.conditions.iter().all(|c| c.usage.is_none()) {
        return vec![Block::Missing(
            "No model was asked: nothing was spent.".to_owned(),
        )];
    }
    let mut blocks = Vec::new();
    if let Some(inference) = &report.run.inference {
        let mut run = format!(
            "Prices of {}. The whole run, preflight included: {} tokens, {}",
            inference.prices_date,
            text::grouped(inference.tokens),
            text::dollars(Some(inference.cost_usd))
        );
        if inference.uncounted > 0 {
            run.push_str(&format!(
                "; {} without usage or price count in part or not at all",
                text::number(inference.uncounted, "answer")
            ));
        }
        blocks.push(Block::Text(run + "."));
    }
    let of_usage = |usage: &Option<Usage>, say: fn(&Usage) -> String| {
        usage.as_ref().map_or(text::MISSING.to_owned(), say)
    };
    let table = of_conditions(
        report,
        "All episodes, including those that do not count",
        |condition| condition.usage.is_some(),
    )
    .column("calls", |condition| {
        of_usage(&condition.usage, |usage| {
            format!(
                "{} ({} answered, {} retries)",
                usage.calls, usage.answers, usage.retries
            )
        })
    })
    .column("input tokens", |condition| {
        of_usage(&condition.usage, |usage| {
            format!(
                "{} ({} cached)",
                text::grouped(usage.input_tokens),
                text::grouped(usage.cached_input_tokens)
            )
        })
    })
    .column("output tokens", |condition| {
        of_usage(&condition.usage, |usage| {
            format!(
                "{} ({} reasoning)",
                text::grouped(usage.output_tokens),
                text::grouped(usage.reasoning_tokens)
            )
        })
    })
    .column("cost", |condition| {
        of_usage(&condition.usage, |usage| text::dollars(usage.cost_usd))
    })
    .column("cost of a pass", |condition| {
        of_usage(&condition.usage, |usage| match usage.cost_usd_per_pass {
            Some(cost) => text::dollars(Some(cost)),
            None => "not known".to_owned(),
        })
    })
    .column("episodes without a price", |condition| {
        of_usage(&condition.usage, |usage| usage.unpriced.to_string())
    });
    blocks.push(table.table());
    blocks
}
