//! Registry of the available games. The server, the engine, the terminal and the arena each receive one.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::book_page::BookGame;
use super::cli::RESERVED;
use super::game_type::TypedGameType;
use super::{GameFlag, GameType, LiveGameRef, RegistrableGame};
use crate::formats::saved_game::{GameLoadError, SavedGame};
use crate::formats::{FieldError, JsonFields};
use crate::templates::game::GameTitle;
use crate::templates::localization::{Language, PseudoLocalizer, Translations};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::builtin::install;
use dice_of_doom_games::dice_of_doom::nnue::codec::NnueFileError;
use dice_of_doom_games::dice_of_doom::nnue::trained::TrainedNetwork;
use dice_of_doom_games::trilobite::Trilobite;

/// The available games in display order, with their translations. Clones share the data.
#[derive(Clone)]
pub struct Registry(Arc<RegistryInner>);

#[derive(Default)]
struct RegistryInner {
    kinds: Vec<Arc<dyn GameType>>,
    /// One per language, parsed on first use.
    texts: [OnceLock<Translations>; Language::ALL.len()],
    disguise: Option<PseudoLocalizer>,
    base_path: String,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no game called {0:?}")]
pub struct UnknownGameError(pub String);

/// Installs trained weights from the bytes of a file for the games that they support, and returns the names of
/// those games. Call it at most once per process, before any search.
///
/// # Errors
/// If the data is not a weights file, has another version or shape, or is damaged.
///
/// # Panics
/// If weights have already been installed.
pub fn install_weights(file: &[u8]) -> Result<String, NnueFileError> {
    let weights = TrainedNetwork::from_bytes(file)?;
    let games = weights.description();
    install(weights);
    Ok(games)
}

impl Registry {
    /// The built-in games: Dice of Doom, then Trilobite.
    #[must_use]
    pub fn builtin() -> Self {
        Registry(Arc::default())
            .with_game::<DiceOfDoom>()
            .with_game::<Trilobite>()
    }

    /// A registry with one more game.
    ///
    /// # Panics
    /// If the game is not compatible with the registry (a programming error, which shows at start-up):
    ///
    /// - its name is empty, has other characters than lower-case letters, digits and hyphens, or is already
    ///   used;
    /// - a flag is defined twice, has the name of a reserved argument, or takes another type than a flag of the
    ///   same name of another game.
    #[must_use]
    pub fn with_game<G: RegistrableGame>(&self) -> Self {
        let game_type = TypedGameType::<G>::new();
        let flags = self.game_types().flat_map(GameType::flags);
        let fits = check_name(&self.names(), G::NAME).and_then(|()| check_flags(flags, G::FLAGS));
        if let Err(error) = fits {
            panic!("the game {:?}: {error}", G::NAME);
        }
        let mut kinds = self.0.kinds.clone();
        kinds.push(Arc::new(game_type));
        Registry(Arc::new(RegistryInner {
            kinds,
            texts: Default::default(),
            disguise: self.0.disguise,
            base_path: self.0.base_path.clone(),
        }))
    }

    /// A registry whose translations are pseudo-localized, so that tests find text that is not in translation
    /// files.
    #[must_use]
    pub fn pseudo_localized(&self, disguise: PseudoLocalizer) -> Self {
        Registry(Arc::new(RegistryInner {
            kinds: self.0.kinds.clone(),
            texts: Default::default(),
            disguise: Some(disguise),
            base_path: self.0.base_path.clone(),
        }))
    }

    /// A registry whose translations write the site's paths with this one before them, which is empty or such as `/dice`.
    #[must_use]
    pub fn with_base_path(&self, base_path: &str) -> Self {
        if self.0.base_path == base_path {
            return self.clone();
        }
        Registry(Arc::new(RegistryInner {
            kinds: self.0.kinds.clone(),
            texts: Default::default(),
            disguise: self.0.disguise,
            base_path: base_path.to_owned(),
        }))
    }

    /// All games in display order; at least one.
    pub fn game_types(&self) -> impl Iterator<Item = &dyn GameType> + Clone {
        self.0.kinds.iter().map(|kind| &**kind)
    }

    /// The first game, which is the default.
    #[must_use]
    pub fn default_game(&self) -> &dyn GameType {
        &**self
            .0
            .kinds
            .first()
            .expect("a registry contains at least the built-in games")
    }

    /// The games that have a start page of their own.
    pub fn other_games(&self) -> impl Iterator<Item = GameTitle> {
        let kinds = self.game_types();
        let others = kinds.filter(|kind| kind.start_offer().is_some());
        others.map(GameType::page_name)
    }

    /// # Errors
    /// If no game has this name.
    pub fn game_type(&self, name: &str) -> Result<&dyn GameType, UnknownGameError> {
        let mut kinds = self.game_types();
        let named = kinds.find(|kind| kind.name() == name);
        named.ok_or_else(|| UnknownGameError(name.to_owned()))
    }

