//! Everything that can be perceived: screenshots, keyframes, sound.

use dynacu_sdk::{Channels, export_policy};
use mode_agent::{Mode, ModePolicy};

struct AoiFull;

impl Mode for AoiFull {
    const NAME: &'static str = "aoi_full";

    fn channels() -> Channels {
        Channels::KEYFRAMES | Channels::AUDIO
    }
}

export_policy!(ModePolicy<AoiFull>);
