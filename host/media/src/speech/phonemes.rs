//! From text to phonemes, through espeak-ng.
//!
//! espeak-ng swallows punctuation, which makes the pauses of a synthesised voice, so the text is cut into clauses here
//! and each clause keeps the mark that ended it.

use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::written;
use crate::error::SpeechError;
use crate::subprocess;

/// Far more than a page of text takes (20 ms a sentence).
const LIMIT: Duration = Duration::from_secs(10);

/// Longest text that is spoken at once, in bytes: some four minutes of speech.
const LONGEST: usize = 4000;

/// A stretch of speech up to a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    /// IPA of espeak-ng, diphthongs and affricates tied by `^`.
    pub ipa: String,
    /// What ended the clause, one of `. ! ? … , ; : —`.
    pub mark: char,
}

impl Clause {
    #[must_use]
    pub(crate) fn ends_sentence(&self) -> bool {
        matches!(self.mark, '.' | '!' | '?' | '…')
    }
}

/// Phonemes of a text in one of espeak-ng's languages (`en-us`, `en-gb`), clause by clause.
///
/// # Errors
/// When there is nothing to speak in the text, when it is too long, or when espeak-ng is missing or fails.
pub(crate) fn clauses(text: &str, language: &str) -> Result<Vec<Clause>, SpeechError> {
    if text.len() > LONGEST {
        return Err(SpeechError::TooLong {
            bytes: text.len(),
            most: LONGEST,
        });
    }
    let cut = cut(&written::as_said(text));
    if cut.is_empty() {
        return Err(SpeechError::Nothing(text.to_owned()));
    }
    // One paragraph a clause and one process for all. Where espeak-ng splits a clause further, lines and clauses no
    // longer pair up, and each clause gets a process of its own.
    let paragraphs: Vec<&str> = cut.iter().map(|(words, _)| words.as_str()).collect();
    let together = espeak(&paragraphs.join("\n\n"), language)?;
    let spoken: Vec<String> = if together.len() == cut.len() {
        together
    } else {
        paragraphs
            .iter()
            .map(|words| Ok(espeak(words, language)?.join(" ")))
            .collect::<Result<_, SpeechError>>()?
    };
    let clauses: Vec<Clause> = spoken
        .into_iter()
        .zip(&cut)
        .filter(|(ipa, _)| !ipa.is_empty())
        .map(|(ipa, (_, mark))| Clause { ipa, mark: *mark })
        .collect();
    if clauses.is_empty() {
        return Err(SpeechError::Nothing(text.to_owned()));
    }
    Ok(clauses)
}

/// Runs espeak-ng once; one item a line of its answer. The text goes by standard input, so nothing in it is an option.
fn espeak(text: &str, language: &str) -> Result<Vec<String>, SpeechError> {
    let mut command = Command::new("espeak-ng");
    command.args([
        "-q", "--ipa", "--tie=^", "-b", "1", "-v", language, "--stdin",
    ]);
    let ended = subprocess::run(&mut command, text.as_bytes(), LIMIT)?;
    if !ended.success {
        return Err(SpeechError::Refused {
            language: language.to_owned(),
            said: ended.stderr,
        });
    }
    // A word that espeak-ng takes for foreign is framed by marks such as (fr) … (en-us).
    static FOREIGN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\([a-z]{2,3}(-[a-z]+)?\)").ok());
    let text = String::from_utf8_lossy(&ended.stdout);
    let text = FOREIGN.as_ref().map_or_else(
        || text.to_string(),
        |marks| marks.replace_all(&text, "").into_owned(),
    );
    Ok(text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect())
}

/// Words before a full stop that does not end the sentence.
const TITLES: [&str; 9] = ["mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e"];
/// The same, unless a capital letter follows.
const ABBREVIATIONS: [&str; 8] = ["a.m", "p.m", "etc", "approx", "inc", "ltd", "u.s", "u.k"];

