//! The agent of the level `perfect`: it plays what the [solver](super::solver) proves, and compares what is not proven
//! by a search.

use std::cmp::Ordering;

use rand::RngExt;

use super::agents::search_analyser;
use super::evaluator::{ThreatEvaluator, shares_of_two};
use super::solver::{ScoreBounds, Solver};
use super::{Column, Position, Trilobite};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{Agent, AgentRng, ChosenAction, SearchLimit};
use dice_of_doom_core::move_analysis::MoveAnalyser;
use dice_of_doom_core::search::{ActionProgress, PositionEvaluator, SearchProgress, StopToken};

/// The default budget of a choice, in positions: about a second.
const DEFAULT_NODES: u64 = 3_000_000;

/// The positions to search before the estimates if only time limits the search.
const NODES_BEFORE_ESTIMATES: u64 = 30_000;

const TABLE_BYTES: usize = 64 << 20;

/// The most simulations for all moves of a position.
const MAX_SIMULATIONS: u64 = 20_000;

/// Keeps the solver of a game, and what it has proven, for later plies.
#[derive(Default)]
pub(super) struct PerfectAgent {
    solver: Option<(Trilobite, Solver)>,
}

impl PerfectAgent {
    fn solver(&mut self, game: &Trilobite) -> &mut Solver {
        let kept = self.solver.take().filter(|(of, _)| of == game);
        let kept = kept.unwrap_or_else(|| {
            let mut solver = Solver::new(game, TABLE_BYTES);
            solver.use_book(true);
            (*game, solver)
        });
        &mut self.solver.insert(kept).1
    }
}

impl Agent<Trilobite> for PerfectAgent {
    fn choose_action(
        &mut self,
        game: &Trilobite,
        position: &Position,
        limit: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenAction<Column> {
        let solver = self.solver(game);
        let mover = position.player();
        let max_nodes = match limit {
            SearchLimit::Default => DEFAULT_NODES,
            SearchLimit::Simulations(nodes) => nodes.get(),
            SearchLimit::Infinite => NODES_BEFORE_ESTIMATES,
        };
        let solved = solver.solve_best_move(position, max_nodes, stop);
        let (mut moves, mut nodes) = (solved.moves, solved.nodes);
        let mut estimates = None;
        if !is_decided(&moves) {
            let simulations = max_nodes.min(MAX_SIMULATIONS);
            estimates = searched_shares(game, position, simulations, stop);
            nodes += estimates.as_ref().map_or(0, |_| simulations);
            if limit == SearchLimit::Infinite {
                let solved = solver.solve_best_move(position, u64::MAX, stop);
                nodes += solved.nodes;
                for ((_, bounds), (_, proven)) in moves.iter_mut().zip(solved.moves) {
                    *bounds = bounds.and(proven);
                }
            }
        }
        let estimates = estimates.unwrap_or_else(|| one_ply_shares(game, position));
        let moves = moves.into_iter().zip(estimates);
        let moves = moves.map(|((column, bounds), estimate)| RatedMove {
            column,
            bounds,
            share: estimate.clamp(share_of(bounds.lower), share_of(bounds.upper)),
        });
        let moves: Vec<RatedMove> = moves.collect();
        let chosen = best_move(&moves, rng);
        let shares = shares_of_two(mover, chosen.share);
        if let Some(progress) = stop.progress() {
            let actions = moves.iter().map(|rated| ActionProgress {
                visits: 1,
                shares: shares_of_two(mover, rated.share),
            });
            progress.publish(SearchProgress {
                simulations: nodes,
                shares,
                actions: actions.collect(),
            });
        }
        let mut others = moves.iter().filter(|other| other.column != chosen.column);
        ChosenAction {
            action: chosen.column,
            shares: Some(shares),
            nodes,
            is_exact: others.all(|other| other.bounds.upper <= chosen.bounds.lower),
        }
    }

    fn max_memory_bytes(&self, game: &Trilobite, _: SearchLimit) -> usize {
        TABLE_BYTES + search_analyser().max_bytes(game, MAX_SIMULATIONS)
    }
}

#[derive(Clone, Copy)]
struct RatedMove {
    column: Column,
    bounds: ScoreBounds,
    /// The mover's win share: proven, or estimated within the bounds.
    share: f32,
}

impl RatedMove {
    /// By win share. The proven minimum decides between equal ones: the earliest of wins, the latest of losses, and a
    /// proven draw before what may be less.
    fn compare(&self, other: &Self) -> Ordering {
        let shares = self.share.total_cmp(&other.share);
        shares.then(self.bounds.lower.cmp(&other.bounds.lower))
    }
}

/// One of the best moves, chosen at random.
fn best_move(moves: &[RatedMove], rng: &mut AgentRng) -> RatedMove {
    let best = moves.iter().max_by(|one, other| one.compare(other));
    let best = best.expect("an unfinished game has a move");
    let as_good = moves.iter().filter(|other| other.compare(best).is_eq());
    let as_good: Vec<&RatedMove> = as_good.collect();
    *as_good[rng.random_range(0..as_good.len())]
}

/// Whether the choice needs no estimates.
fn is_decided(moves: &[(Column, ScoreBounds)]) -> bool {
    let bounds = moves.iter().map(|&(_, bounds)| bounds);
    let best = ScoreBounds::of_best(bounds).unwrap_or(ScoreBounds::UNKNOWN);
    best.winner().is_some()
}

/// The mover's win share with this score.
fn share_of(score: i32) -> f32 {
    match score {
        0 => 0.5,
        1.. => 1.0,
        _ => 0.0,
    }
}

/// The mover's win share after each move as a search estimates it; `None` if it was stopped.
fn searched_shares(
    game: &Trilobite,
    position: &Position,
    simulations: u64,
    stop: &StopToken,
) -> Option<Vec<f32>> {
    // Its progress is that of the positions after the moves.
    let stop = stop.attach_progress();
    let analyses = search_analyser().analyse(game, position, simulations, &stop)?;
    let shares = analyses.iter();
    let shares = shares.map(|analysis| analysis.shares[position.player()]);
    Some(shares.collect())
}

/// The mover's win share after each move, evaluated one ply ahead.
fn one_ply_shares(game: &Trilobite, position: &Position) -> Vec<f32> {
    let share = |column| {
        let after = game.apply(position, column, ());
        ThreatEvaluator.value(game, &after)[position.player()]
    };
    game.legal_actions(position).map(share).collect()
}
