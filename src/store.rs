//! The game store: persists game records, seats, registered programs, answers to puzzles and the boards of the days.
//!
//! Of a game it stores only primary data and nothing derived from it: a [`GameHeader`], one row per entry (a ply, a
//! takeback, an entropy contribution), at most one ending in the same sequence, and the
//! [`Seats`](crate::seats::Seats). Cards, reviews, counters and the scores of daily games are derived from games and can be
//! computed again. It does not know the rules of the games: games, start positions, actions and
//! rolls are opaque text, and callers check the legality of a ply and the end of a game before they write. It
//! never reads the clock; callers pass all times.
//!
//! Every store guarantees:
//! - [`RecordStore::append`] returns `Ok` only when the row is durable, and accepts a row only under the next
//!   entry number of its game. This optimistic lock resolves conflicts between browser tabs and between server
//!   instances.
//! - Calls are atomic: a call whose future is dropped has either taken effect completely or not at all.
//!
//! [`memory`] is not persistent, [`sqlite`] uses one file, [`postgres`] a database server; [`open()`] chooses
//! by URL. All pass the same contract tests, `tests/postgres/store`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::day::Day;
use crate::seats::{RematchKind, SaidPhrase, Seat};
use crate::secret::SecretHash;

mod cards;
mod daily;
mod database_time;
mod failure;
mod feeds;
pub mod hash_chain;
mod id;
mod lease;
mod local_leases;
pub mod memory;
pub mod metrics;
mod migrations;
mod networks;
mod notification;
mod open;
mod open_tables;
mod pagination;
mod pairing;
pub mod postgres;
mod programs;
mod puzzles;
pub mod reader;
mod retention;
mod reviews;
mod served;
mod sql;
pub mod sqlite;
mod stored_game;
mod usage;
mod write_queue;

pub use cards::StoredCard;
use daily::DailyAttempt;
pub use daily::{DailyCount, DailyDeal, DailyScore};
pub use database_time::DatabaseTime;
pub use feeds::StoredFeed;
pub use id::{GameId, ParseGameIdError};
pub use lease::{AppendOptions, FencingToken, LeaseResult};
pub use networks::{COUNTED_PER_NETWORK, NetworkHash, NetworkKey};
pub use notification::{ChangeNotification, GameChange, GameVersion};
pub use open::{OpenError, open, open_accepting_loss, open_alone};
pub use open_tables::{ListedSince, ListedTable, MAX_TABLES_PER_NETWORK, OpenTable};
pub use pagination::{CursorParseError, GameList, GamePage, PageCursor};
pub use pairing::StoredPairingCode;
pub use programs::{ProgramId, RegisteredProgram};
pub use puzzles::{PuzzleAnswer, PuzzleCount};
pub use retention::RetentionCutoffs;
pub use reviews::{ReviewChange, StoredReview};
pub use served::{MAX_SERVED_PERIODS, ServedPeriod};
pub use sql::tables::{Table, TableRows};
pub use stored_game::{GameHeader, GameOrigin, StoredEntry, StoredGame};
pub use usage::StorageUsage;

/// Resolution of a game's activity time, in milliseconds: an entry that is newer than the stored activity by
/// less than this need not update it.
pub const ACTIVITY_MS: i64 = 1_000;

/// The maximum number of the viewer's own games that the list of games to watch skips.
pub const MAX_OWN_GAMES_SKIPPED: u32 = 100;

