//! A kind of game, independent of its Rust type: an entry of the registry.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use maud::Markup;
use serde::de::DeserializeOwned;

use super::book_page::BookGame;
use super::exercise::Lesson;
use super::form::{SettingsForm, TableRequest};
use super::page::StartOffer;
use super::puzzle::Puzzle;
use super::{
    ConfiguredGame, DealError, ErrorText, FormError, FormFields, GameFlag, LiveGameRef,
    ParsedRecord, RegistrableGame, live_page,
};
use crate::formats::notation::{NotationError, ParsedNotation};
use crate::formats::record::RawRecord;
use crate::formats::saved_game::{GameLoadError, SavedGame};
use crate::formats::{JsonFields, PositionTextError, RecordError};
use crate::session::Session;
use crate::templates::game::GameTitle;
use crate::templates::localization::Translations;
use crate::templates::new_game_form::GameFormView;
use crate::templates::page::Component;
use crate::templates::{BoardComponent, PositionFieldsView};

/// A kind of game.
pub trait GameType: Send + Sync {
    /// The name in URLs, records and commands.
    fn name(&self) -> &'static str;

    /// Its translations in the language with this tag, as Fluent source; empty if it has none.
    fn fluent_source(&self, tag: &str) -> &'static str;

    /// The variants of its level descriptions, that of the default parameters first.
    fn level_variants(&self) -> &'static [&'static str];

    /// The games for which level ratings are published, the default first.
    fn rated_games(&self) -> Vec<Arc<dyn ConfiguredGame>>;

    /// Its lessons.
    fn lessons(&self) -> &[Lesson];

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

    /// The name of the game as pages show it.
    fn page_name(&self) -> GameTitle;

    /// The form of a new game, filled in with the submitted values.
    fn new_game_form(&self, submitted: &FormFields) -> GameFormView;

    /// The names of all form fields of this game.
    fn form_fields(&self) -> Vec<&'static str>;

    /// Parses the submitted form.
    ///
    /// # Errors
    /// What is wrong with the form, as a message for the user.
    fn parse_new_game_form(&self, submitted: &FormFields) -> Result<TableRequest, FormError>;

    /// What its own start page offers; `None` for the first game.
    fn start_offer(&self) -> Option<StartOffer>;

    /// An attractive position for the start page.
    fn hero_board(&self) -> Option<Arc<dyn BoardComponent>>;

    /// An example for the settings page.
    fn settings_example(&self) -> Option<Arc<dyn Component>>;

    /// The attacker's probability of winning a throw of `dice.0` against `dice.1` dice, if the game has such
    /// throws.
    fn throw_win_probability(&self, dice: (u8, u8)) -> Option<f64>;

    /// Its section of the rules page.
    fn rules_section(&self, text: &Translations) -> Markup;

    /// The fields of a position, for the API's documentation page.
    fn position_fields_view(&self) -> PositionFieldsView;

    /// How the book page plays it, if it does.
    fn book_game(&self) -> Option<BookGame>;
}

/// The [`GameType`] of a registered game.
pub(super) struct TypedGameType<G> {
    game: PhantomData<fn() -> G>,
    /// Parsed on first use, as the puzzles are.
    lessons: OnceLock<Vec<Lesson>>,
    puzzles: OnceLock<Vec<Puzzle>>,
}

impl<G> TypedGameType<G> {
    pub(super) const fn new() -> Self {
        TypedGameType {
            game: PhantomData,
            lessons: OnceLock::new(),
            puzzles: OnceLock::new(),
        }
    }
}

/// The elements of a list that is part of the program; none without a list.
fn parse_list<T: DeserializeOwned>(json: Option<&str>) -> Vec<T> {
    let list = json.map_or(Ok(Vec::new()), serde_json::from_str);
    list.expect("valid JSON, as tested")
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

    fn lessons(&self) -> &[Lesson] {
        let json = G::PAGES.lessons.map(|lessons| lessons.json);
        self.lessons.get_or_init(|| parse_list(json))
    }

    fn puzzles(&self) -> &[Puzzle] {
        let json = G::PAGES.puzzles.map(|puzzles| puzzles.json);
        self.puzzles.get_or_init(|| parse_list(json))
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

    fn page_name(&self) -> GameTitle {
        live_page::name::<G>()
    }

    fn new_game_form(&self, submitted: &FormFields) -> GameFormView {
        let form = SettingsForm::<G>::OF_GAME;
        GameFormView {
            game: G::NAME,
            title: form.title_key,
            fields: (form.fields)(submitted),
        }
    }

    fn form_fields(&self) -> Vec<&'static str> {
        [G::PARAMETERS, SettingsForm::<G>::OF_GAME.seat_fields].concat()
    }

    fn parse_new_game_form(&self, submitted: &FormFields) -> Result<TableRequest, FormError> {
        SettingsForm::<G>::OF_GAME.table_request(submitted)
    }

    fn start_offer(&self) -> Option<StartOffer> {
        G::PAGES.start
    }

    fn hero_board(&self) -> Option<Arc<dyn BoardComponent>> {
        G::PAGES.hero_board.map(|board| board())
    }

    fn settings_example(&self) -> Option<Arc<dyn Component>> {
        G::PAGES.settings_example.map(|example| example())
    }

    fn throw_win_probability(&self, dice: (u8, u8)) -> Option<f64> {
        (G::PAGES.dice?.win_probability)(dice)
    }

    fn rules_section(&self, text: &Translations) -> Markup {
        G::rules_section(text)
    }

    fn position_fields_view(&self) -> PositionFieldsView {
        PositionFieldsView {
            title: SettingsForm::<G>::OF_GAME.title_key,
            fields: G::POSITION,
        }
    }

    fn book_game(&self) -> Option<BookGame> {
        G::PAGES.book.map(|book| BookGame {
            setting: Arc::new((book.game)()),
            entry_page: book.entry_page,
        })
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
