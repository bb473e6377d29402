//! The archive: where records, seats and whose games they are outlive the program.
//!
//! It keeps the *truth* and nothing derived from it: a [`GameHeader`] (what was dealt), one row an entry
//! (a ply, a takeback, words for the dice), at most one ending in the same sequence, and beside them
//! the [`Seats`](crate::seats::Seats). It deliberately knows
//! no rules: games, starts, actions and rolls are text here, and whether a ply is legal, and whether
//! it ends the game, was judged before it came. It never reads the clock either; times come in.
//!
//! Two promises carry everything above it:
//! - [`GameStore::append`] answers `Ok` only when the row is durable, and takes a row only under the
//!   very next number of its game. That is the lock against two tabs and against two servers.
//! - A call whose future is dropped has either happened whole or not at all.
//!
//! [`memory`] forgets on exit, [`sqlite`] keeps a file, [`postgres`] a database on a server; [`open()`] chooses
//! by URL. All pass one contract suite, `tests/postgres/store`.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::seats::{ComputerPace, RematchKind, Seat};
use crate::secret::SecretHash;

mod export;
mod failure;
pub mod hash_chain;
mod id;
mod lease;
mod local_leases;
pub mod memory;
pub mod metrics;
mod migrations;
mod notification;
mod open;
mod pagination;
pub mod postgres;
mod programs;
pub mod reader;
mod retention;
mod reviews;
mod sql;
pub mod sqlite;
mod stored_game;
mod usage;
mod write_queue;

pub use export::ExportedGame;
pub use id::{GameId, ParseGameIdError};
pub use lease::{AppendOptions, FencingToken, LeaseResult};
pub use notification::{ChangeNotification, GameChange, GameVersion};
pub use open::{OpenError, open, open_accepting_loss, open_alone};
pub use pagination::{CursorParseError, GameList, GamePage, PageCursor};
pub use programs::{ProgramId, RegisteredProgram};
pub use retention::RetentionCutoffs;
pub use reviews::{ReviewChange, StoredReview};
pub use stored_game::{GameHeader, GameOrigin, StoredEntry, StoredGame};
pub use usage::StorageUsage;

/// How exactly an archive knows the activity of a game, in milliseconds: an entry less than so long
/// after the activity that is known need not count.
pub const ACTIVITY_MS: i64 = 1_000;

/// How many games of the asking browser [`GameStore::watchable`] passes over at most.
pub const OWN_PASSED_OVER: u32 = 100;

