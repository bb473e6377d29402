//! The adapters of Dice of Doom.

mod analysis_board;
mod book_page;
mod cli;
mod end_turn_preview;
mod engine;
mod hint;
mod history;
pub mod json;
mod localization;
mod move_options;
mod page;
mod result_text;
mod schemas;
mod terminal;
mod turn_summary;
