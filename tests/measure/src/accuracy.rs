//! How right hearing is: a fixed set of synthetic speech, clean and in noise, and sounds in which nobody speaks. Everything goes
//! through the chain that hears an episode, as fast as it can.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use dynacu_figures::plot::{self, Series};
use dynacu_figures::short;

use super::mixing;
use super::report::{Budget, Line, Plot, Report, Table};
use super::scene::{self, Clip};
use super::words::{self, Errors};
use dynacu_host::capture::timebase::Timebase;
use dynacu_host::perception::hearing::Hearing;
use dynacu_host::perception::recognizer::{RecognizerChoice, Transcribe};
use dynacu_host::perception::transcript::text_of;
use dynacu_host::studio::render::entity;
use dynacu_host::task::SpeechClip;
use dynacu_host::task::home::Home;
use dynacu_host::weights::{file, names};

mod set;

use set::{Item, Set};

/// How many decibels speech is above the noise in the noisy half.
const RATIO: f32 = 10.0;
/// Silence before and after each clip (samples).
const PAUSE: usize = mixing::RATE * 3 / 2;
/// Of each sound in which nobody speaks; there are ten.
const SECONDS: usize = 60;
const QUICK_SECONDS: usize = 6;

/// Counts of one group of clips.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    errors: Errors,
    facts: usize,
    missed: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.errors.add(other.errors);
        self.facts += other.facts;
        self.missed += other.missed;
    }

    fn words(&self) -> f64 {
        self.errors.rate() * 100.0
    }

    fn facts(&self) -> f64 {
        100.0 * self.missed as f64 / self.facts.max(1) as f64
    }
}

/// A recogniser in one condition.
struct Condition {
    model: &'static str,
    noisy: bool,
    all: Tally,
    by_kind: BTreeMap<String, Tally>,
    by_voice: BTreeMap<String, Tally>,
    by_speed: BTreeMap<String, Tally>,
    misheard: Vec<[String; 4]>,
}

/// What this machine's recognisers get right. Blocks for minutes.
///
/// # Errors
/// A model, a voice or a program is missing.
pub fn measure(home: &Home, quick: bool) -> Result<Report> {
    let mut report = Report::begin("accuracy", &home.root)?;
    let set = Set::load(home)?;
    let items = set.items(quick);
    let work = tempfile::Builder::new()
        .prefix("dynacu-measure")
        .tempdir()?;
    let specifications: Vec<SpeechClip> = items.iter().map(|item| item.clip.clone()).collect();
    eprintln!(
        "rendering {} clips (what is in the cache is not rendered again) …",
        items.len()
    );
    let clips = scene::render(&specifications, work.path())?;
    report.choose("clips", items.len());
    report.choose("voices", set.voices.len());
    report.choose("noise below speech, dB", RATIO);

    let mut conditions = Vec::new();
    for (model, choice) in [
        ("base", RecognizerChoice::Base),
        ("tiny", RecognizerChoice::Tiny),
    ] {
        let recognizer = choice.load()?;
        for noisy in [false, true] {
            eprintln!("{model}, {} …", condition_name(noisy));
            conditions.push(score(model, noisy, &items, &clips, &recognizer)?);
        }
    }
    lines(&mut report, &conditions);
    tables(&mut report, &conditions);

    eprintln!("sounds in which nobody speaks …");
    let recognizer = RecognizerChoice::Base.load()?;
    let seconds = if quick { QUICK_SECONDS } else { SECONDS };
    let mut table = Table::new(
        "Sounds in which nobody speaks",
        &["sound", "seconds", "words", "text"],
    );
    let mut invented = 0;
    for (name, sound) in mixing::no_speech(seconds) {
        let text = hear(&recognizer, &sound)?;
        let count = words::words(&text).len();
        invented += count;
        table.rows.push(vec![
            name.to_owned(),
            seconds.to_string(),
            count.to_string(),
            text,
        ]);
    }
    report.lines.push(Line::number(
        format!("words from {} s without speech", seconds * table.rows.len()),
        "words",
        Budget::Below(1.0),
        Some(invented as f64),
    ));
    report.tables.push(table);
    Ok(report)
}

fn condition_name(noisy: bool) -> &'static str {
    if noisy { "10 dB noise" } else { "clean" }
}

/// One sound through the chain that hears episodes.
fn hear(recognizer: &Arc<dyn Transcribe>, sound: &[f32]) -> Result<String> {
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let (hearing, events) = Hearing::fed(timebase, Arc::clone(recognizer), &file(names::SILERO)?)?;
    hearing.feed(sound);
    drop(events);
    Ok(text_of(&hearing.stop().sentences))
}

