//! Lines that the host read, as one text in reading order, and back from a place in it to the screen.

use std::ops::Range;

use dynacu_sdk::{Point, Rect, TextLine};
use regex::Regex;

use crate::memory::{Capture, Row};

pub(crate) struct Page {
    text: String,
    lines: Vec<(Range<usize>, TextLine)>,
}

/// A match, or what else was found on a frame.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub(crate) text: String,
    pub(crate) row: Row,
    /// Its middle, or that of its first capture.
    pub(crate) at: Option<Point>,
    /// The least confidence of the lines that it lies in, 0 to 1.
    pub(crate) confidence: f32,
}

impl Page {
    /// Puts lines in order: rows from top to bottom, within a row from left to right. Rows are parted by a line
    /// break, pieces of one row by a space.
    pub(crate) fn new(mut lines: Vec<TextLine>) -> Self {
        lines.sort_by_key(|line| line.area.centre().y);
        let mut rows: Vec<Vec<TextLine>> = Vec::new();
        for line in lines {
            match rows.last_mut() {
                Some(row) if same_row(&row[0], &line) => row.push(line),
                _ => rows.push(vec![line]),
            }
        }
        let mut page = Self {
            text: String::new(),
            lines: Vec::new(),
        };
        for mut row in rows {
            row.sort_by_key(|line| line.area.origin.x);
            for (place, line) in row.into_iter().enumerate() {
                if !page.text.is_empty() {
                    page.text.push(if place == 0 { '\n' } else { ' ' });
                }
                let start = page.text.len();
                page.text.push_str(line.text.trim());
                page.lines.push((start..page.text.len(), line));
            }
        }
        page
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn search(&self, pattern: &Regex) -> Option<Match> {
        self.found(pattern, &pattern.captures(&self.text)?)
    }

    /// Every match, from top to bottom.
    pub(crate) fn search_all(&self, pattern: &Regex) -> Vec<Match> {
        pattern
            .captures_iter(&self.text)
            .filter_map(|found| self.found(pattern, &found))
            .collect()
    }

    fn found(&self, pattern: &Regex, found: &regex::Captures<'_>) -> Option<Match> {
        let whole = found.get(0)?;
        let groups = pattern
            .capture_names()
            .flatten()
            .filter_map(|name| Some((name, found.name(name)?)));
        let mut row = Row::new();
        let mut first = None;
        for (name, group) in groups {
            let at = self.middle_of(group.range());
            first = first.or(at);
            let text = group.as_str().trim().to_owned();
            row.insert(name.to_owned(), Capture { text, at });
        }
        let range = whole.range();
        let confidence = self
            .lines
            .iter()
            .filter(|(line, _)| line.start < range.end && range.start < line.end)
            .map(|(_, line)| line.confidence)
            .fold(1.0, f32::min);
        Some(Match {
            text: whole.as_str().to_owned(),
            row,
            at: first.or_else(|| self.middle_of(range)),
            confidence,
        })
    }

    /// The middle of the first line of a stretch of the text.
    fn middle_of(&self, range: Range<usize>) -> Option<Point> {
        let (place, line) = self
            .lines
            .iter()
            .find(|(place, _)| range.start < place.end && place.start < range.end)?;
        let start = range.start.max(place.start) - place.start;
        let end = range.end.min(place.end) - place.start;
        let text = &self.text[place.clone()];
        let letters = |part: &str| part.chars().count() as f32;
        let middle = letters(&text[..start]) + letters(&text[start..end]) / 2.0;
        Some(along(line.area, middle / letters(text)))
    }

    /// The middle of some words, which may be part of a line. Case, spaces and signs do not matter, since reading
    /// loses them.
    pub(crate) fn place_of(&self, words: &str) -> Option<Point> {
        let wanted: String = words.chars().filter_map(plain).collect();
        if wanted.is_empty() {
            return None;
        }
        self.lines.iter().find_map(|(_, line)| {
            let letters: Vec<char> = line.text.trim().chars().collect();
            let kept: Vec<(usize, char)> = letters
                .iter()
                .enumerate()
                .filter_map(|(place, letter)| Some((place, plain(*letter)?)))
                .collect();
            let text: String = kept.iter().map(|(_, letter)| letter).collect();
            let start = text[..text.find(&wanted)?].chars().count();
            let end = start + wanted.chars().count() - 1;
            let middle = (kept.get(start)?.0 + kept.get(end)?.0 + 1) as f32 / 2.0;
            Some(along(line.area, middle / letters.len() as f32))
        })
    }
}

/// A point in the middle of a line, at this share of its length.
fn along(line: Rect, share: f32) -> Point {
    Point {
        x: line.origin.x + (share * line.size.width as f32) as i32,
        y: line.centre().y,
    }
}

/// A letter that counts in a comparison.
fn plain(letter: char) -> Option<char> {
    letter
        .is_alphanumeric()
        .then(|| letter.to_lowercase().next())
        .flatten()
}

fn same_row(a: &TextLine, b: &TextLine) -> bool {
    let apart = a.area.centre().y.abs_diff(b.area.centre().y);
    apart * 2 < a.area.size.height.min(b.area.size.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, x: i32, y: i32, width: u32, confidence: f32) -> TextLine {
        TextLine {
            text: text.to_owned(),
            area: Rect::new(x, y, width, 20),
            confidence,
        }
    }

    fn page() -> Page {
        Page::new(vec![
            line("Reference R-20", 10, 60, 140, 0.7),
            line("E-4471", 110, 12, 60, 0.9),
            line("Error", 10, 10, 50, 0.95),
        ])
    }

    #[test]
    fn reading_order_and_confidence() {
        assert_eq!(page().text(), "Error E-4471\nReference R-20");
        let found = page()
            .search(&Regex::new(r"Error\s*(?<code>[A-Z]-?\d{4})").unwrap())
            .unwrap();
        let code = &found.row["code"];
        assert_eq!(code.text, "E-4471");
        assert_eq!(code.at, Some(Point { x: 140, y: 22 }));
        assert_eq!(found.confidence, 0.9);
        let numbers = page().search_all(&Regex::new(r"(?<number>\d+)").unwrap());
        let numbers: Vec<&str> = numbers
            .iter()
            .map(|found| found.row["number"].text.as_str())
            .collect();
        assert_eq!(numbers, ["4471", "20"]);
    }

    #[test]
    fn the_middle_of_words() {
        assert_eq!(page().place_of("error"), Some(Point { x: 35, y: 20 }));
        assert_eq!(page().place_of("r 20"), Some(Point { x: 130, y: 70 }));
        assert_eq!(page().place_of("cancel"), None);
    }
}
