//! Days and times of day that a variant can draw.

use serde::Deserialize;

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// More days than this are a mistake.
const LONGEST: usize = 4000;

impl Date {
    /// Reads `2027-03-14`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return None;
        }
        let date = Self {
            year: year.parse().ok()?,
            month: month.parse().ok()?,
            day: day.parse().ok()?,
        };
        let fits = (1..=12).contains(&date.month)
            && (1..=days_in(date.year, date.month)).contains(&date.day);
        fits.then_some(date)
    }

    /// Its name as it is written and said: `March`.
    #[must_use]
    pub fn month_name(self) -> &'static str {
        MONTHS[usize::from(self.month.clamp(1, 12)) - 1]
    }

    /// Saturday or Sunday. By Zeller's congruence.
    #[must_use]
    pub fn is_weekend(self) -> bool {
        let (month, year) = if self.month < 3 {
            (u32::from(self.month) + 12, u32::from(self.year) - 1)
        } else {
            (u32::from(self.month), u32::from(self.year))
        };
        let day = (u32::from(self.day) + 13 * (month + 1) / 5 + year + year / 4 - year / 100
            + year / 400)
            % 7;
        // 0 is Saturday, 1 Sunday.
        day < 2
    }

    fn next(self) -> Self {
        let mut next = self;
        next.day += 1;
        if next.day > days_in(next.year, next.month) {
            next.day = 1;
            next.month += 1;
        }
        if next.month > 12 {
            next.month = 1;
            next.year += 1;
        }
        next
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{:04}-{:02}-{:02}",
            self.year, self.month, self.day
        )
    }
}

fn days_in(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
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
            Date::parse(text)
                .ok_or_else(|| format!("`{text}` is no day: write it as 2027-03-14, in quotes"))
        };
        let (from, to) = (date(&raw.from)?, date(&raw.to)?);
        let days: Vec<Date> = std::iter::successors(Some(from), |day| Some(day.next()))
            .take_while(|day| *day <= to)
            .take(LONGEST)
            // "Thirteenth" and "thirtieth" are one sound to many ears.
            .filter(|day| day.day != 13 && day.day != 30)
            .filter(|day| !(raw.workdays && day.is_weekend()))
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
                .ok_or_else(|| format!("`{text}` is no time: write it as 08:30, in quotes"))
        };
        let (from, to) = (minutes(&raw.from)?, minutes(&raw.to)?);
        if raw.step == 0 {
            return Err("`step` is in minutes and above 0".to_owned());
        }
        let minutes: Vec<u16> = (from..=to)
            .step_by(raw.step.into())
            .filter(|time| !misheard(time % 60))
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
fn misheard(minute: u16) -> bool {
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
        assert_eq!(Date::parse("2027-02-29"), None);
        assert_eq!(Date::parse("2027-2-09"), None);
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
