//! Screenshots and the keyframes between them.

dynacu_sdk::export_policy!(mode_agent::Agent);
