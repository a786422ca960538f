//! `measure perception`: the talk for the budget table, the wall and the noise page for the gates.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dynacu_runtime::PolicyHost;
use tokio::sync::mpsc;

use super::bed::{Bed, Played, Watch, bystander, observer};
use super::gate_tables::{self, WITH_BURST};
use super::gates::{Caught, Row};
use super::report::{Budget, Line, Report};
use super::talk::{self, Talk};
use super::wall::{self, KeptView, Wall};
use super::{budget, noise, scene};
use dynacu_host::capture::timebase::Timebase;
use dynacu_host::episode::session::Session;
use dynacu_host::page_server::PageEvent;
use dynacu_host::perception::encoder::{Encoder, load_encoder};
use dynacu_host::perception::keyframe::GateKind;
use dynacu_host::task::home::Home;

/// Two observations are so far apart here: more of them in the same time than the benchmark's own pace gives.
const PACE: Duration = Duration::from_millis(2500);
const FPS: f32 = 3.0;
/// Beyond what a page should take.
const SPARE: Duration = Duration::from_secs(60);
/// How long the noise page is shown, also in a quick round (s): what happens once at its beginning, such as the focus, would
/// count several times in the keyframes a minute of a shorter time.
const NOISE: u32 = 60;
/// One round of the talk, roughly (s).
const ROUND: u32 = 130;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Three minutes in place of six.
    pub quick: bool,
    /// The talk goes on for so long.
    pub minutes: Option<u32>,
}

/// Everything that `measure perception` tells.
///
/// # Errors
/// A part of the lane fails.
pub async fn measure(bed: &mut Bed, extent: Extent) -> Result<Report> {
    let mut report = Report::begin("perception", &bed.bench.home.root)?;
    report.choose("gate", GateKind::Local.name());
    report.choose("encoder", bed.bench.encoder.name());
    report.choose("captures a second", FPS);
    report.choose("pace, s", PACE.as_secs_f32());
    give_talk(bed, extent, &mut report).await?;
    let noisy = make_noise(bed, NOISE).await?;
    show_wall(bed, extent, &noisy, &mut report).await?;
    Ok(report)
}

/// What every gate keeps of the drawn films. Needs no lane: figures are the same on a busy machine.
///
/// # Errors
/// The encoder is missing or fails.
pub fn gates(home: &Home, quick: bool) -> Result<Report> {
    let encoder = load_encoder()?;
    let mut report = Report::begin("gates", &home.root)?;
    report.choose("encoder", encoder.name());
    report.choose("captures a second", FPS);
    report
        .tables
        .push(gate_tables::films(&encoder, FPS, quick)?);
    Ok(report)
}

fn watch(burst: bool, seconds: u32) -> Watch {
    Watch {
        gate: GateKind::Local,
        burst,
        fps: FPS,
        pace: PACE,
        limit: Duration::from_secs(seconds.into()) + SPARE,
    }
}

async fn give_talk(bed: &mut Bed, extent: Extent, report: &mut Report) -> Result<()> {
    let rounds = extent
        .minutes
        .map_or(1, |minutes| (minutes * 60).div_ceil(ROUND).max(1));
    let talk = Talk::load(&bed.bench.home, extent.quick, rounds as usize)?;
    let work = tempfile::Builder::new()
        .prefix("dynacu-measure")
        .tempdir()?;
    eprintln!("rendering the talk's speech (what is in the cache is not rendered again) …");
    let clips = scene::render(&talk.clips(), work.path())?;
    let files: BTreeMap<String, PathBuf> = clips
        .iter()
        .map(|(id, clip)| (id.clone(), clip.file.clone()))
        .collect();
    eprintln!("the talk: {} sentences …", talk.sentences().len());
    let played = bed
        .play(&talk.scene(), files, watch(false, rounds * ROUND), observer)
        .await?;
    let times = talk.spoken(&clips, played.reports("said"));
    let said: Vec<_> = talk.sentences().into_iter().zip(times).collect();
    let heard = talk::compare(&said, &played.sentences);
    budget::fill(report, &played, &heard);
    let slides: Vec<u64> = played
        .reports("slide")
        .map(|(at, _)| at)
        .filter(|at| *at > 0)
        .collect();
    let kept = slides
        .iter()
        .filter(|at| {
            let window = **at..**at + 2000;
            played.kept.iter().any(|(_, kept)| {
                window.contains(&millis(&played, kept.decision.frame.captured))
                    && kept.decision.changed.0 < SPEAKER_LEFT
            })
        })
        .count();
    report.lines.push(Line::number(
        "slides kept beside a moving picture",
        "%",
        Budget::AtLeast(98.0),
        (!slides.is_empty()).then(|| 100.0 * kept as f64 / slides.len() as f64),
    ));
    Ok(())
}

