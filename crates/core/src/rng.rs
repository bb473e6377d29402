//! Random number generators: independent ones for the deal, the dice and the agents.
//!
//! The dice of a game come from one secret seed, with an independent stream for each entry of its record: on a server
//! from HMAC blocks that can be verified after the game, elsewhere from ChaCha with 20 rounds.
//!
//! The dice of an entry depend only on the seed and the earlier entries, so a server that crashes between rolling and
//! writing rolls the same faces again. Both algorithms are fixed: every version of this program rolls the same faces
//! from the same seed.
//!
//! The types ensure that agents cannot access the dice. Dice are rolled with a [`DiceRng`], which can only be created
//! from a [`DiceSeed`]; an [`Agent`](crate::level::Agent) receives an [`AgentRng`], which is created from public data:
//! [the start of a game](agent_rng) or [a number](AgentRng::seed_from_u64). Neither can be converted to the other, so
//! this compiles:
//!
//! ```
//! use dice_of_doom_games::trilobite::Trilobite;
//! use dice_of_doom_core::level::Level;
//! use dice_of_doom_core::rng::agent_rng;
//!
//! let game = Trilobite::new(3, 3, 3)?;
//! let mut rng = agent_rng("a game", 0);
//! Level::Random.choose_action(&game, &game.empty(), &mut rng);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! and this does not:
//!
//! ```compile_fail,E0308
//! use dice_of_doom_games::trilobite::Trilobite;
//! use dice_of_doom_core::level::Level;
//! use dice_of_doom_core::rng::{dice_rng, dice_seed_from_u64};
//!
//! let game = Trilobite::new(3, 3, 3)?;
//! let mut dice = dice_rng(&dice_seed_from_u64(7), 0);
//! Level::Random.choose_action(&game, &game.empty(), &mut dice); // expected `AgentRng`, found `DiceRng`
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::convert::Infallible;
use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::rngs::{ChaCha8Rng, ChaCha20Rng};
use rand::{Rng, SeedableRng, TryRng};
use sha2::{Digest, Sha256};

/// The secret seed of all dice of one game. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DiceSeed([u8; 32]);

impl DiceSeed {
    /// Wraps seed bytes from the random generator of the operating system or from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        DiceSeed(bytes)
    }

    /// The bytes to store. They must stay secret: they predict all dice.
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

/// The generator that rolls the dice of one entry. `Debug` does not show its state.
pub struct DiceRng(DiceSource);

enum DiceSource {
    Stream(Box<ChaCha20Rng>),
    Blocks(Box<HmacByteStream>),
}

impl DiceRng {
    /// The generator whose bytes are the HMAC blocks of the messages that begin with `prefix`.
    pub(crate) fn from_hmac(seed: &DiceSeed, prefix: String) -> Self {
        DiceRng(DiceSource::Blocks(Box::new(HmacByteStream::new(
            seed, prefix,
        ))))
    }
}

/// The HMAC bytes of one roll, in blocks of 32. A message is the prefix with the line of its block.
struct HmacByteStream {
    key: Hmac<Sha256>,
    prefix: String,
    next: u32,
    block: [u8; 32],
    used: usize,
}

impl HmacByteStream {
    fn new(seed: &DiceSeed, prefix: String) -> Self {
        let key = Hmac::new_from_slice(seed.as_bytes());
        HmacByteStream {
            key: key.expect("HMAC accepts keys of any length"),
            prefix,
            next: 0,
            block: [0; 32],
            used: 32,
        }
    }

    fn byte(&mut self) -> u8 {
        if self.used == self.block.len() {
            let mut mac = self.key.clone();
            mac.update(self.prefix.as_bytes());
            mac.update(format!("block {}\n", self.next).as_bytes());
            self.block = mac.finalize().into_bytes().into();
            // A roll needs a few blocks, so the counter never reaches 2^32.
            self.next = self.next.wrapping_add(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
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

/// The generator of the random choices of agents; independent of the dice.
#[derive(PartialEq, Eq, Debug)]
pub struct AgentRng(ChaCha8Rng);

impl AgentRng {
    /// Creates the generator from a number.
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

/// The dice seed of a reproducible game, derived from a number that the user chose; the deal uses a different
/// generator.
///
/// Must not be used on a server, where the user who chose the number could predict the rolls.
#[must_use]
pub fn dice_seed_from_u64(seed: u64) -> DiceSeed {
    let digest = Sha256::new()
        .chain_update(b"dice")
        .chain_update(seed.to_be_bytes())
        .finalize();
    DiceSeed(digest.into())
}

/// The generator that rolls the dice of entry number `ply`.
#[must_use]
pub fn dice_rng(seed: &DiceSeed, ply: u32) -> DiceRng {
    let mut stream = ChaCha20Rng::from_seed(seed.0);
    stream.set_stream(u64::from(ply));
    DiceRng(DiceSource::Stream(Box::new(stream)))
}

/// The generator that deals a board from a number that the user chose.
#[must_use]
pub fn deal_rng(seed: u64) -> impl Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The generator of an agent at ply number `ply`. `game` identifies the game by public data: the notation of its start
/// position, or a seed. So the same board is always played the same way, and the generator reveals nothing about the
/// dice.
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
    fn each_ply_has_its_own_stream() {
        let seed = DiceSeed::from_bytes([7; 32]);
        let (mut third, mut again, mut fourth) =
            (dice_rng(&seed, 3), dice_rng(&seed, 3), dice_rng(&seed, 4));
        let first = third.next_u64();
        assert_eq!(first, again.next_u64());
        assert_ne!(first, fourth.next_u64());
    }

    #[test]
    fn the_generators_are_chacha_20_and_chacha_8() {
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
    fn debug_does_not_show_secrets() {
        let seed = DiceSeed::from_bytes([7; 32]);
        let shown = format!("{seed:?} {:?}", dice_rng(&seed, 0));
        assert_eq!(shown, "DiceSeed(..) Dice(..)");
    }
}
