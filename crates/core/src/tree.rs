//! Lazy game trees: a tree is to a search what an iterator is to a loop.
//!
//! A [`GameTree`] is a node in the tree of a game. It is lazy twice: listing its actions makes no
//! position, and a subtree is made only when the iterator yields it. [`LazyTree`] computes and remembers
//! nothing, for deep search; [`cached`] keeps what people look at. [`DepthLimited`] is the book's
//! `limit-tree-depth` (Land of Lisp, chapter 18), [`NodeLimited`] bounds the nodes instead.
//!
//! # The book's lazy lists
//!
//! Chapter 18 makes the tree lazy with a library of its own, in which a list is a thunk that
//! remembers its value. Here two things of Rust stand in for it: an iterator is the list that is not
//! computed yet, and the [`OnceLock`](std::sync::OnceLock) of a [`cached`] edge is the thunk that
//! remembers.
//!
//! | the book | here |
//! |---|---|
//! | `lazy` | an edge of a [`Node`](cached::Node): an empty `OnceLock` and what is needed to fill it; where nothing need be remembered, a closure in an iterator |
//! | `force` | drawing a [`ChanceBranch`]: `OnceLock::get_or_init` plays the ply once, the next look finds the child |
//! | `lazy-cons`, `lazy-nil`, `lazy-null` | `iter::once(…).chain(…)`, `iter::empty()`, a `next()` that is `None` |
//! | `lazy-car`, `lazy-cdr` | `next()` returns the one and leaves the other |
//! | `make-lazy` | `into_iter()` |
//! | `take`, `take-all` | `take(n)`, `collect()` |
//! | `lazy-mapcar` | `map`: [`DepthLimited`] wraps each subtree when it is drawn |
//! | `lazy-mapcan` | `flat_map`: [`Game::legal_actions`] of all hexes in one list |
//! | `lazy-find-if` | `find`; `any` for the question alone |
//! | `lazy-nth` | `nth`, which passes over actions without making their positions |
//!
//! Looking at move 6 of the large board makes one position:
//!
//! ```
//! use dice_of_doom_games::trilobite::Trilobite;
//! use dice_of_doom_core::tree::{GameTree, remembered::Node};
//!
//! let game = Trilobite::new(8, 7, 4)?;
//! let root = Node::root(game.empty());
//! let tree = root.view(&game);
//! let (column, mut chances) = tree.branches().nth(6).expect("eight columns");
//! assert_eq!((column.to_string(), root.forced()), ("g".to_owned(), 1)); // the root alone
//! let child = chances.next().expect("a sure outcome").tree;
//! assert_eq!(game.last_move(child.position()), Some(54));
//! assert_eq!(root.forced(), 2); // and one child
//! child.branches().count();
//! let again = tree.branches().nth(6).and_then(|(_, mut again)| again.next());
//! assert!(again.is_some());
//! assert_eq!(root.forced(), 2); // listing makes nothing, nor does a second look
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Playing a ply frees all branches that were not played, and a budget bounds the rest: a session of 20
//! plies, searched three plies deep at each, never remembers more nodes than its budget.
//!
//! ```
//! use dice_of_doom_core::search::alpha_beta;
//! use dice_of_doom_core::session::{MOST_REMEMBERED, Session};
//! use dice_of_doom_core::tree::GameTree;
//! use dice_of_doom_games::trilobite::{Trilobite, evaluate::OpenLines};
//! use rand::SeedableRng;
//!
//! let game = Trilobite::new(8, 7, 4)?;
//! let mut session = Session::new(game, game.empty());
//! let mut dice = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! let mut most_held = 0;
//! for _ in 0..20 {
//!     let mover = session.status().mover().expect("20 plies do not end this game");
//!     let tree = session.tree().limit(3);
//!     let column = alpha_beta(&tree, &OpenLines, mover).action().expect("a column has room");
//!     most_held = most_held.max(session.remembered());
//!     let ply = session.decide(mover, column, &mut dice, 0)?;
//!     session = session.after(ply)?;
//! }
//! assert!((100..=MOST_REMEMBERED).contains(&most_held));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not here: values, searches, any particular game.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::Game;

pub mod cached;

/// The position type of a tree's game.
pub type PositionOf<T> = <<T as GameTree>::Game as Game>::Position;
/// The action type of a tree's game.
pub type ActionOf<T> = <<T as GameTree>::Game as Game>::Action;
/// The outcome type of a tree's game.
pub type OutcomeOf<T> = <<T as GameTree>::Game as Game>::Outcome;

