//! The loop: look, ask, act.

use dynacu_sdk::model::Capabilities;
use dynacu_sdk::tools::{ReadCall, Tools};
use dynacu_sdk::{
    ActFailure, Action, Channels, Encoding, Interrupted, PolicyError, Session, logging,
};

use crate::answer::{self, Verdict};
use crate::compose::{Composer, Turn};
use crate::memory::{Memory, Past, shortened};
use crate::news::Asked;
use crate::scene::Scene;
use crate::settings::{Settings, Transcriber};
use crate::transcriber::Pictures;

/// Steps in a row without an answer after which the run ends.
const SILENT_STEPS: u32 = 3;
/// News that interrupt one step; what comes later is in the next observation.
const INTERRUPTIONS: u32 = 3;

pub(crate) fn run(session: &mut Session, settings: Settings) -> Result<(), Interrupted> {
    let (model, takes) = session.model();
    settings
        .check(&model, &takes, session.brief().granted)
        .map_err(PolicyError::Settings)?;
    session.subscribe(settings.react);
    Episode::new(session, settings, &takes).play()
}

/// One episode as it is played.
pub(crate) struct Episode<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) composer: Composer,
    pub(crate) encoding: Encoding,
    memory: Memory,
    pub(crate) pictures: Pictures,
    /// What the model is told of its last answer, where not all of it was done.
    told: Option<String>,
    refusals: u32,
    silent_steps: u32,
    /// How often news may still interrupt this step.
    pub(crate) interruptions: u32,
}

impl<'a> Episode<'a> {
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

    fn play(mut self) -> Result<(), Interrupted> {
        loop {
            let seen = self.session.observe()?;
            let next_look = seen.taken_at + self.composer.brief.pace;
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
    fn step(&mut self, scene: &mut Scene, past: &mut Past) -> Result<(), Interrupted> {
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
    fn act(&mut self, mut calls: Vec<ReadCall>) -> Result<(), Interrupted> {
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
            // What failed is among the prior actions, and the model decides what to make of it.
            Err(ActFailure::Failed { .. }) => Ok(()),
            Err(end) => Err(end.into()),
            // The host ends the episode once what is pending has come in.
            Ok(()) if finished => Err(self.session.wait_for_end().into()),
            Ok(()) => Ok(()),
        }
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
