//! The loop: look, ask, act.

use std::time::Duration;

use dynacu_sdk::model::{Capabilities, ModelError, Request, Response};
use dynacu_sdk::tools::{ReadCall, Tools};
use dynacu_sdk::{
    ActFailure, Action, AudioContext, Channels, Encoding, Event, Frame, Keyframe, Observation,
    PolicyError, Session, logging,
};

use crate::answer::{self, Verdict};
use crate::compose::{Composer, Turn};
use crate::memory::{Memory, Past, shortened};
use crate::scene::{News, Scene, Shot};
use crate::settings::{Settings, Transcriber};
use crate::spread::spread;
use crate::transcriber::{self, Pictures, WINDOW};

/// Steps in a row without an answer after which the run ends.
const SILENT_STEPS: u32 = 3;
/// News that interrupt one step; what comes later is in the next observation.
const INTERRUPTIONS: u32 = 3;
/// More news may follow at once: a sentence seldom comes without the change that goes with it.
const SETTLE: Duration = Duration::from_millis(300);

pub(crate) fn run(session: &mut Session, settings: &str) -> Result<(), PolicyError> {
    let settings = Settings::parse(settings).map_err(PolicyError::Settings)?;
    let (model, takes) = session.model();
    let brief = session.brief().clone();
    settings
        .check(&model, &takes, brief.granted)
        .map_err(PolicyError::Settings)?;
    session.subscribe(settings.react);
    let agent = Agent::new(session, settings, &takes);
    match agent.play() {
        Ok(()) | Err(Halt::Stopped) => Ok(()),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// Why the loop ends.
enum Halt {
    Stopped,
    Failed(PolicyError),
}

impl From<PolicyError> for Halt {
    fn from(error: PolicyError) -> Self {
        Self::Failed(error)
    }
}

/// What came of asking.
enum Asked {
    Answered(Result<Response, ModelError>),
    /// Something happened first.
    News(Vec<News>),
}

struct Agent<'a> {
    session: &'a mut Session,
    composer: Composer,
    encoding: Encoding,
    memory: Memory,
    pictures: Pictures,
    /// What the model is told of its last answer, where not all of it was done.
    told: Option<String>,
    refusals: u32,
    silent_steps: u32,
    /// How often news may still interrupt this step.
    interruptions: u32,
}

impl<'a> Agent<'a> {
    fn new(session: &'a mut Session, settings: Settings, takes: &Capabilities) -> Self {
        let brief = session.brief().clone();
        let encoding = settings.encoding();
        let tools = Tools::new(brief.screen)
            .sent_as(encoding.size_of(brief.screen))
            .on_grid(takes.coordinate_grid)
            .with_speech(brief.granted.contains(Channels::SPEECH))
            .with_notes(settings.narration);
        Self {
            session,
            encoding,
            memory: Memory::new(settings.memory_steps, settings.images_kept),
            pictures: Pictures::default(),
            told: None,
            refusals: 0,
            silent_steps: 0,
            interruptions: 0,
            composer: Composer {
                brief,
                tools,
                by_tool: takes.tools,
                max_images: takes.max_images,
                settings,
            },
        }
    }

    fn play(mut self) -> Result<(), Halt> {
        loop {
            let seen = self.session.observe().map_err(|_| Halt::Stopped)?;
            let next_look = seen.taken_at.saturating_add(self.composer.brief.pace);
            let mut scene = self.scene(&seen)?;
            drop(seen); // frees its frames on the host while the model thinks
            if self.composer.settings.transcriber == Transcriber::Model {
                self.transcribe(&mut scene)?;
            }
            let react = self.composer.settings.react;
            self.interruptions = if react { INTERRUPTIONS } else { 0 };
            let mut past = Past::of(&scene);
            self.step(&mut scene, &mut past)?;
            while self.interruptions > 0 && self.news_before(next_look, &mut scene)? {
                self.interruptions -= 1;
                self.step(&mut scene, &mut past)?;
            }
            let shown = self.composer.choose(&scene, false).keyframes;
            self.memory.keep(past, scene.pictures(&shown));
        }
    }

    /// One answer of the model to this scene, and what it asks for. What it says is kept in `past`.
    fn step(&mut self, scene: &mut Scene, past: &mut Past) -> Result<(), Halt> {
        let mut told = self.told.take();
        let mut repaired = false;
        let mut lean = false;
        let mut output_limit = self.composer.settings.max_output_tokens;
        loop {
            let choice = self.composer.choose(scene, lean);
            let turn = Turn {
                scene,
                memory: &self.memory,
                prior_actions: self.session.prior_actions(),
                told: told.as_deref(),
                lean,
                output_limit,
            };
            let request = self.composer.compose(&turn, &choice);
            let outcome = match self.ask(&request, scene.taken_at)? {
                Asked::Answered(outcome) => outcome,
                Asked::News(news) => {
                    scene.news.extend(news);
                    self.interruptions -= 1;
                    continue;
                }
            };
            match answer::judge(outcome, &self.composer.tools) {
                Verdict::Act { calls, said } => {
                    (self.refusals, self.silent_steps) = (0, 0);
                    past.say(&said);
                    past.notes
                        .extend(calls.iter().filter_map(|call| call.note.clone()));
                    return self.act(calls);
                }
                Verdict::Unusable { reason, said, cut } => {
                    logging::warn(&format!("unusable answer: {reason}"));
                    if repaired {
                        return Err(PolicyError::ModelMalformed(reason).into());
                    }
                    repaired = true;
                    if cut {
                        output_limit = output_limit.saturating_mul(2);
                    }
                    told = Some(unusable(&reason, &said));
                }
                Verdict::TooLong(why) if lean => {
                    let text = format!("even a short request is too long for the model: {why}");
                    return Err(PolicyError::Other(text).into());
                }
                Verdict::TooLong(why) => {
                    logging::warn(&format!(
                        "the request was too long, a shorter one follows: {why}"
                    ));
                    lean = true;
                }
                Verdict::Refused(why) => {
                    logging::warn(&format!("the model declined: {why}"));
                    self.refusals += 1;
                    if self.refusals > 1 {
                        return Err(PolicyError::ModelRefused(why).into());
                    }
                    return Ok(());
                }
                Verdict::NoAnswer(why) => {
                    logging::warn(&format!("no answer: {why}"));
                    self.silent_steps += 1;
                    if self.silent_steps >= SILENT_STEPS {
                        let text =
                            format!("the model gave no answer in {SILENT_STEPS} steps: {why}");
                        return Err(PolicyError::Other(text).into());
                    }
                    return Ok(());
                }
                Verdict::Hopeless(why) => {
                    let text = format!("the model cannot be asked: {why}");
                    return Err(PolicyError::Other(text).into());
                }
            }
        }
    }

    /// Does the calls of one answer in order, up to the first that fails.
    fn act(&mut self, mut calls: Vec<ReadCall>) -> Result<(), Halt> {
        let asked = calls.len();
        if !self.composer.settings.several_actions {
            calls.truncate(1);
        }
        if calls.len() < asked {
            self.told = Some(format!(
                "It asked for {asked} actions; only the first was done."
            ));
        }
        for call in &calls {
            if !call.tolerated.is_empty() {
                logging::info(&format!(
                    "read as {}: {}",
                    call.action,
                    call.tolerated.join("; ")
                ));
            }
        }
        let actions: Vec<Action> = calls.into_iter().map(|call| call.action).collect();
        let finished = actions.last() == Some(&Action::Done);
        match self.session.act(actions) {
            Err(ActFailure::Stopped(_)) => Err(Halt::Stopped),
            // What failed is among the prior actions, and the model decides what to make of it.
            Err(ActFailure::Failed { .. }) => Ok(()),
            Err(failure @ ActFailure::TooMany(_)) => {
                Err(PolicyError::Other(failure.to_string()).into())
            }
            Ok(()) if finished => {
                // The host ends the episode once what is pending has come in.
                while !matches!(self.session.next(None), Event::Stop(_)) {}
                Err(Halt::Stopped)
            }
            Ok(()) => Ok(()),
        }
    }

    fn ask(&mut self, request: &Request, since: u64) -> Result<Asked, Halt> {
        if self.interruptions == 0 {
            let outcome = self.session.ask(request);
            return match self.session.stopped() {
                Some(_) => Err(Halt::Stopped),
                None => Ok(Asked::Answered(outcome)),
            };
        }
        let call = self.session.submit(request);
        let mut news = Vec::new();
        loop {
            let wait = (!news.is_empty()).then_some(SETTLE);
            match self.session.next(wait) {
                Event::Completion(completion) if completion.call == call => {
                    return Ok(Asked::Answered(completion.outcome));
                }
                Event::Stop(_) => return Err(Halt::Stopped),
                Event::Elapsed if !news.is_empty() => {
                    self.session.cancel(call);
                    return Ok(Asked::News(news));
                }
                event => news.extend(self.news(event, since)),
            }
        }
    }

    /// Listens until it is time to look again. True where there were news to show before.
    fn news_before(&mut self, next_look: u64, scene: &mut Scene) -> Result<bool, Halt> {
        let since = scene.taken_at;
        let mut found = false;
        loop {
            let left = Duration::from_millis(next_look.saturating_sub(self.session.now()));
            let wait = if found { left.min(SETTLE) } else { left };
            match self.session.next(Some(wait)) {
                Event::Stop(_) => return Err(Halt::Stopped),
                // Too late for an answer of its own: the next observation has it.
                Event::Elapsed if wait == left => return Ok(false),
                Event::Elapsed if found => return Ok(true),
                event => {
                    let news = self.news(event, since);
                    found |= news.is_some();
                    scene.news.extend(news);
                }
            }
        }
    }

    /// An event as news, unless the observation had it already.
    fn news(&mut self, event: Event, since: u64) -> Option<News> {
        match event {
            Event::Sentence(sentence) if sentence.ended_at > since => {
                Some(News::Sentence(sentence))
            }
            Event::Keyframe(keyframe) if keyframe.captured_at > since => {
                let blob = self.encode(&keyframe.frame)?;
                let line = (&keyframe).into();
                Some(News::Keyframe { line, blob })
            }
            _ => None,
        }
    }

    fn scene(&mut self, seen: &Observation) -> Result<Scene, Halt> {
        let screenshot = self.encode(&seen.screenshot).ok_or_else(|| {
            PolicyError::Other("the host gave up the screenshot before it was encoded".to_owned())
        })?;
        let granted = self.composer.brief.granted.contains(Channels::KEYFRAMES);
        Ok(Scene {
            step: seen.step,
            taken_at: seen.taken_at,
            sent: seen.screenshot.size_as(&self.encoding),
            screenshot,
            keyframes: granted.then(|| self.shots(&seen.keyframes)),
            keyframes_dropped: seen.keyframes_dropped,
            recent_audio: seen.recent_audio.clone(),
            audio_context: seen.audio_context.clone(),
            news: Vec::new(),
        })
    }

    /// The keyframes, those that are to be shown with their pictures.
    fn shots(&mut self, keyframes: &[Keyframe]) -> Vec<Shot> {
        let most = self.composer.settings.keyframes.unwrap_or(usize::MAX);
        let shown = spread(keyframes.len(), most);
        let mut shots = Vec::with_capacity(keyframes.len());
        for (place, keyframe) in keyframes.iter().enumerate() {
            let blob = shown
                .contains(&place)
                .then(|| self.encode(&keyframe.frame))
                .flatten();
            if let Some(blob) = &blob {
                self.pictures.add(keyframe.captured_at, blob);
            }
            shots.push(Shot {
                line: keyframe.into(),
                blob,
            });
        }
        shots
    }

    fn encode(&self, frame: &Frame) -> Option<String> {
        frame
            .encode(self.encoding)
            .map_err(|error| logging::warn(&format!("a picture is missing: {error:?}")))
            .ok()
    }

    /// Replaces the host's transcript of the last 60 seconds by the model's. Where there is none the host's stays.
    fn transcribe(&mut self, scene: &mut Scene) -> Result<(), Halt> {
        let end = scene.taken_at;
        let start = self.session.now().saturating_sub(WINDOW).min(end);
        if start == end {
            return Ok(());
        }
        let clip = match self.session.clip(start, end) {
            Ok(clip) => clip,
            Err(error) => {
                logging::warn(&format!("no sound for the model to transcribe: {error:?}"));
                return Ok(());
            }
        };
        let most = self
            .composer
            .max_images
            .map_or(usize::MAX, |most| most as usize);
        let limit = self.composer.settings.max_output_tokens;
        let request = transcriber::request(&clip, start, &mut self.pictures, most, limit);
        let outcome = self.session.ask(&request);
        if self.session.stopped().is_some() {
            return Err(Halt::Stopped);
        }
        match outcome {
            Ok(response) => {
                let written = answer::said(&response);
                let context: AudioContext = transcriber::transcript(&written, start, end);
                scene.audio_context = Some(context);
            }
            Err(error) => logging::warn(&format!("the model did not transcribe: {error:?}")),
        }
        Ok(())
    }
}

/// What the model is told of an answer that could not be used.
fn unusable(reason: &str, said: &str) -> String {
    let mut told = format!("It could not be used: {reason}. Nothing of it was done; answer again.");
    if !said.trim().is_empty() {
        told.push_str(&format!("\nIt was: {}", shortened(said.trim())));
    }
    told
}
