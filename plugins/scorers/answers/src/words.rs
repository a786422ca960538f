//! Folding of text to what matters, and its words.

use dynacu_numerals::read;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case, no accents, plain quotes and hyphens.
pub(crate) fn fold(text: &str) -> String {
    text.nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .map(|letter| match letter {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{2018}' | '\u{2019}' | '\u{02bc}' | '`' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
            other => other,
        })
        .collect()
}

/// The words of a text. `D.C.` is one word and so is `it's`; every other sign separates.
pub fn words(text: &str) -> Vec<String> {
    fold(text)
        .replace(['.', '\''], "")
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of a text with its numbers below a hundred in digits, so that `three` and `3` are one word.
pub(crate) fn numbered(text: &str) -> Vec<String> {
    let words = words(text);
    let mut numbered = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let (word, used) = match read::below_hundred(words[at..].iter().map(String::as_str)) {
            Some((value, used)) => (value.to_string(), used),
            None => (word.clone(), 1),
        };
        numbered.push(word);
        at += used;
    }
    numbered
}

/// Words without a leading article.
pub(crate) fn without_article<T: AsRef<str>>(words: &[T]) -> &[T] {
    match words {
        [first, rest @ ..] if !rest.is_empty() && is_article(first.as_ref()) => rest,
        all => all,
    }
}

/// Whether a text denies what it names or leaves it open: `not Paris`, `Paris or Lyon`.
pub(crate) fn hedged(text: &str) -> bool {
    const HEDGES: [&str; 8] = [
        "or", "not", "isnt", "wasnt", "never", "neither", "nor", "dont",
    ];
    words(text)
        .iter()
        .any(|word| HEDGES.contains(&word.as_str()))
}

fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an" | "the")
}

/// Thousand and above, written out or as the letter that follows digits.
pub(crate) fn scale(word: &str) -> Option<i128> {
    Some(match word {
        "k" => 1_000,
        "m" | "mn" | "mln" => 1_000_000,
        "b" | "bn" | "bln" => 1_000_000_000,
        "tn" => 1_000_000_000_000,
        word => read::scale(word)?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_and_accents() {
        assert_eq!(words("Washington, D.C."), ["washington", "dc"]);
        assert_eq!(words("São Paulo – it’s"), ["sao", "paulo", "its"]);
        assert_eq!(without_article(&words("The Hague")), ["hague"]);
        assert_eq!(without_article(&words("a")), ["a"]);
    }
}
