//! Words as numbers. Each reader takes what a row of words begins with, in lower case, and says how many of them it used.

mod sum;

use crate::{BELOW_TWENTY, ORDINAL_SUFFIXES, ORDINALS_BELOW_TWENTY, SCALES, TENS};
use sum::Sum;

/// A whole number that a row of words begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// What the words come to.
    pub value: u64,
    /// Its last word is an ordinal: "twenty first".
    pub is_ordinal: bool,
    /// How many words it is made of, "and" and "a" among them.
    pub words: usize,
}

/// The longest whole number, cardinal or ordinal: "sixty four", "a hundred and five", "fifteen hundred", "twenty first".
/// A bare "hundred" is one hundred.
#[must_use]
pub fn number<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Number> {
    let mut words = words.into_iter().peekable();
    let mut sum = Sum::default();
    let mut number = None;
    // "Two thousand five million" is two numbers: what was complete before the larger scale began.
    let mut before_group = None;
    let mut used = 0;
    let article = words.next_if(|word| matches!(*word, "a" | "an"));
    if article.is_some() {
        words.peek().filter(|word| is_multiplier(word))?;
        used += 1;
    }
    loop {
        let joined = sum.takes_and() && words.next_if_eq(&"and").is_some();
        let Some(word) = words.next() else { break };
        let cardinal = NumberWord::cardinal(word);
        let Some(part) = cardinal.or_else(|| NumberWord::ordinal(word)) else {
            break;
        };
        // A lone "hundredth" is a fraction.
        if number.is_none() && cardinal.is_none() && part.is_multiplier() {
            break;
        }
        if let NumberWord::Scale(scale) = part
            && sum.is_exceeded_by(scale)
        {
            return before_group;
        }
        // "And" leads to what is below a hundred.
        if (joined && part.is_multiplier()) || !sum.add(part) {
            break;
        }
        used += 1 + usize::from(joined);
        number = Some(Number {
            value: sum.value(),
            is_ordinal: cardinal.is_none(),
            words: used,
        });
        if let NumberWord::Scale(_) = part {
            before_group = number;
        }
        if cardinal.is_none() {
            break;
        }
    }
    number
}

/// A cardinal below a hundred and the count of its words: "seven", "seventy one".
#[must_use]
pub fn below_hundred<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<(u8, usize)> {
    let mut words = words.into_iter();
    match NumberWord::cardinal(words.next()?)? {
        NumberWord::Unit(value) | NumberWord::Teen(value) => Some((value, 1)),
        NumberWord::Tens(tens) => match words.next().and_then(NumberWord::cardinal) {
            Some(NumberWord::Unit(unit @ 1..)) => Some((tens + unit, 2)),
            _ => Some((tens, 1)),
        },
        NumberWord::Hundred | NumberWord::Scale(_) => None,
    }
}

/// The digits said behind a "point", one by one or in twos, and the count of their words: "one four", "oh five",
/// "twenty five".
#[must_use]
pub fn fraction<'a, W>(words: W) -> Option<(String, usize)>
where
    W: IntoIterator<Item = &'a str>,
    W::IntoIter: Clone,
{
    let mut words = words.into_iter().peekable();
    let (mut digits, mut used) = (String::new(), 0);
    loop {
        let part = match words.peek() {
            Some(&"oh") => Some((0, 1)),
            _ => below_hundred(words.clone()),
        };
        let Some((value, count)) = part else { break };
        digits.push_str(&value.to_string());
        used += count;
        words.nth(count - 1);
    }
    (used > 0).then_some((digits, used))
}

/// A year from 1000 on and the count of its words: "twenty twenty seven", "nineteen oh five", "nineteen hundred", "two
/// thousand and five".
#[must_use]
pub fn year<'a, W>(words: W) -> Option<(u16, usize)>
where
    W: IntoIterator<Item = &'a str>,
    W::IntoIter: Clone,
{
    let words = words.into_iter();
    match number(words.clone()) {
        Some(whole) if whole.value >= 1000 => {
            let year = u16::try_from(whole.value).ok();
            return year.filter(|_| !whole.is_ordinal).zip(Some(whole.words));
        }
        _ => {}
    }
    let (century, used) = below_hundred(words.clone()).filter(|(century, _)| *century >= 10)?;
    let mut rest = words.skip(used).peekable();
    let oh = rest.next_if_eq(&"oh").is_some();
    let (remainder, more) = below_hundred(rest).filter(|(value, _)| {
        if oh {
            (1..10).contains(value)
        } else {
            *value >= 10
        }
    })?;
    let year = 100 * u16::from(century) + u16::from(remainder);
    Some((year, used + usize::from(oh) + more))
}

/// The factor that a word stands for: thousand, million, …
#[must_use]
pub fn scale(word: &str) -> Option<u64> {
    SCALES
        .iter()
        .find(|(_, name)| *name == word)
        .map(|(scale, _)| *scale)
}

/// Whether this stands behind the digits of an ordinal: the `st` of `21st`.
#[must_use]
pub fn is_ordinal_suffix(word: &str) -> bool {
    ORDINAL_SUFFIXES.contains(&word)
}

fn is_multiplier(word: &str) -> bool {
    NumberWord::cardinal(word).is_some_and(NumberWord::is_multiplier)
}

/// A word by the part that it plays in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberWord {
    /// 0 to 9.
    Unit(u8),
    /// 10 to 19.
    Teen(u8),
    /// 20, 30 … 90.
    Tens(u8),
    Hundred,
    /// A thousand and above.
    Scale(u64),
}

