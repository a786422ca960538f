//! The budget table of the design, filled in from one run of the talk page: what seeing, hearing and observing cost while
//! the page plays moving pictures and sound.

use dynacu_figures::plot::{self, Series};
use dynacu_figures::{Spread, short, slope};

use super::bed::Played;
use super::processes::{self, CHROMIUM, Look};
use super::report::{Budget, By, Line, Plot, Report, Table};
use super::talk::HeardTalk;
use dynacu_host::perception::seeing::{SeeingStats, Summary};

/// Growth is looked at from here on: before, caches fill and the browser settles (s).
const SETTLED: f64 = 60.0;

/// The lines and tables of the talk.
pub fn fill(report: &mut Report, played: &Played<()>, heard: &HeardTalk) {
    report.lines.extend(seeing(&played.seeing));
    report.lines.extend(hearing(played, heard));
    report.lines.push(Line::number(
        "memory of the lane without Chromium",
        "MiB",
        Budget::Below(700.0),
        without_browser(&played.looks),
    ));
    costs(report, &played.looks);
    if played.length_ms as f64 / 1000.0 > 4.0 * SETTLED {
        flatness(report, played);
    }
    report.plots.push(delays(heard));
}

/// What it costs to look at the screen.
fn seeing(seeing: &SeeingStats) -> Vec<Line> {
    let kept =
        100.0 * (1.0 - seeing.late_intervals as f64 / seeing.intervals_ms.count.max(1) as f64);
    vec![
        Line::spread(
            "pixel gate, one frame",
            "ms",
            By::Mean,
            Budget::Below(1.0),
            spread(seeing.gate_us, 1e-3),
        ),
        Line::spread(
            "capture of one frame",
            "ms",
            By::P95,
            Budget::Below(5.0),
            spread(seeing.grab_ms, 1.0),
        ),
        Line::number(
            "capture intervals kept",
            "%",
            Budget::AtLeast(99.0),
            Some(kept),
        ),
        Line::spread(
            "interval between captures",
            "ms",
            By::P95,
            Budget::None,
            spread(seeing.intervals_ms, 1.0),
        ),
        Line::spread(
            "keyframe decision after capture",
            "ms",
            By::P95,
            Budget::Below(100.0),
            spread(seeing.decision_delay_ms, 1.0),
        ),
        Line::spread(
            "one image embedding",
            "ms",
            By::P95,
            Budget::None,
            spread(seeing.encode_ms, 1.0),
        ),
    ]
}

/// What it costs to listen and to observe, and how right it was.
fn hearing(played: &Played<()>, heard: &HeardTalk) -> Vec<Line> {
    let from = |values: &[u64]| Spread::of_millis(values);
    vec![
        Line::spread(
            "recent audio and 60 s of context ready after observe",
            "ms",
            By::P95,
            Budget::Below(500.0),
            from(&played.tail_ms),
        ),
        Line::spread(
            "one recognition",
            "ms",
            By::P95,
            Budget::None,
            Spread::of(played.all.times.pass_ms.iter().map(|ms| f64::from(*ms))),
        ),
        Line::spread(
            "observe as a whole",
            "ms",
            By::P95,
            Budget::Below(700.0),
            from(&played.observe_ms),
        ),
        Line::spread(
            "end of a sentence at the page to its event",
            "ms",
            By::P95,
            Budget::Below(1500.0),
            Spread::of(&heard.delays),
        ),
        Line::spread(
            "beginning of a sentence, error",
            "ms",
            By::P95,
            Budget::Below(300.0),
            Spread::of(&heard.onsets),
        ),
        Line::number(
            "word error rate of the talk, live",
            "%",
            Budget::None,
            Some(heard.errors.rate() * 100.0),
        ),
        Line::number(
            "sentences of which nothing was heard",
            "",
            Budget::Below(1.0),
            Some(heard.lost as f64),
        ),
    ]
}

/// All delays of sentences, the shortest first.
fn delays(heard: &HeardTalk) -> Plot {
    let mut delays: Vec<f64> = heard.delays.clone();
    delays.sort_by(f64::total_cmp);
    let xs: Vec<f64> = (1..=delays.len())
        .map(|rank| 100.0 * rank as f64 / delays.len() as f64)
        .collect();
    let series = Series {
        name: "from the end of a sentence to its event".to_owned(),
        values: delays.into_iter().map(Some).collect(),
    };
    let title = "Sentences by delay";
    Plot {
        name: "sentence-delays".to_owned(),
        title: title.to_owned(),
        svg: plot::lines(title, "ms", "% of sentences", &xs, &[series]),
    }
}

fn spread(summary: Summary, scale: f64) -> Option<Spread> {
    let scaled = |value: f32| f64::from(value) * scale;
    (summary.count > 0).then(|| Spread {
        n: summary.count,
        mean: scaled(summary.mean),
        median: scaled(summary.p50),
        p95: scaled(summary.p95),
        max: scaled(summary.max),
    })
}