/// The records of games: creation, entries, loading.
#[async_trait]
pub trait RecordStore: Send + Sync + 'static {
    /// Creates a game without entries, with its seats at revision 0.
    ///
    /// # Errors
    /// See [`RecordStore::create_with_entries`].
    async fn create(&self, header: GameHeader, seats: Vec<Seat>) -> Result<(), StoreError> {
        self.create_with_entries(header, seats, Vec::new()).await
    }

    /// Atomically creates a game that already has entries, with its seats at revision 0. Only the last entry
    /// may end the game.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the id is in use, or if the original game already has a rematch of this kind.
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError>;

    /// A consistent snapshot of the game, or `None` if the id is unknown.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the integrity check fails, [`StoreError::Unavailable`].
    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError>;

    /// Like [`RecordStore::append_with`], with [`AppendOptions::UNKNOWN`].
    ///
    /// # Errors
    /// See [`RecordStore::append_with`].
    async fn append(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
    ) -> Result<(), StoreError> {
        let appended = self
            .append_with(id, expected, entry, None, AppendOptions::UNKNOWN)
            .await;
        appended.map(drop)
    }

    /// Appends `entry` with the number `expected`, which counts all entries from 0, the ending included. `Ok`
    /// means that it is durable. An entry that ends the game marks it finished in the same transaction, as of
    /// the entry's time; `card` replaces the game's card in the same transaction, too. Returns the game's lease if `options` requests it and no other instance holds it. If the
    /// game is not due now and no lease is requested, the current lease ends.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if `expected` is not the next number or the game is finished,
    /// [`StoreError::Fenced`] if the fencing token of `options` is not the newest, [`StoreError::NotFound`].
    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError>;

    /// Marks a game as finished, as of its last entry; a game that is already marked is left unchanged. For
    /// games whose record is over without a mark: earlier releases wrote the mark in a separate transaction,
    /// which a crash could lose.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError>;

    /// Deletes the game with everything that belongs to it if its seats are still at this revision; returns whether
    /// it did.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_game(&self, id: &GameId, seats_revision: u32) -> Result<bool, StoreError>;

    /// The versions of the given games that exist, in any order.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError>;
}

/// Seats, and the lists of games that follow from headers, seats and activity.
#[async_trait]
pub trait ListStore: Send + Sync + 'static {
    /// Replaces the seats if they are still at `expected_revision`; returns the new revision.
    ///
    /// # Errors
    /// [`StoreError::StaleSeats`] if the revision differs, [`StoreError::NotFound`].
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError>;

    /// The seat that a link belongs to: the token is its invitation, the invitation it was taken with, or its
    /// own token. If several match, the seat in the most recently created game.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError>;

    /// Up to `limit` games of a list after the cursor `after`, newest activity first. A game that moves up
    /// between two requests may appear on two pages; it appears on at least one unless it leaves the list or is
    /// deleted.
    ///
    /// A game's activity is the time of its last entry (of its creation before the first entry) or the time at
    /// which somebody last sat down, whichever is later, with a resolution of [`ACTIVITY_MS`]. Ties are ordered
    /// by creation, newest first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError>;

    /// The first page of [`GameList::Of`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_games_of(
        &self,
        browser: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let page = self.list_games(GameList::Of(*browser), None, limit).await?;
        Ok(page.games)
    }

    /// The most recently created game whose [`GameHeader::book_of`] is this browser.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError>;

    /// Up to `limit` public, unfinished games with at least one human player, newest activity first; games of
    /// the book's page, and games that `viewer` created or sits in, are excluded. Only the newest `limit` +
    /// [`MAX_OWN_GAMES_SKIPPED`] games are searched.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_watchable(
        &self,
        viewer: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError>;

    /// The rematches of a game, at most one per kind, in the order of [`RematchKind`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError>;

    /// Up to `limit` games that have expired, grouped by kind, oldest activity first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError>;

    /// Deletes those of the given games that are expired now; returns their number. All are deleted in one
    /// transaction: pass about a hundred at a time so that appends do not wait long.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError>;

    /// Unix time of the latest activity in any game, in milliseconds; `None` without games.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError>;
}

/// Leases of games, and the queue of due games.
#[async_trait]
pub trait LeaseStore: Send + Sync + 'static {
    /// Acquires the game's lease for `time` unless another instance holds it. The game need not be due.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError>;

    /// Extends these leases to `time` from now. A lease that another instance has acquired is left unchanged.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError>;

    /// Releases the lease if `fence` is still its newest token, and records after which time from now the game is
    /// due; `None` if it is not.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError>;

    /// Acquires leases of up to `limit` games that are due and not leased, in the order in which they became
    /// due. A game that is new or whose seats have changed may be marked as due although it is not: the claimer
    /// must check, and release the lease if there is nothing to do.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError>;
}

