//! The compact notation of positions of Trilobite.
//!
//! `8.7.4.000….0`: width, height, chips in a row to win; the cells row by row from the top, 0 if empty; the
//! player to move, 1 or 2.

use dice_of_doom_games::trilobite::{Position, Setup, Trilobite};

use crate::position_text::{PositionTextError, PositionTextReader};

pub(super) fn print(game: &Trilobite, position: &Position) -> String {
    let setup = game.setup(position);
    let cells: String = setup.board.iter().map(u8::to_string).collect();
    let (width, height, win) = (game.width(), game.height(), game.win());
    format!("{width}.{height}.{win}.{cells}.{}", setup.player)
}

pub(super) fn parse(text: &str) -> Result<(Trilobite, Position), PositionTextError> {
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
