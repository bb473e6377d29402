//! The tree of one search: nodes, edges and branches in three lists, found by their places in them.

use std::hash::BuildHasher;
use std::ops::{Add, Range};

use hashbrown::HashTable;
use rand::{Rng, RngExt};
use rustc_hash::FxBuildHasher;

use super::{Findings, Rated, Tuning};
use crate::game::{ByPlayer, Game, Player, Status};
use crate::search::{Forecast, Shares, Stop, results};

/// The most nodes of a tree: some 150 MB. A search that gets there ends.
const MOST_NODES: usize = 400_000;

/// How many simulations lie between two looks at the flag that ends the search.
const BETWEEN_LOOKS: u64 = 16;

/// A position with what is known of it.
struct Node<G: Game> {
    position: G::Position,
    /// Turns since the root: a position may come back in a later turn, and is another node then.
    turn: u16,
    mover: Player,
    /// The value is exact: the game is over, or all that can follow is known.
    is_known: bool,
    /// The own forecast counts as one.
    visits: u32,
    /// What each player may expect: the mean over the visits.
    shares: Shares,
    /// Its actions; empty until the node is visited again.
    edges: Range<u32>,
}

/// An action of a node.
struct Edge<A> {
    action: A,
    prior: f32,
    visits: u32,
    is_known: bool,
    /// The expectation over the outcomes, as of the last visit.
    shares: Shares,
    /// Its outcomes; empty until the action is tried.
    branches: Range<u32>,
}

/// An outcome of an action.
struct Branch {
    probability: f32,
    visits: u32,
    node: u32,
}

/// What a search cost.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    simulations: u64,
    nodes: u64,
}

impl Add for Done {
    type Output = Done;
    fn add(self, other: Done) -> Done {
        Done {
            simulations: self.simulations + other.simulations,
            nodes: self.nodes + other.nodes,
        }
    }
}

/// One step of a simulation: from a node by an edge, and by which of its branches.
struct Step {
    node: u32,
    edge: u32,
    branch: u32,
}

/// The tree of one search; the root is the first node.
pub(super) struct Tree<G: Game> {
    nodes: Vec<Node<G>>,
    edges: Vec<Edge<G::Action>>,
    branches: Vec<Branch>,
    /// Nodes by position and turn.
    places: HashTable<u32>,
    hasher: FxBuildHasher,
    // Kept only to be used again.
    path: Vec<Step>,
    actions: Vec<G::Action>,
    priors: Vec<f32>,
}

