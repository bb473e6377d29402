//! The public name of a game.

use std::fmt;
use std::str::FromStr;

use crate::provably_fair::Sha256Digest;
use crate::secret::random_bytes;

/// A game's public name: it stands in URLs and opens no seat.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GameId(String);

impl GameId {
    /// Digits and lowercase letters without `i`, `l`, `o`, `u`, which people mistake (after
    /// Crockford's base 32).
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

    /// A new id from the system's randomness: 10 characters, 50 bits. The archive refuses the odd
    /// second one of its kind with [`ArchiveError::Exists`](super::ArchiveError::Exists).
    pub fn random() -> Self {
        Self::from_chance(random_bytes())
    }

    /// The id of these bytes of chance.
    #[must_use]
    pub fn from_chance(bytes: [u8; 10]) -> Self {
        // 256 is a multiple of 32, so the low bits of a byte are as even as the byte.
        Self(
            bytes
                .map(|byte| char::from(Self::ALPHABET[usize::from(byte % 32)]))
                .iter()
                .collect(),
        )
    }

    /// The id that follows from this fingerprint: the same one for the same, 50 bits of it.
    pub fn of(fingerprint: &Sha256Digest) -> Self {
        let bytes = fingerprint.as_bytes().iter().take(10);
        let letters = bytes.map(|byte| char::from(Self::ALPHABET[usize::from(byte % 32)]));
        Self(letters.collect())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text can be no game's id.
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
    fn other_texts_are_no_game_ids() {
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
