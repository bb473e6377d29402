//! A tree that caches the nodes that were read, shared by all its readers.
//!
//! A [`CachedNode`] stores its position and, after the first read, the list of its edges; each child is computed on its
//! own first read. Nodes are shared through `Arc`, so readers on other threads can hold a root, and
//! [`CachedNode::child_after`] keeps one branch without copying it. It is meant for positions that users view; deep
//! searches should use [`LazyTree`](super::LazyTree).
//!
//! This is the lazy list of moves of the book (Land of Lisp, chapter 18), with `OnceLock` as the thunk.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::{ChanceBranch, GameTree};
use crate::game::Game;

/// A cached position.
pub struct CachedNode<G: Game> {
    position: G::Position,
    /// All chance outcomes of all actions in order; those of one action are adjacent.
    edges: OnceLock<Box<[CachedEdge<G>]>>,
}

/// One chance outcome of an action, with its child once it has been computed.
struct CachedEdge<G: Game> {
    action: G::Action,
    outcome: G::Outcome,
    probability: f64,
    child: OnceLock<Arc<CachedNode<G>>>,
}

impl<G: Game> CachedNode<G> {
    /// The root of a new tree without cached children.
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

    /// This node as a tree that caches every node that is read.
    pub const fn cached<'t>(self: &'t Arc<Self>, game: &'t G) -> CachedTree<'t, G> {
        CachedTree {
            game,
            node: CachedNodeRef::Cached(self),
            budget: None,
        }
    }

    /// As [`Self::cached`], but caches no more nodes than the budget allows; further nodes are recomputed on each read.
    pub const fn cached_within<'t>(
        self: &'t Arc<Self>,
        game: &'t G,
        budget: &'t NodeBudget,
    ) -> CachedTree<'t, G> {
        CachedTree {
            game,
            node: CachedNodeRef::Cached(self),
            budget: Some(budget),
        }
    }

    /// The child after an action and its outcome: the cached node with its subtree, or a new node.
    ///
    /// The rest of the old tree is freed with its last `Arc`.
    pub fn child_after(
        self: &Arc<Self>,
        game: &G,
        action: G::Action,
        outcome: G::Outcome,
    ) -> Arc<Self> {
        let edges = self.edges.get().into_iter().flatten();
        let mut matching = edges.filter(|edge| edge.action == action && edge.outcome == outcome);
        let cached = matching
            .next()
            .and_then(|edge| edge.child.get())
            .map(Arc::clone);
        cached.unwrap_or_else(|| CachedNode::root(game.apply(&self.position, action, outcome)))
    }

    /// The number of nodes in this tree, including this one.
    pub fn cached_nodes(&self) -> usize {
        let mut count = 0;
        let mut stack = vec![self];
        while let Some(node) = stack.pop() {
            count += 1;
            let edges = node.edges.get().into_iter().flatten();
            stack.extend(edges.filter_map(|edge| edge.child.get()).map(Arc::as_ref));
        }
        count
    }

    /// The memory of this tree in bytes: its nodes and their edges, including the overhead of the allocator (one word,
    /// sizes rounded up to multiples of 16).
    pub fn memory_bytes(&self) -> usize {
        let allocated = |bytes: usize| (bytes + 8).next_multiple_of(16);
        let mut bytes = 0;
        let mut stack = vec![self];
        while let Some(node) = stack.pop() {
            // An `Arc` allocates two counters beside the node.
            bytes += allocated(2 * size_of::<usize>() + size_of::<Self>());
            if let Some(edges) = node.edges.get() {
                bytes += allocated(size_of_val(&**edges));
                stack.extend(
                    edges
                        .iter()
                        .filter_map(|edge| edge.child.get())
                        .map(Arc::as_ref),
                );
            }
        }
        bytes
    }

    /// The first call creates the list, but no child.
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
    /// Iterative, because a recursive drop would overflow the stack on a long game.
    fn drop(&mut self) {
        let mut detached = Vec::new();
        take_children(self, &mut detached);
        while let Some(node) = detached.pop() {
            // A shared node keeps its children; any other loses them before it is dropped.
            if let Some(mut node) = Arc::into_inner(node) {
                take_children(&mut node, &mut detached);
            }
        }
    }
}