/// Where games are kept. See the [module](self) for what every archive promises.
#[async_trait]
pub trait GameStore: Send + Sync + 'static {
    /// Keeps a new game without entries, its seats at revision 0.
    ///
    /// # Errors
    /// As [`GameStore::keep`].
    async fn create(&self, header: GameHeader, seats: Vec<Seat>) -> Result<(), StoreError> {
        self.keep(header, seats, Vec::new()).await
    }

    /// Keeps a new game that was played already, its seats at revision 0: the whole of it or nothing.
    /// Only the last entry may be one after which the game is over.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken, or the same game has a rematch of this kind.
    async fn keep(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError>;

    /// Keeps a game of another archive as it was there: the whole of it or nothing.
    ///
    /// # Errors
    /// [`StoreError::Exists`] as of [`GameStore::keep`].
    async fn import(&self, moved: ExportedGame) -> Result<(), StoreError>;

    /// The whole game as it was at one moment, or `None` when there is none with this id.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when it is not as it was written, [`StoreError::Unavailable`].
    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError>;

    /// As [`GameStore::append_turn`], of an entry of which nobody says what comes next.
    ///
    /// # Errors
    /// As [`GameStore::append_turn`].
    async fn append(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
    ) -> Result<(), StoreError> {
        let appended = self
            .append_turn(id, expected, entry, AppendOptions::UNKNOWN)
            .await;
        appended.map(drop)
    }

    /// Adds `entry` under the number `expected`, counted from 0 over all entries and the ending alike.
    /// `Ok` means that it is durable. An entry after which the game is over marks it finished in the
    /// same step, as of the entry's time. Answers the lease of the game, where `turn` asks for it and
    /// nobody else has it; a game that is neither due nor asked for has no lease from then on.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when `expected` is not the next number or the game is finished,
    /// [`StoreError::Fenced`] when the lease is another one than that of the turn,
    /// [`StoreError::NotFound`].
    async fn append_turn(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError>;

    /// Takes the lease of a game for this time, whether the game is due or not, unless somebody has it.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError>;

    /// Lets these leases last for this time from now on. One that somebody else has taken stays theirs.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError>;

    /// Gives a lease back that is still had, and says whether the game goes on by itself.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn release(&self, id: &GameId, fence: FencingToken, due: bool) -> Result<(), StoreError>;

    /// Takes the leases of at most `most` games that are due and that nobody has, those that became due
    /// first before the others. A new game and one with new seats may be due although it is not: whoever
    /// claims it looks, and gives it back.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn claim(
        &self,
        most: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError>;

    /// How far these games have come, those that are there, in any order.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn standing(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError>;

    /// Those of these games in which one of these programs sits or is asked to, over or not.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError>;

    /// Whether other processes may change games, so that what was read a moment ago may have changed. What
    /// is due is then known to the archive across restarts, too.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tells those who share the archive how many watch which games here, in the place of what was told before, and
    /// answers how many watch at theirs. Whoever has died counts for ten seconds more.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn share_watchers(
        &self,
        here: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, StoreError> {
        // There is nobody else.
        let _ = here;
        Ok(HashMap::new())
    }

    /// Rings whenever something happens in a shared archive.
    fn bell(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        None
    }

    /// Replaces the seats when they are still at `expected_revision`; answers the new revision.
    ///
    /// # Errors
    /// [`StoreError::StaleSeats`] when someone was faster, [`StoreError::NotFound`].
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError>;

    /// Marks a game finished, as of its last entry, whose record turned out to be over although no
    /// entry said so: an earlier release marked in a second step, which a crash could lose. A game
    /// that is marked stays as it is.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    async fn heal_finished(&self, id: &GameId) -> Result<(), StoreError>;

    /// At most `limit` games of a list, newest activity first, from behind the place `after` on. A game that
    /// moves up meanwhile may be on two pages, and is on one at least unless it is left or removed.
    ///
    /// A game's activity is the time of its last entry, or of its creation before the first; where
    /// somebody sat down since then, that time; exact to [`ACTIVITY_MS`]. Of two at the same time the
    /// younger game comes first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn listed(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError>;

    /// The first games of [`GameList::Of`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn games_of(&self, browser: &SecretHash, limit: u32) -> Result<Vec<GameId>, StoreError> {
        let page = self.listed(GameList::Of(*browser), None, limit).await?;
        Ok(page.games)
    }

    /// The game created last whose [`GameHeader::book_of`] is this browser.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError>;

    /// The seat that a link stands for: one with this invitation, one that was taken with it, or
    /// one whose own token this is. Of several the one in the game created last.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, StoreError>;

    /// The games that everybody may watch and that are not marked finished, newest activity first:
    /// neither private nor of the book's page, with at least one person, and not those that this
    /// browser made or sits in. They are sought among the newest `limit` and [`OWN_PASSED_OVER`] more.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError>;

    /// The rematches of a game, at most one of each kind, in the order of [`RematchKind`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError>;

    /// At most `limit` games of this pace that are not marked finished, newest activity first, from
    /// behind the place `after` on: what to go on with after a restart.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn unfinished(
        &self,
        pace: ComputerPace,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError>;

    /// At most `limit` games of all that there are, finished or not, the oldest creation first, from behind
    /// the place `after` on. A game that is made meanwhile comes last.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn every(&self, after: Option<PageCursor>, limit: u32) -> Result<GamePage, StoreError>;

    /// At most `limit` games that are to go, kind by kind, the oldest activity first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError>;

    /// Forgets those of these games that are to go at this moment; answers how many. All of them go in
    /// one step: ask for a hundred at a time, so that moves never wait long.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn remove(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError>;

    /// Changes what is kept of a game's review.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError>;

    /// What is kept of a game's review; `None` where nobody asked for one.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError>;

    /// At most `limit` games whose review is wanted, the longest wanted first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn wanted_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError>;

    /// Adds to counts by name. They follow from the games and may be lost; whoever adds bounds the names.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError>;

    /// Keeps the first counts, all or none: of several instances that have counted the same games one is heard.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when there are counts.
    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError>;

    /// All counts, by name.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError>;

    /// Keeps a new program.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken.
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError>;

    /// The program with this id.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError>;

    /// The program whose token this is.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn program_with(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError>;

    /// Notes when a program was last heard of; it is never earlier than before.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no program with this token.
    async fn saw_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError>;

    /// The games that are not marked finished in which the program with this token sits, or is asked to:
    /// newest activity first, at most `limit`. Seats count that it took or was asked to take after it was
    /// added.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError>;

    /// The games of a program that are over, each with a number that grows from one end of a game to the next: the
    /// newest `limit` of those with a greater number than `after`, the oldest end first. Without `after`, or
    /// with one that no end of its games has had, those of which it was not told
    /// ([`GameStore::told_program`]).
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError>;

    /// Notes that a program was told of its games that are over, up to this number.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no program with this token.
    async fn told_program(&self, token: &SecretHash, number: i64) -> Result<(), StoreError>;

    /// In how many games that are not marked finished the program is asked to play and has not answered.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn invitations_of(&self, token: &SecretHash) -> Result<u32, StoreError>;

    /// Forgets the programs that were not heard of since `before_ms`; answers how many. Their games stay.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn forget_programs(&self, before_ms: i64) -> Result<u64, StoreError>;

    /// Unix time of the newest activity of all games, in milliseconds; `None` without games.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn newest_ms(&self) -> Result<Option<i64>, StoreError>;

    /// How much the archive takes, and how much more it may.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] alone.
    async fn space(&self) -> Result<StorageUsage, StoreError>;

    /// Whether the archive can keep and find games now, for `/readyz`. It waits for no other reader.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with the reason.
    async fn check(&self) -> Result<(), StoreError>;

    /// Fires when the archive can no longer be trusted to keep anything. Every later call answers
    /// [`StoreError::Unavailable`]; the program is to end with an error and be started again.
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
pub enum StoreError {
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
