//! What a guest may use up.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Linear memory without a grant.
pub const DEFAULT_MEMORY_BYTES: u64 = 256 << 20;

/// Elements of all tables of one store together.
pub(crate) const TABLE_ELEMENTS: u64 = 1_000_000;
pub(crate) const TABLES: usize = 64;
pub(crate) const MEMORIES: usize = 16;
/// Core instances inside one component.
pub(crate) const INSTANCES: usize = 256;

/// Linear memory in use, in bytes, counted over several stores.
#[derive(Clone, Debug, Default)]
pub struct Taken(Arc<AtomicU64>);

impl Taken {
    /// Whether so much more fits below the limit; it is taken then.
    pub(crate) fn take(&self, bytes: u64, limit: u64) -> bool {
        let more = |taken: u64| taken.checked_add(bytes).filter(|total| *total <= limit);
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, more).is_ok()
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The limits of one guest.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall time of one call, waiting for the host included.
    pub deadline: Duration,
    /// Wall time of instantiation, start function included.
    pub start_deadline: Duration,
    /// CPU time between two host calls.
    pub cpu_without_call: Duration,
    /// CPU time between two observations, whatever is called in between. A guest that takes none has its whole call.
    pub cpu_per_step: Duration,
    /// CPU time of one call: for a policy its episode. What the host does on the guest's behalf is not counted.
    pub cpu_in_all: Duration,
    /// Price of what the host does for a policy between two observations (`work.rs`).
    pub host_per_step: Duration,
    /// The same in all.
    pub host_in_all: Duration,
    /// All linear memories of one store together, in bytes. Calls of one adapter that overlap may have twice as much.
    pub memory: u64,
    /// What the stores of these limits and their clones have taken.
    pub taken: Taken,
    /// Elements of all tables together.
    pub table_elements: u64,
    /// Tables of one store.
    pub tables: usize,
    /// Linear memories of one store.
    pub memories: usize,
    /// Core instances inside the component.
    pub instances: usize,
    /// Host memory that the values of one call may fill, in bytes.
    pub returned: usize,
    /// Handles (frames, streams) alive at once.
    pub handles: usize,
    /// Lines of one call: logged and printed ones together.
    pub log_lines: u32,
    /// Bytes of those lines.
    pub log_bytes: u64,
    /// Bytes that a policy's doings may add to its episode's record, beside lines and `media`.
    pub recorded: u64,
    /// Bytes of the pictures, sounds and model requests that a policy may have made in its episode.
    pub media: u64,
    /// From the host's stop to the guest's end.
    pub stop_grace: Duration,
    /// The key of the guest's random source. Unrelated to the task's seed, kept in the record for replay.
    pub random_seed: [u8; 32],
    /// The only folder that the guest sees, as `/scratch`.
    pub scratch: Option<PathBuf>,
    /// Bytes that it may fill, deleted files that are still open included.
    pub scratch_bytes: u64,
}

impl Limits {
    /// A policy's run: one call that lasts a whole episode.
    #[must_use]
    pub fn policy(deadline: Duration, random_seed: [u8; 32]) -> Self {
        Self {
            deadline,
            start_deadline: Duration::from_secs(20),
            cpu_without_call: Duration::from_secs(10),
            // Three paces of five seconds: who computes longer for one step does not play along.
            cpu_per_step: Duration::from_secs(15),
            // A policy thinks in a model; an interpreter that decodes its own pictures fits in here too.
            cpu_in_all: (deadline / 4).max(Duration::from_secs(30)),
            host_per_step: Duration::from_secs(20),
            // The page, capture and recognition need the other half of a core.
            host_in_all: (deadline / 2).max(Duration::from_secs(60)),
            memory: DEFAULT_MEMORY_BYTES,
            taken: Taken::default(),
            table_elements: TABLE_ELEMENTS,
            tables: TABLES,
            memories: MEMORIES,
            instances: INSTANCES,
            returned: 16 << 20,
            // Small on their own: pixels have a cap of their own.
            handles: 100_000,
            log_lines: 5_000,
            log_bytes: 2 << 20,
            // Some eighty thousand actions.
            recorded: 32 << 20,
            media: 1 << 30,
            stop_grace: Duration::from_secs(2),
            random_seed,
            scratch: None,
            scratch_bytes: 64 << 20,
        }
    }

    /// A plugin that only says what it is.
    #[must_use]
    pub fn describe() -> Self {
        Self {
            cpu_without_call: Duration::from_secs(5),
            ..Self::policy(Duration::from_secs(10), [0; 32])
        }
    }

    /// A scorer; its calls are bounded by what they are handed and by instructions, and not by the times in here. Its
    /// random key is fixed: the same episode gives the same score.
    #[must_use]
    pub fn scorer() -> Self {
        Self {
            log_lines: 200,
            log_bytes: 64 << 10,
            ..Self::policy(Duration::from_secs(5), [0; 32])
        }
    }

    /// A model adapter's call. Its deadline comes with the call.
    #[must_use]
    pub fn adapter(random_seed: [u8; 32]) -> Self {
        Self {
            cpu_without_call: Duration::from_secs(5),
            // A large answer's JSON, parsed by an interpreter.
            cpu_in_all: Duration::from_secs(15),
            // A request of many turns with its pictures left out, and the answer's JSON.
            returned: 64 << 20,
            log_lines: 500,
            log_bytes: 256 << 10,
            ..Self::policy(Duration::MAX, random_seed)
        }
    }

    /// For the guest's start.
    pub(crate) fn start_bounds(&self) -> Bounds {
        Bounds {
            wall: self.start_deadline.min(self.deadline),
            ..self.call_bounds()
        }
    }

    /// For its one call.
    pub(crate) fn call_bounds(&self) -> Bounds {
        Bounds {
            wall: self.deadline,
            cpu: [self.cpu_without_call, self.cpu_per_step, self.cpu_in_all],
            work: None,
        }
    }
}

/// How long one call may take.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) wall: Duration,
    /// CPU time between two host calls, between two observations, in all.
    pub(crate) cpu: [Duration; 3],
    /// Instructions; none where the guest's engine does not count them.
    pub(crate) work: Option<u64>,
}

impl Bounds {
    /// So many instructions, however long a machine takes for them.
    pub(crate) const fn counted(wall: Duration, work: u64) -> Self {
        Self {
            wall,
            cpu: [Duration::MAX; 3],
            work: Some(work),
        }
    }
}
