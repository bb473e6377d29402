//! What a search found and what it cost, told to whoever asked.

use std::ops::Add;

use super::{SearchTree, places, with};
use crate::game::Game;
use crate::search::WinShares;
use crate::search::puct::{ActionStats, PuctResult};

/// What a search cost.
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

/// What several trees with the same root found: their sum, or what one found that solved the root.
pub(in crate::search::puct) fn findings<G: Game>(
    trees: &[SearchTree<G>],
    done: SearchCost,
) -> PuctResult<G::Action> {
    let solved = trees.iter().position(|tree| tree.nodes[0].is_solved);
    let trees = solved.map_or(trees, |at| &trees[at..=at]);
    let roots = || trees.iter().map(|tree| &tree.nodes[0]);
    let edges = |tree: &SearchTree<G>| places(&tree.nodes[0].edges);
    let first = &trees[0];
    let rated = (0..edges(first).len()).map(|index| {
        let same = trees.iter().map(|tree| &tree.edges[edges(tree)][index]);
        ActionStats {
            action: first.edges[edges(first)][index].action,
            visits: same.clone().map(|edge| u64::from(edge.visits)).sum(),
            shares: mean(same.clone().map(|edge| (edge.visits + 1, edge.shares))),
            is_solved: same.clone().all(|edge| edge.is_solved),
        }
    });
    PuctResult {
        rated: rated.collect(),
        shares: mean(roots().map(|root| (root.visits, root.shares))),
        is_solved: solved.is_some(),
        simulations: done.simulations,
        nodes: done.nodes,
    }
}

fn mean(shares: impl Iterator<Item = (u32, WinShares)> + Clone) -> WinShares {
    let visits: f32 = shares.clone().map(|(visits, _)| visits as f32).sum();
    if visits == 0.0 {
        return WinShares::default();
    }
    shares.fold(WinShares::default(), |sum, (count, shares)| {
        with(sum, shares, |sum, share| {
            sum + count as f32 / visits * share
        })
    })
}
