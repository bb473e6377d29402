//! Who sits at a table, and how the table goes on: the words that archive and service share.
//!
//! A [`Seat`] is what is kept: its [`SeatOccupant`] carries exactly the secrets that open it, all of them
//! hashed. A [`SeatSpec`] is what somebody asks for who sets up a game: there are no secrets yet. Who
//! may change a seat is not told here (see [`crate::service`]).

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::Deserialize;

use crate::level::{Level, LevelSpec, LevelSpecError};
use crate::secret::{Nonce, SecretHash};

mod opponent_preset;

pub use opponent_preset::{OpponentPreset, OpponentPresetError, RematchLevels};

/// When a computer's turn is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputerPace {
    /// As soon as it is its turn.
    AtOnce,
    /// When somebody asks for it, as on the book's page.
    OnRequest,
}

impl ComputerPace {
    /// Both paces.
    pub const ALL: [ComputerPace; 2] = [ComputerPace::AtOnce, ComputerPace::OnRequest];

    /// The name in requests and in the archive.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ComputerPace::AtOnce => "at-once",
            ComputerPace::OnRequest => "on-request",
        }
    }
}

impl FromStr for ComputerPace {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut paces = Self::ALL.into_iter();
        paces.find(|pace| pace.name() == text).ok_or(())
    }
}

/// The most simulations a decision that a computer of a server may be told to make: some of them are more
/// than any level's own, and none takes longer than a few seconds.
pub const MOST_SIMULATIONS: u64 = 50_000;

/// How long the others may be asked to wait for a move, in seconds: up to 30 days.
const REPLACE_AFTER_S: RangeInclusive<u32> = 1..=30 * 24 * 60 * 60;

/// Nobody can be asked to wait that long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("replace_after_s is {} to {}, or null", REPLACE_AFTER_S.start(), REPLACE_AFTER_S.end())]
pub struct ReplacementDelayError;

/// After how many seconds without a ply the others may let a computer play: 1 to 30 days of them, or
/// never.
///
/// # Errors
/// When it is another number.
pub fn replace_after(seconds: Option<u32>) -> Result<Option<u32>, ReplacementDelayError> {
    let fits = seconds.is_none_or(|seconds| REPLACE_AFTER_S.contains(&seconds));
    fits.then_some(seconds).ok_or(ReplacementDelayError)
}

/// What a rematch begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RematchKind {
    /// A new deal, everybody on their own seat.
    New,
    /// The same start, everybody one seat on.
    Same,
    /// A new deal against computers that are one level weaker.
    Easier,
    /// A new deal against computers that are one level stronger.
    Harder,
}

impl RematchKind {
    /// Every kind.
    pub const ALL: [RematchKind; 4] = [
        RematchKind::New,
        RematchKind::Same,
        RematchKind::Easier,
        RematchKind::Harder,
    ];

    /// The name in forms and in the archive.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RematchKind::New => "new",
            RematchKind::Same => "same",
            RematchKind::Easier => "easier",
            RematchKind::Harder => "harder",
        }
    }
}

impl FromStr for RematchKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| kind.name() == text).ok_or(())
    }
}

/// All seats of a game, and how often they were changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seats {
    /// 0 at creation, one more with each change.
    pub revision: u32,
    /// One a player, in the order of players.
    pub seats: Vec<Seat>,
}

/// Who plays as one player; the index in its `Vec` is the player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seat {
    /// Who sits here.
    pub sitter: SeatOccupant,
    /// Unix time at which the sitter sat down, in milliseconds; the first release did not note it.
    pub since_ms: Option<i64>,
}

/// Who sits in a seat, and what opens it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatOccupant {
    /// Nobody yet.
    Open {
        /// The link with which the seat can be taken; none until the host of a rematch asks for it.
        invitation: Option<Invitation>,
    },
    /// A person in a browser.
    Person {
        /// What opens the seat.
        keys: PersonCredentials,
        /// The name shown, where one was given.
        name: Option<String>,
    },
    /// A program speaking the API.
    Program {
        /// What opens the seat.
        keys: ProgramCredentials,
        /// The name shown, where one was given.
        name: Option<String>,
    },
    /// A computer of this server.
    Level {
        /// How strong.
        level: SeatLevel,
        /// The keys of whoever left the seat to the level. They move nothing any more, but their
        /// holder may watch to the end.
        left: Option<SeatCredentials>,
    },
}

impl SeatOccupant {
    /// A computer in a seat that was nobody's before.
    #[must_use]
    pub fn level(level: impl Into<LevelSpec>) -> Self {
        SeatOccupant::Level {
            level: SeatLevel::Known(level.into()),
            left: None,
        }
    }

