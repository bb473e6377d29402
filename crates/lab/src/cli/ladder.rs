//! The command `ladder`.

use std::fs;
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Command};
use dice_of_doom::arena::{self, RatingsFile};
use dice_of_doom::cli::game_args::{self, GameArgs};
use dice_of_doom::cli::{ListedValueParser, WeightsArgs};
use dice_of_doom::game_adapters::{ConfiguredGame, Registry};
use dice_of_doom::level::{Level, UnknownLevelError};
use dice_of_doom::lines::without_mark;

/// What `--help` says below the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom-lab ladder --boards 20 --without champion --output src/game_adapters/level_ratings.json
  dice-of-doom-lab ladder dice --boards 400 --output strength.json      only the usual game of dice
  dice-of-doom-lab ladder --rules v4 --side 7 --output strength.json    only this one";

/// The command with the names and the flags of these games; it has no usual one.
pub(super) fn with_games(command: Command, games: &Registry) -> Command {
    let help = format!(
        "The game: {}; without it or any number of it, each of the page /levels",
        games.joined_names("or")
    );
    let command = game_args::with_games(command, games);
    command.mut_arg(game_args::GAME, |game| {
        game.help(help).hide_default_value(true)
    })
}

/// Which games and levels to measure, how long, and where to write what was found.
#[derive(Args, Clone, Debug)]
pub struct LadderArgs {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: GameArgs,

    /// Levels that are left out, such as slow ones
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',',
          value_parser = ListedValueParser::new(Level::ALL.map(Level::name), level))]
    pub without: Vec<Level>,

    /// Boards of every step, each in all rotations
    #[arg(long, value_name = "N", default_value = "200")]
    pub boards: NonZeroU32,

    /// Chooses the boards, the dice and what computers choose
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Boards played at once [default: one a core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Keep finished boards in this folder; the same command goes on there
    ///
    /// Levels that play otherwise than before, by a new network for example, need another folder.
    #[arg(long, value_name = "FOLDER")]
    pub resume: Option<PathBuf>,

    /// Weights of one's own
    #[command(flatten)]
    pub weights: WeightsArgs,

    /// Write the numbers here, after each game; other games in the file stay as they are
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

impl LadderArgs {
    /// The games to measure.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
    pub fn settings(&self, games: &Registry) -> Result<Vec<Arc<dyn ConfiguredGame>>, String> {
        if self.ladder().levels.len() < 2 {
            return Err("a ladder has two levels at least".to_owned());
        }
        if self.game.is_named() {
            return Ok(vec![self.game.setting(games)?]);
        }
        Ok(games.game_types().flat_map(|kind| kind.measured()).collect())
    }

    /// What is measured of each of them.
    #[must_use]
    pub fn ladder(&self) -> arena::LadderConfig {
        let is_asked = |level: &Level| !self.without.contains(level);
        arena::LadderConfig {
            levels: Level::ALL.into_iter().filter(is_asked).collect(),
            boards: self.boards.get(),
            seed: self.seed,
            threads: self.threads,
            resume: self.resume.clone(),
        }
    }

    /// What the file says so far; nothing where there is none. Makes the folder of finished boards.
    ///
    /// # Errors
    /// When it cannot be read, or says something else.
    pub fn begin(&self) -> Result<RatingsFile, String> {
        if let Some(folder) = &self.resume {
            let made = fs::create_dir_all(folder);
            made.map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", self.output.display());
        match fs::read_to_string(&self.output) {
            Ok(text) => serde_json::from_str(without_mark(&text)).map_err(|error| wrong(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(RatingsFile::default()),
            Err(error) => Err(wrong(&error)),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, strengths: &RatingsFile) -> Result<(), String> {
        let text = serde_json::to_string_pretty(strengths).expect("numbers and names");
        let written = fs::write(&self.output, format!("{text}\n"));
        written.map_err(|error| format!("{}: {error}", self.output.display()))
    }
}

fn level(word: &str) -> Result<Level, String> {
    word.parse()
        .map_err(|unknown: UnknownLevelError| unknown.to_string())
}
