//! Tests that start the program: each of these modules has at least one that does.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/rows.rs"]
mod rows;

mod arena;
mod attack;
mod bad_input;
mod bots;
#[cfg(unix)]
mod configuration;
mod damage;
mod dice_manipulation;
mod durability;
mod engine;
mod engine_games;
mod events;
mod exit_codes;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod flood;
mod https;
mod notation;
mod open_arena;
mod proxies;
mod readme;
mod review;
mod seats;
mod seed_secrecy;
mod solve;
mod terminal;
mod text;
mod trilobite;
mod undo;
mod upload;
mod verify;
mod weights;
