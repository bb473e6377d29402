//! The search of the solver: null-window alpha-beta search with a transposition table.

use super::transposition::{NO_COLUMN, TranspositionTable};
use super::{ScoreBounds, score};
use crate::trilobite::bits::{BitSet, BoardMasks, line_starts};
use crate::trilobite::board::{MAX_BITS, iter_bit_indices, steps};
use crate::trilobite::position::Position;
use crate::trilobite::rules::Trilobite;
use dice_of_doom_core::search::StopToken;

/// The number of positions between two checks of the stop flag.
const STOP_CHECK_INTERVAL: u64 = 1024;

/// A position without a line, whose mover cannot complete one with the next chip.
#[derive(Clone, Copy)]
struct Node<B> {
    own: B,
    other: B,
    /// The empty cells that would complete a line of the opponent.
    opponent_threats: B,
    empty: u32,
}

/// A position with several moves, and the question whether its mover's score reaches `goal`.
#[derive(Clone, Copy)]
struct Branch<B> {
    node: Node<B>,
    /// The landing cells that do not lose at once, at least two.
    moves: B,
    goal: i32,
    /// Whether its mover moved in the position from which forced moves led here.
    is_same_mover: bool,
}

impl<B> Node<B> {
    /// 0 or 1, depending on the side to move.
    const fn side(&self) -> usize {
        (self.empty % 2) as usize
    }
}

enum Settled<B> {
    /// Whether the goal is reached, known without a search.
    Decided(bool),
    Open(Branch<B>),
}

#[derive(Clone, Copy)]
struct Child<B> {
    /// Children with higher priority are searched first.
    priority: i32,
    column: u8,
    cell: u8,
    branch: Branch<B>,
    /// The key of the branch's position, and whether it is that of the mirror image.
    key: (B, bool),
}

pub(super) struct Search<B> {
    width: u8,
    masks: BoardMasks<B>,
    /// The cells from which upwards a column has an even number of cells.
    even_cells: B,
    /// The number of lines through each cell.
    line_counts: Vec<u8>,
    /// A stack of the children being searched, deepest positions last.
    children: Vec<Child<B>>,
    uses_mirror_images: bool,
    /// How often a chip in each cell has reached the goal when earlier ones had not, for either side (Schaeffer 1983,
    /// "The History Heuristic").
    history: [[i32; MAX_BITS as usize]; 2],
    pub(super) table: TranspositionTable<B>,
    max_nodes: u64,
    nodes: u64,
    stop: StopToken,
}

impl<B: BitSet> Search<B> {
    pub(super) fn new(game: &Trilobite, table_bytes: usize) -> Self {
        let height = game.height();
        let even = (0..height).filter(|level| (height - level).is_multiple_of(2));
        let even = even.fold(0, |rows, level| rows | game.bottoms() << level);
        Search {
            width: game.width(),
            masks: game.masks(),
            even_cells: B::from_chips(even),
            line_counts: lines_through(game),
            children: Vec::new(),
            uses_mirror_images: false,
            history: [[0; MAX_BITS as usize]; 2],
            table: TranspositionTable::of_bytes(table_bytes),
            max_nodes: 0,
            nodes: 0,
            stop: StopToken::new(),
        }
    }

    /// Narrows the bounds of the score of an unfinished position; also returns the number of searched positions. The
    /// bounds are equal unless more than `max_nodes` are needed or a stop is requested.
    pub(super) fn solve(
        &mut self,
        position: &Position,
        known: ScoreBounds,
        max_nodes: u64,
        stop: &StopToken,
    ) -> (ScoreBounds, u64) {
        let (own, other) = (B::from_chips(position.own), B::from_chips(position.other));
        self.history = [[0; MAX_BITS as usize]; 2];
        // Later positions contain these chips, so a mirror image can occur only if the chips do not conflict
        // with their own mirror image.
        self.uses_mirror_images = (own & self.masks.mirror(other)).is_empty();
        (self.max_nodes, self.nodes) = (max_nodes, 0);
        self.stop = stop.clone();
        self.children.clear();
        let empty = (self.masks.board & !(own | other)).bit_count();
        let landings = self.masks.landings(own | other);
        if !(self.threats(own, other) & landings).is_empty() {
            return (ScoreBounds::exact(score(empty, 1)), 0);
        }
        let node = Node {
            own,
            other,
            opponent_threats: self.threats(other, own),
            empty,
        };
        let possible = ScoreBounds {
            lower: score(empty, 2),
            upper: score(empty, 3),
        };
        (self.narrow(node, known.and(possible)), self.nodes)
    }

