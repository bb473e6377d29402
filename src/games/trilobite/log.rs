//! The log of Trilobite.

use crate::game::Player;
use crate::games::log::PlyDescription;
use crate::record::ReplayedPly;
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::trilobite::{Column, Trilobite};

pub(super) fn describe_ply(game: &Trilobite, step: &ReplayedPly<'_, Trilobite>) -> PlyDescription {
    let cell = game.last_move(&step.after).unwrap_or_default();
    PlyDescription {
        message: LocalizedMessage::new("log-drop")
            .with_player(step.ply.player.number())
            .with_value("column", step.ply.action.to_string()),
        marks: Some(format!("k{cell}")),
        strip: None,
    }
}

pub(super) fn takeback_label(column: Column) -> LocalizedMessage {
    LocalizedMessage::new("take-back-chip").with_value("column", column.to_string())
}

pub(super) fn takeback_text(player: Player, column: Column) -> LocalizedMessage {
    let text = LocalizedMessage::new("log-took-back-chip").with_value("column", column.to_string());
    text.with_player(player.number())
}
