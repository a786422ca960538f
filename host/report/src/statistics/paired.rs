//! Two conditions on the same tasks and seeds.

use serde::Serialize;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

use super::proportion::{Interval, Method};
use super::{moments, normal_quantile, t_quantile};

/// A test of the hypothesis that there is no difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Test {
    /// One trial per task. Null hypothesis: among the tasks that only one side passed, either side is equally likely to be
    /// the one that passed. Exact, two-sided.
    McnemarExact {
        /// Tasks that only the first side passed.
        only_first: u64,
        /// Tasks that only the second side passed.
        only_second: u64,
        /// The test's p.
        p: f64,
    },
    /// Several trials: Student's t over the tasks' differences, two-sided.
    PairedT {
        /// Student's t.
        t: f64,
        /// Degrees of freedom.
        degrees: u64,
        /// The test's p.
        p: f64,
    },
}

impl Test {
    #[must_use]
    /// The probability of a difference at least as large, if there is none.
    pub fn p(&self) -> f64 {
        match self {
            Test::McnemarExact { p, .. } | Test::PairedT { p, .. } => *p,
        }
    }
}

/// Second condition against first, paired by task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// Tasks that both sides have with equal seeds.
    pub tasks: u64,
    /// Pairs of episodes in these tasks.
    pub pairs: u64,
    /// The first condition's share, over these tasks.
    pub first: f64,
    /// The second condition's share.
    pub second: f64,
    /// `second` - `first`.
    pub difference: f64,
    /// Of the difference. None if its spread cannot be estimated.
    pub interval: Option<Interval>,
    /// None if every task has the same difference.
    pub test: Option<Test>,
}

/// Compares the pairs (first passed, second passed) of equal trial and seed of each task. None if there is no pair.
#[must_use]
pub fn compare(tasks: &[Vec<(bool, bool)>]) -> Option<Paired> {
    let tasks: Vec<&Vec<(bool, bool)>> = tasks.iter().filter(|pairs| !pairs.is_empty()).collect();
    if tasks.is_empty() {
        return None;
    }
    let n = tasks.len() as f64;
    let share = |pairs: &[(bool, bool)], pick: fn(&(bool, bool)) -> bool| {
        pairs.iter().filter(|pair| pick(pair)).count() as f64 / pairs.len() as f64
    };
    let first: Vec<f64> = tasks.iter().map(|pairs| share(pairs, |p| p.0)).collect();
    let second: Vec<f64> = tasks.iter().map(|pairs| share(pairs, |p| p.1)).collect();
    let differences: Vec<f64> = first.iter().zip(&second).map(|(a, b)| b - a).collect();
    let (interval, test) = if tasks.iter().all(|pairs| pairs.len() == 1) {
        let only = |first: bool| {
            let lone = |pair: &&(bool, bool)| pair.0 == first && pair.1 != first;
            tasks
                .iter()
                .filter_map(|pairs| pairs.first())
                .filter(lone)
                .count() as u64
        };
        let (b, c) = (only(true), only(false));
        let test = Test::McnemarExact {
            only_first: b,
            only_second: c,
            p: mcnemar_exact(b, c),
        };
        (agresti_min(b, c, tasks.len() as u64), Some(test))
    } else {
        of_differences(&differences)
    };
    Some(Paired {
        tasks: tasks.len() as u64,
        pairs: tasks.iter().map(|pairs| pairs.len() as u64).sum(),
        first: first.iter().sum::<f64>() / n,
        second: second.iter().sum::<f64>() / n,
        difference: differences.iter().sum::<f64>() / n,
        interval,
        test,
    })
}

/// Two-sided p of McNemar's exact test: twice the smaller tail of a fair coin (`b` and `c` are the discordant counts).
#[must_use]
pub fn mcnemar_exact(b: u64, c: u64) -> f64 {
    match Binomial::new(0.5, b + c) {
        Ok(coin) if b + c > 0 => (2.0 * coin.cdf(b.min(c))).min(1.0),
        _ => 1.0,
    }
}

/// Agresti and Min (2005), "Simple improved confidence intervals for comparing matched proportions", Statistics in Medicine
/// 24:729-740: half an observation is added to each cell. It does not need an estimate
/// of the spread, so it works for a few tasks that all agree.
fn agresti_min(b: u64, c: u64, n: u64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let n = n as f64 + 2.0;
    let difference = (c as f64 - b as f64) / n;
    let variance = (b + c + 1) as f64 - (c as f64 - b as f64).powi(2) / n;
    let half = normal_quantile() * variance.sqrt() / n;
    Some(Interval {
        low: (difference - half).max(-1.0),
        high: (difference + half).min(1.0),
        method: Method::AgrestiMin,
    })
}

