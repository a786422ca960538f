//! Shares of passed episodes with their intervals.

use serde::Serialize;

use super::{moments, normal_quantile, t_quantile};

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Wilson's score interval over the tasks, one trial each.
    Wilson,
    /// Wilson's score interval over the trials of a single task. It does not generalise to other tasks.
    WilsonTrials,
    /// Wilson's over the tasks where all tasks have the same share of 0 or 1, so that no spread can be estimated.
    WilsonTasks,
    /// Student's t over the tasks' shares: trials of a task are no independent evidence.
    ClusteredT,
    /// Agresti and Min's adjusted interval for a difference of paired shares.
    AgrestiMin,
    /// Student's t over the tasks' differences.
    PairedT,
}

/// An interval for 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How it was computed.
    pub method: Method,
}

impl Interval {
    /// Whether a value lies outside.
    #[must_use]
    pub fn excludes(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }
}

/// How many episodes passed, task by task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// The mean over the tasks of each task's share, 0 to 1.
    pub value: f64,
    /// None if the spread between tasks cannot be estimated.
    pub interval: Option<Interval>,
    /// Episodes that passed.
    pub passed: u64,
    /// Episodes that count.
    pub counted: u64,
    /// Tasks with a counted episode.
    pub tasks: u64,
}

impl Share {
    /// The share over tasks, each given as (passed, counted). Tasks without a counted episode are left out. None if no task is
    /// left.
    #[must_use]
    pub fn of(tasks: &[(u64, u64)]) -> Option<Share> {
        let tasks: Vec<(u64, u64)> = tasks.iter().copied().filter(|task| task.1 > 0).collect();
        if tasks.is_empty() {
            return None;
        }
        let passed = tasks.iter().map(|task| task.0).sum();
        let counted = tasks.iter().map(|task| task.1).sum();
        let shares: Vec<f64> = tasks
            .iter()
            .map(|task| task.0 as f64 / task.1 as f64)
            .collect();
        let value = shares.iter().sum::<f64>() / shares.len() as f64;
        let interval = if tasks.iter().all(|task| task.1 == 1) {
            wilson(passed, counted, Method::Wilson)
        } else if shares.len() == 1 {
            wilson(passed, counted, Method::WilsonTrials)
        } else {
            clustered(&shares)
        };
        Some(Share {
            value,
            interval,
            passed,
            counted,
            tasks: shares.len() as u64,
        })
    }
}

/// Wilson's score interval without continuity correction (Wilson 1927; method 3 of Newcombe 1998). None if
/// nothing was counted.
#[must_use]
pub fn wilson(passed: u64, counted: u64, method: Method) -> Option<Interval> {
    if counted == 0 || passed > counted {
        return None;
    }
    let z2 = normal_quantile().powi(2);
    let (n, x) = (counted as f64, passed as f64);
    let middle = (x + z2 / 2.0) / (n + z2);
    let half = (z2 * (x * (n - x) / n + z2 / 4.0)).sqrt() / (n + z2);
    Some(Interval {
        low: if passed == 0 { 0.0 } else { middle - half },
        high: if passed == counted {
            1.0
        } else {
            middle + half
        },
        method,
    })
}

/// Student's t over the shares of at least two tasks. With equal trials this is the cluster-robust interval of Miller (2024,
/// "Adding error bars to evals") with the small-sample factor C / (C - 1). Where all shares are 0, or all are 1, no spread can
/// be estimated, and an interval of no width would be wrong; Wilson's interval over the number of tasks is used instead. None
/// if all tasks have the same share between 0 and 1.
#[must_use]
pub fn clustered(shares: &[f64]) -> Option<Interval> {
    let (mean, deviation) = moments(shares)?;
    let tasks = shares.len() as u64;
    if deviation == 0.0 {
        return if mean == 0.0 {
            wilson(0, tasks, Method::WilsonTasks)
        } else if mean == 1.0 {
            wilson(tasks, tasks, Method::WilsonTasks)
        } else {
            None
        };
    }
    let half = t_quantile(tasks as f64 - 1.0)? * deviation / (tasks as f64).sqrt();
    Some(Interval {
        low: (mean - half).max(0.0),
        high: (mean + half).min(1.0),
        method: Method::ClusteredT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    /// Newcombe (1998), "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17:857-872,
    /// table I, method 3.
    #[test]
    fn wilson_gives_newcombes_table() {
        for (passed, counted, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(passed, counted, Method::Wilson).unwrap();
            close(interval.low, low, 0.00005);
            close(interval.high, high, 0.00005);
        }
        assert_eq!(wilson(0, 0, Method::Wilson), None);
    }

    /// Miller (2024, arXiv 2411.00640), equation for the clustered standard error, computed here as written there: over all
    /// pairs of answers in a cluster.
    #[test]
    fn clustered_is_the_published_standard_error_with_the_small_sample_factor() {
        let clusters: [[f64; 3]; 5] = [
            [1.0, 1.0, 0.0],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 1.0],
            [0.0, 1.0, 0.0],
        ];
        let n = 15.0;
        let mean = clusters.iter().flatten().sum::<f64>() / n;
        let mut sum = 0.0;
        for cluster in clusters {
            for a in cluster {
                for b in cluster {
                    sum += (a - mean) * (b - mean);
                }
            }
        }
        let published = sum.sqrt() / n;
        let shares: Vec<f64> = clusters
            .iter()
            .map(|c| c.iter().sum::<f64>() / 3.0)
            .collect();
        let interval = clustered(&shares).unwrap();
        let quantile = 2.776_445; // t, 4 degrees, 0.975: any printed table
        let half = quantile * published * (5.0_f64 / 4.0).sqrt();
        close(interval.low, (mean - half).max(0.0), 1e-6);
        close(interval.high, (mean + half).min(1.0), 1e-6);
        assert_eq!(interval.method, Method::ClusteredT);
    }

    #[test]
    fn three_passes_of_three_tasks_are_not_certainty() {
        let share = Share::of(&[(3, 3), (3, 3), (3, 3)]).unwrap();
        let interval = share.interval.unwrap();
        assert_eq!(interval.method, Method::WilsonTasks);
        assert!(interval.low < 0.5 && interval.high == 1.0, "{interval:?}");
        let one = Share::of(&[(3, 3)]).unwrap().interval.unwrap();
        assert_eq!(one.method, Method::WilsonTrials);
    }

    #[test]
    fn a_task_counts_once_however_many_trials_it_had() {
        let share = Share::of(&[(9, 9), (0, 1), (0, 0)]).unwrap();
        close(share.value, 0.5, 1e-12);
        assert_eq!((share.passed, share.counted, share.tasks), (9, 10, 2));
        assert_eq!(Share::of(&[(0, 0)]), None);
    }
}