    /// Whether somebody sits here whose moves come from outside: a person or a program.
    #[must_use]
    pub const fn is_human(&self) -> bool {
        matches!(
            self,
            SeatOccupant::Person { .. } | SeatOccupant::Program { .. }
        )
    }

    /// The keys of whoever sits here, or sat here before a level did.
    #[must_use]
    pub const fn keys(&self) -> Option<SeatCredentials> {
        match self {
            SeatOccupant::Open { .. } => None,
            SeatOccupant::Person { keys, .. } => Some(SeatCredentials::Person(*keys)),
            SeatOccupant::Program { keys, .. } => Some(SeatCredentials::Program(*keys)),
            SeatOccupant::Level { left, .. } => *left,
        }
    }

    /// The name shown, where one was given; of an open seat that of the program that is asked to play.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            SeatOccupant::Person { name, .. } | SeatOccupant::Program { name, .. } => {
                name.as_deref()
            }
            SeatOccupant::Open {
                invitation: Some(Invitation::Program { name, .. }),
            } => Some(name),
            SeatOccupant::Open { .. } | SeatOccupant::Level { .. } => None,
        }
    }
}

/// The token of a link, hashed, and what it was derived with (see [`crate::secret::Secret::derive`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DerivedToken {
    /// The hash of the token.
    pub token: SecretHash,
    /// What makes the next link of the seat another one.
    pub nonce: Nonce,
}

/// What takes an open seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Invitation {
    /// Drawn, and told once to the program that set up the game.
    Told(SecretHash),
    /// Derived from the secret of the browser that set up the game, so its page can show it again.
    Derived(DerivedToken),
    /// A program with an identity of its own is asked to play, and nobody else can sit down.
    Program {
        /// The hash of the program's token.
        token: SecretHash,
        /// What the program is called.
        name: String,
    },
}

impl Invitation {
    /// The hash of the token in the link.
    #[must_use]
    pub const fn token(&self) -> &SecretHash {
        match self {
            Invitation::Told(token)
            | Invitation::Derived(DerivedToken { token, .. })
            | Invitation::Program { token, .. } => token,
        }
    }
}

/// What opens a person's seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PersonCredentials {
    /// The browser whose seat this is.
    pub browser: SecretHash,
    /// The link to come back, on another device; none on the book's page, and in a rematch none
    /// until the person asks for it.
    pub back: Option<DerivedToken>,
    /// The token in the link with which the seat was taken; of a link to come back
    /// [another hash](SecretHash::of_return), and that link goes on to open the seat.
    pub joined: Option<SecretHash>,
}

/// What opens a program's seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramCredentials {
    /// The token that the program shows with every ply.
    pub token: SecretHash,
    /// A browser that was shown the token and now has the seat too.
    pub browser: Option<SecretHash>,
    /// The token in the link with which the seat was taken.
    pub joined: Option<SecretHash>,
}

/// What opens a seat that somebody sits in, or sat in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatCredentials {
    /// Of a person.
    Person(PersonCredentials),
    /// Of a program.
    Program(ProgramCredentials),
}

impl SeatCredentials {
    /// The browser that has the seat.
    #[must_use]
    pub const fn browser(&self) -> Option<&SecretHash> {
        match self {
            SeatCredentials::Person(keys) => Some(&keys.browser),
            SeatCredentials::Program(keys) => keys.browser.as_ref(),
        }
    }

    /// The token that moves for the seat: a program's own, or the one in a person's link to come
    /// back.
    #[must_use]
    pub const fn token(&self) -> Option<&SecretHash> {
        match self {
            SeatCredentials::Person(PersonCredentials { back, .. }) => match back {
                Some(link) => Some(&link.token),
                None => None,
            },
            SeatCredentials::Program(keys) => Some(&keys.token),
        }
    }

    /// The token in the link with which the seat was taken.
    #[must_use]
    pub const fn joined(&self) -> Option<&SecretHash> {
        match self {
            SeatCredentials::Person(keys) => keys.joined.as_ref(),
            SeatCredentials::Program(keys) => keys.joined.as_ref(),
        }
    }
}

/// How strong the computer in a seat is, by the name that is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatLevel {
    /// A level of this release, with its own number of simulations or another one.
    Known(LevelSpec),
    /// A name that this release does not know. It is kept and shown as it is; the book plays.
    Unknown(String),
}

