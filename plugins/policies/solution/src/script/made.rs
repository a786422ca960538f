//! From the shape of the file to steps.

use std::collections::BTreeMap;

use dynacu_sdk::{Duration, MouseButton, ScrollDirection};

use super::parts::{self, RawPlace};
use super::raw::{
    Placed, RawButton, RawCapture, RawChoose, RawCollect, RawConstant, RawDirection, RawKeys,
    RawRepeat, RawScroll, RawSenses, RawStep, RawTimes, RawWatch,
};
use super::{
    Choose, Collect, Constants, Find, Pick, Press, Rounds, Scroll, Sense, Step, Target, Watch, What,
};
use crate::memory::{Capture, Row};
use crate::pattern::Pattern;

/// Seconds that a waiting step takes where it does not say.
const WITHIN: f64 = 30.0;
/// Confidence below which `collect` leaves a reading out.
const SURE: f32 = 0.8;

impl From<RawCapture> for Capture {
    fn from(raw: RawCapture) -> Self {
        match raw {
            RawCapture::Text(text) => Self { text, at: None },
            RawCapture::Placed(Placed { text, at }) => Self {
                text,
                at: Some(parts::point(at)),
            },
        }
    }
}

pub(super) fn constants(raw: BTreeMap<String, RawConstant>) -> Result<Constants, String> {
    let mut constants = Constants::default();
    for (name, constant) in raw {
        let capture = match constant {
            RawConstant::Text(text) => RawCapture::Text(text),
            RawConstant::Placed(placed) => RawCapture::Placed(placed),
            RawConstant::List(rows) => {
                let row = |row: BTreeMap<String, RawCapture>| -> Row {
                    row.into_iter()
                        .map(|(name, raw)| (name, raw.into()))
                        .collect()
                };
                constants
                    .lists
                    .insert(name, rows.into_iter().map(row).collect());
                continue;
            }
        };
        constants.captures.insert(name, capture.into());
    }
    Ok(constants)
}

/// The steps of one level; `around` is the label of the step that they are in, with its full stop.
pub(super) fn steps(raw: Vec<RawStep>, around: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for (index, raw) in raw.into_iter().enumerate() {
        let label = format!("{around}{}", index + 1);
        steps.push(step(raw, &label)?);
    }
    Ok(steps)
}

fn step(mut raw: RawStep, label: &str) -> Result<Step, String> {
    let fault = |error: String| format!("step {label}: {error}");
    let then = raw.then.take();
    let nested = then.is_some();
    let then = steps(then.unwrap_or_default(), &format!("{label}."))?;
    let empty = then.is_empty();
    let mut what = what(&mut raw).map_err(fault)?;
    let hosts = match &mut what {
        What::Watch(Watch { then: inside, .. }) | What::Repeat { then: inside, .. } => {
            *inside = then;
            true
        }
        _ => false,
    };
    if hosts && empty {
        return Err(fault("it needs steps to do, in `then`".to_owned()));
    }
    if nested && !hosts {
        return Err(fault("then belongs to watch and repeat".to_owned()));
    }
    finish(raw, what, label).map_err(fault)
}

