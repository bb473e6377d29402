//! What happened to a player since the end of the player's last turn, counted over the plies that were
//! played meanwhile.

use crate::game::Player;
use crate::game_adapters::page::TurnSummaryInput;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex};
use crate::record::ReplayedPly;
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::dice_of_doom::turn_summary::{CaptorView, TurnSummaryView};

/// What stands in the place of the strip, and the tape around the hexes that were lost; nothing where
/// nothing was lost and no dice came.
pub(super) fn since(
    game: &DiceOfDoom,
    since: TurnSummaryInput<'_, DiceOfDoom>,
    board: &mut HexBoardView,
) -> Option<TurnSummaryView> {
    let reader = since.reader;
    let came = since.steps.iter().map(|step| came(game, step, reader));
    let dice = came.sum();
    let fell = |step: &ReplayedPly<'_, DiceOfDoom>| {
        lost(step, reader).map_or(0, |hex| u32::from(step.before.dice(hex)))
    };
    let fell = since.steps.iter().map(fell).sum();
    let lost: Vec<_> = since
        .steps
        .iter()
        .filter_map(|step| Some((step, lost(step, reader)?)))
        .collect();
    if lost.is_empty() && dice == 0 {
        return None;
    }
    for (_, hex) in &lost {
        if let Some(view) = board.hexes.get_mut(usize::from(hex.number())) {
            view.was = Some(reader.number());
        }
    }
    let mut takers: Vec<CaptorView> = Vec::new();
    for (step, hex) in &lost {
        let player = step.ply.player.number();
        let at = takers.iter().position(|taker| taker.player == player);
        let at = at.unwrap_or_else(|| {
            takers.push(CaptorView {
                player,
                hexes: Vec::new(),
                ply: 0,
            });
            takers.len() - 1
        });
        takers[at].hexes.push(hex.number());
        takers[at].ply = step.number + 1;
    }
    // The reader's own last ply is the first of these, where there is one.
    let own = since.steps.first().filter(|step| step.ply.player == reader);
    Some(TurnSummaryView {
        reader: reader.number(),
        lost: lost.len() as u32,
        dice,
        fell,
        takers,
        from: own.map_or(0, |step| step.number + 1),
        strip: since.strip,
    })
}

/// The dice that a ply brought the reader: at the end of the reader's own turn.
fn came(game: &DiceOfDoom, step: &ReplayedPly<'_, DiceOfDoom>, reader: Player) -> u32 {
    if step.ply.player != reader || step.ply.action != Action::EndTurn {
        return 0;
    }
    let dice = |position| game.hex_and_dice_count(position, reader).1;
    dice(&step.after).saturating_sub(dice(&step.before))
}

/// The hex that a ply took from the reader.
fn lost(step: &ReplayedPly<'_, DiceOfDoom>, reader: Player) -> Option<Hex> {
    let Action::Attack { to, .. } = step.ply.action else {
        return None;
    };
    let (before, after) = (step.before.owner(to), step.after.owner(to));
    (before == reader && after != reader).then_some(to)
}

#[cfg(test)]
mod tests;
