//! OpenAPI schemas of the types that the rules of Trilobite serialize: parameters and positions.

use serde::Serialize;
use utoipa::ToSchema;

/// The parameters of a game.
#[derive(Clone, Debug, ToSchema)]
pub struct TrilobiteParametersJson {
    /// The number of columns.
    pub width: u8,
    /// The number of rows.
    pub height: u8,
    /// The number of chips in a row that win.
    pub win: u8,
}

/// A position of Trilobite. Cells are numbered from 0, row by row from the top: cell c is in row c / width and column c
/// % width. Lines run along rows, columns and both diagonals.
///
/// Only here `player` and `board` have the chips 1 and 2: the chip of player p is p + 1.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = TrilobiteState)]
pub struct TrilobiteStateJson {
    /// Each cell, from cell 0: 0 if it is empty, otherwise its chip, 1 or 2. No chip is above an empty cell.
    #[schema(max_items = 128)]
    pub board: Vec<u8>,
    /// The chip of the player to move, 1 or 2. Either player may have begun.
    #[schema(minimum = 1, maximum = 2)]
    pub player: u8,
    /// The cell of the last chip; -1 if there is none, or if it is not known.
    #[schema(minimum = -1, maximum = 127)]
    pub last_move: i16,
}

/// The constant part of the board: nothing beyond the parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct NoLayoutJson {}
