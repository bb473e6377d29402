//! The command `play`.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;

use super::value_parser::ListedValueParser;
use super::{GameArgs, LanguageArgs, WeightsArgs};
use crate::game_adapters::Registry;
use crate::game_adapters::json::RecordPlayerJson;
use crate::game_adapters::json::parser::ParsedRecord;
use crate::level::{Level, UnknownLevelError};
use crate::seats::{SeatSpec, SeatSpecError};
use crate::terminal::{TerminalGame, TerminalSeat};

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom play --rules v2                              you against the computer of the book
  dice-of-doom play --seats book,book,random,book --seed 7  four computers, always the same game
  dice-of-doom play trilobite --width 3 --height 3 --win 3  tic-tac-toe with gravity";

/// What to play in the terminal, and who.
#[derive(Args, Clone, Debug)]
pub struct PlayArgs {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: GameArgs,

    /// Who sits where, separated by commas: human, or a level
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', value_parser = seats(),
          long_help = play_seats())]
    pub seats: Option<Vec<TerminalSeat>>,

    /// Repeat a whole game: the board, the dice and what computers choose
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Weights of one's own
    #[command(flatten)]
    pub weights: WeightsArgs,

    /// What the game speaks
    #[command(flatten)]
    pub speech: LanguageArgs,

    /// Go on with the game of this record (JSON or notation) from where it stopped
    ///
    /// The game, its seats and its seed are those of the record; `--seats` and `--seed` name others. With
    /// the seed of the record it goes on as it would have gone without a stop.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Write the record here when the game is left, as JSON with every face of every die; `.txt`: in notation
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl PlayArgs {
    /// The game that is asked for; without a seed it takes `fresh_seed`.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
    pub fn terminal_game(&self, games: &Registry, fresh_seed: u64) -> Result<TerminalGame, String> {
        let game = match &self.resume {
            None => {
                let setting = self.game.configured_game(games)?;
                let usual =
                    SeatSpec::default_seats(setting.players()).filter_map(TerminalSeat::from_spec);
                TerminalGame {
                    seats: self.seats.clone().unwrap_or_else(|| usual.collect()),
                    setting,
                    seed: self.seed.unwrap_or(fresh_seed),
                    resumed: None,
                    record: self.record.clone(),
                }
            }
            Some(file) => self.resumed(games, file, fresh_seed)?,
        };
        game.check().map_err(|error| error.to_string())?;
        Ok(game)
    }

    fn resumed(
        &self,
        games: &Registry,
        file: &Path,
        fresh_seed: u64,
    ) -> Result<TerminalGame, String> {
        let told = |why: &dyn Display| format!("{}: {why}", file.display());
        if self.game.has_parameters() {
            return Err("--resume takes the numbers of the game from its record".to_owned());
        }
        let text = std::fs::read_to_string(file).map_err(|error| told(&error))?;
        let read = games.read_verified_record(&text);
        let (
            ParsedRecord {
                live,
                metadata: about,
            },
            _,
        ) = read.map_err(|error| told(&error))?;
        if live.is_over() {
            return Err(told(&"this game is over"));
        }
        let known = about.provenance.seats.iter().map(player_from_record);
        let seats = self.seats.clone().unwrap_or_else(|| known.collect());
        let usual = SeatSpec::default_seats(live.players()).filter_map(TerminalSeat::from_spec);
        Ok(TerminalGame {
            setting: live.configured_game(),
            seats: match seats.is_empty() {
                true => usual.collect(),
                false => seats,
            },
            seed: self.seed.or(about.provenance.seed).unwrap_or(fresh_seed),
            resumed: Some(live),
            record: self.record.clone(),
        })
    }
}

/// Who sits down again for somebody of a record: a person at the keyboard plays for whoever is no level.
fn player_from_record(seat: &RecordPlayerJson) -> TerminalSeat {
    seat.strength()
        .map_or(TerminalSeat::Human, TerminalSeat::Level)
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
fn seats() -> impl TypedValueParser<Value = TerminalSeat> {
    let levels = Level::ALL.map(Level::name);
    ListedValueParser::new(std::iter::once("human").chain(levels), seat)
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
