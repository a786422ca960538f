//! Clips, whole or in the ranges that a browser's media element asks for.

use std::ops::Range;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Shared;

pub(super) async fn clip(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(bytes) = shared.clips.get(&name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let common = [
        (header::CONTENT_TYPE, "audio/ogg"),
        (header::ACCEPT_RANGES, "bytes"),
    ];
    let wanted = headers
        .get(header::RANGE)
        .and_then(|range| range.to_str().ok());
    match wanted.map_or(Wanted::Whole, |range| wanted_part(range, bytes.len())) {
        Wanted::Whole => (common, bytes.clone()).into_response(),
        Wanted::Part(part) => {
            let place = format!("bytes {}-{}/{}", part.start, part.end - 1, bytes.len());
            (
                StatusCode::PARTIAL_CONTENT,
                common,
                [(header::CONTENT_RANGE, place)],
                bytes.slice(part),
            )
                .into_response()
        }
        Wanted::Nothing => {
            let place = format!("bytes */{}", bytes.len());
            (
                StatusCode::RANGE_NOT_SATISFIABLE,
                [(header::CONTENT_RANGE, place)],
            )
                .into_response()
        }
    }
}

#[derive(Debug, PartialEq)]
enum Wanted {
    Whole,
    Part(Range<usize>),
    /// A range beyond the end.
    Nothing,
}

/// Reads `bytes=a-b`, `bytes=a-` and `bytes=-n`. What is no such range, several at once too, is answered whole, as
/// RFC 9110 allows.
fn wanted_part(range: &str, length: usize) -> Wanted {
    let Some((from, to)) = range
        .strip_prefix("bytes=")
        .and_then(|range| range.split_once('-'))
    else {
        return Wanted::Whole;
    };
    let part = match (from.trim().parse::<usize>(), to.trim().parse::<usize>()) {
        (Ok(from), Ok(to)) if from <= to => from..to.saturating_add(1).min(length),
        (Ok(from), Err(_)) if to.trim().is_empty() => from..length,
        (Err(_), Ok(last)) if from.trim().is_empty() => length.saturating_sub(last)..length,
        _ => return Wanted::Whole,
    };
    if part.start < part.end {
        Wanted::Part(part)
    } else {
        Wanted::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_browsers_write_them() {
        for (range, wanted) in [
            ("bytes=0-", Wanted::Part(0..100)),
            ("bytes=10-19", Wanted::Part(10..20)),
            ("bytes=90-400", Wanted::Part(90..100)),
            ("bytes=-30", Wanted::Part(70..100)),
            ("bytes=-300", Wanted::Part(0..100)),
            ("bytes=100-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=20-10", Wanted::Whole),
            ("bytes=0-1,5-6", Wanted::Whole),
            ("lines=0-1", Wanted::Whole),
        ] {
            assert_eq!(wanted_part(range, 100), wanted, "{range}");
        }
    }
}
