//! The state of a game: the validated [`Position`], and [`Setup`], its unchecked written form.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::board::{Chips, Column};
use super::rules::Trilobite;
use dice_of_doom_core::game::Player;

/// Stored if there is no last chip or it is not known.
const NO_CHIP: u8 = u8::MAX;

/// A valid position; only `Trilobite` creates one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The chips of the side to move.
    pub(super) own: Chips,
    /// The chips of the opponent, who moved last.
    pub(super) other: Chips,
    pub(super) player: Player,
    /// The bit of the last chip, or `NO_CHIP`.
    last: u8,
    /// Whether `other` has a line, stored because most uses of a position need it.
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

    /// The side to move; after the end of the game, the player who would be next.
    #[must_use]
    pub const fn player(&self) -> Player {
        self.player
    }

    #[inline]
    pub(super) const fn all(&self) -> Chips {
        self.own | self.other
    }

    /// The bit of the last chip.
    pub(super) fn last(&self) -> Option<u8> {
        (self.last != NO_CHIP).then_some(self.last)
    }

    /// The position after the mover's chip lands on the empty cell `bit`.
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

/// The written form of a position, validated by [`Trilobite::position`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The cells row by row from the top: 0 for empty, otherwise the owner of the chip, 1 or 2.
    pub board: Vec<u8>,
    /// The side to move, 1 or 2.
    pub player: u8,
    /// The cell of the last chip; −1 if there is none or it is not known.
    pub last_move: i16,
}

/// The written form of a game's parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The number of columns.
    pub width: u8,
    /// The number of cells in a column.
    pub height: u8,
    /// The length of a winning line.
    pub win: u8,
}

/// Why parameters or a position are invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The board is empty or too large.
    #[error(
        "a board has at least one cell and width × (height + 1) at most 128, not {width}×{height}"
    )]
    Size {
        /// The given value.
        width: u8,
        /// The given value.
        height: u8,
    },
    /// No line of this length fits.
    #[error("a line of 1 to {most} wins here, not of {win}")]
    Win {
        /// The given value.
        win: u8,
        /// The longer side.
        most: u8,
    },
    /// The board has the wrong number of cells.
    #[error("the board has {given} cells where {expected} are due")]
    BoardLength {
        /// The given value.
        given: usize,
        /// The width times the height.
        expected: u8,
    },
    /// A cell contains neither 0, 1 nor 2.
    #[error("cell {cell} holds {given}; 0, 1 or 2 can be there")]
    Chip {
        /// The index of the cell.
        cell: u8,
        /// The given value.
        given: u8,
    },
    /// There is an empty cell below a chip.
    #[error("the chip in cell {cell} has nothing below it")]
    Floating {
        /// The index of the cell.
        cell: u8,
    },
    /// The side to move is neither 1 nor 2.
    #[error("player {0} is to move; there are 1 and 2")]
    Player(u8),
    /// The chip counts are impossible for this side to move.
    #[error(
        "{first} chips of player 1 and {second} of player 2 do not lead to player {player}'s turn"
    )]
    Counts {
        /// The chips of player 1.
        first: u32,
        /// The chips of player 2.
        second: u32,
        /// The given value.
        player: u8,
    },
    /// The last chip does not belong to the opponent or is not on top of its column.
    #[error("the last chip cannot be in cell {0}")]
    LastMove(i16),
    /// There was a line before the last chip.
    #[error("the game was over before the last chip")]
    OverBefore,
    /// A move is not a column of this board.
    #[error("{0:?} is no column of this board")]
    NoSuchColumn(char),
    /// A move is in a full column.
    #[error("column {column} is full at move {number}")]
    ColumnFull {
        /// The full column.
        column: Column,
        /// The number of the move, from 1.
        number: usize,
    },
    /// There are moves after the end of the game.
    #[error("the game is over before move {number}")]
    AfterTheEnd {
        /// The number of the move, from 1.
        number: usize,
    },
}

impl Trilobite {
    /// The empty board; player 1 moves first.
    #[must_use]
    pub const fn empty(&self) -> Position {
        Position::empty(Player::FIRST)
    }

    /// Validates a written position.
    ///
    /// Either player may have moved first. If there are chips but no `last_move`, a line anywhere ends the
    /// game.
    pub fn position(&self, setup: &Setup) -> Result<Position, SetupError> {
        let player = setup.player.checked_sub(1);
        let player = player
            .and_then(|number| Player::try_new(number, 2))
            .ok_or(SetupError::Player(setup.player))?;
        let [first, second] = self.parse_board(&setup.board)?;
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
        let last = self.parse_last_move(setup.last_move, first | second, other)?;
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

    /// The chips of both players.
    fn parse_board(&self, board: &[u8]) -> Result<[Chips; 2], SetupError> {
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

    /// The bit of the last chip, which must belong to the opponent and be on top of its column.
    fn parse_last_move(
        &self,
        cell: i16,
        all: Chips,
        other: Chips,
    ) -> Result<Option<u8>, SetupError> {
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

    /// The written form of a position; the inverse of [`Self::position`].
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

    /// The position after these moves, given as column digits from 1; player 1 moves first.
    ///
    /// # Errors
    /// The first illegal move.
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
