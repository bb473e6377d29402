//! The random streams of an arena. Each stream is derived from its purpose, so that results depend neither on the order
//! in which boards are played nor on the other players.

use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use sha2::{Digest, Sha256};

use dice_of_doom_core::rng::{AgentRng, DiceRng, DiceSeed, agent_rng, dice_rng};

/// One board of an arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BoardKey {
    pub(super) seed: u64,
    pub(super) board: u32,
}

/// One game on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GameKey {
    pub(super) board: BoardKey,
    pub(super) rotation: u8,
}

impl BoardKey {
    /// The stream that deals the board.
    pub(super) fn deal_rng(self) -> ChaCha20Rng {
        ChaCha20Rng::from_seed(self.digest("arena board"))
    }

    /// The stream of the random plies that are played on the board before its games.
    pub(super) fn opening_rng(self) -> ChaCha20Rng {
        ChaCha20Rng::from_seed(self.digest("arena opening"))
    }

    /// The stream that selects the contestants of the board.
    pub(super) fn seating_rng(self) -> ChaCha20Rng {
        ChaCha20Rng::from_seed(self.digest("arena seats"))
    }

    fn digest(self, label: &str) -> [u8; 32] {
        Sha256::new()
            .chain_update(label)
            .chain_update(self.seed.to_be_bytes())
            .chain_update(self.board.to_be_bytes())
            .finalize()
            .into()
    }
}

impl GameKey {
    /// The dice of ply number `ply`.
    pub(super) fn dice_rng(self, ply: u32) -> DiceRng {
        let seed = DiceSeed::from_bytes(self.digest("arena dice"));
        dice_rng(&seed, ply)
    }

    /// The random numbers of the player that chooses ply number `ply`.
    pub(super) fn agent_rng(self, ply: u32) -> AgentRng {
        let BoardKey { seed, board } = self.board;
        agent_rng(&format!("arena {seed} {board} {}", self.rotation), ply)
    }

    fn digest(self, label: &str) -> [u8; 32] {
        let board = self.board.digest(label);
        Sha256::new()
            .chain_update(board)
            .chain_update([self.rotation])
            .finalize()
            .into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::Rng;

    use super::*;

    #[test]
    fn streams_are_distinct() {
        let mut drawn = Vec::new();
        for (seed, number) in [(1, 0), (1, 1), (2, 0)] {
            let board = BoardKey {
                seed,
                board: number,
            };
            let streams = [board.deal_rng(), board.opening_rng(), board.seating_rng()];
            drawn.extend(streams.map(|mut stream| stream.next_u64()));
            for rotation in 0..2 {
                let game = GameKey { board, rotation };
                for ply in 0..2 {
                    drawn.extend([
                        game.dice_rng(ply).next_u64(),
                        game.agent_rng(ply).next_u64(),
                    ]);
                }
            }
        }
        let different: HashSet<u64> = drawn.iter().copied().collect();
        assert_eq!(different.len(), drawn.len());
    }

    /// Reports contain their seed, so an arena with the same seed must give the same games.
    #[test]
    fn streams_are_stable() {
        let board = BoardKey { seed: 7, board: 3 };
        let game = GameKey { board, rotation: 2 };
        let drawn = [
            board.deal_rng().next_u64(),
            board.seating_rng().next_u64(),
            game.dice_rng(5).next_u64(),
            game.agent_rng(5).next_u64(),
        ];
        let expected = [
            14_232_364_400_733_788_524,
            9_603_367_874_821_865_273,
            9_988_786_130_652_043_252,
            18_241_412_719_674_926_236,
        ];
        assert_eq!(drawn, expected);
    }
}
