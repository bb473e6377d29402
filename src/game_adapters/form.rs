//! The fields of a form or of a query, each as it was written, and what games ask about a new table.

use std::str::FromStr;
use std::sync::Arc;

use maud::Markup;

use super::{ConfiguredGame, DealError, FieldError, RegistrableGame, SelectionError};
use crate::level::Level;
use crate::seats::SeatSpec;
use crate::templates::game::GameTitle;
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::new_game_form::GameFormView;
use crate::templates::page::Component;
use crate::templates::start::OtherGameView;
use crate::templates::{BoardComponent, PositionFieldsView};

/// The fields of a form or of a query, in the order in which they were written.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FormFields(pub Vec<(String, String)>);

impl FormFields {
    /// Every value of a field.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(field, _)| field == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The value of a field; the first one where it was sent twice.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// The value of a field that is there once or not at all.
    ///
    /// # Errors
    /// When it was sent twice.
    pub fn single(&self, name: &str) -> Result<Option<&str>, FieldError> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(FieldError(format!("the field `{name}` is there twice"))),
            (value, None) => Ok(value),
        }
    }

    /// A field that is a number.
    ///
    /// # Errors
    /// When it was sent twice, or is no such number.
    pub fn number<T>(&self, name: &str) -> Result<Option<T>, FieldError>
    where
        T: FromStr,
    {
        let number = self.single(name)?.map(str::parse);
        let number = number.transpose();
        number.map_err(|_| FieldError(format!("{name}: this is no such number")))
    }

    /// A field that may be left empty; blanks around it do not count.
    ///
    /// # Errors
    /// `setup_error_text`, when it cannot be read; that it does not fit, when it was sent twice.
    pub fn non_empty<T: FromStr>(
        &self,
        name: &str,
        problem: &'static str,
    ) -> Result<Option<T>, SelectionError> {
        match self.single(name)?.map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => match text.parse() {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(LocalizedMessage::new(problem).into()),
            },
        }
    }

    /// A field as it is shown again: what cannot be read is left out.
    #[must_use]
    pub fn redisplayed<T: FromStr>(&self, name: &str) -> Option<T> {
        self.first(name).and_then(|text| text.trim().parse().ok())
    }

    /// Whether there are no other fields than these.
    ///
    /// # Errors
    /// The first other one.
    pub fn has_only(&self, known: &[&str]) -> Result<(), FieldError> {
        let mut names = self.0.iter().map(|(name, _)| name.as_str());
        match names.find(|name| !known.contains(name)) {
            Some(other) => Err(FieldError::unknown(other)),
            None => Ok(()),
        }
    }

    /// Every value of a field, copied.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<String> {
        self.all(name).map(str::to_owned).collect()
    }
}

/// A number is out of its range.
pub const OUT_OF_RANGE: &str = "form-problem-range";

/// One of the choices is unknown.
pub const UNKNOWN_CHOICE: &str = "form-problem-choice";

/// The seed is no number.
pub const NO_SEED: &str = "form-problem-seed";

/// The seats named, then those nobody named: a person in the first one, computers in the others.
#[must_use]
pub fn seats(named: &[String], players: u8) -> Vec<String> {
    let usual = SeatSpec::usual(players).enumerate();
    usual
        .map(|(seat, usual)| match named.get(seat) {
            Some(word) => word.clone(),
            None => usual.to_string(),
        })
        .collect()
}

/// The names of all levels.
#[must_use]
pub fn levels() -> Vec<String> {
    Level::ALL.map(|level| level.name().to_owned()).to_vec()
}

/// A table that a form asks for.
#[derive(Clone, Debug)]
pub struct TableRequest {
    /// The game with its numbers.
    pub setting: Arc<dyn ConfiguredGame>,
    /// The seats that are named, in order; there may be too many or too few.
    pub seats: Vec<String>,
}

/// What pages ask of a game before one of it is played.
pub trait GameTypePage {
    /// What is played.
    fn page_name(&self) -> GameTitle;

    /// What the form asks, filled in with what was sent.
    fn form(&self, sent: &FormFields) -> GameFormView;

    /// The names of all fields that the form has of this game.
    fn form_fields(&self) -> Vec<&'static str>;

    /// The table that a form asks for.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read_form(&self, sent: &FormFields) -> Result<TableRequest, SelectionError>;

    /// The button of the start page that begins a game of this kind, where it is not the first.
    fn other(&self) -> Option<OtherGameView>;

    /// A position worth looking at, for the start page.
    fn hero(&self) -> Option<Arc<dyn BoardComponent>>;

    /// What the page of settings shows beside the choices.
    fn example(&self) -> Option<Arc<dyn Component>>;

    /// The odds of so many dice against so many, where the game has such throws.
    fn odds_of(&self, dice: (u8, u8)) -> Option<f64>;

    /// The part of the rules page.
    fn rules(&self, text: &Translations) -> Markup;

    /// What programs read in a position.
    fn positions(&self) -> PositionFieldsView;
}

impl<G: RegistrableGame> GameTypePage for super::game_type::TypedGameType<G> {
    fn page_name(&self) -> GameTitle {
        super::live_page::name::<G>()
    }

    fn form(&self, sent: &FormFields) -> GameFormView {
        GameFormView {
            game: G::NAME,
            title: G::FORM_TITLE_KEY,
            fields: G::settings_form(sent),
        }
    }

    fn form_fields(&self) -> Vec<&'static str> {
        [G::PARAMETERS, G::SEAT_FIELDS].concat()
    }

    fn read_form(&self, sent: &FormFields) -> Result<TableRequest, SelectionError> {
        let parameters = G::parse_form(sent)?;
        let game = G::from_parameters(&parameters).map_err(|error| G::setup_error_text(&error))?;
        Ok(TableRequest {
            setting: Arc::new(game),
            seats: G::form_seats(sent),
        })
    }

    fn other(&self) -> Option<OtherGameView> {
        G::PLAY_KEY.map(|play| OtherGameView {
            game: G::NAME,
            title: G::TITLE_KEY,
            play,
        })
    }

    fn hero(&self) -> Option<Arc<dyn BoardComponent>> {
        G::hero_position()
    }

    fn example(&self) -> Option<Arc<dyn Component>> {
        G::example()
    }

    fn odds_of(&self, dice: (u8, u8)) -> Option<f64> {
        G::win_probability_text(dice)
    }

    fn rules(&self, text: &Translations) -> Markup {
        G::rules_section(text)
    }

    fn positions(&self) -> PositionFieldsView {
        PositionFieldsView {
            title: G::FORM_TITLE_KEY,
            fields: G::POSITION,
        }
    }
}

impl DealError {
    /// What people read of it.
    #[must_use]
    pub fn said(&self) -> LocalizedMessage {
        match self {
            DealError::Setup(reason) => reason.said.clone(),
            DealError::Field(_) => LocalizedMessage::new(OUT_OF_RANGE),
        }
    }
}
