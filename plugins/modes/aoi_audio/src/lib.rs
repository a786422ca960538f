//! Screenshots and what the speakers play.

use dynacu_sdk::{Channels, export_policy};
use mode_agent::{Mode, ModePolicy};

struct AoiAudio;

impl Mode for AoiAudio {
    const NAME: &'static str = "aoi_audio";

    fn channels() -> Channels {
        Channels::AUDIO
    }
}

export_policy!(ModePolicy<AoiAudio>);
