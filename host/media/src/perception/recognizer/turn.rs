//! Whose turn it is to use the one model.

use parking_lot::{Condvar, Mutex};

/// First come, first served. A plain mutex lets whoever runs take it again and again, and an observation
/// that waits for its tail behind a long list of clips would starve.
#[derive(Default)]
pub(super) struct Turn {
    /// (next ticket, ticket that is served)
    tickets: Mutex<(u64, u64)>,
    changed: Condvar,
}

pub(super) struct Taken<'a>(&'a Turn);

impl Turn {
    pub(super) fn take(&self) -> Taken<'_> {
        let mut tickets = self.tickets.lock();
        let mine = tickets.0;
        tickets.0 += 1;
        while tickets.1 != mine {
            self.changed.wait(&mut tickets);
        }
        Taken(self)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.tickets.lock().1 += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_in_order() {
        let turn = Turn::default();
        drop(turn.take());
        let taken = turn.take();
        std::thread::scope(|scope| {
            let waiting = std::thread::Builder::new()
                .name("second".into())
                .spawn_scoped(scope, || {
                    drop(turn.take());
                });
            while turn.tickets.lock().0 != 3 {
                std::thread::yield_now();
            }
            drop(taken);
            waiting.unwrap().join().unwrap();
        });
        assert_eq!(*turn.tickets.lock(), (3, 3));
    }
}