/// The most that all parts but the browser had at once, in MiB.
fn without_browser(looks: &[Look]) -> Option<f64> {
    looks
        .iter()
        .map(|look| {
            let parts = look.parts.iter().filter(|(part, _)| *part != CHROMIUM);
            parts.map(|(_, cost)| cost.memory).sum()
        })
        .max_by(f64::total_cmp)
}

fn costs(report: &mut Report, looks: &[Look]) {
    let mut table = Table::new(
        "CPU and memory of each part (Chromium: pages that its processes share count once)",
        &["part", "CPU, cores", "memory at most, MiB"],
    );
    let parts: Vec<&String> = looks
        .last()
        .map(|look| look.parts.keys().collect())
        .unwrap_or_default();
    for part in parts {
        let most = looks
            .iter()
            .filter_map(|look| look.parts.get(part))
            .map(|cost| cost.memory)
            .fold(0.0, f64::max);
        let cores = processes::cores(looks, part).map_or_else(|| "–".to_owned(), short);
        table.rows.push(vec![part.clone(), cores, short(most)]);
    }
    report.tables.push(table);
    let mut table = Table::new("CPU of the host by thread", &["thread", "CPU, cores"]);
    for (thread, cores) in processes::thread_cores(looks) {
        if cores >= 0.0005 {
            table.rows.push(vec![thread, short(cores)]);
        }
    }
    report.tables.push(table);
}

/// Whether a longer run costs more at its end than at its beginning.
fn flatness(report: &mut Report, played: &Played<()>) {
    let looks = &played.looks;
    let host = |look: &Look| look.parts.get(processes::HOST).copied().unwrap_or_default();
    let minutes = |look: &Look| look.at / 60.0;
    let memory: Vec<(f64, f64)> = looks
        .iter()
        .filter(|look| look.at > SETTLED)
        .map(|look| (minutes(look), host(look).memory))
        .collect();
    let cpu: Vec<(f64, f64)> = looks
        .windows(2)
        .filter(|pair| pair[0].at > SETTLED)
        .map(|pair| {
            let used = host(&pair[1]).cpu - host(&pair[0]).cpu;
            (minutes(&pair[1]), used / (pair[1].at - pair[0].at))
        })
        .collect();
    let length = played.length_ms as f64 / 60_000.0;
    let observe: Vec<(f64, f64)> = played
        .observe_ms
        .iter()
        .enumerate()
        .map(|(at, ms)| {
            (
                at as f64 / played.observe_ms.len() as f64 * length,
                *ms as f64,
            )
        })
        .collect();
    report.choose("minutes", short(length));
    report.lines.extend([
        // The episode's own sound is kept for its record: 1.8 MiB a minute.
        Line::number(
            "growth of the host's memory",
            "MiB a minute",
            Budget::Below(4.0),
            slope(&memory),
        ),
        Line::number(
            "growth of the host's CPU",
            "cores a minute",
            Budget::Below(0.01),
            slope(&cpu),
        ),
        Line::number(
            "growth of observe",
            "ms a minute",
            Budget::Below(10.0),
            slope(&observe),
        ),
    ]);
    let xs: Vec<f64> = looks.iter().map(minutes).collect();
    let mut parts: Vec<&String> = looks
        .last()
        .map(|look| look.parts.keys().collect())
        .unwrap_or_default();
    parts.retain(|part| {
        *part == CHROMIUM || *part == processes::HOST || *part == "Xvfb" || *part == "pulseaudio"
    });
    let series: Vec<Series> = parts
        .into_iter()
        .map(|part| Series {
            name: part.clone(),
            values: looks
                .iter()
                .map(|look| look.parts.get(part).map(|cost| cost.memory))
                .collect(),
        })
        .collect();
    let title = "Memory over a long episode";
    report.plots.push(Plot {
        name: "memory-over-time".to_owned(),
        title: title.to_owned(),
        svg: plot::lines(title, "MiB", "min", &xs, &series),
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::processes::Cost;

    #[test]
    fn the_browser_is_left_out_of_the_lanes_memory() {
        let look = |host: f64, chromium: f64| Look {
            at: 0.0,
            parts: BTreeMap::from([
                (
                    "host".to_owned(),
                    Cost {
                        cpu: 0.0,
                        memory: host,
                    },
                ),
                (
                    "Xvfb".to_owned(),
                    Cost {
                        cpu: 0.0,
                        memory: 50.0,
                    },
                ),
                (
                    CHROMIUM.to_owned(),
                    Cost {
                        cpu: 0.0,
                        memory: chromium,
                    },
                ),
            ]),
            threads: BTreeMap::new(),
        };
        let looks = [look(300.0, 900.0), look(320.0, 100.0), look(310.0, 2000.0)];
        assert_eq!(without_browser(&looks), Some(370.0));
        assert_eq!(without_browser(&[]), None);
    }

    #[test]
    fn nothing_measured_is_no_spread() {
        assert_eq!(spread(Summary::default(), 1.0), None);
        let summary = Summary {
            count: 4,
            mean: 500.0,
            p50: 400.0,
            p95: 900.0,
            max: 1000.0,
        };
        let spread = spread(summary, 1e-3).unwrap();
        assert!((spread.p95 - 0.9).abs() < 1e-9 && spread.n == 4);
    }
}
