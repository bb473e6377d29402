//! A solver: proves the score of a position under perfect play, or bounds of it within a budget of positions.
//!
//! A draw scores 0. A win scores one more for each chip that the winner has left over, so earlier wins score more; a
//! loss is the negative of a win. Each search is a null-window alpha-beta search (Knuth and Moore 1975; Pearl 1980)
//! that decides whether the mover's score reaches a goal; the goals halve the range that is left, early wins and losses
//! first, which are cheapest to decide (Pons 2015, "Solving Connect 4: how to build a perfect AI").
//!
//! - Moves that let the opponent complete a line are skipped, and an immediate threat leaves only the move that
//!   stops it. So at each searched position no player can complete a line with the next chip (Pons).
//! - Forced replies are played in a loop, without recursion, and all moves are looked up in the table before the first
//!   is searched. They are ordered by the threats that they create and then by the lines through their cells.
//! - A player with no open line left cannot win. If every column has an even number of empty cells, the second
//!   player can always answer in the same column and so gets all upper cells (Allis 1988, "claimeven").
//! - A position and its mirror image share an entry, if the root allows both to occur.
//!
//! The result depends only on the positions solved since the table was cleared and the budget, not on the machine.

use super::board::Column;
use super::opening_book::OpeningBook;
use super::position::Position;
use super::rules::Trilobite;
use dice_of_doom_core::game::Game;
use dice_of_doom_core::search::StopToken;

mod search;
mod transposition;

use search::Search;

/// Proven bounds of a position's score, for its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoreBounds {
    /// The score is at least this.
    pub lower: i32,
    /// The score is at most this.
    pub upper: i32,
}

impl ScoreBounds {
    /// Bounds that every score of every board is within.
    pub const UNKNOWN: Self = ScoreBounds {
        lower: i8::MIN as i32,
        upper: i8::MAX as i32,
    };

    /// The bounds of a known score.
    #[must_use]
    pub const fn exact(score: i32) -> Self {
        ScoreBounds {
            lower: score,
            upper: score,
        }
    }

    /// The score, if it is known.
    #[must_use]
    pub const fn score(self) -> Option<i32> {
        if self.lower == self.upper {
            Some(self.lower)
        } else {
            None
        }
    }

    /// 1 if the mover wins, 0 if nobody does, −1 if the mover loses; `None` if that is not known.
    #[must_use]
    pub const fn winner(self) -> Option<i32> {
        match self {
            ScoreBounds { lower: 1.., .. } => Some(1),
            ScoreBounds { upper: ..=-1, .. } => Some(-1),
            ScoreBounds { lower: 0, upper: 0 } => Some(0),
            _ => None,
        }
    }

    /// The bounds that follow from two proofs about the same position.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        ScoreBounds {
            lower: if self.lower > other.lower {
                self.lower
            } else {
                other.lower
            },
            upper: if self.upper < other.upper {
                self.upper
            } else {
                other.upper
            },
        }
    }

    /// The bounds that follow from a search that assumed a score within `window`, and found `found` within it.
    const fn narrowed(self, window: Self, found: Self) -> Self {
        self.and(ScoreBounds {
            lower: if found.lower > window.lower {
                found.lower
            } else {
                self.lower
            },
            upper: if found.upper < window.upper {
                found.upper
            } else {
                self.upper
            },
        })
    }

    /// The bounds of a position whose moves lead to scores within these bounds; `None` without moves.
    #[must_use]
    pub fn of_best(moves: impl IntoIterator<Item = Self>) -> Option<Self> {
        moves.into_iter().reduce(|one, other| ScoreBounds {
            lower: one.lower.max(other.lower),
            upper: one.upper.max(other.upper),
        })
    }

    /// The bounds for the opponent.
    #[must_use]
    pub const fn negated(self) -> Self {
        ScoreBounds {
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

/// What the solver has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Solution {
    /// The bounds of the score, which are equal unless the budget was too small.
    pub bounds: ScoreBounds,
    /// The number of positions searched; those that are decided without a search of their own do not count.
    pub nodes: u64,
}

/// What the solver has found about the moves of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SolvedMoves {
    /// The legal moves, in the order of the rules, with bounds of the mover's score after them.
    pub moves: Vec<(Column, ScoreBounds)>,
    /// The number of positions searched.
    pub nodes: u64,
}

impl SolvedMoves {
    /// Whether one of the moves is proven to be best.
    #[must_use]
    pub fn is_best_move_proven(&self) -> bool {
        self.bounds().score().is_some()
    }

    /// The bounds of the position's score.
    #[must_use]
    pub fn bounds(&self) -> ScoreBounds {
        let bounds = self.moves.iter().map(|&(_, bounds)| bounds);
        ScoreBounds::of_best(bounds).unwrap_or(ScoreBounds::UNKNOWN)
    }
}

