//! How reviews of Trilobite show its moves.

use std::sync::Arc;

use super::hint;
use crate::games::BoardPage;
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;
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

pub(super) fn why_better(
    game: &Trilobite,
    position: &Position,
    _: Option<Column>,
    better: Column,
) -> Option<LocalizedMessage> {
    hint::threat(game, position, better)
}
