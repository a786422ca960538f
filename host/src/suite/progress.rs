//! How far a run is, for a person at a terminal: a bar for each lane and one for all. Where there is no terminal, plain lines.

use std::time::{Duration, Instant};

use dynacu_figures::plain::{self, plain};
use dynacu_record::{EpisodeResult, Outcome};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::view::LaneView;

/// How often the bars are drawn.
pub const REDRAW: Duration = Duration::from_millis(500);
/// Characters of what an episode said that are shown in a line.
const LONGEST: usize = 500;

/// Counts of a run.
#[derive(Debug)]
pub struct Counts {
    pub planned: usize,
    /// Of those, what was there before.
    pub kept: usize,
    pub ended: usize,
    pub passed: usize,
    pub infrastructure: usize,
    lanes: usize,
    began: Instant,
}

impl Counts {
    #[must_use]
    pub fn new(planned: usize, kept: usize, lanes: usize) -> Counts {
        Counts {
            planned,
            kept,
            ended: 0,
            passed: 0,
            infrastructure: 0,
            lanes,
            began: Instant::now(),
        }
    }

    fn count(&mut self, outcome: Outcome) {
        self.ended += 1;
        self.passed += usize::from(outcome == Outcome::Passed);
        self.infrastructure += usize::from(outcome == Outcome::InfrastructureError);
    }

    /// How long the rest will take at the pace so far; none before the first episode ended.
    #[must_use]
    pub fn left(&self, elapsed: Duration) -> Option<Duration> {
        let rest = self.planned.saturating_sub(self.kept + self.ended);
        let ended = u32::try_from(self.ended).ok().filter(|&ended| ended > 0)?;
        Some(elapsed / ended * u32::try_from(rest).ok()?)
    }

    /// One line about everything.
    #[must_use]
    pub fn line(&self, elapsed: Duration, cost_usd: f64) -> String {
        let mut line = format!("{} passed", self.passed);
        if self.infrastructure > 0 {
            line.push_str(&format!(", {} infrastructure errors", self.infrastructure));
        }
        if let Some(left) = self.left(elapsed) {
            line.push_str(&format!(", about {} left", time(left)));
        }
        if cost_usd > 0.0 {
            line.push_str(&format!(", ${cost_usd:.2} so far"));
        }
        line
    }
}

/// A time for people.
fn time(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match minutes {
        0 | 1 => "a minute".to_owned(),
        2..=99 => format!("{minutes} minutes"),
        _ => format!("{} hours", (minutes + 30) / 60),
    }
}

struct Bars {
    all: MultiProgress,
    lanes: Vec<ProgressBar>,
    total: ProgressBar,
}

/// Tells a run's progress on standard error.
pub struct Progress {
    counts: Counts,
    /// None where nobody looks at a terminal.
    bars: Option<Bars>,
}

impl Progress {
    #[must_use]
    pub fn new(counts: Counts) -> Progress {
        use std::io::IsTerminal;
        let bars = std::io::stderr()
            .is_terminal()
            .then(|| bars(counts.lanes, counts.planned));
        Progress { counts, bars }
    }

    /// A line that stays.
    pub fn say(&self, text: &str) {
        match &self.bars {
            // A terminal that is gone is no reason to end a run.
            Some(bars) => drop(bars.all.println(plain(text))),
            None => eprintln!("{}", plain(text)),
        }
    }

    /// An episode begins.
    pub fn begins(&self, lane: usize, position: usize, episode: &str) {
        if self.bars.is_none() {
            let place = self.place(lane, position);
            self.say(&format!("{place} {episode} …"));
        }
    }

    /// An episode ended.
    pub fn ended(
        &mut self,
        lane: usize,
        position: usize,
        episode: &str,
        result: &EpisodeResult,
        cost_usd: f64,
    ) {
        self.counts.count(result.outcome);
        let place = self.place(lane, position);
        match &self.bars {
            Some(_) => self.say(&format!("{place} {episode}: {}", line(result))),
            None if self.counts.lanes > 1 => self.say(&format!("{place} {}", line(result))),
            None => self.say(&format!("      {}", line(result))),
        }
        // Where bars are drawn they say it all the time.
        if self.bars.is_none() && self.counts.ended.is_multiple_of(10) {
            let line = self.counts.line(self.counts.began.elapsed(), cost_usd);
            self.say(&format!(
                "      {} of {} episodes: {line}",
                self.counts.kept + self.counts.ended,
                self.counts.planned
            ));
        }
    }

