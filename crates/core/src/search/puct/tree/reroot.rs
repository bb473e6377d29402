//! Reuse of a tree for a later position of the game.

use super::{ChanceEdge, SearchEdge, SearchNode, SearchTree, UNVISITED, hash, index_range};
use crate::game::Game;

impl<G: Game> SearchTree<G> {
    /// Makes a position of the current turn the new root and frees all nodes that are not reachable from it. Returns
    /// false if the tree does not contain the position.
    pub(in crate::search::puct) fn advance_to(&mut self, position: &G::Position) -> bool {
        let Some(root) = self.index_of(position, 0, hash(position, 0)) else {
            return false;
        };
        if root != 0 {
            self.reroot(root);
        }
        true
    }

    /// Makes another node the root and keeps the reachable nodes, in breadth-first order.
    fn reroot(&mut self, root: u32) {
        let mut new_indices = vec![UNVISITED; self.nodes.len()];
        let mut queue = vec![root];
        new_indices[root as usize] = 0;
        let (mut nodes, mut positions) = (Vec::new(), Vec::new());
        let (mut edges, mut branches) = (Vec::new(), Vec::new());
        let mut next = 0;
        while let Some(&old_index) = queue.get(next) {
            next += 1;
            let node = &self.nodes[old_index as usize];
            let first_edge = edges.len() as u32;
            for edge in &self.edges[index_range(&node.edges)] {
                let first_branch = branches.len() as u32;
                for branch in &self.branches[index_range(&edge.branches)] {
                    let mut node = UNVISITED;
                    if branch.node != UNVISITED {
                        let index = &mut new_indices[branch.node as usize];
                        if *index == UNVISITED {
                            *index = queue.len() as u32;
                            queue.push(branch.node);
                        }
                        node = *index;
                    }
                    branches.push(ChanceEdge { node, ..*branch });
                }
                edges.push(SearchEdge {
                    branches: first_branch..branches.len() as u32,
                    ..edge.clone()
                });
            }
            nodes.push(SearchNode {
                edges: first_edge..edges.len() as u32,
                ..node.clone()
            });
            positions.push(self.positions[old_index as usize].clone());
        }
        (self.nodes, self.positions) = (nodes, positions);
        (self.edges, self.branches) = (edges, branches);
        self.node_index.clear();
        for (index, (node, position)) in (0..).zip(self.nodes.iter().zip(&self.positions)) {
            let hash = hash(position, node.turn);
            self.node_index
                .insert_unique(hash, (hash, index), |&(hash, _)| hash);
        }
    }
}
