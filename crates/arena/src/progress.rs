//! The progress of an arena on stderr: a bar if that is a terminal, and a line for each game on request.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The time between two drawings of the bar.
const REDRAW: Duration = Duration::from_millis(100);

/// A progress bar that counts finished boards, and lines for finished games.
#[derive(Debug)]
pub struct ArenaProgress {
    boards: u64,
    is_shown: bool,
    with_games: bool,
    started: Instant,
    drawn: Mutex<Drawn>,
}

/// The number of finished boards, and when the bar is due again.
#[derive(Debug)]
struct Drawn {
    finished: u64,
    due: Instant,
}

impl ArenaProgress {
    /// A bar for the given number of boards; it is hidden unless stderr is a terminal.
    #[must_use]
    pub fn on_stderr(boards: u64) -> Self {
        ArenaProgress {
            boards,
            is_shown: io::stderr().is_terminal(),
            ..ArenaProgress::hidden()
        }
    }

    /// A bar that is never shown.
    #[must_use]
    pub fn hidden() -> Self {
        let started = Instant::now();
        ArenaProgress {
            boards: 0,
            is_shown: false,
            with_games: false,
            started,
            drawn: Mutex::new(Drawn {
                finished: 0,
                due: started,
            }),
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
            let mut drawn = self.drawn.lock();
            self.write(&format!("{}\n", line()));
            // The line is where the bar was.
            drawn.due = Instant::now();
        }
    }

    /// Counts a finished board.
    pub(super) fn add_board(&self) {
        let mut drawn = self.drawn.lock();
        drawn.finished += 1;
        let now = Instant::now();
        if !self.is_shown || now < drawn.due {
            return;
        }
        drawn.due = now + REDRAW;
        let (finished, boards) = (drawn.finished, self.boards.max(drawn.finished));
        let full = usize::try_from(32 * finished / boards).unwrap_or(32);
        let elapsed = now - self.started;
        let to_go = elapsed.mul_f64((boards - finished) as f64 / finished as f64);
        self.write(&format!(
            "{:█<full$}{:░<empty$} {finished}/{boards} boards, {} s, {} s to go",
            "",
            "",
            elapsed.as_secs(),
            to_go.as_secs(),
            empty = 32 - full,
        ));
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.write("");
    }

    /// Writes in place of the bar. A closed stderr does not end the arena.
    fn write(&self, text: &str) {
        let erase = if self.is_shown { "\r\x1b[K" } else { "" };
        let _ = io::stderr().write_all(format!("{erase}{text}").as_bytes());
    }
}
