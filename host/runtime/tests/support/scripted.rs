//! A scripted host and the fixtures' place.

use std::any::Any;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dynacu_runtime::types::{
    Action, ActionError, BlobError, BlobInfo, Brief, Capabilities, EncodeError, Encoding,
    HearingError, Level, ModelRequest, PerformError, Point, ReadingError, Rect, Size,
    SolutionError, StopCause, TextLine,
};
use dynacu_runtime::{
    ActionOutcome, ActionReceipt, Compiler, Engine, Frame, Observation, Plugin, PolicyHost,
    SessionEvent,
};

const SCREEN: Size = Size {
    width: 1280,
    height: 720,
};

/// One engine for a whole test binary, with its cache in the build folder.
pub(crate) fn engine() -> Engine {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
        Engine::with_cache(Some(cache), Compiler::InProcess).unwrap()
    });
    ENGINE.clone()
}

/// Where a fixture lies, under its own name or the one that cargo gives to its file.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let folder = std::env::var_os("DYNACU_FIXTURES").map_or_else(
        || {
            Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host/runtime"))
                .join("../../plugins/dist/fixtures")
        },
        PathBuf::from,
    );
    let names = [
        format!("{name}.wasm"),
        format!("{}.wasm", name.replace('-', "_")),
    ];
    let found = names
        .iter()
        .map(|file| folder.join(file))
        .find(|path| path.exists());
    found.unwrap_or_else(|| {
        panic!(
            "{name}.wasm is not in {}: run `make guests` first",
            folder.display()
        )
    })
}

pub(crate) fn load(name: &str) -> Plugin {
    Plugin::load(&engine(), &fixture(name)).unwrap()
}

pub(crate) fn brief() -> Brief {
    Brief {
        episode: "e1".to_owned(),
        instruction: "Do nothing.".to_owned(),
        screen: SCREEN,
        pace_ms: 5000,
        time_limit_ms: 60_000,
        step_limit: 10,
        granted: Vec::new(),
    }
}

/// A host that shows an empty screen and grants nothing else.
pub(crate) struct ScriptedHost {
    /// Observations before it says stop.
    observations: u32,
    /// Waits for ever in `observe`.
    blocks: bool,
    pub log: Arc<Mutex<Vec<String>>>,
    /// Set when the runtime let go of this host.
    pub dropped: Arc<AtomicBool>,
    step: u32,
    actions: u64,
    outcomes: VecDeque<ActionOutcome>,
    _alive: Alive,
}

impl Default for ScriptedHost {
    fn default() -> Self {
        let dropped = Arc::new(AtomicBool::new(false));
        let alive = Alive(dropped.clone());
        Self {
            observations: 1000,
            blocks: false,
            log: Arc::default(),
            dropped,
            step: 0,
            actions: 0,
            outcomes: VecDeque::new(),
            _alive: alive,
        }
    }
}

impl ScriptedHost {
    pub(crate) fn blocking() -> Self {
        Self {
            blocks: true,
            ..Self::default()
        }
    }

    pub(crate) fn ending_after(observations: u32) -> Self {
        Self {
            observations,
            ..Self::default()
        }
    }
}

/// Says so when it goes.
pub(crate) struct Alive(Arc<AtomicBool>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct EmptyFrame;

#[async_trait]
impl Frame for EmptyFrame {
    fn captured_at(&self) -> u64 {
        0
    }

    fn size(&self) -> Size {
        SCREEN
    }

    async fn encode(&self, _encoding: Encoding) -> Result<String, EncodeError> {
        Ok("0".repeat(64))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[async_trait]
impl PolicyHost for ScriptedHost {
    fn now(&self) -> u64 {
        0
    }

    fn clock_was_read(&mut self, _readings: Vec<(u64, u32)>) {}

    fn log(&mut self, _level: Level, message: String) {
        self.log.lock().unwrap().push(message);
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        if self.blocks {
            std::future::pending::<()>().await;
        }
        self.step += 1;
        if self.step > self.observations {
            return Err(StopCause::StepLimit);
        }
        Ok(Observation {
            step: self.step,
            taken_at: 0,
            screenshot: Arc::new(EmptyFrame),
            pointer: Point { x: 0, y: 0 },
            keyframes: Vec::new(),
            keyframes_dropped: 0,
            recent_audio: None,
            audio_context: None,
            remaining_ms: 0,
        })
    }

    fn subscribe(&mut self, _on: bool) {}

    async fn next(&mut self, wait_ms: Option<u64>) -> Result<Option<SessionEvent>, StopCause> {
        if let Some(outcome) = self.outcomes.pop_front() {
            return Ok(Some(SessionEvent::Action(outcome)));
        }
        match wait_ms {
            Some(wait) => tokio::time::sleep(Duration::from_millis(wait)).await,
            None => std::future::pending().await,
        }
        Ok(None)
    }

    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        let first = self.actions + 1;
        for action in actions {
            self.actions += 1;
            let outcome = match action {
                Action::Speak { .. } => Err(ActionError::NotGranted {
                    what: "speech".to_owned(),
                }),
                _ => Ok(ActionReceipt {
                    started_at: 0,
                    ended_at: 0,
                }),
            };
            self.outcomes.push_back(ActionOutcome {
                id: self.actions,
                outcome,
            });
        }
        self.outcomes
            .drain(..self.outcomes.len().saturating_sub(256));
        Ok((first..=self.actions).collect())
    }

    fn refused(&mut self, _error: &PerformError) {}

    fn abort_actions(&mut self) {}

    async fn encode(
        &mut self,
        frame: Arc<dyn Frame>,
        encoding: Encoding,
    ) -> Result<String, EncodeError> {
        frame.encode(encoding).await
    }

    async fn read_text(
        &mut self,
        _frame: Arc<dyn Frame>,
        _area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        Err(ReadingError::NotGranted)
    }

    fn solution(&mut self) -> Result<Option<String>, SolutionError> {
        Err(SolutionError::NotGranted)
    }

    async fn clip(&mut self, _start: u64, _end: u64) -> Result<String, HearingError> {
        Err(HearingError::NotGranted)
    }

    fn blob_stat(&mut self, _id: &str) -> Result<BlobInfo, BlobError> {
        Err(BlobError::NotFound)
    }

    fn blob_read(&mut self, _id: &str) -> Result<Vec<u8>, BlobError> {
        Err(BlobError::NotFound)
    }

    fn model(&mut self) -> (String, Capabilities) {
        let capabilities = Capabilities {
            images: false,
            max_images: None,
            audio: false,
            tools: false,
            coordinate_grid: None,
        };
        ("none".to_owned(), capabilities)
    }

    async fn submit(&mut self, _request: ModelRequest) -> u64 {
        0
    }

    fn cancel(&mut self, _call: u64) {}
}
