//! Playing speech into the virtual microphone, in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use libpulse_binding::context::{Context, FlagSet as ContextFlags, State as ContextState};
use libpulse_binding::def::BufferAttr;
use libpulse_binding::error::PAErr;
use libpulse_binding::mainloop::standard::Mainloop;
use libpulse_binding::operation::State as OperationState;
use libpulse_binding::sample::{Format, Spec};
use libpulse_binding::stream::{FlagSet, SeekMode, State as StreamState, Stream};
use libpulse_binding::time::MicroSeconds;
use parking_lot::Mutex;

use super::{Pcm, resample::resample};
use crate::capture::timebase::Timebase;
use crate::error::SoundError;

/// Samples a second of [`Microphone::spoken`], as of all sound in a record.
pub const SPOKEN_RATE: u32 = 16_000;

/// How long the sound server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Sound that waits in the server: short, because what waits there delays the first sample.
const BUFFER_MS: u32 = 60;
/// How often the sound server and the cancellation are looked at.
const TICK: MicroSeconds = MicroSeconds(5000);

/// When an utterance was heard at the microphone, in milliseconds of the episode's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// First sample.
    pub started_at: u64,
    /// Last sample that was heard.
    pub ended_at: u64,
    /// Whether it was cut off before its end.
    pub cut: bool,
}

struct Utterance {
    started: Instant,
    rate: u32,
    samples: Vec<i16>,
}

/// The agent's side of the virtual microphone: what is played into its sink, the page hears as a microphone.
///
/// One utterance at a time; a second call waits for its turn. Everything played is remembered with its time.
pub struct Microphone {
    server: String,
    sink: String,
    timebase: Arc<Timebase>,
    turn: Mutex<()>,
    played: Mutex<Vec<Utterance>>,
}

impl Microphone {
    /// Checks that the sound server answers and has the sink. `pulse_server` is an address such as `unix:/…/native`.
    ///
    /// # Errors
    /// When the server does not answer or has no such sink.
    pub fn connect(
        pulse_server: &str,
        sink: &str,
        timebase: Arc<Timebase>,
    ) -> Result<Self, SoundError> {
        let microphone = Self {
            server: pulse_server.to_owned(),
            sink: sink.to_owned(),
            timebase,
            turn: Mutex::default(),
            played: Mutex::default(),
        };
        let mut connection = Connection::open(&microphone.server)?;
        connection.stream(&microphone.sink, SPOKEN_RATE)?;
        Ok(microphone)
    }

    /// Plays a clip and returns when it has been heard to its end, or within 50 ms of `cancel` becoming true.
    /// Blocks for the length of the clip; call it from a thread that may wait.
    ///
    /// # Errors
    /// When the sound server is gone or stops playing.
    pub fn play(&self, pcm: &Pcm, cancel: &AtomicBool) -> Result<Played, SoundError> {
        let _turn = self.turn.lock();
        let samples: Vec<i16> = pcm.samples.iter().map(|sample| to_i16(*sample)).collect();
        let mut connection = Connection::open(&self.server)?;
        let mut stream = connection.stream(&self.sink, pcm.rate)?;
        let heard = connection.play(&mut stream, &samples, pcm.rate, cancel)?;
        let _ = stream.disconnect();

        let count = samples_in(
            heard.ended.saturating_duration_since(heard.started),
            pcm.rate,
        );
        let count = if heard.cut {
            count.min(samples.len())
        } else {
            samples.len()
        };
        let utterance = Utterance {
            started: heard.started,
            rate: pcm.rate,
            samples: samples[..count].to_vec(),
        };
        self.played.lock().push(utterance);
        Ok(Played {
            started_at: self.timebase.millis(heard.started),
            ended_at: self.timebase.millis(heard.ended),
            cut: heard.cut,
        })
    }

