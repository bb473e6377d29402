//! The archive: where records, seats and whose games they are outlive the program.
//!
//! It keeps the *truth* and nothing derived from it: a [`Header`] (what was dealt), one row an entry
//! (a ply, a takeback, words for the dice), at most one ending in the same sequence, and beside them
//! the [`Seats`]. It deliberately knows
//! no rules: games, starts, actions and rolls are text here, and whether a ply is legal, and whether
//! it ends the game, was judged before it came. It never reads the clock either; times come in.
//!
//! Two promises carry everything above it:
//! - [`Archive::append`] answers `Ok` only when the row is durable, and takes a row only under the
//!   very next number of its game. That is the lock against two tabs and against two servers.
//! - A call whose future is dropped has either happened whole or not at all.
//!
//! [`memory`] forgets on exit, [`sqlite`] keeps a file, [`postgres`] a database on a server; [`open`] chooses
//! by URL. All pass one contract suite, `tests/archive`.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::fair::{DiceSecret, Fingerprint};
use crate::record::{ContributionRow, EndingRow, EntryRow, PlyRow, TakebackRow};
use crate::seats::{Pace, RematchKind, Seat, Seats};
use crate::secret::{SecretHash, random_bytes};

mod bounds;
mod broken;
pub mod chain;
mod columns;
pub mod figures;
pub mod inspecting;
mod leases;
pub mod memory;
mod moved;
pub mod postgres;
mod programs;
mod requests;
mod reviews;
mod rows;
mod sql;
pub mod sqlite;
mod work;

pub use bounds::{Cutoffs, List, NoPlace, Page, Place, Space};
pub use moved::Moved;
pub use programs::{Program, ProgramId};
pub use reviews::{KeptReview, ReviewChange};
pub use work::{Fence, Lease, News, Ring, Standing, Turn};

/// How exactly an archive knows the activity of a game, in milliseconds: an entry less than so long
/// after the activity that is known need not count.
pub const ACTIVITY_MS: i64 = 1_000;

/// How many games of the asking browser [`Archive::watchable`] passes over at most.
pub const OWN_PASSED_OVER: u32 = 100;

/// Opens the archive that `url` names: `memory:`, `sqlite:PATH` or `postgres://…`. Programs share a PostgreSQL
/// database; a SQLite file is one program's.
///
/// A missing SQLite file is made, with the directories above it.
///
/// # Errors
/// [`OpenError`], in words for the person who started the program.
pub async fn open(url: &str) -> Result<Arc<dyn Archive>, OpenError> {
    let unknown = || OpenError::UnknownScheme {
        scheme: scheme_of(url),
    };
    let (scheme, rest) = url.split_once(':').ok_or_else(unknown)?;
    match (scheme, rest) {
        ("memory", "") => Ok(Arc::new(memory::MemoryArchive::new())),
        ("sqlite", "" | "//" | ":memory:" | "//:memory:") => Err(OpenError::NoPath),
        ("sqlite", path) => {
            let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
            Ok(Arc::new(sqlite::SqliteArchive::open(&path).await?))
        }
        ("postgres" | "postgresql", _) => Ok(Arc::new(postgres::PostgresArchive::join(url).await?)),
        _ => Err(unknown()),
    }
}

/// As [`open`], for this program alone: every other is refused meanwhile, and refuses this one.
///
/// # Errors
/// As [`open`].
pub async fn open_alone(url: &str) -> Result<Arc<dyn Archive>, OpenError> {
    match scheme_of(url).as_str() {
        "postgres" | "postgresql" => Ok(Arc::new(postgres::PostgresArchive::open(url).await?)),
        // The others are never shared.
        _ => open(url).await,
    }
}

/// What stands before the colon, and no more: the rest may hold a password.
fn scheme_of(url: &str) -> String {
    url.split_once(':')
        .map_or("", |(scheme, _)| scheme)
        .chars()
        .take(20)
        .collect()
}