/// The budget of a move in the first round, in positions.
const FIRST_ROUND_NODES: u64 = 1_000;

/// How many times more a move may use in each later round.
const ROUND_GROWTH: u64 = 8;

/// The search for a best move first looks at all moves with this fraction (1/n) of its budget, or at most with so many
/// positions, because that finds short wins and losses.
const QUICK_DIVISOR: u64 = 16;
const QUICK_MAX_NODES: u64 = 200_000;

/// Solves positions of one game and keeps its transposition table for later ones.
///
/// ```
/// use dice_of_doom_core::search::StopToken;
/// use dice_of_doom_games::trilobite::Trilobite;
/// use dice_of_doom_games::trilobite::solver::Solver;
///
/// // . . . . .
/// // . . . . .     beside its chip, two cells complete three in a row
/// // 2 . 1 . .
/// let game = Trilobite::new(5, 3, 3)?;
/// let position = game.from_columns("31")?;
/// let solution = Solver::new(&game, 1 << 20).solve(&position, 1_000, &StopToken::new());
/// assert_eq!(solution.bounds.score(), Some(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    game: Trilobite,
    search: SearchWidth,
    book: Option<&'static OpeningBook>,
}

/// A search for boards of one or of two words.
enum SearchWidth {
    Narrow(Box<Search<u64>>),
    Wide(Box<Search<u128>>),
}

impl Solver {
    /// A solver with an empty transposition table of at most so many bytes.
    #[must_use]
    pub fn new(game: &Trilobite, table_bytes: usize) -> Self {
        let search = if game.is_narrow() {
            SearchWidth::Narrow(Box::new(Search::new(game, table_bytes)))
        } else {
            SearchWidth::Wide(Box::new(Search::new(game, table_bytes)))
        };
        Solver {
            game: *game,
            search,
            book: None,
        }
    }

    /// Whether it looks into the built-in opening book of its game before it searches. At first it does not.
    pub fn use_book(&mut self, uses_book: bool) {
        let book = uses_book.then(|| OpeningBook::builtin(&self.game));
        self.book = book.flatten();
    }

    /// What the opening book says about a position.
    #[must_use]
    pub fn book_bounds(&self, position: &Position) -> ScoreBounds {
        self.book
            .map_or(ScoreBounds::UNKNOWN, |book| book.bounds(position))
    }

    /// The game whose positions it solves.
    #[must_use]
    pub const fn game(&self) -> &Trilobite {
        &self.game
    }

    /// Forgets what earlier solutions have left in the transposition table.
    pub fn clear(&mut self) {
        match &mut self.search {
            SearchWidth::Narrow(search) => search.table.clear(),
            SearchWidth::Wide(search) => search.table.clear(),
        }
    }

    /// Solves a position, by a search of at most `max_nodes` positions.
    pub fn solve(&mut self, position: &Position, max_nodes: u64, stop: &StopToken) -> Solution {
        let known = self.book_bounds(position);
        self.solve_within(position, known, max_nodes, stop)
    }

    /// Solves a position whose score is known to be within these bounds. If it is not, the result is the bound that it is
    /// beyond.
    pub fn solve_within(
        &mut self,
        position: &Position,
        known: ScoreBounds,
        max_nodes: u64,
        stop: &StopToken,
    ) -> Solution {
        let known = if position.is_lost || self.game.is_full(position) {
            let empty = u32::from(self.game.cells()) - self.game.chips(position);
            let score = if position.is_lost { score(empty, 0) } else { 0 };
            ScoreBounds::exact(score)
        } else {
            known
        };
        if known.score().is_some() {
            return Solution {
                bounds: known,
                nodes: 0,
            };
        }
        let (bounds, nodes) = match &mut self.search {
            SearchWidth::Narrow(search) => search.solve(position, known, max_nodes, stop),
            SearchWidth::Wide(search) => search.solve(position, known, max_nodes, stop),
        };
        Solution { bounds, nodes }
    }

    /// What the opening book says about the position after each legal move.
    fn book_moves(&self, position: &Position) -> Vec<(Column, ScoreBounds)> {
        let best = self.book_bounds(position);
        let moves = self.game.legal_actions(position).map(|column| {
            let after = self.game.apply(position, column, ());
            let mut bounds = self.book_bounds(&after).negated();
            bounds.upper = bounds.upper.min(best.upper);
            (column, bounds)
        });
        moves.collect()
    }

