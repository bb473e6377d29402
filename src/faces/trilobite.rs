//! The faces of Trilobite.

mod engine;
pub mod json;
mod words;
