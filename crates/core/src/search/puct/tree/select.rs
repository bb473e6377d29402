//! Selection of the action and the outcome that a simulation follows.

use super::{PuctParameters, SearchTree, index_range};
use crate::game::Game;

impl<G: Game> SearchTree<G> {
    /// Selects the edge to follow: for a predicted mover the one with the largest visit deficit, otherwise the one with
    /// the highest PUCT score for the mover.
    pub(super) fn select_edge(&self, node_index: u32, parameters: &PuctParameters) -> u32 {
        let node = &self.nodes[node_index as usize];
        if node.is_modelled {
            let edges = self.edges[index_range(&node.edges)].iter();
            let candidates = edges.map(|edge| SelectionCandidate {
                is_solved: edge.is_solved,
                probability: edge.prior,
                visits: edge.visits,
            });
            return node.edges.start + largest_visit_deficit(node.visits - 1, candidates);
        }
        let mover = node.mover;
        let exploration = parameters.c_puct * (node.visits as f32).sqrt();
        let (mut best, mut best_score) = (node.edges.start, f32::NEG_INFINITY);
        let edges = &self.edges[index_range(&node.edges)];
        for (index, edge) in (node.edges.start..).zip(edges) {
            // A solved edge needs no exploration; it is followed only if its value is the best.
            let bonus = if edge.is_solved {
                0.0
            } else {
                exploration * edge.prior / (1 + edge.visits) as f32
            };
            let score = edge.shares[mover] + bonus;
            if score > best_score {
                (best, best_score) = (index, score);
            }
        }
        best
    }

    /// Selects the outcome to follow: the one with the largest visit deficit; a solved one only if all are solved.
    pub(super) fn select_outcome(&self, edge: u32) -> u32 {
        let edge = &self.edges[edge as usize];
        let branches = self.branches[index_range(&edge.branches)].iter();
        let candidates = branches.map(|branch| SelectionCandidate {
            is_solved: self.is_solved(branch),
            probability: branch.probability,
            visits: branch.visits,
        });
        edge.branches.start + largest_visit_deficit(edge.visits, candidates)
    }
}

/// An outcome or a predicted action with its probability and number of visits.
struct SelectionCandidate {
    is_solved: bool,
    probability: f32,
    visits: u32,
}

/// The index of the candidate whose visits are furthest below its probability × all visits; a solved one only if all
/// are solved.
fn largest_visit_deficit(
    all_visits: u32,
    candidates: impl ExactSizeIterator<Item = SelectionCandidate>,
) -> u32 {
    if candidates.len() == 1 {
        return 0;
    }
    let next = (all_visits + 1) as f32;
    let (mut best, mut best_rank) = (0, (false, f32::NEG_INFINITY));
    for (index, candidate) in (0..).zip(candidates) {
        let rank = (
            !candidate.is_solved,
            candidate.probability * next - candidate.visits as f32,
        );
        if rank > best_rank {
            (best, best_rank) = (index, rank);
        }
    }
    best
}
