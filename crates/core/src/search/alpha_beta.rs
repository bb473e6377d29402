//! Alpha-beta pruning (Knuth and Moore 1975).
//!
//! The search is fail-soft, visits actions in the order of the game, cuts on ≥ / ≤ but never at the root, and has no
//! transposition table. So its ratings equal those of the book (Land of Lisp, chapter 18), where the ratings of pruned
//! actions are bounds.
//!
//! It is meant for deterministic games. Where chance decides, each outcome is searched with an open window, because a
//! bound on the average of the outcomes is not a bound on any one of them.

use super::{Goal, SearchResult, StaticEvaluation};
use crate::game::Player;
use crate::tree::{ActionOf, ChanceBranch, GameTree};

/// Finds the same best action and value as [`expectimax`](fn@super::expectimax), with fewer nodes where actions are
/// deterministic.
pub fn alpha_beta<T: GameTree>(
    tree: &T,
    evaluate: &impl StaticEvaluation<T::Game>,
    player: Player,
) -> SearchResult<ActionOf<T>> {
    let mut search = AlphaBetaSearch {
        evaluate,
        player,
        nodes: 1,
    };
    let goal = Goal::for_mover(tree.game(), tree.position(), player);
    let mut window = Window::OPEN;
    let mut ratings = Vec::new();
    for (action, chances) in tree.branches() {
        let value = search.expected(chances, window);
        window = window.narrowed(goal, value);
        ratings.push((action, value));
    }
    SearchResult::best_first(ratings, goal, search.nodes)
}

/// The range of values that can still affect the root.
#[derive(Clone, Copy)]
struct Window {
    alpha: f64,
    beta: f64,
}

impl Window {
    const OPEN: Window = Window {
        alpha: f64::NEG_INFINITY,
        beta: f64::INFINITY,
    };

    fn narrowed(self, goal: Goal, value: f64) -> Window {
        match goal {
            Goal::Maximise => Window {
                alpha: self.alpha.max(value),
                ..self
            },
            Goal::Minimise => Window {
                beta: self.beta.min(value),
                ..self
            },
        }
    }

    fn is_cut_by(self, goal: Goal, value: f64) -> bool {
        match goal {
            Goal::Maximise => value >= self.beta,
            Goal::Minimise => value <= self.alpha,
        }
    }
}

struct AlphaBetaSearch<'e, E> {
    evaluate: &'e E,
    player: Player,
    nodes: u64,
}

impl<E> AlphaBetaSearch<'_, E> {
    fn value<T: GameTree>(&mut self, tree: &T, mut window: Window) -> f64
    where
        E: StaticEvaluation<T::Game>,
    {
        self.nodes += 1;
        let mut best: Option<(f64, Goal)> = None;
        for (_, chances) in tree.branches() {
            let value = self.expected(chances, window);
            let (best_value, goal) = best.unwrap_or_else(|| {
                (
                    value,
                    Goal::for_mover(tree.game(), tree.position(), self.player),
                )
            });
            best = Some((
                if goal.prefers(value, best_value) {
                    value
                } else {
                    best_value
                },
                goal,
            ));
            if window.is_cut_by(goal, value) {
                break;
            }
            window = window.narrowed(goal, value);
        }
        match best {
            Some((value, _)) => value,
            None => self
                .evaluate
                .evaluate(tree.game(), tree.position(), self.player),
        }
    }

    /// The expected value of an action.
    fn expected<T: GameTree>(
        &mut self,
        chances: impl Iterator<Item = ChanceBranch<T>>,
        window: Window,
    ) -> f64
    where
        E: StaticEvaluation<T::Game>,
    {
        let values = chances.map(|chance| {
            let is_certain = chance.probability == 1.0;
            let window = if is_certain { window } else { Window::OPEN };
            chance.probability * self.value(&chance.tree, window)
        });
        values.sum()
    }
}
