//! Seats of a game, shared by the store and the service.
//!
//! A stored [`Seat`] has a [`SeatOccupant`] with the credentials that give access to it, all of them hashed. A
//! [`SeatSpec`] is a seat as requested for a new game, without credentials. The rules for changing seats are in
//! [`crate::tables`].

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::Deserialize;

use crate::level::{Level, LevelSpec, LevelSpecError};
use crate::secret::{Nonce, SecretHash};

mod credentials;
mod opponent_preset;
mod phrase;
mod waiting;

pub use credentials::Credentials;
pub(crate) use credentials::matches_hash;
pub use opponent_preset::{OpponentPreset, OpponentPresetError, RematchLevels};
pub use phrase::{Phrase, SaidPhrase};
pub use waiting::{AwaitedStart, START_DELAY_MS, Waiting};

/// When a computer's turn is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputerPace {
    AtOnce,
    /// On request of a client, as on the book's page.
    OnRequest,
}

impl ComputerPace {
    pub const ALL: [ComputerPace; 2] = [ComputerPace::AtOnce, ComputerPace::OnRequest];

    /// The name in requests and in the store.
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

/// Maximum simulations per decision that a client may request for a computer player: above the default of every level
/// that simulates, and a few seconds at most.
pub const MAX_SIMULATIONS: u64 = 50_000;

/// Valid replacement delays in seconds: up to 30 days.
const REPLACE_AFTER_S: RangeInclusive<u32> = 1..=30 * 24 * 60 * 60;

/// The replacement delay is out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("replace_after_s is {} to {}, or null", REPLACE_AFTER_S.start(), REPLACE_AFTER_S.end())]
pub struct ReplacementDelayError;

/// Checks the delay in seconds without a ply after which other players may let a computer play: 1 second to 30 days, or
/// `None` for never.
///
/// # Errors
/// If the delay is out of range.
pub fn replace_after(seconds: Option<u32>) -> Result<Option<u32>, ReplacementDelayError> {
    let fits = seconds.is_none_or(|seconds| REPLACE_AFTER_S.contains(&seconds));
    fits.then_some(seconds).ok_or(ReplacementDelayError)
}

/// Valid times for a turn in seconds: up to 14 days.
const TURN_S: RangeInclusive<u32> = 10..=14 * 24 * 60 * 60;

/// The time for a turn is out of range, or the computers move on request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("turn_s is {} to {}, or null; where computers move on request it is null", TURN_S.start(), TURN_S.end())]
pub struct TurnTimeError;

/// Checks the seconds that a person has for a turn: 10 seconds to 14 days, or `None` without a clock.
///
/// # Errors
/// If the time is out of range, or the computers move on request.
pub fn turn_time(seconds: Option<u32>, pace: ComputerPace) -> Result<Option<u32>, TurnTimeError> {
    let fits =
        seconds.is_none_or(|seconds| TURN_S.contains(&seconds) && pace == ComputerPace::AtOnce);
    fits.then_some(seconds).ok_or(TurnTimeError)
}

/// The start and opponents of a rematch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RematchKind {
    /// A new deal, with the same seats.
    New,
    /// The same start, with all occupants moved on by one seat.
    Same,
    /// A new deal against computers that are one level weaker.
    Easier,
    /// A new deal against computers that are one level stronger.
    Harder,
}

impl RematchKind {
    pub const ALL: [RematchKind; 4] = [
        RematchKind::New,
        RematchKind::Same,
        RematchKind::Easier,
        RematchKind::Harder,
    ];

    /// The name in forms and in the store.
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

/// All seats of a game, with a revision number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seats {
    /// 0 at creation, incremented with each change.
    pub revision: u32,
    /// One per player, in the order of players.
    pub seats: Vec<Seat>,
    /// The browser that has the rights of the game's creator, if they have moved to another browser.
    pub host: Option<SecretHash>,
    /// `None` once the game has started.
    pub waiting: Option<Box<Waiting>>,
}

