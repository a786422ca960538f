//! How much one policy may add to its episode's record, by the bytes that are written. Lines have a quota of their own, in `lines.rs`.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::{Cut, GuestFailure};
use crate::limits::Limits;
use crate::types::{Action, ModelRequest, TextLine};

/// What a line takes beside its texts: kind, times, ids, the hash of the line before it; and the clock readings that may have a line of
/// their own before it.
const ENTRY: usize = 400;

/// Bytes left.
pub(crate) struct Quota {
    recorded: u64,
    media: u64,
    limits: (u64, u64),
}

impl Quota {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            recorded: limits.recorded,
            media: limits.media,
            limits: (limits.recorded, limits.media),
        }
    }

    /// One entry with so many bytes of text.
    ///
    /// # Errors
    /// The end of the guest: its record is full.
    pub(crate) fn recorded(&mut self, text: usize) -> wasmtime::Result<()> {
        let what = "of its episode's record";
        take(
            &mut self.recorded,
            (ENTRY + text) as u64,
            self.limits.0,
            what,
        )
    }

    /// One picture, sound or model request.
    ///
    /// # Errors
    /// The end of the guest: it had too many made.
    pub(crate) fn made(&mut self, bytes: u64) -> wasmtime::Result<()> {
        let what = "of pictures, sound and model requests";
        take(&mut self.media, bytes, self.limits.1, what)
    }
}

fn take(left: &mut u64, bytes: u64, limit: u64, what: &str) -> wasmtime::Result<()> {
    let mib = limit >> 20;
    *left = left.checked_sub(bytes).ok_or_else(|| {
        Cut(GuestFailure::too_much(format!(
            "the guest used up the {mib} MiB {what} that one policy may fill"
        )))
    })?;
    Ok(())
}

/// Bytes that a value has as JSON: a control character takes six, an empty message its keys and brackets.
#[must_use]
pub fn json_size(value: &impl Serialize) -> usize {
    struct Count(usize);

    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        // What cannot be written has no end.
        Err(_) => usize::MAX,
    }
}

/// An action; it is recorded twice, when it is queued and when it is over.
pub(crate) fn recorded_size(action: &Action) -> usize {
    ENTRY + 2 * json_size(action)
}

/// A line that was read out of a frame.
pub(crate) fn reading_size(line: &TextLine) -> usize {
    ENTRY / 2 + json_size(&line.text)
}

/// A model request, which is a file of its own.
pub(crate) fn request_size(request: &ModelRequest) -> u64 {
    (ENTRY + json_size(request)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;
    use crate::types::{Message, Part, Role};

    #[test]
    fn past_its_quota_a_guest_ends() {
        let mut quota = Quota::new(&Limits {
            recorded: 2000,
            media: 1000,
            ..Limits::policy(std::time::Duration::from_secs(10), [0; 32])
        });
        let typed = Action::Type {
            text: "x".repeat(100),
        };
        quota.recorded(recorded_size(&typed)).unwrap();
        let end = quota.recorded(recorded_size(&typed)).unwrap_err();
        let failure = &end.downcast_ref::<Cut>().unwrap().0;
        assert_eq!(failure.kind, FailureKind::OutputTooLarge, "{failure}");
        quota.made(1000).unwrap();
        assert!(quota.made(1).is_err());
    }

    /// A policy that floods the record with what looks like little.
    #[test]
    fn empty_messages_and_control_characters_count_as_they_are_written() {
        let flood = |messages: Vec<Message>| ModelRequest {
            messages,
            tools: Vec::new(),
            display: None,
            max_output_tokens: None,
            temperature: None,
        };
        let message = |parts: Vec<Part>| Message {
            role: Role::User,
            parts,
        };
        let empty = flood(vec![message(Vec::new()); 1000]);
        let escaped = flood(vec![message(vec![Part::Text("\u{1}".repeat(5000))])]);
        for (name, request) in [("empty", empty), ("escaped", escaped)] {
            let written = serde_json::to_vec(&request).unwrap().len();
            assert!(written > 25_000, "{name}: {written}");
            let mut quota = Quota::new(&Limits {
                media: 10 * written as u64,
                ..Limits::policy(std::time::Duration::from_secs(10), [0; 32])
            });
            let end = (0..10).find_map(|_| quota.made(request_size(&request)).err());
            let end = end.unwrap();
            let failure = &end.downcast_ref::<Cut>().unwrap().0;
            assert_eq!(
                failure.kind,
                FailureKind::OutputTooLarge,
                "{name}: {failure}"
            );
        }
        let typed = |text: &str| {
            recorded_size(&Action::Type {
                text: text.repeat(1000),
            })
        };
        assert_eq!(typed("\u{1}") - typed("x"), 2 * 5 * 1000);
        assert_eq!(json_size(&"\u{1}\n"), 2 + 6 + 2);
    }
}
