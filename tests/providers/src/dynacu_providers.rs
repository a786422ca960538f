//! Servers on the loopback that stand where a model provider would: they check a request as strictly as the real one and
//! answer by a script.
//!
//! Their use is to show, without a key and without a model, that an adapter's requests would be accepted: what the real
//! server would reject is rejected here, in the provider's own form, and remembered, so that a test fails loudly.
//! Which fields there are comes from schemas that are made from the providers' SDKs (`schemas/`); the rules beside it come from
//! the documentation of November 2026.

mod answering;
mod anthropic;
mod exchange;
mod gemini;
mod http;
mod issued;
mod media;
mod neutral;
mod node;
mod openai;
mod payload;
mod problem;
mod protocol;
mod schema;
mod script;
mod server;
mod structure;

pub use exchange::{Exchange, Outcome};
pub use neutral::NeutralRequest;
pub use protocol::Provider;
pub use script::{Script, ScriptError};
pub use server::{Options, Server, ServerError};
