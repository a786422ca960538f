//! One lane's desktop: display, sound server, browser, and the supervisor that ends them all.

pub mod browser;
pub mod check;
pub mod dispatcher;
pub mod display;
pub mod lane;
pub mod programs;
pub mod sound;
pub mod supervisor;
