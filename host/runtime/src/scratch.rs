//! How full a guest's scratch folder is.
//!
//! WASI's file system has no place for a quota, so the folder is measured while the guest runs. What is written
//! between two looks is more than the quota says, never more than a disk takes in that time.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::failure::{Cut, GuestFailure};
use crate::limits::Limits;

/// Time between two looks, at least; a look that takes long is followed by a pause twenty times as long.
const PAUSE: Duration = Duration::from_millis(20);
/// Files and folders together: each costs the disk something, whatever is in it.
const ENTRIES: usize = 4096;

pub(crate) struct Scratch {
    folder: PathBuf,
    bytes: u64,
    next_look: Instant,
}

impl Scratch {
    /// None where no folder is granted.
    pub(crate) fn new(limits: &Limits) -> Option<Self> {
        let folder = limits.scratch.as_ref()?;
        Some(Self {
            // The kernel names open files by their real place.
            folder: fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()),
            bytes: limits.scratch_bytes,
            next_look: Instant::now(),
        })
    }

    /// The failure to end the guest with, if it filled its folder; looks only as often as is cheap.
    pub(crate) fn overfull(&mut self) -> Option<Cut> {
        let began = Instant::now();
        if began < self.next_look {
            return None;
        }
        let found = self.measure();
        self.next_look = Instant::now() + PAUSE.max(began.elapsed() * 20);
        let text = if found.entries > ENTRIES {
            format!("the guest has more than {ENTRIES} files in its scratch folder")
        } else if found.bytes > self.bytes {
            let mib = self.bytes >> 20;
            format!("the guest filled more than the {mib} MiB of its scratch folder")
        } else {
            return None;
        };
        Some(Cut(GuestFailure::too_much(text)))
    }

    fn measure(&self) -> Found {
        let mut found = Found::default();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            let Ok(inside) = fs::read_dir(folder) else {
                continue;
            };
            for entry in inside.flatten() {
                found.entries += 1;
                if found.entries > ENTRIES {
                    return found;
                }
                let Ok(about) = entry.metadata() else {
                    continue;
                };
                if about.is_dir() {
                    folders.push(entry.path());
                } else {
                    // The length, holes included: who reads such a file gets all of it.
                    found.bytes = found.bytes.saturating_add(about.len());
                }
            }
        }
        found.bytes = found.bytes.saturating_add(deleted_but_open(&self.folder));
        found
    }
}

#[derive(Default)]
struct Found {
    entries: usize,
    bytes: u64,
}

/// A file that was deleted while it is open goes on taking space, and no folder lists it.
fn deleted_but_open(folder: &Path) -> u64 {
    let Ok(open) = fs::read_dir("/proc/self/fd") else {
        return 0;
    };
    open.flatten()
        .filter(|entry| fs::read_link(entry.path()).is_ok_and(|place| place.starts_with(folder)))
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(|about| about.is_file() && about.nlink() == 0)
        .map(|about| about.len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_takes_space_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = |bytes| {
            let limits = Limits {
                scratch: Some(folder.path().to_owned()),
                scratch_bytes: bytes,
                ..Limits::describe()
            };
            Scratch::new(&limits).unwrap().overfull()
        };
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("deep/kept"), [0; 600]).unwrap();
        let gone = folder.path().join("gone");
        let file = fs::File::create(&gone).unwrap();
        file.set_len(600).unwrap();
        fs::remove_file(&gone).unwrap();
        assert!(scratch(1200).is_none());
        assert!(scratch(1199).is_some());
        drop(file);
        assert!(scratch(600).is_none());
        for number in 0..ENTRIES {
            fs::write(folder.path().join(number.to_string()), []).unwrap();
        }
        let many = scratch(1 << 20).unwrap().0;
        assert!(many.detail.contains("4096 files"), "{many}");
    }
}
