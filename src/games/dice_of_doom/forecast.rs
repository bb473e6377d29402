//! How a game will end, judged by hand: what each player has, and who is next.
//!
//! Each player's [`features`] are weighed by how far away the player's turn is; a softmax of the sums
//! is the forecast. What to look at was chosen by hand, the [`weights`] come from a seeded, repeatable
//! procedure.

use super::position::Position;
use super::rules::{Action, DiceOfDoom};
use crate::game::{ByPlayer, MOST_PLAYERS, Player};
use crate::search::{Forecast, Shares};

pub mod features;
pub mod weights;

use features::{COUNT, Features};
use weights::Weights;

/// The evaluation by hand.
#[derive(Clone, Copy, Debug)]
pub struct ByHand {
    weights: &'static Weights,
}

impl ByHand {
    /// The evaluation with these weights.
    #[must_use]
    pub const fn new(weights: &'static Weights) -> Self {
        ByHand { weights }
    }
}

/// What each player may expect by these weights.
#[must_use]
pub fn weigh(
    weights: &Weights,
    features: &[Features; MOST_PLAYERS],
    mover: Player,
    players: u8,
) -> Shares {
    let mut sums = [f32::NEG_INFINITY; MOST_PLAYERS];
    let mut most = f32::NEG_INFINITY;
    let mut distance = usize::from(players - mover.number());
    for number in 0..usize::from(players) {
        if distance == usize::from(players) {
            distance = 0;
        }
        let (weights, features) = (&weights.0[distance], &features[number]);
        let sum = product(weights, features);
        sums[number] = sum;
        most = most.max(sum);
        distance += 1;
    }
    let mut all = 0.0;
    for sum in &mut sums[..usize::from(players)] {
        *sum = exp(*sum - most);
        all += *sum;
    }
    let scale = 1.0 / all;
    ByPlayer::from_fn(|player| {
        if player.number() < players {
            sums[usize::from(player.number())] * scale
        } else {
            0.0
        }
    })
}

/// The sum of products, in eight lanes that do not wait for each other.
#[inline]
fn product(weights: &Features, features: &Features) -> f32 {
    let mut lanes = [0.0f32; 8];
    for i in 0..COUNT / 8 {
        for lane in 0..8 {
            lanes[lane] += weights[8 * i + lane] * features[8 * i + lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// e to the power of a number that is not positive, to five digits: the same on every machine.
#[inline]
fn exp(x: f32) -> f32 {
    // 2^(whole + part): the whole goes into the exponent's bits, the part into a polynomial.
    let twos = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = twos as i32 - 1;
    let part = twos - whole as f32;
    let power = f32::from_bits(((whole + 127) << 23) as u32);
    power * (1.0 + part * (0.693_043 + part * (0.241_250 + part * (0.052_352 + part * 0.013_342))))
}

impl Forecast<DiceOfDoom> for ByHand {
    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        let features = features::of(game, position);
        weigh(self.weights, &features, position.player(), game.players())
    }

    fn appeal(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        match action {
            Action::EndTurn => 0.5,
            Action::Attack { from, to } => game.odds(position, from, to).unwrap_or(0.5) as f32,
        }
    }
}
