//! Everything that can be perceived, and a voice.

dynacu_sdk::export_policy!(mode_agent::Agent);
