//! The types that stand for one number or one string, made as easy to use as those.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{ActionId, BlobId, CallId, Duration, Instant};

impl BlobId {
    /// The id of the bytes with this SHA-256, in lower-case hex.
    pub fn new(sha256: impl Into<String>) -> Self {
        Self {
            sha256: sha256.into(),
        }
    }

    /// The SHA-256 in lower-case hex.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.sha256
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sha256)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(out)
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(out)
    }
}

/// The generator derives one list of traits for every type, and most have fields that are not `Eq`.
macro_rules! compares_as {
    ($($name:ident by $field:ident),+) => { $(
        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.$field.cmp(&other.$field)
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.$field.hash(state);
            }
        }
    )+ };
}

compares_as!(
    Instant by milliseconds,
    Duration by milliseconds,
    BlobId by sha256,
    CallId by number,
    ActionId by number
);
