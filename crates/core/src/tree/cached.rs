//! A tree that remembers the nodes that were visited, shared by everyone who visits them.
//!
//! A [`CachedNode`] keeps its position and, after the first visit, its children; each child is made on its
//! own first visit. Nodes live behind `Arc`, so a root can be shared with readers on other threads
//! and [`CachedNode::child_after`] keeps one branch without copying it. Use it for what people look at; deep
//! searches belong on [`Unfold`](super::Unfold).
//!
//! The method is the book's lazy list of moves (Land of Lisp, chapter 18), with `OnceLock` as the
//! thunk that is forced once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::{ChanceBranch, GameTree};
use crate::game::Game;

/// One remembered position.
pub struct CachedNode<G: Game> {
    position: G::Position,
    /// All outcomes of all actions in order; the outcomes of one action are adjacent.
    edges: OnceLock<Box<[CachedEdge<G>]>>,
}

/// One outcome of one action, with the node that follows once it was visited.
struct CachedEdge<G: Game> {
    action: G::Action,
    outcome: G::Outcome,
    probability: f64,
    child: OnceLock<Arc<CachedNode<G>>>,
}

impl<G: Game> CachedNode<G> {
    /// The root of a new tree; nothing below it is made.
    pub fn root(position: G::Position) -> Arc<Self> {
        Arc::new(CachedNode {
            position,
            edges: OnceLock::new(),
        })
    }

    /// The position of this node.
    pub const fn position(&self) -> &G::Position {
        &self.position
    }

    /// This node as a tree that remembers every node that is visited.
    pub const fn cached<'t>(self: &'t Arc<Self>, game: &'t G) -> CachedTree<'t, G> {
        CachedTree {
            game,
            node: CachedNodeRef::Remembered(self),
            budget: None,
        }
    }

    /// As [`Self::cached`], remembering no more nodes than the budget has left; further nodes are computed
    /// again at each visit.
    pub const fn cached_within<'t>(
        self: &'t Arc<Self>,
        game: &'t G,
        budget: &'t NodeBudget,
    ) -> CachedTree<'t, G> {
        CachedTree {
            game,
            node: CachedNodeRef::Remembered(self),
            budget: Some(budget),
        }
    }

    /// The node after an action and its outcome: the remembered one with all below it if it was
    /// visited, else a new one.
    ///
    /// The rest of the old tree is freed with its last `Arc`.
    pub fn child_after(
        self: &Arc<Self>,
        game: &G,
        action: G::Action,
        outcome: G::Outcome,
    ) -> Arc<Self> {
        let edges = self.edges.get().into_iter().flatten();
        let mut taken = edges.filter(|edge| edge.action == action && edge.outcome == outcome);
        let remembered = taken
            .next()
            .and_then(|edge| edge.child.get())
            .map(Arc::clone);
        remembered.unwrap_or_else(|| CachedNode::root(game.apply(&self.position, action, outcome)))
    }

    /// How many nodes this tree remembers, this one included.
    pub fn cached_nodes(&self) -> usize {
        let mut count = 0;
        let mut unseen = vec![self];
        while let Some(node) = unseen.pop() {
            count += 1;
            let edges = node.edges.get().into_iter().flatten();
            unseen.extend(edges.filter_map(|edge| edge.child.get()).map(Arc::as_ref));
        }
        count
    }

    /// The memory that this tree takes, in bytes: its nodes and their edges, each with what the
    /// allocator adds (a word, in steps of 16).
    pub fn memory_bytes(&self) -> usize {
        let allocated = |bytes: usize| (bytes + 8).next_multiple_of(16);
        let mut bytes = 0;
        let mut unseen = vec![self];
        while let Some(node) = unseen.pop() {
            // An `Arc` keeps two counters beside the node.
            bytes += allocated(2 * size_of::<usize>() + size_of::<Self>());
            if let Some(edges) = node.edges.get() {
                bytes += allocated(size_of_val(&**edges));
                unseen.extend(
                    edges
                        .iter()
                        .filter_map(|edge| edge.child.get())
                        .map(Arc::as_ref),
                );
            }
        }
        bytes
    }

    /// The outcomes of every action; makes the list on the first look, but no child.
    fn edges(&self, game: &G) -> &[CachedEdge<G>] {
        self.edges.get_or_init(|| {
            let mut edges = Vec::new();
            for action in game.legal_actions(&self.position) {
                for (outcome, probability) in game.chance_outcomes(&self.position, action) {
                    edges.push(CachedEdge {
                        action,
                        outcome,
                        probability,
                        child: OnceLock::new(),
                    });
                }
            }
            edges.into_boxed_slice()
        })
    }
}

impl<G: Game> std::fmt::Debug for CachedNode<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Drop for CachedNode<G> {
    /// Uses a work list, because a recursive drop overflows the stack on a long game.
    fn drop(&mut self) {
        let mut orphans = Vec::new();
        take_children(self, &mut orphans);
        while let Some(orphan) = orphans.pop() {
            // A node that is shared stays whole; one that is not loses its children before it is dropped.
            if let Some(mut node) = Arc::into_inner(orphan) {
                take_children(&mut node, &mut orphans);
            }
        }
    }
}

