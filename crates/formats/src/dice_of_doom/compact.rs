//! The compact notation of positions of Dice of Doom.
//!
//! `v4.5.4.5.a3b2….0.0.1`: rules, side, players, maximum dice; owner and dice of each hex, row by row; the
//! player to move, the dice captured in the turn, whether the turn has just begun, and for `conquest` the
//! number of turns since the last attack.

use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Setup};

use crate::position_text::{PositionTextError, PositionTextReader};

pub(super) fn print(game: &DiceOfDoom, position: &Position) -> String {
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

pub(super) fn parse(text: &str) -> Result<(DiceOfDoom, Position), PositionTextError> {
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