impl Seats {
    /// The seats of a new game.
    #[must_use]
    pub const fn new(seats: Vec<Seat>) -> Self {
        Seats {
            revision: 0,
            seats,
            host: None,
            waiting: None,
        }
    }

    /// The seats of a new game, which waits for players if a seat is open to anybody.
    #[must_use]
    pub fn awaiting_players(seats: Vec<Seat>, link: impl FnOnce() -> Option<DerivedToken>) -> Self {
        let is_free = seats.iter().any(|seat| seat.occupant.is_open_to_anybody());
        let start = AwaitedStart::People;
        Seats {
            waiting: is_free.then(|| {
                let link = link();
                Box::new(Waiting { link, start })
            }),
            ..Seats::new(seats)
        }
    }

    /// The browser that has the rights of the game's creator.
    #[must_use]
    pub fn host<'a>(&'a self, creator: Option<&'a SecretHash>) -> Option<&'a SecretHash> {
        self.host.as_ref().or(creator)
    }

    /// Moves a browser's seats, and the rights of the creator, to another browser, as the next revision. Return links
    /// become invalid: they are derived from the browser's secret. Returns whether the browser had a part in the game.
    pub fn move_browser(
        &mut self,
        creator: Option<&SecretHash>,
        from: &SecretHash,
        to: &SecretHash,
    ) -> bool {
        let is_host = self.host(creator) == Some(from);
        if is_host {
            self.host = Some(*to);
        }
        let mut has_part = is_host;
        for seat in &mut self.seats {
            let mut credentials = seat.occupant.credentials();
            match &mut credentials {
                Some(SeatCredentials::Person(person)) if person.browser == *from => {
                    *person = PersonCredentials {
                        browser: *to,
                        return_link: None,
                        joined_by: None,
                    };
                }
                Some(SeatCredentials::Program(program)) if program.browser == Some(*from) => {
                    program.browser = Some(*to);
                }
                _ => continue,
            }
            seat.occupant.replace_credentials(credentials);
            has_part = true;
        }
        self.revision += u32::from(has_part);
        has_part
    }
}

/// The seat of one player; its index in [`Seats::seats`] is the player's number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seat {
    pub occupant: SeatOccupant,
    /// Unix time in milliseconds at which the occupant took the seat, or at which the game started if it waited for
    /// players then; `None` in games of the first release.
    pub since_ms: Option<i64>,
}

/// The occupant of a seat, with their credentials.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatOccupant {
    Open {
        /// What gives access to this seat alone.
        invitation: Option<Invitation>,
    },
    Person {
        credentials: PersonCredentials,
        name: Option<String>,
    },
    /// A program that uses the API.
    Program {
        credentials: ProgramCredentials,
        name: Option<String>,
    },
    /// A computer player of this server.
    Level {
        level: SeatLevel,
        /// The previous occupant, if a level replaced one.
        replaced: Option<Box<FormerOccupant>>,
    },
}

impl SeatOccupant {
    /// A computer player without a previous occupant.
    #[must_use]
    pub fn level(level: impl Into<LevelSpec>) -> Self {
        SeatOccupant::Level {
            level: SeatLevel::Known(level.into()),
            replaced: None,
        }
    }

    /// Whether anybody may take the seat: no program is invited to it.
    #[must_use]
    pub const fn is_open_to_anybody(&self) -> bool {
        matches!(
            self,
            SeatOccupant::Open {
                invitation: None | Some(Invitation::Random(_))
            }
        )
    }

    /// Whether a person or a program plays here.
    #[must_use]
    pub const fn is_human(&self) -> bool {
        matches!(
            self,
            SeatOccupant::Person { .. } | SeatOccupant::Program { .. }
        )
    }

