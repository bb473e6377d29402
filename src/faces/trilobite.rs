//! The faces of Trilobite.

mod engine;
mod flags;
pub mod json;
mod terminal;
mod words;
