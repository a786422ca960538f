//! Days and times of day that a variant can draw.

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};
use serde::Deserialize;

/// More days than this are a mistake.
const MAX_DAYS: usize = 4000;

/// Reads `2027-03-14`, and none of the other ways in which a day can be written.
#[must_use]
pub fn parse_date(text: &str) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    (date.to_string() == text && date.year() >= 0).then_some(date)
}

fn is_weekend(date: Date) -> bool {
    matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawDates {
    from: String,
    to: String,
    /// Monday to Friday only.
    #[serde(default)]
    workdays: bool,
    /// Whether the year is written and said.
    #[serde(default)]
    year: bool,
}

/// The days from which one is drawn.
#[derive(Debug, Clone)]
pub struct Dates {
    pub days: Vec<Date>,
    pub year: bool,
}

impl Dates {
    pub fn new(raw: &RawDates) -> Result<Self, String> {
        let date = |text: &String| {
            parse_date(text)
                .ok_or_else(|| format!("`{text}` is not a date: write it as 2027-03-14, in quotes"))
        };
        let (from, to) = (date(&raw.from)?, date(&raw.to)?);
        let days: Vec<Date> = from
            .series(1.day())
            .take_while(|day| *day <= to)
            .take(MAX_DAYS)
            // "Thirteenth" and "thirtieth" are one sound to many ears.
            .filter(|day| day.day() != 13 && day.day() != 30)
            .filter(|day| !(raw.workdays && is_weekend(*day)))
            .collect();
        if days.len() < 2 {
            return Err(format!(
                "from {from} to {to} there are not two days to draw from (13th and 30th are left out)"
            ));
        }
        Ok(Self {
            days,
            year: raw.year,
        })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawTimes {
    from: String,
    to: String,
    /// Minutes.
    step: u16,
}

/// The times of day from which one is drawn, in minutes since midnight.
#[derive(Debug, Clone)]
pub struct Times {
    pub minutes: Vec<u16>,
}

impl Times {
    pub fn new(raw: &RawTimes) -> Result<Self, String> {
        let minutes = |text: &String| {
            parse_time(text)
                .ok_or_else(|| format!("`{text}` is not a time: write it as 08:30, in quotes"))
        };
        let (from, to) = (minutes(&raw.from)?, minutes(&raw.to)?);
        if raw.step == 0 {
            return Err("`step` is in minutes and above 0".to_owned());
        }
        let minutes: Vec<u16> = (from..=to)
            .step_by(raw.step.into())
            .filter(|time| !is_confusable(time % 60))
            .collect();
        if minutes.len() < 2 {
            return Err(
                "there are not two times to draw from: `from` is before `to`, and minutes that can be misheard (13 to 19, 30, 40, 50) are left out"
                    .to_owned(),
            );
        }
        Ok(Self { minutes })
    }
}

/// Minutes since midnight of `14:25`.
#[must_use]
pub fn parse_time(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    if hour.len() != 2 || minute.len() != 2 {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// `14:25` of minutes since midnight.
#[must_use]
pub fn time_text(minutes: u16) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Fifteen beside fifty.
fn is_confusable(minute: u16) -> bool {
    (13..=19).contains(&minute) || matches!(minute, 30 | 40 | 50)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other_and_weekends_are_known() {
        let raw = RawDates {
            from: "2028-02-27".to_owned(),
            to: "2028-03-03".to_owned(),
            workdays: true,
            year: false,
        };
        let days: Vec<String> = Dates::new(&raw)
            .unwrap()
            .days
            .iter()
            .map(ToString::to_string)
            .collect();
        // 27 February 2028 is a Sunday, and the year has a 29th.
        assert_eq!(
            days,
            [
                "2028-02-28",
                "2028-02-29",
                "2028-03-01",
                "2028-03-02",
                "2028-03-03"
            ]
        );
        for text in [
            "2027-02-29",
            "2027-2-09",
            "20270209",
            "2027-02-09T10:00",
            "-002027-02-09",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn times_leave_out_what_is_misheard() {
        let raw = RawTimes {
            from: "09:00".to_owned(),
            to: "10:00".to_owned(),
            step: 5,
        };
        let times: Vec<String> = Times::new(&raw)
            .unwrap()
            .minutes
            .iter()
            .map(|time| time_text(*time))
            .collect();
        assert_eq!(
            times,
            [
                "09:00", "09:05", "09:10", "09:20", "09:25", "09:35", "09:45", "09:55", "10:00"
            ]
        );
        assert_eq!(parse_time("24:00"), None);
    }
}
