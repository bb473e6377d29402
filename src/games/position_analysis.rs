//! Analysis of all legal actions of a position, independent of the game's type.

use super::RegistrableGame;
use crate::game::Player;
use crate::move_analysis::{OutcomeAnalysis, best_first};
use crate::search::StopToken;

pub use crate::search::WinShares;

/// An analysed action.
#[derive(Clone, PartialEq, Debug)]
pub struct AnalysedAction {
    /// The chance outcomes in the game's order; their probabilities sum to 1.
    pub outcomes: Vec<OutcomeAnalysis>,
    /// The expected share of each player, 0..=1: the probability-weighted sum over the outcomes.
    pub shares: WinShares,
    /// Whether the shares are proven rather than estimated.
    pub is_exact: bool,
    /// The number of plies until the game is over, including this one; `None` unless proven.
    pub ends_in: Option<u32>,
}

/// The analysis of a position at which the game is in progress.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionAnalysis {
    pub mover: Player,
    /// Every legal action, in the book's order.
    pub actions: Vec<AnalysedAction>,
    /// Indices into `actions`, from the mover's best action to the worst.
    pub best_first: Vec<usize>,
    /// The number of simulations.
    pub simulations: u64,
}

impl PositionAnalysis {
    #[must_use]
    pub fn best(&self) -> &AnalysedAction {
        &self.actions[self.best_first[0]]
    }
}

/// The cost of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalysisCost {
    /// The simulations of a hint: about 300 ms on one thread of a machine under load.
    pub default_simulations: u64,
    /// Upper bound of the memory of such an analysis, in bytes.
    pub max_bytes: usize,
}

pub(super) fn analysis_cost<G: RegistrableGame>(game: &G) -> Option<AnalysisCost> {
    let analyser = G::move_analyser()?;
    let default_simulations = analyser.default_simulations(game);
    Some(AnalysisCost {
        default_simulations,
        max_bytes: analyser.max_bytes(game, default_simulations),
    })
}

/// Analyses a position; `None` if the game is over, has no analyser, or the analysis was stopped.
pub(super) fn analyse<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    simulations: u64,
    stop: &StopToken,
) -> Option<PositionAnalysis> {
    let mover = game.status(position).mover()?;
    let analysed = G::move_analyser()?.analyse(game, position, simulations, stop)?;
    let best_first = best_first(&analysed, mover);
    let actions = analysed.into_iter().map(|analysed| AnalysedAction {
        outcomes: analysed.outcomes,
        shares: analysed.shares,
        is_exact: analysed.is_exact,
        ends_in: analysed.ends_in,
    });
    Some(PositionAnalysis {
        mover,
        actions: actions.collect(),
        best_first,
        simulations,
    })
}
