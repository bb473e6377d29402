//! The command `play`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;

use super::listed::Listed;
use super::{Played, Speech};
use crate::faces::Registry;
use crate::level::{Level, UnknownLevel};
use crate::seats::{SeatWord, UnknownSeat};
use crate::terminal::{Seat, TerminalGame};

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom play --rules v2                              you against the computer of the book
  dice-of-doom play --seats book,book,random,book --seed 7  four computers, always the same game
  dice-of-doom play trilobite --width 3 --height 3 --win 3  tic-tac-toe with gravity";

/// What to play in the terminal, and who.
#[derive(Args, Clone, Debug)]
pub struct Play {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: Played,

    /// Who sits where, separated by commas: human, or a level
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', value_parser = seats(),
          long_help = play_seats())]
    pub seats: Option<Vec<Seat>>,

    /// Repeat a whole game: the board, the dice and what computers choose
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// What the game speaks
    #[command(flatten)]
    pub speech: Speech,

    /// Write the record here when the game is left, as JSON with every face of every die
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl Play {
    /// The game that is asked for; without a seed it takes `fresh_seed`.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
    pub fn terminal_game(&self, games: &Registry, fresh_seed: u64) -> Result<TerminalGame, String> {
        let setting = self.game.setting(games)?;
        let usual = SeatWord::usual(setting.players()).filter_map(Seat::of);
        let game = TerminalGame {
            setting,
            seats: self.seats.clone().unwrap_or_else(|| usual.collect()),
            seed: self.seed.unwrap_or(fresh_seed),
            record: self.record.clone(),
        };
        game.check().map_err(|error| error.to_string())?;
        Ok(game)
    }
}

fn play_seats() -> String {
    let levels = Level::ALL.map(Level::name).join(", ");
    format!(
        "Who sits where, separated by commas: human, or a level\n\n\
         One for each player. The default is human, then book. The levels, weakest first: {levels}. \
         master:400 is master with 400 simulations a decision."
    )
}

/// The words for who sits in a seat.
fn seats() -> impl TypedValueParser<Value = Seat> {
    let levels = Level::ALL.map(Level::name);
    Listed::new(std::iter::once("human").chain(levels), seat)
}

fn seat(name: &str) -> Result<Seat, String> {
    let seat = match name.parse() {
        Ok(word) => Seat::of(word).ok_or_else(|| UnknownLevel(name.to_owned()).into()),
        Err(UnknownSeat(unknown)) => Err(unknown),
    };
    seat.map_err(|unknown| format!("a seat is human or a level: {unknown}"))
}
