//! Expansion: creates nodes, adds their actions and evaluates the outcomes.

use std::ops::Range;

use super::{
    ChanceEdge, PuctParameters, SearchEdge, SearchNode, SearchTree, UNVISITED, hash, index_range,
};
use crate::game::Game;
use crate::search::{PositionEvaluator, WinShares};

impl<G: Game> SearchTree<G> {
    /// Adds only the action with the highest prior to a node without edges. Most nodes are never visited again and do
    /// not need the other actions.
    pub(super) fn add_highest_prior(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        node_index: u32,
    ) {
        let position = &self.positions[node_index as usize];
        let mut count = 0;
        let priors = game.legal_actions(position).map(|action| {
            count += 1;
            (action, evaluator.prior(game, position, action))
        });
        let best = priors.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let (action, _) = best.expect("an unfinished game has a legal action");
        let node = &mut self.nodes[node_index as usize];
        let first = self.edges.len() as u32;
        node.edges = first..first + 1;
        node.has_all_edges = count == 1;
        self.edges.push(SearchEdge::new(action, 1.0, node.shares));
    }

    /// Adds the actions that a model of the mover predicts, if there is one.
    pub(super) fn add_predicted(&mut self, game: &G, node_index: u32) {
        let node = &mut self.nodes[node_index as usize];
        let position = &self.positions[node_index as usize];
        let predictions = self.opponents.predict(game, position, node.mover);
        if predictions.is_empty() {
            return;
        }
        let first = self.edges.len() as u32;
        let shares = node.shares;
        let edges = predictions.into_iter();
        self.edges.extend(
            edges.map(|(action, probability)| SearchEdge::new(action, probability, shares)),
        );
        node.edges = first..self.edges.len() as u32;
        (node.has_all_edges, node.is_modelled) = (true, true);
    }

    pub(super) fn add_all_actions(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
        node_index: u32,
    ) {
        let node = &mut self.nodes[node_index as usize];
        if node.has_all_edges {
            return;
        }
        let tried = index_range(&node.edges);
        let first = self.edges.len();
        let position = &self.positions[node_index as usize];
        let shares = node.shares;
        self.edges
            .extend(game.legal_actions(position).map(|action| {
                let prior = if parameters.expands_fully_early() {
                    1.0
                } else {
                    evaluator.prior(game, position, action)
                };
                SearchEdge::new(action, prior, shares)
            }));
        node.edges = first as u32..self.edges.len() as u32;
        node.has_all_edges = true;
        let (before, listed) = self.edges.split_at_mut(first);
        for tried in &mut before[tried] {
            let mut same = listed.iter_mut().filter(|edge| edge.action == tried.action);
            let same = same.next().expect("a tried action is legal");
            std::mem::swap(same, tried);
        }
        // With early full expansion, `evaluate_all` sets the priors instead.
        if !parameters.expands_fully_early() {
            normalise(listed);
        }
    }

    /// Evaluates all outcomes of these actions of a node, except those that were tried before.
    pub(super) fn evaluate(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
        node_index: u32,
        edges: Range<u32>,
    ) {
        self.leaves.clear();
        let first = self.branches.len();
        for edge in edges.clone() {
            if self.edges[edge as usize].branches.is_empty() {
                self.add_chance_edges(game, node_index, edge);
            }
        }
        let position = &self.positions[node_index as usize];
        self.leaves.evaluate(evaluator, game, position);
        self.evaluated += self.leaves.count();
        let branches = self.branches[first..].iter_mut();
        for (branch, shares) in branches.zip(self.leaves.shares()) {
            branch.shares = shares;
        }
        for edge in edges {
            // Edges that were tried before are up to date.
            if self.edges[edge as usize].branches.start >= first as u32 {
                self.update_edge(parameters, edge);
            }
        }
    }

    /// Adds a branch and a leaf to evaluate for every outcome of an action.
    fn add_chance_edges(&mut self, game: &G, node_index: u32, edge: u32) {
        let mover = self.nodes[node_index as usize].mover;
        let edge = &mut self.edges[edge as usize];
        let first = self.branches.len() as u32;
        let position = &self.positions[node_index as usize];
        self.leaves
            .push_outcomes(game, position, edge.action, |probability, next| {
                self.branches.push(ChanceEdge {
                    probability,
                    visits: 0,
                    node: UNVISITED,
                    is_solved: next.is_none(),
                    passes_turn: next.is_some_and(|next| next != mover),
                    shares: WinShares::default(),
                });
            });
        edge.branches = first..self.branches.len() as u32;
    }

    /// Evaluates all outcomes of all actions, and sets the priors by the values of the actions unless the mover is
    /// predicted.
    pub(super) fn evaluate_all(
        &mut self,
        game: &G,
        evaluator: &impl PositionEvaluator<G>,
        parameters: &PuctParameters,
        node_index: u32,
    ) {
        let node = &mut self.nodes[node_index as usize];
        node.is_evaluated = true;
        let (mover, edges, is_modelled) = (node.mover, node.edges.clone(), node.is_modelled);
        self.evaluate(game, evaluator, parameters, node_index, edges.clone());
        if is_modelled {
            return;
        }
        let edges = &mut self.edges[index_range(&edges)];
        let values = edges.iter().map(|edge| edge.shares[mover]);
        let max = values.fold(f32::NEG_INFINITY, f32::max);
        for edge in &mut *edges {
            edge.prior = ((edge.shares[mover] - max) / parameters.temperature).exp();
        }
        normalise(edges);
    }

    pub(super) fn get_or_create_child(
        &mut self,
        game: &G,
        from: u32,
        edge: u32,
        branch: u32,
    ) -> u32 {
        let ChanceEdge {
            node,
            passes_turn,
            shares,
            ..
        } = self.branches[branch as usize];
        if node != UNVISITED {
            return node;
        }
        let turn = self.nodes[from as usize].turn + u16::from(passes_turn);
        let from = &self.positions[from as usize];
        let edge = &self.edges[edge as usize];
        let number = (branch - edge.branches.start) as usize;
        let mut outcomes = game.chance_outcomes(from, edge.action);
        let (outcome, _) = outcomes.nth(number).expect("each outcome has a branch");
        let mut after = game.apply(from, edge.action, outcome);
        game.canonicalise(&mut after);
        drop(outcomes);
        let node = self.get_or_create_node(game, after, turn, shares);
        self.branches[branch as usize].node = node;
        node
    }

    /// The node of a position; a new one is initialised with these shares.
    pub(super) fn get_or_create_node(
        &mut self,
        game: &G,
        position: G::Position,
        turn: u16,
        shares: WinShares,
    ) -> u32 {
        let hash = hash(&position, turn);
        if let Some(index) = self.index_of(&position, turn, hash) {
            return index;
        }
        let mover = game.status(&position).mover();
        let index = self.nodes.len() as u32;
        self.positions.push(position);
        self.nodes.push(SearchNode {
            turn,
            mover: mover.expect("a finished game has no node"),
            is_solved: false,
            is_evaluated: false,
            visits: 1,
            shares,
            edges: 0..0,
            has_all_edges: false,
            is_modelled: false,
        });
        self.node_index
            .insert_unique(hash, (hash, index), |&(hash, _)| hash);
        index
    }
}

/// Scales the priors of these edges so that they sum to 1.
pub(super) fn normalise<A>(edges: &mut [SearchEdge<A>]) {
    let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
    let uniform = 1.0 / edges.len() as f32;
    for edge in edges {
        edge.prior = if sum > 0.0 { edge.prior / sum } else { uniform };
    }
}
