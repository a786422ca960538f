//! Text of strangers (pages, plugins, models) on its way to a terminal, into a table or into a result: it is cut, and nothing in it
//! steers a terminal or turns the order of letters round.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with every control character, bidirectional control and invisible tag written as its number, `\u{1b}`. Line ends and tabs
/// stay. Every text of a page, a plugin or a model goes through here before it is printed.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if steers(letter) {
            // Writing into a string does not fail.
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// The same on one line, which is cut after so many characters.
#[must_use]
pub fn line(text: &str, most: usize) -> String {
    plain(&cut(text, most)).replace(['\n', '\t'], " ")
}

/// The first characters of a text, with an ellipsis where there are more.
#[must_use]
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

fn steers(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}' => true,
        '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal_or_turns_letters_round() {
        assert_eq!(
            plain("\u{1b}]0;title\u{7}\u{9b}2J passed\r failed"),
            "\\u{1b}]0;title\\u{7}\\u{9b}2J passed\\u{d} failed"
        );
        assert_eq!(
            plain("\u{202e}dessap\u{2066}\u{e0041}"),
            "\\u{202e}dessap\\u{2066}\\u{e0041}"
        );
        let honest = "zwölf\n\tאחת 一";
        assert!(matches!(plain(honest), Cow::Borrowed(text) if text == honest));
    }

    #[test]
    fn a_line_is_one_line_and_is_cut_between_letters() {
        assert_eq!(line("passed\nF-E1\tpassed", 100), "passed F-E1 passed");
        assert_eq!(line("äöü", 3), "äöü");
        assert_eq!(line("äöüß", 3), "äöü…");
        assert_eq!(cut(&"x".repeat(1 << 20), 2), "xx…");
    }
}