    /// Solves the position after each legal move, by searches of at most `max_nodes` positions together. The moves share
    /// them in rounds, so that one that is hard to solve does not starve the others.
    pub fn solve_moves(
        &mut self,
        position: &Position,
        max_nodes: u64,
        stop: &StopToken,
    ) -> SolvedMoves {
        let game = self.game;
        let mut moves = self.book_moves(position);
        let (mut left, mut round_nodes) = (max_nodes, FIRST_ROUND_NODES);
        loop {
            let open = moves.iter_mut();
            let open = open.filter(|(_, bounds)| bounds.score().is_none());
            let mut open: Vec<_> = open.collect();
            let count = open.len() as u64;
            if count == 0 || left < count || stop.is_stop_requested() {
                break;
            }
            for (others, (column, bounds)) in (1..=count).rev().zip(&mut open) {
                let after = game.apply(position, *column, ());
                let max_nodes = round_nodes.min(left / others);
                let solution = self.solve_within(&after, bounds.negated(), max_nodes, stop);
                *bounds = bounds.and(solution.bounds.negated());
                left -= solution.nodes;
            }
            round_nodes = round_nodes.saturating_mul(ROUND_GROWTH);
        }
        SolvedMoves {
            moves,
            nodes: max_nodes - left,
        }
    }

    /// Looks for a best move, by searches of at most `max_nodes` positions together: first for one that wins or draws if
    /// that is possible, then for one with the highest score. The result has bounds for all moves, but solves as few of
    /// them as possible.
    pub fn solve_best_move(
        &mut self,
        position: &Position,
        max_nodes: u64,
        stop: &StopToken,
    ) -> SolvedMoves {
        let from_book = self.solve_moves(position, 0, stop);
        if from_book.is_best_move_proven() {
            return from_book;
        }
        let quick_nodes = (max_nodes / QUICK_DIVISOR).min(QUICK_MAX_NODES);
        let quick = self.solve_moves(position, quick_nodes, stop);
        let mut bounds = self.book_bounds(position).and(quick.bounds());
        let (mut moves, mut nodes) = (quick.moves, quick.nodes);
        let outcome = ScoreBounds {
            lower: -1,
            upper: 1,
        };
        for question in [outcome, ScoreBounds::UNKNOWN] {
            let window = bounds.and(question);
            if window.lower >= window.upper {
                continue;
            }
            let found = self.solve_within(position, window, max_nodes - nodes, stop);
            nodes += found.nodes;
            bounds = bounds.narrowed(window, found.bounds);
            nodes += self.find_move(position, bounds, &mut moves, max_nodes - nodes, stop);
        }
        SolvedMoves { moves, nodes }
    }

    /// Finds a move that reaches the lower bound of the position, by a search of at most `max_nodes` positions. Returns
    /// the number of positions searched.
    fn find_move(
        &mut self,
        position: &Position,
        of_position: ScoreBounds,
        moves: &mut [(Column, ScoreBounds)],
        max_nodes: u64,
        stop: &StopToken,
    ) -> u64 {
        let ScoreBounds { lower, upper } = of_position;
        let mut nodes = 0;
        for (_, bounds) in moves.iter_mut() {
            bounds.upper = bounds.upper.min(upper);
        }
        let is_reached = |bounds: &ScoreBounds| bounds.lower >= lower;
        if moves.iter().any(|(_, bounds)| is_reached(bounds)) {
            return 0;
        }
        let width = self.game.width();
        let mut order: Vec<_> = moves.iter_mut().collect();
        order.sort_by_key(|(column, _)| column.distance_from_middle(width));
        for (column, bounds) in order {
            if bounds.upper < lower {
                continue;
            }
            let after = self.game.apply(position, *column, ());
            let window = ScoreBounds {
                lower: lower - 1,
                upper: lower,
            };
            let found = self.solve_within(&after, window.negated(), max_nodes - nodes, stop);
            nodes += found.nodes;
            *bounds = bounds.narrowed(window, found.bounds.negated());
            if is_reached(bounds) {
                break;
            }
        }
        nodes
    }
}

/// The mover's score if the game ends after `plies` further plies: a win if that is odd, a loss if even.
pub(super) const fn score(empty: u32, plies: u32) -> i32 {
    let (empty, chips) = (empty as i32, plies.div_ceil(2) as i32);
    if plies % 2 == 1 {
        (empty + 3) / 2 - chips
    } else {
        chips - 1 - empty / 2
    }
}

/// The number of plies until the end of a game with this score, from a position with so many empty cells.
#[must_use]
pub const fn plies_to_end(empty: u32, score: i32) -> u32 {
    let left = empty as i32;
    let plies = match score {
        0 => left,
        1.. => 2 * ((left + 3) / 2 - score) - 1,
        _ => 2 * (score + 1 + left / 2),
    };
    plies as u32
}
