//! What happens while the model thinks, and between two looks.

use std::time::Duration;

use dynacu_sdk::Event;
use dynacu_sdk::model::{ModelError, Request, Response};

use crate::agent::{Agent, Halt};
use crate::scene::{News, Scene};

/// More news may follow at once: a sentence seldom comes without the change that goes with it.
const SETTLE: Duration = Duration::from_millis(300);

/// What came of asking.
pub(crate) enum Asked {
    Answered(Result<Response, ModelError>),
    /// Something happened first.
    News(Vec<News>),
}

impl Agent<'_> {
    pub(crate) fn ask(&mut self, request: &Request, since: u64) -> Result<Asked, Halt> {
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
    pub(crate) fn news_before(&mut self, next_look: u64, scene: &mut Scene) -> Result<bool, Halt> {
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
}
