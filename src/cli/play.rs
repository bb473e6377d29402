//! The command `play`.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;

use super::value_parser::ListedValueParser;
use super::{GameArgs, LanguageArgs, WeightsArgs};
use crate::formats::record::RecordPlayerJson;
use crate::games::ParsedRecord;
use crate::games::Registry;
use crate::level::{Level, UnknownLevelError};
use crate::seats::{SeatSpec, SeatSpecError};
use crate::terminal::{TerminalGame, TerminalSeat};

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom play --rules v2                              you against the book's computer player
  dice-of-doom play --seats book,book,random,book --seed 7  four computer players, the same game each time
  dice-of-doom play trilobite --width 3 --height 3 --win 3  tic-tac-toe with gravity";

#[derive(Args, Clone, Debug)]
pub struct PlayArgs {
    #[command(flatten)]
    pub game: GameArgs,

    /// The player in each seat, separated by commas: human, or a level
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', value_parser = seats(),
          long_help = play_seats())]
    pub seats: Option<Vec<TerminalSeat>>,

    /// Random seed for the board, the dice and the computer players; the same seed repeats a game
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    #[command(flatten)]
    pub weights: WeightsArgs,

    #[command(flatten)]
    pub speech: LanguageArgs,

    /// Resume the game in this record (JSON or notation)
    ///
    /// The game, the seats and the seed are taken from the record; --seats and --seed override them. With the
    /// record's seed the game continues as it would have without the interruption.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Write the record to this file on exit: in notation for `.txt`, otherwise as JSON with all dice faces
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl PlayArgs {
    /// The requested game; `fresh_seed` is used if no seed is given.
    ///
    /// # Errors
    /// The options are inconsistent, or the record cannot be read or resumed.
    pub fn terminal_game(&self, games: &Registry, fresh_seed: u64) -> Result<TerminalGame, String> {
        let game = match &self.resume {
            None => {
                let setting = self.game.configured_game(games)?;
                let default_seats =
                    SeatSpec::default_seats(setting.players()).filter_map(TerminalSeat::from_spec);
                TerminalGame {
                    seats: self
                        .seats
                        .clone()
                        .unwrap_or_else(|| default_seats.collect()),
                    setting,
                    seed: self.seed.unwrap_or(fresh_seed),
                    resumed: None,
                    record: self.record.clone(),
                }
            }
            Some(file) => self.resume_game(games, file, fresh_seed)?,
        };
        game.check().map_err(|error| error.to_string())?;
        Ok(game)
    }

    fn resume_game(
        &self,
        games: &Registry,
        file: &Path,
        fresh_seed: u64,
    ) -> Result<TerminalGame, String> {
        let with_path = |problem: &dyn Display| format!("{}: {problem}", file.display());
        if self.game.has_parameters() {
            return Err("--resume takes the numbers of the game from its record".to_owned());
        }
        let text = std::fs::read_to_string(file).map_err(|error| with_path(&error))?;
        let record = games.read_verified_record(&text);
        let (ParsedRecord { live, metadata }, _) = record.map_err(|error| with_path(&error))?;
        if live.is_over() {
            return Err(with_path(&"this game is over"));
        }
        let record_seats = metadata.provenance.seats.iter().map(player_from_record);
        let seats = self.seats.clone().unwrap_or_else(|| record_seats.collect());
        let default_seats =
            SeatSpec::default_seats(live.players()).filter_map(TerminalSeat::from_spec);
        Ok(TerminalGame {
            setting: live.configured_game(),
            seats: match seats.is_empty() {
                true => default_seats.collect(),
                false => seats,
            },
            seed: self.seed.or(metadata.provenance.seed).unwrap_or(fresh_seed),
            resumed: Some(live),
            record: self.record.clone(),
        })
    }
}

/// The player for a seat of a resumed record: a level stays, and every other player becomes the person at the terminal.
fn player_from_record(seat: &RecordPlayerJson) -> TerminalSeat {
    seat.strength()
        .map_or(TerminalSeat::Human, TerminalSeat::Level)
}

fn play_seats() -> String {
    let levels = Level::names().collect::<Vec<_>>().join(", ");
    format!(
        "The player in each seat, separated by commas: human, or a level\n\n\
         One for each player. The default is human in the first seat and book in the others. The levels, weakest first: {levels}; \
         the last is only in games with a solver. \
         master:400 is master with 400 simulations per decision."
    )
}

fn seats() -> impl TypedValueParser<Value = TerminalSeat> {
    ListedValueParser::new(std::iter::once("human").chain(Level::names()), seat)
}

fn seat(name: &str) -> Result<TerminalSeat, String> {
    let seat = match name.parse() {
        Ok(word) => {
            TerminalSeat::from_spec(word).ok_or_else(|| UnknownLevelError(name.to_owned()).into())
        }
        Err(SeatSpecError(unknown)) => Err(unknown),
    };
    seat.map_err(|unknown| format!("a seat is human or a level: {unknown}"))
}
