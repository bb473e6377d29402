//! The end of trust in the storage, and why.

use std::fmt::Display;
use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

/// Fires once, and keeps the first reason.
#[derive(Debug, Default)]
pub(super) struct FailureLatch {
    pub(super) token: CancellationToken,
    why: OnceLock<String>,
}

impl FailureLatch {
    /// From here on nothing is acknowledged.
    pub(super) fn because(&self, why: &impl Display) {
        let why = why.to_string();
        if self.why.set(why).is_ok() {
            tracing::error!(
                why = self.why(),
                "the archive is broken: nothing more is acknowledged"
            );
        }
        self.token.cancel();
    }

    pub(super) fn why(&self) -> Option<&str> {
        self.why.get().map(String::as_str)
    }
}
