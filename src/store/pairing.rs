//! Pairing codes, which give another device a browser's secret.

use crate::secret::SecretHash;

/// A pairing code that was not used yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredPairingCode {
    /// The browser whose secret the code gives; it has one code at most.
    pub browser: SecretHash,
    /// The hash of the code.
    pub code: SecretHash,
    /// The browser's secret, encrypted with a key that is derived from the code.
    pub secret: Vec<u8>,
    /// Unix time until which the code is valid, in milliseconds.
    pub until_ms: i64,
}
