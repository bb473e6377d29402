//! Tests that start the program: each of these modules has at least one that does.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/rows.rs"]
mod rows;

mod arena;
mod attack;
mod bad_input;
mod canary;
mod damage;
mod durability;
mod ends;
mod engine;
mod events;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod flood;
mod https;
mod notation;
mod open_arena;
#[cfg(unix)]
mod operating;
mod proxies;
mod readme;
mod review;
mod seats;
mod steered;
mod terminal;
mod text;
mod trilobite;
mod undo;
mod upload;
mod verify;
mod weights;
