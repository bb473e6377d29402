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
use dice_of_doom::games::{ConfiguredGame, Registry};
use dice_of_doom::level::Level;
use dice_of_doom::lines::strip_bom;

/// Shown by `--help` below the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom-lab ladder --boards 20 --without champion --output src/games/level_ratings.json
  dice-of-doom-lab ladder dice --boards 400 --output strength.json      only the default game of dice
  dice-of-doom-lab ladder --rules v4 --side 7 --output strength.json    only this one";

/// Adds the names and the flags of these games; no game is the default.
pub(super) fn with_games(command: Command, games: &Registry) -> Command {
    let help = format!(
        "The game: {}; without a game or parameters, all games of the page /levels",
        games.joined_names("or")
    );
    let command = game_args::add_game_args(command, games);
    command.mut_arg(game_args::GAME, |game| {
        game.help(help).hide_default_value(true)
    })
}

/// The options of the command `ladder`.
#[derive(Args, Clone, Debug)]
pub struct LadderArgs {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: GameArgs,

    /// Levels to leave out, such as slow ones
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',',
          value_parser = ListedValueParser::new(Level::names(), str::parse::<Level>))]
    pub without: Vec<Level>,

    /// Boards of each step, each played in all rotations
    #[arg(long, value_name = "N", default_value = "200")]
    pub boards: NonZeroU32,

    /// The seed of the boards, the dice and the choices of the computers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Boards played in parallel [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Store finished boards in this folder, from which the same command resumes
    ///
    /// If levels have changed, for example with a new network, use another folder.
    #[arg(long, value_name = "FOLDER")]
    pub resume: Option<PathBuf>,

    /// The weights file that replaces the built-in weights.
    #[command(flatten)]
    pub weights: WeightsArgs,

    /// Write the results to this file after each game; other games in the file are retained
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

impl LadderArgs {
    /// The games to measure: the given game, or all games of the page /levels.
    ///
    /// # Errors
    /// One sentence, when the options contradict each other.
    pub fn games_to_measure(
        &self,
        games: &Registry,
    ) -> Result<Vec<Arc<dyn ConfiguredGame>>, String> {
        let settings = if self.game.is_named() {
            vec![self.game.configured_game(games)?]
        } else {
            let game_types = games.game_types();
            game_types
                .flat_map(|game_type| game_type.rated_games())
                .collect()
        };
        let mut levels = settings
            .iter()
            .map(|setting| self.config(&**setting).levels);
        if levels.any(|levels| levels.len() < 2) {
            return Err("a ladder has two levels at least".to_owned());
        }
        Ok(settings)
    }

    /// How this game is measured.
    #[must_use]
    pub fn config(&self, setting: &dyn ConfiguredGame) -> arena::LadderConfig {
        let levels = setting.levels().iter().copied();
        arena::LadderConfig {
            levels: levels
                .filter(|level| !self.without.contains(level))
                .collect(),
            boards: self.boards.get(),
            seed: self.seed,
            threads: self.threads,
            resume: self.resume.clone(),
        }
    }

    /// Reads the ratings of the output file, or empty ratings if it does not exist. Creates the folder of finished
    /// boards.
    ///
    /// # Errors
    /// When the file cannot be read or has other content, or the folder cannot be created.
    pub fn load_ratings(&self) -> Result<RatingsFile, String> {
        if let Some(folder) = &self.resume {
            let created = fs::create_dir_all(folder);
            created.map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let file_error =
            |error: &dyn std::fmt::Display| format!("{}: {error}", self.output.display());
        match fs::read_to_string(&self.output) {
            Ok(text) => serde_json::from_str(strip_bom(&text)).map_err(|error| file_error(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(RatingsFile::default()),
            Err(error) => Err(file_error(&error)),
        }
    }

    /// Writes the output file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, ratings: &RatingsFile) -> Result<(), String> {
        let text = serde_json::to_string_pretty(ratings).expect("ratings serialize to JSON");
        let result = fs::write(&self.output, format!("{text}\n"));
        result.map_err(|error| format!("{}: {error}", self.output.display()))
    }
}
