//! How pages show what was played.

use super::end_turn_preview::StuckPlayer;
use super::page::pays_for_clusters;
use crate::record::{Ply, ReplayedPly};
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::replay::PlyMark;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Throw};

pub(super) fn ply_mark(ply: &Ply<DiceOfDoom>) -> PlyMark {
    match ply.action {
        Action::EndTurn => PlyMark::Quiet,
        // An attack without dice always succeeds.
        Action::Attack { .. } if ply.roll.throw().is_none_or(Throw::attacker_wins) => PlyMark::Won,
        Action::Attack { .. } => PlyMark::Failed,
    }
}

/// Highlights the attack, or the hexes that were reinforced.
pub(super) fn highlight_last_ply(
    game: &DiceOfDoom,
    board: &mut HexBoardView,
    last: &ReplayedPly<'_, DiceOfDoom>,
) {
    match last.ply.action {
        Action::Attack { from, to } => board.last_attack = Some((from.number(), to.number())),
        Action::EndTurn => {
            for (hex, dice) in game.reinforced(&last.before) {
                board.hexes[usize::from(hex.number())].reinforced = dice;
            }
            if pays_for_clusters(game.rules()) {
                for hex in game.cluster(&last.before, last.before.player()) {
                    board.hexes[usize::from(hex.number())].in_cluster = true;
                }
            }
        }
    }
}

/// Marks the hexes of the player who cannot attack, and removes the marks of the last reinforcements.
pub(super) fn highlight_end(game: &DiceOfDoom, board: &mut HexBoardView, position: &Position) {
    for hex in &mut board.hexes {
        (hex.reinforced, hex.in_cluster) = (0, false);
    }
    if let Some(stuck) = StuckPlayer::at_end(game, position) {
        stuck.mark(board);
    }
}
