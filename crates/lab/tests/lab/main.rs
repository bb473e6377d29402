//! Tests of the lab's commands as child processes. Some also need the program `dice-of-doom`: `cargo test --workspace`
//! builds both.

#![allow(clippy::unwrap_used, reason = "test helpers may fail like tests")]

mod book;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod ladder;
mod load;
mod train;

use std::path::Path;
use std::process::{Command, Output};

/// Runs the lab without the variable `DATABASE_URL`.
fn lab() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dice-of-doom-lab"));
    command.env_remove("DATABASE_URL");
    command
}

/// Runs the lab with these arguments in a folder.
fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = lab();
    command.current_dir(folder).args(arguments.split(' '));
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Checks that the lab exits with this code and prints this message.
#[track_caller]
fn check_failure(folder: &Path, arguments: &str, code: i32, message: &str) {
    let output = run(folder, arguments);
    let stderr = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {stderr}");
    assert!(stderr.contains(message), "{arguments}: {stderr}");
}

#[test]
fn options_and_environment_variables() {
    let games = dice_of_doom::games::Registry::builtin();
    let command = dice_of_doom_lab::cli::LabCli::command(&games);
    common::pinned::check_unchanged("lab-options.txt", &common::pinned::list_options(&command));
}
