//! From a scene to a model request: system text, task, prior actions with their errors, both layers of sound, labelled
//! keyframes, and last the screenshot. Each step is a request of its own, so nothing depends on how a provider pairs
//! calls and results.

use dynacu_sdk::model::{Message, Part, Request};
use dynacu_sdk::record_text::Section;
use dynacu_sdk::tools::Tools;
use dynacu_sdk::{ActionError, BlobId, Brief, Point, PriorAction, Rect, Size};

use crate::memory::Memory;
use crate::scene::{News, Scene};
use crate::settings::Settings;
use crate::spread::spread;
use crate::words::{self, Answering};

/// Keyframes of a request that has to be short.
const LEAN_KEYFRAMES: usize = 4;

/// What is the same at every step.
pub(crate) struct Composer {
    pub(crate) brief: Brief,
    pub(crate) settings: Settings,
    pub(crate) tools: Tools,
    /// Whether the model has tools.
    pub(crate) by_tool: bool,
    /// Pictures that the model takes in one request.
    pub(crate) max_images: Option<u32>,
}

/// What is asked in one request.
pub(crate) struct Turn<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) memory: &'a Memory,
    pub(crate) prior_actions: &'a [PriorAction],
    /// What became of the model's last answer, where it was not simply done.
    pub(crate) told: Option<&'a str>,
    /// The request was too long: leave out what can be left out.
    pub(crate) lean: bool,
    pub(crate) output_limit: u32,
}

/// The pictures that fit into a request beside the screenshot.
#[derive(Debug, PartialEq)]
pub(crate) struct Choice {
    /// Places in `Scene::keyframes`.
    pub(crate) keyframes: Vec<usize>,
    /// Places in `Scene::news` of keyframes that are left out.
    news_hidden: Vec<usize>,
    /// How many earlier pictures.
    kept: usize,
}

impl Composer {
    /// What is newest goes first: the screenshot, then what came since, then the keyframes, then earlier pictures.
    pub(crate) fn choose(&self, scene: &Scene, lean: bool) -> Choice {
        let most = self.max_images.map_or(usize::MAX, |most| most as usize);
        let mut room = most.saturating_sub(1);
        let pictured_news: Vec<usize> = (0..scene.news.len())
            .filter(|&place| matches!(scene.news[place], News::Keyframe { .. }))
            .collect();
        let hidden = pictured_news.len().saturating_sub(room);
        room -= pictured_news.len() - hidden;
        let pictured = scene.pictured();
        let cap = if lean { LEAN_KEYFRAMES } else { usize::MAX };
        let keyframes: Vec<usize> = spread(pictured.len(), room.min(cap))
            .into_iter()
            .map(|place| pictured[place])
            .collect();
        room -= keyframes.len();
        Choice {
            keyframes,
            news_hidden: pictured_news[..hidden].to_vec(),
            kept: if lean {
                0
            } else {
                self.settings.images_kept.min(room)
            },
        }
    }

    pub(crate) fn compose(&self, turn: &Turn<'_>, choice: &Choice) -> Request {
        let scene = turn.scene;
        let prior: Vec<PriorAction> = turn
            .prior_actions
            .iter()
            .map(|prior| self.told(prior))
            .collect();
        let mut record = scene.record(&self.brief.instruction, &prior, &choice.keyframes);
        for line in record.keyframes.iter_mut().flatten() {
            self.place(&mut line.changed);
        }
        let text = |section| record.section(section).to_string();
        let mut parts: Vec<Part> = vec![text(Section::Task).into()];

        let from = scene
            .audio_context
            .as_ref()
            .map(|context| context.started_at);
        let earlier = if turn.lean {
            String::new()
        } else {
            turn.memory.text(from)
        };
        parts.push((text(Section::Heading) + &earlier + &text(Section::PriorActions)).into());
        if choice.kept > 0 {
            let mut heading = Some("[EARLIER PICTURES]\n");
            for (line, blob) in turn.memory.pictures(choice.kept) {
                parts.push(format!("{}{line}\n", heading.take().unwrap_or_default()).into());
                parts.push(Part::Image(blob.clone()));
            }
        }

        let heard = text(Section::AudioContext) + &text(Section::RecentAudio);
        if !heard.is_empty() {
            parts.push(heard.into());
        }
        let shots = scene.keyframes.iter().flatten();
        let mut shown = shots.enumerate().filter_map(|(place, shot)| {
            let blob = shot.blob.clone()?;
            choice.keyframes.contains(&place).then_some(blob)
        });
        illustrate(&text(Section::Keyframes), &mut shown, &mut parts);

        if let Some(told) = turn.told {
            parts.push(format!("[YOUR LAST ANSWER]\n{told}\n").into());
        }
        let mut screenshot = std::iter::once(scene.screenshot.clone());
        illustrate(&text(Section::Screenshot), &mut screenshot, &mut parts);
        since(self, scene, choice, &mut parts);

        let answering = Answering {
            tools: &self.tools,
            by_tool: self.by_tool,
            several: self.settings.several_actions,
            narration: self.settings.narration,
        };
        let system = words::system(&self.brief, scene.sent, &answering);
        let tools = if self.by_tool {
            self.tools.list()
        } else {
            Vec::new()
        };
        Request::new(vec![Message::system(system), Message::user(parts)])
            .with_tools(tools)
            .with_display(scene.sent)
            .with_output_limit(turn.output_limit)
    }
}

