//! What is said in two places: the upper layer wins, value by value.

use super::grants::Grant;
use super::values::Name;
use crate::inference::egress::allowed::Endpoint;

/// Lays one layer over another.
pub(super) trait Over {
    /// What this layer says, and what `below` says where this one is silent.
    #[must_use]
    fn over(self, below: Self) -> Self;
}

impl<T> Over for Option<T> {
    fn over(self, below: Self) -> Self {
        self.or(below)
    }
}

/// A switch that is on in one layer is on.
impl Over for bool {
    fn over(self, below: Self) -> Self {
        self || below
    }
}

impl Over for Vec<String> {
    fn over(self, below: Self) -> Self {
        if self.is_empty() { below } else { self }
    }
}

impl Over for Vec<Grant> {
    fn over(self, below: Self) -> Self {
        if self.is_empty() { below } else { self }
    }
}

impl<T> Over for Vec<Name<T>> {
    fn over(self, below: Self) -> Self {
        if self.is_empty() { below } else { self }
    }
}

/// Host by host.
impl Over for Vec<Endpoint> {
    fn over(mut self, below: Self) -> Self {
        for endpoint in below {
            if self.iter().all(|named| named.host != endpoint.host) {
                self.push(endpoint);
            }
        }
        self
    }
}

/// Lays every field of a table over the same field of another one. The list has to be complete: a field that is missing
/// here does not compile.
macro_rules! layered {
    ($table:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::config::layers::Over for $table {
            fn over(self, below: Self) -> Self {
                let Self { $($field),+ } = self;
                Self { $($field: $field.over(below.$field)),+ }
            }
        }
    };
}

pub(super) use layered;
