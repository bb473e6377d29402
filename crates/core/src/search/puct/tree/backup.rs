//! Backup: what a simulation found, brought up to the root.

use super::{PathStep, PuctParameters, SearchTree, places, with};
use crate::game::Game;
use crate::search::WinShares;

impl<G: Game> SearchTree<G> {
    /// Brings an edge up to date with its outcomes: after a visit, and when they are evaluated first.
    pub(super) fn update_edge(&mut self, tuning: &PuctParameters, edge: u32) {
        let edge = &mut self.edges[edge as usize];
        let mut shares = WinShares::default();
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
    pub(super) fn backup_step(&mut self, tuning: &PuctParameters, step: &PathStep) {
        self.branches[step.branch as usize].visits += 1;
        let edge = &mut self.edges[step.edge as usize];
        let (visits, before) = (edge.visits as f32, edge.shares);
        edge.visits += 1;
        self.update_edge(tuning, step.edge);
        if self.nodes[step.node as usize].is_foretold {
            self.backup_modelled_step(step.node);
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
            self.propagate_solved(step.node);
        }
    }

    /// Counts a visit of a node whose mover is known, and brings it up to date with what may be done there.
    fn backup_modelled_step(&mut self, at: u32) {
        let node = &mut self.nodes[at as usize];
        let edges = &self.edges[places(&node.edges)];
        node.visits += 1;
        node.is_solved = edges.iter().all(|edge| edge.is_solved);
        node.shares = edges.iter().fold(WinShares::default(), |sum, edge| {
            with(sum, edge.shares, |sum, share| sum + edge.prior * share)
        });
    }

    /// Marks a node as solved if what follows leaves nothing open for its mover.
    fn propagate_solved(&mut self, at: u32) {
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
}
