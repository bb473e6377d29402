//! The boards of lessons of Trilobite.

use crate::games::exercise::{BoardChoice, LinkedChoice};
use crate::templates::trilobite::{ColumnBoardView, ColumnState};
use dice_of_doom_games::trilobite::{Column, Position, Trilobite};

pub(super) fn add_links(
    game: &Trilobite,
    position: &Position,
    _: Option<u8>,
    choices: &[LinkedChoice<Column>],
    board: &mut ColumnBoardView,
) {
    for (choice, href) in choices {
        let &BoardChoice::Action(column) = choice else {
            continue;
        };
        let view = &mut board.columns[usize::from(column.number())];
        view.state = ColumnState::Selectable;
        view.landing = game.landing(position, column);
        view.href = href.clone();
        view.tried = href.is_none();
    }
}
