//! Time, perception, cost, repeats, method.

use maud::{Markup, html};

use super::chart::{self, Line, Piece};
use super::parts;
use crate::model::Report;
use crate::statistics::Spread;
use crate::text;

pub fn time(report: &Report) -> Markup {
    let total = |index: usize| {
        let time = &report.conditions[index].time;
        time.observe_s_per_episode
            + time.model_s_per_episode.unwrap_or(0.0)
            + time.rest_s_per_episode
    };
    let whole = (0..report.conditions.len()).map(total).fold(0.0, f64::max);
    let rows: Vec<(String, String, Vec<Piece>)> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let name = parts::name(report, index);
            let time = &condition.time;
            let piece = |amount: f64, look: &str, what: &str| Piece {
                amount,
                look: look.to_owned(),
                tip: format!(
                    "{name}: {} of {what}, mean per episode",
                    text::seconds(amount)
                ),
            };
            let pieces = vec![
                piece(time.observe_s_per_episode, "audio", "observing"),
                piece(
                    time.model_s_per_episode.unwrap_or(0.0),
                    "interactive",
                    "the model",
                ),
                piece(
                    time.rest_s_per_episode,
                    "standard",
                    "everything else (page, pace, policy, setting up)",
                ),
            ];
            (name, text::seconds(total(index)), pieces)
        })
        .collect();
    let millis = |spread: Option<&Spread>| text::spread(spread, text::millis);
    let overhead: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let time = &condition.time;
            vec![
                parts::name(report, index),
                millis(time.observe_ms.as_ref()),
                millis(time.asr_ms.as_ref()),
                millis(time.keyframe_ms.as_ref()),
                millis(time.encode_ms.as_ref()),
                if time.model_s_per_episode.is_some() {
                    millis(time.model_ms.as_ref())
                } else {
                    "no model".to_owned()
                },
            ]
        })
        .collect();
    let course: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            vec![
                parts::name(report, index),
                text::spread(condition.steps.as_ref(), text::plain),
                condition
                    .completion_s
                    .as_ref()
                    .map_or("none passed with a time".to_owned(), |spread| {
                        text::spread(Some(spread), text::seconds)
                    }),
                text::spread(condition.wall_s.as_ref(), text::seconds),
            ]
        })
        .collect();
    html! {
        p { "Mean seconds of an episode: time added by perceiving, time of the model's answers, and the rest. Deliberate waits are never counted as perceiving." }
        (chart::stacked("Mean seconds per episode", &rows, whole))
        (chart::legend(&[("audio", "observing"), ("interactive", "model"), ("standard", "rest")], true))
        (parts::table("Single measurements, median / 95th percentile", &["condition", "observe", "of it recognition", "keyframe: capture to decision", "encoding images", "model's answer"], &overhead))
        (parts::table("Steps and time of counted episodes, median / 95th percentile", &["condition", "steps", "time to completion (passed)", "wall time"], &course))
    }
}

pub fn perception(report: &Report) -> Markup {
    let rows: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let seen = &condition.perception;
            vec![
                parts::name(report, index),
                seen.moments
                    .map_or("not recorded or not granted".to_owned(), |moments| {
                        format!(
                            "{} of {} ({})",
                            moments.perceived,
                            moments.shown,
                            text::percent(moments.perceived as f64 / moments.shown.max(1) as f64)
                        )
                    }),
                text::spread(seen.delay_ms.as_ref(), text::millis),
                format!(
                    "{} ({} late intervals)",
                    text::grouped(seen.frames),
                    seen.late_frames
                ),
                text::grouped(seen.keyframes),
                text::grouped(seen.sentences),
                text::seconds(seen.heard_s),
                format!(
                    "{} ms, {} failures",
                    seen.sound_gaps_ms, seen.recognition_failures
                ),
            ]
        })
        .collect();
    let speech: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .filter_map(|(index, condition)| {
            let speech = condition.speech.as_ref()?;
            Some(vec![
                parts::name(report, index),
                speech.utterances.to_string(),
                format!(
                    "{} ({})",
                    speech.received,
                    text::percent(speech.received as f64 / speech.utterances.max(1) as f64)
                ),
                text::spread(speech.latency_p95_ms.as_ref(), text::millis),
                text::share(speech.accepted.as_ref()),
            ])
        })
        .collect();
    html! {
        p { "Moments are what pages report of themselves (a toast shown, a price spoken), in conditions that grant a channel for them." }
        (parts::table("Perception", &["condition", "moments perceived", "delay, median / p95", "frames", "keyframes", "sentences", "sound heard", "sound lost"], &rows))
        h3 { "Speech" }
        @if speech.is_empty() {
            (parts::missing("No counted episode spoke, so there is nothing to say of the voice."))
        } @else {
            (parts::table("Speech of counted episodes that spoke", &["condition", "utterances", "received by the page's microphone", "latency: episodes' p95, median / p95", "episodes passed [95 %]"], &speech))
        }
    }
}

