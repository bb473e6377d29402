//! The tree of one search: nodes, positions, edges and chance branches in vectors, referred to by index.
//!
//! A simulation selects (`select`), expands (`expand`) and backs up the result (`backup`). Between two plies the
//! reachable part of a tree is kept (`reroot`). The module `result` summarises the trees.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use hashbrown::HashTable;
use rand::{Rng, RngExt};
use rustc_hash::FxBuildHasher;

use super::PuctParameters;
use crate::game::{ByPlayer, Game, Player};
use crate::search::{LeafBatch, OpponentModels, PositionEvaluator, StopToken, WinShares};

mod backup;
mod expand;
mod reroot;
mod result;
mod select;

use expand::normalise;
pub(super) use result::{SearchCost, collect_result};

/// The maximum number of actions and outcomes in a tree: 100 MiB at about 50 bytes each, including nodes. A search ends
/// when its tree is full.
pub(super) const MAX_CAPACITY: usize = 1 << 21;

/// A growing vector allocates up to twice its length.
const SLACK: usize = 2;

/// The maximum number of consecutive forced steps in a simulation, which follows a predicted action without a choice.
/// The searching player may be out of the game while the others play on indefinitely.
const MAX_FORCED_STEPS: usize = 60;

/// The number of simulations between two reads of the stop flag.
const STOP_CHECK_INTERVAL: u64 = 16;

/// The statistics of a visited position. The position itself is in a separate vector at the same index, because most
/// simulations only pass through a node without reading the position.
#[derive(Clone)]
struct SearchNode {
    /// Turns since the root: a position that recurs in a later turn is a different node.
    turn: u16,
    mover: Player,
    is_solved: bool,
    /// Whether all actions have been evaluated; the priors are then based on their values, except where the mover has a
    /// model.
    is_evaluated: bool,
    /// The number of visits, including the evaluation of the node itself.
    visits: u32,
    /// The expected shares: the mean over the visits.
    shares: WinShares,
    /// The edges of the node: none at first, then perhaps one that was tried, finally all.
    edges: Range<u32>,
    /// Whether the edges contain all actions, or all predicted ones.
    has_all_edges: bool,
    /// Whether a model predicts the mover: the priors are then the predicted probabilities.
    is_modelled: bool,
}

#[derive(Clone)]
struct SearchEdge<A> {
    action: A,
    prior: f32,
    visits: u32,
    is_solved: bool,
    /// The expected shares over the outcomes, as of the last visit.
    shares: WinShares,
    branches: Range<u32>,
}

impl<A> SearchEdge<A> {
    /// An action that has not been tried; its shares are initialised with those of the node.
    fn new(action: A, prior: f32, shares: WinShares) -> Self {
        SearchEdge {
            action,
            prior,
            visits: 0,
            is_solved: false,
            shares,
            branches: 0..0,
        }
    }
}

struct ChanceEdge {
    probability: f32,
    visits: u32,
    /// [`UNVISITED`] before the first visit.
    node: u32,
    is_solved: bool,
    /// Whether the outcome passes the turn to another player.
    passes_turn: bool,
    /// The evaluation before the first visit, or the result of the game.
    shares: WinShares,
}

/// The index of a node that does not exist yet.
const UNVISITED: u32 = u32::MAX;

/// One step of a simulation: a node, the selected edge and the selected branch.
struct PathStep {
    node: u32,
    edge: u32,
    branch: u32,
}

/// The root is node 0.
pub(super) struct SearchTree<G: Game> {
    nodes: Vec<SearchNode>,
    positions: Vec<G::Position>,
    edges: Vec<SearchEdge<G::Action>>,
    branches: Vec<ChanceEdge>,
    /// The hash and index of each node, keyed by position and turn.
    node_index: HashTable<(u64, u32)>,
    /// Equal shares for all players.
    equal_shares: WinShares,
    /// The models of the opponents; the player at the root has none.
    opponents: OpponentModels<G>,
    pub(super) capacity: usize,
    /// Positions evaluated since the last [`SearchCost`].
    evaluated: u64,
    /// Kept between simulations, like `path`, to reuse its memory.
    leaves: LeafBatch<G>,
    path: Vec<PathStep>,
}

impl<G: Game> SearchTree<G> {
    pub(super) fn new(
        game: &G,
        position: &G::Position,
        evaluator: &impl PositionEvaluator<G>,
        opponents: OpponentModels<G>,
    ) -> Self {
        let mut tree = SearchTree {
            nodes: Vec::new(),
            positions: Vec::new(),
            edges: Vec::new(),
            branches: Vec::new(),
            node_index: HashTable::new(),
            equal_shares: WinShares::default(),
            opponents,
            capacity: MAX_CAPACITY,
            evaluated: 0,
            leaves: LeafBatch::default(),
            path: Vec::new(),
        };
        tree.reset(game, position, evaluator);
        tree
    }

    /// Clears the tree and sets a new root; the memory is reused.
    pub(super) fn reset(
        &mut self,
        game: &G,
        position: &G::Position,
        evaluator: &impl PositionEvaluator<G>,
    ) {
        self.nodes.clear();
        self.positions.clear();
        self.edges.clear();
        self.branches.clear();
        self.node_index.clear();
        self.equal_shares = equal_shares(game.players());
        self.evaluated = 1;
        let shares = evaluator.win_shares(game, position);
        self.get_or_create_node(game, position.clone(), 0, shares);
    }

