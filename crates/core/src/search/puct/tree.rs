//! The tree of one search: nodes, edges and branches in three lists, referred to by their indices.

use std::hash::{BuildHasher, Hash};
use std::ops::{Add, Range};

use hashbrown::HashTable;
use rand::{Rng, RngExt};
use rustc_hash::FxBuildHasher;

use super::{Findings, Rated, Tuning};
use crate::game::{ByPlayer, Game, Player};
use crate::search::{Forecast, Leaves, Opponents, Shares, Stop};

mod keep;

/// The most actions and outcomes of a tree, at some 50 bytes each, the nodes between them included:
/// 100 MiB. A search that gets there ends.
pub(super) const MOST_PARTS: usize = 1 << 21;

/// Lists that grow take up to twice what is in them.
const SLACK: usize = 2;

/// So many choices in a row are followed that are foretold. Somebody who is out of the game never chooses again, and
/// those who go on may do so for ever.
const MOST_FOLLOWED: usize = 60;

/// How many simulations are done between two looks at the flag that ends the search.
const BETWEEN_LOOKS: u64 = 16;

/// What was found out about a visited position. The position itself is in a list of its own, at the
/// same index, because a simulation that only passes through does not look at it.
#[derive(Clone)]
struct Node {
    /// Turns since the root: a position that comes back in a later turn is another node.
    turn: u16,
    mover: Player,
    /// The shares are exact: enough of what can follow is solved.
    is_solved: bool,
    /// All actions are evaluated, and their priors tell how they compare.
    is_evaluated: bool,
    /// The forecast of the node itself counts as one.
    visits: u32,
    /// What each player may expect: the mean over the visits.
    shares: Shares,
    /// Its actions: none until the second visit, then the one that was tried, then all.
    edges: Range<u32>,
    /// All actions are among the edges, or all that are foretold.
    is_listed: bool,
    /// It is known what its mover may do: the priors of its edges are the probabilities.
    is_foretold: bool,
}

/// An action of a node.
#[derive(Clone)]
struct Edge<A> {
    action: A,
    prior: f32,
    visits: u32,
    is_solved: bool,
    /// The expectation over the outcomes, as of the last visit.
    shares: Shares,
    branches: Range<u32>,
}

