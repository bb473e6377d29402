//! What changes in a game: the checked [`Position`], and [`Setup`], an unchecked one as it is written.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::board::{Chips, Column};
use super::rules::Trilobite;
use dice_of_doom_core::game::Player;

/// A position before any chip, or one whose last chip is not known.
const NO_CHIP: u8 = u8::MAX;

/// A checked position: only `Trilobite` makes one, and only it plays one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The chips of the player to move.
    pub(super) own: Chips,
    /// The chips of the other one, who dropped the last.
    pub(super) other: Chips,
    pub(super) player: Player,
    /// The bit of the last chip, or `NO_CHIP`.
    last: u8,
    /// Whether `other` has a line. It is kept because every use of a position needs it.
    pub(super) is_lost: bool,
}

impl Position {
    pub(super) const fn empty(player: Player) -> Self {
        Position {
            own: 0,
            other: 0,
            player,
            last: NO_CHIP,
            is_lost: false,
        }
    }

    /// Who is to move, or would be if the game went on.
    #[must_use]
    pub const fn player(&self) -> Player {
        self.player
    }

    /// All chips on the board.
    #[inline]
    pub(super) const fn all(&self) -> Chips {
        self.own | self.other
    }

    /// The bit of the last chip.
    pub(super) fn last(&self) -> Option<u8> {
        (self.last != NO_CHIP).then_some(self.last)
    }

    /// The position after the mover's chip on an empty bit.
    #[inline]
    pub(super) fn with_chip(&self, bit: u8, game: &Trilobite) -> Position {
        let own = self.own | 1 << bit;
        Position {
            own: self.other,
            other: own,
            player: self.player.next(2),
            last: bit,
            is_lost: game.has_line(own),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Position")
            .field("own", &format_args!("{:#x}", self.own))
            .field("other", &format_args!("{:#x}", self.other))
            .field("player", &self.player)
            .field("last", &self.last())
            .finish()
    }
}

/// A position as people and programs write it; checked by [`Trilobite::position`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The cells row by row from the top: 0 empty, else whose chip, 1 or 2.
    pub board: Vec<u8>,
    /// Whose turn it is, 1 or 2.
    pub player: u8,
    /// The cell of the last chip, −1 where there is none or it is not known.
    pub last_move: i16,
}

/// The parameters of a game, as records and programs write them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// How many columns.
    pub width: u8,
    /// How many chips a column holds.
    pub height: u8,
    /// How many chips in a line win.
    pub win: u8,
}

/// Why a game or a position cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// The board is empty or too large.
    #[error(
        "a board has at least one cell and width × (height + 1) at most 128, not {width}×{height}"
    )]
    Size {
        /// As given.
        width: u8,
        /// As given.
        height: u8,
    },
    /// No line of this length fits.
    #[error("a line of 1 to {most} wins here, not of {win}")]
    Win {
        /// As given.
        win: u8,
        /// The longer side.
        most: u8,
    },
    /// The board has another number of cells.
    #[error("the board has {given} cells where {expected} are due")]
    BoardLength {
        /// As written.
        given: usize,
        /// By width and height.
        expected: u8,
    },
    /// A cell holds neither 0 nor a chip.
    #[error("cell {cell} holds {given}; 0, 1 or 2 can be there")]
    Chip {
        /// The cell.
        cell: u8,
        /// As written.
        given: u8,
    },
    /// A chip lies on nothing.
    #[error("the chip in cell {cell} has nothing below it")]
    Floating {
        /// The cell.
        cell: u8,
    },
    /// The mover is neither 1 nor 2.
    #[error("player {0} is to move; there are 1 and 2")]
    Player(u8),
    /// The mover has dropped more chips than the other, or the other two more.
    #[error(
        "{first} chips of player 1 and {second} of player 2 do not lead to player {player}'s turn"
    )]
    Counts {
        /// Of player 1.
        first: u32,
        /// Of player 2.
        second: u32,
        /// As written.
        player: u8,
    },
    /// The last chip is not the other player's, or not on top of its column.
    #[error("the last chip cannot be in cell {0}")]
    LastMove(i16),
    /// Somebody had a line before the last chip.
    #[error("the game was over before the last chip")]
    OverBefore,
    /// A move names no column of the board.
    #[error("{0:?} is no column of this board")]
    NoSuchColumn(char),
    /// A move goes where no room is.
    #[error("column {column} is full at move {number}")]
    ColumnFull {
        /// The column.
        column: Column,
        /// Which move, from 1.
        number: usize,
    },
    /// Moves follow a finished game.
    #[error("the game is over before move {number}")]
    AfterTheEnd {
        /// Which move, from 1.
        number: usize,
    },
}

