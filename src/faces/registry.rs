//! The games that a program knows: a value that the server, the engine, the terminal and the arena
//! are built with.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::book::BookGame;
use super::kind::{Kept, Of};
use super::{Fields, Guest, Kind, Live, LoadError};
use crate::games::dice_of_doom::DiceOfDoom;
use crate::games::trilobite::Trilobite;
use crate::templates::text::{Language, Text};

/// The games that can be played, in the order people see, with their words. Cloning shares it.
#[derive(Clone)]
pub struct Registry(Arc<Shelf>);

#[derive(Default)]
struct Shelf {
    kinds: Vec<Arc<dyn Kind>>,
    /// One for each language; read when somebody speaks it.
    texts: [OnceLock<Text>; Language::ALL.len()],
}

/// No game has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no game called {0:?}")]
pub struct UnknownGame(pub String);

impl Registry {
    /// The games of the house: Dice of Doom, then Trilobite.
    #[must_use]
    pub fn house() -> Self {
        Registry(Arc::default())
            .with::<DiceOfDoom>()
            .with::<Trilobite>()
    }

    /// These games and one more.
    ///
    /// # Panics
    /// When a game of this name is there already.
    #[must_use]
    pub fn with<G: Guest>(&self) -> Self {
        assert!(self.kind(G::NAME).is_err(), "two games called {}", G::NAME);
        let mut kinds = self.0.kinds.clone();
        kinds.push(Arc::new(Of::<G>::new()));
        Registry(Arc::new(Shelf {
            kinds,
            ..Shelf::default()
        }))
    }

    /// Every game, in the order people see. There is at least one.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn Kind> + Clone {
        self.0.kinds.iter().map(|kind| &**kind)
    }

    /// The game that is played where nobody says which: the first one.
    #[must_use]
    pub fn first(&self) -> &dyn Kind {
        &**self
            .0
            .kinds
            .first()
            .expect("a registry begins with the house's games")
    }

    /// The game of this name.
    ///
    /// # Errors
    /// When no game has it.
    pub fn kind(&self, name: &str) -> Result<&dyn Kind, UnknownGame> {
        let mut kinds = self.kinds();
        let named = kinds.find(|kind| kind.name() == name);
        named.ok_or_else(|| UnknownGame(name.to_owned()))
    }

    /// The game that the book's page plays, where one of them has that page.
    #[must_use]
    pub fn book(&self) -> Option<BookGame> {
        self.kinds().find_map(Kind::book)
    }

    /// The names of all games.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.kinds().map(Kind::name).collect()
    }

    /// The names of all games, as a sentence lists them: `dice and trilobite`.
    #[must_use]
    pub fn listed(&self, conjunction: &str) -> String {
        match self.names().as_slice() {
            [first @ .., last] if !first.is_empty() => {
                format!("{} {conjunction} {last}", first.join(", "))
            }
            names => names.concat(),
        }
    }

    /// The sentences of a language: the platform's and those of every game.
    #[must_use]
    pub fn text(&self, language: Language) -> &Text {
        self.0.texts[language as usize].get_or_init(|| {
            let words = self.kinds().map(|kind| kind.words(language.tag()));
            Text::new(language, words)
        })
    }

    /// The game of a kept record, whichever it is, replayed and checked.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn resume(&self, kept: &Kept<'_>) -> Result<Live, LoadError> {
        let mut parameters = Fields::read(kept.parameters).map_err(LoadError::Parameters)?;
        let name: Option<String> = parameters.take("game").map_err(LoadError::Parameters)?;
        let kind = self.kind(&name.unwrap_or_default());
        let kind = kind.map_err(|unknown| LoadError::Parameters(unknown.into()))?;
        kind.resume(parameters, kept)
    }
}

impl From<UnknownGame> for super::FieldError {
    fn from(unknown: UnknownGame) -> Self {
        super::FieldError(unknown.to_string())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registry").field(&self.names()).finish()
    }
}