impl Composer {
    /// A prior action in the coordinates that the model uses.
    fn told(&self, prior: &PriorAction) -> PriorAction {
        let outcome = prior.outcome.clone().map(|outcome| {
            outcome.map_err(|error| match error {
                ActionError::OffScreen(at) => ActionError::OffScreen(self.tools.place_of(at)),
                error @ (ActionError::UnknownKey(_)
                | ActionError::ForbiddenKey(_)
                | ActionError::NotGranted(_)
                | ActionError::Invalid(_)
                | ActionError::Cancelled
                | ActionError::Other(_)) => error,
            })
        });
        PriorAction {
            action: self.tools.as_the_model_says(&prior.action),
            outcome,
            ..prior.clone()
        }
    }

    /// A box in the coordinates that the model uses.
    fn place(&self, area: &mut Rect) {
        let Rect { origin, size } = *area;
        let far = Point {
            x: origin.x.saturating_add_unsigned(size.width),
            y: origin.y.saturating_add_unsigned(size.height),
        };
        let (origin, far) = (self.tools.place_of(origin), self.tools.place_of(far));
        area.origin = origin;
        area.size = Size {
            width: far.x.abs_diff(origin.x),
            height: far.y.abs_diff(origin.y),
        };
    }
}

/// Puts each picture right after the line that names it; the lines between stay together.
fn illustrate(section: &str, pictures: &mut dyn Iterator<Item = BlobId>, parts: &mut Vec<Part>) {
    let mut text = String::new();
    for line in section.lines() {
        text.push_str(line);
        text.push('\n');
        if line.starts_with('→')
            && let Some(blob) = pictures.next()
        {
            parts.push(std::mem::take(&mut text).into());
            parts.push(Part::Image(blob));
        }
    }
    if !text.is_empty() {
        parts.push(text.into());
    }
}

/// What came after the screenshot, in the order in which it came.
fn since(composer: &Composer, scene: &Scene, choice: &Choice, parts: &mut Vec<Part>) {
    let mut text = String::new();
    for (place, news) in scene.news.iter().enumerate() {
        match news {
            News::Sentence(sentence) => {
                let start = sentence.started_at;
                text.push_str(&format!("({start}) heard: \"{}\"\n", sentence.text));
            }
            News::Keyframe { .. } if choice.news_hidden.contains(&place) => {}
            News::Keyframe { line, .. } => {
                let mut line = *line;
                composer.place(&mut line.changed);
                text.push_str(&format!("{line}\n"));
            }
        }
    }
    if text.is_empty() {
        return;
    }
    let mut pictures = scene
        .news
        .iter()
        .enumerate()
        .filter_map(|(place, news)| match news {
            News::Keyframe { blob, .. } if !choice.news_hidden.contains(&place) => {
                Some(blob.clone())
            }
            News::Sentence(_) | News::Keyframe { .. } => None,
        });
    let section = format!("[SINCE THE SCREENSHOT]\n{text}");
    illustrate(&section, &mut pictures, parts);
}

#[cfg(test)]
#[path = "compose_tests.rs"]
mod tests;
