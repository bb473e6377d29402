//! Evaluators for searches that average: the expected win shares of a position for all players.

use crate::game::{ByPlayer, Game, Status};

/// The expected [share of each player in one won game](crate::game::Payoffs::win_share), 0..=1.
pub type WinShares = ByPlayer<f32>;

/// An estimate of the result of a game, for all players at once, with a prior for each action.
///
/// A [`StaticEvaluation`](super::StaticEvaluation) scores a position for one player on an arbitrary scale; an evaluator
/// uses the scale of results, so that its values can be averaged with results.
pub trait PositionEvaluator<G: Game>: Send + Sync {
    /// The expected shares of a position that is not over.
    fn win_shares(&self, game: &G, position: &G::Position) -> WinShares;

    /// Appends the expected shares of several positions, all one ply after `position` and not over. The values equal
    /// those of [`Self::win_shares`]; evaluating them together may be faster.
    fn win_shares_after(
        &self,
        game: &G,
        _position: &G::Position,
        after: &[G::Position],
        shares: &mut Vec<WinShares>,
    ) {
        shares.extend(after.iter().map(|after| self.win_shares(game, after)));
    }

    /// The expected shares of any position; the actual shares if the game is over.
    fn value(&self, game: &G, position: &G::Position) -> WinShares {
        match game.status(position) {
            Status::Turn(_) => self.win_shares(game, position),
            Status::Over(payoffs) => payoffs.win_shares(game.players()),
        }
    }

    /// The prior of an action before anything is searched: not negative, on an arbitrary scale.
    fn prior(&self, game: &G, position: &G::Position, action: G::Action) -> f32;
}
