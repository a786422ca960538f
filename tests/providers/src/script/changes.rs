//! Keyframes as a request names them: where the screen changed, and how much of it.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

/// `changed 2.2% of the screen, 320x64 at 900, 20`, the way in which the text form of an observation says it.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"keyframe_[\d.]+s\.\w+ \(changed ([\d.]+)% of the screen, (\d+)x(\d+) at (\d+), (\d+)\)",
    )
    .ok()
});

/// A share of the wanted area that has to have changed: a box may be a few pixels short.
const COVERED: f64 = 0.8;

/// Keyframes of a change at some place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Changes {
    /// Left, top, width and height in pixels of the script's screen; a change counts that covers it.
    pub covering: [f64; 4],
    /// Percent of the screen, so that a new page does not count.
    #[serde(default = "all")]
    pub at_most: f64,
    /// How many there are, at least.
    #[serde(default = "one")]
    pub count: usize,
}

fn all() -> f64 {
    100.0
}

fn one() -> usize {
    1
}

impl Changes {
    /// `scale` turns the request's coordinates into pixels of the script's screen.
    pub(crate) fn holds(&self, text: &str, scale: (f64, f64)) -> bool {
        let Some(pattern) = LINE.as_ref() else {
            return false;
        };
        let counts = |line: &regex::Captures<'_>| {
            let number = |group: usize| {
                line.get(group)
                    .and_then(|part| part.as_str().parse::<f64>().ok())
            };
            let (Some(percent), Some(width), Some(height), Some(left), Some(top)) =
                (number(1), number(2), number(3), number(4), number(5))
            else {
                return false;
            };
            let [x, y, w, h] = self.covering;
            let common = |from: f64, length: f64, scale: f64, start: f64, side: f64| {
                let end = ((from + length) * scale).min(start + side);
                (end - (from * scale).max(start)).max(0.0)
            };
            let across = common(left, width, scale.0, x, w);
            let down = common(top, height, scale.1, y, h);
            percent <= self.at_most && across * down >= COVERED * w * h
        };
        pattern.captures_iter(text).filter(counts).count() >= self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "→ keyframe_0.2s.png (changed 65.6% of the screen, 1268x696 at 12, 0)
→ keyframe_0.8s.png (changed 8.0% of the screen, 709x512 at 235, 178)
→ keyframe_1.8s.png (changed 7.4% of the screen, 581x620 at 329, 57)
→ keyframe_4.1s.jpg (changed 5.0% of the screen, 450x104 at 350, 66)";

    fn toast(count: usize) -> Changes {
        Changes {
            covering: [350.0, 66.0, 450.0, 104.0],
            at_most: 30.0,
            count,
        }
    }

    #[test]
    fn only_changes_that_cover_the_place_count() {
        assert!(toast(2).holds(TEXT, (1.0, 1.0)));
        assert!(
            !toast(3).holds(TEXT, (1.0, 1.0)),
            "the new page and what lies beside do not count"
        );
    }

    #[test]
    fn a_box_on_a_grid_is_turned_into_pixels() {
        let text = "→ keyframe_4.1s.png (changed 5.0% of the screen, 352x144 at 273, 91)";
        assert!(toast(1).holds(text, (1.28, 0.72)));
        assert!(!toast(1).holds(text, (1.0, 1.0)));
    }
}