impl<G: Game> Tree<G> {
    /// A tree of nothing but its root.
    pub(super) fn new(game: &G, position: &G::Position, forecast: &impl Forecast<G>) -> Self {
        let mut tree = Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            branches: Vec::new(),
            places: HashTable::new(),
            hasher: FxBuildHasher,
            path: Vec::new(),
            actions: Vec::new(),
            priors: Vec::new(),
        };
        tree.node(game, forecast, position.clone(), 0);
        tree
    }

    /// Simulates until the root has so many visits, is known, or the flag is raised.
    ///
    /// Each action of the root is looked at whatever the flag says, if there is any budget at all.
    pub(super) fn grow(
        &mut self,
        game: &G,
        forecast: &impl Forecast<G>,
        tuning: &Tuning,
        simulations: u64,
        stop: &Stop,
    ) -> Done {
        let (mut done, before) = (0, self.nodes.len());
        self.expand(game, forecast, 0);
        while u64::from(self.nodes[0].visits) < simulations.saturating_add(1)
            && !self.nodes[0].is_known
            && self.nodes.len() < MOST_NODES
        {
            if done % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 && stop.is_raised() {
                break;
            }
            self.simulate(game, forecast, tuning);
            done += 1;
        }
        Done {
            simulations: done,
            nodes: (self.nodes.len() - before) as u64,
        }
    }

    /// Makes the root's priors differ from those of another tree.
    pub(super) fn regard_otherwise(
        &mut self,
        game: &G,
        forecast: &impl Forecast<G>,
        rng: &mut impl Rng,
    ) {
        self.expand(game, forecast, 0);
        let edges = self.nodes[0].edges.clone();
        for edge in &mut self.edges[places(&edges)] {
            edge.prior *= 0.5 + rng.random::<f32>();
        }
        normalise(&mut self.edges[places(&edges)]);
    }

    /// Goes on from a position that the tree knows in the root's turn. False: it does not.
    ///
    /// What cannot follow any more is freed.
    pub(super) fn advance(&mut self, position: &G::Position) -> bool {
        let Some(root) = self.place_of(position, 0) else {
            return false;
        };
        if root != 0 {
            self.keep_from(root);
        }
        true
    }

    /// One simulation: down to something untried, and back with what it showed.
    fn simulate(&mut self, game: &G, forecast: &impl Forecast<G>, tuning: &Tuning) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let mut at = 0;
        while !self.nodes[at as usize].is_known {
            self.expand(game, forecast, at);
            let edge = self.select(at, tuning);
            let is_new = self.edges[edge as usize].branches.is_empty();
            if is_new {
                self.open(game, forecast, at, edge);
            }
            let branch = self.furthest_behind(edge);
            path.push(Step {
                node: at,
                edge,
                branch,
            });
            if is_new || self.edges[edge as usize].is_known {
                break;
            }
            at = self.branches[branch as usize].node;
        }
        for step in path.iter().rev() {
            self.count(step);
        }
        self.path = path;
    }

    /// Lists the actions of a node that has none yet.
    fn expand(&mut self, game: &G, forecast: &impl Forecast<G>, at: u32) {
        let node = &mut self.nodes[at as usize];
        if node.is_known || !node.edges.is_empty() {
            return;
        }
        self.actions.clear();
        self.actions.extend(game.actions(&node.position));
        self.priors.clear();
        forecast.priors(game, &node.position, &self.actions, &mut self.priors);
        debug_assert_eq!(self.actions.len(), self.priors.len());
        let first = self.edges.len() as u32;
        let both = self.actions.iter().zip(&self.priors);
        self.edges.extend(both.map(|(&action, &prior)| Edge {
            action,
            prior,
            visits: 0,
            is_known: false,
            shares: Shares::default(),
            branches: 0..0,
        }));
        node.edges = first..self.edges.len() as u32;
        normalise(&mut self.edges[first as usize..]);
    }

    /// The edge to go by: PUCT, from the mover's view.
    fn select(&self, at: u32, tuning: &Tuning) -> u32 {
        let node = &self.nodes[at as usize];
        let mover = node.mover;
        let reach = tuning.exploration * (node.visits as f32).sqrt();
        let untried = node.shares[mover] - tuning.caution;
        let (mut best, mut best_score) = (node.edges.start, f32::NEG_INFINITY);
        let edges = &self.edges[places(&node.edges)];
        for (place, edge) in (node.edges.start..).zip(edges) {
            let value = if edge.visits == 0 {
                untried
            } else {
                edge.shares[mover]
            };
            // What is known needs no further look; it is taken where it is the best.
            let bonus = if edge.is_known {
                0.0
            } else {
                reach * edge.prior / (1 + edge.visits) as f32
            };
            if value + bonus > best_score {
                (best, best_score) = (place, value + bonus);
            }
        }
        best
    }

    /// Tries an action for the first time: judges each of its outcomes.
    fn open(&mut self, game: &G, forecast: &impl Forecast<G>, at: u32, edge: u32) {
        let Node {
            position,
            turn,
            mover,
            ..
        } = &self.nodes[at as usize];
        let (position, turn, mover) = (position.clone(), *turn, *mover);
        let action = self.edges[edge as usize].action;
        let first = self.branches.len() as u32;
        for (outcome, probability) in game.lottery(&position, action) {
            let after = game.play(&position, action, outcome);
            let goes_on = game.status(&after).mover() == Some(mover);
            let turn = if goes_on { turn } else { turn + 1 };
            let node = self.node(game, forecast, after, turn);
            self.branches.push(Branch {
                probability: probability as f32,
                visits: 0,
                node,
            });
        }
        self.edges[edge as usize].branches = first..self.branches.len() as u32;
    }

    /// The outcome that was looked at least, measured by its probability.
    fn furthest_behind(&self, edge: u32) -> u32 {
        let edge = &self.edges[edge as usize];
        let next = (edge.visits + 1) as f32;
        let (mut furthest, mut most) = (edge.branches.start, f32::NEG_INFINITY);
        let branches = &self.branches[places(&edge.branches)];
        for (place, branch) in (edge.branches.start..).zip(branches) {
            let behind = branch.probability * next - branch.visits as f32;
            let is_known = self.nodes[branch.node as usize].is_known;
            if behind > most && (!is_known || edge.is_known) {
                (furthest, most) = (place, behind);
            }
        }
        furthest
    }

    /// Counts a visit and what it showed.
    fn count(&mut self, step: &Step) {
        self.branches[step.branch as usize].visits += 1;
        let edge = &mut self.edges[step.edge as usize];
        let mut shares = Shares::default();
        let mut is_known = true;
        for branch in &self.branches[places(&edge.branches)] {
            let child = &self.nodes[branch.node as usize];
            is_known &= child.is_known;
            shares = with(shares, child.shares, |sum, share| {
                sum + branch.probability * share
            });
        }
        let (visits, before) = (edge.visits as f32, edge.shares);
        edge.visits += 1;
        edge.shares = shares;
        edge.is_known = is_known;
        let node = &mut self.nodes[step.node as usize];
        // The part of this edge in the node's sum is replaced: visits × before by (visits + 1) × shares.
        let all = node.visits as f32;
        node.visits += 1;
        let gained = with(shares, before, |now, then| {
            (visits + 1.0) * now - visits * then
        });
        node.shares = with(node.shares, gained, |mean, gain| {
            (mean * all + gain) / (all + 1.0)
        });
        if is_known {
            self.conclude(step.node);
        }
    }

    /// Marks a node as known if what follows leaves nothing open for its mover.
    fn conclude(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let mover = node.mover;
        let edges = &self.edges[places(&node.edges)];
        let mut known = edges.iter().filter(|edge| edge.is_known);
        let best = known
            .by_ref()
            .map(|edge| edge.shares)
            .max_by(|a, b| a[mover].total_cmp(&b[mover]));
        let Some(best) = best else { return };
        // Nothing beats a sure win; a little is left for rounding.
        let is_won = best[mover] > 1.0 - 1e-6;
        if is_won || edges.iter().all(|edge| edge.is_known) {
            let node = &mut self.nodes[at as usize];
            node.is_known = true;
            node.shares = best;
        }
    }

    /// The node of a position, made and judged if it is new.
    fn node(
        &mut self,
        game: &G,
        forecast: &impl Forecast<G>,
        position: G::Position,
        turn: u16,
    ) -> u32 {
        let hash = self.hasher.hash_one((&position, turn));
        let nodes = &self.nodes;
        let is_it = |&place: &u32| {
            let node = &nodes[place as usize];
            node.turn == turn && node.position == position
        };
        if let Some(&place) = self.places.find(hash, is_it) {
            return place;
        }
        let (mover, shares, is_known) = match game.status(&position) {
            Status::Turn(mover) => (mover, forecast.shares(game, &position), false),
            Status::Over(payoffs) => (Player::FIRST, results(payoffs), true),
        };
        let place = self.nodes.len() as u32;
        self.nodes.push(Node {
            position,
            turn,
            mover,
            is_known,
            visits: 1,
            shares,
            edges: 0..0,
        });
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        self.places.insert_unique(hash, place, |&place| {
            let node = &nodes[place as usize];
            hasher.hash_one((&node.position, node.turn))
        });
        place
    }

    fn place_of(&self, position: &G::Position, turn: u16) -> Option<u32> {
        let hash = self.hasher.hash_one((position, turn));
        let is_it = |&place: &u32| {
            let node = &self.nodes[place as usize];
            node.turn == turn && node.position == *position
        };
        self.places.find(hash, is_it).copied()
    }

    /// Makes another node the root and keeps what can be reached from it, in the order it is met.
    fn keep_from(&mut self, root: u32) {
        const UNMET: u32 = u32::MAX;
        let mut new_places = vec![UNMET; self.nodes.len()];
        let mut met = vec![root];
        new_places[root as usize] = 0;
        let (mut edges, mut branches) = (Vec::new(), Vec::new());
        let mut next = 0;
        let mut old_nodes: Vec<Option<Node<G>>> = std::mem::take(&mut self.nodes)
            .into_iter()
            .map(Some)
            .collect();
        let mut old_edges: Vec<Option<Edge<G::Action>>> = std::mem::take(&mut self.edges)
            .into_iter()
            .map(Some)
            .collect();
        while let Some(&old) = met.get(next) {
            next += 1;
            let mut node = old_nodes[old as usize].take().expect("met once");
            let first_edge = edges.len() as u32;
            for at in places(&node.edges) {
                let mut edge = old_edges[at].take().expect("an edge has one node");
                let first_branch = branches.len() as u32;
                for branch in &self.branches[places(&edge.branches)] {
                    let place = &mut new_places[branch.node as usize];
                    if *place == UNMET {
                        *place = met.len() as u32;
                        met.push(branch.node);
                    }
                    branches.push(Branch {
                        node: *place,
                        ..*branch
                    });
                }
                edge.branches = first_branch..branches.len() as u32;
                edges.push(edge);
            }
            node.edges = first_edge..edges.len() as u32;
            self.nodes.push(node);
        }
        self.edges = edges;
        self.branches = branches;
        self.places.clear();
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let hash = |&place: &u32| {
            let node = &nodes[place as usize];
            hasher.hash_one((&node.position, node.turn))
        };
        for place in 0..nodes.len() as u32 {
            self.places.insert_unique(hash(&place), place, hash);
        }
    }
}

