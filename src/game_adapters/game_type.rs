//! A kind of game, independent of its Rust type: an entry of the registry.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use super::book_page::BookGame;
use super::exercise::Exercises;
use super::puzzle::Puzzle;
use super::{
    ConfiguredGame, DealError, ErrorText, GameFlag, GameTypePage, LiveGameRef, ParsedRecord,
    RegistrableGame,
};
use crate::formats::notation::{NotationError, ParsedNotation};
use crate::formats::record::RawRecord;
use crate::formats::saved_game::{GameLoadError, SavedGame};
use crate::formats::{JsonFields, PositionTextError, RecordError};
use crate::session::Session;

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

    /// Replays and validates a game record in JSON.
    ///
    /// # Errors
    /// The first entry or field that is invalid.
    fn game_from_record(
        &self,
        raw_record: RawRecord,
    ) -> Result<ParsedRecord, RecordError<ErrorText>>;

    /// Replays and validates a game in notation. `parameters` are its parsed parameters without the game's name.
    ///
    /// # Errors
    /// The first error, with its location.
    fn game_from_notation(
        &self,
        parameters: JsonFields,
        parsed: ParsedNotation<'_>,
    ) -> Result<ParsedRecord, NotationError>;

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
        Ok(Arc::new(saved.load::<G>(parameters)?))
    }

    fn game_from_compact(&self, text: &str) -> Result<LiveGameRef, PositionTextError> {
        let (game, position) = G::parse_compact(text)?;
        Ok(Arc::new(Session::new(game, position)))
    }

    fn game_from_record(
        &self,
        raw_record: RawRecord,
    ) -> Result<ParsedRecord, RecordError<ErrorText>> {
        raw_record.replay::<G, _>().map(ParsedRecord::from)
    }

    fn game_from_notation(
        &self,
        parameters: JsonFields,
        parsed: ParsedNotation<'_>,
    ) -> Result<ParsedRecord, NotationError> {
        parsed.replay::<G>(parameters).map(ParsedRecord::from)
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
