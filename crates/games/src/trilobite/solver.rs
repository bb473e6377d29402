//! A solver: finds the result of a position under perfect play, within a budget of positions.
//!
//! Each search is a null-window alpha-beta search (Knuth and Moore 1975; Pearl 1980) that decides whether the
//! mover's score reaches a goal. A draw scores 0. A win scores one more for each chip that the winner has left
//! over, so earlier wins score more; a loss is the negative of a win.
//!
//! - Moves that let the opponent complete a line are skipped, and an immediate threat leaves only the move that
//!   stops it. So at each searched position no player can complete a line with the next chip (Pons 2015,
//!   "Solving Connect 4: how to build a perfect AI").
//! - Forced replies are played in a loop, without recursion. Other moves are ordered by the threats that they
//!   create and then by the lines through their cells.
//! - A player with no open line left cannot win. If every column has an even number of empty cells, the second
//!   player can always answer in the same column and so gets all upper cells (Allis 1988, "claimeven").
//! - A position and its mirror image share an entry, if the root allows both to occur.
//!
//! The search first deepens iteratively over short wins and losses, then decides the winner, and then, if
//! budget is left, the number of plies. The result depends only on the position and the budget, not on the
//! machine.

use super::bits::{BitSet, BoardMasks, line_starts};
use super::board::{MAX_BITS, iter_bit_indices, steps};
use super::position::Position;
use super::rules::Trilobite;
use dice_of_doom_core::search::StopToken;

mod transposition;

use transposition::TranspositionTable;

/// The game-theoretic value of a position for its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolvedValue {
    /// The mover wins after this number of further plies, if known.
    Won(Option<u32>),
    /// The mover loses after this number of further plies, if known.
    Lost(Option<u32>),
    /// The board fills up without a line.
    Drawn,
    /// The budget was too small.
    Unknown,
}

impl SolvedValue {
    /// The value of the preceding move, for the player who made it: negated and one ply longer.
    #[must_use]
    pub fn for_previous_mover(self) -> Self {
        match self {
            SolvedValue::Won(plies) => SolvedValue::Lost(plies.map(|plies| plies + 1)),
            SolvedValue::Lost(plies) => SolvedValue::Won(plies.map(|plies| plies + 1)),
            SolvedValue::Drawn | SolvedValue::Unknown => self,
        }
    }
}

/// The number of positions between two checks of the stop flag.
const STOP_CHECK_INTERVAL: u64 = 4096;

/// The search for short wins and losses uses at most this fraction (1/n) of the budget.
const SHORT_SEARCH_DIVISOR: u64 = 4;

/// Solves positions of one game and reuses its transposition table for later ones.
///
/// ```
/// use dice_of_doom_core::search::StopToken;
/// use dice_of_doom_games::trilobite::Trilobite;
/// use dice_of_doom_games::trilobite::solver::{SolvedValue, Solver};
///
/// // . . . . .
/// // . . . . .     beside its chip, two cells complete three in a row
/// // 2 . 1 . .
/// let (game, stop) = (Trilobite::new(5, 3, 3)?, StopToken::new());
/// let position = game.from_columns("31")?;
/// let (value, _) = Solver::new(&game, &position, 1_000, &stop).solve(&position, 1_000);
/// assert_eq!(value, SolvedValue::Won(Some(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'a>(SolverWidth<'a>);

