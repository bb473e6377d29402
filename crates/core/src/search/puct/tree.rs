//! The tree of one search: nodes with their positions, edges and branches in lists, referred to by their indices.
//!
//! A simulation selects (`select`), expands (`expand`) and backs up what it found (`backup`). Between two plies the part
//! of a tree is kept that can still follow (`reroot`). What was found is told (`result`).

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
pub(super) use result::{SearchCost, findings};

/// The most actions and outcomes of a tree, at some 50 bytes each, the nodes between them included:
/// 100 MiB. A search that gets there ends.
pub(super) const MOST_PARTS: usize = 1 << 21;

/// Lists that grow take up to twice what is in them.
const SLACK: usize = 2;

/// So many choices in a row are followed that are foretold. Somebody who is out of the game never chooses again, and
/// those who go on may do so for ever.
const MOST_FOLLOWED: usize = 60;

/// How many simulations are done between two looks at the flag that ends the search.
const STOP_CHECK_INTERVAL: u64 = 16;

/// What was found out about a visited position. The position itself is in a list of its own, at the
/// same index, because a simulation that only passes through does not look at it.
#[derive(Clone)]
struct SearchNode {
    /// Turns since the root: a position that comes back in a later turn is another node.
    turn: u16,
    mover: Player,
    /// The shares are exact: enough of what can follow is solved.
    is_solved: bool,
    /// All actions are evaluated; where they are chosen, their priors tell how they compare.
    is_evaluated: bool,
    /// The forecast of the node itself counts as one.
    visits: u32,
    /// What each player may expect: the mean over the visits.
    shares: WinShares,
    /// Its actions: none at first, then perhaps the one that was tried, then all.
    edges: Range<u32>,
    /// All actions are among the edges, or all that are foretold.
    is_listed: bool,
    /// It is known what its mover may do: the priors of its edges are the probabilities.
    is_foretold: bool,
}

/// An action of a node.
#[derive(Clone)]
struct SearchEdge<A> {
    action: A,
    prior: f32,
    visits: u32,
    is_solved: bool,
    /// The expectation over the outcomes, as of the last visit.
    shares: WinShares,
    branches: Range<u32>,
}

impl<A> SearchEdge<A> {
    /// An action that was not tried yet: it is expected to be worth what its node is.
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

/// An outcome of an action.
struct ChanceEdge {
    probability: f32,
    visits: u32,
    /// [`UNVISITED`] before the first visit.
    node: u32,
    is_solved: bool,
    /// Whether another player's turn begins with it.
    is_later: bool,
    /// As evaluated without a visit, or as the game ended.
    shares: WinShares,
}

/// Stands for the index of a node that is not made yet.
const UNVISITED: u32 = u32::MAX;

/// One step of a simulation: from a node by an edge, and by which of its branches.
struct PathStep {
    node: u32,
    edge: u32,
    branch: u32,
}

/// The tree of one search; the root is the first node.
pub(super) struct SearchTree<G: Game> {
    nodes: Vec<SearchNode>,
    positions: Vec<G::Position>,
    edges: Vec<SearchEdge<G::Action>>,
    branches: Vec<ChanceEdge>,
    /// Nodes by position and turn, with the hash of both.
    places: HashTable<(u64, u32)>,
    /// The share of each player when nobody is ahead.
    equal: WinShares,
    /// Whose choices are foreseen; never those of the player at the root.
    opponents: OpponentModels<G>,
    pub(super) most_parts: usize,
    /// Positions evaluated since the last report.
    evaluated: u64,
    /// Kept, like the next, only so that its memory is used again.
    leaves: LeafBatch<G>,
    path: Vec<PathStep>,
}

impl<G: Game> SearchTree<G> {
    /// A tree of nothing but its root.
    pub(super) fn new(
        game: &G,
        position: &G::Position,
        forecast: &impl PositionEvaluator<G>,
        opponents: OpponentModels<G>,
    ) -> Self {
        let mut tree = SearchTree {
            nodes: Vec::new(),
            positions: Vec::new(),
            edges: Vec::new(),
            branches: Vec::new(),
            places: HashTable::new(),
            equal: WinShares::default(),
            opponents,
            most_parts: MOST_PARTS,
            evaluated: 0,
            leaves: LeafBatch::default(),
            path: Vec::new(),
        };
        tree.start(game, position, forecast);
        tree
    }

    /// Forgets everything and starts with a new root; the memory is used again.
    pub(super) fn start(
        &mut self,
        game: &G,
        position: &G::Position,
        forecast: &impl PositionEvaluator<G>,
    ) {
        self.nodes.clear();
        self.positions.clear();
        self.edges.clear();
        self.branches.clear();
        self.places.clear();
        self.equal = equal(game.players());
        self.evaluated = 1;
        let shares = forecast.win_shares(game, position);
        self.node(game, position.clone(), 0, shares);
    }

    /// How many bytes a tree takes at most that has so many parts.
    pub(super) fn most_bytes(parts: usize) -> usize {
        let part = size_of::<SearchEdge<G::Action>>().max(size_of::<ChanceEdge>());
        // A node has several actions, and each of them an outcome.
        const PARTS_A_NODE: usize = 4;
        let node = size_of::<SearchNode>() + size_of::<G::Position>() + 2 * size_of::<(u64, u32)>();
        SLACK * parts * (part + node.div_ceil(PARTS_A_NODE))
    }