    /// The maximum memory of a tree with this capacity, in bytes.
    pub(super) fn max_bytes(capacity: usize) -> usize {
        let edge_bytes = size_of::<SearchEdge<G::Action>>().max(size_of::<ChanceEdge>());
        // An estimate: a node has several actions, each with at least one outcome.
        const EDGES_PER_NODE: usize = 4;
        let node_bytes =
            size_of::<SearchNode>() + size_of::<G::Position>() + 2 * size_of::<(u64, u32)>();
        SLACK * capacity * (edge_bytes + node_bytes.div_ceil(EDGES_PER_NODE))
    }

    /// Simulates until the root has this number of visits or is solved, the tree is full, or a stop is requested.
    pub(super) fn run_simulations(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
        simulations: u64,
        stop: &StopToken,
    ) -> SearchCost {
        let mut simulations_done = 0;
        self.expand_root(game, evaluator, parameters);
        while u64::from(self.nodes[0].visits) < simulations.saturating_add(1)
            && !self.nodes[0].is_solved
            && self.edge_count() < self.capacity
        {
            if simulations_done % STOP_CHECK_INTERVAL == STOP_CHECK_INTERVAL - 1 {
                if stop.check() {
                    break;
                }
                if let Some(progress) = stop.progress().filter(|progress| progress.take_request()) {
                    let cost = SearchCost {
                        simulations: simulations_done,
                        nodes: self.evaluated,
                    };
                    progress
                        .publish(collect_result(std::slice::from_ref(self), cost).to_progress());
                }
            }
            self.run_simulation(game, evaluator, parameters);
            simulations_done += 1;
        }
        SearchCost {
            simulations: simulations_done,
            nodes: std::mem::take(&mut self.evaluated),
        }
    }

    fn edge_count(&self) -> usize {
        self.edges.len() + self.branches.len()
    }

    fn expand_root(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
    ) {
        self.add_all_actions(game, evaluator, parameters, 0);
        if !self.nodes[0].is_evaluated {
            self.evaluate_all(game, evaluator, parameters, 0);
        }
    }

    /// Multiplies the priors of the root by random factors, so that each tree searches differently.
    pub(super) fn perturb_root_priors(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
        rng: &mut impl Rng,
    ) {
        self.expand_root(game, evaluator, parameters);
        let edges = index_range(&self.nodes[0].edges);
        for edge in &mut self.edges[edges.clone()] {
            edge.prior *= 0.5 + rng.random::<f32>();
        }
        normalise(&mut self.edges[edges]);
    }

    /// One simulation: selects a path to an untried action, evaluates it and backs up the result.
    fn run_simulation(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
    ) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let (mut node_index, mut forced_steps) = (0, 0);
        while !self.nodes[node_index as usize].is_solved {
            if self.nodes[node_index as usize].edges.is_empty() {
                self.add_predicted(game, node_index);
            }
            if self.nodes[node_index as usize].edges.is_empty()
                && parameters.tries_one_action_first()
            {
                self.add_highest_prior(game, evaluator, node_index);
            } else {
                self.add_all_actions(game, evaluator, parameters, node_index);
            }
            let node = &self.nodes[node_index as usize];
            // A single predicted action is forced; the simulation continues to the next choice or chance.
            let is_forced = node.is_modelled && node.edges.len() == 1;
            let expands_fully = match node.is_modelled {
                true => !is_forced,
                false => node.visits >= parameters.full_expansion_visits,
            };
            let expands_fully = expands_fully && !node.is_evaluated;
            if expands_fully {
                self.evaluate_all(game, evaluator, parameters, node_index);
            }
            let edge = self.select_edge(node_index, parameters);
            let is_untried = self.edges[edge as usize].branches.is_empty();
            if is_untried {
                self.evaluate(game, evaluator, parameters, node_index, edge..edge + 1);
            }
            let branch = self.select_outcome(edge);
            path.push(PathStep {
                node: node_index,
                edge,
                branch,
            });
            forced_steps = if is_forced { forced_steps + 1 } else { 0 };
            // The branch may have been solved through a transposition; then only this edge is updated.
            let is_new = expands_fully || is_untried && !is_forced;
            let is_too_deep = forced_steps == MAX_FORCED_STEPS;
            if is_new || is_too_deep || self.is_solved(&self.branches[branch as usize]) {
                break;
            }
            node_index = self.get_or_create_child(game, node_index, edge, branch);
        }
        for step in path.iter().rev() {
            self.backup_step(parameters, step);
        }
        self.path = path;
    }

    fn is_solved(&self, branch: &ChanceEdge) -> bool {
        branch.is_solved || branch.node != UNVISITED && self.nodes[branch.node as usize].is_solved
    }

    fn index_of(&self, position: &G::Position, turn: u16, hash: u64) -> Option<u32> {
        let is_equal = |&(other_hash, index): &(u64, u32)| {
            let (other_turn, other_position) = (
                self.nodes[index as usize].turn,
                &self.positions[index as usize],
            );
            other_hash == hash && other_turn == turn && other_position == position
        };
        self.node_index
            .find(hash, is_equal)
            .map(|&(_, index)| index)
    }
}

fn equal_shares(players: u8) -> WinShares {
    ByPlayer::for_players(players, |_| 1.0 / f32::from(players))
}

fn hash(position: &impl Hash, turn: u16) -> u64 {
    FxBuildHasher.hash_one((position, turn))
}

#[inline]
fn combine(a: WinShares, b: WinShares, f: impl Fn(f32, f32) -> f32) -> WinShares {
    ByPlayer::from_fn(|player| f(a[player], b[player]))
}

fn index_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

#[cfg(test)]
mod tests;
