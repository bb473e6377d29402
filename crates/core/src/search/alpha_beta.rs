//! Alpha-beta with Star1 at chance (Knuth and Moore 1975; Ballard 1983).
//!
//! The search is fail-soft, takes actions in the listed order, cuts on ≥ / ≤ but never at the root, and
//! keeps no table. So its list of ratings is the book's (Land of Lisp, chapter 18), where the ratings
//! of pruned actions are bounds.

use std::ops::RangeInclusive;

use super::{Goal, SearchResult, StaticEvaluation};
use crate::game::Player;
use crate::tree::{ActionOf, GameTree};

/// Finds the value of the best action of the root as [`expectimax`](fn@super::expectimax) would, with fewer nodes.
pub fn alpha_beta<T: GameTree>(
    tree: &T,
    evaluate: &impl StaticEvaluation<T::Game>,
    player: Player,
) -> SearchResult<ActionOf<T>> {
    let bounds = evaluate.bounds(tree.game());
    let mut search = AlphaBetaSearch {
        evaluate,
        player,
        bounds,
        nodes: 1,
    };
    let goal = Goal::of(tree.game(), tree.position(), player);
    let mut window = Window {
        alpha: f64::NEG_INFINITY,
        beta: f64::INFINITY,
    };
    let mut ratings = Vec::new();
    for (action, chances) in tree.branches() {
        let value = search.expected(
            chances.map(|chance| (chance.probability, chance.tree)),
            window,
        );
        window = window.narrowed(goal, value);
        ratings.push((action, value));
    }
    SearchResult::best_first(ratings, goal, search.nodes)
}

/// Values outside do not matter to the root.
#[derive(Clone, Copy)]
struct Window {
    alpha: f64,
    beta: f64,
}

impl Window {
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
    bounds: RangeInclusive<f64>,
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
            let value = self.expected(
                chances.map(|chance| (chance.probability, chance.tree)),
                window,
            );
            let (so_far, goal) = best
                .unwrap_or_else(|| (value, Goal::of(tree.game(), tree.position(), self.player)));
            best = Some((
                if goal.prefers(value, so_far) {
                    value
                } else {
                    so_far
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

    /// The value of a lottery: each outcome is searched with the window that could still matter if
    /// all outcomes after it were as good, or as bad, as evaluations can be.
    fn expected<T: GameTree>(
        &mut self,
        mut chances: impl Iterator<Item = (f64, T)>,
        window: Window,
    ) -> f64
    where
        E: StaticEvaluation<T::Game>,
    {
        let (worst, best) = (*self.bounds.start(), *self.bounds.end());
        let Some(mut chance) = chances.next() else {
            return 0.0;
        };
        let (mut sum, mut left) = (0.0, 1.0);
        loop {
            let (listed, tree) = chance;
            let next = chances.next();
            let Some(after) = next else {
                // For the last outcome, often the only one, the window is exact.
                let needed = |bound: f64| {
                    if left > 0.0 {
                        (bound - sum) / left
                    } else {
                        bound
                    }
                };
                let window = Window {
                    alpha: needed(window.alpha),
                    beta: needed(window.beta),
                };
                return sum + left * self.value(&tree, window);
            };
            let probability = listed;
            left -= probability;
            // An outcome that cannot come is worth nothing; its window would be 0/0.
            if probability > 0.0 {
                let value = self.value(
                    &tree,
                    Window {
                        alpha: (window.alpha - sum - left * best) / probability,
                        beta: (window.beta - sum - left * worst) / probability,
                    },
                );
                sum += probability * value;
                // Clamped, so that rounding never makes a bound look like a better value.
                let most = sum + left * best;
                if most <= window.alpha {
                    return most.min(window.alpha);
                }
                let least = sum + left * worst;
                if least >= window.beta {
                    return least.max(window.beta);
                }
            }
            chance = after;
        }
    }
}