impl Trilobite {
    /// The empty board; the first player begins.
    #[must_use]
    pub const fn empty(&self) -> Position {
        Position::empty(Player::FIRST)
    }

    /// Checks a written position.
    ///
    /// Either player may have begun. With chips but no `last_move`, lines count on the whole board.
    ///
    /// # Errors
    /// The first thing that is impossible.
    pub fn position(&self, setup: &Setup) -> Result<Position, SetupError> {
        let player = setup.player.checked_sub(1);
        let player = player
            .and_then(|number| Player::try_new(number, 2))
            .ok_or(SetupError::Player(setup.player))?;
        let [first, second] = self.chips_of(&setup.board)?;
        let (own, other) = if player == Player::FIRST {
            (first, second)
        } else {
            (second, first)
        };
        if !(0..=1).contains(&(other.count_ones() as i32 - own.count_ones() as i32)) {
            return Err(SetupError::Counts {
                first: first.count_ones(),
                second: second.count_ones(),
                player: setup.player,
            });
        }
        let is_line = |chips| self.has_line(chips);
        let last = self.last_of(setup.last_move, first | second, other)?;
        let before = last.map_or(0, |bit| other & !(1 << bit));
        if is_line(own) || is_line(before) {
            return Err(SetupError::OverBefore);
        }
        Ok(Position {
            own,
            other,
            player,
            last: last.unwrap_or(NO_CHIP),
            is_lost: is_line(other),
        })
    }

    /// The chips of both players on a written board.
    fn chips_of(&self, board: &[u8]) -> Result<[Chips; 2], SetupError> {
        if board.len() != usize::from(self.cells()) {
            return Err(SetupError::BoardLength {
                given: board.len(),
                expected: self.cells(),
            });
        }
        let mut chips = [0; 2];
        for (cell, &given) in (0..).zip(board) {
            match given {
                0 => {}
                1 | 2 => chips[usize::from(given) - 1] |= 1 << self.bit(cell),
                _ => return Err(SetupError::Chip { cell, given }),
            }
        }
        let all = chips[0] | chips[1];
        let mut on_board = 0..self.cells();
        let floating = on_board.find(|&cell| {
            let bit = 1 << self.bit(cell);
            let below = (bit >> 1) & self.board();
            all & bit != 0 && below & !all != 0
        });
        match floating {
            Some(cell) => Err(SetupError::Floating { cell }),
            None => Ok(chips),
        }
    }

    /// The bit of the written last chip: the other player's, on top of its column.
    fn last_of(&self, cell: i16, all: Chips, other: Chips) -> Result<Option<u8>, SetupError> {
        if cell == -1 {
            return Ok(None);
        }
        u8::try_from(cell)
            .ok()
            .filter(|&cell| cell < self.cells())
            .map(|cell| self.bit(cell))
            .filter(|&bit| other >> bit & 1 == 1 && (all & self.board()) >> bit & 0b10 == 0)
            .map(Some)
            .ok_or(SetupError::LastMove(cell))
    }

    /// Writes a position down; [`Self::position`] reads it again.
    #[must_use]
    pub fn setup(&self, position: &Position) -> Setup {
        let chip = |cell| match self.chip(position, cell) {
            Some(player) => player.number() + 1,
            None => 0,
        };
        Setup {
            board: (0..self.cells()).map(chip).collect(),
            player: position.player.number() + 1,
            last_move: self.last_move(position).map_or(-1, i16::from),
        }
    }

    /// The position after these columns, written as digits from 1; player 1 begins.
    ///
    /// # Errors
    /// The first move that cannot be played.
    pub fn from_columns(&self, columns: &str) -> Result<Position, SetupError> {
        let mut position = self.empty();
        for (number, digit) in (1..).zip(columns.chars()) {
            let column = digit
                .to_digit(10)
                .and_then(|digit| u8::try_from(digit).ok()?.checked_sub(1))
                .and_then(|index| self.column(index))
                .ok_or(SetupError::NoSuchColumn(digit))?;
            if self.mover_has_lost(&position) || self.is_full(&position) {
                return Err(SetupError::AfterTheEnd { number });
            }
            let bit = self
                .landing_bit(&position, column)
                .ok_or(SetupError::ColumnFull { column, number })?;
            position = position.with_chip(bit, self);
        }
        Ok(position)
    }
}
