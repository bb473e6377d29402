//! How far an arena is: a bar on a terminal's stderr, nothing in pipes.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts boards.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar for so many boards; it is seen only where stderr is a terminal.
    #[must_use]
    pub fn on_stderr(boards: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(boards), ProgressDrawTarget::stderr());
        let style = "{bar:32} {pos}/{len} boards, {elapsed}, {eta} to go";
        bar.set_style(ProgressStyle::with_template(style).expect("a template of its own"));
        Progress(bar)
    }

    /// No bar at all.
    #[must_use]
    pub fn hidden() -> Self {
        Progress(ProgressBar::hidden())
    }

    /// One board more is known.
    pub(super) fn count(&self) {
        self.0.inc(1);
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
