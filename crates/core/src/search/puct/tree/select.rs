//! Selection: which action and which outcome a simulation follows.

use super::{PuctParameters, SearchTree, places};
use crate::game::Game;

impl<G: Game> SearchTree<G> {
    /// The edge to follow: where it is known what the mover may do the one furthest behind its probability, elsewhere that
    /// of the highest PUCT score from the mover's view.
    pub(super) fn select(&self, at: u32, tuning: &PuctParameters) -> u32 {
        let node = &self.nodes[at as usize];
        if node.is_foretold {
            let edges = self.edges[places(&node.edges)].iter();
            let standings = edges.map(|edge| SelectionCandidate {
                is_solved: edge.is_solved,
                probability: edge.prior,
                visits: edge.visits,
            });
            return node.edges.start + largest_visit_deficit(node.visits - 1, standings);
        }
        let mover = node.mover;
        let reach = tuning.c_puct * (node.visits as f32).sqrt();
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

    /// The outcome to follow: the one furthest behind its probability; a solved one only where all are.
    pub(super) fn outcome(&self, edge: u32) -> u32 {
        let edge = &self.edges[edge as usize];
        let branches = self.branches[places(&edge.branches)].iter();
        let standings = branches.map(|branch| SelectionCandidate {
            is_solved: self.is_solved(branch),
            probability: branch.probability,
            visits: branch.visits,
        });
        edge.branches.start + largest_visit_deficit(edge.visits, standings)
    }
}

/// Something that happens with some probability, an outcome or a foretold action, and how often it was followed.
struct SelectionCandidate {
    is_solved: bool,
    probability: f32,
    visits: u32,
}

/// The place of the one that is furthest behind its probability after so many visits of all; a solved one only where all
/// are solved.
fn largest_visit_deficit(
    all_visits: u32,
    standings: impl ExactSizeIterator<Item = SelectionCandidate>,
) -> u32 {
    if standings.len() == 1 {
        return 0;
    }
    let next = (all_visits + 1) as f32;
    let (mut furthest, mut most) = (0, (false, f32::NEG_INFINITY));
    for (place, one) in (0..).zip(standings) {
        let rank = (!one.is_solved, one.probability * next - one.visits as f32);
        if rank > most {
            (furthest, most) = (place, rank);
        }
    }
    furthest
}