fn score(
    model: &'static str,
    noisy: bool,
    items: &[Item],
    clips: &BTreeMap<String, Clip>,
    recognizer: &Arc<dyn Transcribe>,
) -> Result<Condition> {
    let mut condition = Condition {
        model,
        noisy,
        all: Tally::default(),
        by_kind: BTreeMap::new(),
        by_voice: BTreeMap::new(),
        by_speed: BTreeMap::new(),
        misheard: Vec::new(),
    };
    for (number, item) in items.iter().enumerate() {
        let clip = clips
            .get(&item.clip.id)
            .with_context(|| format!("{} was not rendered", item.clip.id))?;
        let mut sound = vec![0.0; PAUSE];
        sound.extend_from_slice(&clip.samples);
        sound.resize(sound.len() + PAUSE, 0.0);
        if noisy {
            sound = mixing::with_noise(&sound, RATIO, number as u64);
        }
        let heard = hear(recognizer, &sound)?;
        let missed: Vec<&str> = item
            .spoken
            .facts
            .iter()
            .filter(|(written, spoken)| !entity::heard(&heard, written, spoken))
            .map(|(written, _)| written.as_str())
            .collect();
        let tally = Tally {
            errors: words::errors(&item.spoken.said, &heard),
            facts: item.spoken.facts.len(),
            missed: missed.len(),
        };
        if tally.errors.rate() > 0.0 || !missed.is_empty() {
            condition.misheard.push([
                format!("{} at {}", item.clip.voice(), item.clip.speed()),
                item.spoken.said.clone(),
                heard,
                missed.join(", "),
            ]);
        }
        condition.all.add(&tally);
        for (group, key) in [
            (&mut condition.by_kind, item.spoken.kind.clone()),
            (&mut condition.by_voice, item.clip.voice().to_owned()),
            (&mut condition.by_speed, item.clip.speed().to_string()),
        ] {
            group.entry(key).or_default().add(&tally);
        }
    }
    Ok(condition)
}

fn lines(report: &mut Report, conditions: &[Condition]) {
    for condition in conditions {
        let place = format!("{}, {}", condition.model, condition_name(condition.noisy));
        let budget = match (condition.model, condition.noisy) {
            ("base", false) => Budget::Below(6.0),
            ("base", true) => Budget::Below(12.0),
            _ => Budget::None,
        };
        report.lines.push(Line::number(
            format!("word error rate, {place}"),
            "%",
            budget,
            Some(condition.all.words()),
        ));
        report.lines.push(Line::number(
            format!("facts missed (numbers, dates, codes, names), {place}"),
            "%",
            Budget::None,
            Some(condition.all.facts()),
        ));
    }
}

/// A way to group clips, and its name.
type Grouping = (&'static str, fn(&Condition) -> &BTreeMap<String, Tally>);

fn tables(report: &mut Report, conditions: &[Condition]) {
    let groupings: [Grouping; 3] = [
        ("kind", |condition| &condition.by_kind),
        ("voice", |condition| &condition.by_voice),
        ("speed", |condition| &condition.by_speed),
    ];
    for (name, group) in groupings {
        let mut columns = vec![name.to_owned(), "words".to_owned(), "facts".to_owned()];
        for condition in conditions {
            let place = format!("{} {}", condition.model, condition_name(condition.noisy));
            columns.push(format!("{place}: words %"));
            columns.push(format!("{place}: facts %"));
        }
        let mut table = Table {
            title: format!("Errors by {name}: wrong words, and facts that were not taken"),
            columns,
            rows: Vec::new(),
        };
        let Some(first) = conditions.first() else {
            continue;
        };
        for (key, tally) in group(first) {
            let mut row = vec![
                key.clone(),
                tally.errors.said.to_string(),
                tally.facts.to_string(),
            ];
            for condition in conditions {
                let tally = group(condition).get(key).copied().unwrap_or_default();
                row.push(short(tally.words()));
                row.push(short(tally.facts()));
            }
            table.rows.push(row);
        }
        let keys: Vec<String> = group(first).keys().cloned().collect();
        let series: Vec<Series> = conditions
            .iter()
            .map(|condition| Series {
                name: format!("{} {}", condition.model, condition_name(condition.noisy)),
                values: keys
                    .iter()
                    .map(|key| group(condition).get(key).map(Tally::words))
                    .collect(),
            })
            .collect();
        report.plots.push(Plot {
            name: format!("accuracy-by-{name}"),
            title: format!("Word error rate by {name}"),
            svg: plot::bars(
                &format!("Word error rate by {name}"),
                "%",
                &keys,
                &series,
                None,
            ),
        });
        report.tables.push(table);
    }
    for base in conditions.iter().filter(|one| one.model == "base") {
        let mut table = Table::new(
            &format!("What base misheard, {}", condition_name(base.noisy)),
            &["voice", "said", "heard", "facts missed"],
        );
        table.rows = base.misheard.iter().map(|row| row.to_vec()).collect();
        report.tables.push(table);
    }
}