    /// All that the microphone was given, from t = 0 to `until` (milliseconds) or to the end of the last utterance,
    /// whichever is later: mono, [`SPOKEN_RATE`], silence between. Empty before the episode's clock has started.
    ///
    /// # Errors
    /// When an utterance of another rate cannot be resampled.
    pub fn spoken(&self, until: u64) -> Result<Vec<i16>, SoundError> {
        let Some(zero) = self.timebase.started() else {
            return Ok(Vec::new());
        };
        let mut timeline = vec![0; samples_in(Duration::from_millis(until), SPOKEN_RATE)];
        for utterance in self.played.lock().iter() {
            let samples = if utterance.rate == SPOKEN_RATE {
                utterance.samples.clone()
            } else {
                let float: Vec<f32> = utterance
                    .samples
                    .iter()
                    .map(|s| f32::from(*s) / 32768.0)
                    .collect();
                resample(&float, utterance.rate, SPOKEN_RATE)?
                    .into_iter()
                    .map(to_i16)
                    .collect()
            };
            // What was said before t = 0 is no part of the episode.
            let early = samples_in(
                zero.saturating_duration_since(utterance.started),
                SPOKEN_RATE,
            );
            let from = samples_in(
                utterance.started.saturating_duration_since(zero),
                SPOKEN_RATE,
            );
            let samples = &samples[early.min(samples.len())..];
            if timeline.len() < from + samples.len() {
                timeline.resize(from + samples.len(), 0);
            }
            timeline[from..from + samples.len()].copy_from_slice(samples);
        }
        Ok(timeline)
    }
}

fn to_i16(sample: f32) -> i16 {
    // The cast saturates, so a sample beyond full scale is clipped, not wrapped.
    (sample * 32767.0).round() as i16
}

fn samples_in(time: Duration, rate: u32) -> usize {
    (time.as_secs_f64() * f64::from(rate)).round() as usize
}

struct Heard {
    started: Instant,
    ended: Instant,
    cut: bool,
}

/// One connection to the sound server, driven by the calling thread.
struct Connection {
    // Dropped in this order: the context before the main loop it runs on.
    context: Context,
    mainloop: Mainloop,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.context.disconnect();
    }
}

impl Connection {
    fn open(server: &str) -> Result<Self, SoundError> {
        let mainloop = Mainloop::new().ok_or(SoundError::Library)?;
        let context = Context::new(&mainloop, "dynacu speech").ok_or(SoundError::Library)?;
        let mut connection = Self { context, mainloop };
        let unreachable = |reason: &dyn std::fmt::Display| SoundError::Unreachable {
            server: server.to_owned(),
            reason: reason.to_string(),
        };
        connection
            .context
            .connect(Some(server), ContextFlags::NOAUTOSPAWN, None)
            .map_err(|error| unreachable(&error))?;
        let start = Instant::now();
        loop {
            match connection.context.get_state() {
                ContextState::Ready => return Ok(connection),
                ContextState::Failed | ContextState::Terminated => {
                    return Err(unreachable(&connection.context.errno()));
                }
                _ if start.elapsed() > PATIENCE => {
                    return Err(unreachable(&"it does not answer"));
                }
                _ => connection.tick()?,
            }
        }
    }

    /// Waits a moment for the server and handles what it sent.
    fn tick(&mut self) -> Result<(), SoundError> {
        let lost = |error: PAErr| SoundError::Broken(format!("{error}"));
        self.mainloop.prepare(Some(TICK)).map_err(lost)?;
        self.mainloop.poll().map_err(lost)?;
        self.mainloop.dispatch().map_err(lost)?;
        Ok(())
    }

