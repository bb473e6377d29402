//! The book's computer player, exactly (Land of Lisp, chapters 15, 18 and 20).
//!
//! It uses whole-tree minimax for `v1`, alpha-beta to depth 4 for `v2` and `v3`, and expectimax to depth 2 for
//! `v4` and `conquest`. Expectimax uses single precision and probabilities rounded to two digits, as the
//! original does; double precision chooses another of several equally good moves in about one position of
//! twenty. No other code uses these probabilities or this precision.

use super::action::{Action, Outcome};
use super::dice::win_counts;
use super::position::Position;
use super::preset::Rules;
use super::rules::{DiceOfDoom, attack_outcomes};
use dice_of_doom_core::game::{Game, Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::search::{self, SearchResult, StaticEvaluation, expectimax, expectimax_in};
use dice_of_doom_core::tree::{Budget, GameTree, LazyTree};
use score::BookScore;

mod deterministic;
pub mod score;
mod two_ply;

/// The largest side on which `v1` searches the whole tree.
const MAX_SIDE_FULL_TREE: u8 = 3;

/// The maximum number of positions of a whole tree; beyond it `v1` plays like `v2`.
const MAX_NODES_FULL_TREE: u64 = 1_000_000;

/// The action chosen by the book's player, which searches again after each attack.
///
/// # Panics
/// Panics if the game is over.
#[must_use]
pub fn choose(game: &DiceOfDoom, position: &Position) -> Action {
    analyse(game, position)
        .action()
        .expect("an unfinished game has an action")
}

/// The book player's ratings of the mover's actions, at the depth of the preset.
#[must_use]
pub fn analyse(game: &DiceOfDoom, position: &Position) -> SearchResult<Action> {
    let full_search = if game.rules() == Rules::V1 {
        full_minimax(game, position)
    } else {
        None
    };
    full_search.unwrap_or_else(|| analyse_at_depth(game, position, depth(game.rules())))
}

/// The book player's search depth in plies; for `v1` only if the whole tree is too large.
#[must_use]
pub const fn depth(rules: Rules) -> u32 {
    match rules {
        Rules::V1 | Rules::V2 | Rules::V3 => 4,
        Rules::V4 | Rules::Conquest => 2,
    }
}

/// The book player's ratings at another depth: alpha-beta without dice, single-precision expectimax with dice.
///
/// The result and node count equal those of [`alpha_beta`] and [`expectimax_f32`] bit for bit, but the search
/// is faster at the book's depths.
#[must_use]
pub fn analyse_at_depth(
    game: &DiceOfDoom,
    position: &Position,
    plies: u32,
) -> SearchResult<Action> {
    match (game.rules().is_rolled(), plies) {
        (true, 2) => two_ply::analyse(game, position),
        (true, _) => expectimax_f32(game, position, plies),
        (false, _) => deterministic::analyse(game, position, plies),
    }
}

/// The searches that use the book's win probabilities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookSearch {
    /// [`analyse_at_depth`]
    Book,
    /// [`expectimax_f64`]
    Expectimax,
    /// [`alpha_beta`]
    AlphaBeta,
}

/// Runs a search; `None` if it exceeds the budget of positions.
#[must_use]
pub fn search_bounded(
    game: &DiceOfDoom,
    position: &Position,
    search: BookSearch,
    plies: u32,
    budget: impl Into<Budget>,
) -> Option<SearchResult<Action>> {
    let rolled = game.rules().is_rolled();
    let player = position.player();
    let game = BookOddsGame(*game);
    let budget = budget.into();
    let metered = budget.limit_nodes(LazyTree::new(&game, *position));
    let tree = metered.clone().limit_depth(plies);
    let analysis = match search {
        BookSearch::Book if rolled => expectimax_in::<f32, _>(&tree, &BookScore, player),
        BookSearch::Book | BookSearch::AlphaBeta => search::alpha_beta(&tree, &BookScore, player),
        BookSearch::Expectimax => expectimax(&tree, &BookScore, player),
    };
    (!metered.is_exhausted()).then_some(analysis)
}

/// Single-precision expectimax with the book's win probabilities.
#[must_use]
pub fn expectimax_f32(game: &DiceOfDoom, position: &Position, plies: u32) -> SearchResult<Action> {
    let game = BookOddsGame(*game);
    let tree = LazyTree::new(&game, *position).limit_depth(plies);
    expectimax_in::<f32, _>(&tree, &BookScore, position.player())
}

/// Double-precision expectimax with the book's win probabilities: plain minimax if no dice are rolled.
#[must_use]
pub fn expectimax_f64(game: &DiceOfDoom, position: &Position, plies: u32) -> SearchResult<Action> {
    let game = BookOddsGame(*game);
    let tree = LazyTree::new(&game, *position).limit_depth(plies);
    expectimax(&tree, &BookScore, position.player())
}

/// Alpha-beta with the book's win probabilities, for rules without dice; pruned actions are rated with bounds.
#[must_use]
pub fn alpha_beta(game: &DiceOfDoom, position: &Position, plies: u32) -> SearchResult<Action> {
    let game = BookOddsGame(*game);
    let tree = LazyTree::new(&game, *position).limit_depth(plies);
    search::alpha_beta(&tree, &BookScore, position.player())
}

