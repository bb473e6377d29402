//! Rendering of Trilobite: its column board, its part of the new-game form, its rules.

pub mod comparison;
pub mod form;
pub mod rules;

mod board;
mod standalone;

use maud::{Markup, html};

use super::board::{BoardComponent, BoardLayout};
use super::localization::{Translations, letters};
use super::message::LocalizedMessage;
use super::page::Component;
use super::players::PlayerNames;
use super::preferences::DisplayOptions;

/// A cell of a column board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellView {
    /// The player whose chip is in the cell.
    pub chip: Option<u8>,
    /// Whether it is the chip that was dropped last.
    pub last: bool,
    /// Whether it belongs to a line that decided the game.
    pub line: bool,
}

/// State of a column in the current selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColumnState {
    /// No action is possible here.
    #[default]
    Idle,
    /// A chip can be dropped in.
    Selectable,
    /// The selected column.
    Selected,
}

/// One column of the board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnView {
    /// State of the column.
    pub state: ColumnState,
    /// Target of a click: selects a column, or undoes the selection.
    pub href: Option<String>,
    /// The cell where a chip would land.
    pub landing: Option<u8>,
    /// The hint's evaluation of the column.
    pub hint: Option<ColumnHint>,
    /// Whether it was tried and is the wrong choice: a cross is drawn where the chip would land.
    pub tried: bool,
}

/// The value of a column for the player to move.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnHint {
    /// A short text; the part after the first space goes on a second line if the text is longer than five
    /// characters.
    pub label: LocalizedMessage,
    /// Expected win share of the player to move, 0..=1.
    pub share: f32,
    /// Whether it is the best column.
    pub best: bool,
}

/// View of a column board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnBoardView {
    /// Number of columns.
    pub width: u8,
    /// Number of cells in each column.
    pub height: u8,
    /// Number of chips in a row that win.
    pub win: u8,
    /// width × height cells, row by row from the top: `cells[x + width * y]`.
    pub cells: Vec<CellView>,
    /// The columns, left to right.
    pub columns: Vec<ColumnView>,
}

impl BoardComponent for ColumnBoardView {
    fn interactive(
        &self,
        text: &Translations,
        _: &DisplayOptions,
        mover: Option<u8>,
        _: &PlayerNames<'_>,
    ) -> Markup {
        in_container(text, self, board::board(text, self, mover))
    }

    fn picture(&self, text: &Translations, _: &DisplayOptions, label: &str) -> Markup {
        in_container(text, self, board::picture(self, label))
    }

    fn small(&self) -> Markup {
        board::small(self)
    }

    fn as_table(&self, text: &Translations, _: &DisplayOptions, names: &PlayerNames<'_>) -> Markup {
        board::table(text, self, names)
    }

    fn standalone_svg(&self) -> Markup {
        standalone::standalone_svg(self)
    }

    fn is_key(&self, letter: char) -> bool {
        (0..self.width).any(|column| letters(column) == letter.to_string())
    }

    fn layout(&self) -> BoardLayout {
        BoardLayout::Upright
    }
}

/// The container of a board; a board that scrolls can be focused with the keyboard.
fn in_container(text: &Translations, view: &ColumnBoardView, board: Markup) -> Markup {
    if board::is_wide(view) {
        let name = text.get("board");
        return html! { div.bd.cols tabindex="0" role="group" aria-label=(name) { (board) } };
    }
    html! { div.bd.cols.few[view.width < 6] { (board) } }
}

/// An example board for the settings page.
#[derive(Clone, Copy, Debug)]
pub struct TrilobiteSettingsExample;

impl Component for TrilobiteSettingsExample {
    fn draw(&self, text: &Translations, _: &DisplayOptions) -> Markup {
        html! { div.bd.cols { (board::picture(&example(), &text.get("set-example-chips"))) } }
    }
}

/// A few chips, the last one marked.
fn example() -> ColumnBoardView {
    let rows = ["......", "..b...", "..rb..", ".brrb."];
    let mut cells: Vec<CellView> = rows
        .concat()
        .chars()
        .map(|cell| CellView {
            chip: match cell {
                'r' => Some(0),
                'b' => Some(1),
                _ => None,
            },
            ..CellView::default()
        })
        .collect();
    cells[8].last = true;
    ColumnBoardView {
        width: 6,
        height: 4,
        win: 4,
        cells,
        columns: Vec::new(),
    }
}