    /// A playback stream that is ready to be written to.
    fn stream(&mut self, sink: &str, rate: u32) -> Result<Stream, SoundError> {
        let spec = Spec {
            format: Format::S16le,
            channels: 1,
            rate,
        };
        let refused = |reason: &dyn std::fmt::Display| SoundError::NotPlayed {
            sink: sink.to_owned(),
            reason: reason.to_string(),
        };
        if !spec.is_valid() {
            return Err(refused(&format_args!("{rate} Hz is no sample rate")));
        }
        let mut stream =
            Stream::new(&mut self.context, "speech", &spec, None).ok_or(SoundError::Library)?;
        let bytes = |millis: u32| rate * millis / 1000 * 2;
        let buffer = BufferAttr {
            maxlength: u32::MAX,
            tlength: bytes(BUFFER_MS),
            prebuf: bytes(BUFFER_MS / 2),
            minreq: bytes(BUFFER_MS / 4),
            fragsize: u32::MAX,
        };
        let flags = FlagSet::ADJUST_LATENCY
            | FlagSet::INTERPOLATE_TIMING
            | FlagSet::AUTO_TIMING_UPDATE
            | FlagSet::DONT_MOVE;
        stream
            .connect_playback(Some(sink), Some(&buffer), flags, None, None)
            .map_err(|error| refused(&error))?;
        let start = Instant::now();
        loop {
            match stream.get_state() {
                StreamState::Ready => return Ok(stream),
                StreamState::Failed | StreamState::Terminated => {
                    return Err(refused(&self.context.errno()));
                }
                _ if start.elapsed() > PATIENCE => {
                    return Err(refused(&"the sound server does not open it"));
                }
                _ => self.tick()?,
            }
        }
    }

    fn play(
        &mut self,
        stream: &mut Stream,
        samples: &[i16],
        rate: u32,
        cancel: &AtomicBool,
    ) -> Result<Heard, SoundError> {
        let bytes: Vec<u8> = samples
            .iter()
            .flat_map(|sample| sample.to_le_bytes())
            .collect();
        let opened = Instant::now();
        let length = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate));
        let mut written = 0;
        let mut draining = None;
        // The first sample's time, from the server's own report of how much it has played.
        let mut started: Option<Instant> = None;
        loop {
            if stream.get_state() != StreamState::Ready {
                return Err(SoundError::Broken(format!(
                    "the microphone's stream was closed ({})",
                    self.context.errno()
                )));
            }
            if let Ok(Some(position)) = stream.get_time()
                && position.0 > 0
            {
                // Reports come early by a moment when the stream has just begun, so the latest estimate is the one kept.
                started = Some(Instant::now() - Duration::from_micros(position.0));
            }
            if cancel.load(Ordering::Relaxed) {
                // What waits in the server is dropped, and the flush is seen through: it must not be lost with the stream.
                let flushed = stream.flush(None);
                let asked = Instant::now();
                while flushed.get_state() == OperationState::Running && asked.elapsed() < PATIENCE {
                    self.tick()?;
                }
                return Ok(Heard {
                    started: started.unwrap_or(asked),
                    ended: asked,
                    cut: true,
                });
            }
            if written < bytes.len() {
                let room = stream.writable_size().unwrap_or(0) & !1;
                let end = bytes.len().min(written + room);
                if end > written {
                    stream
                        .write_copy(&bytes[written..end], 0, SeekMode::Relative)
                        .map_err(|error| SoundError::Broken(format!("{error}")))?;
                    written = end;
                }
            } else {
                let drain = draining.get_or_insert_with(|| stream.drain(None));
                match drain.get_state() {
                    OperationState::Running => {}
                    OperationState::Done => {
                        let ended = Instant::now();
                        let started =
                            started.unwrap_or_else(|| ended.checked_sub(length).unwrap_or(opened));
                        return Ok(Heard {
                            started: started.max(opened),
                            ended,
                            cut: false,
                        });
                    }
                    OperationState::Cancelled => {
                        return Err(SoundError::Broken("the speech was given up".to_owned()));
                    }
                }
            }
            if opened.elapsed() > length + PATIENCE {
                return Err(SoundError::Broken(format!(
                    "no more speech was played after {written} of {} bytes",
                    bytes.len()
                )));
            }
            self.tick()?;
        }
    }
}

#[cfg(test)]
mod tests;