fn what(raw: &mut RawStep) -> Result<What, String> {
    let press = press(raw);
    let mut found = Vec::new();
    let sense = RawSenses {
        hear: raw.hear.take(),
        see: raw.see.take(),
        see_change: raw.see_change.take(),
        see_colour: raw.see_colour.take(),
    };
    found.extend(senses(sense)?.into_iter().map(What::Wait));
    if let Some(find) = raw.find.take() {
        found.push(What::Find(Find {
            area: find.area.map(parts::rect).transpose()?,
            from_there: find.shift(),
            what: match (find.text, find.pattern) {
                (Some(text), None) => Target::Words(text),
                (None, Some(pattern)) => Target::Pattern(Pattern::new(&pattern)?),
                _ => return Err("find has either text or pattern".to_owned()),
            },
            press,
        }));
    }
    if let Some(place) = raw.click.take() {
        let place = place.read();
        found.push(What::Click { place, press });
    }
    found.extend(raw.move_to.take().map(|place| What::Move(place.read())));
    found.extend(raw.drag.take().map(|drag| What::Drag {
        from: drag.from.read(),
        to: drag.to.read(),
    }));
    found.extend(raw.scroll.take().map(scroll).map(What::Scroll));
    found.extend(raw.text.take().map(What::Type));
    found.extend(raw.key.take().map(|keys| match keys {
        RawKeys::One(chord) => What::Key(vec![chord]),
        RawKeys::Row(chords) => What::Key(chords),
    }));
    found.extend(raw.speak.take().map(What::Speak));
    if let Some(seconds) = raw.wait.take() {
        found.push(What::Pause(parts::time("wait", seconds)?));
    }
    match raw.done.take() {
        Some(true) => found.push(What::Done),
        Some(false) => return Err("done = false says nothing".to_owned()),
        None => {}
    }
    if let Some(watch) = raw.watch.take() {
        found.push(What::Watch(self::watch(watch)?));
    }
    if let Some(collect) = raw.collect.take() {
        found.push(What::Collect(self::collect(collect)?));
    }
    if let Some(choose) = raw.choose.take() {
        found.push(What::Choose(self::choose(choose)?));
    }
    if let Some(repeat) = raw.repeat.take() {
        let then = Vec::new();
        let rounds = rounds(repeat)?;
        found.push(What::Repeat { rounds, then });
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err("it has nothing to do".to_owned()),
        _ => Err("it has more than one thing to do".to_owned()),
    }
}

/// The modifiers, each only where it means something.
fn finish(raw: RawStep, what: What, label: &str) -> Result<Step, String> {
    let presses = matches!(what, What::Click { .. } | What::Find(_));
    if !presses && (raw.button.is_some() || raw.count.is_some()) {
        return Err("button and count belong to click and find".to_owned());
    }
    let waits = matches!(what, What::Wait(_) | What::Find(_));
    let ends = match &what {
        What::Watch(_) | What::Collect(_) => true,
        What::Repeat { rounds, .. } => matches!(rounds, Rounds::On),
        _ => false,
    };
    let until = raw.until.map(senses).transpose()?.unwrap_or_default();
    if !ends && (!until.is_empty() || raw.lasting.is_some()) {
        return Err(
            "for and until belong to watch, collect, and repeat without times and each".to_owned(),
        );
    }
    let enough = matches!(&what, What::Collect(collect) if collect.enough.is_some());
    if ends && !enough && until.is_empty() && raw.lasting.is_none() {
        return Err(format!(
            "{} needs to know when it ends: for or until{}",
            what.name(),
            if matches!(what, What::Collect(_)) {
                " or enough"
            } else {
                ""
            }
        ));
    }
    if raw.within.is_some() && !waits && !ends {
        return Err("within belongs to steps that wait for something".to_owned());
    }
    let chooses = matches!(what, What::Choose(_));
    if raw.optional.is_some() && !waits && !ends && !chooses {
        return Err("optional belongs to steps that can fail to find something".to_owned());
    }
    let searches = matches!(
        what,
        What::Wait(Sense::Hear(_) | Sense::See { .. }) | What::Collect(_)
    );
    if raw.fresh.is_some() && !searches {
        return Err("fresh belongs to hear, see and collect".to_owned());
    }
    if raw.guess.is_some() && !waits && !ends {
        return Err("guess = SECONDS belongs to steps that wait for something".to_owned());
    }
    let within = match (raw.within, waits) {
        (Some(seconds), _) => Some(seconds),
        (None, true) => Some(WITHIN),
        (None, false) => None,
    };
    let time = |key: &str, seconds: Option<f64>| {
        seconds.map(|seconds| parts::time(key, seconds)).transpose()
    };
    Ok(Step {
        label: label.to_owned(),
        within: time("within", within)?,
        lasting: time("for", raw.lasting)?,
        until,
        fresh: raw.fresh.unwrap_or(false),
        optional: raw.optional.unwrap_or(false),
        when: parts::patterns(raw.when)?,
        unless: parts::patterns(raw.unless)?,
        guess: time("guess", raw.guess)?.unwrap_or(Duration::ZERO),
        what,
    })
}