/// Where games are kept. See the [module](self) for what every archive promises.
#[async_trait]
pub trait Archive: Send + Sync + 'static {
    /// Keeps a new game without entries, its seats at revision 0.
    ///
    /// # Errors
    /// As [`Archive::keep`].
    async fn create(&self, header: Header, seats: Vec<Seat>) -> Result<(), ArchiveError> {
        self.keep(header, seats, Vec::new()).await
    }

    /// Keeps a new game that was played already, its seats at revision 0: the whole of it or nothing.
    /// Only the last entry may be one after which the game is over.
    ///
    /// # Errors
    /// [`ArchiveError::Exists`] when the id is taken, or the same game has a rematch of this kind.
    async fn keep(
        &self,
        header: Header,
        seats: Vec<Seat>,
        entries: Vec<Entry>,
    ) -> Result<(), ArchiveError>;

    /// Keeps a game of another archive as it was there: the whole of it or nothing.
    ///
    /// # Errors
    /// [`ArchiveError::Exists`] as of [`Archive::keep`].
    async fn import(&self, moved: Moved) -> Result<(), ArchiveError>;

    /// The whole game as it was at one moment, or `None` when there is none with this id.
    ///
    /// # Errors
    /// [`ArchiveError::Damaged`] when it is not as it was written, [`ArchiveError::Unavailable`].
    async fn load(&self, id: &GameId) -> Result<Option<Stored>, ArchiveError>;

    /// As [`Archive::append_turn`], of an entry of which nobody says what comes next.
    ///
    /// # Errors
    /// As [`Archive::append_turn`].
    async fn append(&self, id: &GameId, expected: u32, entry: Entry) -> Result<(), ArchiveError> {
        let appended = self.append_turn(id, expected, entry, Turn::UNKNOWN).await;
        appended.map(drop)
    }

    /// Adds `entry` under the number `expected`, counted from 0 over all entries and the ending alike.
    /// `Ok` means that it is durable. An entry after which the game is over marks it finished in the
    /// same step, as of the entry's time. Answers the lease of the game, where `turn` asks for it and
    /// nobody else has it; a game that is neither due nor asked for has no lease from then on.
    ///
    /// # Errors
    /// [`ArchiveError::Conflict`] when `expected` is not the next number or the game is finished,
    /// [`ArchiveError::Fenced`] when the lease is another one than that of the turn,
    /// [`ArchiveError::NotFound`].
    async fn append_turn(
        &self,
        id: &GameId,
        expected: u32,
        entry: Entry,
        turn: Turn,
    ) -> Result<Option<Fence>, ArchiveError>;

    /// Takes the lease of a game for this time, whether the game is due or not, unless somebody has it.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn lease(&self, id: &GameId, time: Duration) -> Result<Lease, ArchiveError>;

    /// Lets these leases last for this time from now on. One that somebody else has taken stays theirs.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn renew(&self, held: &[(GameId, Fence)], time: Duration) -> Result<(), ArchiveError>;

    /// Gives a lease back that is still had, and says whether the game goes on by itself.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn release(&self, id: &GameId, fence: Fence, due: bool) -> Result<(), ArchiveError>;

    /// Takes the leases of at most `most` games that are due and that nobody has, those that became due
    /// first before the others. A new game and one with new seats may be due although it is not: whoever
    /// claims it looks, and gives it back.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn claim(&self, most: u32, time: Duration) -> Result<Vec<(GameId, Fence)>, ArchiveError>;

    /// How far these games have come, those that are there, in any order.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn standing(&self, games: &[GameId]) -> Result<Vec<Standing>, ArchiveError>;

    /// Whether other processes may change games, so that what was read a moment ago may have changed. What
    /// is due is then known to the archive across restarts, too.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tells those who share the archive how many watch which games here, in the place of what was told before, and
    /// answers how many watch at theirs. Whoever has died counts for ten seconds more.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn share_watchers(
        &self,
        here: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, ArchiveError> {
        // There is nobody else.
        let _ = here;
        Ok(HashMap::new())
    }

    /// Rings whenever something happens in a shared archive.
    fn bell(&self) -> Option<broadcast::Receiver<Ring>> {
        None
    }

    /// Replaces the seats when they are still at `expected_revision`; answers the new revision.
    ///
    /// # Errors
    /// [`ArchiveError::StaleSeats`] when someone was faster, [`ArchiveError::NotFound`].
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, ArchiveError>;

    /// Marks a game finished, as of its last entry, whose record turned out to be over although no
    /// entry said so: an earlier release marked in a second step, which a crash could lose. A game
    /// that is marked stays as it is.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`].
    async fn heal_finished(&self, id: &GameId) -> Result<(), ArchiveError>;

    /// At most `limit` games of a list, newest activity first, from behind the place `after` on. A game that
    /// moves up meanwhile may be on two pages, and is on one at least unless it is left or removed.
    ///
    /// A game's activity is the time of its last entry, or of its creation before the first; where
    /// somebody sat down since then, that time; exact to [`ACTIVITY_MS`]. Of two at the same time the
    /// younger game comes first.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn listed(
        &self,
        list: List,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Page, ArchiveError>;

    /// The first games of [`List::Of`].
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn games_of(
        &self,
        browser: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError> {
        let page = self.listed(List::Of(*browser), None, limit).await?;
        Ok(page.games)
    }

    /// The game created last whose [`Header::book_of`] is this browser.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, ArchiveError>;

    /// The seat that a link stands for: one with this invitation, one that was taken with it, or
    /// one whose own token this is. Of several the one in the game created last.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, ArchiveError>;

    /// The games that everybody may watch and that are not marked finished, newest activity first:
    /// neither private nor of the book's page, with at least one person, and not those that this
    /// browser made or sits in. They are sought among the newest `limit` and [`OWN_PASSED_OVER`] more.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError>;

    /// The rematches of a game, at most one of each kind, in the order of [`RematchKind`].
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, ArchiveError>;

    /// At most `limit` games of this pace that are not marked finished, newest activity first, from
    /// behind the place `after` on: what to go on with after a restart.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn unfinished(
        &self,
        pace: Pace,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Page, ArchiveError>;

    /// At most `limit` games of all that there are, finished or not, the oldest creation first, from behind
    /// the place `after` on. A game that is made meanwhile comes last.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn every(&self, after: Option<Place>, limit: u32) -> Result<Page, ArchiveError>;

    /// At most `limit` games that are to go, kind by kind, the oldest activity first.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn expired(&self, cutoffs: &Cutoffs, limit: u32) -> Result<Vec<GameId>, ArchiveError>;

    /// Forgets those of these games that are to go at this moment; answers how many. All of them go in
    /// one step: ask for a hundred at a time, so that moves never wait long.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn remove(&self, games: Vec<GameId>, cutoffs: Cutoffs) -> Result<u64, ArchiveError>;

    /// Changes what is kept of a game's review.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`].
    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), ArchiveError>;

    /// What is kept of a game's review; `None` where nobody asked for one.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn review(&self, id: &GameId) -> Result<Option<KeptReview>, ArchiveError>;

    /// At most `limit` games whose review is wanted, the longest wanted first.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn wanted_reviews(&self, limit: u32) -> Result<Vec<GameId>, ArchiveError>;

    /// Adds to counts by name. They follow from the games and may be lost; whoever adds bounds the names.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), ArchiveError>;

    /// All counts, by name.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn counts(&self) -> Result<Vec<(String, u64)>, ArchiveError>;

    /// Keeps a new program.
    ///
    /// # Errors
    /// [`ArchiveError::Exists`] when the id is taken.
    async fn add_program(&self, program: Program) -> Result<(), ArchiveError>;

    /// The program with this id.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn program(&self, id: &ProgramId) -> Result<Option<Program>, ArchiveError>;

    /// The program whose token this is.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn program_with(&self, token: &SecretHash) -> Result<Option<Program>, ArchiveError>;

    /// Notes when a program was last heard of; it is never earlier than before.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`] when there is no program with this token.
    async fn saw_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), ArchiveError>;

    /// The games that are not marked finished in which the program with this token sits, or is asked to:
    /// newest activity first, at most `limit`. Seats count that it took or was asked to take after it was
    /// added.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError>;

    /// In how many games that are not marked finished the program is asked to play and has not answered.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn invitations_of(&self, token: &SecretHash) -> Result<u32, ArchiveError>;

    /// Forgets the programs that were not heard of since `before_ms`; answers how many. Their games stay.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn forget_programs(&self, before_ms: i64) -> Result<u64, ArchiveError>;

    /// Unix time of the newest activity of all games, in milliseconds; `None` without games.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn newest_ms(&self) -> Result<Option<i64>, ArchiveError>;

    /// How much the archive takes, and how much more it may.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] alone.
    async fn space(&self) -> Result<Space, ArchiveError>;

    /// Whether the archive can keep and find games now, for `/readyz`. It waits for no other reader.
    ///
    /// # Errors
    /// [`ArchiveError::Unavailable`] with the reason.
    async fn check(&self) -> Result<(), ArchiveError>;

    /// Fires when the archive can no longer be trusted to keep anything. Every later call answers
    /// [`ArchiveError::Unavailable`]; the program is to end with an error and be started again.
    fn broken(&self) -> CancellationToken;

    /// Why it is broken and what to do about it, in words for the person who started the program.
    fn why_broken(&self) -> Option<String> {
        None
    }

    /// Where this program is reached: another one that is refused the same storage is told so.
    fn served_at(&self, address: &str) {
        let _ = address;
    }

    /// Finishes what was asked for and lets go of the storage; later changes are `Unavailable`.
    async fn close(&self);
}

