//! Move analysis with the [solver](super::solver): solved columns get exact values, others those of a search.
//!
//! The solver's budget is a large constant plus the number of simulations, so the set of exact columns hardly
//! depends on the simulations.

use super::board::Column;
use super::evaluator::{ThreatEvaluator, shares_of_two};
use super::position::Position;
use super::rules::Trilobite;
use super::solver::{SolvedValue, Solver};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::move_analysis::{
    ActionAnalysis, MoveAnalyser, OutcomeAnalysis, SearchAnalyser,
};
use dice_of_doom_core::search::StopToken;

/// The additional positions to search per simulation; ten positions take about as long as one simulation.
const NODES_PER_SIMULATION: u64 = 1;

/// The minimum budget for all columns of a position, in positions.
const MIN_NODES: u64 = 400_000;

/// The minimum budget for a single column that is reanalysed, in positions.
const MIN_NODES_FOR_ACTION: u64 = 2_000_000;

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
        let columns = game.legal_actions(position);
        let nodes = node_budget(MIN_NODES, simulations);
        let solved = prove_columns(game, position, columns, nodes, stop)?;
        let exact = |&(column, verdict): &(Column, SolvedValue)| {
            exact_analysis(game, position, column, verdict)
        };
        let exact: Vec<_> = solved.iter().map(exact).collect();
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
        let single_column = std::iter::once(column);
        let empty = u32::from(game.cells()) - game.chips(position);
        let divisor = if empty > MANY_EMPTY_CELLS {
            MANY_EMPTY_CELLS_DIVISOR
        } else {
            1
        };
        let nodes = node_budget(MIN_NODES_FOR_ACTION, simulations) / divisor;
        let (_, verdict) = prove_columns(game, position, single_column, nodes, stop)?[0];
        match exact_analysis(game, position, column, verdict) {
            Some(exact) => Some(exact),
            None => self
                .0
                .analyse_action(game, position, column, simulations, stop),
        }
    }

    /// The maximum of the two, because the solver finishes before the search starts.
    fn max_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        let solver_bytes = Solver::memory_bytes(game, node_budget(MIN_NODES, simulations));
        self.0.max_bytes(game, simulations).max(solver_bytes)
    }

    fn max_action_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        let solver_bytes =
            Solver::memory_bytes(game, node_budget(MIN_NODES_FOR_ACTION, simulations));
        self.0.max_action_bytes(game, simulations).max(solver_bytes)
    }
}

/// The solver's budget in positions.
fn node_budget(minimum: u64, simulations: u64) -> u64 {
    minimum.saturating_add(NODES_PER_SIMULATION.saturating_mul(simulations))
}

/// The analysis of a solved column.
fn exact_analysis(
    game: &Trilobite,
    position: &Position,
    column: Column,
    value: SolvedValue,
) -> Option<ActionAnalysis<Column>> {
    let empty = u32::from(game.cells()) - game.chips(position);
    let (share, ends_in) = match value {
        SolvedValue::Won(plies) => (1.0, plies),
        SolvedValue::Lost(plies) => (0.0, plies),
        SolvedValue::Drawn => (0.5, Some(empty)),
        SolvedValue::Unknown => return None,
    };
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

/// The columns are solved in rounds; each round may use this fraction (1/n) of the remaining budget.
const ROUND_DIVISORS: [u64; 2] = [4, 1];

/// Solves each of the columns for the mover; `None` if stopped.
fn prove_columns(
    game: &Trilobite,
    position: &Position,
    columns: impl Iterator<Item = Column>,
    nodes: u64,
    stop: &StopToken,
) -> Option<Vec<(Column, SolvedValue)>> {
    let mut solver = Solver::new(game, position, nodes, stop);
    let mut columns: Vec<_> = columns
        .map(|column| (column, SolvedValue::Unknown))
        .collect();
    let mut nodes_left = nodes;
    for divisor in ROUND_DIVISORS {
        let is_open = |(_, value): &&mut (Column, SolvedValue)| *value == SolvedValue::Unknown;
        let open: Vec<_> = columns.iter_mut().filter(is_open).collect();
        let mut budget = nodes_left / divisor;
        nodes_left -= budget;
        for (columns_left, (column, value)) in (1..=open.len() as u64).rev().zip(open) {
            let column_budget = budget / columns_left;
            let after = game.apply(position, *column, ());
            let unused;
            (*value, unused) = if after.is_lost {
                (SolvedValue::Won(Some(1)), column_budget)
            } else {
                let (value, unused) = solver.solve(&after, column_budget);
                (value.for_previous_mover(), unused)
            };
            budget -= column_budget - unused;
            if stop.is_stop_requested() {
                return None;
            }
        }
        nodes_left += budget;
    }
    Some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by a plain minimax search of the rules.
    fn plain_minimax(game: &Trilobite, position: &Position) -> SolvedValue {
        if position.is_lost {
            return SolvedValue::Lost(Some(0));
        }
        let replies = game.legal_actions(position).map(|column| {
            plain_minimax(game, &game.apply(position, column, ())).for_previous_mover()
        });
        let replies: Vec<SolvedValue> = replies.collect();
        let won = replies.iter().filter_map(|verdict| match verdict {
            SolvedValue::Won(plies) => Some(*plies),
            _ => None,
        });
        if let Some(plies) = won.min() {
            return SolvedValue::Won(plies);
        }
        if replies.is_empty() || replies.contains(&SolvedValue::Drawn) {
            return SolvedValue::Drawn;
        }
        let lost = replies.iter().map(|verdict| match verdict {
            SolvedValue::Lost(plies) => *plies,
            _ => None,
        });
        SolvedValue::Lost(lost.max().flatten())
    }

    #[test]
    fn solved_values_match_plain_minimax() {
        for (width, height, win, columns) in [
            (3, 3, 3, ""),
            (4, 3, 3, ""),
            (4, 4, 3, "1122"),
            (5, 3, 3, "2211"),
            (4, 4, 4, "12121331"),
        ] {
            let game = Trilobite::new(width, height, win).expect("valid parameters");
            let position = game.from_columns(columns).expect("a valid position");
            let all = game.legal_actions(&position);
            let solved = prove_columns(&game, &position, all, 10_000_000, &StopToken::new());
            for (column, verdict) in solved.expect("it is not stopped") {
                let after = game.apply(&position, column, ());
                let expected = plain_minimax(&game, &after).for_previous_mover();
                assert_eq!(verdict, expected, "{width}×{height}, {columns}, {column}");
            }
        }
    }
}