/// A search for boards of one or of two words.
enum SolverWidth<'a> {
    Narrow(SolverSearch<'a, u64>),
    Wide(SolverSearch<'a, u128>),
}

impl<'a> Solver<'a> {
    /// An empty solver for the positions reachable from `first`. The transposition table is sized for a search
    /// of `nodes` positions.
    #[must_use]
    pub fn new(game: &Trilobite, first: &Position, nodes: u64, stop: &'a StopToken) -> Self {
        Solver(if game.is_narrow() {
            SolverWidth::Narrow(SolverSearch::new(game, first, nodes, stop))
        } else {
            SolverWidth::Wide(SolverSearch::new(game, first, nodes, stop))
        })
    }

    /// Solves an unfinished position by a search of at most `nodes` positions. Returns the value and the unused
    /// part of the budget.
    pub fn solve(&mut self, position: &Position, nodes: u64) -> (SolvedValue, u64) {
        match &mut self.0 {
            SolverWidth::Narrow(search) => search.solve(position, nodes),
            SolverWidth::Wide(search) => search.solve(position, nodes),
        }
    }

    /// The memory of a solver created for `nodes` positions, in bytes.
    #[must_use]
    pub fn memory_bytes(game: &Trilobite, nodes: u64) -> usize {
        if game.is_narrow() {
            TranspositionTable::<u64>::memory_bytes(nodes)
        } else {
            TranspositionTable::<u128>::memory_bytes(nodes)
        }
    }
}

/// A position without a line.
#[derive(Clone, Copy)]
struct SolverNode<B> {
    own: B,
    other: B,
    /// The empty cells that would complete a line of the opponent.
    opponent_threats: B,
    empty: u32,
}

#[derive(Clone, Copy)]
struct SolverMove<B> {
    /// Moves with higher priority are searched first.
    priority: u32,
    cell: u8,
    after: SolverNode<B>,
}

struct SolverSearch<'a, B> {
    width: u8,
    masks: BoardMasks<B>,
    /// The cells from which upwards a column has an even number of cells.
    even_cells: B,
    /// The number of lines through each cell.
    line_counts: Vec<u8>,
    /// A stack of the moves being searched, deepest positions last.
    moves: Vec<SolverMove<B>>,
    uses_mirror_images: bool,
    table: TranspositionTable<B>,
    nodes_left: u64,
    stop: &'a StopToken,
}

impl<'a, B: BitSet> SolverSearch<'a, B> {
    fn new(game: &Trilobite, first: &Position, nodes: u64, stop: &'a StopToken) -> Self {
        let height = game.height();
        let even = (0..height).filter(|level| (height - level).is_multiple_of(2));
        let even = even.fold(0, |rows, level| rows | game.bottoms() << level);
        let mut search = SolverSearch {
            width: game.width(),
            masks: BoardMasks::for_game(game),
            even_cells: B::from_chips(even),
            line_counts: lines_through(game),
            moves: Vec::new(),
            uses_mirror_images: false,
            table: TranspositionTable::for_nodes(nodes),
            nodes_left: 0,
            stop,
        };
        // Later positions contain these chips, so a mirror image can occur only if the chips do not conflict
        // with their own mirror image.
        let (own, other) = (B::from_chips(first.own), B::from_chips(first.other));
        search.uses_mirror_images = (own & search.mirror(other)).is_empty();
        search
    }

    fn solve(&mut self, position: &Position, nodes: u64) -> (SolvedValue, u64) {
        let (own, other) = (B::from_chips(position.own), B::from_chips(position.other));
        self.nodes_left = nodes;
        let verdict = self.solved_value(own, other);
        (verdict, self.nodes_left)
    }

    fn solved_value(&mut self, own: B, other: B) -> SolvedValue {
        let landings = self.masks.landings(own | other);
        if landings.is_empty() {
            return SolvedValue::Drawn;
        }
        if !(self.threats(own, other) & landings).is_empty() {
            return SolvedValue::Won(Some(1));
        }
        let empty = (self.masks.board & !(own | other)).bit_count();
        let node = SolverNode {
            own,
            other,
            opponent_threats: self.threats(other, own),
            empty,
        };
        let (budget, mut plies) = (self.nodes_left, 2);
        // Iterative deepening: a win (odd `plies`) or a loss (even `plies`) within `plies`.
        while plies <= empty && budget - self.nodes_left <= budget / SHORT_SEARCH_DIVISOR {
            let goal = score(empty, plies);
            let decided = if plies % 2 == 1 {
                self.reaches(node, goal)
                    .map(|is_won| (is_won, SolvedValue::Won(Some(plies))))
            } else {
                self.reaches(node, goal + 1)
                    .map(|holds| (!holds, SolvedValue::Lost(Some(plies))))
            };
            match decided {
                Some((true, value)) => return value,
                Some((false, _)) => plies += 1,
                None => return SolvedValue::Unknown,
            }
        }
        if plies > empty {
            return SolvedValue::Drawn;
        }
        self.solve_beyond(node, plies)
    }