    /// Simulates until the root has so many visits or is solved, the tree is full, or the flag is raised.
    pub(super) fn run_simulations(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        tuning: &PuctParameters,
        simulations: u64,
        stop: &StopToken,
    ) -> SearchCost {
        let mut done = 0;
        self.expand_root(game, forecast, tuning);
        while u64::from(self.nodes[0].visits) < simulations.saturating_add(1)
            && !self.nodes[0].is_solved
            && self.edge_count() < self.most_parts
        {
            if done % STOP_CHECK_INTERVAL == STOP_CHECK_INTERVAL - 1 {
                if stop.is_stop_requested() {
                    break;
                }
                if let Some(watch) = stop.watch().filter(|watch| watch.take_request()) {
                    let done = SearchCost {
                        simulations: done,
                        nodes: self.evaluated,
                    };
                    watch.publish(findings(std::slice::from_ref(self), done).to_progress());
                }
            }
            self.simulate(game, forecast, tuning);
            done += 1;
        }
        SearchCost {
            simulations: done,
            nodes: std::mem::take(&mut self.evaluated),
        }
    }

    fn edge_count(&self) -> usize {
        self.edges.len() + self.branches.len()
    }

    /// Lists and evaluates all actions of the root.
    fn expand_root(&mut self, game: &G, forecast: &impl PositionEvaluator<G>, tuning: &PuctParameters) {
        self.add_all_actions(game, forecast, tuning, 0);
        if !self.nodes[0].is_evaluated {
            self.evaluate_all(game, forecast, tuning, 0);
        }
    }

    /// Perturbs the priors of the root, so that they differ from those of other trees.
    pub(super) fn perturb_root_priors(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        tuning: &PuctParameters,
        rng: &mut impl Rng,
    ) {
        self.expand_root(game, forecast, tuning);
        let edges = places(&self.nodes[0].edges);
        for edge in &mut self.edges[edges.clone()] {
            edge.prior *= 0.5 + rng.random::<f32>();
        }
        normalise(&mut self.edges[edges]);
    }

    /// One simulation: down to an action that was not tried, and back up with its evaluation.
    fn simulate(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        tuning: &PuctParameters,
    ) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let (mut at, mut followed) = (0, 0);
        while !self.nodes[at as usize].is_solved {
            if self.nodes[at as usize].edges.is_empty() {
                self.add_predicted(game, at);
            }
            if self.nodes[at as usize].edges.is_empty() && tuning.tries_first() {
                self.add_highest_prior(game, forecast, at);
            } else {
                self.add_all_actions(game, forecast, tuning, at);
            }
            let node = &self.nodes[at as usize];
            // Where nobody chooses, and nothing is drawn, the simulation goes on to somebody who does.
            let is_sure = node.is_foretold && node.edges.len() == 1;
            let is_due = match node.is_foretold {
                true => !is_sure,
                false => node.visits >= tuning.full_expansion_visits,
            };
            let is_due = is_due && !node.is_evaluated;
            if is_due {
                self.evaluate_all(game, forecast, tuning, at);
            }
            let edge = self.select(at, tuning);
            let is_untried = self.edges[edge as usize].branches.is_empty();
            if is_untried {
                self.evaluate(game, forecast, tuning, at, edge);
            }
            let branch = self.outcome(edge);
            path.push(PathStep {
                node: at,
                edge,
                branch,
            });
            // What follows may have been solved by another way; then this edge is only brought up to date.
            followed = if is_sure { followed + 1 } else { 0 };
            let is_new = is_due || is_untried && !is_sure;
            let is_far = followed == MOST_FOLLOWED;
            if is_new || is_far || self.is_solved(&self.branches[branch as usize]) {
                break;
            }
            at = self.get_or_create_child(game, at, edge, branch);
        }
        for step in path.iter().rev() {
            self.backup_step(tuning, step);
        }
        self.path = path;
    }

    fn is_solved(&self, branch: &ChanceEdge) -> bool {
        branch.is_solved || branch.node != UNVISITED && self.nodes[branch.node as usize].is_solved
    }

    fn index_of(&self, position: &G::Position, turn: u16, hash: u64) -> Option<u32> {
        let is_it = |&(other, place): &(u64, u32)| {
            let (turn_there, there) = (
                self.nodes[place as usize].turn,
                &self.positions[place as usize],
            );
            other == hash && turn_there == turn && there == position
        };
        self.places.find(hash, is_it).map(|&(_, place)| place)
    }
}

fn equal(players: u8) -> WinShares {
    ByPlayer::from_fn(|player| {
        if player.number() < players {
            1.0 / f32::from(players)
        } else {
            0.0
        }
    })
}

fn hash(position: &impl Hash, turn: u16) -> u64 {
    FxBuildHasher.hash_one((position, turn))
}

#[inline]
fn with(a: WinShares, b: WinShares, mix: impl Fn(f32, f32) -> f32) -> WinShares {
    ByPlayer::from_fn(|player| mix(a[player], b[player]))
}

fn places(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

#[cfg(test)]
mod tests;
