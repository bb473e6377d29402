//! How reviews of Dice of Doom show its moves.

use std::sync::Arc;

use super::end_turn_preview::{EndTurnPreview, RemainingAttacks};
use super::hint;
use crate::game::Game;
use crate::games::BoardPage;
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::dice_of_doom::HintArrow;
use crate::templates::dice_of_doom::comparison::AttackComparison;
use crate::templates::message::LocalizedMessage;
use crate::templates::review::{BETTER_MARK, WORSE_MARK};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Hex, Position};

pub(super) fn comparison(
    game: &DiceOfDoom,
    position: &Position,
    played: Option<Action>,
    better: Action,
) -> Arc<dyn TableComponent> {
    let numbers =
        |action| hint::attack(action).map(|(from, to): (Hex, Hex)| (from.number(), to.number()));
    Arc::new(AttackComparison {
        board: game.preview(position),
        played: played.and_then(numbers),
        better: numbers(better),
    })
}

/// Each attack has an arrow; ending the turn, if it is better, shows the cluster and the new dice.
pub(super) fn marked_board(
    game: &DiceOfDoom,
    position: &Position,
    worse: Option<Action>,
    better: Action,
) -> Arc<dyn BoardComponent> {
    let mut board = game.preview(position);
    let actions = [
        (Some(better), BETTER_MARK, true),
        (worse, WORSE_MARK, false),
    ];
    let arrows = actions.into_iter().filter_map(|(action, label, is_first)| {
        let (from, to) = hint::attack(action?)?;
        Some(HintArrow {
            label,
            is_first,
            from: from.number(),
            to: to.number(),
            odds: game.attack_win_probability(position, from, to),
            href: None,
        })
    });
    board.hint_arrows = arrows.collect();
    if better == Action::EndTurn {
        let no_attacks = RemainingAttacks { sources: 0 };
        EndTurnPreview::new(game, position, no_attacks).mark(&mut board);
    }
    Arc::new(board)
}

pub(super) fn odds(game: &DiceOfDoom, position: &Position, action: Action) -> Option<f64> {
    let (from, to) = hint::attack(action)?;
    game.attack_win_probability(position, from, to)
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
