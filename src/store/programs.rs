//! Programs with an identity of their own, as they are kept.

use std::fmt;
use std::str::FromStr;

use super::{GameId, ParseGameIdError};
use crate::secret::SecretHash;

/// What addresses name a program by. It is no secret.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProgramId(GameId);

impl ProgramId {
    /// A new id from the system's randomness.
    #[must_use]
    pub fn random() -> Self {
        ProgramId(GameId::random())
    }

    /// The id's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for ProgramId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ProgramId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<Self, ParseGameIdError> {
        text.parse().map(ProgramId)
    }
}

/// A program with an identity of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisteredProgram {
    /// What addresses name it by.
    pub id: ProgramId,
    /// What it is called.
    pub name: String,
    /// The hash of the token that opens all its seats.
    pub token: SecretHash,
    /// The game that people who open its link play against it, with its numbers (JSON).
    pub plays: String,
    /// When it got its identity, in milliseconds since 1970.
    pub created_ms: i64,
}
