//! Tests of the lab's commands as child processes. Some also need the program `dice-of-doom`: `cargo test --workspace`
//! builds both.

#![allow(clippy::unwrap_used, reason = "test helpers may fail like tests")]

#[path = "../../../../tests/common/mod.rs"]
mod common;
mod ladder;
mod load;
mod train;

use std::process::Command;

/// Runs the lab without the variable `DATABASE_URL`.
fn lab() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dice-of-doom-lab"));
    command.env_remove("DATABASE_URL");
    command
}

#[test]
fn options_and_environment_variables() {
    let games = dice_of_doom::game_adapters::Registry::builtin();
    let command = dice_of_doom_lab::cli::LabCli::command(&games);
    common::pinned::check_unchanged("lab-options.txt", &common::pinned::list_options(&command));
}
