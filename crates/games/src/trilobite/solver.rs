//! The solver: how a position ends if both play as well as possible, by a counted search.
//!
//! Every question is whether the mover's score reaches a goal, so a search answers yes or no: alpha-beta
//! with null windows (Knuth and Moore 1975; Pearl 1980). A score is 0 for a draw; a win is worth more the
//! earlier it comes, by one for each chip that the winner saves, and a loss as much less.
//!
//! - A chip that would let the other complete a line is not tried, and where a line must be stopped
//!   nothing else is; so nobody is ever one chip from a line when a search looks at a position (Pons 2015,
//!   "Solving Connect 4: how to build a perfect AI").
//! - Replies without a choice are run down in a loop. Others are tried in the order of the threats that
//!   they make, and of the lines through their cells.
//! - A position without any open line of a player is not lost for the other. Where all columns have an
//!   even number of empty cells, whoever answers in the same column gets all upper ones (Allis 1988,
//!   "claimeven").
//! - Mirrored positions are one, where the first position lets both come up.
//!
//! The first questions are about short wins and losses, and they deepen; then who wins at all is asked;
//! then how soon, as long as positions are left. The answer depends on the position and on how many
//! positions may be searched, not on the machine.
//!
//! Not here: shares, and what is said of a position that stays open.

use super::bits::{BitSet, BoardMasks, line_starts};
use super::board::{MAX_BITS, iter_bit_indices, steps};
use super::position::Position;
use super::rules::Trilobite;
use dice_of_doom_core::search::StopToken;

mod transposition;

use transposition::TranspositionTable;

/// How a position ends for its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolvedValue {
    /// After so many further plies, where that is known.
    Won(Option<u32>),
    /// The same.
    Lost(Option<u32>),
    /// The board fills up.
    Drawn,
    /// Not known.
    Open,
}

impl SolvedValue {
    /// What a position is worth to the one who moved there.
    #[must_use]
    pub fn for_previous_mover(self) -> Self {
        match self {
            SolvedValue::Won(plies) => SolvedValue::Lost(plies.map(|plies| plies + 1)),
            SolvedValue::Lost(plies) => SolvedValue::Won(plies.map(|plies| plies + 1)),
            SolvedValue::Drawn | SolvedValue::Open => self,
        }
    }
}

/// So many positions are searched between two looks at the flag that ends it.
const STOP_CHECK_INTERVAL: u64 = 4096;

/// The part of the positions that short wins and losses may take before who wins at all is asked.
const SHORT_SEARCH_DIVISOR: u64 = 4;

/// Solves positions of one game, and remembers what was found from one to the next.
///
/// ```
/// use dice_of_doom_core::search::Stop;
/// use dice_of_doom_games::trilobite::Trilobite;
/// use dice_of_doom_games::trilobite::solver::{Solver, Verdict};
///
/// // . . . . .
/// // . . . . .     beside its chip, two cells complete three in a row
/// // 2 . 1 . .
/// let (game, stop) = (Trilobite::new(5, 3, 3)?, Stop::new());
/// let position = game.from_columns("31")?;
/// let (verdict, _) = Solver::new(&game, &position, 1_000, &stop).solve(&position, 1_000);
/// assert_eq!(verdict, Verdict::Won(Some(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'a>(SolverWidth<'a>);

/// By how many words a board takes.
enum SolverWidth<'a> {
    Narrow(SolverSearch<'a, u64>),
    Wide(SolverSearch<'a, u128>),
}

impl<'a> Solver<'a> {
    /// A solver for this position and those that follow from it, that has not seen any. Its table is of
    /// the right size for so many positions.
    #[must_use]
    pub fn new(game: &Trilobite, first: &Position, nodes: u64, stop: &'a StopToken) -> Self {
        Solver(if game.is_narrow() {
            SolverWidth::Narrow(SolverSearch::new(game, first, nodes, stop))
        } else {
            SolverWidth::Wide(SolverSearch::new(game, first, nodes, stop))
        })
    }

    /// How a position that is not over ends, by a search of at most so many positions, and how many of
    /// these are left.
    pub fn solve(&mut self, position: &Position, nodes: u64) -> (SolvedValue, u64) {
        match &mut self.0 {
            SolverWidth::Narrow(search) => search.solve(position, nodes),
            SolverWidth::Wide(search) => search.solve(position, nodes),
        }
    }

    /// How many bytes a solver takes that is made for so many positions.
    #[must_use]
    pub fn bytes(game: &Trilobite, nodes: u64) -> usize {
        if game.is_narrow() {
            TranspositionTable::<u64>::bytes(nodes)
        } else {
            TranspositionTable::<u128>::bytes(nodes)
        }
    }
}

/// The chips of a position without a line.
#[derive(Clone, Copy)]
struct SolverNode<B> {
    own: B,
    other: B,
    /// The empty cells where the other would complete a line.
    theirs: B,
    /// How many cells are empty.
    empty: u32,
}

/// A move that may be tried, and what comes of it.
#[derive(Clone, Copy)]
struct SolverMove<B> {
    /// The larger, the sooner it is tried.
    priority: u32,
    cell: u8,
    after: SolverNode<B>,
}

/// A search in boards of one size.
struct SolverSearch<'a, B> {
    width: u8,
    field: BoardMasks<B>,
    /// The cells from which on a column has an even number of empty ones.
    even: B,
    /// How many lines run through each cell.
    lines: Vec<u8>,
    /// The moves that are being tried, those of deeper positions last.
    moves: Vec<SolverMove<B>>,
    is_mirrored: bool,
    table: TranspositionTable<B>,
    left: u64,
    stop: &'a StopToken,
}

