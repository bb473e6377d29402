//! Lazy game trees: a tree is to a search what an iterator is to a loop.
//!
//! A [`GameTree`] is a node in the tree of a game. It is lazy in two ways: listing the actions computes no position,
//! and a subtree is computed only when its iterator yields it. [`LazyTree`] computes nodes without caching them, for
//! deep searches; [`cached`] trees keep the nodes that users view. [`DepthLimited`] is the book's `limit-tree-depth`
//! (Land of Lisp, chapter 18), [`NodeLimited`] limits the number of nodes instead.
//!
//! # The book's lazy lists
//!
//! Chapter 18 makes the tree lazy with its own library, in which a list is a thunk that caches its value. Here an
//! iterator replaces the list that has not been computed yet, and the [`OnceLock`](std::sync::OnceLock) of a [`cached`]
//! edge replaces the thunk.
//!
//! | the book | here |
//! |---|---|
//! | `lazy` | an edge of a [`CachedNode`](cached::CachedNode): an empty `OnceLock` and the data to fill it; without caching, a closure in an iterator |
//! | `force` | reading the child of an edge: `OnceLock::get_or_init` applies the action once, later reads find the child |
//! | `lazy-cons`, `lazy-nil`, `lazy-null` | `iter::once(…).chain(…)`, `iter::empty()`, a `next()` that is `None` |
//! | `lazy-car`, `lazy-cdr` | `next()` returns the first element and leaves the rest |
//! | `make-lazy` | `into_iter()` |
//! | `take`, `take-all` | `take(n)`, `collect()` |
//! | `lazy-mapcar` | `map`: [`DepthLimited`] wraps each subtree when it is yielded |
//! | `lazy-mapcan` | `flat_map`: [`Game::legal_actions`] of all hexes in one list |
//! | `lazy-find-if` | `find`; `any` for a yes-or-no answer |
//! | `lazy-nth` | `nth`, which skips actions without computing their positions |
//!
//! Reading the position after move 6 of the large board computes one position:
//!
//! ```
//! use dice_of_doom_games::trilobite::Trilobite;
//! use dice_of_doom_core::tree::{GameTree, cached::CachedNode};
//!
//! let game = Trilobite::new(8, 7, 4)?;
//! let root = CachedNode::root(game.empty());
//! let tree = root.cached(&game);
//! let (column, mut chances) = tree.branches().nth(6).expect("eight columns");
//! assert_eq!((column.to_string(), root.cached_nodes()), ("g".to_owned(), 1)); // the root alone
//! let child = chances.next().expect("a deterministic outcome").tree;
//! assert_eq!(game.last_move(child.position()), Some(54));
//! assert_eq!(root.cached_nodes(), 2); // and one child
//! child.branches().count();
//! let again = tree.branches().nth(6).and_then(|(_, mut again)| again.next());
//! assert!(again.is_some());
//! assert_eq!(root.cached_nodes(), 2); // listing actions computes no node, nor does a second read
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Playing a ply frees all branches that were not played, and a budget limits the rest: in a session of 20 plies with a
//! search of depth three before each, the number of cached nodes never exceeds the budget.
//!
//! ```
//! use dice_of_doom_core::search::alpha_beta;
//! use dice_of_doom_core::session::{MAX_CACHED_POSITIONS, Session};
//! use dice_of_doom_core::tree::GameTree;
//! use dice_of_doom_games::trilobite::{Trilobite, static_evaluation::OpenLines};
//! use rand::SeedableRng;
//!
//! let game = Trilobite::new(8, 7, 4)?;
//! let mut session = Session::new(game, game.empty());
//! let mut dice = rand::rngs::ChaCha8Rng::seed_from_u64(1);
//! let mut max_cached = 0;
//! for _ in 0..20 {
//!     let mover = session.status().mover().expect("20 plies do not end this game");
//!     let tree = session.tree().limit_depth(3);
//!     let column = alpha_beta(&tree, &OpenLines, mover).action().expect("a column is not full");
//!     max_cached = max_cached.max(session.cached_positions());
//!     let ply = session.prepare_ply(mover, column, &mut dice, 0)?;
//!     session = session.with_ply(ply)?;
//! }
//! assert!((100..=MAX_CACHED_POSITIONS).contains(&max_cached));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not here: values, searches, particular games.