/// One outcome of an action, and the subtree it leads to.
#[derive(Clone, Debug)]
pub struct ChanceBranch<T: GameTree> {
    /// What chance answered.
    pub outcome: OutcomeOf<T>,
    /// How likely, 0..=1.
    pub probability: f64,
    /// What follows.
    pub tree: T,
}

/// A node in the tree of a game.
pub trait GameTree: Sized {
    /// The game whose tree this is.
    type Game: Game;

    /// The rules.
    fn game(&self) -> &Self::Game;

    /// The position of this node.
    fn position(&self) -> &PositionOf<Self>;

    /// The actions in the game's order, each with its outcomes; none when the game is over or the
    /// tree is cut here.
    fn branches(
        &self,
    ) -> impl Iterator<
        Item = (
            ActionOf<Self>,
            impl Iterator<Item = ChanceBranch<Self>> + Clone,
        ),
    >;

    /// The same tree, cut so many plies below this node.
    fn limit(self, plies: u32) -> DepthLimited<Self> {
        DepthLimited { tree: self, plies }
    }
}

/// A tree that computes every node when it is asked for and remembers none.
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
            let chances = game
                .chance_outcomes(position, action)
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

/// A tree cut a number of plies below its root.
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
                let chances = chances.map(
                    move |ChanceBranch {
                              outcome,
                              probability,
                              tree,
                          }| ChanceBranch {
                        outcome,
                        probability,
                        tree: DepthLimited { tree, plies },
                    },
                );
                (action, chances)
            })
        })
    }
}

/// How many nodes may be made. A number is a budget.
#[derive(Clone, Debug)]
pub struct Budget {
    left: Cell<u64>,
    stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// This many nodes.
    #[must_use]
    pub const fn new(nodes: u64) -> Self {
        Budget {
            left: Cell::new(nodes),
            stop: None,
        }
    }

    /// The same, which is spent soon after this flag is raised.
    #[must_use]
    pub fn stopped_by(self, flag: Arc<AtomicBool>) -> Self {
        let stop = Some(flag);
        Budget { stop, ..self }
    }

    /// How many nodes are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes one node; `None` where nothing is left.
    #[inline]
    pub fn take(&self) -> Option<()> {
        take(&self.left, self.stop.as_deref())
    }

    /// A tree that ends everywhere once this budget is spent.
    pub fn meter<T: GameTree>(&self, tree: T) -> NodeLimited<'_, T> {
        NodeLimited {
            tree,
            budget: &self.left,
            stop: self.stop.as_deref(),
        }
    }
}

/// After this number of nodes a flag is looked at.
const BETWEEN_LOOKS: u64 = 1 << 12;

#[inline]
fn take(left: &Cell<u64>, stop: Option<&AtomicBool>) -> Option<()> {
    let rest = left.get().checked_sub(1)?;
    let is_raised = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let is_stopped = rest % BETWEEN_LOOKS == 0 && stop.is_some_and(is_raised);
    left.set(if is_stopped { 0 } else { rest });
    Some(())
}

impl From<u64> for Budget {
    fn from(nodes: u64) -> Self {
        Budget::new(nodes)
    }
}

/// A tree that ends everywhere once a budget of nodes is spent.
///
/// A search over it ends soon after that; [`NodeLimited::is_exhausted`] tells whether its values are those
/// of the whole tree.
#[derive(Clone, Debug)]
pub struct NodeLimited<'b, T> {
    tree: T,
    budget: &'b Cell<u64>,
    stop: Option<&'b AtomicBool>,
}

impl<'b, T: GameTree> NodeLimited<'b, T> {
    /// The same tree; every node made takes one from the budget.
    pub const fn new(tree: T, budget: &'b Cell<u64>) -> Self {
        let stop = None;
        NodeLimited { tree, budget, stop }
    }

    /// Whether the budget is spent, so that the tree may have been cut.
    pub fn is_exhausted(&self) -> bool {
        self.budget.get() == 0
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
        let (budget, stop) = (self.budget, self.stop);
        let branches = (!self.is_exhausted()).then(|| self.tree.branches());
        branches
            .into_iter()
            .flatten()
            .map(move |(action, chances)| {
                let chances = chances.map(
                    move |ChanceBranch {
                              outcome,
                              probability,
                              tree,
                          }| {
                        // What is left shows in [`NodeLimited::is_exhausted`].
                        let _ = take(budget, stop);
                        ChanceBranch {
                            outcome,
                            probability,
                            tree: NodeLimited { tree, budget, stop },
                        }
                    },
                );
                (action, chances)
            })
    }
}
