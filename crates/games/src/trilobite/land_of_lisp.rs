//! The computer player of the original: it searches the whole tree of a small position, and a few plies of a
//! larger one (Land of Lisp, chapters 15 and 18).

use super::board::Column;
use super::position::Position;
use super::rules::Trilobite;
use super::static_evaluation::{FinalResult, OpenLines};
use dice_of_doom_core::game::Player;
use dice_of_doom_core::search::{self, SearchResult, expectimax};
use dice_of_doom_core::tree::{Budget, GameTree, LazyTree};

/// With at most this many empty cells the book's player tries to search the whole tree.
const MAX_CELLS_FULL_TREE: u32 = 12;

/// The maximum number of positions of a whole tree; the book's player searches a larger one only to
/// [`DEPTH_PLIES`].
const MAX_NODES_FULL_TREE: u64 = 50_000;

/// The search depth of the book's player where the whole tree is too large.
pub const DEPTH_PLIES: u32 = 4;

/// The tree has more positions than the budget allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the whole tree has more than {budget} positions")]
pub struct TreeTooLargeError {
    /// The budget, in positions.
    pub budget: u64,
}

/// The column chosen by the book's player.
///
/// # Panics
/// Panics if the game is over.
#[must_use]
pub fn choose(game: &Trilobite, position: &Position) -> Column {
    analyse(game, position)
        .action()
        .expect("an unfinished game has an action")
}

/// The book player's ratings of the columns for the mover: final results where the whole tree is small,
/// otherwise those of [`alpha_beta`].
#[must_use]
pub fn analyse(game: &Trilobite, position: &Position) -> SearchResult<Column> {
    let empty = u32::from(game.cells()) - game.chips(position);
    let full_search = (empty <= MAX_CELLS_FULL_TREE).then(|| {
        let tree = LazyTree::new(game, *position);
        full_tree(tree, position.player(), &MAX_NODES_FULL_TREE.into()).ok()
    });
    full_search
        .flatten()
        .unwrap_or_else(|| alpha_beta(game, position, DEPTH_PLIES))
}

/// Alpha-beta search to the given depth with [`OpenLines`]; ratings are for the mover.
#[must_use]
pub fn alpha_beta(game: &Trilobite, position: &Position, plies: u32) -> SearchResult<Column> {
    let tree = LazyTree::new(game, *position).limit_depth(plies);
    search::alpha_beta(&tree, &OpenLines, position.player())
}

/// Like [`alpha_beta`], but returns `None` if the search exceeds the budget of positions.
#[must_use]
pub fn alpha_beta_bounded(
    game: &Trilobite,
    position: &Position,
    plies: u32,
    budget: impl Into<Budget>,
) -> Option<SearchResult<Column>> {
    let budget = budget.into();
    let metered = budget.limit_nodes(LazyTree::new(game, *position));
    let tree = metered.clone().limit_depth(plies);
    let analysis = search::alpha_beta(&tree, &OpenLines, position.player());
    (!metered.is_exhausted()).then_some(analysis)
}

/// The results of all columns under perfect play, as the original lists them: 1 if player 1 wins, 0 for a draw,
/// −1 if player 2 wins.
///
/// As in the original, `chosen` is the first maximum, whichever player is to move; [`choose`] chooses for the
/// mover.
///
/// ```
/// use dice_of_doom_games::trilobite::{Trilobite, land_of_lisp};
///
/// let game = Trilobite::new(3, 3, 3)?;
/// let analysis = land_of_lisp::minimax(&game, &game.from_columns("1")?, 10_000)?;
/// let ratings: Vec<f64> = analysis.ratings.iter().map(|&(_, rating)| rating).collect();
/// assert_eq!(ratings, [1.0, 1.0, 0.0]);
/// assert!(land_of_lisp::minimax(&game, &game.empty(), 1_000).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the tree has more positions than the budget, which bounds the running time.
pub fn minimax(
    game: &Trilobite,
    position: &Position,
    budget: impl Into<Budget>,
) -> Result<SearchResult<Column>, TreeTooLargeError> {
    minimax_on_tree(LazyTree::new(game, *position), budget)
}

/// Like [`minimax`], on a given tree; a cached tree is computed only once.
///
/// # Errors
/// See [`minimax`].
pub fn minimax_on_tree<T: GameTree<Game = Trilobite>>(
    tree: T,
    budget: impl Into<Budget>,
) -> Result<SearchResult<Column>, TreeTooLargeError> {
    let mut analysis = full_tree(tree, Player::FIRST, &budget.into())?;
    analysis.chosen = first_maximum(&analysis.ratings);
    Ok(analysis)
}

/// The results for `player`; the best action for the mover is chosen.
fn full_tree<T: GameTree<Game = Trilobite>>(
    tree: T,
    player: Player,
    budget: &Budget,
) -> Result<SearchResult<Column>, TreeTooLargeError> {
    let nodes = budget.remaining();
    let tree = budget.limit_nodes(tree);
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
