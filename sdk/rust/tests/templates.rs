//! What `dynacu-host plugin new` begins in Rust, compiled natively so that the tests it comes with are run here too.

#[path = "../../../host/src/cli/plugin/templates/rust/policy/src/lib.rs"]
mod policy;

#[path = "../../../host/src/cli/plugin/templates/rust/model-adapter/src/lib.rs"]
mod model_adapter;

#[path = "../../../host/src/cli/plugin/templates/rust/scorer/src/lib.rs"]
mod scorer;
