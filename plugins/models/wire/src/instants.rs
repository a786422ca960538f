//! Dates and durations as they stand in headers.

use std::time::UNIX_EPOCH;

use dynacu_sdk::Duration;
use jiff::civil::{Date, DateTime, Time};

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Seconds since 1970 of an HTTP date, `Mon, 30 Nov 2026 10:00:00 GMT`.
pub fn http_date(text: &str) -> Option<i64> {
    let time = httpdate::parse_http_date(text).ok()?;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Seconds since 1970 of an RFC 3339 time in UTC or with an offset; fractions are dropped.
///
/// It is cut up here, since jiff's own parser makes an adapter half as large again.
pub fn rfc3339(text: &str) -> Option<i64> {
    let (day, rest) = text.trim().split_once(['T', 't', ' '])?;
    let (clock, zone) = rest.split_at(rest.find(['Z', 'z', '+', '-'])?);
    let local = date(day)?.to_datetime(time(clock.split('.').next()?)?);
    let offset = match zone.split_at(1) {
        ("Z" | "z", "") => 0,
        (sign, hours) => {
            let size = time(&format!("{hours}:00"))?.duration_since(Time::midnight());
            if sign == "-" {
                -size.as_secs()
            } else {
                size.as_secs()
            }
        }
    };
    Some(local.duration_since(EPOCH).as_secs() - offset)
}

/// `2026-11-30`.
fn date(text: &str) -> Option<Date> {
    let mut fields = text.splitn(3, '-');
    let year = fields.next()?.parse().ok()?;
    let (month, day) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Date::new(year, month, day).ok()
}

/// `10:00:00`. A leap second is the one before it.
fn time(text: &str) -> Option<Time> {
    let mut fields = text.splitn(3, ':').map(|field| field.parse::<i8>().ok());
    let (hour, minute, second) = (fields.next()??, fields.next()??, fields.next()??);
    let second = if second == 60 { 59 } else { second };
    Time::new(hour, minute, second, 0).ok()
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
        assert_eq!(rfc3339("2024-02-28T18:30:00-05:30"), Some(1_709_164_800));
        assert_eq!(
            rfc3339("2016-12-31T23:59:60Z"),
            rfc3339("2016-12-31T23:59:59Z")
        );
        for text in [
            "yesterday",
            "2026-02-29T00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00Zulu",
            "2026-01-01T00:00:00+25:00",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
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