    /// Narrows the bounds of a score: first excludes or finds early wins and losses, which are cheapest to decide.
    fn narrow(&mut self, node: Node<B>, mut bounds: ScoreBounds) -> ScoreBounds {
        while bounds.lower < bounds.upper {
            let ScoreBounds { lower, upper } = bounds;
            let middle = lower + (upper - lower).div_euclid(2);
            let middle = if middle <= 0 {
                middle.min(lower / 2)
            } else {
                middle.max(upper / 2)
            };
            match self.is_score_reached(node, middle + 1) {
                Some(true) => bounds.lower = middle + 1,
                Some(false) => bounds.upper = middle,
                None => break,
            }
        }
        bounds
    }

    /// Whether the mover's score is at least `goal`; `None` if the budget is spent.
    fn is_score_reached(&mut self, node: Node<B>, goal: i32) -> Option<bool> {
        match self.settle(node, goal) {
            Settled::Decided(is_reached) => Some(is_reached),
            Settled::Open(branch) => {
                let is_reached = self.is_reached(branch, self.key(branch.node))?;
                Some(is_reached == branch.is_same_mover)
            }
        }
    }

    /// Plays forced moves until the position has several moves or is decided.
    #[inline(always)]
    fn settle(&self, mut node: Node<B>, mut goal: i32) -> Settled<B> {
        let mut is_same_mover = true;
        loop {
            let all = node.own | node.other;
            let landings = self.masks.landings(all);
            let forced = landings & node.opponent_threats;
            let replies = if forced.is_empty() { landings } else { forced };
            // A chip directly below an opponent's threat lets the opponent complete the line.
            let moves = replies & !(node.opponent_threats >> 1);
            if moves.is_empty() || forced.has_at_least_two() {
                return Settled::Decided((score(node.empty, 2) >= goal) == is_same_mover);
            }
            if let Some(holds) = self.static_value(node, landings, goal) {
                return Settled::Decided(holds == is_same_mover);
            }
            if moves.has_at_least_two() {
                return Settled::Open(Branch {
                    node,
                    moves,
                    goal,
                    is_same_mover,
                });
            }
            node = self.after(node, moves);
            (goal, is_same_mover) = (1 - goal, !is_same_mover);
        }
    }

    /// The answer for a position that the next two chips do not decide, if it is known without a search.
    #[inline(always)]
    fn static_value(&self, node: Node<B>, landings: B, goal: i32) -> Option<bool> {
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
        let odd = landings & !self.even_cells;
        if !odd.is_empty() && !odd.has_at_least_two() {
            return self.wins_last_column(node, odd, goal).then_some(false);
        }
        let is_even = odd.is_empty();
        if goal >= 0 && is_even && !is_line(node.own | free & self.even_cells) {
            // The opponent answers in the same column.
            let answers = node.other | free & !self.even_cells;
            if goal >= 1 || is_line(answers) {
                return Some(false);
            }
        }
        None
    }

    /// Whether the opponent wins before the mover's goal is reached, because of a threat above this landing cell of the
    /// only column with an odd number of empty cells. The opponent answers in the same column, until the mover must play
    /// below the threat (Allis 1988, "odd threat").
    #[inline(always)]
    fn wins_last_column(&self, node: Node<B>, landing: B, goal: i32) -> bool {
        let above = !(landing - B::ONE);
        let threat = (node.opponent_threats & self.even_cells & above).lowest_bit();
        if threat.is_empty() {
            return false;
        }
        // The cells from the landing cell up to the threat, if it is in the same column.
        let below = threat - landing;
        if !(below & !self.masks.board).is_empty() {
            return false;
        }
        let tops = self.masks.bottoms << u32::from(self.masks.height());
        let column = (tops & above).lowest_bit() - landing;
        let free = self.masks.board & !(node.own | node.other);
        let plies = (free & !column).bit_count() + below.bit_count() + 1;
        let gets = free & self.even_cells & !column | below & !self.even_cells;
        goal > score(node.empty, plies) && !self.masks.has_line(node.own | gets)
    }

    /// Whether the goal of a branch is reached; `None` if the budget is spent.
    fn is_reached(&mut self, branch: Branch<B>, key: (B, bool)) -> Option<bool> {
        let Branch {
            node, moves, goal, ..
        } = branch;
        if self.nodes.is_multiple_of(STOP_CHECK_INTERVAL) && self.stop.check() {
            self.max_nodes = 0;
        }
        if self.nodes >= self.max_nodes {
            return None;
        }
        self.nodes += 1;
        let (key, is_mirrored) = key;
        let mut known = self.table.probe(key);
        if goal <= i32::from(known.lower) {
            return Some(true);
        }
        if goal > i32::from(known.upper) {
            return Some(false);
        }
        let before = self.nodes;
        let first = self.children.len();
        let best = if is_mirrored && known.best != NO_COLUMN {
            self.width - 1 - known.best
        } else {
            known.best
        };
        let mut reached = self.push_children(node, moves, goal, best);
        if reached.is_none() {
            for index in first..self.children.len() {
                let Child {
                    column,
                    branch,
                    key,
                    ..
                } = self.children[index];
                if self.is_reached(branch, key)? != branch.is_same_mover {
                    reached = Some(column);
                    self.record_cutoff(node.side(), first, index);
                    break;
                }
            }
        }
        self.children.truncate(first);
        match reached {
            Some(column) => {
                known.lower = goal as i8;
                known.best = if is_mirrored {
                    self.width - 1 - column
                } else {
                    column
                };
            }
            None => known.upper = (goal - 1) as i8,
        }
        self.table.insert(key, known, self.nodes - before);
        Some(reached.is_some())
    }

