//! Plain expectiminimax without pruning (Donald Michie, 1966), the reference for the optimised searches.

use super::{Goal, SearchResult, StaticEvaluation};
use crate::game::Player;
use crate::tree::{ActionOf, GameTree};

/// A floating-point type of search values.
pub trait Scalar:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + Into<f64>
{
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// Rounds to the nearest representable number.
    fn from_f64(value: f64) -> Self;
}

impl Scalar for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Scalar for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

/// Computes the value of every action of the root for a player, in double precision.
///
/// ```
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules, Setup, land_of_lisp::score::BookScore};
/// use dice_of_doom_core::search::expectimax;
/// use dice_of_doom_core::tree::{GameTree, LazyTree};
///
/// let game = DiceOfDoom::new(Rules::V2, 2, 2, 3)?;
/// let start = game.position(&Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]))?;
/// let player = start.player();
/// let analysis = expectimax(&LazyTree::new(&game, start).limit_depth(4), &BookScore, player);
/// assert_eq!(analysis.chosen, Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn expectimax<T: GameTree>(
    tree: &T,
    evaluate: &impl StaticEvaluation<T::Game>,
    player: Player,
) -> SearchResult<ActionOf<T>> {
    expectimax_in::<f64, T>(tree, evaluate, player)
}

/// [`expectimax`] in another floating-point type; the values are converted to doubles at the end.
///
/// The probability of the last outcome is 1 minus the others *in this type*, and no operations are fused, so single
/// precision gives the values of the book bit for bit.
pub fn expectimax_in<N: Scalar, T: GameTree>(
    tree: &T,
    evaluate: &impl StaticEvaluation<T::Game>,
    player: Player,
) -> SearchResult<ActionOf<T>> {
    let mut search = ExpectimaxSearch {
        evaluate,
        player,
        nodes: 1,
    };
    let ratings = tree
        .branches()
        .map(|(action, chances)| {
            let value: N = search.expected(chances.map(|chance| (chance.probability, chance.tree)));
            (action, value.into())
        })
        .collect();
    let goal = Goal::for_mover(tree.game(), tree.position(), player);
    SearchResult::best_first(ratings, goal, search.nodes)
}

struct ExpectimaxSearch<'e, E> {
    evaluate: &'e E,
    player: Player,
    nodes: u64,
}

impl<E> ExpectimaxSearch<'_, E> {
    /// The expected value of a chance node.
    #[inline]
    fn expected<N: Scalar, T: GameTree>(&mut self, mut chances: impl Iterator<Item = (f64, T)>) -> N
    where
        E: StaticEvaluation<T::Game>,
    {
        let Some(mut chance) = chances.next() else {
            return N::ZERO;
        };
        let (mut sum, mut remaining) = (N::ZERO, N::ONE);
        loop {
            let (probability, tree) = chance;
            let value: N = self.value(&tree);
            match chances.next() {
                Some(next) => {
                    let probability = N::from_f64(probability);
                    sum = sum + probability * value;
                    remaining = remaining - probability;
                    chance = next;
                }
                None => return sum + remaining * value,
            }
        }
    }

    fn value<N: Scalar, T: GameTree>(&mut self, tree: &T) -> N
    where
        E: StaticEvaluation<T::Game>,
    {
        self.nodes += 1;
        let mut best: Option<(N, Goal)> = None;
        for (_, chances) in tree.branches() {
            let value = self.expected(chances.map(|chance| (chance.probability, chance.tree)));
            best = Some(match best {
                None => (
                    value,
                    Goal::for_mover(tree.game(), tree.position(), self.player),
                ),
                Some((best, goal)) if goal.prefers(value, best) => (value, goal),
                Some(unchanged) => unchanged,
            });
        }
        match best {
            Some((value, _)) => value,
            // The game is over or the tree is cut off here.
            None => N::from_f64(
                self.evaluate
                    .evaluate(tree.game(), tree.position(), self.player),
            ),
        }
    }
}
