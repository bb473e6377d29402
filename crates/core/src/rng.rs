//! Where randomness comes from: the deal, the dice and the variety of computers have a stream each.
//!
//! The dice of a game come from one secret seed, with an independent stream for each entry of its
//! record: on a server from [blocks that can be checked afterwards](crate::provably_fair), elsewhere and in
//! records of format 1 from a generator (ChaCha with 20 rounds).
//!
//! The dice of an entry depend on nothing but the seed and what stood in the record before, so a server
//! that stops between rolling and writing rolls the same faces again, and nobody gets a second roll. Both
//! ways are fixed: every version of this program rolls the same faces from the same seed.
//!
//! Computers never see the dice, and the types ensure it. What rolls is [`DiceRng`], made here from a
//! [`DiceSeed`] and nowhere else; what a [`Strategy`](crate::level::Strategy) may draw from is
//! [`AgentRng`], made from what everybody may know: [the start of a game](agent_rng) or
//! [a number](AgentRng::seed_from_u64). Neither can be made from the other, so this compiles:
//!
//! ```
//! use dice_of_doom_games::trilobite::Trilobite;
//! use dice_of_doom_core::level::Level;
//! use dice_of_doom_core::streams::level_stream;
//!
//! let game = Trilobite::new(3, 3, 3)?;
//! let mut variety = level_stream("a game", 0);
//! Level::Random.choose(&game, &game.empty(), &mut variety);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! and this does not:
//!
//! ```compile_fail,E0308
//! use dice_of_doom_games::trilobite::Trilobite;
//! use dice_of_doom_core::level::Level;
//! use dice_of_doom_core::streams::{dice_stream, repeatable_dice};
//!
//! let game = Trilobite::new(3, 3, 3)?;
//! let mut dice = dice_stream(&repeatable_dice(7), 0);
//! Level::Random.choose(&game, &game.empty(), &mut dice); // expected `AgentRng`, found `DiceRng`
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::convert::Infallible;
use std::fmt;

use rand::{SeedableRng, TryRng};
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use sha2::{Digest, Sha256};

use crate::provably_fair::HmacByteStream;

/// The secret that all faces of one game come from. `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq)]
pub struct DiceSeed([u8; 32]);

impl DiceSeed {
    /// The seed that these bytes are: drawn from the system's randomness, or read from an archive.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        DiceSeed(bytes)
    }

    /// The bytes that an archive stores. Whoever reads them can predict the dice.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for DiceSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DiceSeed(..)")
    }
}

/// What rolls for one entry. `Debug` shows none of it.
pub struct DiceRng(DiceSource);

enum DiceSource {
    Stream(Box<ChaCha20Rng>),
    Blocks(Box<HmacByteStream>),
}

impl DiceRng {
    pub(crate) fn of_blocks(blocks: HmacByteStream) -> Self {
        DiceRng(DiceSource::Blocks(Box::new(blocks)))
    }
}

impl TryRng for DiceRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        match &mut self.0 {
            DiceSource::Stream(stream) => stream.try_next_u32(),
            DiceSource::Blocks(blocks) => {
                Ok(u32::from_be_bytes(std::array::from_fn(|_| blocks.byte())))
            }
        }
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        match &mut self.0 {
            DiceSource::Stream(stream) => stream.try_next_u64(),
            DiceSource::Blocks(blocks) => {
                Ok(u64::from_be_bytes(std::array::from_fn(|_| blocks.byte())))
            }
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        match &mut self.0 {
            DiceSource::Stream(stream) => stream.try_fill_bytes(bytes),
            DiceSource::Blocks(blocks) => {
                bytes.fill_with(|| blocks.byte());
                Ok(())
            }
        }
    }
}

impl fmt::Debug for DiceRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dice(..)")
    }
}

/// The generator from which strategies take their variety; never the dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentRng(ChaCha8Rng);

impl AgentRng {
    /// The generator with this number as its seed.
    #[must_use]
    pub fn seed_from_u64(seed: u64) -> Self {
        AgentRng(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl TryRng for AgentRng {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// The dice of a whole game, repeatable from a number that a person chose; the deal has a stream of its
/// own.
///
/// Never used on a server, where whoever chose the number must not know the rolls.
#[must_use]
pub fn dice_seed_from_u64(seed: u64) -> DiceSeed {
    let digest = Sha256::new()
        .chain_update(b"dice")
        .chain_update(seed.to_be_bytes())
        .finalize();
    DiceSeed(digest.into())
}

/// The generator that rolls for entry number `ply`.
#[must_use]
pub fn dice_rng(seed: &DiceSeed, ply: u32) -> DiceRng {
    let mut stream = ChaCha20Rng::from_seed(seed.0);
    stream.set_stream(u64::from(ply));
    DiceRng(DiceSource::Stream(Box::new(stream)))
}

/// The generator that deals a board from a number that a person chose.
#[must_use]
pub fn deal_rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The generator for a computer's variety at ply number `ply`. `game` is a text that tells this game
/// from others and says nothing about its dice: the notation of its start, or a seed. So the same board
/// is played the same way, and nothing can be learnt about the dice.
#[must_use]
pub fn agent_rng(game: &str, ply: u32) -> AgentRng {
    let digest = Sha256::new()
        .chain_update(b"level")
        .chain_update(game)
        .finalize();
    let mut stream = ChaCha8Rng::from_seed(digest.into());
    stream.set_stream(u64::from(ply));
    AgentRng(stream)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn a_ply_has_its_own_stream() {
        let seed = DiceSeed::from_bytes([7; 32]);
        let (mut third, mut again, mut fourth) = (
            dice_rng(&seed, 3),
            dice_rng(&seed, 3),
            dice_rng(&seed, 4),
        );
        let first = third.next_u64();
        assert_eq!(first, again.next_u64());
        assert_ne!(first, fourth.next_u64());
    }

    #[test]
    fn the_generators_are_the_named_ones() {
        let mut plain = ChaCha20Rng::from_seed([7; 32]);
        plain.set_stream(5);
        let mut dice = dice_rng(&DiceSeed::from_bytes([7; 32]), 5);
        let mut variety = AgentRng::seed_from_u64(9);
        let mut other = ChaCha8Rng::seed_from_u64(9);
        for _ in 0..40 {
            assert_eq!(dice.next_u32(), plain.next_u32());
            assert_eq!(dice.next_u64(), plain.next_u64());
            assert_eq!(variety.next_u64(), other.next_u64());
        }
        let (mut bytes, mut others) = ([0; 99], [0; 99]);
        dice.fill_bytes(&mut bytes);
        plain.fill_bytes(&mut others);
        assert_eq!(bytes, others);
    }

    #[test]
    fn debug_shows_nothing() {
        let seed = DiceSeed::from_bytes([7; 32]);
        let shown = format!("{seed:?} {:?}", dice_rng(&seed, 0));
        assert_eq!(shown, "DiceSeed(..) Dice(..)");
    }
}