    /// Solves a position that is not decided before ply `first`.
    fn solve_beyond(&mut self, node: SolverNode<B>, first: u32) -> SolvedValue {
        match self.reaches(node, 1) {
            Some(true) => return SolvedValue::Won(self.plies_to_end(node, first | 1)),
            Some(false) => {}
            None => return SolvedValue::Unknown,
        }
        match self.reaches(node, 0) {
            Some(true) => SolvedValue::Drawn,
            Some(false) => SolvedValue::Lost(self.plies_to_end(node, first + first % 2)),
            None => SolvedValue::Unknown,
        }
    }

    /// The number of plies, at least `first`, after which a won or lost position ends; `None` if the budget is
    /// spent.
    fn plies_to_end(&mut self, node: SolverNode<B>, first: u32) -> Option<u32> {
        let mut plies = first;
        while plies + 2 <= node.empty {
            let goal = score(node.empty, plies);
            let is_over = if plies % 2 == 1 {
                self.reaches(node, goal)?
            } else {
                !self.reaches(node, goal + 1)?
            };
            if is_over {
                break;
            }
            plies += 2;
        }
        Some(plies)
    }

    /// Whether the mover's score is at least `goal`; `None` if the budget is spent.
    fn reaches(&mut self, node: SolverNode<B>, goal: i8) -> Option<bool> {
        let is_reached = self.is_reached(node, goal);
        (self.nodes_left > 0).then_some(is_reached)
    }

    /// Like [`Self::reaches`], but meaningless if the budget is spent. The mover must not be able to complete a
    /// line.
    fn is_reached(&mut self, mut node: SolverNode<B>, mut goal: i8) -> bool {
        // False after an odd number of forced plies, when the result must be negated.
        let mut is_root_mover = true;
        let moves = loop {
            self.nodes_left = self.nodes_left.saturating_sub(1);
            if self.nodes_left == 0 {
                return false;
            }
            let all = node.own | node.other;
            let landings = self.masks.landings(all);
            let forced = landings & node.opponent_threats;
            let replies = if forced.is_empty() { landings } else { forced };
            // A chip directly below an opponent's threat lets the opponent complete the line.
            let moves = replies & !(node.opponent_threats >> 1);
            if moves.is_empty() || forced.has_at_least_two() {
                return (score(node.empty, 2) >= goal) == is_root_mover;
            }
            if let Some(holds) = self.static_value(node, goal) {
                return holds == is_root_mover;
            }
            if moves.has_at_least_two() {
                break moves;
            }
            node = self.after(node, moves);
            (goal, is_root_mover) = (1 - goal, !is_root_mover);
        };
        self.is_reached_by(node, moves, goal) == is_root_mover
    }

    /// The answer for a position that the next two chips do not decide, if it is known without a search.
    #[inline(always)]
    fn static_value(&self, node: SolverNode<B>, goal: i8) -> Option<bool> {
        if node.empty <= 2 {
            return Some(goal <= 0);
        }
        if goal > score(node.empty, 3) {
            return Some(false);
        }
        if goal <= score(node.empty, 4) {
            return Some(true);
        }
        let free = self.masks.board & !(node.own | node.other);
        let is_line = |chips| self.masks.has_line(chips);
        if goal >= 1 && !is_line(node.own | free) {
            return Some(false);
        }
        if goal <= 0 && !is_line(node.other | free) {
            return Some(true);
        }
        let is_even = (self.masks.landings(node.own | node.other) & !self.even_cells).is_empty();
        if goal >= 0 && is_even && !is_line(node.own | free & self.even_cells) {
            // The opponent answers in the same column.
            let answers = node.other | free & !self.even_cells;
            if goal >= 1 || is_line(answers) {
                return Some(false);
            }
        }
        None
    }

