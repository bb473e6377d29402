//! Which contestants sit at each board, and which player each of them is in its rotations.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::Contestant;
use super::rng_keys::BoardKey;
use dice_of_doom_core::game::Player;

/// The contestants at the boards of an arena.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seating {
    /// The same contestants at every board, one for each seat.
    Fixed(Vec<Contestant>),
    /// A random selection of these contestants for each board, chosen by the arena's seed. No contestant has two seats
    /// at a board if there are enough of them.
    Drawn(Vec<Contestant>),
}

impl Seating {
    /// The distinct contestants, in the order in which they were named.
    #[must_use]
    pub fn contestants(&self) -> Vec<Contestant> {
        let (Seating::Fixed(all) | Seating::Drawn(all)) = self;
        let mut distinct = Vec::new();
        for contestant in all {
            if !distinct.contains(contestant) {
                distinct.push(contestant.clone());
            }
        }
        distinct
    }

    /// The contestants of a board, one for each seat.
    pub(super) fn seats_for_board(&self, key: BoardKey, players: u8) -> Vec<Contestant> {
        match self {
            Seating::Fixed(seats) => seats.clone(),
            Seating::Drawn(all) => {
                let mut order = all.clone();
                order.shuffle(&mut key.seating_rng());
                let seats = order.iter().cloned().cycle();
                seats.take(usize::from(players)).collect()
            }
        }
    }
}

/// The seat of a player in a rotation. Over all rotations every seat plays every player once.
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
