//! The authors' kit: what a person who writes a task tries it with. It stands above the suite, because it runs episodes;
//! nothing but the command line uses it.

pub mod gate;
pub mod lint;
pub mod marked;
pub mod play;
pub mod sheet;
