//! What is left of a tree when the game goes on from one of its nodes.

use super::{Branch, Edge, Node, Tree, UNVISITED, hash, places};
use crate::game::Game;

impl<G: Game> Tree<G> {
    /// Makes another node the root and keeps what can be reached from it, in the order it is met.
    pub(super) fn keep_from(&mut self, root: u32) {
        let mut new_places = vec![UNVISITED; self.nodes.len()];
        let mut met = vec![root];
        new_places[root as usize] = 0;
        let (mut edges, mut branches) = (Vec::new(), Vec::new());
        let mut next = 0;
        let mut old_nodes: Vec<Option<Node<G>>> = std::mem::take(&mut self.nodes)
            .into_iter()
            .map(Some)
            .collect();
        let mut old_edges: Vec<Option<Edge<G::Action>>> = std::mem::take(&mut self.edges)
            .into_iter()
            .map(Some)
            .collect();
        while let Some(&old) = met.get(next) {
            next += 1;
            let mut node = old_nodes[old as usize].take().expect("met once");
            let first_edge = edges.len() as u32;
            for at in places(&node.edges) {
                let mut edge = old_edges[at].take().expect("an edge has one node");
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
                    branches.push(Branch { node, ..*branch });
                }
                edge.branches = first_branch..branches.len() as u32;
                edges.push(edge);
            }
            node.edges = first_edge..edges.len() as u32;
            self.nodes.push(node);
        }
        self.edges = edges;
        self.branches = branches;
        self.places.clear();
        for (place, node) in (0..).zip(&self.nodes) {
            let hash = hash(&node.position, node.turn);
            self.places
                .insert_unique(hash, (hash, place), |&(hash, _)| hash);
        }
    }
}
