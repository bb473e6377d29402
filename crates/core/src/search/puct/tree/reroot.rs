//! What is left of a tree when the game goes on from one of its nodes.

use super::{ChanceEdge, SearchEdge, SearchNode, SearchTree, UNVISITED, hash, places};
use crate::game::Game;

impl<G: Game> SearchTree<G> {
    /// Makes a position of the root's turn the new root and frees what can no longer follow. Returns
    /// false when the tree does not have that position.
    pub(in crate::search::puct) fn advance(&mut self, position: &G::Position) -> bool {
        let Some(root) = self.index_of(position, 0, hash(position, 0)) else {
            return false;
        };
        if root != 0 {
            self.reroot(root);
        }
        true
    }

    /// Makes another node the root and keeps what can be reached from it, in the order it is reached.
    fn reroot(&mut self, root: u32) {
        let mut new_places = vec![UNVISITED; self.nodes.len()];
        let mut met = vec![root];
        new_places[root as usize] = 0;
        let (mut nodes, mut positions) = (Vec::new(), Vec::new());
        let (mut edges, mut branches) = (Vec::new(), Vec::new());
        let mut next = 0;
        while let Some(&old) = met.get(next) {
            next += 1;
            let node = &self.nodes[old as usize];
            let first_edge = edges.len() as u32;
            for edge in &self.edges[places(&node.edges)] {
                let first_branch = branches.len() as u32;
                for branch in &self.branches[places(&edge.branches)] {
                    let mut node = UNVISITED;
                    if branch.node != UNVISITED {
                        let place = &mut new_places[branch.node as usize];
                        if *place == UNVISITED {
                            *place = met.len() as u32;
                            met.push(branch.node);
                        }
                        node = *place;
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
            positions.push(self.positions[old as usize].clone());
        }
        (self.nodes, self.positions) = (nodes, positions);
        (self.edges, self.branches) = (edges, branches);
        self.places.clear();
        for (place, (node, position)) in (0..).zip(self.nodes.iter().zip(&self.positions)) {
            let hash = hash(position, node.turn);
            self.places
                .insert_unique(hash, (hash, place), |&(hash, _)| hash);
        }
    }
}
