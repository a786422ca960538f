//! The policy world's imports, answered by a [`PolicyHost`].

use wasmtime::component::{HasSelf, Linker, Resource};

use crate::bindings::model_adapter::dynacu::host::blobs;
use crate::bindings::model_adapter::dynacu::model::types as model;
use crate::bindings::policy::Policy;
use crate::bindings::policy::dynacu::environment::{action, hearing, observation, reading};
use crate::bindings::policy::dynacu::host::clock;
use crate::bindings::policy::dynacu::model::inference;
use crate::bindings::policy::dynacu::policy::session;
use crate::frames::{FrameOrder, HeldFrame};
use crate::guest::{Guest, Part};
use crate::limits::Limits;
use crate::policy_host::{Event, Keyframe, Observation, PolicyHost};
use crate::quota::{Quota, recorded_size, request_size};
use crate::types::{
    Action, BlobError, BlobInfo, Capabilities, EncodeError, Encoding, HearingError, Level,
    ModelRequest, PerformError, ReadingError, Rect, Size, StopCause, TextLine,
};
use crate::wasi::EpisodeClock;

/// More actions in one batch are refused.
const BATCH: usize = 64;

/// A policy's part of its store.
pub(crate) struct PolicyPart {
    host: Box<dyn PolicyHost>,
    frames: FrameOrder,
    clock: EpisodeClock,
    quota: Quota,
}

impl PolicyPart {
    pub(crate) fn new(host: Box<dyn PolicyHost>, clock: EpisodeClock, limits: &Limits) -> Self {
        Self {
            host,
            frames: FrameOrder::default(),
            clock,
            quota: Quota::new(limits),
        }
    }

    /// Counts a picture or a sound that the host just made for the guest.
    fn made(&mut self, blob: &str) -> wasmtime::Result<()> {
        let size = self.host.blob_stat(blob).map_or(0, |info| info.size);
        self.quota.made(size)
    }
}

impl Part for PolicyPart {
    fn log(&mut self, level: Level, message: String) {
        self.host.log(level, message);
    }

    fn called(&mut self) {
        self.clock.set(self.host.now());
    }
}

pub(crate) fn link(linker: &mut Linker<Guest<PolicyPart>>) -> wasmtime::Result<()> {
    Policy::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)
}

type PolicyGuest = Guest<PolicyPart>;

impl PolicyGuest {
    fn hand_out(
        &mut self,
        frame: std::sync::Arc<dyn crate::policy_host::Frame>,
    ) -> wasmtime::Result<Resource<HeldFrame>> {
        self.part.frames.hand_out(&mut self.table, frame)
    }

    fn keyframe(&mut self, kept: Keyframe) -> wasmtime::Result<observation::Keyframe> {
        Ok(observation::Keyframe {
            frame: self.hand_out(kept.frame)?,
            captured_at: kept.captured_at,
            changed: kept.changed,
            changed_fraction: kept.changed_fraction,
            semantic_distance: kept.semantic_distance,
        })
    }

    fn observation(&mut self, seen: Observation) -> wasmtime::Result<observation::Observation> {
        let keyframes = seen
            .keyframes
            .into_iter()
            .map(|kept| self.keyframe(kept))
            .collect::<Result<_, _>>()?;
        Ok(observation::Observation {
            step: seen.step,
            taken_at: seen.taken_at,
            // Last, so that a full cap gives up the oldest keyframe and not the screenshot.
            screenshot: self.hand_out(seen.screenshot)?,
            pointer: seen.pointer,
            keyframes,
            keyframes_dropped: seen.keyframes_dropped,
            recent_audio: seen.recent_audio,
            audio_context: seen.audio_context,
            remaining: seen.remaining,
        })
    }
}

impl clock::Host for PolicyGuest {
    fn now(&mut self) -> wasmtime::Result<u64> {
        self.called();
        Ok(self.part.host.now())
    }
}

impl blobs::Host for PolicyGuest {
    fn stat(&mut self, id: String) -> wasmtime::Result<Result<BlobInfo, BlobError>> {
        self.called();
        Ok(self.part.host.blob_stat(&id))
    }

    fn read(&mut self, id: String) -> wasmtime::Result<Result<Vec<u8>, BlobError>> {
        self.called();
        Ok(self.part.host.blob_read(&id))
    }
}

impl observation::Host for PolicyGuest {}

impl observation::HostFrame for PolicyGuest {
    fn captured_at(&mut self, frame: Resource<HeldFrame>) -> wasmtime::Result<u64> {
        Ok(self.table.get(&frame)?.captured_at())
    }

