//! The faces of Dice of Doom.

mod book;
mod engine;
mod flags;
pub mod json;
mod moves;
mod page;
mod terminal;
mod words;
