//! One store: a guest's data, its limits, and the one way to call into it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use wasmtime::component::ResourceTable;
use wasmtime::{Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::bindings::model_adapter::dynacu::host::{logging, types};
use crate::ceiling::Ceiling;
use crate::failure::{Cut, FailureKind, GuestFailure, classify};
use crate::limits::{Bounds, Limits};
use crate::lines::Lines;
use crate::meter::Meter;
use crate::scratch::Scratch;
use crate::types::Level;
use crate::wasi::{self, Clock};

/// Streams, timers and open files of one guest. Each open file takes one of the few that the whole host may have.
const WASI_HANDLES: usize = 256;

/// What one kind of guest has beside the common part.
pub(crate) trait Part: Send + 'static {
    fn log(&mut self, level: Level, message: String);
    /// Called at every host call.
    fn called(&mut self) {}
}

/// The data of a store.
pub(crate) struct Guest<P> {
    pub(crate) table: ResourceTable,
    pub(crate) part: P,
    wasi: WasiCtx,
    wasi_table: ResourceTable,
    ceiling: Ceiling,
    pub(crate) meter: Meter,
    scratch: Option<Scratch>,
    lines: Lines,
    deadline: Option<(Instant, Duration)>,
}

impl<P: Part> Guest<P> {
    /// A store for one guest. It has no code yet.
    pub(crate) fn store(
        engine: &wasmtime::Engine,
        limits: &Limits,
        clock: Clock,
        part: P,
    ) -> Result<Store<Self>, GuestFailure> {
        let lines = Lines::new(limits.log_lines, limits.log_bytes);
        let wasi = wasi::context(limits, &lines, clock).map_err(|error| {
            GuestFailure::error(format!("the scratch folder cannot be opened: {error:#}"))
        })?;
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        let mut wasi_table = ResourceTable::new();
        wasi_table.set_max_capacity(WASI_HANDLES);
        let ceiling = Ceiling::new(limits.clone());
        let guest = Self {
            table,
            part,
            wasi,
            wasi_table,
            ceiling,
            meter: Meter::default(),
            scratch: Scratch::new(limits),
            lines,
            deadline: None,
        };
        let mut store = Store::new(engine, guest);
        store.limiter(|guest| &mut guest.ceiling);
        store.set_hostcall_fuel(limits.returned);
        store.set_max_component_handles(limits.handles);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut context| {
            let guest = context.data_mut();
            guest.pass_on_lines();
            if let Some(cut) = guest.overdue() {
                return Err(wasmtime::Error::from(cut));
            }
            Ok(UpdateDeadline::Yield(1))
        });
        Ok(store)
    }

    /// Every host function begins here.
    pub(crate) fn called(&mut self) {
        self.meter.host_was_called();
        self.part.called();
        self.pass_on_lines();
    }

    fn pass_on_lines(&mut self) {
        for (level, message) in self.lines.take() {
            self.part.log(level, message);
        }
    }

    fn overdue(&mut self) -> Option<Cut> {
        if let Some((deadline, wall)) = self.deadline
            && Instant::now() >= deadline
        {
            return Some(Cut(too_late(wall)));
        }
        let overfull = self.scratch.as_mut().and_then(Scratch::overfull);
        overfull.or_else(|| self.meter.overdrawn())
    }

    /// What is still to be said when a call is over.
    pub(crate) fn finish(&mut self) {
        for (level, message) in self.lines.take_rest() {
            self.part.log(level, message);
        }
    }
}

/// Calls into a guest. The future may be dropped at any time; the store is then good for nothing but being dropped.
///
/// # Errors
/// Whatever ended the call before its time, put into the closed list.
pub(crate) async fn call<P: Part, T>(
    store: &mut Store<Guest<P>>,
    bounds: Bounds,
    work: impl AsyncFnOnce(&mut Store<Guest<P>>) -> wasmtime::Result<T>,
) -> Result<T, GuestFailure> {
    if let Some(work) = bounds.work {
        store
            .set_fuel(work)
            .map_err(|error| GuestFailure::error(format!("{error:#}: a fault of the host")))?;
    }
    let guest = store.data_mut();
    let meter = guest.meter.clone();
    meter.call_begins(bounds.cpu);
    guest.lines.renew();
    // Far deadlines would overflow the clock's range: no deadline, then.
    guest.deadline = Instant::now()
        .checked_add(bounds.wall)
        .map(|at| (at, bounds.wall));
    let metered = Metered {
        meter,
        work: Box::pin(work(store)),
    };
    let outcome = tokio::time::timeout(bounds.wall, metered).await;
    let guest = store.data_mut();
    let said = {
        guest.finish();
        guest.lines.last_words()
    };
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(classify(&error, guest.ceiling.denied(), bounds.work, &said)),
        Err(_) => Err(too_late(bounds.wall)),
    }
}

fn too_late(wall: Duration) -> GuestFailure {
    GuestFailure::new(
        FailureKind::Timeout,
        format!("the guest did not return within {wall:?}"),
    )
}

/// Measures the CPU time of every poll.
struct Metered<'a, T> {
    meter: Meter,
    work: Pin<Box<dyn Future<Output = T> + 'a>>,
}

impl<T> Future for Metered<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.meter.poll_begins();
        let polled = self.work.as_mut().poll(context);
        self.meter.poll_ends();
        polled
    }
}

impl<P: Part> WasiView for Guest<P> {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.wasi_table,
        }
    }
}

impl<P: Part> types::Host for Guest<P> {}

impl<P: Part> logging::Host for Guest<P> {
    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.lines.log(level, message);
        self.called();
        Ok(())
    }
}
