//! A policy that understands nothing: it clicks everything that it can see, and types there what it has read elsewhere on
//! the screen. What it scores, a page gives away to whoever tries all that is on it.

mod sweep;

use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{
    Brief, Decision, Interrupted, Observation, PolicyError, Rect, Session, Size, StepPolicy,
    export_policy, logging,
};

use sweep::Sweep;

/// The screen is read in so many bands, one for each observation: reading all of it takes seconds.
const BANDS: u32 = 4;
/// Pixels that a band reaches into the next one, so that no line is cut by both.
const OVERLAP: u32 = 32;

struct Replayer {
    sweep: Sweep,
    screen: Size,
}

/// The part of the screen that is read at a step, counted from 1.
fn band(screen: Size, step: u32) -> Rect {
    let height = screen.height / BANDS;
    let top = step.saturating_sub(1) % BANDS * height;
    let y = i32::try_from(top).unwrap_or(0);
    Rect::new(
        0,
        y,
        screen.width,
        (height + OVERLAP).min(screen.height - top),
    )
}

impl StepPolicy for Replayer {
    type Settings = NoSettings;

    fn new(brief: &Brief, _settings: NoSettings) -> Result<Self, PolicyError> {
        Ok(Self {
            sweep: Sweep::over(brief.screen),
            screen: brief.screen,
        })
    }

    fn on_observation(
        &mut self,
        session: &mut Session,
        observation: &Observation,
    ) -> Result<Decision, Interrupted> {
        match session.read_text(&observation.screenshot, band(self.screen, observation.step)) {
            Ok(lines) => self.sweep.see(lines),
            // Without the assist it sweeps over the grid alone and types nothing.
            Err(error) => logging::log(logging::Level::Debug, &format!("reading: {error:?}")),
        }
        Ok(Decision::Act(self.sweep.batch()))
    }
}

export_policy!(Replayer);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_the_screen_in_turn() {
        let screen = Size {
            width: 1280,
            height: 720,
        };
        let bands: Vec<Rect> = (1..=5).map(|step| band(screen, step)).collect();
        assert_eq!(bands[0], Rect::new(0, 0, 1280, 212));
        assert_eq!(bands[3], Rect::new(0, 540, 1280, 180));
        assert_eq!(bands[4], bands[0]);
    }
}
