//! The faces of Dice of Doom.

mod engine;
pub mod json;
mod words;
