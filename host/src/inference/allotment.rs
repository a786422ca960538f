//! What the model calls of one episode may add to its record, by the bytes that are written: a line of control characters is six times
//! as long there. A policy's own requests have a quota in the runtime.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Serialize;

/// Two thousand calls of 128 KiB each; media are there once and by reference.
const BYTES: u64 = 256 << 20;
/// A longer body is cut.
pub const BODY_BYTES: usize = 4 << 20;

/// Bytes left.
pub struct Allotment {
    left: AtomicU64,
    used_up: AtomicBool,
}

impl Default for Allotment {
    fn default() -> Self {
        Allotment {
            left: AtomicU64::new(BYTES),
            used_up: AtomicBool::new(false),
        }
    }
}

impl Allotment {
    /// Takes so many bytes, or none where they are not left; from then on nothing is.
    pub fn take(&self, bytes: usize) -> bool {
        let order = Ordering::Relaxed;
        let less = |left: u64| left.checked_sub(bytes as u64);
        let fits = !self.used_up.load(order) && self.left.fetch_update(order, order, less).is_ok();
        if !fits {
            self.used_up.store(true, order);
        }
        fits
    }

    /// The same for a value that is written as JSON.
    pub fn take_json(&self, value: &impl Serialize) -> bool {
        self.take(dynacu_runtime::json_size(value))
    }

    /// Why the episode has to end.
    #[must_use]
    pub fn used_up(&self) -> Option<String> {
        self.used_up.load(Ordering::Relaxed).then(|| {
            format!(
                "its calls used up the {} MiB of the episode's record that answers and exchanges may fill",
                BYTES >> 20
            )
        })
    }
}

/// A body as it is kept: whole, or its beginning with a last line that says so. `whole` is false where the rest was never read.
#[must_use]
pub fn kept(mut body: Vec<u8>, whole: bool, limit: usize) -> Vec<u8> {
    let size = body.len();
    if whole && size <= limit {
        return body;
    }
    body.truncate(limit);
    let of = if whole {
        format!("of {size} ")
    } else {
        String::new()
    };
    let mark = format!("\n[cut by the host: {} {of}bytes are kept]", body.len());
    body.extend_from_slice(mark.as_bytes());
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_counts_and_not_what_was_said() {
        let allotment = Allotment::default();
        let text = "\u{1}".repeat(10 << 20);
        let taken = (0..10).take_while(|_| allotment.take_json(&text)).count();
        assert_eq!(taken, 4, "60 MiB each");
        assert!(allotment.used_up().unwrap().contains("256 MiB"));
        assert!(!allotment.take(1), "nothing goes on in part");
    }

    #[test]
    fn a_cut_body_says_so() {
        let text = |body: &[u8], whole, limit| {
            String::from_utf8(kept(body.to_vec(), whole, limit)).unwrap()
        };
        assert_eq!(text(b"abcdef", true, 6), "abcdef");
        assert_eq!(
            text(b"abcdef", true, 4),
            "abcd\n[cut by the host: 4 of 6 bytes are kept]"
        );
        assert_eq!(
            text(b"abc", false, 4),
            "abc\n[cut by the host: 3 bytes are kept]"
        );
    }
}