    fn place(&self, lane: usize, position: usize) -> String {
        let planned = self.counts.planned;
        if self.counts.lanes > 1 {
            format!("[{position}/{planned}] lane {lane}:")
        } else {
            format!("[{position}/{planned}]")
        }
    }

    /// Draws the bars anew.
    pub fn draw(&self, lanes: &[LaneView], cost_usd: f64) {
        let Some(bars) = &self.bars else { return };
        for (bar, lane) in bars.lanes.iter().zip(lanes) {
            let message = match (lane.episode.is_empty(), lane.began) {
                (true, _) => lane.doing.clone(),
                (false, began) => format!(
                    "{}  {}, step {}, {} s",
                    lane.episode,
                    lane.doing,
                    lane.step,
                    began.map_or(0, |began| began.elapsed().as_secs())
                ),
            };
            bar.set_message(plain::line(&message, LONGEST));
            bar.tick();
        }
        bars.total
            .set_position((self.counts.kept + self.counts.ended) as u64);
        bars.total
            .set_message(self.counts.line(self.counts.began.elapsed(), cost_usd));
    }

    /// Takes the bars away.
    pub fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.lanes.iter().for_each(ProgressBar::finish_and_clear);
            bars.total.finish_and_clear();
        }
    }
}

fn bars(lanes: usize, planned: usize) -> Bars {
    // The templates are fixed; one that did not parse would fall back to the library's own.
    let style = |template: &str| {
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
    };
    let all = MultiProgress::new();
    let lanes = (0..lanes)
        .map(|lane| {
            let bar = all.add(ProgressBar::new_spinner());
            bar.set_style(style("{spinner} lane {prefix}  {wide_msg}"));
            bar.set_prefix(lane.to_string());
            bar
        })
        .collect();
    let total = all.add(ProgressBar::new(planned as u64));
    total.set_style(style("{bar:30} {pos}/{len}  {wide_msg}"));
    Bars { all, lanes, total }
}

/// What an episode came to.
fn line(result: &EpisodeResult) -> String {
    let mut text = format!(
        "{} ({}, {} steps, {:.0} s)",
        result.outcome.name(),
        result.cause.name(),
        result.steps,
        result.wall_s
    );
    if result.outcome != Outcome::Passed {
        let why = result
            .score
            .as_ref()
            .map_or("", |score| score.explanation.as_str());
        let said = [result.detail.as_str(), why];
        let said: Vec<&str> = said.into_iter().filter(|part| !part.is_empty()).collect();
        if !said.is_empty() {
            let said = plain::line(&said.join("; "), LONGEST);
            text.push_str(&format!(": {said}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_episode_said_is_one_short_line() {
        let mut result = crate::episode::tests::result("failed");
        result.detail = format!("the page's result is \u{1b}[2J\n{}", "x".repeat(1 << 20));
        let line = line(&result);
        assert!(
            line.len() < 700 && !line.contains(['\u{1b}', '\n']),
            "{line}"
        );
    }

    #[test]
    fn the_rest_is_estimated_from_the_episodes_of_this_start_alone() {
        let mut counts = Counts::new(50, 20, 2);
        assert_eq!(counts.line(Duration::ZERO, 0.0), "0 passed");
        for outcome in [
            Outcome::Passed,
            Outcome::Failed,
            Outcome::Passed,
            Outcome::InfrastructureError,
        ] {
            counts.count(outcome);
        }
        // Four in two minutes, 26 to go.
        assert_eq!(
            counts.line(Duration::from_secs(120), 1.5),
            "2 passed, 1 infrastructure errors, about 13 minutes left, $1.50 so far"
        );
        assert_eq!(time(Duration::from_secs(3)), "a minute");
        assert_eq!(time(Duration::from_secs(7200)), "2 hours");
    }
}
