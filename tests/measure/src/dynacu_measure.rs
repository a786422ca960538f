//! What perception, speech and plugins cost and how right they are, on this machine.
//!
//! Nothing here is a second desktop: pages are served, watched, heard and spoken to by the parts that run episodes, and a
//! figure is what those parts, or the page itself, say about it.

pub mod accuracy;
pub mod bed;
pub mod budget;
pub mod conversation;
pub mod document;
pub mod gate_tables;
pub mod gates;
pub mod mixing;
pub mod noise;
pub mod perception;
pub mod plugins;
pub mod processes;
pub mod report;
pub mod scene;
pub mod speech;
pub mod talk;
pub mod wall;
pub mod words;
