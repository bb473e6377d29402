//! The faces of Dice of Doom.

mod book;
mod consequences;
mod course;
mod end;
mod engine;
mod flags;
pub mod json;
mod moves;
mod page;
mod since;
mod terminal;
mod words;
