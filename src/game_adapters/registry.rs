//! The games that a program knows: a value that the server, the engine, the terminal and the arena
//! are built with.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::{Arc, OnceLock};

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::book_page::BookGame;
use super::cli::RESERVED;
use super::game_type::{SavedGame, TypedGameType};
use super::json::NamedSchema;
use super::{GameFlag, GameLoadError, GameType, JsonFields, LiveGameRef, RegistrableGame};
use crate::games::dice_of_doom::DiceOfDoom;
use crate::games::dice_of_doom::nnue::builtin::install;
use crate::games::dice_of_doom::nnue::codec::NnueFileError;
use crate::games::dice_of_doom::nnue::trained::TrainedNetwork;
use crate::games::trilobite::Trilobite;
use crate::templates::localization::{Language, PseudoLocalizer, Translations};

/// The games that can be played, in the order people see, with their words. Cloning shares it.
#[derive(Clone)]
pub struct Registry(Arc<RegistryInner>);

#[derive(Default)]
struct RegistryInner {
    kinds: Vec<Arc<dyn GameType>>,
    /// One for each language; read when somebody speaks it.
    texts: [OnceLock<Translations>; Language::ALL.len()],
    disguise: Option<PseudoLocalizer>,
}

/// No game has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no game called {0:?}")]
pub struct UnknownGameError(pub String);

/// Lets the weights of a file play the games that they know, and says which: once in a program, before
/// anything plays.
///
/// # Errors
/// When it is no file of weights, of another version or shape, or damaged.
///
/// # Panics
/// When there are weights of one's own already.
pub fn install_weights(file: &[u8]) -> Result<String, NnueFileError> {
    let weights = TrainedNetwork::from_bytes(file)?;
    let games = weights.description();
    install(weights);
    Ok(games)
}

impl Registry {
    /// The games of the house: Dice of Doom, then Trilobite.
    #[must_use]
    pub fn builtin() -> Self {
        Registry(Arc::default())
            .with_game::<DiceOfDoom>()
            .with_game::<Trilobite>()
    }

    /// These games and one more.
    ///
    /// # Panics
    /// When the game cannot stand beside the others, so that it is told as the program starts:
    ///
    /// - its name is none for addresses and files, or another game has it;
    /// - a flag has the name of an argument that the commands have anyway, is there twice, or takes
    ///   something else than the flag of the same name of another game;
    /// - a schema says something else than the schema of the same name of another game.
    #[must_use]
    pub fn with_game<G: RegistrableGame>(&self) -> Self {
        let newcomer = TypedGameType::<G>::new();
        let flags = self.game_types().flat_map(GameType::flags);
        let parts = self.game_types().flat_map(|kind| kind.schemas().parts);
        let fits = check_name(&self.names(), G::NAME)
            .and_then(|()| check_flags(flags, G::FLAGS))
            .and_then(|()| check_schemas(parts, newcomer.schemas().parts.into_iter()));
        if let Err(misfit) = fits {
            panic!("the game {:?}: {misfit}", G::NAME);
        }
        let mut kinds = self.0.kinds.clone();
        kinds.push(Arc::new(newcomer));
        Registry(Arc::new(RegistryInner {
            kinds,
            texts: Default::default(),
            disguise: self.0.disguise,
        }))
    }

    /// These games, with all that is said in files disguised: a test sees what is said elsewhere.
    #[must_use]
    pub fn pseudo_localized(&self, disguise: PseudoLocalizer) -> Self {
        Registry(Arc::new(RegistryInner {
            kinds: self.0.kinds.clone(),
            texts: Default::default(),
            disguise: Some(disguise),
        }))
    }

    /// Every game, in the order people see. There is at least one.
    pub fn game_types(&self) -> impl Iterator<Item = &dyn GameType> + Clone {
        self.0.kinds.iter().map(|kind| &**kind)
    }

    /// The game that is played where nobody says which: the first one.
    #[must_use]
    pub fn default_game(&self) -> &dyn GameType {
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
    pub fn game_type(&self, name: &str) -> Result<&dyn GameType, UnknownGameError> {
        let mut kinds = self.game_types();
        let named = kinds.find(|kind| kind.name() == name);
        named.ok_or_else(|| UnknownGameError(name.to_owned()))
    }

    /// The game that the book's page plays, where one of them has that page.
    #[must_use]
    pub fn book(&self) -> Option<BookGame> {
        self.game_types().find_map(GameType::book)
    }

    /// The names of all games.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.game_types().map(GameType::name).collect()
    }

    /// The names of all games, as a sentence lists them: `dice and trilobite`.
    #[must_use]
    pub fn joined_names(&self, conjunction: &str) -> String {
        match self.names().as_slice() {
            [first @ .., last] if !first.is_empty() => {
                format!("{} {conjunction} {last}", first.join(", "))
            }
            names => names.concat(),
        }
    }

    /// The sentences of a language: the platform's and those of every game.
    #[must_use]
    pub fn translations(&self, language: Language) -> &Translations {
        self.0.texts[language as usize].get_or_init(|| {
            let words =
                |language: Language| self.game_types().map(move |kind| kind.words(language.tag()));
            let others = self.game_types().filter_map(|kind| kind.other());
            Translations::new(language, words, self.0.disguise).with_other_games(others.collect())
        })
    }

