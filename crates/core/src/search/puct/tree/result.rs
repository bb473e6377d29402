//! The result and the cost of a search.

use std::ops::Add;

use super::{SearchTree, combine, index_range};
use crate::game::Game;
use crate::search::WinShares;
use crate::search::puct::{ActionStats, PuctResult};

#[derive(Clone, Copy, Default)]
pub(in crate::search::puct) struct SearchCost {
    pub(super) simulations: u64,
    pub(super) nodes: u64,
}

impl Add for SearchCost {
    type Output = SearchCost;
    fn add(self, other: SearchCost) -> SearchCost {
        SearchCost {
            simulations: self.simulations + other.simulations,
            nodes: self.nodes + other.nodes,
        }
    }
}

/// The combined result of several trees with the same root: that of a tree that solved the root, otherwise the sum over
/// all trees.
pub(in crate::search::puct) fn collect_result<G: Game>(
    trees: &[SearchTree<G>],
    cost: SearchCost,
) -> PuctResult<G::Action> {
    let solved = trees.iter().position(|tree| tree.nodes[0].is_solved);
    let trees = solved.map_or(trees, |index| &trees[index..=index]);
    let roots = || trees.iter().map(|tree| &tree.nodes[0]);
    let edges = |tree: &SearchTree<G>| index_range(&tree.nodes[0].edges);
    let first = &trees[0];
    let actions = (0..edges(first).len()).map(|index| {
        let tree_edges = trees.iter().map(|tree| &tree.edges[edges(tree)][index]);
        ActionStats {
            action: first.edges[edges(first)][index].action,
            visits: tree_edges.clone().map(|edge| u64::from(edge.visits)).sum(),
            shares: mean(
                tree_edges
                    .clone()
                    .map(|edge| (edge.visits + 1, edge.shares)),
            ),
            is_solved: tree_edges.clone().all(|edge| edge.is_solved),
        }
    });
    PuctResult {
        actions: actions.collect(),
        shares: mean(roots().map(|root| (root.visits, root.shares))),
        is_solved: solved.is_some(),
        simulations: cost.simulations,
        nodes: cost.nodes,
    }
}

fn mean(shares: impl Iterator<Item = (u32, WinShares)> + Clone) -> WinShares {
    let visits: f32 = shares.clone().map(|(visits, _)| visits as f32).sum();
    if visits == 0.0 {
        return WinShares::default();
    }
    shares.fold(WinShares::default(), |sum, (count, shares)| {
        combine(sum, shares, |sum, share| {
            sum + count as f32 / visits * share
        })
    })
}
