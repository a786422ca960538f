//! Numbers as text.

/// Three significant figures, with as many decimals as they need: `412`, `12.3`, `0.5`. Whole numbers keep all their digits.
#[must_use]
pub fn short(value: f64) -> String {
    let size = value.abs();
    let decimals = if size >= 100.0 || value == 0.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_figures_are_enough() {
        let shown = [0.0, 0.5, 0.98, 1.0, 2.456, 12.34, 810.4, 12345.6].map(short);
        assert_eq!(
            shown,
            ["0", "0.5", "0.98", "1", "2.46", "12.3", "810", "12346"]
        );
    }
}