use std::cell::Cell;
use std::sync::Arc;

use crate::game::Game;

pub mod cached;

/// The position type of a tree's game.
pub type PositionOf<T> = <<T as GameTree>::Game as Game>::Position;
/// The action type of a tree's game.
pub type ActionOf<T> = <<T as GameTree>::Game as Game>::Action;
/// The outcome type of a tree's game.
pub type OutcomeOf<T> = <<T as GameTree>::Game as Game>::Outcome;

/// One chance outcome of an action, and the subtree after it.
#[derive(Clone, Debug)]
pub struct ChanceBranch<T: GameTree> {
    /// The chance outcome.
    pub outcome: OutcomeOf<T>,
    /// The probability, 0..=1.
    pub probability: f64,
    /// The subtree after the outcome.
    pub tree: T,
}

impl<T: GameTree> ChanceBranch<T> {
    /// The same branch with another tree of the same game.
    #[inline]
    fn map_tree<U: GameTree<Game = T::Game>>(self, map: impl FnOnce(T) -> U) -> ChanceBranch<U> {
        ChanceBranch {
            outcome: self.outcome,
            probability: self.probability,
            tree: map(self.tree),
        }
    }
}

/// A node in the tree of a game.
pub trait GameTree: Sized {
    /// The game of the tree.
    type Game: Game;

    /// The rules with their parameters.
    fn game(&self) -> &Self::Game;

    /// The position of this node.
    fn position(&self) -> &PositionOf<Self>;

    /// The legal actions in the order of the game, each with its chance outcomes; none if the game is over or the tree
    /// is cut off here.
    fn branches(
        &self,
    ) -> impl Iterator<
        Item = (
            ActionOf<Self>,
            impl Iterator<Item = ChanceBranch<Self>> + Clone,
        ),
    >;

    /// The same tree, cut off this number of plies below this node.
    fn limit_depth(self, plies: u32) -> DepthLimited<Self> {
        DepthLimited { tree: self, plies }
    }
}

/// A tree that computes every node on demand and caches none.
#[derive(Debug)]
pub struct LazyTree<'g, G: Game> {
    game: &'g G,
    position: G::Position,
}

impl<'g, G: Game> LazyTree<'g, G> {
    /// The tree below a position.
    pub const fn new(game: &'g G, position: G::Position) -> Self {
        LazyTree { game, position }
    }
}

impl<G: Game> Clone for LazyTree<'_, G> {
    fn clone(&self) -> Self {
        LazyTree {
            game: self.game,
            position: self.position.clone(),
        }
    }
}

impl<G: Game> GameTree for LazyTree<'_, G> {
    type Game = G;

    fn game(&self) -> &G {
        self.game
    }

    fn position(&self) -> &G::Position {
        &self.position
    }

    #[inline]
    fn branches(
        &self,
    ) -> impl Iterator<Item = (G::Action, impl Iterator<Item = ChanceBranch<Self>> + Clone)> {
        let (game, position) = (self.game, &self.position);
        game.legal_actions(position).map(move |action| {
            let chances =
                game.chance_outcomes(position, action)
                    .map(move |(outcome, probability)| {
                        let tree = LazyTree {
                            game,
                            position: game.apply(position, action, outcome),
                        };
                        ChanceBranch {
                            outcome,
                            probability,
                            tree,
                        }
                    });
            (action, chances)
        })
    }
}

/// A tree that is cut off a number of plies below its root.
#[derive(Clone, Debug)]
pub struct DepthLimited<T> {
    tree: T,
    plies: u32,
}

