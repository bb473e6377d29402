//! The faces of Trilobite.

mod engine;
mod flags;
mod hint;
pub mod json;
mod lab;
mod page;
mod shapes;
mod terminal;
mod words;
