//! Public game ids.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::day::Day;
use crate::provably_fair::Sha256Digest;
use crate::secret::random_bytes;

/// A game's public id. It appears in URLs and grants no access to a seat.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GameId(String);

impl GameId {
    /// Digits and lowercase letters without the easily confused `i`, `l`, `o`, `u` (after Crockford's base 32).
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

    /// A random id of 10 characters, 50 bits. On a collision the store returns
    /// [`StoreError::Exists`](super::StoreError::Exists).
    pub fn random() -> Self {
        Self::from_random_bytes(random_bytes())
    }

    /// An id from random bytes.
    #[must_use]
    pub fn from_random_bytes(bytes: [u8; 10]) -> Self {
        // 256 is a multiple of 32, so the low five bits are uniformly distributed.
        Self(
            bytes
                .map(|byte| char::from(Self::ALPHABET[usize::from(byte % 32)]))
                .iter()
                .collect(),
        )
    }

    /// An id derived deterministically from 50 bits of the digest.
    pub fn from_digest(fingerprint: &Sha256Digest) -> Self {
        let bytes = fingerprint.as_bytes().iter().take(10);
        let letters = bytes.map(|byte| char::from(Self::ALPHABET[usize::from(byte % 32)]));
        Self(letters.collect())
    }

    /// The id from which the dice of a day's scored games are derived.
    #[must_use]
    pub fn of_day(day: Day) -> Self {
        Self(format!("day{}", day.to_string().replace('-', "")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not a valid game id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a game id is 8 to 16 digits and lowercase letters without i, l, o, u")]
pub struct ParseGameIdError;

impl FromStr for GameId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<Self, ParseGameIdError> {
        let fits = (8..=16).contains(&text.len())
            && text.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        fits.then(|| Self(text.to_owned())).ok_or(ParseGameIdError)
    }
}

/// A list of ids as JSON.
pub(crate) fn json_ids<'a>(ids: impl IntoIterator<Item = &'a GameId>) -> String {
    Value::from_iter(ids.into_iter().map(GameId::as_str)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_ids_round_trip() {
        let id = GameId::random();
        assert_eq!(id.to_string().len(), 10);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn invalid_game_ids_are_rejected() {
        for bad in [
            "",
            "abcdefg",
            "0123456789abcdefg",
            "ABCDEFGH",
            "abcdefgi",
            "abcdefgu",
            "abcd/fgh",
            "abcdefgé",
        ] {
            assert_eq!(bad.parse::<GameId>(), Err(ParseGameIdError), "{bad:?}");
        }
        assert!("abcdefgh".parse::<GameId>().is_ok());
        assert!("0123456789abcdef".parse::<GameId>().is_ok());
    }
}