/// The sum of several trees with the same root; the one that knows, if one does.
pub(super) fn findings<G: Game>(trees: &[Tree<G>], done: Done) -> Findings<G::Action> {
    let knows = trees.iter().position(|tree| tree.nodes[0].is_known);
    let trees = knows.map_or(trees, |at| &trees[at..=at]);
    let roots = || trees.iter().map(|tree| &tree.nodes[0]);
    let edges = |tree: &Tree<G>| places(&tree.nodes[0].edges);
    let first = &trees[0];
    let rated = (0..edges(first).len()).map(|index| {
        let same = trees.iter().map(|tree| &tree.edges[edges(tree)][index]);
        Rated {
            action: first.edges[edges(first)][index].action,
            visits: same.clone().map(|edge| u64::from(edge.visits)).sum(),
            shares: mean(same.clone().map(|edge| (edge.visits, edge.shares))),
            is_known: same.clone().all(|edge| edge.is_known),
        }
    });
    Findings {
        rated: rated.collect(),
        shares: mean(roots().map(|root| (root.visits, root.shares))),
        is_known: knows.is_some(),
        simulations: done.simulations,
        nodes: done.nodes,
    }
}

fn mean(shares: impl Iterator<Item = (u32, Shares)> + Clone) -> Shares {
    let visits: f32 = shares.clone().map(|(visits, _)| visits as f32).sum();
    if visits == 0.0 {
        return Shares::default();
    }
    shares.fold(Shares::default(), |sum, (count, shares)| {
        with(sum, shares, |sum, share| {
            sum + count as f32 / visits * share
        })
    })
}

fn normalise<A>(edges: &mut [Edge<A>]) {
    let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
    let equal = 1.0 / edges.len() as f32;
    for edge in edges {
        edge.prior = if sum > 0.0 { edge.prior / sum } else { equal };
    }
}

#[inline]
fn with(a: Shares, b: Shares, mix: impl Fn(f32, f32) -> f32) -> Shares {
    ByPlayer::from_fn(|player| mix(a[player], b[player]))
}

fn places(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
