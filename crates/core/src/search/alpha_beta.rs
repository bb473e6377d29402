//! Alpha-beta with Star1 at chance nodes (Knuth and Moore 1975; Ballard 1983).
//!
//! The search is fail-soft, visits actions in the order of the game, cuts on ≥ / ≤ but never at the root, and has no
//! transposition table. So its ratings equal those of the book (Land of Lisp, chapter 18), where the ratings of pruned
//! actions are bounds.

use std::ops::RangeInclusive;

use super::{Goal, SearchResult, StaticEvaluation};
use crate::game::Player;
use crate::tree::{ActionOf, GameTree};

/// Finds the same best action and value as [`expectimax`](fn@super::expectimax), with fewer nodes.
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
    let goal = Goal::for_mover(tree.game(), tree.position(), player);
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

/// The range of values that can still affect the root.
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

    /// The expected value of a chance node: each outcome is searched with the window that could still matter if all
    /// later outcomes had the best, or worst, possible value.
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
        let (mut sum, mut remaining) = (0.0, 1.0);
        loop {
            let (probability, tree) = chance;
            let Some(next_chance) = chances.next() else {
                // For the last outcome, often the only one, the window is exact.
                let needed = |bound: f64| {
                    if remaining > 0.0 {
                        (bound - sum) / remaining
                    } else {
                        bound
                    }
                };
                let window = Window {
                    alpha: needed(window.alpha),
                    beta: needed(window.beta),
                };
                return sum + remaining * self.value(&tree, window);
            };
            remaining -= probability;
            // An outcome with probability 0 contributes nothing; its window would be 0/0.
            if probability > 0.0 {
                let value = self.value(
                    &tree,
                    Window {
                        alpha: (window.alpha - sum - remaining * best) / probability,
                        beta: (window.beta - sum - remaining * worst) / probability,
                    },
                );
                sum += probability * value;
                // Clamped, so that a bound with rounding errors is never taken for a better value.
                let upper = sum + remaining * best;
                if upper <= window.alpha {
                    return upper.min(window.alpha);
                }
                let lower = sum + remaining * worst;
                if lower >= window.beta {
                    return lower.max(window.beta);
                }
            }
            chance = next_chance;
        }
    }
}
