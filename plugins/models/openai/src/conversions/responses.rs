//! The Responses protocol.

mod answer;
mod computer;
mod request;

pub use answer::answer;
pub use request::request;
