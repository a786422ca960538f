//! Whisper through whisper.cpp.

use std::ffi::c_void;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use whisper_rs::{
    DtwMode, DtwModelPreset, DtwParameters, FullParams, SamplingStrategy, WhisperContext,
    WhisperContextParameters, WhisperState,
};

use super::loops::{loops, unrolled};
use super::tokens::{REFUSE_BELOW, Tokens};
use super::turn::Turn;
use super::{Clip, Segment, Transcribe, Word, sentences};
use crate::capture::ring::RATE;
use crate::error::{ModelError, ThreadError};

/// Whisper's encoder sees 50 positions a second, 1500 in all: 30 s.
const CONTEXT_PER_SECOND: usize = 50;
const FULL_CONTEXT: usize = 1500;
/// Shorter contexts than this make the decoder loop, however short the clip is.
const SMALLEST_CONTEXT: usize = 192;
/// Positions beyond the clip's end, so that the decoder hears the silence after the last word.
const CONTEXT_MARGIN: usize = 64;
/// What a clip gets on top when its recognition went round in circles.
const LOOP_MARGIN: usize = 128;
/// Longer clips are recognised piece by piece.
const LONGEST: usize = 29 * RATE as usize;
/// Silence around a clip: Whisper drops words that touch the edge of what it hears.
const EDGE: usize = RATE as usize / 5;
/// A shorter clip is filled up with silence to this length.
const SHORTEST: usize = RATE as usize * 5 / 4;
/// Memory for the alignment of words with sound; half a minute of speech needs a third.
const ALIGNMENT_BYTES: usize = 64 << 20;
/// As it is called in errors.
const MODEL: &str = "whisper.cpp";

/// One model's state (which keeps the model), used by everyone who listens, in the order in which they ask.
pub struct Whisper {
    state: Mutex<WhisperState>,
    turn: Turn,
}

impl Whisper {
    /// Loads a ggml file (see [`dynacu_weights::names`]); takes about a tenth of a second and 150 MB.
    pub fn open(model: &Path) -> Result<Self, ModelError> {
        // Without a sink compiled in, this silences whisper.cpp, which otherwise writes to standard error.
        whisper_rs::install_logging_hooks();
        let mut parameters = WhisperContextParameters::new();
        parameters.use_gpu(false).flash_attn(false);
        if let Some(model_preset) = alignment(model) {
            parameters.dtw_parameters(DtwParameters {
                mode: DtwMode::ModelPreset { model_preset },
                dtw_mem_size: ALIGNMENT_BYTES,
            });
        }
        let state = WhisperContext::new_with_params(model, parameters)
            .and_then(|context| context.create_state())
            .map_err(|error| ModelError::Broken {
                path: model.to_owned(),
                what: error.to_string(),
            })?;
        Ok(Self {
            state: Mutex::new(state),
            turn: Turn::default(),
        })
    }

    /// A clip of at most [`LONGEST`]; none if it was interrupted.
    fn clip(&self, clip: &Clip<'_>) -> Result<Option<Vec<Word>>, ModelError> {
        let mut padded = vec![0.0; EDGE];
        padded.extend_from_slice(clip.samples);
        padded.resize((padded.len() + EDGE).max(SHORTEST), 0.0);
        let seconds = padded.len().div_ceil(RATE as usize / 10) as f32 / 10.0;
        let needed = (seconds * CONTEXT_PER_SECOND as f32) as usize + CONTEXT_MARGIN;
        // A multiple of 64: the matrices divide evenly, and equal lengths give equal results.
        let cut = needed
            .max(SMALLEST_CONTEXT)
            .next_multiple_of(64)
            .min(FULL_CONTEXT);
        let Some(mut words) = self.pass(&padded, cut, clip.interrupt)? else {
            return Ok(None);
        };
        // A decoder that hears too little of what comes after goes round in circles. A little more is mostly enough,
        // and the whole context would hold everything up for seconds.
        for more in [cut + LOOP_MARGIN, cut * 2] {
            if !loops(&words) {
                break;
            }
            let more = more.min(FULL_CONTEXT);
            match self.pass(&padded, more, clip.interrupt)? {
                Some(again) => words = again,
                None => return Ok(None),
            }
        }
        let mut words = unrolled(words);
        let sure: f32 = words.iter().map(|word| word.confidence).sum();
        if sure < REFUSE_BELOW * words.len() as f32 {
            words.clear();
        }
        let shift = (EDGE * 1000 / RATE as usize) as u64;
        let length = (clip.samples.len() * 1000 / RATE as usize) as u64;
        for word in &mut words {
            word.start_ms = word.start_ms.saturating_sub(shift).min(length);
            word.end_ms = word
                .end_ms
                .saturating_sub(shift)
                .clamp(word.start_ms, length);
        }
        Ok(Some(words))
    }

