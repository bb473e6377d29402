//! Lazy game trees: a tree is to a search what an iterator is to a loop.
//!
//! A [`GameTree`] is a place in the tree of a game. It is lazy twice: listing its actions makes no
//! position, and a subtree is made only when it is drawn. [`Unfold`] computes and remembers
//! nothing, for deep search; [`remembered`] keeps what people look at. [`Limit`] is the book's
//! `limit-tree-depth` (Land of Lisp, chapter 18), [`Metered`] bounds the nodes instead.
//!
//! Not here: values, searches, any particular game.

use std::cell::Cell;

use crate::game::Game;

pub mod remembered;

/// The position type of a tree's game.
pub type PositionOf<T> = <<T as GameTree>::Game as Game>::Position;
/// The action type of a tree's game.
pub type ActionOf<T> = <<T as GameTree>::Game as Game>::Action;
/// The outcome type of a tree's game.
pub type OutcomeOf<T> = <<T as GameTree>::Game as Game>::Outcome;

/// One outcome of an action, and the subtree it leads to.
#[derive(Clone, Debug)]
pub struct Chance<T: GameTree> {
    /// What chance answered.
    pub outcome: OutcomeOf<T>,
    /// How likely, 0..=1.
    pub probability: f64,
    /// What follows.
    pub tree: T,
}

/// A place in the tree of a game.
pub trait GameTree: Sized {
    /// The game whose tree this is.
    type Game: Game;

    /// The rules.
    fn game(&self) -> &Self::Game;

    /// The position at this place.
    fn position(&self) -> &PositionOf<Self>;

    /// The actions in the game's order, each with its outcomes; none when the game is over or the
    /// tree is cut here.
    fn branches(
        &self,
    ) -> impl Iterator<Item = (ActionOf<Self>, impl Iterator<Item = Chance<Self>> + Clone)>;

    /// The same tree, cut so many plies below this place.
    fn limit(self, plies: u32) -> Limit<Self> {
        Limit { tree: self, plies }
    }
}

/// A tree that computes what it is asked and remembers nothing.
#[derive(Debug)]
pub struct Unfold<'g, G: Game> {
    game: &'g G,
    position: G::Position,
}

impl<'g, G: Game> Unfold<'g, G> {
    /// The tree below a position.
    pub const fn new(game: &'g G, position: G::Position) -> Self {
        Unfold { game, position }
    }
}

impl<G: Game> Clone for Unfold<'_, G> {
    fn clone(&self) -> Self {
        Unfold {
            game: self.game,
            position: self.position.clone(),
        }
    }
}

impl<G: Game> GameTree for Unfold<'_, G> {
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
    ) -> impl Iterator<Item = (G::Action, impl Iterator<Item = Chance<Self>> + Clone)> {
        let (game, position) = (self.game, &self.position);
        game.actions(position).map(move |action| {
            let chances = game
                .lottery(position, action)
                .map(move |(outcome, probability)| {
                    let tree = Unfold {
                        game,
                        position: game.play(position, action, outcome),
                    };
                    Chance {
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
pub struct Limit<T> {
    tree: T,
    plies: u32,
}

impl<T: GameTree> GameTree for Limit<T> {
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
    ) -> impl Iterator<Item = (ActionOf<T>, impl Iterator<Item = Chance<Self>> + Clone)> {
        let below = self.plies.checked_sub(1);
        below.into_iter().flat_map(move |plies| {
            self.tree.branches().map(move |(action, chances)| {
                let chances = chances.map(
                    move |Chance {
                              outcome,
                              probability,
                              tree,
                          }| Chance {
                        outcome,
                        probability,
                        tree: Limit { tree, plies },
                    },
                );
                (action, chances)
            })
        })
    }
}

/// A tree that ends everywhere once a budget of nodes is spent.
///
/// A search over it always ends soon after that; ask [`Metered::is_exhausted`] whether its values
/// are those of the whole tree.
#[derive(Clone, Debug)]
pub struct Metered<'b, T> {
    tree: T,
    budget: &'b Cell<u64>,
}

impl<'b, T: GameTree> Metered<'b, T> {
    /// The same tree; every node made takes one from the budget.
    pub const fn new(tree: T, budget: &'b Cell<u64>) -> Self {
        Metered { tree, budget }
    }

    /// Whether the budget is spent, so that the tree may have been cut.
    pub fn is_exhausted(&self) -> bool {
        self.budget.get() == 0
    }
}

impl<T: GameTree> GameTree for Metered<'_, T> {
    type Game = T::Game;

    fn game(&self) -> &T::Game {
        self.tree.game()
    }

    fn position(&self) -> &PositionOf<T> {
        self.tree.position()
    }

    fn branches(
        &self,
    ) -> impl Iterator<Item = (ActionOf<T>, impl Iterator<Item = Chance<Self>> + Clone)> {
        let budget = self.budget;
        let branches = (!self.is_exhausted()).then(|| self.tree.branches());
        branches
            .into_iter()
            .flatten()
            .map(move |(action, chances)| {
                let chances = chances.map(
                    move |Chance {
                              outcome,
                              probability,
                              tree,
                          }| {
                        budget.set(budget.get().saturating_sub(1));
                        Chance {
                            outcome,
                            probability,
                            tree: Metered { tree, budget },
                        }
                    },
                );
                (action, chances)
            })
    }
}
