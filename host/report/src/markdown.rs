//! `report.md`: the same report for a mail or a repository.

use std::fmt::Write;

use crate::model::{Comparison, Report, Weight};
use crate::text;

/// The whole text.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut out = String::from("# Run report\n\n");
    let counts = &report.counts;
    let _ = writeln!(
        out,
        "{} of {} counted episodes passed; {} infrastructure errors and {} unscored are left out. \
         Begun {}. dynacu-host {} ({}). All intervals are for 95 %.\n",
        counts.passed,
        counts.counted,
        counts.infrastructure_errors,
        counts.unscored,
        text::moment(report.run.started),
        report.run.host_version,
        report
            .run
            .host_commit
            .as_deref()
            .unwrap_or("commit not known"),
    );
    for note in &report.notes {
        let mark = match note.weight {
            Weight::Warning => "**Note.** ",
            Weight::Information => "",
        };
        let _ = writeln!(out, "- {mark}{}", cell(&note.text));
    }
    out.push_str("\n## Standard against the whole interface\n\n");
    if report.headline.is_empty() {
        out.push_str("No agent ran both `standard` and `aoi_full` in this run.\n");
    } else {
        comparisons(&mut out, report, &report.headline);
    }
    success(&mut out, report);
    if !report.comparisons.is_empty() {
        out.push_str("\n## Comparisons\n\n");
        comparisons(&mut out, report, &report.comparisons);
    }
    groups(&mut out, report);
    time(&mut out, report);
    failures(&mut out, report);
    usage(&mut out, report);
    repeats(&mut out, report);
    tasks(&mut out, report);
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace(['\n', '\r'], " ")
        .replace('<', "&lt;")
}

