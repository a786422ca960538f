//! The benchmark's words as types, each in one place: what a policy perceives and does.
//!
//! The WIT packages, the tools that models are offered, the record and the documents use the same names. Host, record
//! and report use these types; the SDK's own come out of the WIT packages and are turned into these by
//! [`wit_conversions!`], whose matches are exhaustive: a new action does not compile until every place knows it.
//!
//! Instants are milliseconds since the page's start signal, durations are milliseconds, points and boxes are pixels of
//! the screen with the origin at the top left.

mod action;
mod brief;
mod channel;
mod conversions;
mod geometry;
mod image;
mod kind;
mod sound;

pub use action::{Action, ActionError, MouseButton, PerformError, ScrollDirection};
pub use brief::Brief;
pub use channel::{Assist, Channel, StopCause};
pub use geometry::{Point, Rect, Size};
pub use image::{Encoding, ImageFormat, TextLine};
pub use kind::ActionKind;
pub use sound::{AudioContext, RecentAudio, Sentence};
