//! Records a PulseAudio source: 16 kHz mono, each buffer with the time at which it sounded.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use libpulse_binding::context::{self, Context};
use libpulse_binding::def::BufferAttr;
use libpulse_binding::error::PAErr;
use libpulse_binding::mainloop::standard::Mainloop;
use libpulse_binding::operation::Operation;
use libpulse_binding::sample;
use libpulse_binding::stream::{self, FlagSet, Latency, PeekResult, Stream};
use libpulse_binding::time::MicroSeconds;

use super::ring::{RATE, duration};
use crate::error::{SoundError, ThreadError};

/// Samples that the server hands over at once: 30 ms.
const FRAGMENT: u32 = RATE * 30 / 1000;
/// Bytes of a sample.
const BYTES: usize = size_of::<f32>();
/// How long the server may take to answer at the start.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// The loop looks at its stop flag at least this often, also when no sound comes.
const WAKE_EVERY: MicroSeconds = MicroSeconds(50_000);
/// How often the server is asked what time its samples have.
const ASK_EVERY: Duration = Duration::from_millis(100);
/// A monitor without any buffer for this long is lost: an idle sink still delivers silence.
const SILENT_FOR: Duration = Duration::from_secs(5);

/// What the recorder delivers, on its own thread: it must be taken without waiting.
#[derive(Debug)]
pub(crate) enum Recorded<'a> {
    /// Samples of which the first sounded at `at`.
    Samples { at: Instant, samples: &'a [f32] },
    /// The server or the source is gone; nothing follows.
    Lost(String),
}

/// A running recording; dropping it ends the recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Records `source` of the server at `server` (`unix:/path` or a bare path) on a thread named `pulse`, and
    /// returns once sound flows. What does not answer within five seconds is an error.
    pub(crate) fn start(
        server: &str,
        source: &str,
        deliver: impl FnMut(Recorded<'_>) + Send + 'static,
    ) -> Result<Self, SoundError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (ready, is_ready) = std::sync::mpsc::sync_channel(1);
        let (server, source, stopped) = (server.to_owned(), source.to_owned(), Arc::clone(&stop));
        let thread = std::thread::Builder::new()
            .name("pulse".to_owned())
            .spawn(move || {
                let (connection, opened) = match Connection::open(&server, &source, &stopped) {
                    Ok(connection) => (Some(connection), Ok(())),
                    Err(error) => (None, Err(error)),
                };
                let _ = ready.send(opened);
                if let Some(connection) = connection {
                    connection.record(deliver, &stopped);
                }
            })
            .map_err(ThreadError::of("pulse"))?;
        let mut recorder = Self {
            stop,
            thread: Some(thread),
        };
        match is_ready.recv_timeout(CONNECT_WITHIN + Duration::from_secs(1)) {
            Ok(Ok(())) => Ok(recorder),
            Ok(Err(error)) => {
                recorder.end();
                Err(error)
            }
            Err(_) => Err(SoundError::Broken(
                "the recording did not start in time".to_owned(),
            )),
        }
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Its panic has been reported by the panic hook already.
            let _ = thread.join();
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
    }
}

/// Everything lives on one thread and is driven by hand, so nothing needs a lock.
/// Fields are dropped in this order: the stream before its context before its loop.
struct Connection {
    stream: Stream,
    context: Context,
    mainloop: Mainloop,
    clock: Clock,
}

/// When the next unread sample sounded. The server is asked again and again: its own interpolation smooths over
/// a second, and is off by that much when a new player changes the sink's latency.
#[derive(Default)]
struct Clock {
    /// A sample's time, and its position.
    anchor: Option<(Instant, u64)>,
    /// Samples read so far.
    read: u64,
    asked: Option<Question>,
    answered: Rc<Cell<bool>>,
}

/// When the server was asked, and its answer to come.
type Question = (Instant, Operation<dyn FnMut(bool)>);

impl Clock {
    fn follow(&mut self, stream: &mut Stream) {
        let now = Instant::now();
        if self.answered.take() {
            // Of a monitor the latency can be negative: not yet played.
            let at = match stream.get_latency() {
                Ok(Latency::Positive(late)) => now.checked_sub(Duration::from_micros(late.0)),
                Ok(Latency::Negative(early)) => Some(now + Duration::from_micros(early.0)),
                Ok(Latency::None) | Err(_) => None,
            };
            self.anchor = at.map(|at| (at, self.read)).or(self.anchor);
        }
        if self
            .asked
            .as_ref()
            .is_none_or(|(when, _)| now.duration_since(*when) >= ASK_EVERY)
        {
            let answered = Rc::clone(&self.answered);
            let operation =
                stream.update_timing_info(Some(Box::new(move |succeeded| answered.set(succeeded))));
            self.asked = Some((now, operation));
        }
    }

    fn next(&self) -> Instant {
        self.anchor.map_or_else(Instant::now, |(at, position)| {
            at + duration(self.read - position)
        })
    }
}

