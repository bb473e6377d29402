//! Where randomness comes from: the deal, the dice and the variety of computers, each its own stream.
//!
//! The dice of a game: one secret seed a game, one independent stream a ply.
//!
//! The stream of a ply depends on nothing but the seed and the ply's number, so a server that stops
//! between rolling and writing rolls the same faces again, and nobody can ask twice. The generator is
//! named (ChaCha with 20 rounds): faces replay on every version of this program. Computers never see
//! these streams; they get [`level_stream`].

use rand::SeedableRng;
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use sha2::{Digest, Sha256};

/// The secret that all faces of one game come from.
pub type DiceSeed = [u8; 32];

/// The dice of a whole game that a person's number repeats, apart from its deal.
///
/// Never on a server: there whoever chose the number must not know the rolls.
#[must_use]
pub fn repeatable_dice(seed: u64) -> DiceSeed {
    Sha256::new()
        .chain_update(b"dice")
        .chain_update(seed.to_be_bytes())
        .finalize()
        .into()
}

/// The generator that rolls for ply number `ply`.
#[must_use]
pub fn dice_stream(seed: &DiceSeed, ply: u32) -> ChaCha20Rng {
    let mut stream = ChaCha20Rng::from_seed(*seed);
    stream.set_stream(u64::from(ply));
    stream
}

/// The generator that deals a board from a number that a person chose.
#[must_use]
pub fn deal_stream(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The generator for a computer's variety at ply number `ply`: from the start of the game alone, so
/// that the same board gives the same play, and nothing can be learnt about the dice.
#[must_use]
pub fn level_stream(start: &str, ply: u32) -> ChaCha8Rng {
    let digest = Sha256::new()
        .chain_update(b"level")
        .chain_update(start)
        .finalize();
    let mut stream = ChaCha8Rng::from_seed(digest.into());
    stream.set_stream(u64::from(ply));
    stream
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn a_ply_has_its_own_stream() {
        let seed = [7; 32];
        let (mut third, mut again, mut fourth) = (
            dice_stream(&seed, 3),
            dice_stream(&seed, 3),
            dice_stream(&seed, 4),
        );
        let first = third.next_u64();
        assert_eq!(first, again.next_u64());
        assert_ne!(first, fourth.next_u64());
    }
}
