use super::*;

/// A stretch of an episode at three captures a second.
struct Stretch {
    seconds: u64,
    /// Of the three captures of each second.
    late: u64,
    missing: u64,
    /// Processor time of the policy in each second.
    policy_ms: u64,
}

const QUIET: Stretch = Stretch {
    seconds: 30,
    late: 0,
    missing: 0,
    policy_ms: 0,
};

fn watch(stretches: &[Stretch]) -> Watch {
    let mut watch = Watch::new();
    for stretch in stretches {
        for _ in 0..stretch.seconds {
            let last = watch.last();
            assert!(watch.is_due(last.at + 1000) && !watch.is_due(last.at + 999));
            watch.add(Look {
                at: last.at + 1000,
                intervals: last.intervals + 3 - stretch.missing,
                late_intervals: last.late_intervals + stretch.late,
                policy_ms: last.policy_ms + stretch.policy_ms,
            });
        }
    }
    watch
}

fn late(stretches: &[Stretch], gaps: &[(u64, u64)], tails: &[(u64, u64)]) -> Option<Late> {
    Load {
        watch: &watch(stretches),
        fps: 3.0,
        gaps,
        tails,
    }
    .late()
}

fn of_the_policy(late: Option<Late>, words: &str) {
    match late {
        Some(Late::Policy(why)) if why.contains(words) => {}
        other => panic!("{words}: {other:?}"),
    }
}

fn of_the_host(late: Option<Late>, words: &str) {
    match late {
        Some(Late::Host(why)) if why.contains(words) && !why.contains("policy") => {}
        other => panic!("{words}: {other:?}"),
    }
}

#[test]
fn a_lane_that_keeps_up_is_not_late_however_busy_the_policy() {
    let busy = Stretch {
        policy_ms: 990,
        ..QUIET
    };
    assert_eq!(late(&[busy], &[(500, 1000)], &[(20_000, 15_000)]), None);
    // A handful of intervals says nothing.
    let short = Stretch {
        seconds: 4,
        late: 3,
        ..QUIET
    };
    assert_eq!(late(&[short], &[], &[]), None);
}

#[test]
fn captures_that_come_late_or_never_are_the_host_s_fault_unless_the_policy_kept_it_busy() {
    let slow = |policy_ms| Stretch {
        seconds: 10,
        late: 2,
        policy_ms,
        ..QUIET
    };
    let missing = |policy_ms| Stretch {
        seconds: 10,
        missing: 2,
        policy_ms,
        ..QUIET
    };
    let rest = || Stretch {
        seconds: 20,
        ..QUIET
    };
    let words = "20 of 90 captures came late or never";
    of_the_host(late(&[slow(490), rest()], &[], &[]), words);
    of_the_host(late(&[missing(490), rest()], &[], &[]), words);
    of_the_policy(late(&[slow(500), rest()], &[], &[]), words);
    of_the_policy(late(&[missing(500), rest()], &[], &[]), words);
}

/// Ten busy seconds in a minute are less than half of it, and all that came late came in them.
#[test]
fn a_policy_is_not_excused_by_the_time_in_which_it_waited() {
    let calm = || Stretch {
        seconds: 25,
        ..QUIET
    };
    let busy = Stretch {
        seconds: 15,
        late: 3,
        policy_ms: 1800,
        ..QUIET
    };
    of_the_policy(late(&[calm(), busy, calm()], &[], &[]), "45 of 195");
}

/// Nor is the machine by what the policy computed at another time.
#[test]
fn a_machine_that_stalls_is_not_excused_by_a_policy_that_was_busy_before() {
    let busy = Stretch {
        policy_ms: 990,
        ..QUIET
    };
    let stalled = Stretch {
        seconds: 20,
        late: 3,
        ..QUIET
    };
    of_the_host(
        late(&[busy, QUIET, stalled], &[], &[]),
        "the lane fell behind: 60 of 240",
    );
}

#[test]
fn lost_sound_and_long_waits_are_told_apart_as_well() {
    let stretches = || {
        let busy = Stretch {
            policy_ms: 600,
            ..QUIET
        };
        [busy, QUIET]
    };
    of_the_policy(
        late(&stretches(), &[(10_000, 1001)], &[]),
        "1001 ms of sound",
    );
    of_the_host(
        late(&stretches(), &[(50_000, 1001)], &[]),
        "1001 ms of sound",
    );
    of_the_policy(late(&stretches(), &[], &[(20_000, 15_001)]), "15001 ms");
    of_the_host(late(&stretches(), &[], &[(60_000, 15_001)]), "15001 ms");
}