    /// Prefers the cell of the child at `index` of the stack to those of the children from `first` in the same search.
    fn record_cutoff(&mut self, side: usize, first: usize, index: usize) {
        let history = &mut self.history[side];
        for child in &self.children[first..index] {
            let count = &mut history[usize::from(child.cell)];
            *count = count.saturating_sub(1);
        }
        let count = &mut history[usize::from(self.children[index].cell)];
        *count = count.saturating_add((index - first) as i32);
    }

    /// Pushes the children that must be searched, highest priority first. Returns the column of a move that reaches the
    /// goal without a search, if there is one.
    #[inline(always)]
    fn push_children(&mut self, node: Node<B>, moves: B, goal: i32, best: u8) -> Option<u8> {
        let first = self.children.len();
        let bits = usize::from(self.masks.height()) + 1;
        let side = node.side();
        for bit in moves.iter_bits() {
            let cell = bit.lowest_index() as usize;
            let column = (cell / bits) as u8;
            let after = self.after(node, bit);
            let branch = match self.settle(after, 1 - goal) {
                Settled::Decided(false) => return Some(column),
                Settled::Decided(true) => continue,
                Settled::Open(branch) => branch,
            };
            let priority = if column == best {
                i32::MAX
            } else {
                after.opponent_threats.bit_count() as i32 * THREAT_PRIORITY
                    + self.history[side][cell] / HISTORY_DIVISOR
                    + i32::from(self.line_counts[cell])
            };
            let mut index = self.children.len();
            let next = Child {
                priority,
                column,
                cell: cell as u8,
                branch,
                key: self.key(branch.node),
            };
            self.children.push(next);
            while index > first && self.children[index - 1].priority < priority {
                self.children[index] = self.children[index - 1];
                index -= 1;
            }
            self.children[index] = next;
        }
        if node.empty <= NEAR_END {
            return None;
        }
        // The accesses to memory take the longest, so all are started before the first is needed.
        let keys = self.children[first..].iter().map(|child| child.key.0);
        std::hint::black_box(keys.fold(0, |words, key| words ^ self.table.first_word(key)));
        let mut open = first;
        for index in first..self.children.len() {
            let child = self.children[index];
            match self.stored_answer(&child) {
                None => {
                    self.children[open] = child;
                    open += 1;
                }
                Some(is_reached) if is_reached != child.branch.is_same_mover => {
                    return Some(child.column);
                }
                Some(_) => {}
            }
        }
        self.children.truncate(open);
        None
    }

    /// Whether the goal of a child is reached, if the table has the answer.
    #[inline(always)]
    fn stored_answer(&self, child: &Child<B>) -> Option<bool> {
        let known = self.table.probe(child.key.0);
        let goal = child.branch.goal;
        if goal <= i32::from(known.lower) {
            Some(true)
        } else if goal > i32::from(known.upper) {
            Some(false)
        } else {
            None
        }
    }

    /// The position after a move that completes no line.
    #[inline(always)]
    fn after(&self, node: Node<B>, bit: B) -> Node<B> {
        let own = node.own | bit;
        Node {
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

    /// A key of the position, shared with its mirror image where that can occur. Also whether it is that of the mirror
    /// image.
    #[inline(always)]
    fn key(&self, node: Node<B>) -> (B, bool) {
        let (own, all) = (node.own, node.own | node.other);
        if self.uses_mirror_images {
            self.masks.symmetric_key(own, all)
        } else {
            (self.masks.key(own, all), false)
        }
    }
}

/// With at most so many empty cells children are not looked up in the table before the first is searched: the search
/// takes no longer than the accesses to memory.
const NEAR_END: u32 = 12;

/// The priority of each threat that a move creates, as that of a line through its cell is 1.
const THREAT_PRIORITY: i32 = 256;

/// The number of cutoffs in the history that count as much as a line through the cell.
const HISTORY_DIVISOR: i32 = 16;

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
