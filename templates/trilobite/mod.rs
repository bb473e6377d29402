//! How Trilobite looks: its board of columns, its part of the form, its rules.

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

/// What one cell of a column board holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellView {
    /// Whose chip lies here.
    pub chip: Option<u8>,
    /// It is the chip that fell last.
    pub last: bool,
    /// It is part of a line that decided the game.
    pub line: bool,
}

/// What one column looks like in this moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColumnState {
    /// Nothing to do here.
    #[default]
    Resting,
    /// A chip may be dropped in.
    Choosable,
    /// The chosen column.
    Chosen,
}

/// One column of the board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnView {
    /// What may be done with it.
    pub state: ColumnState,
    /// Where a click leads, for choosable columns and the chosen one (back).
    pub href: Option<String>,
    /// The cell where a chip would land.
    pub landing: Option<u8>,
    /// What a hint says of it.
    pub hint: Option<ColumnHint>,
}

/// What a column is worth to the mover.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnHint {
    /// In a few words; the last two stand on a line of their own where they have more than one.
    pub said: LocalizedMessage,
    /// The mover's share, 0..=1.
    pub share: f32,
    /// It is the best one.
    pub best: bool,
}

/// A board of columns, ready to draw: `cells[x + width * y]`, row 0 on top.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnBoardView {
    /// Number of columns.
    pub width: u8,
    /// Cells in each column.
    pub height: u8,
    /// Chips in a row that win.
    pub win: u8,
    /// width × height cells, row by row from the top.
    pub cells: Vec<CellView>,
    /// The columns, left to right.
    pub columns: Vec<ColumnView>,
}

impl BoardComponent for ColumnBoardView {
    fn playable(
        &self,
        text: &Translations,
        _: &DisplayOptions,
        mover: Option<u8>,
        _: &PlayerNames<'_>,
    ) -> Markup {
        placed(text, self, board::board(text, self, mover))
    }

    fn picture(&self, text: &Translations, _: &DisplayOptions, label: &str) -> Markup {
        placed(text, self, board::picture(self, label))
    }

    fn small(&self) -> Markup {
        board::small(self)
    }

    fn table(&self, text: &Translations, _: &DisplayOptions, cast: &PlayerNames<'_>) -> Markup {
        board::table(text, self, cast)
    }

    fn alone(&self) -> Markup {
        standalone::alone(self)
    }

    fn is_key(&self, letter: char) -> bool {
        (0..self.width).any(|column| letters(column) == letter.to_string())
    }

    fn stance(&self) -> BoardLayout {
        BoardLayout::Upright
    }
}

/// The place of a board; one that is scrolled can be reached by keys.
fn placed(text: &Translations, view: &ColumnBoardView, board: Markup) -> Markup {
    if board::is_wide(view) {
        let name = text.say("board");
        return html! { div.bd.cols tabindex="0" role="group" aria-label=(name) { (board) } };
    }
    html! { div.bd.cols.few[view.width < 6] { (board) } }
}

/// A corner of a board, for the page of settings.
#[derive(Clone, Copy, Debug)]
pub struct TrilobiteSettingsExample;

impl Component for TrilobiteSettingsExample {
    fn draw(&self, text: &Translations, _: &DisplayOptions) -> Markup {
        html! { div.bd.cols { (board::picture(&example(), &text.say("set-example-chips"))) } }
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