    /// The credentials of the occupant, or of the one that a level replaced.
    #[must_use]
    pub fn credentials(&self) -> Option<SeatCredentials> {
        match self {
            SeatOccupant::Open { .. } => None,
            SeatOccupant::Person { credentials, .. } => Some(SeatCredentials::Person(*credentials)),
            SeatOccupant::Program { credentials, .. } => {
                Some(SeatCredentials::Program(*credentials))
            }
            SeatOccupant::Level { .. } => self.former().map(|former| former.credentials),
        }
    }

    /// Who left this seat to the computer that plays here.
    #[must_use]
    pub fn former(&self) -> Option<&FormerOccupant> {
        match self {
            SeatOccupant::Level { replaced, .. } => replaced.as_deref(),
            _ => None,
        }
    }

    /// Replaces the credentials of the same kind of occupant, or of the one that a level replaced.
    fn replace_credentials(&mut self, new: Option<SeatCredentials>) {
        match (self, new) {
            (SeatOccupant::Person { credentials, .. }, Some(SeatCredentials::Person(new))) => {
                *credentials = new;
            }
            (SeatOccupant::Program { credentials, .. }, Some(SeatCredentials::Program(new))) => {
                *credentials = new;
            }
            (
                SeatOccupant::Level {
                    replaced: Some(former),
                    ..
                },
                Some(new),
            ) => former.credentials = new,
            _ => {}
        }
    }

    /// The displayed name, if any; for an open seat the name of the invited program.
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

/// The hashed token of a link, and the nonce of its derivation (see [`crate::secret::Secret::derive`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DerivedToken {
    pub token: SecretHash,
    /// Makes each new link of the seat different.
    pub nonce: Nonce,
}

/// Who left a seat to a computer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormerOccupant {
    /// They may still watch, but not move.
    pub credentials: SeatCredentials,
    pub name: Option<String>,
}

/// What gives access to an open seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Invitation {
    /// A random token, returned once to the program that created the game.
    Random(SecretHash),
    /// A registered program is invited; only it can take the seat.
    Program { token: SecretHash, name: String },
}

impl Invitation {
    /// The hash of the link's token.
    #[must_use]
    pub const fn token(&self) -> &SecretHash {
        match self {
            Invitation::Random(token) | Invitation::Program { token, .. } => token,
        }
    }
}

/// The credentials of a person's seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PersonCredentials {
    pub browser: SecretHash,
    /// The return link for other devices; `None` on the book's page, and in a rematch until the person requests it.
    pub return_link: Option<DerivedToken>,
    /// The hash of the invitation with which the seat was taken, or [the return hash](SecretHash::to_return_hash) of a
    /// return link, which remains usable.
    pub joined_by: Option<SecretHash>,
}

/// The credentials of a program's seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramCredentials {
    /// The token that the program sends with every ply.
    pub token: SecretHash,
    /// A browser that used the token and so has access to the seat, too.
    pub browser: Option<SecretHash>,
    /// The hash of the link with which the seat was taken.
    pub joined_by: Option<SecretHash>,
}

/// The credentials of a current or former occupant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatCredentials {
    Person(PersonCredentials),
    Program(ProgramCredentials),
}

impl SeatCredentials {
    /// The browser with access to the seat.
    #[must_use]
    pub const fn browser(&self) -> Option<&SecretHash> {
        match self {
            SeatCredentials::Person(credentials) => Some(&credentials.browser),
            SeatCredentials::Program(credentials) => credentials.browser.as_ref(),
        }
    }

    /// The token that can move for the seat: a program's token, or that of a person's return link.
    #[must_use]
    pub const fn token(&self) -> Option<&SecretHash> {
        match self {
            SeatCredentials::Person(PersonCredentials {
                return_link: back, ..
            }) => match back {
                Some(link) => Some(&link.token),
                None => None,
            },
            SeatCredentials::Program(credentials) => Some(&credentials.token),
        }
    }