impl<'a, B: BitSet> SolverSearch<'a, B> {
    fn new(game: &Trilobite, first: &Position, nodes: u64, stop: &'a StopToken) -> Self {
        let height = game.height();
        let even = (0..height).filter(|level| (height - level).is_multiple_of(2));
        let even = even.fold(0, |rows, level| rows | game.bottoms() << level);
        let mut search = SolverSearch {
            width: game.width(),
            field: BoardMasks::for_game(game),
            even: B::from_chips(even),
            lines: lines_through(game),
            moves: Vec::new(),
            is_mirrored: false,
            table: TranspositionTable::of(nodes),
            left: 0,
            stop,
        };
        // What follows keeps these chips, so a mirror image can only follow where none is in the way.
        let (own, other) = (B::from_chips(first.own), B::from_chips(first.other));
        search.is_mirrored = (own & search.mirror(other)).is_empty();
        search
    }

    fn solve(&mut self, position: &Position, nodes: u64) -> (SolvedValue, u64) {
        let (own, other) = (B::from_chips(position.own), B::from_chips(position.other));
        self.left = nodes;
        let verdict = self.solved_value(own, other);
        (verdict, self.left)
    }

    fn solved_value(&mut self, own: B, other: B) -> SolvedValue {
        let landings = self.field.landings(own | other);
        if landings.is_empty() {
            return SolvedValue::Drawn;
        }
        if !(self.threats(own, other) & landings).is_empty() {
            return SolvedValue::Won(Some(1));
        }
        let empty = (self.field.board & !(own | other)).bit_count();
        let node = SolverNode {
            own,
            other,
            theirs: self.threats(other, own),
            empty,
        };
        let (all, mut plies) = (self.left, 2);
        // A win within so many plies, or a loss: the search deepens.
        while plies <= empty && all - self.left <= all / SHORT_SEARCH_DIVISOR {
            let goal = score(empty, plies);
            let found = if plies % 2 == 1 {
                self.reaches(node, goal)
                    .map(|is_won| (is_won, SolvedValue::Won(Some(plies))))
            } else {
                self.reaches(node, goal + 1)
                    .map(|holds| (!holds, SolvedValue::Lost(Some(plies))))
            };
            match found {
                Some((true, verdict)) => return verdict,
                Some((false, _)) => plies += 1,
                None => return SolvedValue::Open,
            }
        }
        if plies > empty {
            return SolvedValue::Drawn;
        }
        self.solve_beyond(node, plies)
    }

    /// The verdict on a position that is not decided before this ply.
    fn solve_beyond(&mut self, node: SolverNode<B>, first: u32) -> SolvedValue {
        match self.reaches(node, 1) {
            Some(true) => return SolvedValue::Won(self.plies_to_end(node, first | 1)),
            Some(false) => {}
            None => return SolvedValue::Open,
        }
        match self.reaches(node, 0) {
            Some(true) => SolvedValue::Drawn,
            Some(false) => SolvedValue::Lost(self.plies_to_end(node, first + first % 2)),
            None => SolvedValue::Open,
        }
    }

    /// After how many plies, from `first` on, a position is won or lost of which that is known.
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

    /// Whether the mover's score is so large; `None` when no position was left to search.
    fn reaches(&mut self, node: SolverNode<B>, goal: i8) -> Option<bool> {
        let found = self.is_reached(node, goal);
        (self.left > 0).then_some(found)
    }