impl NumberWord {
    fn cardinal(word: &str) -> Option<Self> {
        if let Some(number) = place(&BELOW_TWENTY, word) {
            return Some(Self::below_twenty(number));
        }
        if let Some(tens) = place(&TENS, word) {
            return Some(Self::Tens(20 + 10 * tens));
        }
        match word {
            "hundred" => Some(Self::Hundred),
            _ => scale(word).map(Self::Scale),
        }
    }

    fn ordinal(word: &str) -> Option<Self> {
        if let Some(number) = place(&ORDINALS_BELOW_TWENTY, word) {
            return Some(Self::below_twenty(number));
        }
        if let Some(stem) = word.strip_suffix("ieth") {
            let tens = TENS
                .iter()
                .position(|tens| tens.strip_suffix('y') == Some(stem))?;
            return Some(Self::Tens(20 + 10 * u8::try_from(tens).ok()?));
        }
        Self::cardinal(word.strip_suffix("th")?).filter(|word| word.is_multiplier())
    }

    fn below_twenty(number: u8) -> Self {
        match number {
            0..10 => Self::Unit(number),
            _ => Self::Teen(number),
        }
    }

    /// Whether it multiplies what stands before it.
    fn is_multiplier(self) -> bool {
        match self {
            Self::Hundred | Self::Scale(_) => true,
            Self::Unit(_) | Self::Teen(_) | Self::Tens(_) => false,
        }
    }
}

fn place(list: &[&str], word: &str) -> Option<u8> {
    let place = list.iter().position(|known| *known == word)?;
    u8::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> std::str::SplitAsciiWhitespace<'_> {
        text.split_ascii_whitespace()
    }

    #[test]
    fn whole_numbers() {
        for (text, value, used) in [
            ("zero", 0, 1),
            ("sixty four dollars", 64, 2),
            ("a hundred and five", 105, 4),
            ("hundred", 100, 1),
            ("fifteen hundred", 1500, 2),
            ("ninety nine hundred and ninety nine", 9999, 6),
            ("two hundred five thousand and six", 205_006, 6),
            ("one million four hundred thousand", 1_400_000, 5),
            ("twelve trillion", 12_000_000_000_000, 2),
            // Two numbers beside each other.
            ("five five", 5, 1),
            ("twenty twenty six", 20, 1),
            ("sixty four sixty five", 64, 2),
            ("two thousand five million", 2000, 2),
            ("two thousand five thousand", 2000, 2),
            ("one hundred and a half", 100, 2),
            ("one hundred and thousands", 100, 2),
            ("five and six", 5, 1),
        ] {
            let number = number(words(text)).unwrap();
            assert_eq!((number.value, number.words), (value, used), "{text}");
            assert!(!number.is_ordinal, "{text}");
        }
        for text in [
            "",
            "a",
            "a dog",
            "a five",
            "and five",
            "twentyone",
            "dollars",
        ] {
            assert_eq!(number(words(text)), None, "{text}");
        }
        // One more than fits.
        let greatest = crate::write::cardinal(u64::MAX);
        let more = format!("{} sixteen", greatest.trim_end_matches(" fifteen"));
        assert_eq!(number(words(&more)).unwrap().value, u64::MAX - 15);
        assert_eq!(
            number(words("ninety nine hundred quintillion"))
                .unwrap()
                .value,
            9900
        );
    }

    #[test]
    fn ordinals() {
        for (text, value, used) in [
            ("third", 3, 1),
            ("twenty first of", 21, 2),
            ("thirtieth", 30, 1),
            ("one hundred and twelfth", 112, 4),
            ("five thousandth", 5000, 2),
            ("first hundred", 1, 1),
        ] {
            let number = number(words(text)).unwrap();
            assert_eq!((number.value, number.words), (value, used), "{text}");
            assert!(number.is_ordinal, "{text}");
        }
        for text in [
            "hundredth",
            "a millionth",
            "ieth",
            "tenieth",
            "th",
            "fiveth",
        ] {
            assert_eq!(number(words(text)), None, "{text}");
        }
        assert!(is_ordinal_suffix("rd") && !is_ordinal_suffix("d"));
    }

    #[test]
    fn below_a_hundred() {
        for (text, found) in [
            ("seven seven", Some((7, 1))),
            ("seventy one two", Some((71, 2))),
            ("seventy zero", Some((70, 1))),
            ("seventy first", Some((70, 1))),
            ("seventeen one", Some((17, 1))),
            ("hundred", None),
            ("third", None),
        ] {
            assert_eq!(below_hundred(words(text)), found, "{text}");
        }
    }

    #[test]
    fn fractions() {
        for (text, found) in [
            ("one four million", Some(("14", 2))),
            ("oh five", Some(("05", 2))),
            ("twenty five", Some(("25", 2))),
            ("million", None),
            ("", None),
        ] {
            let expected = found.map(|(digits, used)| (digits.to_owned(), used));
            assert_eq!(fraction(words(text)), expected, "{text}");
        }
    }

    #[test]
    fn years() {
        for (text, found) in [
            ("twenty twenty seven on", Some((2027, 3))),
            ("two thousand and twenty seven", Some((2027, 5))),
            ("two thousand", Some((2000, 2))),
            ("nineteen oh five", Some((1905, 3))),
            ("nineteen hundred", Some((1900, 2))),
            ("nineteen five", None),
            ("twenty oh twelve", None),
            ("twenty seven", None),
            ("nine thirty", None),
            ("two thousandth", None),
            ("two million", None),
        ] {
            assert_eq!(year(words(text)), found, "{text}");
        }
    }
}
