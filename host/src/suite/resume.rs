//! What of a run is there already, and what is still to do.
//!
//! An episode is whole when its `episode.json` exists. One that the infrastructure spoiled is run again: its record is set
//! aside under `failed`, so that how often it failed is known however the next attempt ends.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use dynacu_record::{EpisodeResult, Outcome};

use super::plan::Planned;
use crate::episode::Losses;

/// How often an episode is run again after the infrastructure spoiled it. After causes that an agent can bring about it is
/// run again once: the second time such an attempt is an agent's error and no infrastructure's (`episode::outcome`).
pub const REPEATS: u32 = 3;

/// What is there of an episode.
#[derive(Debug, Default)]
pub struct Found {
    /// None where nothing whole is there.
    pub result: Option<EpisodeResult>,
    /// Attempts that were spoiled and set aside.
    pub spoiled: Losses,
}

impl Found {
    /// Whether the episode has to be run.
    #[must_use]
    pub fn is_due(&self) -> bool {
        match &self.result {
            None => true,
            Some(result) => {
                result.outcome == Outcome::InfrastructureError && self.spoiled.all < REPEATS
            }
        }
    }
}

/// Where the record of an episode lies.
#[must_use]
pub fn episode_folder(run: &Path, planned: &Planned) -> PathBuf {
    run.join("episodes").join(planned.place())
}

/// Looks for an episode in a run's folder.
///
/// # Errors
/// There is a result that cannot be read, or it is another episode's.
pub fn look(run: &Path, planned: &Planned, seed: &str) -> Result<Found> {
    let folder = episode_folder(run, planned);
    let result = if folder.join("episode.json").exists() {
        let result = dynacu_record::read_episode(&folder).context(
            "the run holds an episode that cannot be read; remove its folder to run it again",
        )?;
        if result.seed != seed || result.task != planned.task.manifest.id {
            bail!(
                "{} holds {} with seed {} where this run has {} with seed {seed}: it does not belong to this run",
                folder.display(),
                result.task,
                result.seed,
                planned.task.manifest.id
            );
        }
        Some(result)
    } else {
        None
    };
    Ok(Found {
        result,
        spoiled: spoiled(run, planned),
    })
}

/// The attempts that were set aside.
fn spoiled(run: &Path, planned: &Planned) -> Losses {
    let mut losses = Losses::default();
    loop {
        let folder = attempt(run, planned, losses.all + 1);
        if !folder.exists() {
            return losses;
        }
        losses = match dynacu_record::read_episode(&folder) {
            Ok(result) => losses.and(result.cause),
            // One whose result somebody removed happened all the same.
            Err(_) => Losses {
                all: losses.all + 1,
                ..losses
            },
        };
    }
}

/// Makes room for another attempt: a spoiled one is moved to `failed`, in one step. Gives those that were spoiled so far.
///
/// # Errors
/// The folder cannot be moved.
pub fn set_aside(run: &Path, planned: &Planned, found: &Found) -> io::Result<Losses> {
    let Some(result) = &found.result else {
        return Ok(found.spoiled);
    };
    let losses = found.spoiled.and(result.cause);
    let aside = attempt(run, planned, losses.all);
    if let Some(parent) = aside.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::rename(episode_folder(run, planned), aside)?;
    Ok(losses)
}

fn attempt(run: &Path, planned: &Planned, number: u32) -> PathBuf {
    let place = run.join("failed").join(planned.place());
    let trial = planned.trial;
    place.with_file_name(format!("{trial}-{number}"))
}

#[cfg(test)]
mod tests {
    use dynacu_record::EndCause;

    use super::*;
    use crate::episode::tests::result;
    use crate::mode::Mode;
    use crate::perception::keyframe::GateKind;
    use crate::task::foreign::tests::task;

    fn planned() -> Planned {
        Planned {
            policy: 0,
            model: None,
            task: task("page.html"),
            mode: Mode::Standard,
            gate: GateKind::Local,
            trial: 2,
            agent: "idle".to_owned(),
        }
    }

