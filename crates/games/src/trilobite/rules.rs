//! The rules: chips fall, a line of `win` wins, and a full board is a draw.
//!
//! The rules are pure functions of [`Position`]. The original left its main loop with an error when the board
//! was full.

use super::bits::{BitSet, BoardMasks, line_chips};
use super::board::{Chips, Column, MAX_BITS, iter_bit_indices};
use super::position::{Position, SetupError};
use dice_of_doom_core::game::{Game, NoDice, Payoffs, Player, PlayerSet, RecordableGame, Status};

const PLAYERS: u8 = 2;

/// The parameters of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Trilobite {
    width: u8,
    height: u8,
    win: u8,
    /// The lowest bit of each column.
    bottoms: Chips,
}

impl Trilobite {
    /// The default width, height and line length: the original's large board.
    pub const DEFAULTS: (u8, u8, u8) = (8, 7, 4);

    /// A game on `width` × `height` cells that is won by a line of `win`.
    ///
    /// # Errors
    /// If there is no cell, `width · (height + 1)` is above 128, or `win` is not between 1 and the longer side.
    pub fn new(width: u8, height: u8, win: u8) -> Result<Self, SetupError> {
        let bits = u16::from(width) * (u16::from(height) + 1);
        if width == 0 || height == 0 || bits > MAX_BITS {
            return Err(SetupError::Size { width, height });
        }
        let most = width.max(height);
        if !(1..=most).contains(&win) {
            return Err(SetupError::Win { win, most });
        }
        let bottoms = (0..width).fold(0, |set, column| set | 1 << (column * (height + 1)));
        Ok(Trilobite {
            width,
            height,
            win,
            bottoms,
        })
    }

    /// The number of columns.
    #[must_use]
    pub const fn width(&self) -> u8 {
        self.width
    }

    /// The number of cells in a column.
    #[must_use]
    pub const fn height(&self) -> u8 {
        self.height
    }

    /// The length of a winning line.
    #[must_use]
    pub const fn win(&self) -> u8 {
        self.win
    }

    /// The number of cells, at most 127.
    #[must_use]
    pub const fn cells(&self) -> u8 {
        self.width * self.height
    }

    /// The column with this number, counted from 0; `None` if the board is narrower.
    #[must_use]
    pub fn column(&self, number: u8) -> Option<Column> {
        (number < self.width).then_some(Column(number))
    }

    /// All columns, from the left.
    pub fn columns(&self) -> impl Iterator<Item = Column> + Clone + use<> {
        (0..self.width).map(Column)
    }

    /// The column of a cell; `None` if the cell is off the board.
    #[must_use]
    pub fn column_of(&self, cell: u8) -> Option<Column> {
        (cell < self.cells()).then(|| Column(cell % self.width))
    }

    #[inline]
    pub(super) const fn board(&self) -> Chips {
        self.bottoms * ((1 << self.height) - 1)
    }

    #[inline]
    pub(super) const fn bottoms(&self) -> Chips {
        self.bottoms
    }

    /// Whether the board fits in 64 bits, where searches are several times as fast.
    #[inline]
    pub(super) const fn is_narrow(&self) -> bool {
        self.width as u32 * (self.height as u32 + 1) <= u64::BITS
    }

    /// `B` must be wide enough for the board.
    #[inline]
    pub(super) fn masks<B: BitSet>(&self) -> BoardMasks<B> {
        let parameters = (self.width, self.height, self.win);
        BoardMasks::new(parameters, self.board(), self.bottoms)
    }

    #[inline]
    pub(super) fn has_line(&self, chips: Chips) -> bool {
        if self.is_narrow() {
            self.masks::<u64>().has_line(chips as u64)
        } else {
            self.masks().has_line(chips)
        }
    }

    pub(super) const fn bit(&self, cell: u8) -> u8 {
        let (x, y) = (cell % self.width, cell / self.width);
        x * (self.height + 1) + self.height - 1 - y
    }

    const fn cell(&self, bit: u8) -> u8 {
        let (x, level) = (bit / (self.height + 1), bit % (self.height + 1));
        x + self.width * (self.height - 1 - level)
    }
}

/// The chips on the board.
impl Trilobite {
    /// The owner of the chip in a cell; `None` if the cell is empty or off the board.
    #[must_use]
    pub fn chip(&self, position: &Position, cell: u8) -> Option<Player> {
        let bit = (cell < self.cells()).then(|| self.bit(cell))?;
        if position.own >> bit & 1 == 1 {
            Some(position.player)
        } else if position.other >> bit & 1 == 1 {
            Some(position.player.next(PLAYERS))
        } else {
            None
        }
    }

    /// The number of chips on the board.
    #[must_use]
    pub const fn chips(&self, position: &Position) -> u32 {
        position.all().count_ones()
    }

    /// The cell of the last chip, if known.
    #[must_use]
    pub fn last_move(&self, position: &Position) -> Option<u8> {
        position.last().map(|bit| self.cell(bit))
    }

