//! Dates and durations as they stand in headers.

use dynacu_sdk::Duration;

/// Seconds since 1970 of an HTTP date, `Mon, 30 Nov 2026 10:00:00 GMT`.
pub fn http_date(text: &str) -> Option<i64> {
    let mut words = text.split_whitespace().skip(1);
    let day = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    .iter()
    .position(|name| *name == month)? as i64
        + 1;
    let year = words.next()?.parse().ok()?;
    let time = time(words.next()?)?;
    Some(days(year, month, day)? * 86_400 + time)
}

/// Seconds since 1970 of an RFC 3339 time in UTC or with an offset; fractions are dropped.
pub fn rfc3339(text: &str) -> Option<i64> {
    let (date, rest) = text.trim().split_once(['T', 't', ' '])?;
    let mut fields = date.splitn(3, '-').map(|field| field.parse::<i64>().ok());
    let days = days(fields.next()??, fields.next()??, fields.next()??)?;
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone);
    let clock = time(clock.split('.').next()?)?;
    let offset = if zone.eq_ignore_ascii_case("z") {
        0
    } else {
        let (sign, hours) = zone.split_at(1);
        let seconds = time(&format!("{hours}:00"))?;
        if sign == "-" { -seconds } else { seconds }
    };
    Some(days * 86_400 + clock - offset)
}

/// A duration such as `37s`, `6m0s`, `1.2s` or `250ms`, rounded up to the millisecond.
pub fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits =
            rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, unit) = rest.split_at(digits);
        let number: f64 = number.parse().ok()?;
        let end = unit
            .find(|character: char| !character.is_ascii_alphabetic())
            .unwrap_or(unit.len());
        let (unit, after) = unit.split_at(end);
        total += number
            * match unit {
                "ms" => 1.0,
                "s" => 1_000.0,
                "m" => 60_000.0,
                "h" => 3_600_000.0,
                "d" => 86_400_000.0,
                _ => return None,
            };
        rest = after;
    }
    Some(Duration::from_millis(total.ceil() as u64))
}

fn time(text: &str) -> Option<i64> {
    let mut fields = text.split(':').map(|field| field.parse::<i64>().ok());
    let (hours, minutes, seconds) = (fields.next()??, fields.next()??, fields.next()??);
    ((0..24).contains(&hours) && (0..60).contains(&minutes) && (0..=60).contains(&seconds))
        .then_some(hours * 3_600 + minutes * 60 + seconds)
}

/// Days since 1970 in the Gregorian calendar, counted from March so that the leap day is the year's last.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_headers() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:10 GMT"), Some(10));
        assert_eq!(
            http_date("Thu, 29 Feb 2024 12:00:00 GMT"),
            Some(1_709_208_000)
        );
        assert_eq!(http_date("Mon, 30 Foo 2026 10:00:00 GMT"), None);
        assert_eq!(rfc3339("1970-01-01T01:00:10+01:00"), Some(10));
        assert_eq!(rfc3339("2024-02-29T12:00:00.250Z"), Some(1_709_208_000));
        assert_eq!(rfc3339("yesterday"), None);
    }

    #[test]
    fn durations_of_headers() {
        for (written, milliseconds) in [
            ("37s", 37_000),
            ("6m0s", 360_000),
            ("1.2s", 1_200),
            ("250ms", 250),
        ] {
            let wanted = Duration::from_millis(milliseconds);
            assert_eq!(duration(written), Some(wanted), "{written}");
        }
        assert_eq!(duration("12"), None);
        assert_eq!(duration("1fortnight"), None);
        assert_eq!(duration(""), None);
    }
}
