//! OpenAPI schemas of the types that the rules of Trilobite serialize: parameters and positions.

use serde::Serialize;
use utoipa::ToSchema;

/// The numbers of a game.
#[derive(Clone, Debug, ToSchema)]
pub struct TrilobiteParametersJson {
    /// Columns.
    pub width: u8,
    /// Cells in each column.
    pub height: u8,
    /// Chips in a line that win.
    pub win: u8,
}

/// A position of Trilobite. Cells are numbered from 0, row by row from the top, so cell c lies in row
/// c / width and column c % width, and the last row is the lowest. Lines run along rows, columns and both
/// diagonals.
///
/// Chips are 1 and 2 here, while seats and players count from 0 everywhere: the chip of player p is p + 1.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = TrilobiteState)]
pub struct TrilobiteStateJson {
    /// Every cell from cell 0 on: 0 where it is empty, else whose chip lies there, 1 or 2. No chip floats.
    #[schema(max_items = 128)]
    pub board: Vec<u8>,
    /// Whose turn it is, as a chip: 1 or 2. Either may have begun.
    #[schema(minimum = 1, maximum = 2)]
    pub player: u8,
    /// The cell of the last chip; -1 where there is none, or it is not known.
    #[schema(minimum = -1, maximum = 127)]
    pub last_move: i16,
}

/// What a board is like whatever lies on it: its parameters say all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct NoLayoutJson {}
