//! The policy world's imports, answered by a [`PolicyHost`].
//!
//! This is the border between the interface's generated types and the vocabulary's; `to_guest` has the ways out.

use wasmtime::component::{HasSelf, Linker, Resource};

use crate::bindings::model_adapter::dynacu::host::blobs;
use crate::bindings::model_adapter::dynacu::model::types as model;
use crate::bindings::policy::Policy;
use crate::bindings::policy::dynacu::assist::{reading, solution};
use crate::bindings::policy::dynacu::environment::{action, hearing, observation};
use crate::bindings::policy::dynacu::host::clock;
use crate::bindings::policy::dynacu::model::inference;
use crate::bindings::policy::dynacu::policy::session;
use crate::frames::{FrameOrder, HeldFrame};
use crate::guest::{Guest, Part};
use crate::limits::Limits;
use crate::policy_host::{Keyframe, Observation, PolicyHost, SessionEvent};
use crate::quota::{Quota, reading_size, recorded_size, request_size};
use crate::to_guest;
use crate::types::{
    Action, BlobError, BlobId, BlobInfo, Capabilities, Duration, EncodeError, HearingError,
    Instant, Level, ModelRequest, PerformError, ReadingError, SolutionError,
};
use crate::wasi::EpisodeClock;
use crate::work::Work;

/// More actions in one batch are refused.
const BATCH: usize = 64;

/// A policy's part of its store.
pub(crate) struct PolicyPart {
    host: Box<dyn PolicyHost>,
    frames: FrameOrder,
    clock: EpisodeClock,
    quota: Quota,
    work: Work,
}

impl PolicyPart {
    pub(crate) fn new(host: Box<dyn PolicyHost>, clock: EpisodeClock, limits: &Limits) -> Self {
        Self {
            host,
            frames: FrameOrder::default(),
            clock,
            quota: Quota::new(limits),
            work: Work::new(limits),
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
        let readings = self.clock.take_readings();
        if !readings.is_empty() {
            self.host.clock_was_read(readings);
        }
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
            captured_at: Instant::at(kept.captured_at),
            changed: to_guest::rect(kept.changed),
            changed_fraction: kept.changed_fraction,
            semantic_distance: kept.semantic_distance,
        })
    }

    fn observation(&mut self, observed: Observation) -> wasmtime::Result<observation::Observation> {
        let keyframes = observed
            .keyframes
            .into_iter()
            .map(|kept| self.keyframe(kept))
            .collect::<Result<_, _>>()?;
        Ok(observation::Observation {
            step: observed.step,
            taken_at: Instant::at(observed.taken_at),
            // Last, so that a full cap gives up the oldest keyframe and not the screenshot.
            screenshot: self.hand_out(observed.screenshot)?,
            pointer: observed.pointer.into(),
            keyframes,
            keyframes_dropped: observed.keyframes_dropped,
            recent_audio: observed.recent_audio.map(to_guest::recent_audio),
            audio_context: observed.audio_context.map(to_guest::audio_context),
            remaining: Duration::of(observed.remaining_ms),
        })
    }
}

impl clock::Host for PolicyGuest {
    fn now(&mut self) -> wasmtime::Result<Instant> {
        // Not `called`: that writes the readings so far, and a guest that watches the clock must not fill the record.
        self.meter.host_was_called();
        self.part.clock.set(self.part.host.now());
        Ok(Instant::at(self.part.clock.read_millis()))
    }
}

impl blobs::Host for PolicyGuest {
    fn stat(&mut self, id: BlobId) -> wasmtime::Result<Result<BlobInfo, BlobError>> {
        self.called();
        self.part.quota.recorded(0)?;
        Ok(self.part.host.blob_stat(&id.sha256))
    }

    fn read(&mut self, id: BlobId) -> wasmtime::Result<Result<Vec<u8>, BlobError>> {
        self.called();
        self.part.quota.recorded(0)?;
        Ok(self.part.host.blob_read(&id.sha256))
    }
}

impl observation::Host for PolicyGuest {}

impl observation::HostFrame for PolicyGuest {
    fn captured_at(&mut self, frame: Resource<HeldFrame>) -> wasmtime::Result<Instant> {
        Ok(Instant::at(self.table.get(&frame)?.captured_at()))
    }

    fn size(&mut self, frame: Resource<HeldFrame>) -> wasmtime::Result<observation::Size> {
        Ok(to_guest::size(self.table.get(&frame)?.size()))
    }

