//! A weighted mean of two evaluators.

use super::evaluator::{PositionEvaluator, WinShares};
use crate::game::{ByPlayer, Game};

/// The weighted mean of two evaluators. It plays the weaker, the more weight the weaker evaluator has; unlike added
/// noise, it is deterministic.
#[derive(Clone, Copy, Debug)]
pub struct BlendedEvaluator<F, H> {
    /// The first evaluator.
    pub first: F,
    /// The weight of the first evaluator, 0..=1.
    pub first_weight: f32,
    /// The second evaluator, with weight `1 - first_weight`.
    pub second: H,
}

impl<F, H> BlendedEvaluator<F, H> {
    fn mean(&self, first: WinShares, second: WinShares) -> WinShares {
        ByPlayer::from_fn(|player| {
            self.first_weight * first[player] + (1.0 - self.first_weight) * second[player]
        })
    }
}

impl<G: Game, F: PositionEvaluator<G>, H: PositionEvaluator<G>> PositionEvaluator<G>
    for BlendedEvaluator<F, H>
{
    fn win_shares(&self, game: &G, position: &G::Position) -> WinShares {
        let first = self.first.win_shares(game, position);
        self.mean(first, self.second.win_shares(game, position))
    }

    fn win_shares_after(
        &self,
        game: &G,
        position: &G::Position,
        after: &[G::Position],
        shares: &mut Vec<WinShares>,
    ) {
        let before = shares.len();
        self.first.win_shares_after(game, position, after, shares);
        let mut second = Vec::with_capacity(after.len());
        self.second
            .win_shares_after(game, position, after, &mut second);
        for (shares, second) in shares[before..].iter_mut().zip(second) {
            *shares = self.mean(*shares, second);
        }
    }

    fn prior(&self, game: &G, position: &G::Position, action: G::Action) -> f32 {
        let first = self.first.prior(game, position, action);
        let second = self.second.prior(game, position, action);
        self.first_weight * first + (1.0 - self.first_weight) * second
    }
}
