//! The computer player of the original: it searches the whole tree on a small board and a few plies of
//! the lazy tree on a larger one (Land of Lisp, chapters 15 and 18).

use super::board::Column;
use super::position::Position;
use super::rules::Trilobite;
use super::static_evaluation::{FinalResult, OpenLines};
use dice_of_doom_core::game::Player;
use dice_of_doom_core::search::{self, SearchResult, expectimax};
use dice_of_doom_core::tree::{Budget, GameTree, LazyTree};

/// With at most so many empty cells the book's player tries the whole tree.
const WHOLE_TREE_CELLS: u32 = 12;

/// The most positions of a whole tree; beyond them the book's player looks only a few plies ahead.
const WHOLE_TREE_NODES: u64 = 50_000;

/// How many plies the book's player looks ahead where the whole tree is too large.
pub const DEPTH_PLIES: u32 = 4;

/// The tree has more positions than were allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the whole tree has more than {budget} positions")]
pub struct TreeTooLargeError {
    /// How many were allowed.
    pub budget: u64,
}

/// The column that the book's player chooses.
///
/// # Panics
/// When the game is over.
#[must_use]
pub fn choose(game: &Trilobite, position: &Position) -> Column {
    analyse(game, position)
        .action()
        .expect("the book chooses while the game goes on")
}

/// How the book's player rates the columns for the mover: by their final results where the whole
/// tree is small, else by [`alpha_beta`].
#[must_use]
pub fn analyse(game: &Trilobite, position: &Position) -> SearchResult<Column> {
    let empty = u32::from(game.cells()) - game.chips(position);
    let whole = (empty <= WHOLE_TREE_CELLS).then(|| {
        let tree = LazyTree::new(game, *position);
        whole_tree(tree, position.player(), &WHOLE_TREE_NODES.into()).ok()
    });
    whole
        .flatten()
        .unwrap_or_else(|| alpha_beta(game, position, DEPTH_PLIES))
}

/// Alpha-beta with [`OpenLines`], for the mover: a higher rating is better for whoever is to move.
#[must_use]
pub fn alpha_beta(game: &Trilobite, position: &Position, plies: u32) -> SearchResult<Column> {
    let tree = LazyTree::new(game, *position).limit(plies);
    search::alpha_beta(&tree, &OpenLines, position.player())
}

/// As [`alpha_beta`], given up with `None` once the budget of positions is spent.
#[must_use]
pub fn alpha_beta_within(
    game: &Trilobite,
    position: &Position,
    plies: u32,
    budget: impl Into<Budget>,
) -> Option<SearchResult<Column>> {
    let budget = budget.into();
    let whole = budget.meter(LazyTree::new(game, *position));
    let tree = whole.clone().limit(plies);
    let analysis = search::alpha_beta(&tree, &OpenLines, position.player());
    (!whole.is_exhausted()).then_some(analysis)
}

/// The final results of all columns when both play their best, as the original lists them: 1 where
/// player 1 wins, 0 a draw, −1 where player 2 wins.
///
/// As there, `chosen` is the first maximum whoever is to move; [`choose`] chooses for the mover.
///
/// ```
/// use dice_of_doom_games::trilobite::{Trilobite, book};
///
/// let game = Trilobite::new(3, 3, 3)?;
/// let analysis = book::minimax(&game, &game.from_columns("1")?, 10_000)?;
/// let ratings: Vec<f64> = analysis.ratings.iter().map(|&(_, rating)| rating).collect();
/// assert_eq!(ratings, [1.0, 1.0, 0.0]);
/// assert!(book::minimax(&game, &game.empty(), 1_000).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the tree has more positions than the budget, which bounds the time this takes.
pub fn minimax(
    game: &Trilobite,
    position: &Position,
    budget: impl Into<Budget>,
) -> Result<SearchResult<Column>, TreeTooLargeError> {
    minimax_of(LazyTree::new(game, *position), budget)
}

/// As [`minimax`], over a given tree: a remembered one is computed only once.
///
/// # Errors
/// As [`minimax`].
pub fn minimax_of<T: GameTree<Game = Trilobite>>(
    tree: T,
    budget: impl Into<Budget>,
) -> Result<SearchResult<Column>, TreeTooLargeError> {
    let mut analysis = whole_tree(tree, Player::FIRST, &budget.into())?;
    analysis.chosen = first_maximum(&analysis.ratings);
    Ok(analysis)
}

/// The final results for a player, the best for the mover chosen.
fn whole_tree<T: GameTree<Game = Trilobite>>(
    tree: T,
    player: Player,
    budget: &Budget,
) -> Result<SearchResult<Column>, TreeTooLargeError> {
    let nodes = budget.left();
    let tree = budget.meter(tree);
    let analysis = expectimax(&tree, &FinalResult, player);
    if tree.is_exhausted() {
        Err(TreeTooLargeError { budget: nodes })
    } else {
        Ok(analysis)
    }
}

fn first_maximum(ratings: &[(Column, f64)]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (index, &(_, rating)) in ratings.iter().enumerate() {
        if best.is_none_or(|best| rating > ratings[best].1) {
            best = Some(index);
        }
    }
    best
}
