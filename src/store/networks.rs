//! Hashes of client networks. They limit what one network adds to public counts, and cannot be traced to an address
//! once the key of their day is deleted.

use crate::day::Day;

/// The most answers to a puzzle, and results of a board of the day, that public counts take of one client network and
/// day.
pub const COUNTED_PER_NETWORK: u32 = 3;

/// The random key with which the networks of a day are hashed.
#[derive(Clone, PartialEq, Eq)]
pub struct NetworkKey {
    pub day: Day,
    pub key: [u8; 32],
}

/// The hash of a client network with the key of a day.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NetworkHash {
    pub day: Day,
    pub hash: [u8; 32],
}

impl std::fmt::Debug for NetworkKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NetworkKey({}, ..)", self.day)
    }
}
