//! Looks into a sound server: are the devices there, and does a tone that goes in at one end come out at the other?
//! For readiness, `doctor` and tests; everything here blocks.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use libpulse_binding as pulse;
use pulse::callbacks::ListResult;
use pulse::context::{Context, FlagSet as ContextFlags, State as ContextState};
use pulse::def::BufferAttr;
use pulse::error::PAErr;
use pulse::mainloop::standard::Mainloop;
use pulse::sample::{Format, Spec};
use pulse::stream::{FlagSet as StreamFlags, PeekResult, SeekMode, State as StreamState, Stream};
use pulse::time::MicroSeconds;

use super::{MICROPHONE, MICROPHONE_FEED, RATE, SPEAKER};

const ANSWER_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("libpulse provides no {0}")]
    Missing(&'static str),
    #[error("the sound server refused: {0}")]
    Refused(String),
    #[error("the sound server does not answer within {} s", ANSWER_WITHIN.as_secs())]
    Silent,
    #[error("there is no device {0}")]
    NoDevice(&'static str),
}

/// How loud a recording was, in dB below full scale (0 is the loudest; digital silence reads -200).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Root mean square of everything.
    pub all: f32,
    /// The part at the tone's frequency.
    pub tone: f32,
}

/// Checks that all of a lane's devices exist.
pub fn look(server: &str) -> Result<(), ProbeError> {
    let mut session = Session::open(server)?;
    for sink in [SPEAKER, MICROPHONE_FEED] {
        let found = Rc::new(RefCell::new(None));
        let seen = Rc::clone(&found);
        let introspect = session.context.introspect();
        let _asked = introspect.get_sink_info_by_name(sink, move |item| note(&seen, &item));
        session.expect(&found, sink)?;
    }
    let found = Rc::new(RefCell::new(None));
    let seen = Rc::clone(&found);
    let introspect = session.context.introspect();
    let _asked = introspect.get_source_info_by_name(MICROPHONE, move |item| note(&seen, &item));
    session.expect(&found, MICROPHONE)
}

fn note<T>(found: &Rc<RefCell<Option<bool>>>, item: &ListResult<T>) {
    let mut found = found.borrow_mut();
    match item {
        ListResult::Item(_) => *found = Some(true),
        ListResult::End | ListResult::Error => {
            found.get_or_insert(false);
        }
    }
}

/// Records `source` of `listen` for `duration` while a tone of `frequency` Hz plays into `sink` of `play` (none: silence).
/// The two servers may be the same. The first 300 ms, in which the streams find each other, are not counted.
pub fn level_while_playing(
    listen: &str,
    source: &str,
    play: Option<(&str, &str)>,
    frequency: f32,
    duration: Duration,
) -> Result<Level, ProbeError> {
    let spec = Spec {
        format: Format::F32le,
        channels: 1,
        rate: RATE,
    };
    let mut ears = Session::open(listen)?;
    let mut recording = Stream::new(&mut ears.context, "probe", &spec, None)
        .ok_or(ProbeError::Missing("recording stream"))?;
    let fragment = BufferAttr {
        maxlength: u32::MAX,
        tlength: u32::MAX,
        prebuf: u32::MAX,
        minreq: u32::MAX,
        fragsize: RATE / 50 * 4,
    };
    recording
        .connect_record(Some(source), Some(&fragment), StreamFlags::ADJUST_LATENCY)
        .map_err(refused)?;
    ears.wait_stream(&recording)?;
    let mut voice = match play {
        Some((server, sink)) => Some(Tone::start(server, sink, &spec, frequency)?),
        None => None,
    };
    let mut heard: Vec<f32> = Vec::new();
    let skipped = RATE as usize * 3 / 10;
    let end = Instant::now() + duration;
    while Instant::now() < end {
        if let Some(voice) = &mut voice {
            voice.feed()?;
        }
        ears.turn(Duration::from_millis(10))?;
        loop {
            match recording.peek().map_err(refused)? {
                PeekResult::Empty => break,
                PeekResult::Hole(bytes) => heard.extend(std::iter::repeat_n(0.0, bytes / 4)),
                PeekResult::Data(bytes) => heard.extend(
                    bytes
                        .as_chunks::<4>()
                        .0
                        .iter()
                        .map(|sample| f32::from_le_bytes(*sample)),
                ),
            }
            let _ = recording.discard();
        }
    }
    Ok(measure(heard.get(skipped..).unwrap_or_default(), frequency))
}

fn refused(error: PAErr) -> ProbeError {
    ProbeError::Refused(
        error
            .to_string()
            .unwrap_or_else(|| "no reason given".to_owned()),
    )
}

