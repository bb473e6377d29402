//! The boards of lessons of Trilobite.

use crate::game_adapters::exercise::BoardChoice;
use crate::games::trilobite::{Column, Position, Trilobite};
use crate::templates::trilobite::{ColumnBoardView, ColumnState};

pub(super) fn add_links(
    game: &Trilobite,
    position: &Position,
    _: Option<u8>,
    choices: &[(BoardChoice<Column>, String)],
    board: &mut ColumnBoardView,
) {
    for (choice, href) in choices {
        let &BoardChoice::Action(column) = choice else {
            continue;
        };
        let view = &mut board.columns[usize::from(column.number())];
        view.state = ColumnState::Selectable;
        view.landing = game.landing(position, column);
        view.href = Some(href.clone());
    }
}
