//! The progress of an arena: a bar on stderr where that is a terminal, else nothing.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts boards.
#[derive(Debug)]
pub struct ArenaProgress(ProgressBar);

impl ArenaProgress {
    /// A bar for so many boards; it is drawn only where stderr is a terminal.
    #[must_use]
    pub fn on_stderr(boards: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(boards), ProgressDrawTarget::stderr());
        let style = "{bar:32} {pos}/{len} boards, {elapsed}, {eta} to go";
        bar.set_style(ProgressStyle::with_template(style).expect("a template of its own"));
        ArenaProgress(bar)
    }

    /// No bar at all.
    #[must_use]
    pub fn hidden() -> Self {
        ArenaProgress(ProgressBar::hidden())
    }

    /// Counts one more finished board.
    pub(super) fn count(&self) {
        self.0.inc(1);
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
