//! Searches, which find the value of a position by lookahead.
//!
//! Every search is generic over the game. In [`expectimax`](fn@expectimax) and [`alpha_beta`](fn@alpha_beta) values are
//! those of one fixed player: nodes of that player maximise, all others minimise (the paranoid algorithm of the book
//! for several players). [`puct`] averages, and each player maximises their own share. There is no negamax, because the
//! same player may move twice in a row.
//!
//! Not here: evaluations of particular games, clocks.

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
pub use evaluator::{PositionEvaluator, WinShares};
pub use expectimax::{Scalar, expectimax, expectimax_in};
pub(crate) use leaves::LeafBatch;
pub use opponent_model::{ActionProbability, OpponentModel, OpponentModels, uniform};
pub use stop::{ActionProgress, ProgressChannel, SearchPauses, SearchProgress, StopToken};

/// A heuristic value of a position for one player, used where a search stops.
pub trait StaticEvaluation<G: Game> {
    /// The value of a position for a player, also if the game is over.
    fn evaluate(&self, game: &G, position: &G::Position, player: Player) -> f64;
}

/// The result of a search at its root.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<A> {
    /// A value for every action, in the order of the game; a pruning search gives bounds for actions that are not
    /// better.
    pub ratings: Vec<(A, f64)>,
    /// The index of the first best rating; `None` if there is no action.
    pub chosen: Option<usize>,
    /// The number of visited positions, including the root.
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

    /// The value of the chosen action.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        self.chosen.map(|index| self.ratings[index].1)
    }
}

/// Whether the mover maximises or minimises the value of the searching player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Maximise,
    Minimise,
}

impl Goal {
    fn for_mover<G: Game>(game: &G, position: &G::Position, player: Player) -> Goal {
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

/// The number of sequences of actions and outcomes with exactly this many plies; 0 for a finished game unless `plies`
/// is 0.
///
/// A tool, a test oracle and a specification of the rules at once.
#[must_use]
pub fn perft<G: Game>(game: &G, position: &G::Position, plies: u32) -> u64 {
    perft_bounded(game, position, plies, u64::MAX).expect("2^64 positions are never visited")
}

/// [`perft`] with a budget of visited positions; `None` if it is used up.
#[must_use]
pub fn perft_bounded<G: Game>(
    game: &G,
    position: &G::Position,
    plies: u32,
    budget: impl Into<Budget>,
) -> Option<u64> {
    count_sequences(game, position, plies, &budget.into())
}

fn count_sequences<G: Game>(
    game: &G,
    position: &G::Position,
    plies: u32,
    budget: &Budget,
) -> Option<u64> {
    budget.take()?;
    let Some(plies_left) = plies.checked_sub(1) else {
        return Some(1);
    };
    let mut count = 0;
    for action in game.legal_actions(position) {
        for (outcome, _) in game.chance_outcomes(position, action) {
            count += if plies_left == 0 {
                budget.take()?;
                1
            } else {
                count_sequences(
                    game,
                    &game.apply(position, action, outcome),
                    plies_left,
                    budget,
                )?
            };
        }
    }
    Some(count)
}