/// Why the archive did not do it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The number is not the next one of its game, or the game is finished.
    #[error("the game has {next} entries")]
    Conflict {
        /// How many entries the game has, the ending included.
        next: u32,
    },
    /// Somebody else has the lease by now.
    #[error("the lease was taken by somebody else")]
    Fenced,
    /// There is a game with this id already.
    #[error("a game with this id exists")]
    Exists,
    /// There is no game with this id.
    #[error("no such game")]
    NotFound,
    /// The seats were changed in between.
    #[error("the seats are at revision {revision}")]
    StaleSeats {
        /// The revision that the seats are at.
        revision: u32,
    },
    /// The game is there and is not what was written. What differs is for the log.
    #[error("a record is damaged: {0}")]
    Damaged(String),
    /// The storage failed. Why is for the log, never for a player.
    #[error("the archive is unavailable: {0}")]
    Unavailable(String),
}

/// Why an archive could not be opened, in words for the person who started the program.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL names a kind of archive that this program does not have.
    #[error(
        "unknown kind of archive \"{scheme}\": use memory:, sqlite:PATH or postgres://USER@HOST/DATABASE"
    )]
    UnknownScheme {
        /// What stood before the colon.
        scheme: String,
    },
    /// A SQLite URL without a file.
    #[error(
        "sqlite: needs the path of a file, as in sqlite:games.db; to keep nothing, use memory:"
    )]
    NoPath,
    /// The file or its directory cannot be made, read or written.
    #[error("cannot write {}: {reason}", path.display())]
    NotWritable {
        /// The file asked for.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The disk is full, or its user's share of it.
    #[error("there is no room beside {} to keep games in ({reason}); free some, and start again", path.display())]
    NoRoom {
        /// The file asked for.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is there and is no SQLite database, or a damaged one.
    #[error("{} is not a SQLite database, or it is damaged", path.display())]
    NotADatabase {
        /// The file asked for.
        path: PathBuf,
    },
    /// A healthy database that is not an archive of ours.
    #[error("{} is a database of another program", path.display())]
    Foreign {
        /// The file asked for.
        path: PathBuf,
    },
    /// A newer release of this program has changed the database.
    #[error(
        "{} was written by a newer release of this program (its schema is at {version}); use that release",
        path.display()
    )]
    TooNew {
        /// The file asked for.
        path: PathBuf,
        /// The migration that this program does not know.
        version: i64,
    },
    /// An earlier release of this program has written the database, and it is only to be read.
    #[error("{} is of an earlier release and has no seals yet: serve it once", path.display())]
    TooOld {
        /// The file asked for.
        path: PathBuf,
    },
    /// SQLite releases before 3.51.3 can corrupt a database in WAL mode.
    #[error(
        "SQLite {found} is too old: below 3.51.3 it can damage a database; build with a newer one"
    )]
    SqliteTooOld {
        /// The version this program was built with.
        found: String,
    },
    /// Another server has the database.
    #[error(
        "{} is in use by another server ({by}); stop that one first, or give this one another file",
        path.display()
    )]
    Owned {
        /// The file asked for.
        path: PathBuf,
        /// Its process, and where it is reached.
        by: String,
    },
    /// The database was open when the last server ended in disorder, and it is not there any more.
    #[error(
        "{path} has gone, or is empty, since a server had it open: put it back (a copy may lie beside it as \
         {path}.rescued); to begin anew, remove {path}.lock",
        path = path.display()
    )]
    Gone {
        /// The file asked for.
        path: PathBuf,
    },
    /// The last end was in disorder, and the database is not whole.
    #[error(
        "{} is damaged ({what}); put back a copy of it, or look with \"dice-of-doom check\" what is whole",
        path.display()
    )]
    Damaged {
        /// The file asked for.
        path: PathBuf,
        /// The first thing that is wrong.
        what: String,
    },
    /// The log that the last server left is damaged.
    #[error(
        "{path}-wal is damaged at byte {byte}, and acknowledged plies stood there or behind: put back a copy of \
         both files, or move the log away to go on with {path} as it is",
        path = path.display()
    )]
    DamagedLog {
        /// The database whose log it is.
        path: PathBuf,
        /// Where the damage begins.
        byte: u64,
    },
    /// A PostgreSQL database was not opened.
    #[error(transparent)]
    Postgres(#[from] postgres::Refusal),
    /// Another program holds the database.
    #[error("{} is locked by another program", path.display())]
    Locked {
        /// The file asked for.
        path: PathBuf,
    },
    /// Anything else that SQLite or a migration has to say.
    #[error("cannot open {}: {reason}", path.display())]
    Other {
        /// The file asked for.
        path: PathBuf,
        /// What it says.
        reason: String,
    },
}

