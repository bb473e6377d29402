//! The game to play and its parameters; the flags are defined by the registered games.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::value_parser::ListedValueParser;
use crate::formats::JsonFields;
use crate::games::{ConfiguredGame, FlagValue, GameFlag, Registry};

/// The ID of the argument that names the game.
pub const GAME: &str = "game";

/// A game and its parameters.
#[derive(Clone, Debug)]
pub struct GameArgs {
    game: String,
    is_explicit: bool,
    /// The names and values of the game flags that were given.
    given: Vec<(String, GivenFlag)>,
}

/// The value of a game's flag; the type distinguishes it from the command's own options.
#[derive(Clone, Debug)]
struct GivenFlag(Value);

impl GameArgs {
    /// The requested game with its parameters.
    ///
    /// # Errors
    /// A flag of another game is given, or the parameters are invalid.
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

    /// Whether the game or one of its parameters was given explicitly.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.is_explicit || self.has_parameters()
    }

    pub(super) fn has_parameters(&self) -> bool {
        !self.given.is_empty()
    }

    fn flag_value(&self, flag: &GameFlag) -> Option<&Value> {
        let mut given = self.given.iter();
        let entry = given.find(|(name, _)| name == flag.name);
        entry.map(|(_, GivenFlag(value))| value)
    }
}

/// Adds the names of the games and the games' flags to a command that plays a game.
#[must_use]
pub fn add_game_args(command: Command, games: &Registry) -> Command {
    let registry = games.clone();
    let parse = move |name: &str| match registry.game_type(name) {
        Ok(kind) => Ok(kind.name().to_owned()),
        Err(unknown) => Err(format!(
            "{unknown}; there are {}",
            registry.joined_names("and")
        )),
    };
    let mut command = command.mut_arg(GAME, |game| {
        game.help(format!("The game: {}", games.joined_names("or")))
            .default_value(games.default_game().name())
            .value_parser(ListedValueParser::new(games.names(), parse))
    });
    let mut added = BTreeSet::new();
    for kind in games.game_types() {
        for flag in kind.flags() {
            // If several games have a flag of the same name, the first one provides its help.
            if added.insert(flag.name) {
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
            let parse = move |word: &str| check(word).map(|()| GivenFlag(word.into()));
            arg.value_parser(ListedValueParser::new(words(), parse))
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
            is_explicit: matches.value_source(GAME) != Some(ValueSource::DefaultValue),
            given: given.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = GameArgs::from_arg_matches(matches)?;
        Ok(())
    }
}
