//! Records a permanent failure of the storage.

use std::fmt::Display;
use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

/// Cancels its token once and stores the first reason.
#[derive(Debug, Default)]
pub(super) struct FailureLatch {
    pub(super) token: CancellationToken,
    why: OnceLock<String>,
}

impl FailureLatch {
    /// Records a permanent failure: from now on no write is acknowledged.
    pub(super) fn set(&self, why: &impl Display) {
        let why = why.to_string();
        if self.why.set(why).is_ok() {
            tracing::error!(
                why = self.reason(),
                "the store has failed permanently: no more writes are acknowledged"
            );
        }
        self.token.cancel();
    }

    pub(super) fn reason(&self) -> Option<&str> {
        self.why.get().map(String::as_str)
    }
}
