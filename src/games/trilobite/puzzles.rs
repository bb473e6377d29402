//! The puzzles of Trilobite.

use super::hint::share;
use crate::games::hint::RankedAction;
use crate::games::puzzle::PuzzleDraft;
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::trilobite::{Column, Position, Trilobite};

/// The number of plies within which a loss is obvious: the opponent's next chip.
const OBVIOUS_PLIES: u32 = 2;

/// The puzzle in a position: the only winning column, or the only one that does not lose, unless everybody sees it.
pub(super) fn draft(
    _: &Trilobite,
    position: &Position,
    ranked: &[RankedAction<'_, Column>],
) -> Option<PuzzleDraft<Column>> {
    let (best, others) = ranked.split_first()?;
    let is_proven = ranked.iter().all(|one| one.analysis.is_exact);
    let wins = share(position, best.analysis) > 0.5;
    let is_obvious = match wins {
        true => best.analysis.ends_in == Some(1),
        false => others.iter().all(|one| {
            let ends = one.analysis.ends_in;
            ends.is_some_and(|plies| plies <= OBVIOUS_PLIES)
        }),
    };
    if !is_proven || is_obvious {
        return None;
    }
    let mut choices: Vec<Column> = ranked.iter().map(|one| one.action).collect();
    choices.sort_by_key(|column| column.number());
    let theme = if wins { "win" } else { "defence" };
    Some(PuzzleDraft { theme, choices })
}

/// The result with this win share, which a puzzle knows exactly.
pub(super) fn outcome_of_share(share: f64) -> LocalizedMessage {
    let result = match share {
        share if share > 0.5 => "wins",
        share if share < 0.5 => "loses",
        _ => "draws",
    };
    LocalizedMessage::new("puzzle-outcome").with_value("result", result)
}

/// The mirror image.
pub(super) fn symmetric_positions(game: &Trilobite, position: &Position) -> Vec<Position> {
    let mut setup = game.setup(position);
    for row in setup.board.chunks_mut(game.width().into()) {
        row.reverse();
    }
    setup.last_move = -1;
    game.position(&setup).into_iter().collect()
}
