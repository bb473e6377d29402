//! The hash of an entry with all entries before it, as it is stored; how it is computed is in [`super::hash_chain`].

/// The first 16 bytes of a SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChainHash([u8; 16]);

impl ChainHash {
    pub(super) const fn from_bytes(bytes: [u8; 16]) -> Self {
        ChainHash(bytes)
    }

    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}
