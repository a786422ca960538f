//! Everything that can be perceived: screenshots, keyframes, sound.

dynacu_sdk::export_policy!(mode_agent::Agent);
