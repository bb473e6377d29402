//! Compact notation and edits of positions of Dice of Doom.
//!
//! `v4.5.4.5.a3b2….0.0.1`: rules, side, players, maximum dice; owner and dice of each hex, row by row; the
//! player to move, the dice captured in the turn, whether the turn has just begun, and for `conquest` the
//! number of turns since the last attack.

use crate::game::Player;
use crate::game_adapters::analysis_board::{EditGroup, EditOption};
use crate::game_adapters::notation::{PositionTextError, PositionTextReader};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Position, Setup};
use crate::serialization::SerializableGame;
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::message::LocalizedMessage;

pub(super) fn to_compact(game: &DiceOfDoom, position: &Position) -> String {
    let setup = game.setup(position);
    let cells = setup.board.iter().map(|&(owner, dice)| {
        let owner = char::from(b'a' + owner);
        format!("{owner}{dice}")
    });
    format!(
        "{}.{}.{}.{}.{}.{}.{}.{}{}",
        game.rules().name(),
        game.side(),
        game.players(),
        game.max_dice(),
        cells.collect::<String>(),
        setup.player,
        setup.spare,
        u8::from(setup.first_move),
        setup
            .quiet
            .map_or(String::new(), |quiet| format!(".{quiet}")),
    )
}

pub(super) fn parse_compact(text: &str) -> Result<(DiceOfDoom, Position), PositionTextError> {
    let mut parts = PositionTextReader::new(text);
    let numbers = parts.part("rules")?;
    let rules = numbers.text().parse().map_err(|why| numbers.error(why))?;
    let side = parts.read("a side")?;
    let players = parts.read("a number of players")?;
    let max_dice = parts.read("a number of dice")?;
    let game = DiceOfDoom::new(rules, side, players, max_dice).map_err(|why| numbers.error(why))?;
    let cells = parts.part("the board")?;
    let board = cells.text().as_bytes().chunks(2).enumerate();
    let board = board.map(|(hex, cell)| match cell {
        [owner @ b'a'..=b'f', dice @ b'0'..=b'9'] => Ok((owner - b'a', dice - b'0')),
        _ => Err(cells.error_at(2 * hex, "a hex has an owner, a to f, and a number of dice")),
    });
    let setup = Setup {
        board: board.collect::<Result<_, _>>()?,
        player: parts.read("a player")?,
        spare: parts.read("a number of captured dice")?,
        first_move: {
            let flag = parts.part("0 or 1")?;
            match flag.text() {
                "0" => false,
                "1" => true,
                _ => return Err(flag.error("this is not 0 or 1")),
            }
        },
        quiet: match parts.has_more() {
            true => Some(parts.read("a number of turns")?),
            false => None,
        },
    };
    let position = game.position(&setup).map_err(|why| cells.error(why))?;
    parts.end()?;
    Ok((game, position))
}

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
            position: changed
                .map(|position| format!("{}.{}", DiceOfDoom::NAME, to_compact(game, &position))),
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
