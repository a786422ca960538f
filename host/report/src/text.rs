//! Figures as text, the same in the page and in Markdown.

use dynacu_figures::Spread;
use jiff::Timestamp;

use crate::model::{Condition, Report};
use crate::statistics::{Interval, Method, Paired, Share, Test};

/// In place of a figure that was not measured.
pub(crate) const MISSING: &str = "–";

pub(crate) fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// `67 % [21–94]`.
pub(crate) fn share(share: Option<&Share>) -> String {
    share.map_or_else(
        || MISSING.to_owned(),
        |share| {
            format!(
                "{} {}",
                percent(share.value),
                interval(share.interval.as_ref())
            )
        },
    )
}

pub(crate) fn interval(interval: Option<&Interval>) -> String {
    interval.map_or_else(
        || "[no interval]".to_owned(),
        |interval| format!("[{:.0}–{:.0}]", interval.low * 100.0, interval.high * 100.0),
    )
}

/// `2 of 3 episodes, 3 tasks`.
pub(crate) fn of(share: &Share) -> String {
    format!(
        "{} of {} episodes, {}",
        share.passed,
        share.counted,
        number(share.tasks, "task")
    )
}

pub(crate) fn number(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A difference of shares in percentage points, with its interval.
pub(crate) fn difference(paired: &Paired) -> String {
    let interval = paired.interval.as_ref().map_or_else(
        || "[no interval]".to_owned(),
        |interval| {
            format!(
                "[{:+.0} to {:+.0}]",
                interval.low * 100.0,
                interval.high * 100.0
            )
        },
    );
    format!("{:+.0} points {interval}", paired.difference * 100.0)
}

pub(crate) fn p(p: f64) -> String {
    if p < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    }
}

pub(crate) fn test(test: Option<&Test>) -> String {
    match test {
        Some(Test::McnemarExact {
            only_first,
            only_second,
            p: value,
        }) => format!(
            "{} (McNemar, exact; only the first passed {only_first}, only the second {only_second})",
            p(*value)
        ),
        Some(Test::PairedT {
            t,
            degrees,
            p: value,
        }) => format!(
            "{} (paired t = {t:.2}, {degrees} degrees of freedom)",
            p(*value)
        ),
        None => "no test: all tasks have the same difference, or there is only one".to_owned(),
    }
}

/// What a comparison shows. It has a direction only if its interval does not include 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Higher,
    Lower,
    NoDifference,
    /// There is no interval.
    Unknown,
}

impl Verdict {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Verdict::Higher => "higher",
            Verdict::Lower => "lower",
            Verdict::NoDifference => "no difference shown",
            Verdict::Unknown => "not known",
        }
    }
}

pub(crate) fn verdict(paired: &Paired) -> Verdict {
    match &paired.interval {
        Some(interval) if interval.excludes(0.0) && paired.difference > 0.0 => Verdict::Higher,
        Some(interval) if interval.excludes(0.0) => Verdict::Lower,
        Some(_) => Verdict::NoDifference,
        None => Verdict::Unknown,
    }
}

pub(crate) fn method(method: Method) -> &'static str {
    match method {
        Method::Wilson => "Wilson over tasks",
        Method::WilsonTrials => "Wilson over the trials of one task",
        Method::WilsonTasks => "Wilson over tasks (all tasks equal)",
        Method::ClusteredT => "Student's t, clustered by task",
        Method::AgrestiMin => "Agresti-Min, paired",
        Method::PairedT => "Student's t over tasks' differences",
    }
}

pub(crate) fn millis(value: f64) -> String {
    if value >= 10_000.0 {
        format!("{:.1} s", value / 1000.0)
    } else {
        format!("{value:.0} ms")
    }
}

pub(crate) fn seconds(value: f64) -> String {
    if value >= 7200.0 {
        format!("{:.1} h", value / 3600.0)
    } else if value >= 600.0 {
        format!("{:.1} min", value / 60.0)
    } else {
        format!("{value:.1} s")
    }
}

/// Median and 95th percentile.
pub(crate) fn spread(spread: Option<&Spread>, unit: fn(f64) -> String) -> String {
    spread.map_or_else(
        || MISSING.to_owned(),
        |spread| {
            format!(
                "{} / {} (n = {})",
                unit(spread.median),
                unit(spread.p95),
                spread.n
            )
        },
    )
}

pub(crate) fn whole(value: f64) -> String {
    format!("{value:.0}")
}

pub(crate) fn dollars(value: Option<f64>) -> String {
    value.map_or_else(|| "no price".to_owned(), |value| format!("${value:.4}"))
}

/// 12345 as `12 345`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A condition's name: agent, mode and gate, without what all conditions of the report have in common.
pub(crate) fn condition(report: &Report, condition: &Condition) -> String {
    let mode = match gate(report, condition) {
        Some(gate) => format!("{} @ {gate}", condition.mode),
        None => condition.mode.clone(),
    };
    if report.agents.len() == 1 {
        mode
    } else {
        format!("{} · {mode}", agent(report, condition))
    }
}

/// The name of the condition at an index.
pub(crate) fn condition_at(report: &Report, index: usize) -> String {
    report
        .conditions
        .get(index)
        .map_or("?".to_owned(), |found| condition(report, found))
}

/// A condition's gate, if the report has several.
pub(crate) fn gate<'a>(report: &Report, condition: &'a Condition) -> Option<&'a str> {
    let several = report
        .conditions
        .iter()
        .any(|other| other.gate != condition.gate);
    condition.gate.as_deref().filter(|_| several)
}

pub(crate) fn agent<'a>(report: &'a Report, condition: &Condition) -> &'a str {
    report
        .agents
        .get(condition.agent)
        .map_or("?", |agent| agent.name.as_str())
}

/// A day and time in UTC from seconds since 1970.
pub(crate) fn moment(seconds: u64) -> String {
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .map_or(MISSING.to_owned(), |moment| {
            moment.strftime("%Y-%m-%d %H:%M UTC").to_string()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_civil_dates() {
        assert_eq!(moment(0), "1970-01-01 00:00 UTC");
        assert_eq!(moment(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(moment(1_798_675_199), "2026-12-30 23:59 UTC");
        assert_eq!(moment(u64::MAX), MISSING);
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(1_234_567).replace('\u{202f}', " "), "1 234 567");
        assert_eq!(grouped(123), "123");
    }
}
