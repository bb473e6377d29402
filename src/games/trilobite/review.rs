//! How reviews of Trilobite show its moves.

use std::sync::Arc;

use super::hint;
use crate::games::BoardPage;
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;
use crate::templates::review::{BETTER_MARK, WORSE_MARK};
use crate::templates::trilobite::ColumnHint;
use crate::templates::trilobite::comparison::DropComparison;
use dice_of_doom_games::trilobite::{Column, Position, Trilobite};

pub(super) fn comparison(
    game: &Trilobite,
    position: &Position,
    played: Option<Column>,
    better: Column,
) -> Arc<dyn TableComponent> {
    let landing = |column| game.landing(position, column);
    Arc::new(DropComparison {
        board: game.preview(position),
        played: played.and_then(landing),
        better: landing(better),
    })
}

/// The columns of both moves are labelled.
pub(super) fn marked_board(
    game: &Trilobite,
    position: &Position,
    worse: Option<Column>,
    better: Column,
) -> Arc<dyn BoardComponent> {
    let mut board = game.preview(position);
    for (column, mark, best) in [
        (worse, WORSE_MARK, false),
        (Some(better), BETTER_MARK, true),
    ] {
        let view = column.and_then(|column| board.columns.get_mut(usize::from(column.number())));
        if let Some(view) = view {
            view.hint = Some(ColumnHint {
                label: LocalizedMessage::new("review-mark").with_value("mark", mark.to_string()),
                share: if best { 1.0 } else { 0.5 },
                best,
            });
        }
    }
    Arc::new(board)
}

pub(super) fn why_better(
    game: &Trilobite,
    position: &Position,
    _: Option<Column>,
    better: Column,
) -> Option<LocalizedMessage> {
    hint::threat(game, position, better)
}
