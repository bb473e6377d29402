//! How much each number weighs.

use super::features::{COUNT, Features};
use crate::game::MOST_PLAYERS;

/// One row of weights for each distance from the mover: 0 is the mover, 1 is next.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights(pub [Features; MOST_PLAYERS]);

/// Before any tuning.
pub static PLAIN: Weights = Weights(plain());

const fn plain() -> [Features; MOST_PLAYERS] {
    let mut row = [0.0; COUNT];
    row[0] = 5.0;
    row[1] = 2.5;
    row[2] = 12.0;
    [row; MOST_PLAYERS]
}
