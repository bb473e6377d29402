//! Plain expectiminimax: every node is visited, none is pruned (Donald Michie, 1966). It is the
//! reference that every cleverer search must equal.

use super::{Goal, SearchResult, StaticEvaluation};
use crate::game::Player;
use crate::tree::{ActionOf, GameTree};

/// The floating-point numbers in which a search computes.
pub trait Scalar:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + Into<f64>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The nearest number.
    fn rounded(value: f64) -> Self;
}

impl Scalar for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Scalar for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

/// Values every action of the root for a player, in doubles.
///
/// ```
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules, Setup, evaluate::BookScore};
/// use dice_of_doom_core::search::expectimax;
/// use dice_of_doom_core::tree::{GameTree, Unfold};
///
/// let game = DiceOfDoom::new(Rules::V2, 2, 2, 3)?;
/// let start = game.position(&Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]))?;
/// let player = start.player();
/// let analysis = expectimax(&Unfold::new(&game, start).limit(4), &BookScore, player);
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

/// [`expectimax`] in another floating-point type; the values are widened to doubles.
///
/// The last outcome's probability is 1 minus the others *in these numbers*, and nothing is fused,
/// so single precision gives the book's values bit for bit.
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
    let goal = Goal::of(tree.game(), tree.position(), player);
    SearchResult::best_first(ratings, goal, search.nodes)
}

struct ExpectimaxSearch<'e, E> {
    evaluate: &'e E,
    player: Player,
    nodes: u64,
}

impl<E> ExpectimaxSearch<'_, E> {
    /// The value of a lottery over trees.
    #[inline]
    fn expected<N: Scalar, T: GameTree>(&mut self, mut chances: impl Iterator<Item = (f64, T)>) -> N
    where
        E: StaticEvaluation<T::Game>,
    {
        let Some(mut chance) = chances.next() else {
            return N::ZERO;
        };
        let (mut sum, mut left) = (N::ZERO, N::ONE);
        loop {
            let (probability, tree) = chance;
            let value: N = self.value(&tree);
            match chances.next() {
                Some(next) => {
                    let probability = N::rounded(probability);
                    sum = sum + probability * value;
                    left = left - probability;
                    chance = next;
                }
                None => return sum + left * value,
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
                None => (value, Goal::of(tree.game(), tree.position(), self.player)),
                Some((best, goal)) if goal.prefers(value, best) => (value, goal),
                Some(unchanged) => unchanged,
            });
        }
        match best {
            Some((value, _)) => value,
            // The game is over or the tree is cut: the evaluation says what either is worth.
            None => N::rounded(
                self.evaluate
                    .evaluate(tree.game(), tree.position(), self.player),
            ),
        }
    }
}