impl<A> Edge<A> {
    /// An action that was not tried yet: it is expected to be worth what its node is.
    fn new(action: A, prior: f32, shares: Shares) -> Self {
        Edge {
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
struct Branch {
    probability: f32,
    visits: u32,
    /// [`UNVISITED`] before the first visit.
    node: u32,
    is_solved: bool,
    /// Whether another player's turn begins with it.
    is_later: bool,
    /// As evaluated without a visit, or as the game ended.
    shares: Shares,
}

/// Stands for the index of a node that is not made yet.
const UNVISITED: u32 = u32::MAX;

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
    nodes: Vec<Node>,
    positions: Vec<G::Position>,
    edges: Vec<Edge<G::Action>>,
    branches: Vec<Branch>,
    /// Nodes by position and turn, with the hash of both.
    places: HashTable<(u64, u32)>,
    /// The share of each player when nobody is ahead.
    equal: Shares,
    /// Whose choices are foreseen; never those of the player at the root.
    opponents: Opponents<G>,
    pub(super) most_parts: usize,
    /// Positions evaluated since the last report.
    evaluated: u64,
    /// Kept, like the next, only so that its memory is used again.
    leaves: Leaves<G>,
    path: Vec<Step>,
}

impl<G: Game> Tree<G> {
    /// A tree of nothing but its root.
    pub(super) fn new(
        game: &G,
        position: &G::Position,
        forecast: &impl Forecast<G>,
        opponents: Opponents<G>,
    ) -> Self {
        let mut tree = Tree {
            nodes: Vec::new(),
            positions: Vec::new(),
            edges: Vec::new(),
            branches: Vec::new(),
            places: HashTable::new(),
            equal: Shares::default(),
            opponents,
            most_parts: MOST_PARTS,
            evaluated: 0,
            leaves: Leaves::default(),
            path: Vec::new(),
        };
        tree.start(game, position, forecast);
        tree
    }

    /// Forgets everything and starts with a new root; the memory is used again.
    pub(super) fn start(&mut self, game: &G, position: &G::Position, forecast: &impl Forecast<G>) {
        self.nodes.clear();
        self.positions.clear();
        self.edges.clear();
        self.branches.clear();
        self.places.clear();
        self.equal = equal(game.players());
        self.evaluated = 1;
        let shares = forecast.shares(game, position);
        self.node(game, position.clone(), 0, shares);
    }

    /// How many bytes a tree takes at most that has so many parts.
    pub(super) fn most_bytes(parts: usize) -> usize {
        let part = size_of::<Edge<G::Action>>().max(size_of::<Branch>());
        // A node has several actions, and each of them an outcome.
        const PARTS_A_NODE: usize = 4;
        let node = size_of::<Node>() + size_of::<G::Position>() + 2 * size_of::<(u64, u32)>();
        SLACK * parts * (part + node.div_ceil(PARTS_A_NODE))
    }

    /// Simulates until the root has so many visits or is solved, the tree is full, or the flag is raised.
    pub(super) fn grow(
        &mut self,
        game: &G,
        forecast: &impl Forecast<G>,
        tuning: &Tuning,
        simulations: u64,
        stop: &Stop,
    ) -> Done {
        let mut done = 0;
        self.begin(game, forecast, tuning);
        while u64::from(self.nodes[0].visits) < simulations.saturating_add(1)
            && !self.nodes[0].is_solved
            && self.parts() < self.most_parts
        {
            if done % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 {
                if stop.is_raised() {
                    break;
                }
                if let Some(watch) = stop.watch().filter(|watch| watch.take_question()) {
                    let done = Done {
                        simulations: done,
                        nodes: self.evaluated,
                    };
                    watch.show(findings(std::slice::from_ref(self), done).seen());
                }
            }
            self.simulate(game, forecast, tuning);
            done += 1;
        }
        Done {
            simulations: done,
            nodes: std::mem::take(&mut self.evaluated),
        }
    }

    fn parts(&self) -> usize {
        self.edges.len() + self.branches.len()
    }

    /// Lists and evaluates all actions of the root.
    fn begin(&mut self, game: &G, forecast: &impl Forecast<G>, tuning: &Tuning) {
        self.list(game, forecast, tuning, 0);
        if !self.nodes[0].is_evaluated {
            self.evaluate_all(game, forecast, tuning, 0);
        }
    }

    /// Perturbs the priors of the root, so that they differ from those of other trees.
    pub(super) fn perturb_root_priors(
        &mut self,
        game: &G,
        forecast: &impl Forecast<G>,
        tuning: &Tuning,
        rng: &mut impl Rng,
    ) {
        self.begin(game, forecast, tuning);
        let edges = places(&self.nodes[0].edges);
        for edge in &mut self.edges[edges.clone()] {
            edge.prior *= 0.5 + rng.random::<f32>();
        }
        normalise(&mut self.edges[edges]);
    }

    /// Makes a position of the root's turn the new root and frees what can no longer follow. Returns
    /// false when the tree does not have that position.
    pub(super) fn advance(&mut self, position: &G::Position) -> bool {
        let Some(root) = self.place_of(position, 0, hash(position, 0)) else {
            return false;
        };
        if root != 0 {
            self.keep_from(root);
        }
        true
    }

    /// One simulation: down to an action that was not tried, and back up with its evaluation.
    fn simulate(&mut self, game: &G, forecast: &impl Forecast<G>, tuning: &Tuning) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let (mut at, mut followed) = (0, 0);
        while !self.nodes[at as usize].is_solved {
            if self.nodes[at as usize].edges.is_empty() {
                self.list_foretold(game, at);
            }
            if self.nodes[at as usize].edges.is_empty() && tuning.tries_first() {
                self.list_highest_prior(game, forecast, at);
            } else {
                self.list(game, forecast, tuning, at);
            }
            let node = &self.nodes[at as usize];
            // Where nobody chooses, and nothing is drawn, the simulation goes on to somebody who does.
            let is_sure = node.is_foretold && node.edges.len() == 1;
            let is_due = match node.is_foretold {
                true => !is_sure,
                false => node.visits >= tuning.thorough_from,
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
            path.push(Step {
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
            at = self.visit(game, at, edge, branch);
        }
        for step in path.iter().rev() {
            self.count(tuning, step);
        }
        self.path = path;
    }

    /// Lists the action with the highest prior of a node that has none yet. The others wait for the next
    /// visit, which most nodes never have.
    fn list_highest_prior(&mut self, game: &G, forecast: &impl Forecast<G>, at: u32) {
        let position = &self.positions[at as usize];
        let mut count = 0;
        let priors = game.actions(position).map(|action| {
            count += 1;
            (action, forecast.prior(game, position, action))
        });
        let best = priors.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let (action, _) = best.expect("the game goes on, so there is an action");
        let node = &mut self.nodes[at as usize];
        let first = self.edges.len() as u32;
        node.edges = first..first + 1;
        node.is_listed = count == 1;
        self.edges.push(Edge::new(action, 1.0, node.shares));
    }

    /// Lists the actions of a node that its mover may choose, if they are known.
    fn list_foretold(&mut self, game: &G, at: u32) {
        let node = &mut self.nodes[at as usize];
        let position = &self.positions[at as usize];
        let foretold = self.opponents.foretell(game, position, node.mover);
        if foretold.is_empty() {
            return;
        }
        let first = self.edges.len() as u32;
        let shares = node.shares;
        let edges = foretold.into_iter();
        self.edges
            .extend(edges.map(|(action, probability)| Edge::new(action, probability, shares)));
        node.edges = first..self.edges.len() as u32;
        (node.is_listed, node.is_foretold) = (true, true);
    }

    /// Lists all actions of a node.
    fn list(&mut self, game: &G, forecast: &impl Forecast<G>, tuning: &Tuning, at: u32) {
        let node = &mut self.nodes[at as usize];
        if node.is_listed {
            return;
        }
        let tried = places(&node.edges);
        let first = self.edges.len();
        let position = &self.positions[at as usize];
        let shares = node.shares;
        self.edges.extend(game.actions(position).map(|action| {
            let prior = if tuning.evaluates_early() {
                1.0
            } else {
                forecast.prior(game, position, action)
            };
            Edge::new(action, prior, shares)
        }));
        node.edges = first as u32..self.edges.len() as u32;
        node.is_listed = true;
        let (before, listed) = self.edges.split_at_mut(first);
        for tried in &mut before[tried] {
            let mut same = listed.iter_mut().filter(|edge| edge.action == tried.action);
            let same = same.next().expect("what was tried is an action");
            std::mem::swap(same, tried);
        }
        // Where all are evaluated next, how they compare is their prior.
        if !tuning.evaluates_early() {
            normalise(listed);
        }
    }

    /// Evaluates every outcome of an action.
    fn evaluate(
        &mut self,
        game: &G,
        forecast: &impl Forecast<G>,
        tuning: &Tuning,
        at: u32,
        edge: u32,
    ) {
        self.leaves.clear();
        let first = self.branches.len();
        self.branch(game, at, edge);
        let position = &self.positions[at as usize];
        self.leaves.forecast(forecast, game, position);
        self.take_shares(first);
        self.sum_up(tuning, edge);
    }

    /// Makes a branch for every outcome of an action, and a leaf to be forecast.
    fn branch(&mut self, game: &G, at: u32, edge: u32) {
        let mover = self.nodes[at as usize].mover;
        let edge = &mut self.edges[edge as usize];
        let first = self.branches.len() as u32;
        let position = &self.positions[at as usize];
        self.leaves
            .add(game, position, edge.action, |probability, next| {
                self.branches.push(Branch {
                    probability,
                    visits: 0,
                    node: UNVISITED,
                    is_solved: next.is_none(),
                    is_later: next.is_some_and(|next| next != mover),
                    shares: Shares::default(),
                });
            });
        edge.branches = first..self.branches.len() as u32;
    }

    /// Hands the branches from the first new one on what was found of their leaves.
    fn take_shares(&mut self, first: usize) {
        self.evaluated += self.leaves.count();
        let branches = self.branches[first..].iter_mut();
        for (branch, shares) in branches.zip(self.leaves.shares()) {
            branch.shares = shares;
        }
    }

    /// Evaluates every outcome of every action; how the actions compare is their new prior, where they are chosen.
    fn evaluate_all(&mut self, game: &G, forecast: &impl Forecast<G>, tuning: &Tuning, at: u32) {
        let node = &mut self.nodes[at as usize];
        node.is_evaluated = true;
        let (mover, edges, is_foretold) = (node.mover, node.edges.clone(), node.is_foretold);
        self.leaves.clear();
        let first = self.branches.len();
        for edge in edges.clone() {
            if self.edges[edge as usize].branches.is_empty() {
                self.branch(game, at, edge);
            }
        }
        let position = &self.positions[at as usize];
        self.leaves.forecast(forecast, game, position);
        self.take_shares(first);
        for edge in edges.clone() {
            // What was tried before is up to date.
            if self.edges[edge as usize].branches.start >= first as u32 {
                self.sum_up(tuning, edge);
            }
        }
        if is_foretold {
            return;
        }
        let edges = &mut self.edges[places(&edges)];
        let promises = edges.iter().map(|edge| edge.shares[mover]);
        let most = promises.fold(f32::NEG_INFINITY, f32::max);
        for edge in &mut *edges {
            edge.prior = ((edge.shares[mover] - most) / tuning.temperature).exp();
        }
        normalise(edges);
    }

    /// The edge to follow: where it is known what the mover may do the one furthest behind its probability, a solved
    /// one only where all are; elsewhere that of the highest PUCT score from the mover's view.
    fn select(&self, at: u32, tuning: &Tuning) -> u32 {
        let node = &self.nodes[at as usize];
        if node.is_foretold {
            let edges = self.edges[places(&node.edges)].iter();
            let standings = edges.map(|edge| (edge.is_solved, edge.prior, edge.visits));
            return node.edges.start + furthest_behind(node.visits - 1, standings);
        }
        let mover = node.mover;
        let reach = tuning.exploration * (node.visits as f32).sqrt();
        let (mut best, mut best_score) = (node.edges.start, f32::NEG_INFINITY);
        let edges = &self.edges[places(&node.edges)];
        for (place, edge) in (node.edges.start..).zip(edges) {
            // What is solved needs no further look; it is taken where it is the best.
            let bonus = if edge.is_solved {
                0.0
            } else {
                reach * edge.prior / (1 + edge.visits) as f32
            };
            let score = edge.shares[mover] + bonus;
            if score > best_score {
                (best, best_score) = (place, score);
            }
        }
        best
    }

    /// The node behind a branch, made if nobody has been there.
    fn visit(&mut self, game: &G, from: u32, edge: u32, branch: u32) -> u32 {
        let Branch {
            node,
            is_later,
            shares,
            ..
        } = self.branches[branch as usize];
        if node != UNVISITED {
            return node;
        }
        let turn = self.nodes[from as usize].turn + u16::from(is_later);
        let from = &self.positions[from as usize];
        let edge = &self.edges[edge as usize];
        let nth = (branch - edge.branches.start) as usize;
        let mut lottery = game.lottery(from, edge.action);
        let (outcome, _) = lottery.nth(nth).expect("a branch for each outcome");
        let mut after = game.play(from, edge.action, outcome);
        game.canonicalise(&mut after);
        drop(lottery);
        let node = self.node(game, after, turn, shares);
        self.branches[branch as usize].node = node;
        node
    }

    /// The outcome to follow: the one furthest behind its probability; a solved one only where all are.
    fn outcome(&self, edge: u32) -> u32 {
        let edge = &self.edges[edge as usize];
        let branches = self.branches[places(&edge.branches)].iter();
        let standings =
            branches.map(|branch| (self.is_solved(branch), branch.probability, branch.visits));
        edge.branches.start + furthest_behind(edge.visits, standings)
    }

    fn is_solved(&self, branch: &Branch) -> bool {
        branch.is_solved || branch.node != UNVISITED && self.nodes[branch.node as usize].is_solved
    }

    /// Brings an edge up to date with its outcomes.
    fn sum_up(&mut self, tuning: &Tuning, edge: u32) {
        let edge = &mut self.edges[edge as usize];
        let mut shares = Shares::default();
        let mut is_solved = true;
        for branch in &self.branches[places(&edge.branches)] {
            let mut found = branch.shares;
            let mut is_exact = branch.is_solved;
            if let Some(node) = self.nodes.get(branch.node as usize) {
                found = node.shares;
                is_exact |= node.is_solved;
            }
            is_solved &= is_exact;
            if branch.is_later {
                let kept = tuning.discount;
                found = with(found, self.equal, |found, equal| {
                    kept * found + (1.0 - kept) * equal
                });
            }
            shares = with(shares, found, |sum, found| sum + branch.probability * found);
        }
        edge.shares = shares;
        edge.is_solved = is_solved;
    }

    /// Counts a visit of a step and brings its edge and node up to date.
    fn count(&mut self, tuning: &Tuning, step: &Step) {
        self.branches[step.branch as usize].visits += 1;
        let edge = &mut self.edges[step.edge as usize];
        let (visits, before) = (edge.visits as f32, edge.shares);
        edge.visits += 1;
        self.sum_up(tuning, step.edge);
        if self.nodes[step.node as usize].is_foretold {
            self.expect(step.node);
            return;
        }
        let edge = &self.edges[step.edge as usize];
        // The part of this edge in the node's sum is replaced: visits × before by (visits + 1) × now.
        let gained = with(edge.shares, before, |now, then| {
            (visits + 1.0) * now - visits * then
        });
        let node = &mut self.nodes[step.node as usize];
        let all = node.visits as f32;
        node.visits += 1;
        node.shares = with(node.shares, gained, |mean, gain| {
            (mean * all + gain) / (all + 1.0)
        });
        if edge.is_solved {
            self.conclude(step.node);
        }
    }

    /// Counts a visit of a node whose mover is known, and brings it up to date with what may be done there.
    fn expect(&mut self, at: u32) {
        let node = &mut self.nodes[at as usize];
        let edges = &self.edges[places(&node.edges)];
        node.visits += 1;
        node.is_solved = edges.iter().all(|edge| edge.is_solved);
        node.shares = edges.iter().fold(Shares::default(), |sum, edge| {
            with(sum, edge.shares, |sum, share| sum + edge.prior * share)
        });
    }

    /// Marks a node as solved if what follows leaves nothing open for its mover.
    fn conclude(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let mover = node.mover;
        let edges = &self.edges[places(&node.edges)];
        let mut solved = edges.iter().filter(|edge| edge.is_solved);
        let best = solved
            .by_ref()
            .map(|edge| edge.shares)
            .max_by(|a, b| a[mover].total_cmp(&b[mover]));
        let Some(best) = best else { return };
        // Nothing beats a sure win; the margin is for rounding.
        let is_won = best[mover] > 1.0 - 1e-6;
        if is_won || node.is_listed && edges.iter().all(|edge| edge.is_solved) {
            let node = &mut self.nodes[at as usize];
            node.is_solved = true;
            node.shares = best;
        }
    }

    /// The node of a position, made with these shares if it is new.
    fn node(&mut self, game: &G, position: G::Position, turn: u16, shares: Shares) -> u32 {
        let hash = hash(&position, turn);
        if let Some(place) = self.place_of(&position, turn, hash) {
            return place;
        }
        let mover = game.status(&position).mover();
        let place = self.nodes.len() as u32;
        self.positions.push(position);
        self.nodes.push(Node {
            turn,
            mover: mover.expect("a finished game has no node"),
            is_solved: false,
            is_evaluated: false,
            visits: 1,
            shares,
            edges: 0..0,
            is_listed: false,
            is_foretold: false,
        });
        self.places
            .insert_unique(hash, (hash, place), |&(hash, _)| hash);
        place
    }

    fn place_of(&self, position: &G::Position, turn: u16, hash: u64) -> Option<u32> {
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

/// Of what happens with some probability, after so many visits, the one that was visited least, measured by it; what is
/// solved only where all is. Of each it is told whether it is solved, the probability, and the visits.
fn furthest_behind(visits: u32, standings: impl ExactSizeIterator<Item = (bool, f32, u32)>) -> u32 {
    if standings.len() == 1 {
        return 0;
    }
    let next = (visits + 1) as f32;
    let (mut furthest, mut most) = (0, (false, f32::NEG_INFINITY));
    for (place, (is_solved, probability, visits)) in (0..).zip(standings) {
        let rank = (!is_solved, probability * next - visits as f32);
        if rank > most {
            (furthest, most) = (place, rank);
        }
    }
    furthest
}

fn equal(players: u8) -> Shares {
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

/// What several trees with the same root found: their sum, or what one found that solved the root.
pub(super) fn findings<G: Game>(trees: &[Tree<G>], done: Done) -> Findings<G::Action> {
    let solved = trees.iter().position(|tree| tree.nodes[0].is_solved);
    let trees = solved.map_or(trees, |at| &trees[at..=at]);
    let roots = || trees.iter().map(|tree| &tree.nodes[0]);
    let edges = |tree: &Tree<G>| places(&tree.nodes[0].edges);
    let first = &trees[0];
    let rated = (0..edges(first).len()).map(|index| {
        let same = trees.iter().map(|tree| &tree.edges[edges(tree)][index]);
        Rated {
            action: first.edges[edges(first)][index].action,
            visits: same.clone().map(|edge| u64::from(edge.visits)).sum(),
            shares: mean(same.clone().map(|edge| (edge.visits + 1, edge.shares))),
            is_solved: same.clone().all(|edge| edge.is_solved),
        }
    });
    Findings {
        rated: rated.collect(),
        shares: mean(roots().map(|root| (root.visits, root.shares))),
        is_solved: solved.is_some(),
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

#[cfg(test)]
mod tests;
