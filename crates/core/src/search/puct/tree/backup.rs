//! Backup: propagates the result of a simulation to the root.

use super::{PathStep, PuctParameters, SearchTree, combine, index_range};
use crate::game::Game;
use crate::search::WinShares;

impl<G: Game> SearchTree<G> {
    /// Recomputes the shares of an edge from its outcomes, after a visit or their first evaluation.
    pub(super) fn update_edge(&mut self, parameters: &PuctParameters, edge: u32) {
        let edge = &mut self.edges[edge as usize];
        let mut shares = WinShares::default();
        let mut is_solved = true;
        for branch in &self.branches[index_range(&edge.branches)] {
            let mut shares_after = branch.shares;
            let mut is_exact = branch.is_solved;
            if let Some(node) = self.nodes.get(branch.node as usize) {
                shares_after = node.shares;
                is_exact |= node.is_solved;
            }
            is_solved &= is_exact;
            if branch.passes_turn {
                let discount = parameters.discount;
                shares_after = combine(
                    shares_after,
                    self.equal_shares,
                    |shares_after, equal_shares| {
                        discount * shares_after + (1.0 - discount) * equal_shares
                    },
                );
            }
            shares = combine(shares, shares_after, |sum, shares_after| {
                sum + branch.probability * shares_after
            });
        }
        edge.shares = shares;
        edge.is_solved = is_solved;
    }

    /// Counts a visit of a step and updates its edge and node.
    pub(super) fn backup_step(&mut self, parameters: &PuctParameters, step: &PathStep) {
        self.branches[step.branch as usize].visits += 1;
        let edge = &mut self.edges[step.edge as usize];
        let (visits, before) = (edge.visits as f32, edge.shares);
        edge.visits += 1;
        self.update_edge(parameters, step.edge);
        if self.nodes[step.node as usize].is_modelled {
            self.backup_modelled_step(step.node);
            return;
        }
        let edge = &self.edges[step.edge as usize];
        // Replaces the contribution of this edge to the sum of the node: visits × before by (visits + 1) × now.
        let gain = combine(edge.shares, before, |new, old| {
            (visits + 1.0) * new - visits * old
        });
        let node = &mut self.nodes[step.node as usize];
        let total_visits = node.visits as f32;
        node.visits += 1;
        node.shares = combine(node.shares, gain, |mean, gain| {
            (mean * total_visits + gain) / (total_visits + 1.0)
        });
        if edge.is_solved {
            self.propagate_solved(step.node);
        }
    }

    /// Counts a visit of a node with a predicted mover, and updates it by the expectation over the predicted actions.
    fn backup_modelled_step(&mut self, node_index: u32) {
        let node = &mut self.nodes[node_index as usize];
        let edges = &self.edges[index_range(&node.edges)];
        node.visits += 1;
        node.is_solved = edges.iter().all(|edge| edge.is_solved);
        node.shares = edges.iter().fold(WinShares::default(), |sum, edge| {
            combine(sum, edge.shares, |sum, share| sum + edge.prior * share)
        });
    }

    /// Marks a node as solved if its solved edges determine its value.
    fn propagate_solved(&mut self, node_index: u32) {
        let node = &self.nodes[node_index as usize];
        let mover = node.mover;
        let edges = &self.edges[index_range(&node.edges)];
        let mut solved = edges.iter().filter(|edge| edge.is_solved);
        let best = solved
            .by_ref()
            .map(|edge| edge.shares)
            .max_by(|a, b| a[mover].total_cmp(&b[mover]));
        let Some(best) = best else { return };
        // A certain win cannot be improved; the margin allows for rounding.
        let is_won = best[mover] > 1.0 - 1e-6;
        if is_won || node.has_all_edges && edges.iter().all(|edge| edge.is_solved) {
            let node = &mut self.nodes[node_index as usize];
            node.is_solved = true;
            node.shares = best;
        }
    }
}
