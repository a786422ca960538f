//! What a screenshot every few seconds is worth: the chance that the best guess from what it shows is right.
//!
//! The moments' time line is simulated for a hundred phases of the screenshots. Where moments follow something that the agent
//! does, it may choose when to do it, so the best phase counts; else the mean. What was not seen is guessed. Sound is never seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::task::manifest::{After, Kind, Manifest, Moment, MomentChannel};
use crate::task::template::ValuePath;

const PHASES: u32 = 100;
/// Draws of the delays that are drawn.
const DRAWS: u32 = 40;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exposure {
    /// The chance with screenshots alone, 0 to 1.
    pub bound: f64,
    /// The chance of a blind guess, 0 to 1.
    pub chance: f64,
}

/// Computes it for screenshots `pace` seconds apart.
#[must_use]
pub fn exposure(manifest: &Manifest, pace: f64) -> Exposure {
    let mut wanted: BTreeMap<ValuePath, f64> = BTreeMap::new();
    for moment in manifest.moments.iter().filter(|moment| moment.needed) {
        for path in &moment.tells {
            wanted.insert(path.clone(), choices(manifest, path));
        }
    }
    let guess = |paths: &BTreeSet<&ValuePath>| -> f64 {
        paths
            .iter()
            .map(|path| 1.0 / wanted[*path].max(1.0))
            .product()
    };
    let all: BTreeSet<&ValuePath> = wanted.keys().collect();
    let chance = guess(&all);
    // Nothing that is typed or clicked counts there, and screenshots alone come without a voice.
    if manifest.scorer.plugin == "spoken-answer" {
        return Exposure { bound: 0.0, chance };
    }
    let mut groups: BTreeMap<String, Vec<&Moment>> = BTreeMap::new();
    for moment in &manifest.moments {
        groups
            .entry(root(manifest, moment))
            .or_default()
            .push(moment);
    }
    let mut bound = 1.0;
    let mut placed: BTreeSet<&ValuePath> = BTreeSet::new();
    for (root, moments) in &groups {
        let mine: BTreeSet<&ValuePath> = moments
            .iter()
            .flat_map(|moment| &moment.tells)
            .filter(|path| wanted.contains_key(path) && placed.insert(path))
            .collect();
        let mut by_phase = Vec::new();
        for phase in 0..PHASES {
            let first = pace * f64::from(phase) / f64::from(PHASES);
            let mut sum = 0.0;
            for draw in 0..DRAWS {
                sum += worth(moments, &mine, &wanted, (first, pace), draw);
            }
            by_phase.push(sum / f64::from(DRAWS));
        }
        bound *= if root == START {
            by_phase.iter().sum::<f64>() / f64::from(PHASES)
        } else {
            by_phase.iter().copied().fold(0.0, f64::max)
        };
    }
    Exposure { bound, chance }
}

const START: &str = "start";

/// What a moment's chain begins with: the start, or the first moment that follows an act.
fn root(manifest: &Manifest, moment: &Moment) -> String {
    match &moment.after {
        None | Some(After::Start) => START.to_owned(),
        Some(After::Act) => moment.name.clone(),
        Some(After::Moment(name)) => manifest
            .moments
            .iter()
            .find(|other| other.name == *name)
            .map_or_else(|| START.to_owned(), |other| root(manifest, other)),
    }
}

/// The chance of the right answer for one phase of the screenshots and one draw of the delays.
fn worth(
    moments: &[&Moment],
    mine: &BTreeSet<&ValuePath>,
    wanted: &BTreeMap<ValuePath, f64>,
    (first, pace): (f64, f64),
    draw: u32,
) -> f64 {
    let mut began: BTreeMap<&str, f64> = BTreeMap::new();
    // The share of each value that was seen: a moment that comes several times tells a part each time.
    let mut seen: BTreeMap<&ValuePath, f64> = BTreeMap::new();
    for (index, moment) in moments.iter().enumerate() {
        let base = match &moment.after {
            Some(After::Moment(name)) => began.get(name.as_str()).copied().unwrap_or(0.0),
            Some(After::Start | After::Act) | None => 0.0,
        };
        let mut start = base + between(moment.delay, draw, index);
        let mut caught = 0;
        for time in 0..moment.times {
            if time > 0 {
                start += between(moment.every, draw, index * 31 + time as usize);
            }
            let end = start + moment.seconds.unwrap_or(0.0);
            let next = first + ((start - first) / pace).ceil().max(0.0) * pace;
            if moment.channel == MomentChannel::Screen && next <= end {
                caught += 1;
            }
        }
        began.insert(&moment.name, start);
        let share = f64::from(caught) / f64::from(moment.times);
        for path in &moment.tells {
            let so_far = seen.entry(path).or_insert(0.0);
            *so_far = so_far.max(share);
        }
    }
    mine.iter()
        .map(|path| {
            let unseen = 1.0 - seen.get(*path).copied().unwrap_or(0.0);
            wanted[*path].max(1.0).powf(-unseen)
        })
        .product()
}

