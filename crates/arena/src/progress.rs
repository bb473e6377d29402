//! The progress bar of an arena, on stderr if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar that counts finished boards.
#[derive(Debug)]
pub struct ArenaProgress(ProgressBar);

impl ArenaProgress {
    /// A bar for the given number of boards; it is hidden unless stderr is a terminal.
    #[must_use]
    pub fn on_stderr(boards: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(boards), ProgressDrawTarget::stderr());
        let style = "{bar:32} {pos}/{len} boards, {elapsed}, {eta} to go";
        bar.set_style(ProgressStyle::with_template(style).expect("the template is valid"));
        ArenaProgress(bar)
    }

    /// A bar that is never shown.
    #[must_use]
    pub fn hidden() -> Self {
        ArenaProgress(ProgressBar::hidden())
    }

    /// Counts a finished board.
    pub(super) fn add_board(&self) {
        self.0.inc(1);
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
