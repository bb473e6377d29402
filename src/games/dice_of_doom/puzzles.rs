//! The puzzles of Dice of Doom.

use super::hint::attack;
use crate::game::{Game, Player, Status};
use crate::games::hint::RankedAction;
use crate::games::puzzle::{ChoiceDescription, PuzzleDraft};
use crate::templates::dice_of_doom::{HexBoardView, HintArrow};
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Outcome, Position};

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
pub(super) fn mark_choices(choices: &[(Action, Option<String>)], board: &mut HexBoardView) {
    let arrows = ('A'..).zip(choices).filter_map(|(label, (action, href))| {
        let (from, to) = attack(*action)?;
        Some(HintArrow {
            label,
            is_first: false,
            from: from.number(),
            to: to.number(),
            odds: None,
            href: href.clone(),
        })
    });
    board.hint_arrows = arrows.collect();
}

/// The query by which an attack is chosen; the end of the turn is not chosen on the board.
pub(super) fn action_query(action: Action) -> Option<String> {
    let (from, to) = attack(action)?;
    Some(format!("from={from}&to={to}"))
}

/// Whom an action attacks and how many dice fight, or what ending the turn brings.
pub(super) fn describe_action(
    game: &DiceOfDoom,
    position: &Position,
    action: Action,
) -> ChoiceDescription {
    let (name, detail) = match attack(action) {
        Some((from, to)) => (
            LocalizedMessage::new("puzzle-attack")
                .with_player(position.owner(to).number())
                .with_value("from", from.number())
                .with_value("to", to.number()),
            LocalizedMessage::new("puzzle-attack-dice")
                .with_value("attack", position.dice(from))
                .with_value("defend", position.dice(to)),
        ),
        None => {
            let after = game.apply(position, action, Outcome::Certain);
            let dice = |at: &Position| game.hex_and_dice_count(at, position.player()).1;
            let new = dice(&after).saturating_sub(dice(position));
            let detail = match game.status(&after) {
                Status::Over(_) => LocalizedMessage::new("puzzle-end-game"),
                Status::Turn(_) => LocalizedMessage::new("puzzle-end-dice").with_value("dice", new),
            };
            (LocalizedMessage::new("puzzle-end"), detail)
        }
    };
    ChoiceDescription {
        name,
        detail: Some(detail),
    }
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
