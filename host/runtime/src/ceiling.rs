//! What a guest's memories and tables may take, and the memory of a refusal.

use wasmtime::ResourceLimiter;

use crate::failure::{Cut, FailureKind, GuestFailure};
use crate::limits::Limits;

/// A guest that is told `no` may free something and go on; one that keeps asking is ended.
const REFUSALS_BEFORE_THE_END: u32 = 64;

/// Counts what a store's memories and tables take together and remembers a refusal.
pub(crate) struct Ceiling {
    limits: Limits,
    memory: u64,
    elements: u64,
    refusals: u32,
    /// What was refused first, in words.
    denied: Option<String>,
}

impl Ceiling {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            memory: 0,
            elements: 0,
            refusals: 0,
            denied: None,
        }
    }

    /// What the guest asked for and did not get.
    pub(crate) fn denied(&self) -> Option<&str> {
        self.denied.as_deref()
    }

    /// Tells the guest no, and ends it where it goes on asking.
    fn refuse(&mut self, what: String) -> wasmtime::Result<bool> {
        let denied = self.denied.get_or_insert(what);
        self.refusals += 1;
        if self.refusals > REFUSALS_BEFORE_THE_END {
            let failure = GuestFailure::new(FailureKind::OutOfMemory, denied.clone());
            return Err(wasmtime::Error::from(Cut(failure)));
        }
        Ok(false)
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        self.limits.taken.give_back(self.memory);
    }
}

impl ResourceLimiter for Ceiling {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current) as u64;
        let total = self.memory.saturating_add(more);
        let (own, all) = (self.limits.memory, self.limits.memory.saturating_mul(2));
        if total <= own && self.limits.taken.take(more, all) {
            self.memory = total;
            return Ok(true);
        }
        self.refuse(if total > own {
            format!(
                "the guest asked for more than its {} MiB of memory",
                own >> 20
            )
        } else {
            format!(
                "overlapping calls asked for more than {} MiB of memory in total",
                all >> 20
            )
        })
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .elements
            .saturating_add(desired.saturating_sub(current) as u64);
        if total <= self.limits.table_elements {
            self.elements = total;
            return Ok(true);
        }
        let elements = self.limits.table_elements;
        self.refuse(format!(
            "the guest asked for more than its {elements} table elements"
        ))
    }

    fn instances(&self) -> usize {
        self.limits.instances
    }

    fn tables(&self) -> usize {
        self.limits.tables
    }

    fn memories(&self) -> usize {
        self.limits.memories
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_share_one_limit_and_a_refusal_is_remembered() {
        let mut ceiling = Ceiling::new(Limits {
            memory: 1 << 20,
            ..Limits::describe()
        });
        assert!(ceiling.memory_growing(0, 768 << 10, None).unwrap());
        assert_eq!(ceiling.denied(), None);
        assert!(!ceiling.memory_growing(0, 512 << 10, None).unwrap());
        assert!(
            ceiling
                .denied()
                .is_some_and(|what| what.contains("1 MiB of memory"))
        );
        assert!(ceiling.memory_growing(0, 256 << 10, None).unwrap());
    }

    #[test]
    fn overlapping_calls_share_twice_the_memory_of_one() {
        let limits = Limits {
            memory: 1 << 20,
            ..Limits::describe()
        };
        let mut calls = [0; 3].map(|_| Ceiling::new(limits.clone()));
        let grown = calls
            .each_mut()
            .map(|call| call.memory_growing(0, 1 << 20, None).unwrap());
        assert_eq!(grown, [true, true, false]);
        assert!(
            calls[2]
                .denied()
                .unwrap()
                .contains("2 MiB of memory in total")
        );
        let [first, _second, mut third] = calls;
        drop(first);
        assert!(third.memory_growing(0, 1 << 20, None).unwrap());
    }

    #[test]
    fn a_guest_that_keeps_asking_is_ended() {
        let mut ceiling = Ceiling::new(Limits {
            memory: 0,
            ..Limits::describe()
        });
        let end = (0..1000)
            .find_map(|_| ceiling.memory_growing(0, 65536, None).err())
            .unwrap();
        assert_eq!(
            end.downcast_ref::<Cut>().unwrap().0.kind,
            FailureKind::OutOfMemory
        );
        let mut ceiling = Ceiling::new(Limits {
            table_elements: 10,
            ..Limits::describe()
        });
        let end = (0..1000)
            .find_map(|_| ceiling.table_growing(0, 4, None).err())
            .unwrap();
        let failure = &end.downcast_ref::<Cut>().unwrap().0;
        assert!(failure.detail.contains("10 table elements"), "{failure}");
    }
}