    /// Whether any of several moves reaches the goal.
    fn is_reached_by(&mut self, node: SolverNode<B>, moves: B, goal: i8) -> bool {
        let key = self.key(node.own, node.own | node.other);
        let mut known = self.table.probe(key);
        if goal <= known.lower {
            return true;
        }
        if goal > known.upper {
            return false;
        }
        if self.nodes_left.is_multiple_of(STOP_CHECK_INTERVAL) && self.stop.is_stop_requested() {
            self.nodes_left = 0;
            return false;
        }
        let before = self.nodes_left;
        let first = self.push_moves(node, moves, known.best);
        let reached = self.first_to_reach(first, goal);
        self.moves.truncate(first);
        if self.nodes_left == 0 {
            return false;
        }
        match reached {
            Some(cell) => (known.lower, known.best) = (goal, cell),
            None => known.upper = goal - 1,
        }
        self.table.insert(key, known, before - self.nodes_left);
        reached.is_some()
    }

    /// The cell of the first move, from index `first` of the stack, that reaches the goal.
    fn first_to_reach(&mut self, first: usize, goal: i8) -> Option<u8> {
        for index in first..self.moves.len() {
            let SolverMove { cell, after, .. } = self.moves[index];
            if !self.is_reached(after, 1 - goal) {
                return Some(cell);
            }
        }
        None
    }

    /// Pushes moves on the stack, highest priority first; returns the index of the first.
    #[inline(always)]
    fn push_moves(&mut self, node: SolverNode<B>, moves: B, best: u8) -> usize {
        let first = self.moves.len();
        for bit in moves.iter_bits() {
            let cell = bit.lowest_index() as u8;
            let after = self.after(node, bit);
            let priority = if cell == best {
                u32::MAX
            } else {
                after.opponent_threats.bit_count() * THREAT_PRIORITY
                    + u32::from(self.line_counts[usize::from(cell)])
            };
            let mut index = self.moves.len();
            let next = SolverMove {
                priority,
                cell,
                after,
            };
            self.moves.push(next);
            while index > first && self.moves[index - 1].priority < priority {
                self.moves[index] = self.moves[index - 1];
                index -= 1;
            }
            self.moves[index] = next;
        }
        first
    }

    /// The position after a move that completes no line.
    #[inline(always)]
    fn after(&self, node: SolverNode<B>, bit: B) -> SolverNode<B> {
        let own = node.own | bit;
        SolverNode {
            own: node.other,
            other: own,
            opponent_threats: self.threats(own, node.other),
            empty: node.empty - 1,
        }
    }

    /// The empty cells where one more chip completes a line of `own`.
    #[inline(always)]
    fn threats(&self, own: B, other: B) -> B {
        self.masks.completing_cells(own) & self.masks.board & !(own | other)
    }

    /// A unique key of the position: the sum of all chips and the bottom row encodes the column heights (Tromp
    /// 2008).
    #[inline(always)]
    fn key(&self, own: B, all: B) -> B {
        let key = own + all + self.masks.bottoms;
        if self.uses_mirror_images {
            key.min(self.mirror(own) + self.mirror(all) + self.masks.bottoms)
        } else {
            key
        }
    }

    fn mirror(&self, chips: B) -> B {
        let bits = u32::from(self.masks.height()) + 1;
        let column = (B::ONE << (bits - 1)) - B::ONE;
        let (mut rest, mut mirrored) = (chips, B::default());
        for _ in 0..self.width - 1 {
            mirrored = (mirrored | rest & column) << bits;
            rest = rest >> bits;
        }
        mirrored | rest & column
    }
}

/// The priority of each threat that a move creates; greater than the number of lines through any cell.
const THREAT_PRIORITY: u32 = 256;

/// The mover's score if the game ends after `plies` further plies: a win if that is odd, a loss if even.
const fn score(empty: u32, plies: u32) -> i8 {
    let empty = empty as i8;
    let chips = plies.div_ceil(2) as i8;
    if plies % 2 == 1 {
        (empty + 3) / 2 - chips
    } else {
        chips - 1 - empty / 2
    }
}

/// The number of lines through each cell, indexed by the cell's bit.
fn lines_through(game: &Trilobite) -> Vec<u8> {
    let mut counts = vec![0; usize::from(MAX_BITS)];
    for step in steps(game.height()) {
        for start in iter_bit_indices(line_starts(game.board(), step, game.win())) {
            for offset in 0..game.win() {
                counts[usize::from(start) + usize::from(offset) * step as usize] += 1;
            }
        }
    }
    counts
}
