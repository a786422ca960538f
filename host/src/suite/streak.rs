//! When a run stops in its middle: the provider refuses the key, the quota is spent, or nothing is answered any more.

use dynacu_record::EndCause;

/// Episodes in a row.
const IN_A_ROW: u32 = 3;

/// Watches the episodes of a run go by.
#[derive(Debug, Default)]
pub struct Streak {
    outages: u32,
    unanswered: u32,
}

impl Streak {
    /// Takes an episode's end and how many of its model calls were made and answered; a sentence where the run should
    /// not go on.
    pub fn after(
        &mut self,
        cause: EndCause,
        detail: &str,
        calls: u64,
        answers: usize,
    ) -> Option<String> {
        if matches!(
            cause,
            EndCause::ModelAuthentication | EndCause::ModelQuota | EndCause::Budget
        ) {
            return Some(detail.to_owned());
        }
        // An episode without a call says nothing about the provider.
        if calls == 0 {
            return None;
        }
        let counted = |so_far: u32, again: bool| if again { so_far + 1 } else { 0 };
        self.outages = counted(self.outages, cause == EndCause::ProviderOutage);
        self.unanswered = counted(self.unanswered, answers == 0);
        if self.outages >= IN_A_ROW {
            return Some(format!(
                "the provider failed in {} episodes in a row, last: {detail}",
                self.outages
            ));
        }
        (self.unanswered >= IN_A_ROW).then(|| {
            format!(
                "the model answered nothing in {} episodes in a row, last: {detail}",
                self.unanswered
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(results: &[(EndCause, u64, usize)]) -> Option<usize> {
        let mut streak = Streak::default();
        results.iter().position(|&(cause, calls, answers)| {
            streak.after(cause, "the detail", calls, answers).is_some()
        })
    }

    #[test]
    fn key_quota_and_budget_stop_at_once() {
        use EndCause as C;
        for cause in [C::ModelAuthentication, C::ModelQuota, C::Budget] {
            assert_eq!(
                stops(&[(C::TaskEnded, 3, 3), (cause, 1, 0)]),
                Some(1),
                "{cause:?}"
            );
        }
    }

    #[test]
    fn three_outages_in_a_row_stop_and_fewer_do_not() {
        use EndCause as C;
        let lost = (C::ProviderOutage, 2, 1);
        let fine = (C::TaskEnded, 2, 2);
        assert_eq!(stops(&[lost, lost, fine, lost, lost]), None);
        assert_eq!(stops(&[lost, fine, lost, lost, lost, fine]), Some(4));
        assert_eq!(stops(&[lost, (C::BrowserLost, 0, 0), lost, lost]), Some(3));
    }

    #[test]
    fn a_model_that_answers_nothing_stops_whatever_the_cause() {
        use EndCause as C;
        let refused = (C::GuestError, 4, 0);
        assert_eq!(
            stops(&[refused, (C::PolicyReturned, 1, 0), refused]),
            Some(2)
        );
        assert_eq!(
            stops(&[refused, refused, (C::GuestError, 4, 1), refused]),
            None
        );
        assert_eq!(
            stops(&[(C::TaskEnded, 0, 0); 5]),
            None,
            "policies without a model"
        );
    }
}
