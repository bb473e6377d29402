//! Form and query fields as submitted, and the part of the new-game form that depends on the game.

use std::str::FromStr;
use std::sync::Arc;

use maud::{Markup, html};
use serde::Deserialize;

use super::{BoardPage, ConfiguredGame, DealError, FormError, RegistrableGame};
use crate::formats::{FieldError, JsonFields};
use crate::level::Level;
use crate::seats::SeatSpec;
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::preferences::DisplayOptions;

/// The fields of a query or a form in their order.
pub type Pairs = Vec<(String, String)>;

/// The fields of a form or a query, in the order of submission.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Deserialize)]
#[serde(transparent)]
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

/// The settings of a game in the form of a new game.
pub struct SettingsForm<G: BoardPage> {
    /// Message key of the game's name in the form.
    pub title_key: &'static str,
    /// The form fields that hold the seats, one value per player: the first field that was submitted counts.
    pub seat_fields: &'static [&'static str],
    /// The game's part of the form, filled in with the submitted values.
    pub fields: fn(&FormFields) -> Arc<dyn Component>,
    /// Parses the parameters in a submitted form. Ranges are checked when the game is built.
    pub parse: fn(&FormFields) -> Result<G::Parameters, FormError>,
    pub error_text: fn(&G::SetupError) -> LocalizedMessage,
}

impl<G: RegistrableGame> SettingsForm<G> {
    /// The form of this game; without one of its own it has the seats only.
    pub(super) const OF_GAME: Self = match G::PAGES.form {
        Some(form) => form,
        None => SettingsForm {
            title_key: G::TITLE_KEY,
            seat_fields: &["seats"],
            fields: |_| Arc::new(NoSettings),
            parse: |_| Ok(G::with_defaults(JsonFields::default().into()?)?),
            error_text: |_| LocalizedMessage::new("error-settings"),
        },
    };

    /// The new game that a submitted form requests.
    pub(super) fn table_request(&self, submitted: &FormFields) -> Result<TableRequest, FormError> {
        let parameters = (self.parse)(submitted)?;
        let game = G::from_parameters(&parameters).map_err(|error| (self.error_text)(&error))?;
        Ok(TableRequest {
            setting: Arc::new(game),
            seats: submitted_seats(submitted, self.seat_fields),
        })
    }
}

/// The seats in a submitted form.
pub(super) fn submitted_seats(submitted: &FormFields, fields: &[&str]) -> Vec<String> {
    let named = fields.iter().map(|name| submitted.list(name));
    let mut named = named.filter(|seats| !seats.is_empty());
    named.next().unwrap_or_default()
}

/// The part of the new-game form of a game without parameters.
#[derive(Debug)]
struct NoSettings;

impl Component for NoSettings {
    fn draw(&self, _: &Translations, _: &DisplayOptions) -> Markup {
        html! {}
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
