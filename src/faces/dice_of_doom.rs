//! The faces of Dice of Doom.

mod book;
mod consequences;
mod course;
mod end;
mod engine;
mod flags;
mod hint;
pub mod json;
mod lab;
mod moves;
mod page;
mod shapes;
mod since;
mod terminal;
mod words;