impl<T: GameTree> GameTree for DepthLimited<T> {
    type Game = T::Game;

    fn game(&self) -> &T::Game {
        self.tree.game()
    }

    fn position(&self) -> &PositionOf<T> {
        self.tree.position()
    }

    #[inline]
    fn branches(
        &self,
    ) -> impl Iterator<
        Item = (
            ActionOf<T>,
            impl Iterator<Item = ChanceBranch<Self>> + Clone,
        ),
    > {
        let below = self.plies.checked_sub(1);
        below.into_iter().flat_map(move |plies| {
            self.tree.branches().map(move |(action, chances)| {
                let limit = move |tree| DepthLimited { tree, plies };
                (action, chances.map(move |branch| branch.map_tree(limit)))
            })
        })
    }
}

/// A budget of nodes.
#[derive(Clone)]
pub struct Budget {
    remaining: Cell<u64>,
    /// Whether the search must stop.
    stop: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Budget {
    /// A budget of this number of nodes.
    #[must_use]
    pub const fn new(nodes: u64) -> Self {
        Budget {
            remaining: Cell::new(nodes),
            stop: None,
        }
    }

    /// The same budget, which is set to 0 soon after this function returns true. It is called every few thousand nodes.
    #[must_use]
    pub fn with_stop_check(self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Budget {
            stop: Some(Arc::new(stop)),
            ..self
        }
    }

    /// The number of nodes left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.remaining.get()
    }

    /// Takes one node from the budget; `None` if none is left.
    #[inline]
    pub fn take(&self) -> Option<()> {
        let remaining = self.remaining.get().checked_sub(1)?;
        let is_stopped =
            remaining % STOP_CHECK_INTERVAL == 0 && self.stop.as_ref().is_some_and(|stop| stop());
        self.remaining.set(if is_stopped { 0 } else { remaining });
        Some(())
    }

    /// The same tree, without branches once this budget is used up.
    pub fn limit_nodes<T: GameTree>(&self, tree: T) -> NodeLimited<'_, T> {
        NodeLimited { tree, budget: self }
    }
}

/// The number of nodes between two checks whether to stop.
const STOP_CHECK_INTERVAL: u64 = 1 << 12;

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Budget").field(&self.remaining()).finish()
    }
}

impl From<u64> for Budget {
    fn from(nodes: u64) -> Self {
        Budget::new(nodes)
    }
}

/// A tree that has no more branches once a budget of nodes is used up.
///
/// A search of it ends soon afterwards; [`NodeLimited::is_exhausted`] tells whether its values may differ from those of
/// the whole tree.
#[derive(Clone, Debug)]
pub struct NodeLimited<'b, T> {
    tree: T,
    budget: &'b Budget,
}

impl<T: GameTree> NodeLimited<'_, T> {
    /// Whether the budget is used up, so that the tree may have been cut off.
    pub fn is_exhausted(&self) -> bool {
        self.budget.remaining() == 0
    }
}

impl<T: GameTree> GameTree for NodeLimited<'_, T> {
    type Game = T::Game;

    fn game(&self) -> &T::Game {
        self.tree.game()
    }

    fn position(&self) -> &PositionOf<T> {
        self.tree.position()
    }

    fn branches(
        &self,
    ) -> impl Iterator<
        Item = (
            ActionOf<T>,
            impl Iterator<Item = ChanceBranch<Self>> + Clone,
        ),
    > {
        let budget = self.budget;
        let branches = (!self.is_exhausted()).then(|| self.tree.branches());
        let limit = move |tree| {
            // An exhausted budget is visible in [`NodeLimited::is_exhausted`].
            let _ = budget.take();
            NodeLimited { tree, budget }
        };
        branches
            .into_iter()
            .flatten()
            .map(move |(action, chances)| {
                (action, chances.map(move |branch| branch.map_tree(limit)))
            })
    }
}
