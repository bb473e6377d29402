//! The adapters of Trilobite.

mod analysis_board;
mod cli;
mod engine;
mod hint;
pub mod json;
mod localization;
mod page;
mod schemas;
mod terminal;
