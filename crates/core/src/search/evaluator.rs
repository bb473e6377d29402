//! What each player may expect of a position: how searches that average evaluate their leaves.

use crate::game::{ByPlayer, Game, Payoffs, Player, Status};

/// Each player's expected part of one won game, 0..=1; together 1.
pub type WinShares = ByPlayer<f32>;

/// A guess at how a game will end, for all players at once.
///
/// An [`Evaluate`](super::Evaluate) scores a position for one player on any scale; a forecast is on the
/// scale of results, so that it can be averaged with them.
pub trait PositionEvaluator<G: Game>: Send + Sync {
    /// What each player may expect of a position that is not over.
    fn win_shares(&self, game: &G, position: &G::Position) -> WinShares;

    /// Appends the shares of positions that are one ply after another one and not over, for each the same as
    /// [`Self::win_shares`]: together they may be found more quickly than each alone.
    fn win_shares_after(
        &self,
        game: &G,
        _position: &G::Position,
        after: &[G::Position],
        shares: &mut Vec<WinShares>,
    ) {
        shares.extend(after.iter().map(|after| self.win_shares(game, after)));
    }

    /// What each player may expect of any position: where the game is over, what they got.
    fn value(&self, game: &G, position: &G::Position) -> WinShares {
        match game.status(position) {
            Status::Turn(_) => self.win_shares(game, position),
            Status::Over(payoffs) => win_shares_of_payoffs(payoffs, game.players()),
        }
    }

    /// How promising an action looks before anything is evaluated: not negative, on any scale.
    fn prior(&self, game: &G, position: &G::Position, action: G::Action) -> f32;
}

/// What each player at the table got: [`Payoffs::payoff`], moved to 0..=1, so that a draw is a half for
/// two.
#[must_use]
pub fn win_shares_of_payoffs(payoffs: Payoffs, players: u8) -> WinShares {
    ByPlayer::from_fn(|player: Player| {
        if player.number() < players {
            (payoffs.payoff(player) as f32 + 1.0) / 2.0
        } else {
            0.0
        }
    })
}
