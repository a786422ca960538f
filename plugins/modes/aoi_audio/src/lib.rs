//! Screenshots and what the speakers play.

dynacu_sdk::export_policy!(mode_agent::Agent);
