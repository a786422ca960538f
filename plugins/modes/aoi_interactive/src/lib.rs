//! Everything that can be perceived, and a voice.

use dynacu_sdk::{Channels, export_policy};
use mode_agent::{Mode, ModePolicy};

struct AoiInteractive;

impl Mode for AoiInteractive {
    const NAME: &'static str = "aoi_interactive";

    fn channels() -> Channels {
        Channels::KEYFRAMES | Channels::AUDIO | Channels::SPEECH
    }
}

export_policy!(ModePolicy<AoiInteractive>);