fn take_children<G: Game>(node: &mut CachedNode<G>, into: &mut Vec<Arc<CachedNode<G>>>) {
    let edges = node.edges.take().unwrap_or_default();
    into.extend(edges.into_iter().filter_map(|edge| edge.child.into_inner()));
}

/// The number of nodes that may still be cached; shared by all views of one tree.
#[derive(Debug)]
pub struct NodeBudget(AtomicUsize);

impl NodeBudget {
    /// A budget of this number of nodes.
    #[must_use]
    pub const fn new(nodes: usize) -> Self {
        NodeBudget(AtomicUsize::new(nodes))
    }

    /// The number of nodes left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes one node from the budget; returns false if none is left.
    fn try_take(&self) -> bool {
        let decrement = |remaining: usize| remaining.checked_sub(1);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, decrement)
            .is_ok()
    }
}

/// A cached tree as a [`GameTree`], viewed from one of its nodes.
pub struct CachedTree<'t, G: Game> {
    game: &'t G,
    node: CachedNodeRef<'t, G>,
    budget: Option<&'t NodeBudget>,
}

/// The node of a view: a cached node, or a position beyond the budget.
enum CachedNodeRef<'t, G: Game> {
    Cached(&'t Arc<CachedNode<G>>),
    Computed(G::Position),
}

impl<G: Game> Clone for CachedTree<'_, G> {
    fn clone(&self) -> Self {
        let node = match &self.node {
            CachedNodeRef::Cached(node) => CachedNodeRef::Cached(node),
            CachedNodeRef::Computed(position) => CachedNodeRef::Computed(position.clone()),
        };
        CachedTree { node, ..*self }
    }
}

impl<'t, G: Game> CachedTree<'t, G> {
    /// The node of this view, or `None` if it is not cached.
    pub const fn node(&self) -> Option<&'t Arc<CachedNode<G>>> {
        match self.node {
            CachedNodeRef::Cached(node) => Some(node),
            CachedNodeRef::Computed(_) => None,
        }
    }

    /// The cached edges of this node; `None` if it has none and the budget is used up.
    fn edges(&self) -> Option<(&'t CachedNode<G>, &'t [CachedEdge<G>])> {
        let node: &'t CachedNode<G> = self.node()?;
        let is_spent = self.budget.is_some_and(|budget| budget.remaining() == 0);
        (!is_spent || node.edges.get().is_some()).then(|| (node, node.edges(self.game)))
    }

    /// The chance outcomes of an action, from the cached edges or computed.
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
        let cached = edges.into_iter().flat_map(move |(node, edges)| {
            edges.iter().map(move |edge| ChanceBranch {
                outcome: edge.outcome,
                probability: edge.probability,
                tree: self.child(node, edge),
            })
        });
        cached.chain(computed)
    }

    fn child(&self, node: &'t CachedNode<G>, edge: &'t CachedEdge<G>) -> CachedTree<'t, G> {
        let position = || self.game.apply(&node.position, edge.action, edge.outcome);
        let may_cache =
            || edge.child.get().is_some() || self.budget.is_none_or(NodeBudget::try_take);
        let node = if may_cache() {
            CachedNodeRef::Cached(edge.child.get_or_init(|| CachedNode::root(position())))
        } else {
            CachedNodeRef::Computed(position())
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
            CachedNodeRef::Cached(node) => &node.position,
            CachedNodeRef::Computed(position) => position,
        }
    }

    fn branches(
        &self,
    ) -> impl Iterator<Item = (G::Action, impl Iterator<Item = ChanceBranch<Self>> + Clone)> {
        let (cached, computed) = match self.edges() {
            Some((node, edges)) => (Some((node, edges)), None),
            None => (None, Some(self.game.legal_actions(self.position()))),
        };
        let cached = cached.into_iter().flat_map(|(node, edges)| {
            let by_action = edges.chunk_by(|one, next| one.action == next.action);
            by_action.map(move |edges| (edges[0].action, Some((node, edges))))
        });
        let computed = computed.into_iter().flatten().map(|action| (action, None));
        cached
            .chain(computed)
            .map(|(action, edges)| (action, self.chance_branches(action, edges)))
    }
}