    /// Writes a result as a host would that ended with this outcome.
    fn end(run: &Path, planned: &Planned, outcome: &str) {
        let folder = episode_folder(run, planned);
        std::fs::create_dir_all(&folder).unwrap();
        let mut result = result(outcome);
        result.cause = EndCause::SoundLost;
        result.score = None;
        dynacu_record::write_json(&folder.join("episode.json"), &result).unwrap();
    }

    #[test]
    fn a_spoiled_episode_is_run_again_three_times_and_each_attempt_is_kept() {
        let (root, planned) = (tempfile::tempdir().unwrap(), planned());
        let run = root.path();
        let look = || look(run, &planned, "1").unwrap();
        assert!(look().is_due());
        for spoiled in 1..=REPEATS {
            end(run, &planned, "infrastructure-error");
            let found = look();
            assert!(found.is_due());
            assert_eq!(set_aside(run, &planned, &found).unwrap().all, spoiled);
            // However the next attempt dies, this one is counted.
            assert_eq!(look().spoiled.all, spoiled);
            assert!(look().result.is_none() && look().is_due());
        }
        end(run, &planned, "infrastructure-error");
        assert!(!look().is_due());
        assert!(
            run.join("failed/idle/standard/PAGE-page/2-3/episode.json")
                .exists()
        );
        for outcome in ["passed", "failed", "timeout", "agent-error", "unscored"] {
            end(run, &planned, outcome);
            assert!(!look().is_due(), "{outcome}");
        }
    }

    /// A policy that hangs its page whenever it is losing.
    #[test]
    fn an_attempt_that_an_agent_can_spoil_is_repeated_once_and_then_counts() {
        let (root, planned) = (tempfile::tempdir().unwrap(), planned());
        let run = root.path();
        end(run, &planned, "infrastructure-error");
        let folder = episode_folder(run, &planned);
        let mut hung = dynacu_record::read_episode(&folder).unwrap();
        hung.cause = EndCause::BrowserLost;
        for (earlier, outcome) in [(0, Outcome::InfrastructureError), (1, Outcome::AgentError)] {
            hung.earlier_losses_by_agent = earlier;
            hung.outcome = crate::episode::outcome(&hung);
            assert_eq!(hung.outcome, outcome);
            std::fs::create_dir_all(&folder).unwrap();
            dynacu_record::write_json(&folder.join("episode.json"), &hung).unwrap();
            let found = look(run, &planned, "1").unwrap();
            assert_eq!(found.is_due(), earlier == 0);
            if found.is_due() {
                let losses = set_aside(run, &planned, &found).unwrap();
                assert_eq!((losses.all, losses.by_agent), (1, 1));
                assert_eq!(look(run, &planned, "1").unwrap().spoiled, losses);
            }
        }
        // The machine's own faults stay its own, however often.
        hung.cause = EndCause::SoundLost;
        assert_eq!(crate::episode::outcome(&hung), Outcome::InfrastructureError);
    }

    #[test]
    fn what_is_half_there_is_missing_and_what_is_another_s_is_told() {
        let (root, planned) = (tempfile::tempdir().unwrap(), planned());
        let run = root.path();
        let folder = episode_folder(run, &planned);
        std::fs::create_dir_all(folder.join("blobs")).unwrap();
        std::fs::write(folder.join("events.jsonl"), "{\"seq\":").unwrap();
        std::fs::write(folder.join(".episode.json.part"), "{").unwrap();
        assert!(look(run, &planned, "1").unwrap().is_due());
        end(run, &planned, "passed");
        let error = look(run, &planned, "2").unwrap_err().to_string();
        assert!(error.contains("does not belong to this run"), "{error}");
        std::fs::write(folder.join("episode.json"), "{").unwrap();
        assert!(look(run, &planned, "1").is_err());
    }
}