/// A value of a range, spread evenly over the draws and differently for each use.
fn between((least, most): (f64, f64), draw: u32, used: usize) -> f64 {
    // Multiples of the golden ratio fill an interval evenly.
    let share = (f64::from(draw) + 0.5) / f64::from(DRAWS) + used as f64 * 0.618_033_988_75;
    least + (most - least) * share.fract()
}

/// How many values something can take.
fn choices(manifest: &Manifest, path: &ValuePath) -> f64 {
    let Some(field) = manifest.fields.get(path.field()) else {
        return 1.0;
    };
    let parts = path.segments.get(1..).unwrap_or_default();
    match &field.kind {
        Kind::Text(template) => {
            let leaves: BTreeSet<ValuePath> = template.values().map(ValuePath::value).collect();
            leaves.iter().map(|leaf| choices(manifest, leaf)).product()
        }
        _ if parts.is_empty() => field.choices(),
        Kind::Choose(items) => {
            let part = |item: &serde_json::Value| {
                let mut inner = item;
                for part in parts {
                    inner = inner.get(part)?;
                }
                Some(inner.to_string())
            };
            items.iter().filter_map(part).collect::<BTreeSet<_>>().len() as f64
        }
        Kind::Name(person) => match parts[0].as_str() {
            "first" => person.given_names().len() as f64,
            "last" => person.surnames().len() as f64,
            _ => field.choices(),
        },
        Kind::Shuffle { items, .. } | Kind::Sequence { items, .. } => items.len() as f64,
        Kind::NumberList(numbers, _) | Kind::TimingList(numbers, _) => {
            numbers.candidates.len() as f64
        }
        Kind::Number(_)
        | Kind::Code(_)
        | Kind::Phone(_)
        | Kind::Date(_)
        | Kind::Time(_)
        | Kind::Timing(_) => field.choices(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::task::manifest::tests::example;

    fn with(moments: &str) -> Exposure {
        let text = example();
        let (head, rest) = text.split_once("[[moments]]").unwrap();
        let (_, tail) = rest.split_once("[scorer]").unwrap();
        let text = format!("{head}{moments}\n[scorer]{tail}");
        exposure(
            &Manifest::parse(&text, Path::new("task.toml")).unwrap(),
            5.0,
        )
    }

    fn screen(name: &str, after: &str, delay: &str, seconds: f64, tells: &str) -> String {
        format!(
            "[[moments]]\nname = \"{name}\"\nchannel = \"screen\"\nneeded = true\nafter = \"{after}\"\ndelay = {delay}\nseconds = {seconds}\ntells = [\"{tells}\"]\n"
        )
    }

    #[test]
    fn one_short_showing_is_caught_in_its_share_of_the_phases() {
        let found = with(&screen("one", "start", "7.3", 2.0, "code"));
        assert!((found.bound - 0.4).abs() < 0.02, "{found:?}");
        assert!(found.chance < 0.001);
        // After an act the agent waits so that its screenshot falls into the showing.
        let chosen = with(&screen("one", "act", "1.2", 2.0, "code"));
        assert!(chosen.bound > 0.999, "{chosen:?}");
    }

    #[test]
    fn two_that_are_never_up_at_once_within_the_pace_cannot_both_be_caught() {
        let both = [
            screen("one", "act", "[0.9, 1.7]", 2.0, "code"),
            screen("two", "one", "2.2", 2.0, "list-price"),
        ];
        let found = with(&both.concat());
        // One of the two is guessed: at best the price, one of about 58.
        assert!(found.bound < 0.03 && found.bound > 0.01, "{found:?}");
        let far = [
            screen("one", "act", "1", 2.0, "code"),
            screen("two", "one", "5", 2.0, "list-price"),
        ];
        assert!(with(&far.concat()).bound > 0.999);
    }

    #[test]
    fn sound_is_never_seen_and_repeats_tell_a_part_each() {
        let heard = "[[moments]]\nname = \"said\"\nchannel = \"audio\"\nneeded = true\nafter = \"start\"\ntells = [\"code\"]\n";
        let found = with(heard);
        assert_eq!(found.bound, found.chance);
        let four = format!(
            "{}times = 4\nevery = [3, 4]\n",
            screen("one", "start", "2", 1.5, "code")
        );
        let four = with(&four).bound;
        assert!(four > found.bound && four < 0.2, "{four}");
    }
}
