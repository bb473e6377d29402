//! Expansion: new nodes, which actions a node has, and what their outcomes are worth.

use super::{
    ChanceEdge, PuctParameters, SearchEdge, SearchNode, SearchTree, UNVISITED, hash, places,
};
use crate::game::Game;
use crate::search::{PositionEvaluator, WinShares};

impl<G: Game> SearchTree<G> {
    /// Lists the action with the highest prior of a node that has none yet. The others wait for the next
    /// visit, which most nodes never have.
    pub(super) fn add_highest_prior(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        at: u32,
    ) {
        let position = &self.positions[at as usize];
        let mut count = 0;
        let priors = game.legal_actions(position).map(|action| {
            count += 1;
            (action, forecast.prior(game, position, action))
        });
        let best = priors.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let (action, _) = best.expect("the game goes on, so there is an action");
        let node = &mut self.nodes[at as usize];
        let first = self.edges.len() as u32;
        node.edges = first..first + 1;
        node.is_listed = count == 1;
        self.edges.push(SearchEdge::new(action, 1.0, node.shares));
    }

    /// Lists the actions of a node that its mover may choose, if they are known.
    pub(super) fn add_predicted(&mut self, game: &G, at: u32) {
        let node = &mut self.nodes[at as usize];
        let position = &self.positions[at as usize];
        let foretold = self.opponents.foretell(game, position, node.mover);
        if foretold.is_empty() {
            return;
        }
        let first = self.edges.len() as u32;
        let shares = node.shares;
        let edges = foretold.into_iter();
        self.edges.extend(
            edges.map(|(action, probability)| SearchEdge::new(action, probability, shares)),
        );
        node.edges = first..self.edges.len() as u32;
        (node.is_listed, node.is_foretold) = (true, true);
    }

    /// Lists all actions of a node.
    pub(super) fn add_all_actions(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        tuning: &PuctParameters,
        at: u32,
    ) {
        let node = &mut self.nodes[at as usize];
        if node.is_listed {
            return;
        }
        let tried = places(&node.edges);
        let first = self.edges.len();
        let position = &self.positions[at as usize];
        let shares = node.shares;
        self.edges.extend(game.legal_actions(position).map(|action| {
            let prior = if tuning.expands_fully_early() {
                1.0
            } else {
                forecast.prior(game, position, action)
            };
            SearchEdge::new(action, prior, shares)
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
        if !tuning.expands_fully_early() {
            normalise(listed);
        }
    }

    /// Evaluates every outcome of an action.
    pub(super) fn evaluate(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        tuning: &PuctParameters,
        at: u32,
        edge: u32,
    ) {
        self.leaves.clear();
        let first = self.branches.len();
        self.add_chance_edges(game, at, edge);
        let position = &self.positions[at as usize];
        self.leaves.evaluate(forecast, game, position);
        self.assign_shares(first);
        self.update_edge(tuning, edge);
    }

    /// Makes a branch for every outcome of an action, and a leaf to be forecast.
    fn add_chance_edges(&mut self, game: &G, at: u32, edge: u32) {
        let mover = self.nodes[at as usize].mover;
        let edge = &mut self.edges[edge as usize];
        let first = self.branches.len() as u32;
        let position = &self.positions[at as usize];
        self.leaves
            .push_outcomes(game, position, edge.action, |probability, next| {
                self.branches.push(ChanceEdge {
                    probability,
                    visits: 0,
                    node: UNVISITED,
                    is_solved: next.is_none(),
                    is_later: next.is_some_and(|next| next != mover),
                    shares: WinShares::default(),
                });
            });
        edge.branches = first..self.branches.len() as u32;
    }

    /// Hands the branches from the first new one on what was found of their leaves.
    fn assign_shares(&mut self, first: usize) {
        self.evaluated += self.leaves.count();
        let branches = self.branches[first..].iter_mut();
        for (branch, shares) in branches.zip(self.leaves.shares()) {
            branch.shares = shares;
        }
    }

    /// Evaluates every outcome of every action; how the actions compare is their new prior, where they are chosen.
    pub(super) fn evaluate_all(
        &mut self,
        game: &G,
        forecast: &impl PositionEvaluator<G>,
        tuning: &PuctParameters,
        at: u32,
    ) {
        let node = &mut self.nodes[at as usize];
        node.is_evaluated = true;
        let (mover, edges, is_foretold) = (node.mover, node.edges.clone(), node.is_foretold);
        self.leaves.clear();
        let first = self.branches.len();
        for edge in edges.clone() {
            if self.edges[edge as usize].branches.is_empty() {
                self.add_chance_edges(game, at, edge);
            }
        }
        let position = &self.positions[at as usize];
        self.leaves.evaluate(forecast, game, position);
        self.assign_shares(first);
        for edge in edges.clone() {
            // What was tried before is up to date.
            if self.edges[edge as usize].branches.start >= first as u32 {
                self.update_edge(tuning, edge);
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

    /// The node behind a branch, made if nobody has been there.
    pub(super) fn get_or_create_child(&mut self, game: &G, from: u32, edge: u32, branch: u32) -> u32 {
        let ChanceEdge {
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
        let mut lottery = game.chance_outcomes(from, edge.action);
        let (outcome, _) = lottery.nth(nth).expect("a branch for each outcome");
        let mut after = game.apply(from, edge.action, outcome);
        game.canonicalise(&mut after);
        drop(lottery);
        let node = self.node(game, after, turn, shares);
        self.branches[branch as usize].node = node;
        node
    }

    /// The node of a position, made with these shares if it is new.
    pub(super) fn node(
        &mut self,
        game: &G,
        position: G::Position,
        turn: u16,
        shares: WinShares,
    ) -> u32 {
        let hash = hash(&position, turn);
        if let Some(place) = self.index_of(&position, turn, hash) {
            return place;
        }
        let mover = game.status(&position).mover();
        let place = self.nodes.len() as u32;
        self.positions.push(position);
        self.nodes.push(SearchNode {
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
}

/// Makes the priors of these edges add up to 1.
pub(super) fn normalise<A>(edges: &mut [SearchEdge<A>]) {
    let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
    let equal = 1.0 / edges.len() as f32;
    for edge in edges {
        edge.prior = if sum > 0.0 { edge.prior / sum } else { equal };
    }
}
