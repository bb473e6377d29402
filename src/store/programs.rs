//! Registered programs.

use std::fmt;
use std::str::FromStr;

use super::{GameId, ParseGameIdError};
use crate::secret::SecretHash;

/// The public id of a program, used in URLs. It is not a secret.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProgramId(GameId);

impl ProgramId {
    #[must_use]
    pub fn random() -> Self {
        ProgramId(GameId::random())
    }

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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisteredProgram {
    pub id: ProgramId,
    pub name: String,
    /// The hash of the token that authenticates it.
    pub token: SecretHash,
    /// The game type and parameters (JSON) that people who open its link play against it.
    pub game: String,
    /// Unix time of its registration, in milliseconds.
    pub created_ms: i64,
}