    /// The same; what it says is worth nothing when no position is left. The mover cannot complete a line.
    fn is_reached(&mut self, mut node: SolverNode<B>, mut goal: i8) -> bool {
        // Whether the question is about the other one's score.
        let mut yes = true;
        let moves = loop {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return false;
            }
            let all = node.own | node.other;
            let landings = self.field.landings(all);
            let forced = landings & node.theirs;
            let replies = if forced.is_empty() { landings } else { forced };
            // A chip below a threat of the other lets the other complete the line.
            let moves = replies & !(node.theirs >> 1);
            if moves.is_empty() || forced.has_at_least_two() {
                return (score(node.empty, 2) >= goal) == yes;
            }
            if let Some(holds) = self.static_value(node, goal) {
                return holds == yes;
            }
            if moves.has_at_least_two() {
                break moves;
            }
            node = self.after(node, moves);
            (goal, yes) = (1 - goal, !yes);
        };
        self.is_reached_by(node, moves, goal) == yes
    }

    /// What can be said without a search of a position that the next two chips do not decide.
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
        let free = self.field.board & !(node.own | node.other);
        let is_line = |chips| self.field.has_line(chips);
        if goal >= 1 && !is_line(node.own | free) {
            return Some(false);
        }
        if goal <= 0 && !is_line(node.other | free) {
            return Some(true);
        }
        let is_even = (self.field.landings(node.own | node.other) & !self.even).is_empty();
        if goal >= 0 && is_even && !is_line(node.own | free & self.even) {
            // The other answers in the same column.
            let answers = node.other | free & !self.even;
            if goal >= 1 || is_line(answers) {
                return Some(false);
            }
        }
        None
    }

    /// Whether one of several moves reaches the goal.
    fn is_reached_by(&mut self, node: SolverNode<B>, moves: B, goal: i8) -> bool {
        let key = self.key(node.own, node.own | node.other);
        let mut known = self.table.probe(key);
        if goal <= known.least {
            return true;
        }
        if goal > known.most {
            return false;
        }
        if self.left.is_multiple_of(STOP_CHECK_INTERVAL) && self.stop.is_stop_requested() {
            self.left = 0;
            return false;
        }
        let before = self.left;
        let first = self.push_moves(node, moves, known.best);
        let reached = self.first_to_reach(first, goal);
        self.moves.truncate(first);
        if self.left == 0 {
            return false;
        }
        match reached {
            Some(cell) => (known.least, known.best) = (goal, cell),
            None => known.most = goal - 1,
        }
        self.table.insert(key, known, before - self.left);
        reached.is_some()
    }

    /// The first of the moves listed from this place on that reaches the goal.
    fn first_to_reach(&mut self, first: usize, goal: i8) -> Option<u8> {
        for place in first..self.moves.len() {
            let SolverMove { cell, after, .. } = self.moves[place];
            if !self.is_reached(after, 1 - goal) {
                return Some(cell);
            }
        }
        None
    }

    /// Lists moves, the most promising first; returns where they begin.
    #[inline(always)]
    fn push_moves(&mut self, node: SolverNode<B>, moves: B, best: u8) -> usize {
        let first = self.moves.len();
        for bit in moves.iter_bits() {
            let cell = bit.lowest_index() as u8;
            let after = self.after(node, bit);
            let promise = if cell == best {
                u32::MAX
            } else {
                after.theirs.bit_count() * THREAT_PRIORITY + u32::from(self.lines[usize::from(cell)])
            };
            let mut place = self.moves.len();
            let next = SolverMove {
                priority: promise,
                cell,
                after,
            };
            self.moves.push(next);
            while place > first && self.moves[place - 1].priority < promise {
                self.moves[place] = self.moves[place - 1];
                place -= 1;
            }
            self.moves[place] = next;
        }
        first
    }

    /// The position after a chip that makes no line.
    #[inline(always)]
    fn after(&self, node: SolverNode<B>, bit: B) -> SolverNode<B> {
        let own = node.own | bit;
        SolverNode {
            own: node.other,
            other: own,
            theirs: self.threats(own, node.other),
            empty: node.empty - 1,
        }
    }

    /// The empty cells where these chips lack only one to a line.
    #[inline(always)]
    fn threats(&self, own: B, other: B) -> B {
        self.field.completing_cells(own) & self.field.board & !(own | other)
    }

    /// No two positions have the same key: the sum of all chips and the bottom row tells how high the
    /// columns are (Tromp 2008).
    #[inline(always)]
    fn key(&self, own: B, all: B) -> B {
        let key = own + all + self.field.bottoms;
        if self.is_mirrored {
            key.min(self.mirror(own) + self.mirror(all) + self.field.bottoms)
        } else {
            key
        }
    }

    fn mirror(&self, chips: B) -> B {
        let bits = u32::from(self.field.height()) + 1;
        let column = (B::ONE << (bits - 1)) - B::ONE;
        let (mut rest, mut mirrored) = (chips, B::default());
        for _ in 0..self.width - 1 {
            mirrored = (mirrored | rest & column) << bits;
            rest = rest >> bits;
        }
        mirrored | rest & column
    }
}

/// What a cell that completes a line adds to the promise of a move; no cell is in so many lines.
const THREAT_PRIORITY: u32 = 256;

/// The mover's score when the game is over after so many further plies, won when they are odd and lost
/// when they are even.
const fn score(empty: u32, plies: u32) -> i8 {
    let empty = empty as i8;
    let chips = plies.div_ceil(2) as i8;
    if plies % 2 == 1 {
        (empty + 3) / 2 - chips
    } else {
        chips - 1 - empty / 2
    }
}

/// How many lines run through each cell, by the cell's bit.
fn lines_through(game: &Trilobite) -> Vec<u8> {
    let mut counts = vec![0; usize::from(MAX_BITS)];
    for step in steps(game.height()) {
        for start in iter_bit_indices(line_starts(game.board(), step, game.win())) {
            for place in 0..game.win() {
                counts[usize::from(start) + usize::from(place) * step as usize] += 1;
            }
        }
    }
    counts
}
