//! A game as it can be set up, whatever it is: one entry of the registry.

use std::marker::PhantomData;
use std::sync::Arc;

use thiserror::Error;

use super::book_page::BookGame;
use super::json::GameSchemas;
use super::json::parser::{self, RawRecord, RecordError};
use super::{
    ConfiguredGame, DealError, FieldError, GameFlag, GameTypePage, JsonFields, LiveGameRef,
    RegistrableGame,
};
use crate::game_adapters::notation::PositionTextError;
use crate::record::{EndingRow, EntryRow, Record, ReplayError, RowError};
use crate::session::Session;

/// What is kept of a game.
#[derive(Clone, Copy, Debug)]
pub struct SavedGame<'a> {
    /// The parameters, the game's name among them (JSON).
    pub parameters: &'a str,
    /// The start position (JSON).
    pub start: &'a str,
    /// Every entry but the ending, in order.
    pub entries: &'a [EntryRow],
    /// The ending, where the rules did not end it.
    pub ending: Option<EndingRow>,
}

/// Why a kept game cannot go on.
#[derive(Debug, Error)]
pub enum GameLoadError {
    /// The parameters cannot be read, or name no game of the registry.
    #[error("the game's parameters cannot be read: {0}")]
    Parameters(FieldError),
    /// The start is not written as a position of the game.
    #[error("the game's start cannot be read: {0}")]
    Start(serde_json::Error),
    /// The parameters or the start do not fit.
    #[error("the game's start does not fit: {0}")]
    Setup(Box<dyn std::error::Error + Send + Sync>),
    /// An entry is not in the game's notation.
    #[error("ply {0} cannot be read: {1}")]
    Entry(usize, RowError),
    /// The ending names nobody at the table.
    #[error("the ending cannot be read: {0}")]
    Ending(RowError),
    /// An entry cannot have happened.
    #[error("{0}")]
    Replay(#[from] ReplayError),
}

/// A game as it can be set up.
pub trait GameType: GameTypePage + Send + Sync {
    /// The name in URLs, records and commands.
    fn name(&self) -> &'static str;

    /// The game's words in the language of this tag, written for Fluent; empty where it has none.
    fn words(&self, tag: &str) -> &'static str;

    /// The ways in which its levels think, that of the usual numbers first.
    fn ways(&self) -> &'static [&'static str];

    /// The games for which it is told how strong the levels are, the usual one first.
    fn measured(&self) -> Vec<Arc<dyn ConfiguredGame>>;

    /// The name that people read above its flags.
    fn title(&self) -> &'static str;

    /// The flags of the command line that set it up.
    fn flags(&self) -> &'static [GameFlag];

    /// The names of the fields of the parameters.
    fn parameter_names(&self) -> &'static [&'static str];

    /// The game with the numbers that these fields ask for, the defaults filled in.
    ///
    /// # Errors
    /// What is unknown, or out of its range.
    fn setting(&self, fields: JsonFields) -> Result<Arc<dyn ConfiguredGame>, DealError>;

    /// The game with exactly these parameters.
    ///
    /// # Errors
    /// What is missing, unknown, or out of its range.
    fn exactly(&self, parameters: JsonFields) -> Result<Arc<dyn ConfiguredGame>, DealError>;

    /// The game of a kept record, replayed and checked. Its parameters were read already, and the
    /// game's name taken out of them.
    ///
    /// # Errors
    /// The first thing that cannot be.
    fn resume(
        &self,
        parameters: JsonFields,
        kept: &SavedGame<'_>,
    ) -> Result<LiveGameRef, GameLoadError>;

    /// The position of a short text, as a game that has just begun there.
    ///
    /// # Errors
    /// Where it is none, and why.
    fn analysed(&self, text: &str) -> Result<LiveGameRef, PositionTextError>;

    /// The game of a record that was written as JSON, played again and checked, from its parameters on.
    ///
    /// # Errors
    /// The first thing that cannot be.
    fn read(&self, parameters: JsonFields, written: RawRecord) -> Result<LiveGameRef, RecordError>;

    /// What it adds to the OpenAPI document.
    fn schemas(&self) -> GameSchemas;

    /// How the book's page plays it, where it does.
    fn book(&self) -> Option<BookGame>;
}

/// The kind that a guest is.
pub(super) struct TypedGameType<G>(PhantomData<fn() -> G>);

impl<G> TypedGameType<G> {
    pub(super) const fn new() -> Self {
        TypedGameType(PhantomData)
    }
}

impl<G: RegistrableGame> GameType for TypedGameType<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn words(&self, tag: &str) -> &'static str {
        let mut words = G::TRANSLATIONS.iter();
        let found = words.find(|(language, _)| *language == tag);
        found.map_or("", |(_, words)| words)
    }

    fn ways(&self) -> &'static [&'static str] {
        G::LEVEL_VARIANTS
    }

    fn measured(&self) -> Vec<Arc<dyn ConfiguredGame>> {
        let games = G::rated_games().into_iter();
        games
            .map(|game| Arc::new(game) as Arc<dyn ConfiguredGame>)
            .collect()
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

    fn setting(&self, fields: JsonFields) -> Result<Arc<dyn ConfiguredGame>, DealError> {
        let parameters = G::with_defaults(fields.into()?)?;
        build::<G>(&parameters)
    }

    fn exactly(&self, parameters: JsonFields) -> Result<Arc<dyn ConfiguredGame>, DealError> {
        build::<G>(&parameters.into()?)
    }

    fn resume(
        &self,
        parameters: JsonFields,
        kept: &SavedGame<'_>,
    ) -> Result<LiveGameRef, GameLoadError> {
        let parameters = parameters.into().map_err(GameLoadError::Parameters)?;
        let game = G::from_parameters(&parameters).map_err(|error| GameLoadError::Setup(Box::new(error)))?;
        let setup = serde_json::from_str(kept.start).map_err(GameLoadError::Start)?;
        let start = game.position_from_setup(&setup);
        let start = start.map_err(|error| GameLoadError::Setup(Box::new(error)))?;
        let players = game.players();
        let mut record = Record::new(game, start);
        for (number, row) in kept.entries.iter().enumerate() {
            let entry = row.read(players);
            let entry = entry.map_err(|why| GameLoadError::Entry(number, why))?;
            record.entries.push(entry);
        }
        let ending = kept.ending.map(|row| row.read(players)).transpose();
        record.ending = ending.map_err(GameLoadError::Ending)?;
        Ok(Arc::new(Session::resume(record)?))
    }

    fn analysed(&self, text: &str) -> Result<LiveGameRef, PositionTextError> {
        let (game, position) = G::parse_compact(text)?;
        Ok(Arc::new(Session::new(game, position)))
    }

    fn read(&self, parameters: JsonFields, written: RawRecord) -> Result<LiveGameRef, RecordError> {
        parser::read::<G>(parameters, written)
    }

    fn schemas(&self) -> GameSchemas {
        GameSchemas::of::<G>()
    }

    fn book(&self) -> Option<BookGame> {
        G::book_game()
    }
}

fn build<G: RegistrableGame>(
    parameters: &G::Parameters,
) -> Result<Arc<dyn ConfiguredGame>, DealError> {
    match G::from_parameters(parameters) {
        Ok(game) => Ok(Arc::new(game)),
        Err(error) => Err(DealError::setup::<G>(&error)),
    }
}
