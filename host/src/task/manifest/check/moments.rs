//! The rules of `[[moments]]`: what they are called, how long they are up, when they come.

use std::collections::BTreeSet;

use toml::Spanned;

use super::{Checked, Rules, fault, kebab};
use crate::task::manifest::raw::{RawMoment, RawRange};
use crate::task::manifest::{After, Moment, MomentChannel};

/// Seconds; more is a slip.
const LONGEST: f64 = 3600.0;

impl Rules<'_> {
    pub(super) fn moments(&self, raw: Vec<RawMoment>) -> Checked<Vec<Moment>> {
        let mut names = BTreeSet::new();
        let mut checked = Vec::new();
        for moment in raw {
            let name = moment.name.get_ref().clone();
            if !kebab(&name) || names.contains(&name) || name == "start" || name == "act" {
                return Err(fault(
                    &moment.name,
                    "a moment has a name of its own: lower-case words joined by -",
                ));
            }
            if moment.channel == MomentChannel::Screen && moment.seconds.is_none() {
                return Err(fault(
                    &moment.name,
                    "a moment on the screen needs its duration: seconds = 1.5",
                ));
            }
            if let Some(seconds) = moment
                .seconds
                .as_ref()
                .filter(|seconds| *seconds.get_ref() <= 0.0 || !seconds.get_ref().is_finite())
            {
                return Err(fault(seconds, "seconds must be above 0"));
            }
            let after = match &moment.after {
                None => None,
                Some(after) => Some(match after.get_ref().as_str() {
                    "start" => After::Start,
                    "act" => After::Act,
                    other if names.contains(other) => After::Moment(other.to_owned()),
                    _ => {
                        return Err(fault(
                            after,
                            "a moment comes after \"start\", \"act\" (what the agent does) or the name of a moment above it",
                        ));
                    }
                }),
            };
            if let Some(delay) = moment.delay.as_ref().filter(|_| after.is_none()) {
                return Err(fault(
                    delay,
                    "say what the delay counts from: after = \"start\", \"act\" or a moment above",
                ));
            }
            let times = moment.times.as_ref().map_or(1, |times| *times.get_ref());
            if let Some(wrong) = moment
                .times
                .as_ref()
                .filter(|times| !(2..=100).contains(times.get_ref()))
            {
                return Err(fault(wrong, "`times` is from 2 to 100"));
            }
            if (times > 1) != moment.every.is_some() {
                return Err(fault(
                    &moment.name,
                    "`times` and `every` (seconds from one time to the next) belong together",
                ));
            }
            let tells = moment
                .tells
                .iter()
                .map(|text| self.path(text))
                .collect::<Checked<Vec<_>>>()?;
            names.insert(name.clone());
            checked.push(Moment {
                name,
                channel: moment.channel,
                seconds: moment.seconds.map(Spanned::into_inner),
                needed: moment.needed,
                after,
                delay: range(moment.delay.as_ref())?,
                times,
                every: range(moment.every.as_ref())?,
                tells,
            });
        }
        Ok(checked)
    }
}

fn range(raw: Option<&Spanned<RawRange>>) -> Checked<(f64, f64)> {
    let Some(raw) = raw else {
        return Ok((0.0, 0.0));
    };
    let (least, most) = match raw.get_ref() {
        RawRange::One(seconds) => (*seconds, *seconds),
        RawRange::Between([least, most]) => (*least, *most),
    };
    if least >= 0.0 && most >= least && most <= LONGEST {
        Ok((least, most))
    } else {
        Err(fault(
            raw,
            "seconds from 0 on: one number, or the least and the most as [0.9, 1.7]",
        ))
    }
}
