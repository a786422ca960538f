//! The command line: one file per command.

pub mod doctor;
pub mod models;
pub mod plugin;
pub mod run;
pub mod tasks;
