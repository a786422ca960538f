//! What a guest says: logged lines and printed ones, within one quota.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::quota::json_size;
use crate::types::Level;

/// A longer line is cut; printed text without a line break is broken here.
const LINE_BYTES: usize = 8 << 10;
/// Last printed lines that an error report quotes.
const LAST_WORDS: usize = 3;

#[derive(Clone, Copy)]
pub(crate) enum Printed {
    Out,
    Error,
}

/// Shared between the store's data and the guest's output streams, which know nothing of each other.
#[derive(Clone)]
pub(crate) struct Lines(Arc<Mutex<Kept>>);

struct Kept {
    waiting: VecDeque<(Level, String)>,
    out: Vec<u8>,
    error: Vec<u8>,
    last_words: VecDeque<String>,
    lines_left: u32,
    bytes_left: u64,
    left_out: u64,
    quota: (u32, u64),
}

impl Lines {
    pub(crate) fn new(lines: u32, bytes: u64) -> Self {
        Self(Arc::new(Mutex::new(Kept {
            waiting: VecDeque::new(),
            out: Vec::new(),
            error: Vec::new(),
            last_words: VecDeque::new(),
            lines_left: lines,
            bytes_left: bytes,
            left_out: 0,
            quota: (lines, bytes),
        })))
    }

    /// A new call begins: the quota is whole again.
    pub(crate) fn renew(&self) {
        let mut kept = self.kept();
        (kept.lines_left, kept.bytes_left) = kept.quota;
        kept.left_out = 0;
        kept.last_words.clear();
    }

    pub(crate) fn log(&self, level: Level, message: String) {
        self.kept().push(level, message);
    }

    pub(crate) fn print(&self, stream: Printed, bytes: &[u8]) {
        let mut kept = self.kept();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let buffer = match stream {
                Printed::Out => &mut kept.out,
                Printed::Error => &mut kept.error,
            };
            buffer.extend_from_slice(part);
            if part.ends_with(b"\n") || buffer.len() >= LINE_BYTES {
                kept.end_line(stream);
            }
        }
    }

    /// Lines since the last time.
    pub(crate) fn take(&self) -> VecDeque<(Level, String)> {
        std::mem::take(&mut self.kept().waiting)
    }

    /// What is left when a call is over: half-printed lines, and how many were left out.
    pub(crate) fn take_rest(&self) -> VecDeque<(Level, String)> {
        let mut kept = self.kept();
        kept.end_line(Printed::Out);
        kept.end_line(Printed::Error);
        let mut rest = std::mem::take(&mut kept.waiting);
        if kept.left_out > 0 {
            rest.push_back((
                Level::Warn,
                format!(
                    "{} more lines were left out: the quota was used up",
                    kept.left_out
                ),
            ));
            kept.left_out = 0;
        }
        rest
    }

    /// The last lines on standard error, where a panic message ends up.
    pub(crate) fn last_words(&self) -> String {
        self.kept()
            .last_words
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" | ")
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock()
    }
}

impl Kept {
    fn push(&mut self, level: Level, mut message: String) {
        if message.len() > LINE_BYTES {
            message.truncate(message.floor_char_boundary(LINE_BYTES));
            message.push('…');
        }
        let size = json_size(&message) as u64;
        if self.lines_left == 0 || self.bytes_left < size {
            self.left_out += 1;
            return;
        }
        self.lines_left -= 1;
        self.bytes_left -= size;
        self.waiting.push_back((level, message));
    }

    fn end_line(&mut self, stream: Printed) {
        let (bytes, level) = match stream {
            Printed::Out => (std::mem::take(&mut self.out), Level::Info),
            Printed::Error => (std::mem::take(&mut self.error), Level::Warn),
        };
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if line.is_empty() {
            return;
        }
        if matches!(stream, Printed::Error) {
            // A panic's own advice about backtraces says nothing about what happened.
            if !line.starts_with("note: run with `RUST_BACKTRACE") {
                let short = &line[..line.floor_char_boundary(300)];
                self.last_words.push_back(short.to_owned());
            }
            if self.last_words.len() > LAST_WORDS {
                self.last_words.pop_front();
            }
        }
        self.push(level, line);
    }
}

/// For guests that have no record of their own to write to.
pub(crate) fn trace(plugin: &str, level: Level, message: &str) {
    match level {
        Level::Trace => tracing::trace!(target: "plugin", plugin, "{message}"),
        Level::Debug => tracing::debug!(target: "plugin", plugin, "{message}"),
        Level::Info => tracing::info!(target: "plugin", plugin, "{message}"),
        Level::Warn => tracing::warn!(target: "plugin", plugin, "{message}"),
        Level::Error => tracing::error!(target: "plugin", plugin, "{message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_the_quota_lines_are_counted_not_kept() {
        let lines = Lines::new(2, 1000);
        for number in 0..5 {
            lines.log(Level::Info, format!("line {number}"));
        }
        let rest: Vec<String> = lines
            .take_rest()
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(
            rest,
            [
                "line 0",
                "line 1",
                "3 more lines were left out: the quota was used up"
            ]
        );
    }

    #[test]
    fn printed_bytes_become_lines_and_the_last_words_are_kept() {
        let lines = Lines::new(10, 1000);
        lines.print(Printed::Error, b"thread pan");
        lines.print(
            Printed::Error,
            b"icked\nnote: run with `RUST_BACKTRACE=1`\n",
        );
        lines.print(Printed::Out, b"half");
        assert_eq!(lines.last_words(), "thread panicked");
        assert_eq!(lines.take().len(), 2);
        assert_eq!(lines.take_rest().pop_back().unwrap().1, "half");
    }

    #[test]
    fn a_line_without_an_end_does_not_grow() {
        let lines = Lines::new(1000, 1 << 20);
        for _ in 0..100 {
            lines.print(Printed::Out, &[b'x'; 4096]);
        }
        assert!(
            lines
                .take()
                .iter()
                .all(|(_, line)| line.len() <= LINE_BYTES + 3)
        );
    }
}
