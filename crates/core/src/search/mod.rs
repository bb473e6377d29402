//! Searches: what a position is worth, found by looking ahead.
//!
//! Every search is written once for every game. In [`expectimax`](fn@expectimax) and
//! [`alpha_beta`](fn@alpha_beta) values are those of one fixed player: nodes of that player maximise,
//! all others minimise (the book's paranoid view for several players). [`puct`] averages, and each
//! player looks after the own share. There is no negamax, because the same player may move twice in a
//! row.
//!
//! Not here: evaluations of particular games, clocks.

use std::ops::RangeInclusive;

use crate::game::{Game, Player};
use crate::tree::Budget;

mod alpha_beta;
mod blend;
mod evaluator;
mod expectimax;
mod leaves;
mod opponent_model;
pub mod puct;
mod stop;

pub use alpha_beta::alpha_beta;
pub use blend::BlendedEvaluator;
pub use evaluator::{PositionEvaluator, WinShares, win_shares_of_payoffs};
pub use expectimax::{Scalar, expectimax, expectimax_in};
pub(crate) use leaves::LeafBatch;
pub use opponent_model::{ActionProbability, OpponentModel, OpponentModels, uniform};
pub use stop::{ActionProgress, ProgressChannel, SearchProgress, StopToken};

/// A guess at what a position is worth where a search stops.
pub trait StaticEvaluation<G: Game> {
    /// Between which values every evaluation lies, as tight as known; pruning at chance relies on it.
    fn bounds(&self, game: &G) -> RangeInclusive<f64>;

    /// What a position is worth to a player, also when the game is over.
    fn evaluate(&self, game: &G, position: &G::Position, player: Player) -> f64;
}

/// What a search found at its root.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<A> {
    /// A value for every action, in listed order; a pruning search gives bounds for actions that are no better.
    pub ratings: Vec<(A, f64)>,
    /// The index of the first best rating; `None` where there is no action.
    pub chosen: Option<usize>,
    /// Positions looked at, the root's own included.
    pub nodes: u64,
}

impl<A: Copy> SearchResult<A> {
    fn best_first(ratings: Vec<(A, f64)>, goal: Goal, nodes: u64) -> Self {
        let mut chosen: Option<usize> = None;
        for (index, &(_, value)) in ratings.iter().enumerate() {
            if chosen.is_none_or(|best| goal.prefers(value, ratings[best].1)) {
                chosen = Some(index);
            }
        }
        SearchResult {
            ratings,
            chosen,
            nodes,
        }
    }

    /// The chosen action.
    #[must_use]
    pub fn action(&self) -> Option<A> {
        self.chosen.map(|index| self.ratings[index].0)
    }

    /// The chosen action's value.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        self.chosen.map(|index| self.ratings[index].1)
    }
}

/// What the mover does to the searching player's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Maximise,
    Minimise,
}

impl Goal {
    fn of<G: Game>(game: &G, position: &G::Position, player: Player) -> Goal {
        if game.status(position).mover() == Some(player) {
            Goal::Maximise
        } else {
            Goal::Minimise
        }
    }

    fn prefers<N: PartialOrd>(self, value: N, best: N) -> bool {
        match self {
            Goal::Maximise => value > best,
            Goal::Minimise => value < best,
        }
    }
}

/// How many sequences of actions and outcomes have exactly this many plies; a finished game has none but the empty one.
///
/// At once a tool, an oracle and a specification of the rules.
#[must_use]
pub fn perft<G: Game>(game: &G, position: &G::Position, plies: u32) -> u64 {
    perft_bounded(game, position, plies, u64::MAX).expect("nobody counts so far")
}

/// [`perft`], given up with `None` once the budget of positions is spent, those on the way included.
#[must_use]
pub fn perft_bounded<G: Game>(
    game: &G,
    position: &G::Position,
    plies: u32,
    budget: impl Into<Budget>,
) -> Option<u64> {
    sequences(game, position, plies, &budget.into())
}

fn sequences<G: Game>(
    game: &G,
    position: &G::Position,
    plies: u32,
    budget: &Budget,
) -> Option<u64> {
    budget.take()?;
    let Some(rest) = plies.checked_sub(1) else {
        return Some(1);
    };
    let mut count = 0;
    for action in game.legal_actions(position) {
        for (outcome, _) in game.chance_outcomes(position, action) {
            count += if rest == 0 {
                budget.take()?;
                1
            } else {
                sequences(game, &game.apply(position, action, outcome), rest, budget)?
            };
        }
    }
    Some(count)
}