impl Connection {
    fn open(server: &str, source: &str, stop: &AtomicBool) -> Result<Self, SoundError> {
        let deadline = Instant::now() + CONNECT_WITHIN;
        let in_time = || Instant::now() < deadline && !stop.load(Ordering::Relaxed);
        let mut mainloop = Mainloop::new().ok_or(SoundError::Library)?;
        let mut context =
            Context::new(&mainloop, "dynacu-host hearing").ok_or(SoundError::Library)?;
        let unreachable = |reason: &dyn std::fmt::Display| SoundError::Unreachable {
            server: server.to_owned(),
            reason: reason.to_string(),
        };
        let silent = |reason: &dyn std::fmt::Display| SoundError::NotRecorded {
            device: format!("{source} of the sound server {server}"),
            reason: reason.to_string(),
        };
        context
            .connect(Some(server), context::FlagSet::NOAUTOSPAWN, None)
            .map_err(|error| unreachable(&error))?;
        while context.get_state() != context::State::Ready {
            turn(&mut mainloop)?;
            if !context.get_state().is_good() {
                return Err(unreachable(&context.errno()));
            }
            if !in_time() {
                return Err(unreachable(&"it does not answer"));
            }
        }

        // The server mixes down and resamples; its resampler filters, so nothing above 8 kHz folds back.
        let format = sample::Spec {
            format: sample::Format::FLOAT32NE,
            channels: 1,
            rate: RATE,
        };
        let mut stream =
            Stream::new(&mut context, "hearing", &format, None).ok_or(SoundError::Library)?;
        let buffer = BufferAttr {
            // As much as the server gives: it keeps sound for a reader that was held up.
            maxlength: u32::MAX,
            tlength: u32::MAX,
            prebuf: u32::MAX,
            minreq: u32::MAX,
            fragsize: FRAGMENT * BYTES as u32,
        };
        let flags = FlagSet::ADJUST_LATENCY | FlagSet::NOT_MONOTONIC | FlagSet::DONT_MOVE;
        stream
            .connect_record(Some(source), Some(&buffer), flags)
            .map_err(|error| silent(&error))?;
        while stream.get_state() != stream::State::Ready {
            turn(&mut mainloop)?;
            if !stream.get_state().is_good() {
                return Err(silent(&context.errno()));
            }
            if !in_time() {
                return Err(silent(&"the server does not let it be recorded"));
            }
        }
        let mut connection = Self {
            stream,
            context,
            mainloop,
            clock: Clock::default(),
        };
        // A silent sink that nobody has listened to yet renders two seconds ahead; the first sound comes after those.
        while connection.clock.anchor.is_none()
            || connection.stream.readable_size().unwrap_or(0) == 0
        {
            connection.turn()?;
            if !in_time() {
                return Err(silent(&"it gives no sound"));
            }
        }
        Ok(connection)
    }

    fn record(mut self, mut deliver: impl FnMut(Recorded<'_>), stop: &AtomicBool) {
        let mut samples = Vec::new();
        let mut last = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            match self.read(&mut samples, &mut deliver) {
                Ok(true) => last = Instant::now(),
                Ok(false) if last.elapsed() > SILENT_FOR => {
                    return deliver(Recorded::Lost(
                        "the sound server delivers no sound any more".to_owned(),
                    ));
                }
                Ok(false) => {}
                Err(error) => return deliver(Recorded::Lost(error.to_string())),
            }
        }
        let _ = self.stream.disconnect();
        self.context.disconnect();
    }

    /// One round of the loop; an error once the server is gone.
    fn turn(&mut self) -> Result<(), SoundError> {
        turn(&mut self.mainloop)?;
        if !self.context.get_state().is_good() || !self.stream.get_state().is_good() {
            return Err(broken(self.context.errno()));
        }
        self.clock.follow(&mut self.stream);
        Ok(())
    }

    /// Waits for sound for a moment and delivers what came; says whether any did.
    fn read(
        &mut self,
        samples: &mut Vec<f32>,
        deliver: &mut impl FnMut(Recorded<'_>),
    ) -> Result<bool, SoundError> {
        self.turn()?;
        let mut any = false;
        loop {
            let at = self.clock.next();
            samples.clear();
            match self.stream.peek().map_err(broken)? {
                PeekResult::Empty => return Ok(any),
                PeekResult::Hole(bytes) => samples.resize(bytes / BYTES, 0.0),
                PeekResult::Data(bytes) => samples.extend(
                    bytes
                        .chunks_exact(BYTES)
                        .map(|bytes| f32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
                ),
            }
            self.stream.discard().map_err(broken)?;
            any = true;
            self.clock.read += samples.len() as u64;
            deliver(Recorded::Samples {
                at,
                samples: samples.as_slice(),
            });
        }
    }
}

fn turn(mainloop: &mut Mainloop) -> Result<(), SoundError> {
    mainloop.prepare(Some(WAKE_EVERY)).map_err(broken)?;
    mainloop.poll().map_err(broken)?;
    mainloop.dispatch().map_err(broken)?;
    Ok(())
}

fn broken(error: PAErr) -> SoundError {
    SoundError::Broken(format!("{error}"))
}
