//! A batch of positions one ply ahead, which an evaluator evaluates together. Failures of consecutive actions that lead
//! to the same position are evaluated once.

use super::evaluator::{PositionEvaluator, WinShares};
use crate::game::{Game, Player, Status};

/// The outcomes of one or several actions of the same position.
pub(crate) struct LeafBatch<G: Game> {
    /// The positions that are not over; [`Self::push_outcomes`] describes which are merged.
    positions: Vec<G::Position>,
    /// In the order of `positions`.
    shares: Vec<WinShares>,
    /// The shares of the outcomes that end the game.
    results: Vec<WinShares>,
    /// The leaf of each outcome, in the order of insertion.
    outcomes: Vec<Leaf>,
    /// The index of the last position that was not the first outcome of its action.
    last_non_first: Option<usize>,
}

/// The leaf of one outcome, as an index into one of the lists.
#[derive(Clone, Copy)]
enum Leaf {
    /// The game is in progress.
    Position(usize),
    /// The game is over.
    Result(usize),
}

impl<G: Game> Default for LeafBatch<G> {
    fn default() -> Self {
        LeafBatch {
            positions: Vec::new(),
            shares: Vec::new(),
            results: Vec::new(),
            outcomes: Vec::new(),
            last_non_first: None,
        }
    }
}

impl<G: Game> LeafBatch<G> {
    /// Removes all outcomes and keeps the allocated memory.
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.shares.clear();
        self.results.clear();
        self.outcomes.clear();
        self.last_non_first = None;
    }

    /// Adds all outcomes of an action. Calls `report` for each with its probability and the next mover, `None` if the
    /// game is over. An outcome equal to the last one that was not the first of its action shares its position.
    #[inline]
    pub(crate) fn push_outcomes(
        &mut self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        mut report: impl FnMut(f32, Option<Player>),
    ) {
        for (number, (outcome, probability)) in game.chance_outcomes(position, action).enumerate() {
            let mut after = game.apply(position, action, outcome);
            game.canonicalise(&mut after);
            let (leaf, next) = match game.status(&after) {
                Status::Over(payoffs) => {
                    self.results.push(payoffs.win_shares(game.players()));
                    (Leaf::Result(self.results.len() - 1), None)
                }
                Status::Turn(next) => {
                    // Failures of consecutive actions often lead to the same position, for example attacks from one
                    // hex.
                    let duplicate = self.last_non_first.filter(|_| number > 0);
                    let duplicate =
                        duplicate.filter(|&duplicate| self.positions[duplicate] == after);
                    let index = duplicate.unwrap_or(self.positions.len());
                    if number > 0 {
                        self.last_non_first = Some(index);
                    }
                    if index == self.positions.len() {
                        self.positions.push(after);
                    }
                    (Leaf::Position(index), Some(next))
                }
            };
            self.outcomes.push(leaf);
            report(probability as f32, next);
        }
    }

    /// The number of distinct positions, including those that are over.
    pub(crate) fn count(&self) -> u64 {
        (self.positions.len() + self.results.len()) as u64
    }

    /// Evaluates the positions, which all follow `position`.
    pub(crate) fn evaluate(
        &mut self,
        evaluator: &impl PositionEvaluator<G>,
        game: &G,
        position: &G::Position,
    ) {
        match &self.positions[..] {
            [] => {}
            [after] => self.shares.push(evaluator.win_shares(game, after)),
            several => evaluator.win_shares_after(game, position, several, &mut self.shares),
        }
    }

    /// The expected shares of each added outcome, after [`Self::evaluate`].
    pub(crate) fn shares(&self) -> impl Iterator<Item = WinShares> {
        self.outcomes.iter().map(|&leaf| match leaf {
            Leaf::Position(index) => self.shares[index],
            Leaf::Result(index) => self.results[index],
        })
    }
}
