//! The puzzles of Dice of Doom.

use super::hint::attack;
use crate::game::Player;
use crate::games::hint::RankedAction;
use crate::games::puzzle::PuzzleDraft;
use crate::templates::dice_of_doom::{HexBoardView, HintArrow};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position};

/// The puzzle in a position: the best action, the second best, and another one, which is to end the turn if that is
/// possible.
pub(super) fn draft(
    game: &DiceOfDoom,
    position: &Position,
    ranked: &[RankedAction<'_, Action>],
) -> Option<PuzzleDraft<Action>> {
    let actions = ranked.iter().map(|one| one.action);
    let actions: Vec<Action> = actions.collect();
    let [best, second, rest @ ..] = &actions[..] else {
        return None;
    };
    let mut choices = vec![*best, *second];
    let third = rest.iter().find(|action| **action == Action::EndTurn);
    choices.extend(third.or(rest.first()));
    choices.sort_by_key(|action| match attack(*action) {
        Some((from, to)) => (false, from.number(), to.number()),
        None => (true, 0, 0),
    });
    let players = Player::all(game.players());
    let alive = players.filter(|&player| game.hex_and_dice_count(position, player).0 > 0);
    let theme = match (attack(*best), attack(*second)) {
        (Some((_, to)), Some((_, other))) => {
            match alive.count() > 2 && position.owner(to) != position.owner(other) {
                true => "opponent",
                false => "attack",
            }
        }
        _ => "stop",
    };
    Some(PuzzleDraft { theme, choices })
}

/// Marks the choices of a puzzle: an arrow for each attack.
pub(super) fn mark_choices(choices: &[Action], board: &mut HexBoardView) {
    let arrows = ('A'..).zip(choices).filter_map(|(label, action)| {
        let (from, to) = attack(*action)?;
        Some(HintArrow {
            label,
            is_first: false,
            from: from.number(),
            to: to.number(),
            odds: None,
        })
    });
    board.hint_arrows = arrows.collect();
}

/// The same position with the players renamed in the order of their turns. Turned or mirrored boards are not
/// equal to it, because reinforcements are placed in the order of the hexes.
pub(super) fn symmetric_positions(game: &DiceOfDoom, position: &Position) -> Vec<Position> {
    let players = game.players();
    let renamed = |by: u8| {
        let mut setup = game.setup(position);
        for (owner, _) in &mut setup.board {
            *owner = (*owner + by) % players;
        }
        setup.player = (setup.player + by) % players;
        game.position(&setup).ok()
    };
    (1..players).filter_map(renamed).collect()
}
