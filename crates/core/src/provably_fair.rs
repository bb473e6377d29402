//! Provably fair dice: all rolls of a game follow from a secret that is committed to before the first roll, and from
//! entropy that the players add afterwards. The secret is revealed after the game, so that anyone can recompute every
//! die.
//!
//! The [`Commitment`] is the SHA-256 of seed and salt. The bytes of a roll come from HMAC-SHA256 (RFC 2104) with the
//! seed as key over a [message](fn@message) with the game, its deal, the entropy added before, the context of the roll,
//! and the block number. The games reject bytes from 252 on, so every face is equally likely. docs/fair-dice.md specifies
//! the message byte by byte, and independent programs compute it.
//!
//! Not here: generating, storing and revealing the secret. The deal of a board and the agents have
//! [generators](crate::rng) of their own, which do not depend on it.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::rng::{DiceRng, DiceSeed};

mod digest;
mod entropy;
mod message;

pub use digest::{HexParseError, Sha256Digest, hex, parse_hex};
pub use entropy::{
    AwaitedEntropy, EntropyInput, EntropyRejection, NO_ENTROPY, awaited_entropy, check_entropy,
    is_entropy_commitment, is_revealed_entropy,
};
use message::message_prefix;
pub use message::{RollContext, RollInput, message};

/// The random salt of a commitment, which hides the seed and makes the commitments of equal seeds different. `Debug`
/// does not show it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Salt([u8; 32]);

impl Salt {
    /// Wraps salt bytes from the random generator of the operating system or from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Salt(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(..)")
    }
}

/// The SHA-256 of seed and salt; after publishing it the seed can no longer be changed.
pub type Commitment = Sha256Digest;

/// The secret seed and salt of one game. `Debug` does not show the secrets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CommittedSeed {
    /// The HMAC key of all rolls.
    pub seed: DiceSeed,
    /// The salt of the commitment.
    pub salt: Salt,
}

impl CommittedSeed {
    /// The commitment, which is public from the start.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        let digest = Sha256::new()
            .chain_update(self.seed.as_bytes())
            .chain_update(self.salt.as_bytes())
            .finalize();
        Sha256Digest(digest.into())
    }
}

/// What is public about the dice of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiceDisclosure {
    /// No commitment exists: the game was not played on a server.
    Nothing,
    /// The game is in progress: only the commitment is public.
    Committed(Commitment),
    /// The game is over: the secret is public.
    Revealed(CommittedSeed),
}

impl DiceDisclosure {
    /// The commitment, if there is one.
    #[must_use]
    pub fn commitment(&self) -> Option<Commitment> {
        match self {
            DiceDisclosure::Nothing => None,
            DiceDisclosure::Committed(commitment) => Some(*commitment),
            DiceDisclosure::Revealed(committed) => Some(committed.commitment()),
        }
    }
}

/// The source of all dice of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameDice {
    /// A ChaCha stream for each entry, without a commitment: games without a server.
    PerEntryStreams(DiceSeed),
    /// HMAC blocks with a committed secret.
    Committed(CommittedSeed, RollContext),
}

impl GameDice {
    /// The generator that rolls the dice of a roll.
    #[must_use]
    pub fn rng_for_roll(&self, roll: &RollInput<'_>) -> DiceRng {
        match self {
            GameDice::PerEntryStreams(seed) => crate::rng::dice_rng(seed, roll.entry),
            GameDice::Committed(committed, context) => {
                debug_assert!(roll.entropy.iter().all(|input| input.entry < roll.entry));
                DiceRng::from_hmac(&committed.seed, message_prefix(context, roll))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::message::tests::{context, input, roll};
    use super::*;

    fn committed() -> CommittedSeed {
        CommittedSeed {
            seed: DiceSeed::from_bytes(std::array::from_fn(|index| index as u8)),
            salt: Salt::from_bytes([0xab; 32]),
        }
    }

    #[test]
    fn the_message_layout_never_changes() {
        // The values of docs/fair-dice.md, computed in Python with hashlib and hmac alone.
        let dice = GameDice::Committed(committed(), context());
        let entropy = [input(0, 0, "tea at five, 1987"), input(1, 2, "чай")];
        let mut bytes = [0; 40];
        dice.rng_for_roll(&roll(&entropy, 7)).fill_bytes(&mut bytes);
        assert_eq!(
            [
                committed().commitment().to_string(),
                hex(&bytes[..32]),
                hex(&bytes[32..])
            ],
            [
                "824d1063a4344ac4b4a0668cff2c692e6066c79c65c010498dd5ad0eba34d985",
                "bb177cb1bd0e09435203974ca0d23881c4d91273079c9c4775befc0d8dfacb4c",
                "46cc5303662d33a9"
            ]
        );
    }

    #[test]
    fn debug_does_not_show_secrets() {
        let dice = GameDice::Committed(committed(), context());
        let shown = format!("{dice:?} {:?}", dice.rng_for_roll(&roll(&[], 0)));
        assert!(shown.contains("DiceSeed(..)") && shown.contains("Salt(..)"));
        assert!(!shown.contains("171") && !shown.contains("ab, "), "{shown}");
    }
}