/// On the talk's page the speaker's picture begins here; the slide lies before it.
const SPEAKER_LEFT: u32 = 900;

fn millis<T>(played: &Played<T>, at: Instant) -> u64 {
    u64::try_from(at.saturating_duration_since(played.started).as_millis()).unwrap_or(u64::MAX)
}

/// Kept frames a minute on the noise page, by gate.
async fn make_noise(bed: &mut Bed, seconds: u32) -> Result<BTreeMap<&'static str, f64>> {
    eprintln!("the noise page: {seconds} s …");
    let display = bed.lane().await?.display.clone();
    let encoder = Arc::clone(&bed.bench.encoder);
    let agent = row_of_gates(display, encoder, vec![GateKind::Local]);
    let played = bed
        .play(
            &noise::scene(seconds),
            BTreeMap::new(),
            watch(false, seconds),
            agent,
        )
        .await?;
    let minutes = f64::from(seconds) / 60.0;
    let mut counts: BTreeMap<&'static str, f64> = GateKind::ALL
        .into_iter()
        .map(|kind| (kind.name(), 0.0))
        .collect();
    counts.insert(GateKind::Local.name(), played.kept.len() as f64 / minutes);
    for caught in played.result? {
        *counts.entry(caught.gate.name()).or_default() += 1.0 / minutes;
    }
    Ok(counts)
}

type Watching = std::pin::Pin<Box<dyn Future<Output = Result<Vec<Caught>>> + Send>>;

/// Somebody in the policy's place who watches the same screen through every gate but some.
fn row_of_gates(
    display: String,
    encoder: Arc<dyn Encoder>,
    without: Vec<GateKind>,
) -> impl FnOnce(Session, mpsc::Receiver<PageEvent>) -> Watching {
    move |session, mut page| {
        Box::pin(async move {
            let timebase = Arc::new(Timebase::new());
            let past = Duration::from_millis(session.now());
            timebase.start_at(
                Instant::now()
                    .checked_sub(past)
                    .unwrap_or_else(Instant::now),
            );
            let row = Row::start(&display, FPS, &encoder, timebase, &without)?;
            while page.recv().await.is_some() {}
            drop(session);
            tokio::task::spawn_blocking(move || row.finish()).await?
        })
    }
}

async fn show_wall(
    bed: &mut Bed,
    extent: Extent,
    noisy: &BTreeMap<&'static str, f64>,
    report: &mut Report,
) -> Result<()> {
    let wall = Wall::new(extent.quick);
    eprintln!("the wall: {} changes …", wall.changes.len());
    let seconds = 2 * wall.changes.len() as u32 + 10;
    let scene = wall.scene();
    let display = bed.lane().await?.display.clone();
    let encoder = Arc::clone(&bed.bench.encoder);
    let agent = row_of_gates(display, encoder, vec![GateKind::Local]);
    let played = bed
        .play(&scene, BTreeMap::new(), watch(false, seconds), agent)
        .await?;
    let truth = wall::truth(&wall, played.reports("change"));
    let length = played.length_ms;
    let mut scores = vec![(
        GateKind::Local.name().to_owned(),
        wall::score(&wall, &truth, &views(&wall, &played)?, length),
    )];
    eprintln!("the wall again, with captures on damage …");
    let burst = bed
        .play(&scene, BTreeMap::new(), watch(true, seconds), bystander)
        .await?;
    let burst_truth = wall::truth(&wall, burst.reports("change"));
    scores.push((
        WITH_BURST.to_owned(),
        wall::score(&wall, &burst_truth, &views(&wall, &burst)?, burst.length_ms),
    ));
    let mut by_gate: BTreeMap<&'static str, Vec<KeptView>> = BTreeMap::new();
    for caught in played.result? {
        by_gate
            .entry(caught.gate.name())
            .or_default()
            .push(KeptView {
                captured_at: caught.captured_at,
                decided_at: caught.decided_at,
                shown: wall.shown(&caught.frame)?,
            });
    }
    let others = GateKind::ALL
        .into_iter()
        .filter(|kind| *kind != GateKind::Local);
    for kind in others {
        let kept = by_gate.remove(kind.name()).unwrap_or_default();
        scores.push((
            kind.name().to_owned(),
            wall::score(&wall, &truth, &kept, length),
        ));
    }
    gate_tables::lines(report, &scores, noisy);
    gate_tables::tables(report, &scores, noisy);
    Ok(())
}

/// What the gate that ran live kept.
fn views<T>(wall: &Wall, played: &Played<T>) -> Result<Vec<KeptView>> {
    played
        .kept
        .iter()
        .map(|(_, kept)| {
            let captured_at = millis(played, kept.decision.frame.captured);
            Ok(KeptView {
                captured_at,
                decided_at: captured_at + u64::from(kept.decided_after_ms),
                shown: wall.shown(&kept.decision.frame)?,
            })
        })
        .collect()
}
