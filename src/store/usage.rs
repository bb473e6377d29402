//! The disk space that the store uses.

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StorageUsage {
    /// Bytes in use on disk.
    pub used_bytes: u64,
    /// Bytes that can still be written; `None` if unknown or if nothing is written to disk.
    pub free_bytes: Option<u64>,
}
