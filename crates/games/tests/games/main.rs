//! The games and what plays them, tested from outside: a module for each question.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../contract/mod.rs"]
mod contract;
#[path = "../../../../tests/common/rows.rs"]
mod rows;

mod forecast;
mod golden;
mod laws;
mod levels_dice;
mod levels_trilobite;
mod net;
mod opponents;
mod oracle;
mod packed;
mod puct;
mod review;
mod search;
mod solver;
mod weighing;
