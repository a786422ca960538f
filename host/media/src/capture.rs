//! What the desktop shows and plays, with the time at which it did.

pub(crate) mod audio;
pub mod flac;
pub(crate) mod ring;
pub mod screen;
pub mod timebase;
pub mod wav;