/// Cards, reviews and counters, which are derived from the records.
#[async_trait]
pub trait DerivedStore: Send + Sync + 'static {
    /// The given games without their entries, in any order; games that are missing or damaged are skipped. Hashes are
    /// not verified.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn cards(&self, games: &[GameId]) -> Result<Vec<StoredCard>, StoreError>;

    /// Replaces the card of a game; nothing if there is no such game.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn store_card(&self, id: &GameId, card: String) -> Result<(), StoreError>;

    /// Changes the stored review of a game.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError>;

    /// The stored review of a game; `None` if none was requested.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError>;

    /// Those of the given games that have a finished review, in any order.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn reviewed(&self, games: &[GameId]) -> Result<Vec<GameId>, StoreError>;

    /// Up to `limit` games whose review is pending, oldest request first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError>;

    /// Adds to named counters. They are derived from the games and may be lost; the caller bounds the set of
    /// names.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError>;

    /// Stores the initial counters, all or none. If several instances have counted the same games, only the
    /// first call succeeds.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there are counters already.
    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError>;

    /// All counters, by name.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError>;
}

/// Registered programs and their games.
#[async_trait]
pub trait ProgramStore: Send + Sync + 'static {
    /// # Errors
    /// [`StoreError::Exists`] if the id or the token is in use.
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError>;

    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError>;

    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError>;

    /// Records when a program was last active; an earlier time than the stored one has no effect.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if no program has this token.
    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError>;

    /// Deletes the programs that were last active before `before_ms`; returns their number. Their games remain.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError>;

    /// The given games in which one of these programs has a seat or an invitation, finished games included.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError>;

    /// Up to `limit` unfinished games in which the program has a seat or an invitation, newest activity first.
    /// Only seats and invitations that it received after its registration count.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError>;

    /// The number of unfinished games in which the program has an unanswered invitation.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError>;

    /// The newest `limit` finished games of a program whose finish number exceeds `after`, in ascending order.
    /// Finish numbers increase with each game that ends. If `after` is `None` or exceeds every finish number of
    /// the program's games, the list starts after the last finish reported to the program
    /// ([`ProgramStore::mark_finishes_reported`]).
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError>;

    /// Records that the finishes of the program's games up to this number were reported to it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if no program has this token.
    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError>;
}

/// The boards of the days and their scores.
#[async_trait]
pub trait DailyStore: Send + Sync + 'static {
    /// Stores the secret of a day unless it has one.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn add_daily_deal(&self, deal: DailyDeal) -> Result<(), StoreError>;

    /// The secret of a day.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, StoreError>;

    /// The days from `since` on that have a secret, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_days(&self, since: Day) -> Result<Vec<Day>, StoreError>;

    /// The scored game of a day ([`GameOrigin::Daily`]) that the browser has begun by [`RecordStore::create`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_game(
        &self,
        day: Day,
        browser: &SecretHash,
    ) -> Result<Option<GameId>, StoreError>;

    /// The browser that has begun this scored game, whose result it is. None if its browser has begun an earlier one on
    /// that day in another browser that was joined to it, or is deleted.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_player(&self, game: &GameId) -> Result<Option<SecretHash>, StoreError>;

    /// The days from `since` on whose scored game the browser has begun, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError>;

    /// Stores from which network the browser has begun the game of the day of the hash.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn set_daily_network(
        &self,
        browser: &SecretHash,
        network: NetworkHash,
    ) -> Result<(), StoreError>;

    /// Stores a score unless the browser has one of this day, or an entry of the game was stored at `before_ms` or later
    /// by the store's clock: for PostgreSQL that of the database when it inserted the entry, otherwise that of the
    /// process, which is the time in the entry. It is not counted if there are [`COUNTED_PER_NETWORK`] counted scores of
    /// the day with the same network already, or if the hash of its network was deleted before.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn add_daily_score(&self, score: DailyScore, before_ms: i64) -> Result<(), StoreError>;

    /// The scores of a browser, oldest day first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_scores(&self, browser: &SecretHash) -> Result<Vec<DailyScore>, StoreError>;

    /// How many of the counted games of a day ended with each score, by hexes, lost before won.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, StoreError>;
}

