//! A small board of columns with the chip that was dropped and the one that was better.

use maud::Markup;

use super::{ColumnBoardView, board};
use crate::controls::{TableComponent, TableContext};

/// A board with the cells where two chips would land.
#[derive(Clone, Debug)]
pub struct DropComparison {
    /// The position.
    pub board: ColumnBoardView,
    /// Where the chip landed that was dropped.
    pub played: Option<u8>,
    /// Where it would have landed better.
    pub better: Option<u8>,
}

impl TableComponent for DropComparison {
    /// The words beside it say the same.
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        board::compared(&self.board, self.played, self.better)
    }
}
