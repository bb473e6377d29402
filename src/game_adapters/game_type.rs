//! A kind of game, independent of its Rust type: an entry of the registry.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use super::book_page::BookGame;
use super::exercise::Exercises;
use super::json::parser::{self, RawRecord, RecordError};
use super::puzzle::Puzzle;
use super::{
    ConfiguredGame, DealError, FieldError, GameFlag, GameTypePage, JsonFields, LiveGameRef,
    RegistrableGame,
};
use crate::game_adapters::notation::PositionTextError;
use crate::record::{EndingRow, EntryRow, Record, ReplayError, RowError};
use crate::session::Session;

/// The stored data of a game.
#[derive(Clone, Copy, Debug)]
pub struct SavedGame<'a> {
    /// JSON, including the game's name.
    pub parameters: &'a str,
    /// JSON.
    pub start: &'a str,
    /// All entries in order, without the ending.
    pub entries: &'a [EntryRow],
    /// An ending that the rules did not cause, such as a resignation.
    pub ending: Option<EndingRow>,
}

/// Why a saved game cannot be resumed.
#[derive(Debug, Error)]
pub enum GameLoadError {
    /// The parameters cannot be parsed, or name no registered game.
    #[error("the game's parameters cannot be read: {0}")]
    Parameters(FieldError),
    /// The start position cannot be parsed.
    #[error("the game's start cannot be read: {0}")]
    Start(serde_json::Error),
    /// The game rejects the parameters or the start position.
    #[error("the game's start does not fit: {0}")]
    Setup(Box<dyn std::error::Error + Send + Sync>),
    /// An entry is not valid notation.
    #[error("ply {0} cannot be read: {1}")]
    Entry(usize, RowError),
    /// The ending names a player that the game does not have.
    #[error("the ending cannot be read: {0}")]
    Ending(RowError),
    /// An entry is illegal where it is replayed.
    #[error("{0}")]
    Replay(#[from] ReplayError),
}

/// A kind of game.
pub trait GameType: GameTypePage + Send + Sync {
    /// The name in URLs, records and commands.
    fn name(&self) -> &'static str;

    /// Its translations in the language with this tag, as Fluent source; empty if it has none.
    fn fluent_source(&self, tag: &str) -> &'static str;

    /// The variants of its level descriptions, that of the default parameters first.
    fn level_variants(&self) -> &'static [&'static str];

    /// The games for which level ratings are published, the default first.
    fn rated_games(&self) -> Vec<Arc<dyn ConfiguredGame>>;

    /// Its lessons.
    fn exercises(&self) -> Exercises;

    /// Its puzzles.
    fn puzzles(&self) -> &[Puzzle];

    /// The heading above its flags in the command line's help.
    fn title(&self) -> &'static str;

    fn flags(&self) -> &'static [GameFlag];

    fn parameter_names(&self) -> &'static [&'static str];

    /// The game with the given parameters, and defaults for those that are missing.
    ///
    /// # Errors
    /// If a field is unknown or a value is out of range.
    fn configure(&self, fields: JsonFields) -> Result<Arc<dyn ConfiguredGame>, DealError>;

    /// The game with exactly these parameters.
    ///
    /// # Errors
    /// If a field is missing or unknown, or a value is out of range.
    fn configure_exactly(
        &self,
        parameters: JsonFields,
    ) -> Result<Arc<dyn ConfiguredGame>, DealError>;

    /// Replays and validates a saved game. `parameters` are its parsed parameters without the game's name.
    ///
    /// # Errors
    /// The first entry or field that is invalid.
    fn load(
        &self,
        parameters: JsonFields,
        saved: &SavedGame<'_>,
    ) -> Result<LiveGameRef, GameLoadError>;

    /// A new game that starts at a position in compact notation.
    ///
    /// # Errors
    /// If the text is not a legal position.
    fn game_from_compact(&self, text: &str) -> Result<LiveGameRef, PositionTextError>;

    /// Replays and validates a game record in JSON. `parameters` are its parsed parameters without the game's
    /// name.
    ///
    /// # Errors
    /// The first entry or field that is invalid.
    fn game_from_record(
        &self,
        parameters: JsonFields,
        raw_record: RawRecord,
    ) -> Result<LiveGameRef, RecordError>;

    /// How the book page plays it, if it does.
    fn book_game(&self) -> Option<BookGame>;
}

