//! Who sits at each board, and who plays whom in its rotations.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::Contestant;
use super::rng_keys::BoardKey;
use dice_of_doom_core::game::Player;

/// Who sits at the boards of an arena.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seating {
    /// The same contestants at every board, one for each seat.
    Fixed(Vec<Contestant>),
    /// Some of these contestants for every board, drawn by the arena's seed. Nobody sits twice at a board
    /// while there are enough of them.
    Drawn(Vec<Contestant>),
}

impl Seating {
    /// The contestants: each of them once, in the order they were named.
    #[must_use]
    pub fn contestants(&self) -> Vec<Contestant> {
        let (Seating::Fixed(all) | Seating::Drawn(all)) = self;
        let mut once = Vec::new();
        for contestant in all {
            if !once.contains(contestant) {
                once.push(contestant.clone());
            }
        }
        once
    }

    /// One contestant for each seat of a board.
    pub(super) fn seats_for_board(&self, key: BoardKey, players: u8) -> Vec<Contestant> {
        match self {
            Seating::Fixed(seats) => seats.clone(),
            Seating::Drawn(all) => {
                let mut order = all.clone();
                order.shuffle(&mut key.seats());
                let seats = order.iter().cloned().cycle();
                seats.take(usize::from(players)).collect()
            }
        }
    }
}

/// The seat of a player in a rotation: over all rotations every seat plays every player once.
///
/// ```
/// use dice_of_doom_arena::seat_of;
/// use dice_of_doom_core::game::Player;
///
/// let second = Player::new(1);
/// let seats = [0, 1, 2].map(|rotation| seat_of(second, rotation, 3));
/// assert_eq!(seats, [1, 2, 0]);
/// ```
#[must_use]
pub fn seat_of(player: Player, rotation: u8, players: u8) -> usize {
    usize::from((player.number() + rotation) % players)
}
