//! One screenshot a step and nothing else: what most agents have.

use dynacu_sdk::{Channels, export_policy};
use mode_agent::{Mode, ModePolicy};

struct Standard;

impl Mode for Standard {
    const NAME: &'static str = "standard";

    fn channels() -> Channels {
        Channels::empty()
    }
}

export_policy!(ModePolicy<Standard>);
