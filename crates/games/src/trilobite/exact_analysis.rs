//! Move analysis with the [solver](super::solver): solved columns get exact values, others those of a search.
//!
//! The solver's budget is a large constant plus the number of simulations, so the set of exact columns hardly
//! depends on the simulations.

use super::board::Column;
use super::evaluator::{ThreatEvaluator, shares_of_two};
use super::position::Position;
use super::rules::Trilobite;
use super::solver::{ScoreBounds, Solver, plies_to_end};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::move_analysis::{
    ActionAnalysis, MoveAnalyser, OutcomeAnalysis, SearchAnalyser,
};
use dice_of_doom_core::search::StopToken;

/// The simulations per additional position to search; three positions take about as long as one simulation.
const SIMULATIONS_PER_NODE: u64 = 4;

/// The minimum budget for all columns of a position, in positions.
const MIN_NODES: u64 = 100_000;

/// The minimum budget for a single column that is reanalysed, in positions.
const MIN_NODES_FOR_ACTION: u64 = 500_000;

/// The table has so many bytes per position to be searched, within this maximum.
const BYTES_PER_NODE: u64 = 32;
const MAX_TABLE_BYTES: usize = 16 << 20;

/// With more empty cells than this only short wins and losses can be solved,
const MANY_EMPTY_CELLS: u32 = 42;

/// which needs only this fraction (1/n) of the budget.
const MANY_EMPTY_CELLS_DIVISOR: u64 = 8;

/// Analyses a move exactly if the solver finds its value, otherwise by a search.
pub(super) struct ExactAnalyser(pub(super) SearchAnalyser<Trilobite, ThreatEvaluator>);

impl MoveAnalyser<Trilobite> for ExactAnalyser {
    fn default_simulations(&self, game: &Trilobite) -> u64 {
        self.0.default_simulations(game)
    }

    fn analyse_including(
        &self,
        game: &Trilobite,
        position: &Position,
        played: Option<Column>,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<Vec<ActionAnalysis<Column>>> {
        if game.status(position).is_over() {
            return Some(Vec::new());
        }
        let nodes = node_budget(MIN_NODES, simulations);
        let solved = solver(game, nodes).solve_moves(position, nodes, stop);
        if stop.is_stop_requested() {
            return None;
        }
        let exact = solved.moves.iter();
        let exact = exact.map(|&(column, bounds)| exact_analysis(game, position, column, bounds));
        let exact: Vec<_> = exact.collect();
        if exact.iter().all(Option::is_some) {
            return Some(exact.into_iter().flatten().collect());
        }
        let estimates = self
            .0
            .analyse_including(game, position, played, simulations, stop)?;
        let merged = estimates.into_iter().zip(exact);
        let merged = merged.map(|(estimated, exact)| exact.unwrap_or(estimated));
        Some(merged.collect())
    }

    fn analyse_action(
        &self,
        game: &Trilobite,
        position: &Position,
        column: Column,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<ActionAnalysis<Column>> {
        let empty = u32::from(game.cells()) - game.chips(position);
        let divisor = if empty > MANY_EMPTY_CELLS {
            MANY_EMPTY_CELLS_DIVISOR
        } else {
            1
        };
        let nodes = node_budget(MIN_NODES_FOR_ACTION, simulations) / divisor;
        let after = game.apply(position, column, ());
        let solution = solver(game, nodes).solve(&after, nodes, stop);
        match exact_analysis(game, position, column, solution.bounds.negated()) {
            Some(exact) => Some(exact),
            None => self
                .0
                .analyse_action(game, position, column, simulations, stop),
        }
    }

    /// The maximum of the two, because the solver finishes before the search starts.
    fn max_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        let solver_bytes = table_bytes(node_budget(MIN_NODES, simulations));
        self.0.max_bytes(game, simulations).max(solver_bytes)
    }

    fn max_action_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        let solver_bytes = table_bytes(node_budget(MIN_NODES_FOR_ACTION, simulations));
        self.0.max_action_bytes(game, simulations).max(solver_bytes)
    }
}

/// The solver's budget in positions.
fn node_budget(minimum: u64, simulations: u64) -> u64 {
    minimum.saturating_add(simulations / SIMULATIONS_PER_NODE)
}

/// A solver with the opening book, for a search of so many positions.
fn solver(game: &Trilobite, nodes: u64) -> Solver {
    let mut solver = Solver::new(game, table_bytes(nodes));
    solver.use_book(true);
    solver
}

/// The size of the solver's table, for a search of so many positions.
fn table_bytes(nodes: u64) -> usize {
    let bytes = usize::try_from(nodes.saturating_mul(BYTES_PER_NODE));
    bytes.unwrap_or(usize::MAX).min(MAX_TABLE_BYTES)
}

/// The analysis of a column, if it is proven who wins.
fn exact_analysis(
    game: &Trilobite,
    position: &Position,
    column: Column,
    bounds: ScoreBounds,
) -> Option<ActionAnalysis<Column>> {
    let empty = u32::from(game.cells()) - game.chips(position);
    let share = match bounds.winner()? {
        0 => 0.5,
        winner => f32::from(u8::from(winner > 0)),
    };
    let ends_in = bounds.score().map(|score| plies_to_end(empty, score));
    let outcome = OutcomeAnalysis {
        probability: 1.0,
        shares: shares_of_two(position.player(), share),
    };
    Some(ActionAnalysis {
        is_exact: true,
        ends_in,
        ..ActionAnalysis::from_outcomes(column, vec![outcome])
    })
}
