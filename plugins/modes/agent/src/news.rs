//! What happens while the model thinks, and between two looks.

use dynacu_sdk::model::{ModelError, Request, Response};
use dynacu_sdk::{AskFailure, Duration, Event, Instant, StopCause};

use crate::agent::Episode;
use crate::scene::{News, Scene};

/// More news may follow at once: a sentence seldom comes without the change that goes with it.
const SETTLE: Duration = Duration::from_millis(300);

/// What came of asking.
pub(crate) enum Asked {
    Answered(Result<Response, ModelError>),
    /// Something happened first.
    News(Vec<News>),
}

impl Episode<'_> {
    pub(crate) fn ask(&mut self, request: &Request, since: Instant) -> Result<Asked, StopCause> {
        if self.interruptions == 0 {
            return match self.session.ask(request) {
                Ok(response) => Ok(Asked::Answered(Ok(response))),
                Err(AskFailure::Model(error)) => Ok(Asked::Answered(Err(error))),
                Err(AskFailure::Stopped(cause)) => Err(cause),
            };
        }
        let call = self.session.submit(request);
        let mut news = Vec::new();
        loop {
            let wait = (!news.is_empty()).then_some(SETTLE);
            match self.session.next(wait)? {
                Some(Event::Completion(completion)) if completion.call == call => {
                    return Ok(Asked::Answered(completion.outcome));
                }
                Some(event) => news.extend(self.news(event, since)),
                None if !news.is_empty() => {
                    self.session.cancel(call);
                    return Ok(Asked::News(news));
                }
                None => {}
            }
        }
    }

    /// Listens until it is time to look again. True where there were news to show before.
    pub(crate) fn news_before(
        &mut self,
        next_look: Instant,
        scene: &mut Scene,
    ) -> Result<bool, StopCause> {
        let since = scene.taken_at;
        let mut found = false;
        loop {
            let left = next_look - self.session.now();
            let wait = if found { left.min(SETTLE) } else { left };
            match self.session.next(Some(wait))? {
                // Too late for an answer of its own: the next observation has it.
                None if wait == left => return Ok(false),
                None if found => return Ok(true),
                None => {}
                Some(event) => {
                    let news = self.news(event, since);
                    found |= news.is_some();
                    scene.news.extend(news);
                }
            }
        }
    }

    /// An event as news, unless the observation had it already.
    fn news(&mut self, event: Event, since: Instant) -> Option<News> {
        match event {
            Event::Sentence(sentence) if sentence.ended_at > since => {
                Some(News::Sentence(sentence))
            }
            Event::Keyframe(keyframe) if keyframe.captured_at > since => {
                let blob = self.encode(&keyframe.frame)?;
                let line = (&keyframe).into();
                Some(News::Keyframe { line, blob })
            }
            Event::Sentence(_) | Event::Keyframe(_) | Event::Completion(_) | Event::Action(_) => {
                None
            }
        }
    }
}
