//! Proofs: columns whose end the [solver](super::solver) finds are weighed exactly, others as a judge does.
//!
//! How many positions a proof may search grows with the simulations, from a number that does not: what is
//! exact is the same however long somebody searched for it.
//!
//! Not here: guesses. What stays open is estimated elsewhere.

use super::board::Column;
use super::evaluator::ThreatEvaluator;
use super::position::Position;
use super::rules::Trilobite;
use super::solver::{SolvedValue, Solver};
use dice_of_doom_core::game::{ByPlayer, Game, Player};
use dice_of_doom_core::move_analysis::{
    ActionAnalysis, MoveAnalyser, OutcomeAnalysis, SearchAnalyser,
};
use dice_of_doom_core::search::{StopToken, WinShares};

/// So many more positions may be searched for each simulation; ten take as long as one.
const A_SIMULATION: u64 = 1;

/// So many positions are searched for the proofs of all columns of a position at least.
const FIRST: u64 = 400_000;

/// So many are searched for the proof of one column that is looked at more closely.
const CLOSER: u64 = 2_000_000;

/// With more empty cells than this, only what few chips decide can be proven,
const WIDE_OPEN: u32 = 42;

/// and that takes this part of the positions.
const WIDE_OPEN_PART: u64 = 8;

/// Weighs by proof where there is one, and as a judge does elsewhere.
pub(super) struct ExactAnalyser(pub(super) SearchAnalyser<Trilobite, ThreatEvaluator>);

impl MoveAnalyser<Trilobite> for ExactAnalyser {
    fn usual_simulations(&self, game: &Trilobite) -> u64 {
        self.0.usual_simulations(game)
    }

    fn weigh_beside(
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
        let nodes = nodes(FIRST, simulations);
        let proven = prove_columns(game, position, columns, nodes, stop)?;
        let exact =
            |&(column, verdict): &(Column, SolvedValue)| exact_analysis(game, position, column, verdict);
        let exact: Vec<_> = proven.iter().map(exact).collect();
        if exact.iter().all(Option::is_some) {
            return Some(exact.into_iter().flatten().collect());
        }
        let weighed = self
            .0
            .weigh_beside(game, position, played, simulations, stop)?;
        let better = weighed.into_iter().zip(exact);
        let better = better.map(|(estimated, exact)| exact.unwrap_or(estimated));
        Some(better.collect())
    }

    fn look_closer(
        &self,
        game: &Trilobite,
        position: &Position,
        column: Column,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<ActionAnalysis<Column>> {
        let alone = std::iter::once(column);
        let empty = u32::from(game.cells()) - game.chips(position);
        let part = if empty > WIDE_OPEN { WIDE_OPEN_PART } else { 1 };
        let nodes = nodes(CLOSER, simulations) / part;
        let (_, verdict) = prove_columns(game, position, alone, nodes, stop)?[0];
        match exact_analysis(game, position, column, verdict) {
            Some(exact) => Some(exact),
            None => self
                .0
                .look_closer(game, position, column, simulations, stop),
        }
    }

    /// A proof is over before anything is estimated.
    fn most_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        let proof = Solver::bytes(game, nodes(FIRST, simulations));
        self.0.most_bytes(game, simulations).max(proof)
    }

    fn closer_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        let proof = Solver::bytes(game, nodes(CLOSER, simulations));
        self.0.closer_bytes(game, simulations).max(proof)
    }
}

/// How many positions a proof may search.
fn nodes(least: u64, simulations: u64) -> u64 {
    least.saturating_add(A_SIMULATION.saturating_mul(simulations))
}

/// A column whose end is known.
fn exact_analysis(
    game: &Trilobite,
    position: &Position,
    column: Column,
    verdict: SolvedValue,
) -> Option<ActionAnalysis<Column>> {
    let empty = u32::from(game.cells()) - game.chips(position);
    let (share, ends_in) = match verdict {
        SolvedValue::Won(plies) => (1.0, plies),
        SolvedValue::Lost(plies) => (0.0, plies),
        SolvedValue::Drawn => (0.5, Some(empty)),
        SolvedValue::Open => return None,
    };
    let mover = position.player();
    let shares: WinShares = ByPlayer::from_fn(|player: Player| match player.number() {
        0 | 1 if player == mover => share,
        0 | 1 => 1.0 - share,
        _ => 0.0,
    });
    let outcome = OutcomeAnalysis {
        probability: 1.0,
        shares,
    };
    Some(ActionAnalysis {
        is_exact: true,
        ends_in,
        ..ActionAnalysis::of(column, vec![outcome])
    })
}

/// Columns are proven in rounds; each shares out this part of the positions that are left.
const ROUNDS: [u64; 2] = [4, 1];

/// How each of these columns ends for the mover; `None` when it was stopped.
fn prove_columns(
    game: &Trilobite,
    position: &Position,
    columns: impl Iterator<Item = Column>,
    nodes: u64,
    stop: &StopToken,
) -> Option<Vec<(Column, SolvedValue)>> {
    let mut solver = Solver::new(game, position, nodes, stop);
    let mut found: Vec<_> = columns.map(|column| (column, SolvedValue::Open)).collect();
    let mut left = nodes;
    for part in ROUNDS {
        let is_open = |(_, verdict): &&mut (Column, SolvedValue)| *verdict == SolvedValue::Open;
        let open: Vec<_> = found.iter_mut().filter(is_open).collect();
        let mut budget = left / part;
        left -= budget;
        for (behind, (column, verdict)) in (1..=open.len() as u64).rev().zip(open) {
            let share = budget / behind;
            let after = game.apply(position, *column, ());
            let unused;
            (*verdict, unused) = if after.is_lost {
                (SolvedValue::Won(Some(1)), share)
            } else {
                let (verdict, unused) = solver.solve(&after, share);
                (verdict.for_previous_mover(), unused)
            };
            budget -= share - unused;
            if stop.is_stop_requested() {
                return None;
            }
        }
        left += budget;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the plain search of the rules finds, without any table or shortcut.
    fn plainly(game: &Trilobite, position: &Position) -> SolvedValue {
        if position.is_lost {
            return SolvedValue::Lost(Some(0));
        }
        let replies = game
            .legal_actions(position)
            .map(|column| plainly(game, &game.apply(position, column, ())).for_previous_mover());
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
    fn proofs_are_what_the_plain_search_finds() {
        for (width, height, win, columns) in [
            (3, 3, 3, ""),
            (4, 3, 3, ""),
            (4, 4, 3, "1122"),
            (5, 3, 3, "2211"),
            (4, 4, 4, "12121331"),
        ] {
            let game = Trilobite::new(width, height, win).expect("a possible game");
            let position = game.from_columns(columns).expect("a possible position");
            let all = game.legal_actions(&position);
            let found = prove_columns(&game, &position, all, 10_000_000, &StopToken::new());
            for (column, verdict) in found.expect("nobody stops it") {
                let after = game.apply(&position, column, ());
                let expected = plainly(&game, &after).for_previous_mover();
                assert_eq!(verdict, expected, "{width}×{height}, {columns}, {column}");
            }
        }
    }
}
