//! Fewer of many, evenly.

/// The places of `most` out of `count` things in order, as evenly spread as can be, the first and the last among them;
/// of one place the last, because it is the newest.
pub(crate) fn spread(count: usize, most: usize) -> Vec<usize> {
    match most {
        0 => Vec::new(),
        _ if count <= most => (0..count).collect(),
        1 => vec![count - 1],
        _ => (0..most)
            .map(|place| (place * (count - 1) + (most - 1) / 2) / (most - 1))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn the_ends_stay_and_the_gaps_are_alike() {
        assert_eq!(spread(3, 8), [0, 1, 2]);
        assert!(spread(0, 8).is_empty());
        assert!(spread(9, 0).is_empty());
        assert_eq!(spread(9, 1), [8]);
        assert_eq!(spread(9, 2), [0, 8]);
        assert_eq!(spread(20, 4), [0, 6, 13, 19]);
        for count in 1..70_usize {
            for most in 2..count {
                let places = spread(count, most);
                assert_eq!((places[0], places[most - 1]), (0, count - 1));
                let gaps: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
                let (least, widest) = (gaps.iter().min(), gaps.iter().max());
                assert!(least >= Some(&1), "{count} {most}: {places:?}");
                assert!(
                    widest
                        .zip(least)
                        .is_some_and(|(widest, least)| widest - least <= 1),
                    "{count} {most}: {places:?}"
                );
            }
        }
    }
}
