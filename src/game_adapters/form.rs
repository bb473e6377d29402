//! Form and query fields as submitted, and the part of the new-game form that depends on the game.

use std::str::FromStr;
use std::sync::Arc;

use maud::Markup;

use super::{ConfiguredGame, DealError, FormError, RegistrableGame};
use crate::formats::FieldError;
use crate::level::Level;
use crate::seats::SeatSpec;
use crate::templates::game::GameTitle;
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::new_game_form::GameFormView;
use crate::templates::page::Component;
use crate::templates::start::OtherGameView;
use crate::templates::{BoardComponent, PositionFieldsView};

/// The fields of a query or a form in their order.
pub type Pairs = Vec<(String, String)>;

/// The fields of a form or a query, in the order of submission.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FormFields(pub Vec<(String, String)>);

impl FormFields {
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(field, _)| field == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The first value of a field.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// The value of a field that may occur at most once.
    ///
    /// # Errors
    /// If the field occurs twice.
    pub fn single(&self, name: &str) -> Result<Option<&str>, FieldError> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(FieldError(format!("the field `{name}` occurs twice"))),
            (value, None) => Ok(value),
        }
    }

    /// A number.
    ///
    /// # Errors
    /// If the field occurs twice or is not a number of type `T`.
    pub fn number<T>(&self, name: &str) -> Result<Option<T>, FieldError>
    where
        T: FromStr,
    {
        let number = self.single(name)?.map(str::parse);
        let number = number.transpose();
        number.map_err(|_| FieldError(format!("{name}: this is not such a number")))
    }

    /// An optional value, trimmed; `None` if the field is missing or blank.
    ///
    /// # Errors
    /// `error_key` if the value cannot be parsed; also an error if the field occurs twice.
    pub fn non_empty<T: FromStr>(
        &self,
        name: &str,
        error_key: &'static str,
    ) -> Result<Option<T>, FormError> {
        match self.single(name)?.map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => match text.parse() {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(LocalizedMessage::new(error_key).into()),
            },
        }
    }

    /// The value with which the form is shown again; `None` if it cannot be parsed.
    #[must_use]
    pub fn redisplayed<T: FromStr>(&self, name: &str) -> Option<T> {
        self.first(name).and_then(|text| text.trim().parse().ok())
    }

    /// Checks that there are no fields besides `known`.
    ///
    /// # Errors
    /// The first other field.
    pub fn has_only(&self, known: &[&str]) -> Result<(), FieldError> {
        let mut names = self.0.iter().map(|(name, _)| name.as_str());
        match names.find(|name| !known.contains(name)) {
            Some(other) => Err(FieldError::unknown(other)),
            None => Ok(()),
        }
    }

    /// Every value of a field.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<String> {
        self.all(name).map(str::to_owned).collect()
    }
}

/// Message key: a number is out of range.
pub const OUT_OF_RANGE: &str = "form-problem-range";

/// Message key: a choice is unknown.
pub const UNKNOWN_CHOICE: &str = "form-problem-choice";

/// Message key: the seed is not a number.
pub const NO_SEED: &str = "form-problem-seed";

/// The given seats, completed with the defaults: a person in the first seat, computers in the others.
#[must_use]
pub fn complete_seats(named: &[String], players: u8) -> Vec<String> {
    let defaults = SeatSpec::default_seats(players).enumerate();
    defaults
        .map(|(seat, default)| match named.get(seat) {
            Some(word) => word.clone(),
            None => default.to_string(),
        })
        .collect()
}

#[must_use]
pub fn level_names(levels: &[Level]) -> Vec<String> {
    levels.iter().map(|level| level.name().to_owned()).collect()
}

/// A new game as requested by a form.
#[derive(Clone, Debug)]
pub struct TableRequest {
    pub setting: Arc<dyn ConfiguredGame>,
    /// The given seats in order; there may be too many or too few.
    pub seats: Vec<String>,
}

/// The parts of pages that concern a kind of game, before a game starts.
pub trait GameTypePage {
    /// The name of the game as pages show it.
    fn page_name(&self) -> GameTitle;

    /// The form, filled in with the submitted values.
    fn new_game_form(&self, submitted: &FormFields) -> GameFormView;

    /// The names of all form fields of this game.
    fn form_fields(&self) -> Vec<&'static str>;

    /// Parses the submitted form.
    ///
    /// # Errors
    /// What is wrong with the form, as a message for the user.
    fn parse_new_game_form(&self, submitted: &FormFields) -> Result<TableRequest, FormError>;

    /// The button on the start page that starts a game of this kind; `None` for the first game.
    fn start_button(&self) -> Option<OtherGameView>;

    /// An attractive position for the start page.
    fn hero_board(&self) -> Option<Arc<dyn BoardComponent>>;

    /// An example that the settings page shows.
    fn example(&self) -> Option<Arc<dyn Component>>;

    /// The attacker's probability of winning a throw of `dice.0` against `dice.1` dice, if the game has such
    /// throws.
    fn throw_win_probability(&self, dice: (u8, u8)) -> Option<f64>;

    /// Its section of the rules page.
    fn rules_page_section(&self, text: &Translations) -> Markup;

    /// The fields of a position, for the API's documentation page.
    fn position_fields_view(&self) -> PositionFieldsView;
}

impl<G: RegistrableGame> GameTypePage for super::game_type::TypedGameType<G> {
    fn page_name(&self) -> GameTitle {
        super::live_page::name::<G>()
    }

    fn new_game_form(&self, submitted: &FormFields) -> GameFormView {
        GameFormView {
            game: G::NAME,
            title: G::FORM_TITLE_KEY,
            fields: G::settings_form(submitted),
        }
    }

    fn form_fields(&self) -> Vec<&'static str> {
        [G::PARAMETERS, G::SEAT_FIELDS].concat()
    }

    fn parse_new_game_form(&self, submitted: &FormFields) -> Result<TableRequest, FormError> {
        let parameters = G::parse_form(submitted)?;
        let game = G::from_parameters(&parameters).map_err(|error| G::setup_error_text(&error))?;
        Ok(TableRequest {
            setting: Arc::new(game),
            seats: G::form_seats(submitted),
        })
    }

    fn start_button(&self) -> Option<OtherGameView> {
        G::PLAY_KEY.map(|play| OtherGameView {
            game: G::NAME,
            title: G::TITLE_KEY,
            play,
        })
    }

    fn hero_board(&self) -> Option<Arc<dyn BoardComponent>> {
        G::hero_position()
    }

    fn example(&self) -> Option<Arc<dyn Component>> {
        G::example()
    }

    fn throw_win_probability(&self, dice: (u8, u8)) -> Option<f64> {
        G::win_probability(dice)
    }

    fn rules_page_section(&self, text: &Translations) -> Markup {
        G::rules_section(text)
    }

    fn position_fields_view(&self) -> PositionFieldsView {
        PositionFieldsView {
            title: G::FORM_TITLE_KEY,
            fields: G::POSITION,
        }
    }
}

impl DealError {
    /// The message for users.
    #[must_use]
    pub fn localized_message(&self) -> LocalizedMessage {
        match self {
            DealError::Setup(reason) => reason.message.clone(),
            DealError::Field(_) => LocalizedMessage::new(OUT_OF_RANGE),
        }
    }
}
