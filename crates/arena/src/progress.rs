//! The progress of an arena on stderr: a bar if that is a terminal, and a line for each game on request.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar that counts finished boards, and lines for finished games.
#[derive(Debug)]
pub struct ArenaProgress {
    bar: ProgressBar,
    with_games: bool,
}

impl ArenaProgress {
    /// A bar for the given number of boards; it is hidden unless stderr is a terminal.
    #[must_use]
    pub fn on_stderr(boards: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(boards), ProgressDrawTarget::stderr());
        let style = "{bar:32} {pos}/{len} boards, {elapsed}, {eta} to go";
        bar.set_style(ProgressStyle::with_template(style).expect("the template is valid"));
        ArenaProgress {
            bar,
            with_games: false,
        }
    }

    /// A bar that is never shown.
    #[must_use]
    pub fn hidden() -> Self {
        ArenaProgress {
            bar: ProgressBar::hidden(),
            with_games: false,
        }
    }

    /// Writes a line for each finished game on stderr, too, even if that is no terminal.
    #[must_use]
    pub fn with_games(mut self) -> Self {
        self.with_games = true;
        self
    }

    /// Reports a finished game.
    pub(super) fn add_game(&self, line: impl FnOnce() -> String) {
        if self.with_games {
            let line = format!("{}\n", line());
            // A closed stderr does not end the arena.
            self.bar
                .suspend(|| drop(io::stderr().write_all(line.as_bytes())));
        }
    }

    /// Counts a finished board.
    pub(super) fn add_board(&self) {
        self.bar.inc(1);
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
