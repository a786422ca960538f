//! One way to perceive, over one frame at a time.

use std::rc::Rc;

use dynacu_sdk::{Channels, Instant, ReadingError, Rect, logging};
use regex::Regex;

use crate::colour::{Picture, distance};
use crate::looks::{Reach, Searched};
use crate::memory::{Capture, Row};
use crate::reading::{Match, Page};
use crate::run::{Halt, Run};
use crate::script::{Sense, Spots};

impl Run<'_> {
    /// A sense with its placeholders filled, if the mode has what it needs. Without that a step gives up at once.
    pub(crate) fn ready(&self, sense: &Sense) -> Result<Sense<Regex>, Halt> {
        match sense {
            Sense::Hear(_) => self.need(Channels::AUDIO, "audio")?,
            Sense::Change(_) => self.need(Channels::KEYFRAMES, "keyframes")?,
            Sense::See { .. } | Sense::Colour { .. } => {}
        }
        sense.filled(|pattern| self.regex(pattern))
    }

    pub(crate) fn all_ready(&self, senses: &[Sense]) -> Result<Vec<Sense<Regex>>, Halt> {
        senses.iter().map(|sense| self.ready(sense)).collect()
    }

    fn need(&self, channel: Channels, name: &str) -> Result<(), Halt> {
        if self.session.brief().granted.contains(channel) {
            return Ok(());
        }
        Err(Halt::Failed(format!("the {name} channel is not granted")))
    }

    /// What `see` or `see-colour` finds on the next frame within reach, and when that was captured; none when no frame is
    /// left. Other senses find nothing on a frame.
    pub(crate) fn on_next(
        &mut self,
        sense: &Sense<Regex>,
        searched: &mut Searched,
        reach: Reach,
    ) -> Result<Option<(Instant, Vec<Match>)>, Halt> {
        match sense {
            Sense::See { area, text } => {
                let area = area.unwrap_or_else(|| self.screen());
                let page = self.read_next(area, searched, reach)?;
                Ok(page.map(|(captured_at, page)| (captured_at, page.search_all(text))))
            }
            Sense::Colour {
                spots,
                colour,
                off_by,
            } => self.colour_next(spots, (*colour, *off_by), searched, reach),
            Sense::Hear(_) | Sense::Change(_) => Ok(None),
        }
    }

    fn colour_next(
        &mut self,
        spots: &Spots,
        (colour, off_by): ([u8; 3], u8),
        searched: &mut Searched,
        reach: Reach,
    ) -> Result<Option<(Instant, Vec<Match>)>, Halt> {
        let areas: Vec<Rect> = spots.areas.iter().map(|(_, area)| *area).collect();
        // All frames: a change elsewhere in the crop costs little to look at.
        let screen = self.screen();
        while let Some(look) = self.looks.next(searched, screen, reach) {
            let Some(picture) = Picture::of(&look.frame, &areas).map_err(Halt::Failed)? else {
                continue;
            };
            let means: Vec<[u8; 3]> = areas.iter().map(|area| picture.mean(*area)).collect();
            let text = format!(
                "colours at {} ms: {means:02x?}",
                look.captured_at.as_millis()
            );
            logging::log(logging::Level::Debug, &text);
            let found = means
                .iter()
                .enumerate()
                .filter(|(_, mean)| distance(**mean, colour) <= off_by)
                .map(|(place, _)| spots.found(place))
                .collect();
            return Ok(Some((look.captured_at, found)));
        }
        Ok(None)
    }

    /// The first change later than `after` in one of some areas.
    pub(crate) fn change(&self, spots: &Spots, after: Instant) -> Option<(Instant, Match)> {
        let mut areas: Vec<Rect> = spots.areas.iter().map(|(_, area)| *area).collect();
        if areas.is_empty() {
            areas.push(self.screen());
        }
        let (changed_at, place) = self.looks.change_after(after, &areas)?;
        Some((changed_at, spots.found(place)))
    }

    /// What the next frame within reach shows in an area, and when it was captured; none when there is nothing new.
    pub(crate) fn read_next(
        &mut self,
        area: Rect,
        searched: &mut Searched,
        reach: Reach,
    ) -> Result<Option<(Instant, Rc<Page>)>, Halt> {
        while let Some(look) = self.looks.next(searched, area, reach) {
            let captured_at = look.captured_at;
            if let Some(page) = look.known(area) {
                return Ok(Some((captured_at, page)));
            }
            match self.session.read_text(&look.frame, area) {
                Ok(lines) => {
                    let page = look.remember(area, Page::new(lines));
                    let at = captured_at.as_millis();
                    let text = format!("read at {at} ms: {:?}", page.text());
                    logging::log(logging::Level::Debug, &text);
                    return Ok(Some((captured_at, page)));
                }
                Err(ReadingError::Gone) => {}
                Err(ReadingError::NotGranted) => {
                    return Err(Halt::Failed(
                        "the `reading` assist is not granted".to_owned(),
                    ));
                }
                Err(ReadingError::BadArea) => {
                    return Err(Halt::Failed("an area leaves the screen".to_owned()));
                }
                Err(ReadingError::Other(reason)) => return Err(Halt::Failed(reason)),
            }
        }
        Ok(None)
    }

    pub(crate) fn screen(&self) -> Rect {
        let size = self.session.brief().screen;
        Rect::new(0, 0, size.width, size.height)
    }
}

impl Spots {
    /// One of the areas as something found: its name, and its middle as the place.
    fn found(&self, place: usize) -> Match {
        let (text, at) = match self.areas.get(place) {
            Some((name, area)) => (name.clone(), Some(area.centre())),
            None => (String::new(), None),
        };
        let capture = self.name.as_ref().map(|name| {
            let text = text.clone();
            (name.clone(), Capture { text, at })
        });
        Match {
            text,
            row: capture.into_iter().collect::<Row>(),
            at,
            confidence: 1.0,
        }
    }
}