    async fn encode(
        &mut self,
        frame: Resource<HeldFrame>,
        encoding: observation::Encoding,
    ) -> wasmtime::Result<Result<BlobId, EncodeError>> {
        self.called();
        self.part.quota.recorded(0)?;
        let Some(frame) = self.table.get(&frame)?.frame() else {
            return Ok(Err(EncodeError::Gone));
        };
        let encoding = to_guest::encoding_back(encoding);
        let (at, size) = (frame.captured_at(), frame.size());
        self.part.work.picture(at, size, &encoding)?;
        let encode = self.part.host.encode(frame, encoding);
        let encoded = self.meter.host_works(encode).await;
        if let Ok(blob) = &encoded {
            self.part.made(blob)?;
        }
        Ok(encoded.map(BlobId::from))
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
        area: observation::Rect,
    ) -> wasmtime::Result<Result<Vec<reading::TextLine>, ReadingError>> {
        self.called();
        let Some(frame) = self.table.get(&frame)?.frame() else {
            return Ok(Err(ReadingError::Gone));
        };
        let area = to_guest::rect_back(area);
        self.part.work.reading(frame.size(), area)?;
        let read = self.part.host.read_text(frame, area);
        let read = self.meter.host_works(read).await;
        let size = read.iter().flatten().map(reading_size).sum();
        self.part.quota.recorded(size)?;
        Ok(read.map(|lines| lines.into_iter().map(to_guest::text_line).collect()))
    }
}

impl solution::Host for PolicyGuest {
    fn script(&mut self) -> wasmtime::Result<Result<Option<String>, SolutionError>> {
        self.called();
        let script = self.part.host.solution();
        let size = script.iter().flatten().map(String::len).sum();
        self.part.quota.recorded(size)?;
        Ok(script)
    }
}

impl hearing::Host for PolicyGuest {
    async fn clip(
        &mut self,
        start: Instant,
        end: Instant,
    ) -> wasmtime::Result<Result<BlobId, HearingError>> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.work.clip(start.milliseconds, end.milliseconds)?;
        let clip = self.part.host.clip(start.milliseconds, end.milliseconds);
        let clip = self.meter.host_works(clip).await;
        if let Ok(blob) = &clip {
            self.part.made(blob)?;
        }
        Ok(clip.map(BlobId::from))
    }
}

impl model::Host for PolicyGuest {}

impl inference::Host for PolicyGuest {
    fn model(&mut self) -> wasmtime::Result<(String, Capabilities)> {
        self.called();
        self.part.quota.recorded(0)?;
        Ok(self.part.host.model())
    }

    async fn submit(&mut self, request: ModelRequest) -> wasmtime::Result<inference::CallId> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.quota.made(request_size(&request))?;
        let submit = self.part.host.submit(request);
        let number = self.meter.host_works(submit).await;
        Ok(inference::CallId { number })
    }

    fn cancel(&mut self, call: inference::CallId) -> wasmtime::Result<()> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.host.cancel(call.number);
        Ok(())
    }
}

impl session::Host for PolicyGuest {
    async fn observe(
        &mut self,
    ) -> wasmtime::Result<Result<observation::Observation, session::StopCause>> {
        self.called();
        let observe = self.part.host.observe();
        match self.meter.host_works(observe).await {
            Ok(observed) => {
                self.meter.step_begins();
                self.part.work.step_begins();
                Ok(Ok(self.observation(observed)?))
            }
            Err(cause) => Ok(Err(to_guest::stop_cause(cause))),
        }
    }

    fn subscribe(&mut self, on: bool) -> wasmtime::Result<()> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.host.subscribe(on);
        Ok(())
    }

    async fn next(
        &mut self,
        wait: Option<Duration>,
    ) -> wasmtime::Result<Result<Option<session::Event>, session::StopCause>> {
        self.called();
        self.part.quota.recorded(0)?;
        let next = self.part.host.next(wait.map(|wait| wait.milliseconds));
        let event = match self.meter.host_works(next).await {
            Ok(event) => event,
            Err(cause) => return Ok(Err(to_guest::stop_cause(cause))),
        };
        let event = event.map(|event| {
            Ok::<_, wasmtime::Error>(match event {
                SessionEvent::Completion(completion) => {
                    session::Event::Completion(to_guest::completion(completion))
                }
                SessionEvent::Action(outcome) => {
                    session::Event::Action(to_guest::action_outcome(outcome))
                }
                SessionEvent::Keyframe(kept) => session::Event::Keyframe(self.keyframe(kept)?),
                SessionEvent::Sentence(sentence) => {
                    session::Event::Sentence(to_guest::sentence(sentence))
                }
            })
        });
        Ok(Ok(event.transpose()?))
    }

    async fn perform(
        &mut self,
        actions: Vec<action::Action>,
    ) -> wasmtime::Result<Result<Vec<session::ActionId>, session::PerformError>> {
        self.called();
        if actions.len() > BATCH {
            self.part.quota.recorded(0)?;
            let count = u32::try_from(actions.len()).unwrap_or(u32::MAX);
            let error = PerformError::TooMany { count };
            self.part.host.refused(&error);
            return Ok(Err(to_guest::perform_error(error)));
        }
        let actions: Vec<Action> = actions.into_iter().map(Action::from).collect();
        for action in &actions {
            self.part.quota.recorded(recorded_size(action))?;
            self.part.work.action(action)?;
        }
        let perform = self.part.host.perform(actions);
        let performed = self.meter.host_works(perform).await;
        Ok(performed
            .map(|ids| {
                ids.into_iter()
                    .map(|number| session::ActionId { number })
                    .collect()
            })
            .map_err(to_guest::perform_error))
    }

    fn abort_actions(&mut self) -> wasmtime::Result<()> {
        self.called();
        self.part.quota.recorded(0)?;
        self.part.host.abort_actions();
        Ok(())
    }
}