    /// The game of a kept record, whichever it is, replayed and checked.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn resume(&self, kept: &SavedGame<'_>) -> Result<LiveGameRef, GameLoadError> {
        let mut parameters =
            JsonFields::read(kept.parameters).map_err(GameLoadError::Parameters)?;
        let name: Option<String> = parameters.take("game").map_err(GameLoadError::Parameters)?;
        let kind = self.game_type(&name.unwrap_or_default());
        let kind = kind.map_err(|unknown| GameLoadError::Parameters(unknown.into()))?;
        kind.resume(parameters, kept)
    }
}

/// Why a game cannot stand beside the others.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
enum RegistrationError {
    #[error("a name is lower-case letters, digits and hyphens")]
    Name,
    #[error("another game is called so")]
    TwoGames,
    #[error("--{0} is an argument of the commands themselves")]
    ReservedFlag(&'static str),
    #[error("two flags are called --{0}, and not both take a number")]
    TwoFlags(&'static str),
    #[error("two schemas are called {0} and say different things")]
    TwoSchemas(String),
}

fn check_name(seated: &[&str], name: &str) -> Result<(), RegistrationError> {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(RegistrationError::Name);
    }
    if seated.contains(&name) {
        return Err(RegistrationError::TwoGames);
    }
    Ok(())
}

fn check_flags<'f>(
    seated: impl Iterator<Item = &'f GameFlag> + Clone,
    flags: &'static [GameFlag],
) -> Result<(), RegistrationError> {
    for (number, flag) in flags.iter().enumerate() {
        if RESERVED.contains(&flag.name) {
            return Err(RegistrationError::ReservedFlag(flag.name));
        }
        let is_named = |other: &&GameFlag| other.name == flag.name;
        let twice = flags.iter().skip(number + 1).any(|other| is_named(&other));
        let mut shared = seated.clone().filter(is_named);
        if twice || shared.any(|other| !flag.agrees_with(other)) {
            return Err(RegistrationError::TwoFlags(flag.name));
        }
    }
    Ok(())
}

fn check_schemas(
    seated: impl Iterator<Item = NamedSchema>,
    schemas: impl Iterator<Item = NamedSchema>,
) -> Result<(), RegistrationError> {
    let mut known: BTreeMap<String, RefOr<Schema>> = BTreeMap::new();
    for NamedSchema { name, schema } in seated.chain(schemas) {
        match known.entry(name) {
            Entry::Occupied(before) if *before.get() != schema => {
                return Err(RegistrationError::TwoSchemas(before.key().clone()));
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(free) => {
                free.insert(schema);
            }
        }
    }
    Ok(())
}

impl From<UnknownGameError> for super::FieldError {
    fn from(unknown: UnknownGameError) -> Self {
        super::FieldError(unknown.to_string())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registry").field(&self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::FlagValue;

    const SIDE: GameFlag = GameFlag::number("side", "size", "Hexes along each side");
    const SIDE_WORD: GameFlag = GameFlag {
        value: FlagValue::Word {
            words: Vec::new,
            check: |_| Ok(()),
        },
        ..SIDE
    };
    const SEED: GameFlag = GameFlag::number("seed", "seed", "The seed");

    #[test]
    #[should_panic(expected = "another game is called so")]
    fn two_games_of_one_name() {
        let _ = Registry::builtin().with_game::<Trilobite>();
    }

    #[test]
    fn names_that_addresses_can_hold() {
        for name in ["pig", "connect-4"] {
            assert_eq!(check_name(&["dice"], name), Ok(()));
        }
        for name in ["", "Pig", "the pig", "pig/sow", "go!", "räuber"] {
            assert_eq!(
                check_name(&["dice"], name),
                Err(RegistrationError::Name),
                "{name}"
            );
        }
        assert_eq!(
            check_name(&["dice"], "dice"),
            Err(RegistrationError::TwoGames)
        );
    }

    #[test]
    fn flags_that_the_commands_can_tell_apart() {
        let fit = |seated: &[GameFlag], flags| check_flags(seated.iter(), flags);
        assert_eq!(fit(&[SIDE], &[SIDE]), Ok(()));
        for (seated, flags) in [
            (&[SIDE][..], &[SIDE_WORD][..]),
            (&[SIDE_WORD], &[SIDE]),
            (&[SIDE_WORD], &[SIDE_WORD]),
            (&[], &[SIDE, SIDE]),
        ] {
            assert_eq!(fit(seated, flags), Err(RegistrationError::TwoFlags("side")));
        }
        assert_eq!(
            fit(&[], &[SEED]),
            Err(RegistrationError::ReservedFlag("seed"))
        );
    }

    #[test]
    fn schemas_of_one_name_say_the_same() {
        let games = Registry::builtin();
        let own = games.game_type("dice").unwrap().schemas();
        let parts = || own.parts.iter().cloned();
        assert_eq!(check_schemas(parts(), parts()), Ok(()));
        let name = own.parts[0].name.clone();
        let other = NamedSchema {
            name: name.clone(),
            schema: own.state.clone(),
        };
        let both = check_schemas(parts(), [other].into_iter());
        assert_eq!(both, Err(RegistrationError::TwoSchemas(name)));
    }
}
