//! What the actions of a position are worth, whatever the kind of the game.

use super::RegistrableGame;
use crate::game::Player;
use crate::move_analysis::{OutcomeAnalysis, best_first};
use crate::search::StopToken;
use crate::session::Session;

pub use crate::search::WinShares;

/// One action with what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct AnalysedAction {
    /// In the game's notation.
    pub action: String,
    /// What chance may answer, in the order of the lottery; probabilities sum to 1.
    pub outcomes: Vec<OutcomeAnalysis>,
    /// What each player may expect, 0..=1: the sum over the outcomes of probability × shares.
    pub shares: WinShares,
    /// Whether the shares are proven and not estimated.
    pub is_exact: bool,
    /// After how many further plies the game is over, this one included; only where that is proven.
    pub ends_in: Option<u32>,
}

/// Every action of a position that is not over, weighed.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionAnalysis {
    /// Who is to move.
    pub mover: Player,
    /// Every legal action, in listed order.
    pub actions: Vec<AnalysedAction>,
    /// The places in `actions` from the mover's best to the worst.
    pub best_first: Vec<usize>,
    /// With how many simulations it was weighed.
    pub simulations: u64,
}

impl PositionAnalysis {
    /// The best action for the mover.
    #[must_use]
    pub fn best(&self) -> &AnalysedAction {
        &self.actions[self.best_first[0]]
    }

    /// The action with this notation.
    #[must_use]
    pub fn action(&self, notation: &str) -> Option<&AnalysedAction> {
        self.actions
            .iter()
            .find(|weighed| weighed.action == notation)
    }
}

/// What it takes to weigh a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalysisCost {
    /// Simulations of a hint: about 300 ms on one thread of a machine with other work.
    pub usual_simulations: u64,
    /// The most bytes that such a weighing takes while it works.
    pub most_bytes: usize,
}

pub(super) fn cost<G: RegistrableGame>(game: &G) -> Option<AnalysisCost> {
    let weigher = G::move_analyser()?;
    let usual_simulations = weigher.usual_simulations(game);
    Some(AnalysisCost {
        usual_simulations,
        most_bytes: weigher.most_bytes(game, usual_simulations),
    })
}

/// Weighs the position after so many entries of the record.
pub(super) fn analyse_at<G: RegistrableGame>(
    session: &Session<G>,
    ply: u32,
    simulations: u64,
    stop: &StopToken,
) -> Option<PositionAnalysis> {
    if ply > session.record().len() {
        return None;
    }
    let position = session.position_at(ply);
    analyse(session.game(), &position, simulations, stop)
}

/// Weighs a position; `None` where the game is over or has no hints, and when it was stopped.
pub(super) fn analyse<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    simulations: u64,
    stop: &StopToken,
) -> Option<PositionAnalysis> {
    let mover = game.status(position).mover()?;
    let weighed = G::move_analyser()?.analyse(game, position, simulations, stop)?;
    let best_first = best_first(&weighed, mover);
    let actions = weighed.into_iter().map(|weighed| AnalysedAction {
        action: weighed.action.to_string(),
        outcomes: weighed.outcomes,
        shares: weighed.shares,
        is_exact: weighed.is_exact,
        ends_in: weighed.ends_in,
    });
    Some(PositionAnalysis {
        mover,
        actions: actions.collect(),
        best_first,
        simulations,
    })
}
