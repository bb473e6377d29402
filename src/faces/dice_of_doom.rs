//! The faces of Dice of Doom.

mod engine;
mod flags;
pub mod json;
mod terminal;
mod words;