/// Answers to puzzles.
#[async_trait]
pub trait PuzzleStore: Send + Sync + 'static {
    /// Stores the answer unless the browser has answered this puzzle before. It is not counted if there are
    /// [`COUNTED_PER_NETWORK`] answers to the puzzle with the same network already.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn add_puzzle_answer(
        &self,
        answer: PuzzleAnswer,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError>;

    /// The answers of a browser, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn puzzle_answers(&self, browser: &SecretHash) -> Result<Vec<PuzzleAnswer>, StoreError>;

    /// How often each puzzle was answered, by puzzle; only the answers that are counted.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError>;
}

/// The keys with which client networks are hashed, and the hashes in other rows.
#[async_trait]
pub trait NetworkStore: Send + Sync + 'static {
    /// Stores the key of a day unless it has one.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn add_network_key(&self, key: NetworkKey) -> Result<(), StoreError>;

    /// The key of a day.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn network_key(&self, day: Day) -> Result<Option<NetworkKey>, StoreError>;

    /// Deletes the keys of the days before this one, and all hashes with them.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn forget_networks(&self, before: Day) -> Result<(), StoreError>;
}

/// The periods in which a server was ready.
#[async_trait]
pub trait ServedStore: Send + Sync + 'static {
    /// Records that a server is ready at this Unix time in milliseconds: the newest period lasts until then, or a new one
    /// begins if that one ended more than `gap_ms` before. Periods that begin later are deleted, because the clock was set
    /// back. Returns all periods in order of time, at most [`MAX_SERVED_PERIODS`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn record_served(
        &self,
        now_ms: i64,
        gap_ms: i64,
    ) -> Result<Vec<ServedPeriod>, StoreError>;
}

/// What is stored for a browser: its seats and the games that it created, answers to puzzles, games of days and their
/// scores, its feed and its pairing code.
#[async_trait]
pub trait BrowserStore: Send + Sync + 'static {
    /// Moves everything to the browser `to` in one transaction: the seats and the games that the browser created
    /// ([`Seats::move_browser`](crate::seats::Seats::move_browser)), the answers, and the games of days with their scores.
    /// Where both have an answer, `to` keeps its own; of two games of a day the one that was begun first counts. The feed
    /// and the pairing code are deleted. Without `to` all but the games is deleted.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError>;

    /// Deletes the answers given, the attempts and scores of days that were over, and the feeds last fetched before this
    /// Unix time in milliseconds.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_old_browser_data(&self, before_ms: i64) -> Result<(), StoreError>;
}

/// The Atom feeds of browsers.
#[async_trait]
pub trait FeedStore: Send + Sync + 'static {
    /// Stores the feed of a browser instead of the one that it had.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError>;

    /// The feed of a browser.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError>;

    /// Stores when the feed was fetched.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn mark_feed_fetched(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError>;

    /// The feed with this token.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn feed_by_token(&self, token: &SecretHash) -> Result<Option<StoredFeed>, StoreError>;
}

/// The pairing codes of browsers. [`BrowserStore::move_browser_data`] deletes that of the browser.
#[async_trait]
pub trait PairingStore: Send + Sync + 'static {
    /// Stores the code of a browser instead of the one that it had.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn set_pairing_code(&self, code: StoredPairingCode) -> Result<(), StoreError>;

    /// The code with this hash, expired or not.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn pairing_code(
        &self,
        code: &SecretHash,
    ) -> Result<Option<StoredPairingCode>, StoreError>;

    /// Deletes the code with this hash; returns whether it was stored. Of several calls only one returns true.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_pairing_code(&self, code: &SecretHash) -> Result<bool, StoreError>;

    /// Deletes the codes that were valid until this time or before; writes nothing if there are none.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_expired_pairing_codes(&self, now_ms: i64) -> Result<(), StoreError>;
}

