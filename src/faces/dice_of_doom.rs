//! The faces of Dice of Doom.

mod book;
mod consequences;
mod engine;
mod flags;
pub mod json;
mod moves;
mod page;
mod since;
mod terminal;
mod words;