impl OpenError {
    /// Whether the file is there and not whole.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            OpenError::NotADatabase { .. } | OpenError::Damaged { .. }
        )
    }
}

/// A game's public name: it stands in URLs and opens no seat.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GameId(String);

impl GameId {
    /// Digits and lowercase letters without `i`, `l`, `o`, `u`, which people mistake (after
    /// Crockford's base 32).
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

    /// A new id from the system's randomness: 10 characters, 50 bits. The archive refuses the odd
    /// second one of its kind with [`ArchiveError::Exists`].
    pub fn random() -> Self {
        Self::from_chance(random_bytes())
    }

    /// The id of these bytes of chance.
    #[must_use]
    pub fn from_chance(bytes: [u8; 10]) -> Self {
        // 256 is a multiple of 32, so the low bits of a byte are as even as the byte.
        Self(
            bytes
                .map(|byte| char::from(Self::ALPHABET[usize::from(byte % 32)]))
                .iter()
                .collect(),
        )
    }

    /// The id that follows from this fingerprint: the same one for the same, 50 bits of it.
    pub fn of(fingerprint: &Fingerprint) -> Self {
        let bytes = fingerprint.as_bytes().iter().take(10);
        let letters = bytes.map(|byte| char::from(Self::ALPHABET[usize::from(byte % 32)]));
        Self(letters.collect())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text can be no game's id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a game id is 8 to 16 digits and lowercase letters without i, l, o, u")]
pub struct ParseGameIdError;

impl FromStr for GameId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<Self, ParseGameIdError> {
        let fits = (8..=16).contains(&text.len())
            && text.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        fits.then(|| Self(text.to_owned())).ok_or(ParseGameIdError)
    }
}

/// What was true before the first ply and stays so.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// The game's public name.
    pub id: GameId,
    /// The game's kind and parameters, JSON.
    pub game: String,
    /// The dealt position, JSON.
    pub start: String,
    /// What all dice of this game come from: secret until the game is over. Its kind is the version of
    /// the record's format.
    pub dice: DiceSecret,
    /// When computers play.
    pub pace: Pace,
    /// The browser that made the game.
    pub creator: Option<SecretHash>,
    /// The book page's own secret of a browser, where this is that browser's book game.
    pub book_of: Option<SecretHash>,
    /// Unix time of creation, in milliseconds.
    pub created_ms: i64,
    /// Whether only its people see the game.
    pub private: bool,
    /// So many seconds without a ply, at least 1, and the others may let a computer play.
    pub replace_after_s: Option<u32>,
    /// The game that this one is the rematch of.
    pub rematch_of: Option<(GameId, RematchKind)>,
    /// Whether plies may be taken back.
    pub takebacks: bool,
    /// Whether people get hints although other people play.
    pub hints: bool,
    /// Where it comes from, unless it was set up anew.
    pub origin: Option<Origin>,
}

