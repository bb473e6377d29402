//! Edits of positions of Trilobite.

use crate::formats::GameFormat;
use crate::game::Player;
use crate::games::analysis_board::{EditGroup, EditOption};
use crate::templates::message::LocalizedMessage;
use crate::templates::trilobite::{ColumnBoardView, ColumnState};
use dice_of_doom_games::trilobite::{Column, Position, Setup, Trilobite};

pub(super) fn edit_groups(
    game: &Trilobite,
    position: &Position,
    at: Option<u8>,
    choose: &dyn Fn(u8) -> String,
    board: &mut ColumnBoardView,
) -> Vec<EditGroup> {
    for (number, view) in (0..).zip(&mut board.columns) {
        view.href = Some(choose(number));
        if at == Some(number) {
            view.state = ColumnState::Selected;
        }
    }
    let setup = Setup {
        last_move: -1,
        ..game.setup(position)
    };
    let option = |label: LocalizedMessage,
                  player: Option<Player>,
                  turn: TurnEdit,
                  change: &dyn Fn(&mut Setup)| {
        let mut changed = setup.clone();
        change(&mut changed);
        let mut position = game.position(&changed).ok();
        if turn == TurnEdit::Follows && position.is_none() {
            changed.player = 3 - changed.player;
            position = game.position(&changed).ok();
        }
        EditOption {
            label,
            player,
            is_current: changed == setup,
            position: position.and_then(|position| game.named_compact(&position)),
        }
    };
    let mut groups = Vec::new();
    if let Some(column) = at.and_then(|number| game.column(number)) {
        groups.push(EditGroup {
            legend: LocalizedMessage::new("analysis-column")
                .with_value("column", column.to_string()),
            options: column_options(game, &setup, column, &option),
        });
    }
    groups.push(EditGroup {
        legend: LocalizedMessage::new("analysis-turn"),
        options: Player::all(2)
            .map(|player| {
                let label = LocalizedMessage::new("analysis-player").with_player(player.number());
                option(label, Some(player), TurnEdit::Given, &|setup| {
                    setup.player = player.number() + 1;
                })
            })
            .collect(),
    });
    groups
}

/// How the player to move changes with an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnEdit {
    Given,
    Follows,
}

/// Creates an option from its label, the player of its symbol, its turn edit and its change to the position.
type EditOptionFactory<'a> =
    dyn Fn(LocalizedMessage, Option<Player>, TurnEdit, &dyn Fn(&mut Setup)) -> EditOption + 'a;

/// The edits of a column: add a chip of either player, or remove the top one.
fn column_options(
    game: &Trilobite,
    setup: &Setup,
    column: Column,
    option: &EditOptionFactory<'_>,
) -> Vec<EditOption> {
    let width = usize::from(game.width());
    let cells: Vec<usize> = (usize::from(column.number())..setup.board.len())
        .step_by(width)
        .collect();
    let top = cells.iter().copied().find(|&cell| setup.board[cell] != 0);
    let free = cells.iter().copied().rfind(|&cell| setup.board[cell] == 0);
    let mut options = Vec::new();
    if let Some(free) = free {
        options.extend(Player::all(2).map(|player| {
            let label = LocalizedMessage::new("analysis-add").with_player(player.number());
            option(label, Some(player), TurnEdit::Follows, &|setup| {
                setup.board[free] = player.number() + 1
            })
        }));
    }
    if let Some(top) = top {
        options.push(option(
            LocalizedMessage::new("analysis-remove"),
            None,
            TurnEdit::Follows,
            &|setup| setup.board[top] = 0,
        ));
    }
    options
}

pub(super) fn action_sentence(_: &Position, column: Column) -> LocalizedMessage {
    LocalizedMessage::new("hint-column").with_value("column", column.to_string())
}
