//! Compact notation and edits of positions of Trilobite.
//!
//! `8.7.4.000….0`: width, height, chips in a row to win; the cells row by row from the top, 0 if empty; the
//! player to move, 1 or 2.

use crate::game::Player;
use crate::game_adapters::analysis_board::{EditGroup, EditOption};
use crate::game_adapters::notation::{PositionTextError, PositionTextReader};
use crate::games::trilobite::{Column, Position, Setup, Trilobite};
use crate::serialization::SerializableGame;
use crate::templates::message::LocalizedMessage;
use crate::templates::trilobite::{ColumnBoardView, ColumnState};

pub(super) fn to_compact(game: &Trilobite, position: &Position) -> String {
    let setup = game.setup(position);
    let cells: String = setup.board.iter().map(u8::to_string).collect();
    let (width, height, win) = (game.width(), game.height(), game.win());
    format!("{width}.{height}.{win}.{cells}.{}", setup.player)
}

pub(super) fn parse_compact(text: &str) -> Result<(Trilobite, Position), PositionTextError> {
    let mut parts = PositionTextReader::new(text);
    let numbers = parts.part("a width")?;
    let width = numbers.text().parse();
    let width = width.map_err(|_| numbers.error("this is not a width"))?;
    let height = parts.read("a height")?;
    let win = parts.read("a number of chips that win")?;
    let game = Trilobite::new(width, height, win).map_err(|why| numbers.error(why))?;
    let cells = parts.part("the board")?;
    let board = cells.text().char_indices().map(|(at, cell)| {
        let chip = cell.to_digit(3).and_then(|chip| u8::try_from(chip).ok());
        chip.ok_or_else(|| cells.error_at(at, "a cell is 0, 1 or 2"))
    });
    let setup = Setup {
        board: board.collect::<Result<_, _>>()?,
        player: parts.read("a player")?,
        last_move: -1,
    };
    let position = game.position(&setup).map_err(|why| cells.error(why))?;
    parts.end()?;
    Ok((game, position))
}

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
            position: position
                .map(|position| format!("{}.{}", Trilobite::NAME, to_compact(game, &position))),
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