/// Where a game comes from that was not set up anew.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// It goes on from a position of another game, which may have been cleared away.
    PlayedOn {
        /// The other game.
        of: GameId,
        /// Plies played there before the position.
        ply: u32,
    },
    /// It was played elsewhere, and its record was brought here: nobody plays on at this table, and its
    /// dice are none of this server's.
    Uploaded {
        /// The id under which it was played, where its dice were sealed under that and are proved.
        id: Option<GameId>,
        /// Who played it and what repeats it, JSON, where its record says so.
        told: Option<String>,
    },
}

impl fmt::Debug for Header {
    /// Everything but the secret of the dice: whoever reads a log could foretell the dice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("id", &self.id)
            .field("format", &self.dice.format())
            .field("game", &self.game)
            .field("start", &self.start)
            .field("pace", &self.pace)
            .field("creator", &self.creator)
            .field("book_of", &self.book_of)
            .field("created_ms", &self.created_ms)
            .field("private", &self.private)
            .field("replace_after_s", &self.replace_after_s)
            .field("rematch_of", &self.rematch_of)
            .field("origin", &self.origin)
            .field("takebacks", &self.takebacks)
            .field("hints", &self.hints)
            .finish_non_exhaustive()
    }
}

/// What takes the next number in a game's sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A ply after which the game goes on.
    Ply(PlyRow),
    /// A ply with which the rules end the game; nothing comes after it.
    FinalPly(PlyRow),
    /// Plies are taken back.
    Takeback(TakebackRow),
    /// Words for the dice.
    Contribution(ContributionRow),
    /// An ending that is no rule of the game; nothing comes after it.
    Ending(EndingRow),
}