fn table(out: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let _ = writeln!(out, "| {} |", head.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(head.len()));
    for row in rows {
        let row: Vec<String> = row.iter().map(|value| cell(value)).collect();
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
}

fn comparisons(out: &mut String, report: &Report, all: &[Comparison]) {
    let id = |index: usize| {
        report
            .conditions
            .get(index)
            .map_or("?", |c| c.id.as_str())
            .to_owned()
    };
    let rows = all.iter().map(|comparison| {
        let mut row = vec![
            comparison.question.clone(),
            id(comparison.first),
            id(comparison.second),
        ];
        match &comparison.paired {
            Some(paired) => row.extend([
                text::number(paired.tasks, "task") + ", " + &text::number(paired.pairs, "pair"),
                format!(
                    "{} → {}",
                    text::percent(paired.first),
                    text::percent(paired.second)
                ),
                text::difference(paired),
                text::test(paired.test.as_ref()),
                comparison
                    .p_adjusted
                    .map_or(text::MISSING.to_owned(), text::p),
                text::verdict(paired).to_owned(),
            ]),
            None => row.extend(
                [
                    "no task and seed in common",
                    "–",
                    "–",
                    "–",
                    "–",
                    "cannot be said",
                ]
                .map(str::to_owned),
            ),
        }
        row
    });
    let head = [
        "question",
        "first",
        "second",
        "on",
        "shares",
        "difference",
        "test",
        "Holm",
        "second is",
    ];
    table(out, &head, rows);
}

fn success(out: &mut String, report: &Report) {
    out.push_str("\n## Success\n\n");
    let rows = report.conditions.iter().map(|condition| {
        vec![
            text::agent(report, condition).to_owned(),
            text::mode(report, condition),
            text::share(condition.success.as_ref()),
            condition
                .success
                .as_ref()
                .map_or("nothing counts".to_owned(), text::of),
            (condition.counts.infrastructure_errors + condition.counts.unscored).to_string(),
            text::spread(condition.steps.as_ref(), text::plain),
            text::spread(condition.completion_s.as_ref(), text::seconds),
        ]
    });
    let head = [
        "agent",
        "mode",
        "success [95 %]",
        "n",
        "not counted",
        "steps, median / p95",
        "time to completion of the passed, median / p95",
    ];
    table(out, &head, rows);
}

fn groups(out: &mut String, report: &Report) {
    for (title, groups) in [("Tiers", &report.tiers), ("Categories", &report.categories)] {
        let _ = writeln!(out, "\n## {title}\n");
        let rows = groups.iter().map(|group| {
            let condition = report.conditions.get(group.condition);
            let expected = group
                .expected
                .map_or(text::MISSING.to_owned(), |(low, high)| {
                    if high == 0.0 {
                        "about 0 %".to_owned()
                    } else {
                        format!("{}–{}", text::percent(low), text::percent(high))
                    }
                });
            vec![
                group.group.clone(),
                condition.map_or(String::new(), |condition| condition.id.clone()),
                text::share(Some(&group.share)),
                text::of(&group.share),
                expected,
            ]
        });
        table(
            out,
            &[
                "group",
                "condition",
                "success [95 %]",
                "n",
                "specification expects",
            ],
            rows,
        );
    }
}

fn time(out: &mut String, report: &Report) {
    out.push_str("\n## Overhead beside model time (median / p95)\n\n");
    let rows = report.conditions.iter().map(|condition| {
        let time = &condition.time;
        let millis = |spread| text::spread(spread, text::millis);
        vec![
            condition.id.clone(),
            millis(time.observe_ms.as_ref()),
            millis(time.asr_ms.as_ref()),
            millis(time.keyframe_ms.as_ref()),
            millis(time.encode_ms.as_ref()),
            millis(time.model_ms.as_ref()),
        ]
    });
    let head = [
        "condition",
        "observe",
        "of it recognition",
        "keyframe decision",
        "encoding",
        "model",
    ];
    table(out, &head, rows);
    out.push_str("\n## Perception and speech\n\n");
    let rows = report.conditions.iter().map(|condition| {
        let seen = &condition.perception;
        let speech = condition.speech.as_ref();
        vec![
            condition.id.clone(),
            seen.moments.map_or("not recorded".to_owned(), |moments| {
                format!("{} of {}", moments.perceived, moments.shown)
            }),
            text::spread(seen.delay_ms.as_ref(), text::millis),
            seen.keyframes.to_string(),
            seen.sentences.to_string(),
            speech.map_or("nothing spoken".to_owned(), |speech| {
                format!("{} of {}", speech.received, speech.utterances)
            }),
            speech.map_or(text::MISSING.to_owned(), |speech| {
                text::spread(speech.latency_p95_ms.as_ref(), text::millis)
            }),
        ]
    });
    let head = [
        "condition",
        "moments perceived",
        "delay, median / p95",
        "keyframes",
        "sentences",
        "utterances received",
        "latency",
    ];
    table(out, &head, rows);
}

fn failures(out: &mut String, report: &Report) {
    out.push_str("\n## What ended episodes, and where the fact was lost\n\n");
    let list = |pairs: Vec<String>| {
        if pairs.is_empty() {
            text::MISSING.to_owned()
        } else {
            pairs.join(", ")
        }
    };
    let rows = report.conditions.iter().map(|condition| {
        let named = |map: &std::collections::BTreeMap<String, u64>| {
            list(map.iter().map(|(name, n)| format!("{name} {n}")).collect())
        };
        vec![
            condition.id.clone(),
            named(&condition.outcomes),
            named(&condition.causes),
            list(
                condition
                    .stages
                    .iter()
                    .map(|(stage, n)| format!("{} {n}", stage.text()))
                    .collect(),
            ),
        ]
    });
    table(
        out,
        &[
            "condition",
            "outcomes",
            "causes",
            "first thing that did not happen",
        ],
        rows,
    );
}

fn usage(out: &mut String, report: &Report) {
    let asked: Vec<Vec<String>> = report
        .conditions
        .iter()
        .filter_map(|condition| {
            let usage = condition.usage.as_ref()?;
            Some(vec![
                condition.id.clone(),
                format!("{} ({} retries)", usage.calls, usage.retries),
                format!(
                    "{} ({} cached)",
                    text::grouped(usage.input_tokens),
                    text::grouped(usage.cached_input_tokens)
                ),
                format!(
                    "{} ({} reasoning)",
                    text::grouped(usage.output_tokens),
                    text::grouped(usage.reasoning_tokens)
                ),
                text::dollars(usage.cost_usd),
                usage
                    .cost_usd_per_pass
                    .map_or(text::MISSING.to_owned(), |cost| text::dollars(Some(cost))),
                usage.unpriced.to_string(),
            ])
        })
        .collect();
    out.push_str("\n## Tokens and cost\n\n");
    if asked.is_empty() {
        out.push_str("No model was asked.\n");
        return;
    }
    let head = [
        "condition",
        "calls",
        "input tokens",
        "output tokens",
        "cost",
        "cost a pass",
        "episodes without a price",
    ];
    table(out, &head, asked);
}

fn repeats(out: &mut String, report: &Report) {
    out.push_str("\n## Repeats\n\n");
    if report.repeats.is_empty() {
        out.push_str("One trial a task: pass@k and pass^k need more.\n");
        return;
    }
    let rows = report.repeats.iter().map(|repeat| {
        vec![
            report
                .conditions
                .get(repeat.condition)
                .map_or(String::new(), |c| c.id.clone()),
            repeat.k.to_string(),
            text::percent(repeat.pass_any),
            text::percent(repeat.pass_all),
            repeat.tasks.to_string(),
        ]
    });
    table(
        out,
        &["condition", "k", "pass@k", "pass^k", "tasks with k trials"],
        rows,
    );
}

fn tasks(out: &mut String, report: &Report) {
    out.push_str("\n## Tasks\n\n");
    let mut head = vec!["task", "tier"];
    head.extend(
        report
            .conditions
            .iter()
            .map(|condition| condition.id.as_str()),
    );
    let rows = report.tasks.iter().map(|row| {
        let mut line = vec![row.task.clone(), row.tier.clone()];
        line.extend((0..report.conditions.len()).map(|index| {
            row.cells
                .iter()
                .find(|cell| cell.condition == index)
                .map_or(text::MISSING.to_owned(), |cell| match cell.counted {
                    0 => "not counted".to_owned(),
                    counted => format!("{} of {counted}", cell.passed),
                })
        }));
        line
    });
    table(out, &head, rows);
}
