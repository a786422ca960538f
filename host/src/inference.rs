//! Asking models: which adapter answers, by which way out, how often, and for how much.
//!
//! A policy hands in a neutral request ([`calls`]); an adapter, in a fresh guest for each [`attempt`], makes one
//! provider's HTTP request of it; [`egress`] lets it out, with secrets that the guest never sees; [`status`] and [`retry`]
//! judge what came back; [`exchange`] writes it down. The weights that the host itself uses are in [`crate::weights`].

pub mod account;
pub mod allotment;
pub mod attempt;
pub mod budget;
pub mod calls;
pub mod egress;
pub mod exchange;
pub mod floor;
pub mod media;
pub mod ping;
pub mod prices;
pub mod provider;
pub mod retry;
pub mod seal;
pub mod status;