    /// Whether the player to move has lost: the last chip made a line.
    #[must_use]
    pub const fn mover_has_lost(&self, position: &Position) -> bool {
        position.is_lost
    }

    /// Whether the board is full.
    #[must_use]
    pub const fn is_full(&self, position: &Position) -> bool {
        position.all() == self.board()
    }

    /// The cells of the lines that ended the game, ascending; empty without a line.
    #[must_use]
    pub fn line(&self, position: &Position) -> Vec<u8> {
        let chips = line_chips(position.other, self.height, self.win);
        let mut cells: Vec<u8> = iter_bit_indices(chips).map(|bit| self.cell(bit)).collect();
        cells.sort_unstable();
        cells
    }

    /// The cell where a chip dropped into a column lands; `None` if the column is full. Independent of whether
    /// the game is over.
    #[must_use]
    pub fn landing(&self, position: &Position, column: Column) -> Option<u8> {
        self.landing_bit(position, column).map(|bit| self.cell(bit))
    }

    /// Like [`Self::landing`], but returns the bit.
    #[inline]
    pub(super) fn landing_bit(&self, position: &Position, column: Column) -> Option<u8> {
        if column.0 >= self.width {
            return None;
        }
        let lowest = column.0 * (self.height + 1);
        let chips = position.all() >> lowest & ((1 << self.height) - 1);
        // Columns have no gaps, so the lowest empty cell is the landing cell.
        let level = chips.trailing_ones() as u8;
        (level < self.height).then_some(lowest + level)
    }

    /// Whether a chip of this player, dropped into this column, would make a line. Independent of whose turn it
    /// is.
    #[must_use]
    pub fn completes(&self, position: &Position, column: Column, player: Player) -> bool {
        let chips = if player == position.player {
            position.own
        } else {
            position.other
        };
        let landing = self.landing_bit(position, column);
        landing.is_some_and(|bit| self.has_line(chips | 1 << bit))
    }

    /// The cells where the next chip of each column lands.
    #[inline]
    pub(super) fn landings(&self, chips: Chips) -> Chips {
        (chips + self.bottoms) & self.board()
    }
}

/// Legality of actions.
impl Trilobite {
    /// Checks whether a chip may be dropped into a column.
    ///
    /// # Errors
    /// The first rule that forbids it.
    pub fn check_action(
        &self,
        position: &Position,
        column: Column,
    ) -> Result<(), IllegalActionError> {
        if self.mover_has_lost(position) || self.is_full(position) {
            return Err(IllegalActionError::GameOver);
        }
        if column.0 >= self.width {
            return Err(IllegalActionError::NoSuchColumn { column });
        }
        match self.landing_bit(position, column) {
            Some(_) => Ok(()),
            None => Err(IllegalActionError::ColumnFull { column }),
        }
    }
}

/// The reason why a chip cannot be dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum IllegalActionError {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The board has fewer columns.
    #[error("there is no column {column}")]
    NoSuchColumn {
        /// The given column.
        column: Column,
    },
    /// The column has no empty cell.
    #[error("column {column} is full")]
    ColumnFull {
        /// The given column.
        column: Column,
    },
}

impl Game for Trilobite {
    type Position = Position;
    type Action = Column;
    type Outcome = ();

    fn players(&self) -> u8 {
        PLAYERS
    }

    #[inline]
    fn status(&self, position: &Position) -> Status {
        if self.mover_has_lost(position) {
            let winner = position.player.next(PLAYERS);
            Status::Over(Payoffs::for_winners(PlayerSet::from_iter([winner])))
        } else if self.is_full(position) {
            Status::Over(Payoffs::for_winners(PlayerSet::default()))
        } else {
            Status::Turn(position.player)
        }
    }

    /// In ascending order of the landing cell, so taller columns come first.
    #[inline]
    fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Column> + Clone {
        let landings = if self.mover_has_lost(position) {
            0
        } else {
            self.landings(position.all())
        };
        LegalColumns {
            left: landings,
            row: self.bottoms << (self.height - 1),
            column_bits: self.height + 1,
        }
    }

    #[inline]
    fn apply(&self, position: &Position, column: Column, (): ()) -> Position {
        let bit = self.landing_bit(position, column);
        position.with_chip(bit.expect("a legal column has an empty cell"), self)
    }
}

/// The columns with an empty cell, highest landing cell first.
#[derive(Clone)]
struct LegalColumns {
    left: Chips,
    row: Chips,
    column_bits: u8,
}

impl Iterator for LegalColumns {
    type Item = Column;

    #[inline]
    fn next(&mut self) -> Option<Column> {
        if self.left == 0 {
            return None;
        }
        while self.left & self.row == 0 {
            self.row >>= 1;
        }
        let bit = (self.left & self.row).trailing_zeros() as u8;
        self.left &= !(1 << bit);
        Some(Column(bit / self.column_bits))
    }
}

impl RecordableGame for Trilobite {
    type Roll = NoDice;
}
