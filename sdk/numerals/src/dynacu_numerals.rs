//! Numbers in English words, both ways: [`write`](mod@write) says them and [`read`] understands them. Tasks are spoken with the one
//! and judged with the other, so both share one list of words.
//!
//! Words are American, lower case and without hyphens: 1234 is "one thousand two hundred thirty four". Readers take words
//! one by one, as the caller's own tokens: "twenty-one" is two of them. They accept the "and" of "one hundred and five".

#![deny(missing_docs)]

pub mod calendar;
pub mod read;
pub mod write;

/// Zero to nineteen, by place.
const BELOW_TWENTY: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

/// The same as ordinals.
const ORDINALS_BELOW_TWENTY: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

/// Multiples of ten from twenty on. Their ordinals end in "ieth".
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// What a number below a thousand is multiplied by, in the short scale, the largest first. Their ordinals add "th".
const SCALES: [(u64, &str); 6] = [
    (1_000_000_000_000_000_000, "quintillion"),
    (1_000_000_000_000_000, "quadrillion"),
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
];

/// What stands behind the digits of an ordinal: `21st`.
const ORDINAL_SUFFIXES: [&str; 4] = ["th", "st", "nd", "rd"];