fn measure(samples: &[f32], frequency: f32) -> Level {
    let count = samples.len().max(1) as f64;
    let power: f64 = samples
        .iter()
        .map(|sample| f64::from(sample * sample))
        .sum();
    let turn = std::f64::consts::TAU * f64::from(frequency) / f64::from(RATE);
    let (mut real, mut imaginary) = (0.0, 0.0);
    for (index, sample) in samples.iter().enumerate() {
        let angle = turn * index as f64;
        real += f64::from(*sample) * angle.cos();
        imaginary += f64::from(*sample) * angle.sin();
    }
    // A sine of amplitude a has the root mean square a / sqrt 2 and the Fourier sum a n / 2.
    let tone = (real * real + imaginary * imaginary).sqrt() * std::f64::consts::SQRT_2 / count;
    let decibels = |value: f64| (20.0 * value.max(1e-10).log10()) as f32;
    Level {
        all: decibels((power / count).sqrt()),
        tone: decibels(tone),
    }
}

/// Fields drop in this order: a context must not outlive its main loop.
struct Session {
    context: Context,
    mainloop: Mainloop,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.context.disconnect();
    }
}

impl Session {
    fn open(server: &str) -> Result<Self, ProbeError> {
        let mainloop = Mainloop::new().ok_or(ProbeError::Missing("main loop"))?;
        let mut context =
            Context::new(&mainloop, "dynacu-probe").ok_or(ProbeError::Missing("context"))?;
        context
            .connect(Some(server), ContextFlags::NOAUTOSPAWN, None)
            .map_err(refused)?;
        let mut session = Self { context, mainloop };
        session.until(|session| match session.context.get_state() {
            ContextState::Ready => Ok(true),
            ContextState::Failed | ContextState::Terminated => {
                Err(refused(session.context.errno()))
            }
            _ => Ok(false),
        })?;
        Ok(session)
    }

    fn turn(&mut self, longest: Duration) -> Result<(), ProbeError> {
        let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
        self.mainloop
            .prepare(Some(MicroSeconds(micros)))
            .map_err(refused)?;
        self.mainloop.poll().map_err(refused)?;
        self.mainloop.dispatch().map_err(refused)?;
        Ok(())
    }

    fn until(
        &mut self,
        mut done: impl FnMut(&mut Self) -> Result<bool, ProbeError>,
    ) -> Result<(), ProbeError> {
        let deadline = Instant::now() + ANSWER_WITHIN;
        while !done(self)? {
            if Instant::now() > deadline {
                return Err(ProbeError::Silent);
            }
            self.turn(Duration::from_millis(20))?;
        }
        Ok(())
    }

    fn wait_stream(&mut self, stream: &Stream) -> Result<(), ProbeError> {
        self.until(|session| match stream.get_state() {
            StreamState::Ready => Ok(true),
            StreamState::Failed | StreamState::Terminated => Err(refused(session.context.errno())),
            _ => Ok(false),
        })
    }

    fn expect(
        &mut self,
        found: &Rc<RefCell<Option<bool>>>,
        device: &'static str,
    ) -> Result<(), ProbeError> {
        self.until(|_| Ok(found.borrow().is_some()))?;
        if *found.borrow() == Some(true) {
            Ok(())
        } else {
            Err(ProbeError::NoDevice(device))
        }
    }
}

struct Tone {
    stream: Stream,
    session: Session,
    step: f32,
    phase: f32,
}

impl Tone {
    fn start(server: &str, sink: &str, spec: &Spec, frequency: f32) -> Result<Self, ProbeError> {
        let mut session = Session::open(server)?;
        let mut stream = Stream::new(&mut session.context, "tone", spec, None)
            .ok_or(ProbeError::Missing("playback stream"))?;
        stream
            .connect_playback(Some(sink), None, StreamFlags::ADJUST_LATENCY, None, None)
            .map_err(refused)?;
        session.wait_stream(&stream)?;
        Ok(Self {
            stream,
            session,
            step: std::f32::consts::TAU * frequency / RATE as f32,
            phase: 0.0,
        })
    }

    /// Writes as much as the server will take. The amplitude is a half: -9 dBFS.
    fn feed(&mut self) -> Result<(), ProbeError> {
        self.session.turn(Duration::from_millis(5))?;
        let room = self.stream.writable_size().unwrap_or(0) / 4;
        let mut bytes = Vec::with_capacity(room * 4);
        for _ in 0..room {
            bytes.extend_from_slice(&(self.phase.sin() / 2.0).to_le_bytes());
            self.phase = (self.phase + self.step) % std::f32::consts::TAU;
        }
        if !bytes.is_empty() {
            self.stream
                .write_copy(&bytes, 0, SeekMode::Relative)
                .map_err(refused)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_scale_tone_reads_minus_nine_decibels_at_its_own_frequency_only() {
        let step = std::f32::consts::TAU * 1000.0 / RATE as f32;
        let samples: Vec<f32> = (0..RATE)
            .map(|index| (index as f32 * step).sin() / 2.0)
            .collect();
        let at_tone = measure(&samples, 1000.0);
        assert!(
            (at_tone.all + 9.03).abs() < 0.1 && (at_tone.tone + 9.03).abs() < 0.1,
            "{at_tone:?}"
        );
        assert!(measure(&samples, 2000.0).tone < -60.0);
        assert_eq!(measure(&[], 1000.0).all, -200.0);
    }
}
