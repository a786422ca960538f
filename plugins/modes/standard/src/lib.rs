//! One screenshot a step and nothing else: what most agents have.

dynacu_sdk::export_policy!(mode_agent::Agent);