    fn pass(
        &self,
        padded: &[f32],
        audio_context: usize,
        interrupt: &AtomicBool,
    ) -> Result<Option<Vec<Word>>, ModelError> {
        let mut parameters = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        parameters.set_n_threads(threads());
        parameters.set_language(Some("en"));
        parameters.set_translate(false);
        // No text as a prompt: the decoder takes over its way of writing, and repeats it.
        parameters.set_no_context(true);
        parameters.set_audio_ctx(audio_context as i32);
        // One run of the encoder: whisper.cpp would begin another where it thinks that a segment ended early.
        parameters.set_single_segment(true);
        parameters.set_token_timestamps(true);
        parameters.set_suppress_blank(true);
        parameters.set_suppress_nst(true);
        // One decoding at temperature 0: the same sound gives the same text, in bounded time.
        parameters.set_temperature(0.0);
        parameters.set_temperature_inc(0.0);
        parameters.set_print_special(false);
        parameters.set_print_progress(false);
        parameters.set_print_realtime(false);
        parameters.set_print_timestamps(false);
        // Ten tokens a second are more than anyone speaks; a loop must not run to the model's limit.
        parameters.set_max_tokens((padded.len() / (RATE as usize / 10)) as i32 + 16);
        // SAFETY: the callback reads one atomic behind a pointer that outlives `full`.
        unsafe {
            parameters.set_abort_callback(Some(interrupted));
            parameters.set_abort_callback_user_data(std::ptr::from_ref(interrupt) as *mut c_void);
        }
        let mut state = self.state.lock();
        if let Err(error) = state.full(parameters, padded) {
            return if interrupt.load(Ordering::Relaxed) {
                Ok(None)
            } else {
                Err(ModelError::failed(MODEL)(error))
            };
        }
        let mut words = Vec::new();
        for segment in state.as_iter() {
            let tokens = Tokens::from(&segment);
            if tokens.refused() {
                tracing::debug!(text = %tokens.text(), confidence = tokens.confidence(), "refused");
            } else {
                words.extend(tokens.words());
            }
        }
        Ok(Some(words))
    }

    /// Longer clips piece by piece.
    fn pieces(&self, clip: &Clip<'_>) -> Result<Option<Vec<Word>>, ModelError> {
        let mut out = Vec::new();
        for (i, samples) in clip.samples.chunks(LONGEST).enumerate() {
            let offset = (i * LONGEST * 1000 / RATE as usize) as u64;
            let piece = Clip { samples, ..*clip };
            let Some(words) = self.clip(&piece)? else {
                return Ok(None);
            };
            out.extend(words.into_iter().map(|word| Word {
                start_ms: word.start_ms + offset,
                end_ms: word.end_ms + offset,
                ..word
            }));
        }
        Ok(Some(out))
    }
}

impl Transcribe for Whisper {
    fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>, ModelError> {
        let clip = Clip {
            samples,
            interrupt: &AtomicBool::new(false),
        };
        Ok(sentences(&self.words(&clip)?.unwrap_or_default()))
    }

    fn words(&self, clip: &Clip<'_>) -> Result<Option<Vec<Word>>, ModelError> {
        let _turn = self.turn.take();
        if clip.interrupt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // On a thread of its own: on processors with AMX, whisper.cpp sets up a thread's matrix tiles once and trusts them
        // for ever, and ONNX Runtime's 8-bit kernels (Kokoro's) set them up otherwise on the same thread. The text is
        // nonsense after that (seen: one token at a probability of 0.005).
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("whisper".to_owned())
                .spawn_scoped(scope, || self.pieces(clip))
                .map_err(ThreadError::of("whisper"))?
                .join()
                .unwrap_or_else(|_| Err(ModelError::failed(MODEL)("it panicked")))
        })
    }
}

unsafe extern "C" fn interrupted(flag: *mut c_void) -> bool {
    // SAFETY: `pass` gives the address of an atomic that outlives the call.
    unsafe { &*(flag as *const AtomicBool) }.load(Ordering::Relaxed)
}

/// Which of the model's attention heads follow the sound, read off the file's header; none for a model that is not known.
fn alignment(model: &Path) -> Option<DtwModelPreset> {
    // Magic, vocabulary, three of audio, layers of audio, three of text, layers of text.
    let mut header = [0; 40];
    File::open(model).ok()?.read_exact(&mut header).ok()?;
    let number =
        |i: usize| i32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
    let english = number(4) == 51_864;
    match (number(36), english) {
        (4, true) => Some(DtwModelPreset::TinyEn),
        (4, false) => Some(DtwModelPreset::Tiny),
        (6, true) => Some(DtwModelPreset::BaseEn),
        (6, false) => Some(DtwModelPreset::Base),
        _ => None,
    }
}

/// Two threads where four cores are there, else one.
///
/// whisper.cpp's threads wait for each other by spinning, hundreds of times a word. On two cores that the browser uses
/// too, one of them is always without its core, and two are far slower than one (measured with two busy cores: 11 s of
/// speech in 12 to 20 s against 2.5 to 4.7 s; on idle ones 0.8 to 1.2 s against 1.9 s). The text is the same.
fn threads() -> i32 {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 4) {
        2
    } else {
        1
    }
}
