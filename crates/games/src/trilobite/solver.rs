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
use super::position::Position;
use super::rules::Trilobite;
use dice_of_doom_core::game::Game;
use dice_of_doom_core::search::StopToken;

mod search;
mod transposition;

use search::{Search, score};

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
pub struct Solution {
    /// The bounds of the score, which are equal unless the budget was too small.
    pub bounds: ScoreBounds,
    /// The number of positions searched; those that are decided without a search of their own do not count.
    pub nodes: u64,
}

/// What the solver has found about the moves of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedMoves {
    /// The legal moves, in the order of the rules, with bounds of the mover's score after them.
    pub moves: Vec<(Column, ScoreBounds)>,
    /// The number of positions searched.
    pub nodes: u64,
}

impl SolvedMoves {
    /// The bounds of the position's score.
    #[must_use]
    pub fn bounds(&self) -> ScoreBounds {
        let bounds = self.moves.iter().map(|&(_, bounds)| bounds);
        let best = bounds.reduce(|one, other| ScoreBounds {
            lower: one.lower.max(other.lower),
            upper: one.upper.max(other.upper),
        });
        best.unwrap_or(ScoreBounds::UNKNOWN)
    }
}

/// The budget of a move in the first round, in positions.
const FIRST_ROUND_NODES: u64 = 1_000;

/// How many times more a move may use in each later round.
const ROUND_GROWTH: u64 = 8;

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
        }
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
        if position.is_lost || self.game.is_full(position) {
            let empty = u32::from(self.game.cells()) - self.game.chips(position);
            let score = if position.is_lost { score(empty, 0) } else { 0 };
            return Solution {
                bounds: ScoreBounds::exact(score),
                nodes: 0,
            };
        }
        let ((lower, upper), nodes) = match &mut self.search {
            SearchWidth::Narrow(search) => search.solve(position, max_nodes, stop),
            SearchWidth::Wide(search) => search.solve(position, max_nodes, stop),
        };
        let bounds = ScoreBounds { lower, upper };
        Solution { bounds, nodes }
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
        let columns = game.legal_actions(position);
        let mut moves: Vec<_> = columns
            .map(|column| (column, ScoreBounds::UNKNOWN))
            .collect();
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
                let solution = self.solve(&after, round_nodes.min(left / others), stop);
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