    /// A new game that starts at a position in compact notation, `GAME.…`; `None` if the text is not a legal position of
    /// a registered game.
    pub fn game_at_position(&self, text: &str) -> Option<LiveGameRef> {
        let (name, position) = text.split_once('.')?;
        self.game_type(name).ok()?.game_from_compact(position).ok()
    }

    /// The game of the book page, if a registered game has one.
    #[must_use]
    pub fn book(&self) -> Option<BookGame> {
        self.game_types().find_map(GameType::book_game)
    }

    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.game_types().map(GameType::name).collect()
    }

    /// The names as an English list: `dice and trilobite`.
    #[must_use]
    pub fn joined_names(&self, conjunction: &str) -> String {
        match self.names().as_slice() {
            [first @ .., last] if !first.is_empty() => {
                format!("{} {conjunction} {last}", first.join(", "))
            }
            names => names.concat(),
        }
    }

    /// The translations of the platform and of every game.
    #[must_use]
    pub fn translations(&self, language: Language) -> &Translations {
        self.0.texts[language as usize].get_or_init(|| {
            let sources = |language: Language| {
                self.game_types()
                    .map(move |kind| kind.fluent_source(language.tag()))
            };
            Translations::new(language, sources, self.0.disguise)
                .with_other_games(self.other_games().collect())
                .with_base_path(self.0.base_path.clone())
        })
    }

    /// Restores a game from stored data: replays and validates it.
    ///
    /// # Errors
    /// The first entry or field that is invalid.
    pub fn load(&self, saved: &SavedGame<'_>) -> Result<LiveGameRef, GameLoadError> {
        let (kind, parameters) = self.parse_parameters(saved.parameters)?;
        kind.load(parameters, saved)
    }

    /// The game that stored parameters name, and the other parameters.
    pub(super) fn parse_parameters(
        &self,
        parameters: &str,
    ) -> Result<(&dyn GameType, JsonFields), GameLoadError> {
        let mut parameters = JsonFields::parse(parameters).map_err(GameLoadError::Parameters)?;
        let name: Option<String> = parameters.take("game").map_err(GameLoadError::Parameters)?;
        let kind = self.game_type(&name.unwrap_or_default());
        let kind = kind.map_err(|unknown| GameLoadError::Parameters(unknown.into()))?;
        Ok((kind, parameters))
    }
}

/// Why a game cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
enum RegistrationError {
    #[error("a name consists of lower-case letters, digits and hyphens")]
    Name,
    #[error("another game has the same name")]
    DuplicateGame,
    #[error("--{0} is a reserved argument of the commands")]
    ReservedFlag(&'static str),
    #[error("two flags are named --{0} but do not both take a number")]
    DuplicateFlag(&'static str),
}

fn check_name(registered: &[&str], name: &str) -> Result<(), RegistrationError> {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(RegistrationError::Name);
    }
    if registered.contains(&name) {
        return Err(RegistrationError::DuplicateGame);
    }
    Ok(())
}

fn check_flags<'f>(
    registered: impl Iterator<Item = &'f GameFlag> + Clone,
    flags: &'static [GameFlag],
) -> Result<(), RegistrationError> {
    for (number, flag) in flags.iter().enumerate() {
        if RESERVED.contains(&flag.name) {
            return Err(RegistrationError::ReservedFlag(flag.name));
        }
        let is_named = |other: &&GameFlag| other.name == flag.name;
        let is_duplicate = flags.iter().skip(number + 1).any(|other| is_named(&other));
        let mut shared = registered.clone().filter(is_named);
        if is_duplicate || shared.any(|other| !flag.agrees_with(other)) {
            return Err(RegistrationError::DuplicateFlag(flag.name));
        }
    }
    Ok(())
}

impl From<UnknownGameError> for FieldError {
    fn from(unknown: UnknownGameError) -> Self {
        FieldError(unknown.to_string())
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
    use crate::games::FlagValue;

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
    #[should_panic(expected = "another game has the same name")]
    fn a_duplicate_name_is_rejected() {
        let _ = Registry::builtin().with_game::<Trilobite>();
    }

    #[test]
    fn names_are_valid_in_urls() {
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
            Err(RegistrationError::DuplicateGame)
        );
    }

    #[test]
    fn conflicting_flags_are_rejected() {
        let check = |registered: &[GameFlag], flags| check_flags(registered.iter(), flags);
        assert_eq!(check(&[SIDE], &[SIDE]), Ok(()));
        for (registered, flags) in [
            (&[SIDE][..], &[SIDE_WORD][..]),
            (&[SIDE_WORD], &[SIDE]),
            (&[SIDE_WORD], &[SIDE_WORD]),
            (&[], &[SIDE, SIDE]),
        ] {
            assert_eq!(
                check(registered, flags),
                Err(RegistrationError::DuplicateFlag("side"))
            );
        }
        assert_eq!(
            check(&[], &[SEED]),
            Err(RegistrationError::ReservedFlag("seed"))
        );
    }
}
