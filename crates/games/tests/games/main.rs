//! Integration tests of the games and their agents.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../contract/mod.rs"]
mod contract;
#[path = "../../../../tests/common/rows.rs"]
mod rows;

mod evaluator;
mod golden;
mod laws;
mod levels_dice;
mod levels_trilobite;
mod move_analysis;
mod nnue;
mod opening_book;
mod opponent_models;
mod oracle;
mod packed;
mod puct;
mod review;
mod search;
mod solver;
