//! How reviews of Dice of Doom show its moves.

use std::sync::Arc;

use super::hint;
use crate::game::Game;
use crate::games::BoardPage;
use crate::templates::controls::TableComponent;
use crate::templates::dice_of_doom::comparison::AttackComparison;
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position};

pub(super) fn comparison(
    game: &DiceOfDoom,
    position: &Position,
    played: Option<Action>,
    better: Action,
) -> Arc<dyn TableComponent> {
    let attack = |action| match action {
        Action::EndTurn => None,
        Action::Attack { from, to } => Some((from.number(), to.number())),
    };
    Arc::new(AttackComparison {
        board: game.preview(position),
        played: played.and_then(attack),
        better: attack(better),
    })
}

pub(super) fn why_better(
    game: &DiceOfDoom,
    position: &Position,
    played: Option<Action>,
    better: Action,
) -> Option<LocalizedMessage> {
    let compared = [Some(better), played].into_iter().flatten();
    let rest = game.legal_actions(position);
    let rest = rest.filter(|action| *action != better && Some(*action) != played);
    let actions: Vec<_> = compared.chain(rest).collect();
    Some(hint::why(game, position, &actions))
}
