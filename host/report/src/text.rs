//! Figures as words: the same in the page and in Markdown. What is missing is a dash or says so.

use crate::model::{Condition, Report};
use crate::statistics::{Interval, Method, Paired, Share, Spread, Test};

pub const MISSING: &str = "–";

pub fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// `67 % [21–94]`.
pub fn share(share: Option<&Share>) -> String {
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

pub fn interval(interval: Option<&Interval>) -> String {
    interval.map_or_else(
        || "[no interval]".to_owned(),
        |interval| format!("[{:.0}–{:.0}]", interval.low * 100.0, interval.high * 100.0),
    )
}

/// `2 of 3 episodes, 3 tasks`.
pub fn of(share: &Share) -> String {
    format!(
        "{} of {} episodes, {}",
        share.passed,
        share.counted,
        number(share.tasks, "task")
    )
}

pub fn number(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A difference of shares in percentage points, with its interval.
pub fn difference(paired: &Paired) -> String {
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

pub fn p(p: f64) -> String {
    if p < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    }
}

pub fn test(test: Option<&Test>) -> String {
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
        None => "no test: every task has the same difference, or there is one task".to_owned(),
    }
}

/// What may be said of a comparison: a direction only where the interval carries it.
pub fn verdict(paired: &Paired) -> &'static str {
    match &paired.interval {
        Some(interval) if interval.excludes(0.0) && paired.difference > 0.0 => "higher",
        Some(interval) if interval.excludes(0.0) => "lower",
        Some(_) => "not told apart",
        None => "cannot be said",
    }
}

pub fn method(method: Method) -> &'static str {
    match method {
        Method::Wilson => "Wilson over tasks",
        Method::WilsonTrials => "Wilson over the trials of one task",
        Method::WilsonTasks => "Wilson over tasks (all tasks equal)",
        Method::ClusteredT => "Student's t, clustered by task",
        Method::AgrestiMin => "Agresti-Min, paired",
        Method::PairedT => "Student's t over tasks' differences",
    }
}

pub fn millis(value: f64) -> String {
    if value >= 10_000.0 {
        format!("{:.1} s", value / 1000.0)
    } else {
        format!("{value:.0} ms")
    }
}

pub fn seconds(value: f64) -> String {
    if value >= 7200.0 {
        format!("{:.1} h", value / 3600.0)
    } else if value >= 600.0 {
        format!("{:.1} min", value / 60.0)
    } else {
        format!("{value:.1} s")
    }
}

/// Median and 95th percentile.
pub fn spread(spread: Option<&Spread>, unit: fn(f64) -> String) -> String {
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

pub fn plain(value: f64) -> String {
    format!("{value:.0}")
}

pub fn dollars(value: Option<f64>) -> String {
    value.map_or_else(|| "no price".to_owned(), |value| format!("${value:.4}"))
}

/// 12345 as `12 345`.
pub fn grouped(n: u64) -> String {
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

/// A condition's name within one agent: mode, and gate where there are several.
pub fn mode(report: &Report, condition: &Condition) -> String {
    let several = report
        .conditions
        .iter()
        .any(|other| other.gate != condition.gate);
    match &condition.gate {
        Some(gate) if several => format!("{} @ {gate}", condition.mode),
        _ => condition.mode.clone(),
    }
}

pub fn agent<'a>(report: &'a Report, condition: &Condition) -> &'a str {
    report
        .agents
        .get(condition.agent)
        .map_or("?", |agent| agent.name.as_str())
}

/// A day and time in UTC from seconds since 1970 (civil-from-days, Howard Hinnant's public algorithm).
pub fn moment(seconds: u64) -> String {
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_civil_dates() {
        assert_eq!(moment(0), "1970-01-01 00:00 UTC");
        assert_eq!(moment(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(moment(1_798_675_199), "2026-12-30 23:59 UTC");
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(1_234_567).replace('\u{202f}', " "), "1 234 567");
        assert_eq!(grouped(123), "123");
    }
}
