//! Screenshots and the keyframes between them.

use dynacu_sdk::{Channels, export_policy};
use mode_agent::{Mode, ModePolicy};

struct AoiVisual;

impl Mode for AoiVisual {
    const NAME: &'static str = "aoi_visual";

    fn channels() -> Channels {
        Channels::KEYFRAMES
    }
}

export_policy!(ModePolicy<AoiVisual>);