impl SeatLevel {
    /// The name that is kept: `master`, or `master:400` with a number of simulations.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            SeatLevel::Known(LevelSpec {
                level,
                simulations: None,
            }) => level.name().into(),
            SeatLevel::Known(strength) => strength.to_string().into(),
            SeatLevel::Unknown(name) => name.into(),
        }
    }

    /// The name of the level that is shown.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            SeatLevel::Known(strength) => strength.level.name(),
            SeatLevel::Unknown(name) => name,
        }
    }

    /// What plays.
    #[must_use]
    pub fn plays(&self) -> LevelSpec {
        match self {
            SeatLevel::Known(strength) => *strength,
            SeatLevel::Unknown(_) => Level::Book.into(),
        }
    }
}

impl From<String> for SeatLevel {
    fn from(name: String) -> Self {
        match name.parse() {
            Ok(strength) => SeatLevel::Known(strength),
            Err(_) => SeatLevel::Unknown(name),
        }
    }
}

/// Who is to sit in a seat of a new game, in one word.
///
/// ```
/// use dice_of_doom::level::Level;
/// use dice_of_doom::seats::SeatWord;
///
/// assert_eq!("open".parse(), Ok(SeatWord::Open));
/// assert_eq!("master".parse(), Ok(SeatWord::Level(Level::Master.into())));
/// assert_eq!("master:400".parse::<SeatWord>().unwrap().to_string(), "master:400");
/// assert_eq!(SeatWord::Human.to_string(), "human");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatSpec {
    /// Whoever sets up the game.
    Human,
    /// Whoever has the invitation.
    Open,
    /// A computer.
    Level(LevelSpec),
}

impl SeatSpec {
    /// Every word: `human`, `open`, then the levels with their own numbers of simulations, weakest first.
    pub fn all() -> impl Iterator<Item = SeatSpec> {
        let levels = Level::ALL.map(|level| SeatSpec::Level(level.into()));
        [SeatSpec::Human, SeatSpec::Open].into_iter().chain(levels)
    }

    /// The seats of a game of so many players where nobody names them: a person in the first one, the
    /// book's computers in the others.
    pub fn usual(players: u8) -> impl Iterator<Item = SeatSpec> {
        (0..players).map(|seat| match seat {
            0 => SeatSpec::Human,
            _ => SeatSpec::Level(Level::Book.into()),
        })
    }
}

impl fmt::Display for SeatSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeatSpec::Human => f.write_str("human"),
            SeatSpec::Open => f.write_str("open"),
            SeatSpec::Level(strength) => strength.fmt(f),
        }
    }
}

/// The word stands for nobody who can sit at a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a seat is human, open or a level: {0}")]
pub struct SeatSpecError(pub LevelSpecError);

impl FromStr for SeatSpec {
    type Err = SeatSpecError;

    fn from_str(word: &str) -> Result<Self, SeatSpecError> {
        match word {
            "human" => Ok(SeatSpec::Human),
            "open" => Ok(SeatSpec::Open),
            level => level.parse().map(SeatSpec::Level).map_err(SeatSpecError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::UnknownLevelError;

    #[test]
    fn a_pace_has_one_name() {
        for pace in ComputerPace::ALL {
            assert_eq!(pace.name().parse(), Ok(pace));
            let read: Result<ComputerPace, _> = serde_json::from_value(pace.name().into());
            assert_eq!(read.unwrap(), pace);
        }
    }

    #[test]
    fn nobody_is_asked_to_wait_longer_than_a_month() {
        for fits in [None, Some(1), Some(2_592_000)] {
            assert_eq!(replace_after(fits), Ok(fits));
        }
        for wrong in [0, 2_592_001] {
            let sentence = replace_after(Some(wrong)).unwrap_err().to_string();
            assert_eq!(sentence, "replace_after_s is 1 to 2592000, or null");
        }
    }

    #[test]
    fn every_word_is_read_as_it_is_written() {
        for word in SeatSpec::all() {
            assert_eq!(word.to_string().parse(), Ok(word));
        }
        for wrong in ["", "Human", "level", "human ", "god"] {
            let refused = wrong.parse::<SeatSpec>();
            let unknown = UnknownLevelError(wrong.to_owned()).into();
            assert_eq!(refused, Err(SeatSpecError(unknown)));
        }
    }

    #[test]
    fn a_level_that_is_not_known_keeps_its_name_and_plays_as_the_book() {
        let known = SeatLevel::from("master".to_owned());
        assert_eq!(known, SeatLevel::Known(Level::Master.into()));
        let thrifty = SeatLevel::from("master:400".to_owned());
        assert_eq!(
            (&*thrifty.name(), thrifty.shown()),
            ("master:400", "master")
        );
        for name in ["grandmaster", "", "master:0", "master:0400", "master:+4"] {
            let unknown = SeatLevel::from(name.to_owned());
            assert_eq!((&*unknown.name(), unknown.shown()), (name, name));
            assert_eq!(unknown.plays(), Level::Book.into());
        }
    }
}
