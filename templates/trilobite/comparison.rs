//! A small column board that compares the move played with a better one.

use maud::Markup;

use super::{ColumnBoardView, board};
use crate::controls::{TableComponent, TableContext};

/// A board with the cells where the two chips would land.
#[derive(Clone, Debug)]
pub struct DropComparison {
    /// The position.
    pub board: ColumnBoardView,
    /// The cell where the played chip landed.
    pub played: Option<u8>,
    /// The cell of the better move.
    pub better: Option<u8>,
}

impl TableComponent for DropComparison {
    /// Hidden from screen readers: the adjacent text says the same.
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        board::compared(&self.board, self.played, self.better)
    }
}