/// The [`GameType`] of a registered game.
pub(super) struct TypedGameType<G> {
    game: PhantomData<fn() -> G>,
    /// Parsed on first use.
    puzzles: OnceLock<Vec<Puzzle>>,
}

impl<G> TypedGameType<G> {
    pub(super) const fn new() -> Self {
        TypedGameType {
            game: PhantomData,
            puzzles: OnceLock::new(),
        }
    }
}

impl<G: RegistrableGame> GameType for TypedGameType<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn fluent_source(&self, tag: &str) -> &'static str {
        let mut translations = G::TRANSLATIONS.iter();
        let source = translations.find(|(language, _)| *language == tag);
        source.map_or("", |(_, source)| source)
    }

    fn level_variants(&self) -> &'static [&'static str] {
        G::LEVEL_VARIANTS
    }

    fn rated_games(&self) -> Vec<Arc<dyn ConfiguredGame>> {
        let games = G::rated_games().into_iter();
        games
            .map(|game| Arc::new(game) as Arc<dyn ConfiguredGame>)
            .collect()
    }

    fn exercises(&self) -> Exercises {
        let exercises = G::EXERCISES.map(serde_json::from_str);
        let exercises = exercises.unwrap_or_else(|| Ok(Exercises::default()));
        exercises.expect("valid exercises, as tested")
    }

    fn puzzles(&self) -> &[Puzzle] {
        self.puzzles.get_or_init(|| {
            let puzzles = G::PUZZLES.map(serde_json::from_str);
            let puzzles = puzzles.unwrap_or_else(|| Ok(Vec::new()));
            puzzles.expect("valid puzzles, as tested")
        })
    }

    fn title(&self) -> &'static str {
        G::TITLE
    }

    fn flags(&self) -> &'static [GameFlag] {
        G::FLAGS
    }

    fn parameter_names(&self) -> &'static [&'static str] {
        G::PARAMETERS
    }

    fn configure(&self, fields: JsonFields) -> Result<Arc<dyn ConfiguredGame>, DealError> {
        let parameters = G::with_defaults(fields.into()?)?;
        build::<G>(&parameters)
    }

    fn configure_exactly(
        &self,
        parameters: JsonFields,
    ) -> Result<Arc<dyn ConfiguredGame>, DealError> {
        build::<G>(&parameters.into()?)
    }

    fn load(
        &self,
        parameters: JsonFields,
        saved: &SavedGame<'_>,
    ) -> Result<LiveGameRef, GameLoadError> {
        let parameters = parameters.into().map_err(GameLoadError::Parameters)?;
        let game = G::from_parameters(&parameters)
            .map_err(|error| GameLoadError::Setup(Box::new(error)))?;
        let setup = serde_json::from_str(saved.start).map_err(GameLoadError::Start)?;
        let start = game.position_from_setup(&setup);
        let start = start.map_err(|error| GameLoadError::Setup(Box::new(error)))?;
        let players = game.players();
        let mut record = Record::new(game, start);
        for (number, row) in saved.entries.iter().enumerate() {
            let entry = row.to_entry(players);
            let entry = entry.map_err(|error| GameLoadError::Entry(number, error))?;
            record.entries.push(entry);
        }
        let ending = saved.ending.map(|row| row.to_ending(players)).transpose();
        record.ending = ending.map_err(GameLoadError::Ending)?;
        Ok(Arc::new(Session::from_record(record)?))
    }

    fn game_from_compact(&self, text: &str) -> Result<LiveGameRef, PositionTextError> {
        let (game, position) = G::parse_compact(text)?;
        Ok(Arc::new(Session::new(game, position)))
    }

    fn game_from_record(
        &self,
        parameters: JsonFields,
        raw_record: RawRecord,
    ) -> Result<LiveGameRef, RecordError> {
        parser::replay_record::<G>(parameters, raw_record)
    }

    fn book_game(&self) -> Option<BookGame> {
        G::book_game()
    }
}

fn build<G: RegistrableGame>(
    parameters: &G::Parameters,
) -> Result<Arc<dyn ConfiguredGame>, DealError> {
    match G::from_parameters(parameters) {
        Ok(game) => Ok(Arc::new(game)),
        Err(error) => Err(DealError::from_setup_error::<G>(&error)),
    }
}
