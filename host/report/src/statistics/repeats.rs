//! Several trials of a task: the chance that at least one of k trials passes, and that all k pass.

/// pass@k: the unbiased estimate 1 - C(n - c, k) / C(n, k) of Chen et al. (2021, arXiv 2107.03374), for `passed` = c of
/// `trials` = n. None if k is 0 or more than n.
#[must_use]
pub fn pass_any(passed: u64, trials: u64, k: u64) -> Option<f64> {
    Some(1.0 - chosen(trials.checked_sub(passed)?, trials, k)?)
}

/// pass^k: C(c, k) / C(n, k), Yao et al. (2024, "tau-bench", arXiv 2406.12045).
#[must_use]
pub fn pass_all(passed: u64, trials: u64, k: u64) -> Option<f64> {
    chosen(passed, trials, k)
}

/// C(some, k) / C(all, k) as a product, which neither overflows nor loses digits.
fn chosen(some: u64, all: u64, k: u64) -> Option<f64> {
    if k == 0 || k > all || some > all {
        return None;
    }
    Some(
        (0..k)
            .map(|i| some.saturating_sub(i) as f64 / (all - i) as f64)
            .product(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The README of OpenAI's human-eval: its example of six samples, three of them right, prints pass@1 0.4999….
    /// Hugging Face's `code_eval` documents pass@1 0.5 and pass@2 1.0 for one right of two.
    #[test]
    fn pass_any_gives_the_published_examples() {
        assert!((pass_any(3, 6, 1).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(pass_any(1, 2, 1), Some(0.5));
        assert_eq!(pass_any(1, 2, 2), Some(1.0));
        assert_eq!(pass_any(1, 2, 3), None);
    }

    #[test]
    fn both_are_what_counting_all_choices_gives() {
        for trials in 1..=7_u64 {
            for passed in 0..=trials {
                for k in 1..=trials {
                    let (mut any, mut all, mut choices) = (0, 0, 0);
                    for choice in 0_u64..1 << trials {
                        if u64::from(choice.count_ones()) != k {
                            continue;
                        }
                        choices += 1;
                        let hits = u64::from((choice & ((1 << passed) - 1)).count_ones());
                        any += u64::from(hits > 0);
                        all += u64::from(hits == k);
                    }
                    let share = |count: u64| count as f64 / choices as f64;
                    assert!((pass_any(passed, trials, k).unwrap() - share(any)).abs() < 1e-12);
                    assert!((pass_all(passed, trials, k).unwrap() - share(all)).abs() < 1e-12);
                }
            }
        }
    }
}