pub fn cost(report: &Report) -> Markup {
    let rows: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .filter_map(|(index, condition)| {
            let usage = condition.usage.as_ref()?;
            Some(vec![
                parts::name(report, index),
                format!(
                    "{} ({} answered, {} retries)",
                    usage.calls, usage.answers, usage.retries
                ),
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
                    .map_or("cannot be said".to_owned(), |cost| {
                        text::dollars(Some(cost))
                    }),
                usage.unpriced.to_string(),
            ])
        })
        .collect();
    html! {
        @if rows.is_empty() {
            (parts::missing("No model was asked: nothing was spent."))
        } @else {
            @if let Some(inference) = &report.run.inference {
                p {
                    "Prices of " (inference.prices_date) ". The whole run, preflight included: " (text::grouped(inference.tokens)) " tokens, " (text::dollars(Some(inference.cost_usd)))
                    @if inference.uncounted > 0 { "; " (text::number(inference.uncounted, "answer")) " without usage or price are not in it" }
                    "."
                }
            }
            (parts::table("All episodes, those that do not count included", &["condition", "calls", "input tokens", "output tokens", "cost", "cost of a pass", "episodes without a price"], &rows))
        }
    }
}

pub fn repeats(report: &Report) -> Markup {
    if report.repeats.is_empty() {
        return parts::missing("One counted trial a task: pass@k and pass^k need at least two.");
    }
    let most = report
        .repeats
        .iter()
        .map(|repeat| repeat.k)
        .max()
        .unwrap_or(1) as usize;
    let places: Vec<String> = (1..=most).map(|k| format!("k = {k}")).collect();
    let of_condition = |condition: usize| {
        let line = |any: bool| Line {
            look: if any { "full" } else { "standard" },
            points: report
                .repeats
                .iter()
                .filter(|repeat| repeat.condition == condition)
                .map(|repeat| {
                    let (what, value) = if any {
                        ("pass@", repeat.pass_any)
                    } else {
                        ("pass^", repeat.pass_all)
                    };
                    let tip = format!(
                        "{}: {what}{} {} over {}",
                        parts::name(report, condition),
                        repeat.k,
                        text::percent(value),
                        text::number(repeat.tasks, "task")
                    );
                    (repeat.k as usize - 1, value, None, tip)
                })
                .collect(),
        };
        [line(true), line(false)]
    };
    let mut conditions: Vec<usize> = report
        .repeats
        .iter()
        .map(|repeat| repeat.condition)
        .collect();
    conditions.dedup();
    let rows: Vec<Vec<String>> = report
        .repeats
        .iter()
        .map(|repeat| {
            vec![
                parts::name(report, repeat.condition),
                repeat.k.to_string(),
                text::percent(repeat.pass_any),
                text::percent(repeat.pass_all),
                repeat.tasks.to_string(),
            ]
        })
        .collect();
    html! {
        p { "pass@k: at least one of k trials passes (upper line). pass^k: all k do (lower line). Means over the tasks that have k counted trials." }
        div .cards {
            @for condition in conditions {
                figure .card {
                    figcaption { (parts::name(report, condition)) }
                    (chart::lines(&format!("pass@k and pass^k, {}", parts::name(report, condition)), &places, &of_condition(condition), &[]))
                }
            }
        }
        (chart::legend(&[("full", "pass@k"), ("standard", "pass^k")], false))
        (parts::figures("Repeats", &["condition", "k", "pass@k", "pass^k", "tasks"], &rows))
    }
}

pub fn method(report: &Report) -> Markup {
    let run = &report.run;
    let machine = &run.machine;
    let list = |items: Vec<String>| {
        if items.is_empty() {
            "none".to_owned()
        } else {
            items.join(", ")
        }
    };
    let facts: Vec<Vec<String>> = [
        ("command", run.command.join(" ")),
        (
            "host",
            format!(
                "{} {}",
                run.host_version,
                run.host_commit.as_deref().unwrap_or("(commit not known)")
            ),
        ),
        (
            "plugins",
            list(
                run.plugins
                    .iter()
                    .map(|plugin| {
                        format!(
                            "{} {} ({}, {})",
                            plugin.name,
                            plugin.version,
                            plugin.kind,
                            plugin.sha256.get(..12).unwrap_or(&plugin.sha256)
                        )
                    })
                    .collect(),
            ),
        ),
        (
            "recogniser, encoder",
            format!(
                "{}; {}",
                if run.recognizer.is_empty() {
                    "not recorded"
                } else {
                    &run.recognizer
                },
                run.encoder
            ),
        ),
        (
            "capture",
            format!(
                "{} frames a second, gate {}, pace {} ms",
                run.fps,
                if run.gates.len() > 1 {
                    run.gates.join(", ")
                } else {
                    run.gate.clone()
                },
                run.pace_ms
            ),
        ),
        ("task set", run.task_set.clone()),
        (
            "machine",
            format!(
                "{}, {} cores, {} MiB, {}",
                machine.cpu, machine.cores, machine.memory_mib, machine.kernel
            ),
        ),
        (
            "browser, sound",
            format!("{}; {}", machine.chromium, machine.pulseaudio),
        ),
    ]
    .into_iter()
    .map(|(name, value)| vec![name.to_owned(), value])
    .collect();
    html! {
        ul {
            li { "A share is the mean over tasks of each task's share of passed trials. Timeouts and agent errors count as not passed; infrastructure errors and unscored episodes are left out and counted." }
            li { "Intervals: Wilson's score interval over tasks with one trial each; Student's t over the tasks' shares with several (trials of a task are no independent evidence); Wilson's over tasks where all tasks have the same share of 0 or 1." }
            li { "Comparisons use the tasks, trials and seeds of both sides: McNemar's exact test with Agresti and Min's interval for one trial a task, Student's t over the tasks' differences for several. p by Holm is adjusted over all comparisons of this report." }
            li { "pass@k is Chen et al.'s unbiased estimate, pass^k Yao et al.'s." }
            li { "The intervals speak of tasks like these; they do not hold for other machines, prices or versions of a model." }
        }
        (parts::table("The run", &["what", "value"], &facts))
    }
}
