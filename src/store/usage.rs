//! The disk space that the store uses.

/// How much the archive takes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StorageUsage {
    /// Bytes in use on the disk.
    pub used_bytes: u64,
    /// Bytes that may still be written; `None` where nobody knows, or nothing is written.
    pub free_bytes: Option<u64>,
}