fn press(raw: &RawStep) -> Press {
    Press {
        button: match raw.button {
            None | Some(RawButton::Left) => MouseButton::Left,
            Some(RawButton::Middle) => MouseButton::Middle,
            Some(RawButton::Right) => MouseButton::Right,
        },
        count: raw.count.unwrap_or(1),
    }
}

fn scroll(raw: RawScroll) -> Scroll {
    Scroll {
        at: raw.at.map(RawPlace::read),
        direction: match raw.direction {
            RawDirection::Up => ScrollDirection::Up,
            RawDirection::Down => ScrollDirection::Down,
            RawDirection::Left => ScrollDirection::Left,
            RawDirection::Right => ScrollDirection::Right,
        },
        notches: raw.notches,
    }
}

fn senses(raw: RawSenses) -> Result<Vec<Sense>, String> {
    let mut senses = Vec::new();
    if let Some(text) = raw.hear {
        senses.push(Sense::Hear(Pattern::new(&text)?));
    }
    if let Some(see) = raw.see {
        senses.push(Sense::See {
            area: see.area.map(parts::rect).transpose()?,
            text: Pattern::new(&see.text)?,
        });
    }
    if let Some(change) = raw.see_change {
        senses.push(Sense::Change(change.spots()?));
    }
    if let Some(colour) = raw.see_colour {
        senses.push(colour.read()?);
    }
    Ok(senses)
}

fn some_senses(what: &str, raw: RawSenses) -> Result<Vec<Sense>, String> {
    let senses = senses(raw)?;
    if senses.is_empty() {
        return Err(format!(
            "{what} needs one of hear, see, see-change, see-colour"
        ));
    }
    Ok(senses)
}

fn watch(raw: RawWatch) -> Result<Watch, String> {
    let sense = RawSenses {
        hear: raw.hear,
        see: raw.see,
        see_change: raw.see_change,
        see_colour: raw.see_colour,
    };
    Ok(Watch {
        senses: some_senses("watch", sense)?,
        by: raw.by,
        repeats: raw.repeats,
        then: Vec::new(),
    })
}

fn collect(raw: RawCollect) -> Result<Collect, String> {
    let sense = RawSenses {
        hear: raw.hear,
        see: raw.see,
        see_change: raw.see_change,
        see_colour: raw.see_colour,
    };
    let sure = raw.sure.unwrap_or(SURE);
    if !(0.0..=1.0).contains(&sure) {
        return Err(format!("sure = {sure} is no confidence from 0 to 1"));
    }
    Ok(Collect {
        into: raw.into,
        senses: some_senses("collect", sense)?,
        by: raw.by,
        repeats: raw.repeats,
        begins: raw.begins,
        sure,
        enough: raw.enough,
    })
}

fn choose(raw: RawChoose) -> Result<Choose, String> {
    let mut picks = Vec::new();
    picks.extend(raw.smallest.map(Pick::Smallest));
    picks.extend(raw.largest.map(Pick::Largest));
    picks.extend(raw.most.map(Pick::Most));
    picks.extend(raw.row.map(Pick::Row));
    picks.extend(raw.count.map(Pick::Count));
    let pick = match picks.len() {
        1 => picks.remove(0),
        0 if !raw.filter.is_empty() => Pick::Row(1),
        0 => return Err("choose needs smallest, largest, most, row, count or where".to_owned()),
        _ => return Err("choose has one of smallest, largest, most, row and count".to_owned()),
    };
    if pick == Pick::Row(0) {
        return Err("rows are counted from 1, and from -1 at the end".to_owned());
    }
    Ok(Choose {
        from: raw.from,
        filter: parts::patterns(raw.filter)?,
        pick,
    })
}

fn rounds(raw: RawRepeat) -> Result<Rounds, String> {
    match (raw.times, raw.each) {
        (Some(RawTimes::Number(times)), None) => Ok(Rounds::Times(times.to_string())),
        (Some(RawTimes::Text(times)), None) => Ok(Rounds::Times(times)),
        (None, Some(list)) => Ok(Rounds::Each(list)),
        (None, None) => Ok(Rounds::On),
        (Some(_), Some(_)) => Err("repeat has either times or each".to_owned()),
    }
}