fn take_children<G: Game>(node: &mut CachedNode<G>, into: &mut Vec<Arc<CachedNode<G>>>) {
    let edges = node.edges.take().unwrap_or_default();
    into.extend(edges.into_iter().filter_map(|edge| edge.child.into_inner()));
}

/// How many more nodes may be remembered; shared by all views of one tree.
#[derive(Debug)]
pub struct NodeBudget(AtomicUsize);

impl NodeBudget {
    /// A budget of so many nodes.
    #[must_use]
    pub const fn of(nodes: usize) -> Self {
        NodeBudget(AtomicUsize::new(nodes))
    }

    /// How many nodes are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes one node from the budget; false when none is left.
    fn try_take(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

/// A remembered tree as a [`GameTree`], seen from one of its nodes.
pub struct CachedTree<'t, G: Game> {
    game: &'t G,
    node: CachedNodeRef<'t, G>,
    budget: Option<&'t NodeBudget>,
}

/// The node that a view shows: one that the tree remembers, or one computed beyond the budget.
enum CachedNodeRef<'t, G: Game> {
    Remembered(&'t Arc<CachedNode<G>>),
    Computed(G::Position),
}

impl<G: Game> Clone for CachedTree<'_, G> {
    fn clone(&self) -> Self {
        let node = match &self.node {
            CachedNodeRef::Remembered(node) => CachedNodeRef::Remembered(node),
            CachedNodeRef::Computed(position) => CachedNodeRef::Computed(position.clone()),
        };
        CachedTree { node, ..*self }
    }
}

impl<'t, G: Game> CachedTree<'t, G> {
    /// The node that this view shows, if it is remembered: to share, or to advance from.
    pub const fn node(&self) -> Option<&'t Arc<CachedNode<G>>> {
        match self.node {
            CachedNodeRef::Remembered(node) => Some(node),
            CachedNodeRef::Computed(_) => None,
        }
    }

    /// The remembered edges of this node; `None` where it has none and the budget is spent.
    fn edges(&self) -> Option<(&'t CachedNode<G>, &'t [CachedEdge<G>])> {
        let node: &'t CachedNode<G> = self.node()?;
        let is_spent = self.budget.is_some_and(|budget| budget.remaining() == 0);
        (!is_spent || node.edges.get().is_some()).then(|| (node, node.edges(self.game)))
    }

    /// The outcomes of an action: from its remembered edges, or computed.
    fn chance_branches(
        &self,
        action: G::Action,
        edges: Option<(&'t CachedNode<G>, &'t [CachedEdge<G>])>,
    ) -> impl Iterator<Item = ChanceBranch<Self>> + Clone {
        let position = edges.is_none().then(|| self.position());
        let computed = position.into_iter().flat_map(move |position| {
            self.game
                .chance_outcomes(position, action)
                .map(move |(outcome, probability)| {
                    let node = CachedNodeRef::Computed(self.game.apply(position, action, outcome));
                    ChanceBranch {
                        outcome,
                        probability,
                        tree: CachedTree { node, ..*self },
                    }
                })
        });
        let kept = edges.into_iter().flat_map(move |(node, edges)| {
            edges.iter().map(move |edge| ChanceBranch {
                outcome: edge.outcome,
                probability: edge.probability,
                tree: self.child(node, edge),
            })
        });
        kept.chain(computed)
    }

    /// The view of an edge's child.
    fn child(&self, node: &'t CachedNode<G>, edge: &'t CachedEdge<G>) -> CachedTree<'t, G> {
        let play = || self.game.apply(&node.position, edge.action, edge.outcome);
        let is_affordable =
            || edge.child.get().is_some() || self.budget.is_none_or(NodeBudget::try_take);
        let node = if is_affordable() {
            CachedNodeRef::Remembered(edge.child.get_or_init(|| CachedNode::root(play())))
        } else {
            CachedNodeRef::Computed(play())
        };
        CachedTree { node, ..*self }
    }
}

impl<G: Game> GameTree for CachedTree<'_, G> {
    type Game = G;

    fn game(&self) -> &G {
        self.game
    }

    fn position(&self) -> &G::Position {
        match &self.node {
            CachedNodeRef::Remembered(node) => &node.position,
            CachedNodeRef::Computed(position) => position,
        }
    }

    fn branches(
        &self,
    ) -> impl Iterator<Item = (G::Action, impl Iterator<Item = ChanceBranch<Self>> + Clone)> {
        let (kept, computed) = match self.edges() {
            Some((node, edges)) => (Some((node, edges)), None),
            None => (None, Some(self.game.legal_actions(self.position()))),
        };
        let kept = kept.into_iter().flat_map(|(node, edges)| {
            let by_action = edges.chunk_by(|one, next| one.action == next.action);
            by_action.map(move |edges| (edges[0].action, Some((node, edges))))
        });
        let computed = computed.into_iter().flatten().map(|action| (action, None));
        kept.chain(computed)
            .map(|(action, edges)| (action, self.chance_branches(action, edges)))
    }
}