fn of_differences(differences: &[f64]) -> (Option<Interval>, Option<Test>) {
    let Some((mean, deviation)) = moments(differences) else {
        return (None, None);
    };
    let n = differences.len() as u64;
    if deviation == 0.0 {
        // All trials of all tasks agree: each task is one pair.
        let interval = if mean == 1.0 {
            agresti_min(0, n, n)
        } else if mean == -1.0 {
            agresti_min(n, 0, n)
        } else {
            None
        };
        return (interval, None);
    }
    let error = deviation / (n as f64).sqrt();
    let degrees = n - 1;
    let interval = t_quantile(degrees as f64).map(|quantile| Interval {
        low: (mean - quantile * error).max(-1.0),
        high: (mean + quantile * error).min(1.0),
        method: Method::PairedT,
    });
    let test = StudentsT::new(0.0, 1.0, degrees as f64)
        .ok()
        .map(|student| {
            let t = mean / error;
            Test::PairedT {
                t,
                degrees,
                p: 2.0 * student.sf(t.abs()),
            }
        });
    (interval, test)
}

/// Holm's step-down adjustment, in the order given.
#[must_use]
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut adjusted = vec![0.0; values.len()];
    let mut least = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        least = least
            .max((values.len() - rank) as f64 * values[index])
            .min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    /// Armitage and Berry, "Statistical Methods in Medical Research" (1994), p. 127: two culture media, discordant 12 and 2;
    /// StatsDirect's help prints the exact two-sided P (Liddell 1983) of this example as 0.0129.
    #[test]
    fn mcnemar_gives_the_textbooks_p() {
        close(mcnemar_exact(12, 2), 0.0129, 0.00005);
        close(mcnemar_exact(2, 12), 0.0129, 0.00005);
        close(mcnemar_exact(0, 0), 1.0, 0.0);
        close(mcnemar_exact(5, 5), 1.0, 0.0);
    }

    /// R's `PropCIs::diffpropci.mp(b = 40, c = 20, n = 160)`, the worked example of Agresti and Min's interval.
    #[test]
    fn agresti_min_gives_the_worked_example() {
        let interval = agresti_min(40, 20, 160).unwrap();
        close(interval.low, -0.216_017, 1e-5);
        close(interval.high, -0.030_896, 1e-5);
    }

    /// Student's sleep data (Cushny and Peebles 1905) in R's `t.test(extra ~ group, paired = TRUE)`: t = 4.0621, df = 9,
    /// p = 0.002833, 95 % interval 0.7001142 to 2.4598858. Scaled by ten to lie between -1 and 1.
    #[test]
    fn paired_differences_give_students_sleep_data() {
        let hours = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let scaled: Vec<f64> = hours.iter().map(|hour| hour / 10.0).collect();
        let (interval, test) = of_differences(&scaled);
        let interval = interval.unwrap();
        close(interval.low, 0.070_011_42, 1e-8);
        close(interval.high, 0.245_988_58, 1e-8);
        let Some(Test::PairedT { t, degrees, p }) = test else {
            panic!("{test:?}");
        };
        close(t, 4.0621, 0.00005);
        assert_eq!(degrees, 9);
        close(p, 0.002_833, 0.000_000_5);
    }

    /// R's `p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm")`: 0.04 0.06 0.06 0.06.
    #[test]
    fn holm_steps_down() {
        for (adjusted, wanted) in holm(&[0.03, 0.01, 0.04, 0.02])
            .iter()
            .zip([0.06, 0.04, 0.06, 0.06])
        {
            close(*adjusted, wanted, 1e-12);
        }
    }

    #[test]
    fn one_trial_takes_mcnemar_and_more_take_the_tasks_differences() {
        let one: Vec<Vec<(bool, bool)>> = vec![vec![(false, true)]; 3];
        let paired = compare(&one).unwrap();
        assert_eq!((paired.tasks, paired.pairs), (3, 3));
        close(paired.difference, 1.0, 0.0);
        assert!(matches!(
            paired.test,
            Some(Test::McnemarExact { only_second: 3, .. })
        ));
        let interval = paired.interval.unwrap();
        assert!(interval.low < 0.2 && interval.high == 1.0, "{interval:?}");

        let more = vec![vec![(false, true), (true, true)], vec![(false, false); 2]];
        let paired = compare(&more).unwrap();
        close(paired.difference, 0.25, 1e-12);
        assert!(matches!(
            paired.test,
            Some(Test::PairedT { degrees: 1, .. })
        ));
        assert!(compare(&[vec![]]).is_none());
    }
}
