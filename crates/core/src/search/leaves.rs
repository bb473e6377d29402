//! Positions one ply further, collected so that a forecast sees them together, and once where actions listed in a
//! row fail to the same position.

use super::evaluator::{PositionEvaluator, WinShares, win_shares_of_payoffs};
use crate::game::{Game, Player, Status};

/// The outcomes of one action or of several from the same position.
pub(crate) struct LeafBatch<G: Game> {
    /// Those that are not over; see [`Self::push_outcomes`] for which are there once.
    positions: Vec<G::Position>,
    /// What was forecast for each of them.
    shares: Vec<WinShares>,
    /// How those ended that are over.
    results: Vec<WinShares>,
    /// What each outcome is, in the order in which they were added.
    outcomes: Vec<Leaf>,
    /// Where the last position is that was not the first outcome of its action.
    last_other: Option<usize>,
}

/// One outcome, by its place in one of the lists.
#[derive(Clone, Copy)]
enum Leaf {
    /// The game goes on.
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
            last_other: None,
        }
    }
}

impl<G: Game> LeafBatch<G> {
    /// Forgets all outcomes; the memory is used again.
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.shares.clear();
        self.results.clear();
        self.outcomes.clear();
        self.last_other = None;
    }

    /// Adds every outcome of an action and tells the probability of each, and who is on turn then; nobody is where
    /// the game is over. What is like the last outcome that was not the first of its action is not added again.
    #[inline]
    pub(crate) fn push_outcomes(
        &mut self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        mut tell: impl FnMut(f32, Option<Player>),
    ) {
        for (nth, (outcome, probability)) in game.chance_outcomes(position, action).enumerate() {
            let mut after = game.apply(position, action, outcome);
            game.canonicalise(&mut after);
            let (leaf, next) = match game.status(&after) {
                Status::Over(payoffs) => {
                    self.results.push(win_shares_of_payoffs(payoffs, game.players()));
                    (Leaf::Result(self.results.len() - 1), None)
                }
                Status::Turn(next) => {
                    // Actions listed in a row often lead to the same position when they fail, as attacks from one
                    // hex do.
                    let same = self.last_other.filter(|_| nth > 0);
                    let same = same.filter(|&same| self.positions[same] == after);
                    let at = same.unwrap_or(self.positions.len());
                    if nth > 0 {
                        self.last_other = Some(at);
                    }
                    if at == self.positions.len() {
                        self.positions.push(after);
                    }
                    (Leaf::Position(at), Some(next))
                }
            };
            self.outcomes.push(leaf);
            tell(probability as f32, next);
        }
    }

    /// How many positions there are to be evaluated, those that are over included.
    pub(crate) fn count(&self) -> u64 {
        (self.positions.len() + self.results.len()) as u64
    }

    /// Forecasts them, as positions that follow this one.
    pub(crate) fn evaluate(
        &mut self,
        forecast: &impl PositionEvaluator<G>,
        game: &G,
        position: &G::Position,
    ) {
        match &self.positions[..] {
            [] => {}
            [after] => self.shares.push(forecast.win_shares(game, after)),
            several => forecast.win_shares_after(game, position, several, &mut self.shares),
        }
    }

    /// What everybody may expect of each outcome that was added, once they are forecast.
    pub(crate) fn shares(&self) -> impl Iterator<Item = WinShares> {
        self.outcomes.iter().map(|&leaf| match leaf {
            Leaf::Position(at) => self.shares[at],
            Leaf::Result(at) => self.results[at],
        })
    }
}
