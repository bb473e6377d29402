//! The game that is played, with its numbers: its flags come from the games of the registry.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::value_parser::ListedValueParser;
use crate::game_adapters::{ConfiguredGame, FlagValue, GameFlag, JsonFields, Registry};

/// The argument that names the game.
pub const GAME: &str = "game";

/// A game and its numbers.
#[derive(Clone, Debug)]
pub struct GameArgs {
    game: String,
    /// Whether somebody said which game.
    said: bool,
    /// The flags of games that were given, each with its value.
    given: Vec<(String, GivenFlag)>,
}

/// The value of a game's flag; the type tells it from the command's own options.
#[derive(Clone, Debug)]
struct GivenFlag(Value);

impl GameArgs {
    /// The game that is asked for, its numbers checked.
    ///
    /// # Errors
    /// One clear sentence when an option of another game is given, or the numbers make no game.
    pub fn configured_game(&self, games: &Registry) -> Result<Arc<dyn ConfiguredGame>, String> {
        let kind = games
            .game_type(&self.game)
            .map_err(|error| error.to_string())?;
        let own = kind.flags();
        for other in games.game_types() {
            for flag in other.flags() {
                let is_own = own.iter().any(|known| known.name == flag.name);
                if !is_own && self.flag_value(flag).is_some() {
                    let (flag, game) = (flag.name, other.name());
                    return Err(format!("--{flag} is an option of the game {game}"));
                }
            }
        }
        let mut fields = JsonFields::default();
        for flag in own {
            if let Some(value) = self.flag_value(flag) {
                fields = fields.with(flag.field, value);
            }
        }
        kind.configure(fields).map_err(|error| error.to_string())
    }

    /// Whether somebody said which game, or one of its numbers.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.said || self.has_parameters()
    }

    /// Whether a number of a game was given.
    pub(super) fn has_parameters(&self) -> bool {
        !self.given.is_empty()
    }

    fn flag_value(&self, flag: &GameFlag) -> Option<&Value> {
        let mut given = self.given.iter();
        let found = given.find(|(name, _)| name == flag.name);
        found.map(|(_, GivenFlag(value))| value)
    }
}

/// A command that plays a game: it takes the names and the flags of these games.
#[must_use]
pub fn add_game_args(command: Command, games: &Registry) -> Command {
    let known = games.clone();
    let named = move |name: &str| match known.game_type(name) {
        Ok(kind) => Ok(kind.name().to_owned()),
        Err(unknown) => Err(format!(
            "{unknown}; there are {}",
            known.joined_names("and")
        )),
    };
    let mut command = command.mut_arg(GAME, |game| {
        game.help(format!("The game: {}", games.joined_names("or")))
            .default_value(games.default_game().name())
            .value_parser(ListedValueParser::new(games.names(), named))
    });
    let mut known = BTreeSet::new();
    for kind in games.game_types() {
        for flag in kind.flags() {
            // Where two games have a flag of the same name, the first one describes it.
            if known.insert(flag.name) {
                command = command.arg(arg(flag).help_heading(kind.title()));
            }
        }
    }
    command
}

fn arg(flag: &'static GameFlag) -> Arg {
    let arg = Arg::new(flag.name)
        .long(flag.name)
        .value_name(flag.value_name)
        .help(flag.help);
    match flag.value {
        FlagValue::Number => {
            arg.value_parser(clap::value_parser!(u8).map(|number| GivenFlag(number.into())))
        }
        FlagValue::Word { words, check } => {
            let word = move |word: &str| check(word).map(|()| GivenFlag(word.into()));
            arg.value_parser(ListedValueParser::new(words(), word))
        }
    }
}

impl Args for GameArgs {
    fn augment_args(command: Command) -> Command {
        command.arg(Arg::new(GAME).value_name("GAME"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        GameArgs::augment_args(command)
    }
}

impl FromArgMatches for GameArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let game: Option<&String> = matches.get_one(GAME);
        let given = matches.ids().map(clap::Id::as_str).filter_map(|id| {
            let value: &GivenFlag = matches.try_get_one(id).ok()??;
            Some((id.to_owned(), value.clone()))
        });
        Ok(GameArgs {
            game: game.cloned().unwrap_or_default(),
            said: matches.value_source(GAME) != Some(ValueSource::DefaultValue),
            given: given.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = GameArgs::from_arg_matches(matches)?;
        Ok(())
    }
}