    /// The hash of the link with which the seat was taken.
    #[must_use]
    pub const fn joined_by(&self) -> Option<&SecretHash> {
        match self {
            SeatCredentials::Person(credentials) => credentials.joined_by.as_ref(),
            SeatCredentials::Program(credentials) => credentials.joined_by.as_ref(),
        }
    }
}

/// The level of a computer player, as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatLevel {
    /// A level of this release, with its default number of simulations or another one.
    Known(LevelSpec),
    /// A level name that this release does not know. It is stored and displayed unchanged; the level `book` plays.
    Unknown(String),
}

impl SeatLevel {
    /// The stored name: `master`, or `master:400` with a number of simulations.
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

    /// The displayed level name, without the number of simulations.
    #[must_use]
    pub fn displayed_level(&self) -> &str {
        match self {
            SeatLevel::Known(strength) => strength.level.name(),
            SeatLevel::Unknown(name) => name,
        }
    }

    /// The level that plays: `book` in place of an unknown one.
    #[must_use]
    pub fn effective_level(&self) -> LevelSpec {
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

/// The requested occupant of a seat in a new game, as one word.
///
/// ```
/// use dice_of_doom::level::Level;
/// use dice_of_doom::seats::SeatSpec;
///
/// assert_eq!("open".parse(), Ok(SeatSpec::Open));
/// assert_eq!("master".parse(), Ok(SeatSpec::Level(Level::Master.into())));
/// assert_eq!("master:400".parse::<SeatSpec>().unwrap().to_string(), "master:400");
/// assert_eq!(SeatSpec::Human.to_string(), "human");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatSpec {
    /// The creator of the game.
    Human,
    /// A player with the invitation.
    Open,
    Level(LevelSpec),
}

impl SeatSpec {
    /// All words: `human`, `open`, then the levels with their default numbers of simulations, weakest first.
    pub fn all() -> impl Iterator<Item = SeatSpec> {
        let levels = Level::ALL.iter().copied().map(LevelSpec::from);
        let levels = levels.map(SeatSpec::Level);
        [SeatSpec::Human, SeatSpec::Open].into_iter().chain(levels)
    }

    /// The default seats of a game: a person in the first one, level `book` in the others.
    pub fn default_seats(players: u8) -> impl Iterator<Item = SeatSpec> {
        (0..players).map(|seat| match seat {
            0 => SeatSpec::Human,
            _ => SeatSpec::Level(Level::Book.into()),
        })
    }

    /// The seats of an open table: its creator in the first one, a free one for another person, and computers.
    pub fn two_people(players: u8) -> impl Iterator<Item = SeatSpec> {
        let mut others = OpponentPreset::Medium.seats(players);
        let host = others.next();
        let computers = others.take(usize::from(players).saturating_sub(2));
        host.into_iter().chain([SeatSpec::Open]).chain(computers)
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

/// The word is not a valid seat.
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
    fn the_replacement_delay_is_at_most_30_days() {
        for fits in [None, Some(1), Some(2_592_000)] {
            assert_eq!(replace_after(fits), Ok(fits));
        }
        for wrong in [0, 2_592_001] {
            let message = replace_after(Some(wrong)).unwrap_err().to_string();
            assert_eq!(message, "replace_after_s is 1 to 2592000, or null");
        }
    }

    #[test]
    fn seat_words_round_trip() {
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
    fn an_unknown_level_keeps_its_name_and_plays_as_the_book() {
        let known = SeatLevel::from("master".to_owned());
        assert_eq!(known, SeatLevel::Known(Level::Master.into()));
        let limited = SeatLevel::from("master:400".to_owned());
        assert_eq!(
            (&*limited.name(), limited.displayed_level()),
            ("master:400", "master")
        );
        for name in ["grandmaster", "", "master:0", "master:0400", "master:+4"] {
            let unknown = SeatLevel::from(name.to_owned());
            assert_eq!((&*unknown.name(), unknown.displayed_level()), (name, name));
            assert_eq!(unknown.effective_level(), Level::Book.into());
        }
    }
}
