//! A small board of columns with the chip that was dropped and the one that was better.

use maud::Markup;

use super::{ColumnsView, board};
use crate::controls::{OnTable, Table};

/// A board with the cells where two chips would land.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The position.
    pub board: ColumnsView,
    /// Where the chip landed that was dropped.
    pub played: Option<u8>,
    /// Where it would have landed better.
    pub better: Option<u8>,
}

impl OnTable for Compared {
    /// The words beside it say the same.
    fn draw(&self, _: &Table<'_>) -> Markup {
        board::compared(&self.board, self.played, self.better)
    }
}