/// Cuts a text into clauses and their marks. A mark counts only before a space or the end, so that 3.5, 10:30 and
/// 1,400 stay whole.
fn cut(text: &str) -> Vec<(String, char)> {
    let chars: Vec<char> = text
        .chars()
        .map(|c| if c.is_control() && c != '\n' { ' ' } else { c })
        .collect();
    let mut clauses: Vec<(String, char)> = Vec::new();
    let mut words = String::new();
    let mut at = 0;
    while at < chars.len() {
        let mut end = at + 1;
        let mark = match chars[at] {
            c @ ('.' | '!' | '?' | ',' | ';' | ':' | '…') => {
                while end < chars.len()
                    && matches!(chars[end], '.' | '!' | '?' | ',' | ';' | ':' | '…')
                {
                    end += 1;
                }
                let mut after = end;
                while after < chars.len() && matches!(chars[after], '"' | '\'' | '”' | '’' | ')')
                {
                    after += 1;
                }
                let open = after < chars.len() && !chars[after].is_whitespace();
                let run = &chars[at..end];
                if open || (run == ['.'] && is_abbreviation(&words, &chars[end..])) {
                    None
                } else if run.contains(&'?') {
                    Some('?')
                } else if run.len() >= 3 && run.iter().all(|c| *c == '.') {
                    Some('…')
                } else {
                    Some(c)
                }
            }
            '—' => Some('—'),
            '–' | '-'
                if words.ends_with(' ') && chars.get(end).is_none_or(|c| c.is_whitespace()) =>
            {
                Some('—')
            }
            '(' | ')' => Some(','),
            '\n' if chars.get(end) == Some(&'\n') => Some('.'),
            '"' | '“' | '”' => {
                words.push(' ');
                at = end;
                continue;
            }
            _ => None,
        };
        match mark {
            Some(mark) => finish(&mut clauses, &mut words, mark),
            None => words.extend(
                chars[at..end]
                    .iter()
                    .map(|c| if *c == '\n' { ' ' } else { *c }),
            ),
        }
        at = end;
    }
    finish(&mut clauses, &mut words, '.');
    clauses
}

fn is_abbreviation(words: &str, rest: &[char]) -> bool {
    let last = words
        .rsplit(|c: char| c.is_whitespace())
        .next()
        .unwrap_or("")
        .to_lowercase();
    let next = rest.iter().find(|c| !c.is_whitespace());
    if TITLES.contains(&last.as_str()) {
        return next.is_some();
    }
    ABBREVIATIONS.contains(&last.as_str()) && next.is_some_and(|c| !c.is_uppercase())
}

fn finish(clauses: &mut Vec<(String, char)>, words: &mut String, mark: char) {
    let clause = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.clear();
    if clause.chars().any(char::is_alphanumeric) || clause.chars().any(|c| c > '\u{2000}') {
        clauses.push((clause, mark));
    } else if let Some(last) = clauses.last_mut()
        && matches!(last.1, ',' | '—')
        && matches!(mark, '.' | '!' | '?' | '…')
    {
        // "(as said)." has an empty clause after the bracket; its full stop still ends the sentence.
        last.1 = mark;
    }
}