/// Minimax to the end of the game; `None` if the tree is too large.
#[must_use]
pub fn full_minimax(game: &DiceOfDoom, position: &Position) -> Option<SearchResult<Action>> {
    if game.side() > MAX_SIDE_FULL_TREE {
        return None;
    }
    let game = BookOddsGame(*game);
    let budget = Budget::new(MAX_NODES_FULL_TREE);
    let tree = budget.limit_nodes(LazyTree::new(&game, *position));
    let analysis = expectimax(&tree, &BookShare, position.player());
    (!tree.is_exhausted()).then_some(analysis)
}

/// The win probabilities of the book's player: exact ones rounded to two digits.
///
/// For two to five dice against one to five these are the book's table; this function extends it to more dice.
#[must_use]
pub fn rounded_win_probability(attack: u8, defend: u8) -> f64 {
    ROUNDED_PROBABILITIES[usize::from(attack) - 1][usize::from(defend) - 1]
}

/// `ROUNDED_PROBABILITIES[attack - 1][defend - 1]`.
static ROUNDED_PROBABILITIES: [[f64; 10]; 10] = {
    let mut rounded = [[0.0; 10]; 10];
    let mut attack = 1;
    while attack <= 10 {
        let mut defend = 1;
        while defend <= 10 {
            let (wins, throws) = win_counts(attack, defend);
            let hundredths = (wins as u128 * 200 + throws as u128) / (2 * throws as u128);
            rounded[attack as usize - 1][defend as usize - 1] = hundredths as f64 / 100.0;
            defend += 1;
        }
        attack += 1;
    }
    rounded
};

/// The same in single precision, for up to 8 dice: `[attack - 1][defend - 1]`.
static ROUNDED_PROBABILITIES_F32: [[f32; 8]; 8] = {
    let mut single = [[0.0; 8]; 8];
    let mut at = 0;
    while at < 64 {
        single[at / 8][at % 8] = ROUNDED_PROBABILITIES[at / 8][at % 8] as f32;
        at += 1;
    }
    single
};

/// [`rounded_win_probability`] in single precision, for 1 to 8 dice.
fn rounded_win_probability_f32(attack: u8, defend: u8) -> f32 {
    let at = |dice: u8| usize::from(dice.wrapping_sub(1) & 7);
    ROUNDED_PROBABILITIES_F32[at(attack)][at(defend)]
}

/// The same game with the win probabilities of the book's player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookOddsGame<G>(pub G);

impl Game for BookOddsGame<DiceOfDoom> {
    type Position = Position;
    type Action = Action;
    type Outcome = Outcome;

    fn players(&self) -> u8 {
        self.0.players()
    }

    fn status(&self, position: &Position) -> Status {
        self.0.status(position)
    }

    fn adjudicate(&self, position: &Position, gave_up: PlayerSet) -> Payoffs {
        self.0.adjudicate(position, gave_up)
    }

    fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
        self.0.legal_actions(position)
    }

    #[inline]
    fn chance_outcomes(
        &self,
        position: &Position,
        action: Action,
    ) -> impl Iterator<Item = (Outcome, f64)> + Clone {
        attack_outcomes(action, |from, to| {
            let rolled = self.0.rules().is_rolled();
            rolled.then(|| rounded_win_probability(position.dice(from), position.dice(to)))
        })
    }

    #[inline]
    fn apply(&self, position: &Position, action: Action, outcome: Outcome) -> Position {
        self.0.apply(position, action, outcome)
    }
}

impl StaticEvaluation<BookOddsGame<DiceOfDoom>> for BookScore {
    #[inline]
    fn evaluate(
        &self,
        game: &BookOddsGame<DiceOfDoom>,
        position: &Position,
        player: Player,
    ) -> f64 {
        self.evaluate(&game.0, position, player)
    }
}

/// The leaf evaluation of chapter 15: 0 for a loser, an equal share of 1 for each winner.
struct BookShare;

impl StaticEvaluation<BookOddsGame<DiceOfDoom>> for BookShare {
    fn evaluate(
        &self,
        game: &BookOddsGame<DiceOfDoom>,
        position: &Position,
        player: Player,
    ) -> f64 {
        match game.status(position) {
            Status::Over(payoffs) => payoffs.win_share(player),
            // Reached only beyond the node budget, when the whole result is discarded.
            Status::Turn(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_probabilities_match_the_books_table() {
        let table = [
            [0.84, 0.97, 1.0, 1.0],
            [0.44, 0.78, 0.94, 0.99],
            [0.15, 0.45, 0.74, 0.91],
            [0.04, 0.19, 0.46, 0.72],
            [0.01, 0.06, 0.22, 0.46],
        ];
        for (defend, row) in (1..).zip(table) {
            for (attack, probability) in (2..).zip(row) {
                assert_eq!(
                    rounded_win_probability(attack, defend),
                    probability,
                    "{attack} against {defend}"
                );
            }
        }
    }
}
