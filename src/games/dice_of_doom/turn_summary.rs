//! Summary of what happened to a player since the end of that player's last turn, computed from the plies
//! played since.

use crate::game::Player;
use crate::games::log::TurnSummaryInput;
use crate::record::ReplayedPly;
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::dice_of_doom::turn_summary::{CaptorView, TurnSummaryView};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Hex};

/// The card that replaces the strip; also marks the lost hexes on the board. `None` if nothing was lost and no
/// dice were gained.
pub(super) fn turn_summary(
    game: &DiceOfDoom,
    since: TurnSummaryInput<'_, DiceOfDoom>,
    board: &mut HexBoardView,
) -> Option<TurnSummaryView> {
    let reader = since.viewer;
    let gained = since
        .steps
        .iter()
        .map(|step| dice_gained(game, step, reader));
    let dice = gained.sum();
    let dice_lost = |step: &ReplayedPly<'_, DiceOfDoom>| {
        captured_hex(step, reader).map_or(0, |hex| u32::from(step.before.dice(hex)))
    };
    let dice_lost = since.steps.iter().map(dice_lost).sum();
    let lost: Vec<_> = since
        .steps
        .iter()
        .filter_map(|step| Some((step, captured_hex(step, reader)?)))
        .collect();
    if lost.is_empty() && dice == 0 {
        return None;
    }
    for (_, hex) in &lost {
        if let Some(view) = board.hexes.get_mut(usize::from(hex.number())) {
            view.previous_owner = Some(reader.number());
        }
    }
    let mut captors: Vec<CaptorView> = Vec::new();
    for (step, hex) in &lost {
        let player = step.ply.player.number();
        let index = captors.iter().position(|captor| captor.player == player);
        let index = index.unwrap_or_else(|| {
            captors.push(CaptorView {
                player,
                hexes: Vec::new(),
                ply: 0,
            });
            captors.len() - 1
        });
        captors[index].hexes.push(hex.number());
        captors[index].ply = step.number + 1;
    }
    // The first of these plies is the viewer's own last ply, if there is one.
    let own = since.steps.first().filter(|step| step.ply.player == reader);
    Some(TurnSummaryView {
        reader: reader.number(),
        lost_hexes: lost.len() as u32,
        received_dice: dice,
        lost_dice: dice_lost,
        captors,
        from: own.map_or(0, |step| step.number + 1),
        strip: since.strip,
    })
}

/// The dice that a ply gained the viewer: those at the end of the viewer's own turn.
fn dice_gained(game: &DiceOfDoom, step: &ReplayedPly<'_, DiceOfDoom>, reader: Player) -> u32 {
    if step.ply.player != reader || step.ply.action != Action::EndTurn {
        return 0;
    }
    let dice = |position| game.hex_and_dice_count(position, reader).1;
    dice(&step.after).saturating_sub(dice(&step.before))
}

/// The hex that a ply captured from the viewer.
fn captured_hex(step: &ReplayedPly<'_, DiceOfDoom>, reader: Player) -> Option<Hex> {
    let Action::Attack { to, .. } = step.ply.action else {
        return None;
    };
    let (before, after) = (step.before.owner(to), step.after.owner(to));
    (before == reader && after != reader).then_some(to)
}

#[cfg(test)]
mod tests;