/// The open tables.
#[async_trait]
pub trait OpenTableStore: Send + Sync + 'static {
    /// Lists a game among the open tables.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    async fn open_table(&self, table: OpenTable) -> Result<(), StoreError>;

    /// Records when the creator of an open table was seen; nothing if the game is not listed or the stored time
    /// is later.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn mark_table_seen(&self, id: &GameId, at_ms: i64) -> Result<(), StoreError>;

    /// Removes a game from the open tables.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn close_table(&self, id: &GameId) -> Result<(), StoreError>;

    /// Removes the tables that were opened at or before this time; returns their number.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn delete_open_tables(&self, opened_until_ms: i64) -> Result<u64, StoreError>;

    /// The open table with this game, whether or not it has a free seat and its creator was seen lately.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError>;

    /// Up to `limit` open tables, listed since these times: public, unfinished games with a free seat. Of each client
    /// network the [`MAX_TABLES_PER_NETWORK`] that were opened first: first one of each network, then the second ones,
    /// each in the order of their opening.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn list_open_tables(
        &self,
        since: ListedSince,
        limit: u32,
    ) -> Result<Vec<ListedTable>, StoreError>;

    /// The name that this browser's player has in its most recently active game with a name.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, StoreError>;
}

/// The tables of a database, into which the rows of another one are copied as they are.
#[async_trait]
pub trait TableStore: GameStore {
    /// The tables that are copied, by name: all except those with the state of servers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn tables(&self) -> Result<Vec<Arc<Table>>, StoreError>;

    /// Atomically inserts a game: its own row, then the rows of its seats and entries.
    ///
    /// # Errors
    /// [`StoreError::Exists`] as for [`RecordStore::create_with_entries`].
    async fn import_game(&self, id: GameId, rows: Vec<TableRows>) -> Result<(), StoreError>;

    /// Inserts those rows that are not there; counters become at least as large as in the rows.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn insert_rows(&self, rows: TableRows) -> Result<(), StoreError>;

    /// Makes the next finish number greater than all that were inserted or reported to a program.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn continue_numbers(&self) -> Result<(), StoreError>;
}

/// Persistent storage of games, and its operation. The [module](self) states what every store guarantees.
#[async_trait]
pub trait GameStore:
    RecordStore
    + ListStore
    + LeaseStore
    + DerivedStore
    + ProgramStore
    + PuzzleStore
    + NetworkStore
    + ServedStore
    + DailyStore
    + BrowserStore
    + FeedStore
    + PairingStore
    + OpenTableStore
{
    /// Whether other processes may change the games, so that data read earlier can be stale. A shared store
    /// also persists across restarts which games are due.
    fn is_shared(&self) -> bool {
        false
    }

    /// The clock that decides about days; `None` if it is that of this process.
    fn clock(&self) -> Option<DatabaseTime> {
        None
    }

    /// A channel of change notifications; `None` unless the store is shared.
    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        None
    }

    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn storage_usage(&self) -> Result<StorageUsage, StoreError>;

    /// Health check for `/readyz`: whether the store can currently write and read. It does not queue behind
    /// other readers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with the reason.
    async fn health_check(&self) -> Result<(), StoreError>;

    /// Cancelled when the store has failed permanently and writes can no longer be trusted. Every later call
    /// returns [`StoreError::Unavailable`]; the process should exit with an error and be restarted.
    fn failure(&self) -> CancellationToken;

    /// The reason for the permanent failure and how to resolve it, as a message for the operator.
    fn failure_reason(&self) -> Option<String> {
        None
    }

    /// Passes a phrase on to the other servers, which may miss it. Nothing is stored.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn announce_phrase(&self, id: &GameId, said: SaidPhrase) -> Result<(), StoreError> {
        let _ = (id, said);
        Ok(())
    }

    /// Records this server's public address, which is shown to another process that is denied the same storage.
    fn set_public_address(&self, address: &str) {
        let _ = address;
    }

    /// Completes pending requests and releases the storage; later writes return [`StoreError::Unavailable`].
    async fn close(&self);
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the game has {next} entries")]
    Conflict {
        /// Number of entries of the game, the ending included.
        next: u32,
    },
    /// A newer lease of the game exists.
    #[error("another instance has acquired the lease")]
    Fenced,
    #[error("a game with this id exists")]
    Exists,
    #[error("no such game")]
    NotFound,
    #[error("the seats are at revision {revision}")]
    StaleSeats {
        /// The current revision.
        revision: u32,
    },
    /// The integrity check of the game failed. The text is for the log.
    #[error("a record is damaged: {0}")]
    Damaged(String),
    /// The storage failed. The text is for the log and is not shown to players.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
}
