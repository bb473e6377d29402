//! Edits of positions of Dice of Doom.

use crate::formats::GameFormat;
use crate::game::Player;
use crate::games::analysis_board::{EditGroup, EditOption};
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Setup};

pub(super) fn edit_groups(
    game: &DiceOfDoom,
    position: &Position,
    at: Option<u8>,
    choose: &dyn Fn(u8) -> String,
    board: &mut HexBoardView,
) -> Vec<EditGroup> {
    for (hex, view) in (0..).zip(&mut board.hexes) {
        view.href = Some(choose(hex));
    }
    let setup = game.setup(position);
    let option = |label: LocalizedMessage,
                  player: Option<Player>,
                  is_current: bool,
                  change: &dyn Fn(&mut Setup)| {
        let mut changed = setup.clone();
        change(&mut changed);
        let changed = game.position(&changed).ok();
        EditOption {
            label,
            player,
            is_current,
            position: changed.and_then(|position| game.named_compact(&position)),
        }
    };
    let players = || Player::all(game.players());
    let colour =
        |player: Player| LocalizedMessage::new("analysis-player").with_player(player.number());
    let mut groups = Vec::new();
    if let Some(hex) = at.and_then(|number| game.hex(number)) {
        board.attack_to_confirm = Some((hex.number(), hex.number()));
        let (index, owner, dice) = (
            usize::from(hex.number()),
            position.owner(hex),
            position.dice(hex),
        );
        groups.push(EditGroup {
            legend: LocalizedMessage::new("analysis-hex-owner").with_value("hex", hex.number()),
            options: players()
                .map(|player| {
                    option(colour(player), Some(player), player == owner, &|setup| {
                        setup.board[index].0 = player.number();
                    })
                })
                .collect(),
        });
        groups.push(EditGroup {
            legend: LocalizedMessage::new("analysis-hex-dice"),
            options: (1..=game.max_dice())
                .map(|count| {
                    let label = LocalizedMessage::new("analysis-dice").with_value("dice", count);
                    option(label, None, count == dice, &|setup| {
                        setup.board[index].1 = count
                    })
                })
                .collect(),
        });
    }
    groups.push(EditGroup {
        legend: LocalizedMessage::new("analysis-turn"),
        options: players()
            .map(|player| {
                option(
                    colour(player),
                    Some(player),
                    player == position.player(),
                    &|setup| {
                        setup.player = player.number();
                        (setup.spare, setup.first_move) = (0, true);
                    },
                )
            })
            .collect(),
    });
    groups
}

pub(super) fn action_sentence(position: &Position, action: Action) -> LocalizedMessage {
    super::hint::button(position, action).label
}

/// The outcomes of an attack, in the game's order; the single outcome of a deterministic action needs no text.
pub(super) fn outcome_sentence(number: u32) -> LocalizedMessage {
    match number {
        0 => LocalizedMessage::new("analysis-captured"),
        _ => LocalizedMessage::new("analysis-fails"),
    }
}
