//! The faces of Trilobite.

mod engine;
mod flags;
pub mod json;
mod page;
mod terminal;
mod words;