    fn size(&mut self, frame: Resource<HeldFrame>) -> wasmtime::Result<Size> {
        Ok(self.table.get(&frame)?.size())
    }

    async fn encode(
        &mut self,
        frame: Resource<HeldFrame>,
        encoding: Encoding,
    ) -> wasmtime::Result<Result<String, EncodeError>> {
        self.called();
        let Some(frame) = self.table.get(&frame)?.frame() else {
            return Ok(Err(EncodeError::Gone));
        };
        let encoded = self.meter.host_works(frame.encode(encoding)).await;
        if let Ok(blob) = &encoded {
            self.part.made(blob)?;
        }
        Ok(encoded)
    }

    fn drop(&mut self, frame: Resource<HeldFrame>) -> wasmtime::Result<()> {
        self.part.frames.take_back(&mut self.table, frame)
    }
}

impl action::Host for PolicyGuest {}

impl reading::Host for PolicyGuest {
    async fn read_text(
        &mut self,
        frame: Resource<HeldFrame>,
        area: Rect,
    ) -> wasmtime::Result<Result<Vec<TextLine>, ReadingError>> {
        self.called();
        let Some(frame) = self.table.get(&frame)?.frame() else {
            return Ok(Err(ReadingError::Gone));
        };
        let read = self.part.host.read_text(frame, area);
        let read = self.meter.host_works(read).await;
        let lines = read.iter().flatten().map(|line| line.text.len()).sum();
        self.part.quota.recorded(lines)?;
        Ok(read)
    }
}

impl hearing::Host for PolicyGuest {
    async fn clip(
        &mut self,
        start: u64,
        end: u64,
    ) -> wasmtime::Result<Result<String, HearingError>> {
        self.called();
        self.part.quota.recorded(0)?;
        let clip = self.part.host.clip(start, end);
        let clip = self.meter.host_works(clip).await;
        if let Ok(blob) = &clip {
            self.part.made(blob)?;
        }
        Ok(clip)
    }
}

impl model::Host for PolicyGuest {}

impl inference::Host for PolicyGuest {
    fn model(&mut self) -> wasmtime::Result<(String, Capabilities)> {
        self.called();
        Ok(self.part.host.model())
    }

    async fn submit(&mut self, request: ModelRequest) -> wasmtime::Result<u64> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.quota.made(request_size(&request))?;
        let submit = self.part.host.submit(request);
        Ok(self.meter.host_works(submit).await)
    }

    fn cancel(&mut self, call: u64) -> wasmtime::Result<()> {
        self.called();
        self.part.host.cancel(call);
        Ok(())
    }
}

impl session::Host for PolicyGuest {
    async fn observe(&mut self) -> wasmtime::Result<Result<observation::Observation, StopCause>> {
        self.called();
        let observe = self.part.host.observe();
        match self.meter.host_works(observe).await {
            Ok(seen) => {
                self.meter.step_begins();
                Ok(Ok(self.observation(seen)?))
            }
            Err(cause) => Ok(Err(cause)),
        }
    }

    fn subscribe(&mut self, on: bool) -> wasmtime::Result<()> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.host.subscribe(on);
        Ok(())
    }

    async fn next(&mut self, wait: Option<u64>) -> wasmtime::Result<session::Event> {
        self.called();
        let next = self.part.host.next(wait);
        Ok(match self.meter.host_works(next).await {
            Event::Completion(completion) => session::Event::Completion(completion),
            Event::Action(outcome) => session::Event::Action(outcome),
            Event::Keyframe(kept) => session::Event::Keyframe(self.keyframe(kept)?),
            Event::Sentence(sentence) => session::Event::Sentence(sentence),
            Event::Elapsed => session::Event::Elapsed,
            Event::Stop(cause) => session::Event::Stop(cause),
        })
    }

    async fn perform(
        &mut self,
        actions: Vec<Action>,
    ) -> wasmtime::Result<Result<Vec<u64>, PerformError>> {
        self.called();
        if actions.len() > BATCH {
            let count = u32::try_from(actions.len()).unwrap_or(u32::MAX);
            return Ok(Err(PerformError::TooMany(count)));
        }
        for action in &actions {
            self.part.quota.recorded(recorded_size(action))?;
        }
        let perform = self.part.host.perform(actions);
        Ok(self.meter.host_works(perform).await)
    }

    fn abort_actions(&mut self) -> wasmtime::Result<()> {
        self.called();
        self.part.host.abort_actions();
        Ok(())
    }
}
