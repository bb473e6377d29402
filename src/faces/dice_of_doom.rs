//! The faces of Dice of Doom.

mod book;
mod course;
mod end;
mod engine;
mod flags;
pub mod json;
mod moves;
mod page;
mod terminal;
mod words;
