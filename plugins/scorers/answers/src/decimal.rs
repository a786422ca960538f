//! Exact decimals, so that 64, 64.0 and 64.00 are one value and 0.1 + 0.2 is no surprise.

use std::fmt;

const UNIT: i128 = 1_000_000;

/// A number kept in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

impl Decimal {
    pub(crate) const HALF: Self = Self(UNIT / 2);

    pub(crate) fn whole(value: i128) -> Option<Self> {
        value.checked_mul(UNIT).map(Self)
    }

    /// From the digits before and after the point. None past six decimals or out of range.
    pub(crate) fn from_digits(whole: &str, fraction: &str) -> Option<Self> {
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > 6 {
            return None;
        }
        let whole: i128 = match whole {
            "" => 0,
            digits => digits.parse().ok()?,
        };
        let fraction: i128 = format!("{fraction:0<6}").parse().ok()?;
        Self::whole(whole)?.plus(Self(fraction))
    }

    pub(crate) fn times(self, factor: i128) -> Option<Self> {
        self.0.checked_mul(factor).map(Self)
    }

    pub(crate) fn hundredths(self) -> Option<Self> {
        self.divided(100)
    }

    /// None where the result has more than six decimals.
    pub(crate) fn divided(self, by: i128) -> Option<Self> {
        (self.0 % by == 0).then_some(Self(self.0 / by))
    }

    /// The product; none where it has more than six decimals.
    pub(crate) fn by(self, other: Self) -> Option<Self> {
        Self(self.0.checked_mul(other.0)?).divided(UNIT)
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    pub(crate) fn negative(self) -> Self {
        Self(-self.0)
    }

    pub(crate) fn is_whole(self) -> bool {
        self.0 % UNIT == 0
    }

    pub(crate) fn is_below(self, value: i128) -> bool {
        self.0 < value.saturating_mul(UNIT)
    }
}

/// Plain digits, without grouping and without trailing zeros.
impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        let unit = UNIT.unsigned_abs();
        write!(out, "{sign}{}", size / unit)?;
        match size % unit {
            0 => Ok(()),
            fraction => {
                let digits = format!("{fraction:06}");
                write!(out, ".{}", digits.trim_end_matches('0'))
            }
        }
    }
}