/// A game as the archive has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// What was dealt.
    pub header: Header,
    /// Who plays.
    pub seats: Seats,
    /// Every entry but the ending, in order.
    pub entries: Vec<EntryRow>,
    /// The ending, where the rules did not end it.
    pub ending: Option<EndingRow>,
    /// Unix time as of which the game is marked finished, in milliseconds. The mark is for lists and
    /// for [`Archive::expired`]; whether the game is over, the record tells.
    pub finished_ms: Option<i64>,
}

impl Stored {
    /// The number that the next entry takes, the ending counted like any other.
    pub fn next(&self) -> u32 {
        let entries = self.entries.len() + usize::from(self.ending.is_some());
        u32::try_from(entries).expect("a game has fewer than 2^32 entries")
    }

    /// Unix time of the last entry, or of the creation before the first, in milliseconds.
    pub fn last_ms(&self) -> i64 {
        let last = self.entries.last().map(EntryRow::at_ms);
        self.ending
            .as_ref()
            .map(|ending| ending.at_ms)
            .or(last)
            .unwrap_or(self.header.created_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_ids_round_trip() {
        let id = GameId::random();
        assert_eq!(id.to_string().len(), 10);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn other_texts_are_no_game_ids() {
        for bad in [
            "",
            "abcdefg",
            "0123456789abcdefg",
            "ABCDEFGH",
            "abcdefgi",
            "abcdefgu",
            "abcd/fgh",
            "abcdefgé",
        ] {
            assert_eq!(bad.parse::<GameId>(), Err(ParseGameIdError), "{bad:?}");
        }
        assert!("abcdefgh".parse::<GameId>().is_ok());
        assert!("0123456789abcdef".parse::<GameId>().is_ok());
    }

    #[tokio::test]
    async fn unknown_kinds_are_named_without_their_passwords() {
        for url in [
            "mysql://me:hunter2@host/db",
            "games.db",
            "",
            ":",
            "memory",
            "memory:x",
        ] {
            let error = open(url).await.err().expect(url);
            assert!(
                matches!(error, OpenError::UnknownScheme { .. }),
                "{url}: {error}"
            );
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        for url in ["sqlite:", "sqlite://", "sqlite::memory:"] {
            assert!(matches!(open(url).await, Err(OpenError::NoPath)), "{url}");
        }
    }
}
