//! The Atom feed of a browser.

use crate::secret::{Nonce, SecretHash};

/// The feed of a browser. Its token is derived from the browser's secret and the nonce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredFeed {
    pub browser: SecretHash,
    /// The hash of the token in the feed's address.
    pub token: SecretHash,
    pub nonce: Nonce,
    /// The language tag.
    pub language: String,
    /// Unix time, in milliseconds.
    pub created_ms: i64,
    /// Unix time of the last fetch, in milliseconds, to a day; that of the creation before the first one.
    pub fetched_ms: i64,
}