/// Kokoro's own notation for espeak-ng's IPA, by the voice's accent.
#[must_use]
pub(crate) fn kokoro_notation(ipa: &str, british: bool) -> String {
    const BOTH: [(&str, &str); 12] = [
        ("a^ɪ", "I"),
        ("a^ʊ", "W"),
        ("d^ʒ", "ʤ"),
        ("e^ɪ", "A"),
        ("t^ʃ", "ʧ"),
        ("ɔ^ɪ", "Y"),
        ("o^ʊ", "O"),
        ("ə^l", "ᵊl"),
        ("ɚ", "əɹ"),
        ("r", "ɹ"),
        ("ɐ", "ə"),
        ("x", "k"),
    ];
    // The British voices were trained with one sign for the vowel of "go" and a long one for that of "there".
    const BRITISH: [(&str, &str); 3] = [("ə^ʊ", "Q"), ("e^ə", "ɛː"), ("i^ə", "ɪə")];
    // The American ones with an audible r in "bird" and without length marks.
    const AMERICAN: [(&str, &str); 3] = [("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ː", "")];
    let accent = if british { BRITISH } else { AMERICAN };
    let replaced = BOTH
        .iter()
        .chain(&accent)
        .fold(ipa.to_owned(), |text, (from, to)| text.replace(from, to));
    // What is left of e after the diphthongs is the same vowel.
    replaced.replace('e', "A").replace('^', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<(String, char)> {
        cut(text)
    }

    fn case(parts: &[(&str, char)]) -> Vec<(String, char)> {
        parts
            .iter()
            .map(|(words, mark)| ((*words).to_owned(), *mark))
            .collect()
    }

    #[test]
    fn clauses_end_at_pauses_only() {
        assert_eq!(
            marks("Hello, world!"),
            case(&[("Hello", ','), ("world", '!')])
        );
        assert_eq!(
            marks("At 10:30 it was 3.5, or 1,400."),
            case(&[("At 10:30 it was 3.5", ','), ("or 1,400", '.')])
        );
        assert_eq!(
            marks("Dr. Smith left at 5 p.m. sharp. \"Why?\" No one…"),
            case(&[
                ("Dr. Smith left at 5 p.m. sharp", '.'),
                ("Why", '?'),
                ("No one", '…')
            ])
        );
        assert_eq!(
            marks("the kettle (as I said). Well-made - really"),
            case(&[
                ("the kettle", ','),
                ("as I said", '.'),
                ("Well-made", '—'),
                ("really", '.')
            ])
        );
        assert_eq!(
            marks("Wait... what?!\n\nnew\nline"),
            case(&[("Wait", '…'), ("what", '?'), ("new line", '.')])
        );
        assert_eq!(marks(" ... !? "), []);
    }

    #[test]
    fn kokoro_writes_diphthongs_as_capitals() {
        assert_eq!(kokoro_notation("həlˈo^ʊ wˈɜːld", false), "həlˈO wˈɜɹld");
        assert_eq!(
            kokoro_notation("lˈɪtə^l t^ʃˈe^ɪnd^ʒ bˈɔ^ɪ na^ʊ ma^ɪ", false),
            "lˈɪtᵊl ʧˈAnʤ bˈY nW mI"
        );
        assert_eq!(
            kokoro_notation("hˈə^ʊm ðe^ə wˈɔːtə", true),
            "hˈQm ðɛː wˈɔːtə"
        );
        assert_eq!(kokoro_notation("lɒx ɐ ɚ r", true), "lɒk ə əɹ ɹ");
    }

    /// From a public bug report: what is written in a chat is not what a person would say.
    #[test]
    fn marks_times_codes_and_addresses_are_spoken_as_a_person_would_say_them() {
        let written = "\"**$1.4M**, -3%, 09:30, ref A-407 😀 https://x.y\"";
        let said = "1.4 million dollars, minus 3 percent, nine thirty, ref A-4 oh 7 x dot y";
        let spoken = clauses(written, "en-us").unwrap();
        assert_eq!(spoken, clauses(said, "en-us").unwrap());
        let ipa: Vec<&str> = spoken.iter().map(|clause| clause.ipa.as_str()).collect();
        assert_eq!(ipa.len(), 4, "{ipa:?}");
        assert!(ipa[1].starts_with("mˈa^ɪnəs θɹˈiː"), "{ipa:?}");
        assert!(
            !ipa[3].contains("slˈæʃ") && ipa[3].contains("ˈo^ʊ sˈɛvən"),
            "{ipa:?}"
        );
    }

    #[test]
    fn espeak_speaks_clause_by_clause() {
        let clauses = clauses("Hello, Dr. Smith: $64!", "en-us").unwrap();
        let marks: Vec<char> = clauses.iter().map(|clause| clause.mark).collect();
        assert_eq!(marks, [',', ':', '!']);
        assert_eq!(clauses[0].ipa, "həlˈo^ʊ");
        assert!(clauses[2].ipa.starts_with("sˈɪksti"), "{}", clauses[2].ipa);
        assert!(
            super::clauses(" … ", "en-us")
                .unwrap_err()
                .to_string()
                .contains("nothing to speak")
        );
    }
}
