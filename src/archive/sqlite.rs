//! An archive in one SQLite file.
//!
//! One task writes, over a connection of its own: it takes all changes that wait, commits them in
//! one transaction with `synchronous=FULL` and answers after the commit. So a hundred games share
//! one fsync, and a move still is acknowledged only when it is on the disk (group commit, as in
//! DeWitt et al., 1984). A change that is refused refuses only itself. Reads go over a few other
//! connections, which WAL lets run beside the writer.
//!
//! What it deliberately does not do is try again: when a write, a commit or an fsync fails, nobody
//! knows what the disk has, and a second fsync may say yes to lost pages. The archive then is
//! [broken](super::Archive::broken) for good, acknowledges nothing more, and the next start
//! recovers from the log.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool,
    SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, Row as _, Sqlite};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{
    Archive, ArchiveError, EndingRow, Entry, GameId, Header, OpenError, Pace, PlyRow, RematchKind,
    Seat, Seats, Sitter, Stored,
};
use crate::secret::{Nonce, SecretHash};

/// Below this a commit that races a checkpoint can corrupt a WAL database (sqlite.org/wal.html,
/// "The WAL-reset bug").
const OLDEST_SAFE: (u32, u32, u32) = (3, 51, 3);

/// How many changes may wait; beyond it their askers wait for room.
const QUEUE: usize = 1024;

/// How many changes share one commit at most.
const BATCH: usize = 256;

/// How many games one commit removes, so that moves never wait long behind `--keep-days`.
const REMOVAL: u32 = 100;

/// How long to wait for another program that holds the file.
const BUSY: Duration = Duration::from_secs(5);

const READERS: u32 = 4;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// The archive `sqlite:PATH`.
#[derive(Debug)]
pub struct SqliteArchive {
    readers: SqlitePool,
    writer: mpsc::Sender<Request>,
    writing: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    broken: CancellationToken,
}

// ---- opening ----

impl SqliteArchive {
    /// Opens the file, makes it when it is missing, and brings its schema up to date.
    ///
    /// # Errors
    /// [`OpenError`], in words for the person who started the program.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_with(path, |options| options).await
    }

    /// `writing` may change how the writer's connection behaves: tests make it fail.
    async fn open_with(
        path: &Path,
        writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
    ) -> Result<Self, OpenError> {
        // An absolute name is never read as a `file:` URI, and survives a change of directory.
        let path = &std::path::absolute(path).map_err(|error| not_writable(path, &error))?;
        check_sqlite(path).await?;
        make_file(path).await?;

        let options = SqliteConnectOptions::new()
            .filename(path)
            .foreign_keys(true)
            .busy_timeout(BUSY);
        let options = options.disable_statement_logging();
        let mut connection = open_writer(path, &options, writing)
            .await
            .map_err(|error| open_error(path, error))?;
        refuse_foreign(path, &mut connection).await?;
        MIGRATIONS
            .run(&mut connection)
            .await
            .map_err(|error| migrate_error(path, error))?;
        // Only a write tells whether the file can be written.
        let probe = connection
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(|error| open_error(path, error))?;
        probe
            .rollback()
            .await
            .map_err(|error| open_error(path, error))?;

        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(BUSY)
            .connect_with(options.pragma("query_only", "ON"))
            .await
            .map_err(|error| open_error(path, error))?;
        let (writer, requests) = mpsc::channel(QUEUE);
        let closing = CancellationToken::new();
        let broken = CancellationToken::new();
        let writing = tokio::spawn(write(connection, requests, closing.clone(), broken.clone()));
        Ok(Self {
            readers,
            writer,
            writing: Mutex::new(Some(writing)),
            closing,
            broken,
        })
    }
}

/// Asks SQLite itself, on a database of its own, before any file of ours is touched.
async fn check_sqlite(path: &Path) -> Result<(), OpenError> {
    let found = sqlite_version()
        .await
        .map_err(|error| open_error(path, error))?;
    if is_safe(&found) {
        Ok(())
    } else {
        Err(OpenError::SqliteTooOld { found })
    }
}

async fn sqlite_version() -> Result<String, sqlx::Error> {
    let mut connection = SqliteConnectOptions::new()
        .in_memory(true)
        .connect()
        .await?;
    let version = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    Ok(version)
}

fn is_safe(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    let mut number = || numbers.next().flatten();
    match (number(), number(), number()) {
        (Some(major), Some(minor), Some(patch)) => (major, minor, patch) >= OLDEST_SAFE,
        _ => false,
    }
}

/// Makes the file and the directories above it. Only its owner may read it: it holds the seeds of
/// running games. SQLite gives its log and index the same rights.
async fn make_file(path: &Path) -> Result<(), OpenError> {
    let fault = |error: std::io::Error| not_writable(path, &error);
    if let Some(directory) = path.parent() {
        tokio::fs::create_dir_all(directory).await.map_err(fault)?;
    }
    if tokio::fs::metadata(path)
        .await
        .is_ok_and(|found| found.is_dir())
    {
        return Err(fault(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut file = tokio::fs::OpenOptions::new();
    file.read(true).write(true).create(true);
    #[cfg(unix)]
    file.mode(0o600);
    file.open(path).await.map(drop).map_err(fault)
}

async fn open_writer(
    path: &Path,
    options: &SqliteConnectOptions,
    writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
) -> Result<SqliteConnection, sqlx::Error> {
    let options = options
        .clone()
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = writing(options).connect().await?;
    // SQLite says nothing when it cannot have WAL, and WAL is what lets readers run beside us.
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut connection)
        .await?;
    if mode == "wal" {
        Ok(connection)
    } else {
        Err(sqlx::Error::Configuration(
            format!("no write-ahead log for {}", path.display()).into(),
        ))
    }
}

/// A database with tables, none of them our list of migrations, belongs to somebody else.
async fn refuse_foreign(path: &Path, connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let query = "SELECT count(*) > 0 AND sum(name = '_sqlx_migrations') = 0 FROM sqlite_master WHERE type = 'table'";
    let is_foreign: Option<bool> = sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .map_err(|error| open_error(path, error))?;
    if is_foreign == Some(true) {
        Err(OpenError::Foreign {
            path: path.to_owned(),
        })
    } else {
        Ok(())
    }
}

fn not_writable(path: &Path, reason: &dyn std::error::Error) -> OpenError {
    OpenError::NotWritable {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

/// Result codes of SQLite, <https://sqlite.org/rescode.html>.
mod code {
    pub(super) const BUSY: i32 = 5;
    pub(super) const LOCKED: i32 = 6;
    pub(super) const READONLY: i32 = 8;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const CANTOPEN: i32 = 14;
    pub(super) const CONSTRAINT: i32 = 19;
    pub(super) const NOTADB: i32 = 26;
}

/// The primary result code: the low byte of the extended one.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

fn open_error(path: &Path, error: sqlx::Error) -> OpenError {
    let path = path.to_owned();
    match primary_code(&error) {
        Some(code::BUSY | code::LOCKED) => OpenError::Locked { path },
        Some(code::READONLY | code::CANTOPEN) => OpenError::NotWritable {
            path,
            reason: error.to_string(),
        },
        Some(code::CORRUPT | code::NOTADB) => OpenError::NotADatabase { path },
        _ => OpenError::Other {
            path,
            reason: error.to_string(),
        },
    }
}

fn migrate_error(path: &Path, error: MigrateError) -> OpenError {
    match error {
        MigrateError::VersionMissing(version) => OpenError::TooNew {
            path: path.to_owned(),
            version,
        },
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            open_error(path, error)
        }
        error => OpenError::Other {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}

// ---- the archive ----

impl SqliteArchive {
    /// Hands a change to the writer and waits for its answer. From the moment it is handed over it
    /// happens whole, whether anybody still waits or not.
    async fn change(&self, change: Change) -> Result<u64, ArchiveError> {
        let (reply, answer) = oneshot::channel();
        let gone = || self.trusted().err().unwrap_or_else(closed);
        self.writer
            .send(Request { change, reply })
            .await
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    async fn ids<'q>(
        &self,
        query: sqlx::query::QueryScalar<'q, Sqlite, String, SqliteArguments>,
    ) -> Result<Vec<GameId>, ArchiveError> {
        self.trusted()?;
        let ids = query.fetch_all(&self.readers).await.map_err(unavailable)?;
        ids.into_iter()
            .map(|id| id.parse().map_err(unavailable))
            .collect()
    }

    fn trusted(&self) -> Result<(), ArchiveError> {
        if self.broken.is_cancelled() {
            Err(is_broken())
        } else {
            Ok(())
        }
    }
}

#[async_trait]
impl Archive for SqliteArchive {
    async fn create(&self, header: Header, seats: Vec<Seat>) -> Result<(), ArchiveError> {
        self.change(Change::Create { header, seats })
            .await
            .map(drop)
    }

    async fn load(&self, id: &GameId) -> Result<Option<Stored>, ArchiveError> {
        self.trusted()?;
        load(&self.readers, id).await
    }

    async fn append(&self, id: &GameId, expected: u32, entry: Entry) -> Result<(), ArchiveError> {
        self.change(Change::Append {
            id: id.clone(),
            expected,
            entry,
        })
        .await
        .map(drop)
    }

    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, ArchiveError> {
        let revision = self
            .change(Change::Seats {
                id: id.clone(),
                expected_revision,
                seats,
            })
            .await?;
        u32::try_from(revision).map_err(unavailable)
    }

    async fn mark_finished(&self, id: &GameId, at_ms: i64) -> Result<(), ArchiveError> {
        self.change(Change::Finished {
            id: id.clone(),
            at_ms,
        })
        .await
        .map(drop)
    }

    async fn games_of(
        &self,
        browser: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError> {
        let query = "SELECT id FROM game
            WHERE book_of IS NULL
              AND id IN (SELECT id FROM game WHERE creator = $1 UNION SELECT game FROM seat WHERE browser = $1)
            ORDER BY coalesce((SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms) DESC,
                     serial DESC
            LIMIT $2";
        self.ids(
            sqlx::query_scalar(query)
                .bind(hash(browser))
                .bind(i64::from(limit)),
        )
        .await
    }

    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, ArchiveError> {
        let query = "SELECT id FROM game WHERE book_of = $1 ORDER BY serial DESC LIMIT 1";
        let ids = self
            .ids(sqlx::query_scalar(query).bind(hash(browser)))
            .await?;
        Ok(ids.into_iter().next())
    }

    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, ArchiveError> {
        self.trusted()?;
        let query = "SELECT seat.game, seat.player FROM seat JOIN game ON game.id = seat.game
            WHERE seat.invite = $1 OR seat.joined = $1 OR seat.token = $1
            ORDER BY game.serial DESC, seat.player LIMIT 1";
        let found = sqlx::query(query)
            .bind(hash(link))
            .fetch_optional(&self.readers)
            .await
            .map_err(unavailable)?;
        let Some(row) = found else { return Ok(None) };
        let id: &str = row.try_get("game").map_err(unavailable)?;
        let player = row.try_get("player").map_err(unavailable)?;
        Ok(Some((id.parse().map_err(unavailable)?, player)))
    }

    async fn watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError> {
        let query = "SELECT id FROM game
            WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL
              AND EXISTS (SELECT 1 FROM seat WHERE game = id AND sitter = 'human')
              AND ($1 IS NULL
                   OR id NOT IN (SELECT id FROM game WHERE creator = $1 UNION SELECT game FROM seat WHERE browser = $1))
            ORDER BY coalesce((SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms) DESC,
                     serial DESC
            LIMIT $2";
        self.ids(
            sqlx::query_scalar(query)
                .bind(besides.map(hash))
                .bind(i64::from(limit)),
        )
        .await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, ArchiveError> {
        self.trusted()?;
        let query = "SELECT id, rematch_kind FROM game WHERE rematch_of = $1 ORDER BY rematch_kind";
        let rows = sqlx::query(query)
            .bind(id.as_str())
            .fetch_all(&self.readers)
            .await
            .map_err(unavailable)?;
        let rematch = |row: &SqliteRow| {
            let id: &str = row.try_get("id").map_err(unavailable)?;
            let kind = rematch_kind(row.try_get("rematch_kind").map_err(unavailable)?)?;
            Ok((kind, id.parse().map_err(unavailable)?))
        };
        rows.iter().map(rematch).collect()
    }

    async fn unfinished(&self, pace: Pace) -> Result<Vec<GameId>, ArchiveError> {
        let query = "SELECT id FROM game
            WHERE pace = $1 AND finished_ms IS NULL
            ORDER BY coalesce((SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms) DESC,
                     serial DESC";
        self.ids(sqlx::query_scalar(query).bind(pace_text(pace)))
            .await
    }

    async fn remove_finished_before(&self, at_ms: i64) -> Result<u64, ArchiveError> {
        let mut removed = 0;
        loop {
            let more = self.change(Change::Remove { before_ms: at_ms }).await?;
            removed += more;
            if more < u64::from(REMOVAL) {
                return Ok(removed);
            }
        }
    }

    async fn check(&self) -> Result<(), ArchiveError> {
        self.trusted()?;
        if self.closing.is_cancelled() {
            return Err(closed());
        }
        sqlx::query("SELECT count(*) FROM game WHERE serial = 0")
            .execute(&self.readers)
            .await
            .map(drop)
            .map_err(unavailable)
    }

    fn broken(&self) -> CancellationToken {
        self.broken.clone()
    }

    async fn close(&self) {
        self.closing.cancel();
        let writing = self
            .writing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(writing) = writing
            && let Err(error) = writing.await
        {
            tracing::error!(%error, "the archive's writer ended badly");
        }
        self.readers.close().await;
    }
}

fn closed() -> ArchiveError {
    ArchiveError::Unavailable("the archive is closed".to_owned())
}

fn is_broken() -> ArchiveError {
    ArchiveError::Unavailable("an earlier write failed".to_owned())
}

fn unavailable(error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::Unavailable(error.to_string())
}

// ---- writing ----

struct Request {
    change: Change,
    reply: oneshot::Sender<Result<u64, ArchiveError>>,
}

enum Change {
    Create {
        header: Header,
        seats: Vec<Seat>,
    },
    Append {
        id: GameId,
        expected: u32,
        entry: Entry,
    },
    Seats {
        id: GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    },
    Finished {
        id: GameId,
        at_ms: i64,
    },
    Remove {
        before_ms: i64,
    },
}

/// The writer: commits together what waits together, until the archive is closed or broken.
async fn write(
    mut connection: SqliteConnection,
    mut requests: mpsc::Receiver<Request>,
    closing: CancellationToken,
    broken: CancellationToken,
) {
    // Should this task die in any other way than by leaving, the archive is broken too.
    let alive = broken.clone().drop_guard();
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            biased;
            () = closing.cancelled(), if !requests.is_closed() => {
                requests.close();
                continue;
            }
            taken = requests.recv_many(&mut batch, BATCH) => if taken == 0 { break },
        }
        let (changes, replies): (Vec<_>, Vec<_>) = batch
            .drain(..)
            .map(|request| (request.change, request.reply))
            .unzip();
        match commit_together(&mut connection, &changes).await {
            Ok(answers) => answer(replies, answers),
            Err(Fault::Busy(error)) => {
                tracing::warn!(%error, "another program holds the archive");
                refuse(replies, &unavailable(error));
            }
            Err(Fault::Failed(error)) => {
                tracing::error!(%error, "a write to the archive failed: nothing more is acknowledged");
                broken.cancel();
                refuse(replies, &unavailable(error));
                // Not closed in good order: that would write once more.
                drop(connection);
                requests.close();
                while let Some(request) = requests.recv().await {
                    refuse(vec![request.reply], &is_broken());
                }
                return;
            }
        }
    }
    alive.disarm();
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the archive did not close in good order");
    }
}

type Reply = oneshot::Sender<Result<u64, ArchiveError>>;

fn answer(replies: Vec<Reply>, answers: Vec<Result<u64, ArchiveError>>) {
    for (reply, answer) in replies.into_iter().zip(answers) {
        // Whoever asked may have gone; what was done stays done.
        let _ = reply.send(answer);
    }
}

fn refuse(replies: Vec<Reply>, error: &ArchiveError) {
    let answers = vec![Err(error.clone()); replies.len()];
    answer(replies, answers);
}

/// Why a batch was not committed.
enum Fault {
    /// Another program kept the lock; nothing was begun.
    Busy(sqlx::Error),
    /// The storage failed; nobody knows what it has.
    Failed(sqlx::Error),
}

async fn commit_together(
    connection: &mut SqliteConnection,
    changes: &[Change],
) -> Result<Vec<Result<u64, ArchiveError>>, Fault> {
    let begun = connection.begin_with("BEGIN IMMEDIATE").await;
    let mut transaction = begun.map_err(|error| match primary_code(&error) {
        Some(code::BUSY | code::LOCKED) => Fault::Busy(error),
        _ => Fault::Failed(error),
    })?;
    let mut answers = Vec::with_capacity(changes.len());
    for change in changes {
        answers.push(
            carry_out_alone(&mut transaction, change)
                .await
                .map_err(Fault::Failed)?,
        );
    }
    transaction.commit().await.map_err(Fault::Failed)?;
    Ok(answers)
}

/// One change, undone alone when it is refused. The outer error is the storage's.
async fn carry_out_alone(
    transaction: &mut SqliteConnection,
    change: &Change,
) -> Result<Result<u64, ArchiveError>, sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    let refusal = match carry_out(&mut savepoint, change).await {
        Ok(answer) => {
            savepoint.commit().await?;
            return Ok(Ok(answer));
        }
        Err(Obstacle::Refused(refusal)) => refusal,
        // A row that the schema does not take is a fault of ours in this change, not of the disk.
        Err(Obstacle::Storage(error)) if primary_code(&error) == Some(code::CONSTRAINT) => {
            unavailable(error)
        }
        Err(Obstacle::Storage(error)) => return Err(error),
    };
    savepoint.rollback().await?;
    Ok(Err(refusal))
}

enum Obstacle {
    Refused(ArchiveError),
    Storage(sqlx::Error),
}

impl From<sqlx::Error> for Obstacle {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error)
    }
}

impl From<ArchiveError> for Obstacle {
    fn from(refusal: ArchiveError) -> Self {
        Self::Refused(refusal)
    }
}

async fn carry_out(connection: &mut SqliteConnection, change: &Change) -> Result<u64, Obstacle> {
    match change {
        Change::Create { header, seats } => create(connection, header, seats).await,
        Change::Append {
            id,
            expected,
            entry,
        } => append(connection, id, *expected, entry).await,
        Change::Seats {
            id,
            expected_revision,
            seats,
        } => change_seats(connection, id, *expected_revision, seats).await,
        Change::Finished { id, at_ms } => mark_finished(connection, id, *at_ms).await,
        Change::Remove { before_ms } => remove(connection, *before_ms).await,
    }
}

async fn create(
    connection: &mut SqliteConnection,
    header: &Header,
    seats: &[Seat],
) -> Result<u64, Obstacle> {
    let query =
        "INSERT INTO game (id, format, game, start, dice_seed, pace, creator, book_of, created_ms,
                           private, replace_after_s, rematch_of, rematch_kind)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";
    let rematch = header.rematch_of.as_ref();
    let created = sqlx::query(query)
        .bind(header.id.as_str())
        .bind(header.format)
        .bind(header.game.as_str())
        .bind(header.start.as_str())
        .bind(header.dice_seed.as_slice())
        .bind(pace_text(header.pace))
        .bind(header.creator.as_ref().map(hash))
        .bind(header.book_of.as_ref().map(hash))
        .bind(header.created_ms)
        .bind(header.private)
        .bind(header.replace_after_s)
        .bind(rematch.map(|(of, _)| of.as_str()))
        .bind(rematch.map(|(_, kind)| kind.name()))
        .execute(&mut *connection)
        .await?;
    if created.rows_affected() == 0 {
        return Err(ArchiveError::Exists.into());
    }
    insert_seats(connection, &header.id, seats).await?;
    Ok(0)
}

async fn append(
    connection: &mut SqliteConnection,
    id: &GameId,
    expected: u32,
    entry: &Entry,
) -> Result<u64, Obstacle> {
    let (player, action, roll, ending, at_ms) = match entry {
        Entry::Ply(ply) => (
            Some(ply.player),
            Some(ply.action.as_str()),
            Some(ply.roll.as_str()),
            None,
            ply.at_ms,
        ),
        Entry::Ending(ending) => (
            ending.player,
            None,
            None,
            Some(ending.kind.as_str()),
            ending.at_ms,
        ),
    };
    // The number is the next one when its predecessor is there, is no ending, and itself is free.
    let query = "INSERT INTO entry (game, number, player, action, roll, ending, at_ms)
        SELECT id, $2, $3, $4, $5, $6, $7 FROM game
        WHERE id = $1 AND ($2 = 0 OR EXISTS (SELECT 1 FROM entry WHERE game = $1 AND number = $2 - 1 AND ending IS NULL))
        ON CONFLICT (game, number) DO NOTHING";
    let appended = sqlx::query(query)
        .bind(id.as_str())
        .bind(expected)
        .bind(player)
        .bind(action)
        .bind(roll)
        .bind(ending)
        .bind(at_ms)
        .execute(&mut *connection)
        .await?;
    if appended.rows_affected() == 0 {
        return Err(why_not_appended(connection, id).await?.into());
    }
    if ending.is_some() {
        mark_finished(connection, id, at_ms).await?;
    }
    Ok(0)
}

async fn why_not_appended(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<ArchiveError, sqlx::Error> {
    let query = "SELECT coalesce((SELECT max(number) + 1 FROM entry WHERE game = id), 0) FROM game WHERE id = $1";
    let next = sqlx::query_scalar(query)
        .bind(id.as_str())
        .fetch_optional(connection)
        .await?;
    Ok(
        next.map_or(ArchiveError::NotFound, |next| ArchiveError::Conflict {
            next,
        }),
    )
}

async fn change_seats(
    connection: &mut SqliteConnection,
    id: &GameId,
    expected_revision: u32,
    seats: &[Seat],
) -> Result<u64, Obstacle> {
    let query =
        "UPDATE game SET seats_revision = seats_revision + 1 WHERE id = $1 AND seats_revision = $2";
    let changed = sqlx::query(query)
        .bind(id.as_str())
        .bind(expected_revision)
        .execute(&mut *connection)
        .await?;
    if changed.rows_affected() == 0 {
        let query = "SELECT seats_revision FROM game WHERE id = $1";
        let revision = sqlx::query_scalar(query)
            .bind(id.as_str())
            .fetch_optional(connection)
            .await?;
        let refusal = revision.map_or(ArchiveError::NotFound, |revision| {
            ArchiveError::StaleSeats { revision }
        });
        return Err(refusal.into());
    }
    sqlx::query("DELETE FROM seat WHERE game = $1")
        .bind(id.as_str())
        .execute(&mut *connection)
        .await?;
    insert_seats(connection, id, seats).await?;
    Ok(u64::from(expected_revision) + 1)
}

async fn insert_seats(
    connection: &mut SqliteConnection,
    id: &GameId,
    seats: &[Seat],
) -> Result<(), sqlx::Error> {
    for (player, seat) in (0_u32..).zip(seats) {
        let (sitter, level) = match &seat.sitter {
            Sitter::Human => ("human", None),
            Sitter::Level(level) => ("level", Some(level.as_str())),
            Sitter::Open => ("open", None),
        };
        let query = "INSERT INTO seat (game, player, sitter, level, name, browser, token, invite, joined, nonce, since_ms)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        sqlx::query(query)
            .bind(id.as_str())
            .bind(player)
            .bind(sitter)
            .bind(level)
            .bind(seat.name.as_deref())
            .bind(seat.browser.as_ref().map(hash))
            .bind(seat.token.as_ref().map(hash))
            .bind(seat.invite.as_ref().map(hash))
            .bind(seat.joined.as_ref().map(hash))
            .bind(seat.nonce.as_ref().map(|nonce| nonce.as_bytes().as_slice()))
            .bind(seat.since_ms)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn mark_finished(
    connection: &mut SqliteConnection,
    id: &GameId,
    at_ms: i64,
) -> Result<u64, Obstacle> {
    let query = "UPDATE game SET finished_ms = coalesce(finished_ms, $2) WHERE id = $1";
    let marked = sqlx::query(query)
        .bind(id.as_str())
        .bind(at_ms)
        .execute(connection)
        .await?;
    if marked.rows_affected() == 0 {
        Err(ArchiveError::NotFound.into())
    } else {
        Ok(0)
    }
}

async fn remove(connection: &mut SqliteConnection, before_ms: i64) -> Result<u64, Obstacle> {
    let query = "DELETE FROM game
        WHERE serial IN (SELECT serial FROM game WHERE finished_ms < $1 ORDER BY finished_ms LIMIT $2)";
    Ok(sqlx::query(query)
        .bind(before_ms)
        .bind(REMOVAL)
        .execute(connection)
        .await?
        .rows_affected())
}

// ---- reading ----

async fn load(readers: &SqlitePool, id: &GameId) -> Result<Option<Stored>, ArchiveError> {
    // One transaction, so that header, seats and entries are of one moment.
    let mut moment = readers.begin().await.map_err(unavailable)?;
    let rows = read_rows(&mut moment, id).await.map_err(unavailable)?;
    moment.commit().await.map_err(unavailable)?;
    let Some((game, seats, entries)) = rows else {
        return Ok(None);
    };

    let mut plies = Vec::with_capacity(entries.len());
    let mut ending = None;
    for (number, row) in (0_u32..).zip(&entries) {
        if row.try_get::<u32, _>("number").map_err(unavailable)? != number || ending.is_some() {
            return Err(unavailable(format!("game {id} has a gap at {number}")));
        }
        match read_entry(row)? {
            Entry::Ply(ply) => plies.push(ply),
            Entry::Ending(row) => ending = Some(row),
        }
    }
    let revision = game.try_get("seats_revision").map_err(unavailable)?;
    let seats = seats.iter().map(read_seat).collect::<Result<_, _>>()?;
    Ok(Some(Stored {
        header: read_header(id, &game)?,
        seats: Seats { revision, seats },
        plies,
        ending,
    }))
}

type Rows = (SqliteRow, Vec<SqliteRow>, Vec<SqliteRow>);

async fn read_rows(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<Rows>, sqlx::Error> {
    let game = sqlx::query("SELECT * FROM game WHERE id = $1").bind(id.as_str());
    let Some(game) = connection.fetch_optional(game).await? else {
        return Ok(None);
    };
    let seats = sqlx::query("SELECT * FROM seat WHERE game = $1 ORDER BY player").bind(id.as_str());
    let seats = connection.fetch_all(seats).await?;
    let entries =
        sqlx::query("SELECT * FROM entry WHERE game = $1 ORDER BY number").bind(id.as_str());
    let entries = connection.fetch_all(entries).await?;
    Ok(Some((game, seats, entries)))
}

fn read_header(id: &GameId, row: &SqliteRow) -> Result<Header, ArchiveError> {
    Ok(Header {
        id: id.clone(),
        format: row.try_get("format").map_err(unavailable)?,
        game: row.try_get("game").map_err(unavailable)?,
        start: row.try_get("start").map_err(unavailable)?,
        dice_seed: bytes(row.try_get("dice_seed").map_err(unavailable)?)?,
        pace: match row.try_get("pace").map_err(unavailable)? {
            "at-once" => Pace::AtOnce,
            "on-request" => Pace::OnRequest,
            other => return Err(unavailable(format!("unknown pace {other:?}"))),
        },
        creator: read_hash(row, "creator")?,
        book_of: read_hash(row, "book_of")?,
        created_ms: row.try_get("created_ms").map_err(unavailable)?,
        private: row.try_get("private").map_err(unavailable)?,
        replace_after_s: row.try_get("replace_after_s").map_err(unavailable)?,
        rematch_of: read_rematch(row)?,
    })
}

fn read_seat(row: &SqliteRow) -> Result<Seat, ArchiveError> {
    Ok(Seat {
        sitter: match row.try_get("sitter").map_err(unavailable)? {
            "human" => Sitter::Human,
            "level" => Sitter::Level(row.try_get("level").map_err(unavailable)?),
            "open" => Sitter::Open,
            other => return Err(unavailable(format!("unknown sitter {other:?}"))),
        },
        name: row.try_get("name").map_err(unavailable)?,
        browser: read_hash(row, "browser")?,
        token: read_hash(row, "token")?,
        invite: read_hash(row, "invite")?,
        joined: read_hash(row, "joined")?,
        nonce: read_nonce(row)?,
        since_ms: row.try_get("since_ms").map_err(unavailable)?,
    })
}

fn read_nonce(row: &SqliteRow) -> Result<Option<Nonce>, ArchiveError> {
    let stored: Option<&[u8]> = row.try_get("nonce").map_err(unavailable)?;
    let nonce = stored.map(<[u8; 16]>::try_from).transpose();
    Ok(nonce.map_err(unavailable)?.map(Nonce::from_bytes))
}

fn read_rematch(row: &SqliteRow) -> Result<Option<(GameId, RematchKind)>, ArchiveError> {
    let of: Option<&str> = row.try_get("rematch_of").map_err(unavailable)?;
    let Some(of) = of else { return Ok(None) };
    let kind = rematch_kind(row.try_get("rematch_kind").map_err(unavailable)?)?;
    Ok(Some((of.parse().map_err(unavailable)?, kind)))
}

fn rematch_kind(text: &str) -> Result<RematchKind, ArchiveError> {
    text.parse()
        .map_err(|()| unavailable(format!("unknown rematch {text:?}")))
}

fn read_entry(row: &SqliteRow) -> Result<Entry, ArchiveError> {
    let at_ms = row.try_get("at_ms").map_err(unavailable)?;
    let ending: Option<String> = row.try_get("ending").map_err(unavailable)?;
    Ok(match ending {
        Some(kind) => Entry::Ending(EndingRow {
            kind,
            player: row.try_get("player").map_err(unavailable)?,
            at_ms,
        }),
        None => Entry::Ply(PlyRow {
            player: row.try_get("player").map_err(unavailable)?,
            action: row.try_get("action").map_err(unavailable)?,
            roll: row.try_get("roll").map_err(unavailable)?,
            at_ms,
        }),
    })
}

fn read_hash(row: &SqliteRow, column: &str) -> Result<Option<SecretHash>, ArchiveError> {
    let stored: Option<&[u8]> = row.try_get(column).map_err(unavailable)?;
    stored
        .map(|stored| bytes(stored).map(SecretHash::from_bytes))
        .transpose()
}

fn bytes(stored: &[u8]) -> Result<[u8; 32], ArchiveError> {
    stored.try_into().map_err(unavailable)
}

fn hash(hash: &SecretHash) -> &[u8] {
    hash.as_bytes()
}

fn pace_text(pace: Pace) -> &'static str {
    match pace {
        Pace::AtOnce => "at-once",
        Pace::OnRequest => "on-request",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_built_in_sqlite_is_safe() {
        let version = sqlite_version().await.unwrap();
        assert!(
            is_safe(&version),
            "SQLite {version} can corrupt a WAL database"
        );
    }

    #[test]
    fn versions_compare_as_numbers() {
        for safe in ["3.51.3", "3.51.10", "3.52.0", "4.0.0"] {
            assert!(is_safe(safe), "{safe}");
        }
        for unsafe_ in ["3.51.2", "3.9.99", "3.46.1", "2.99.99", "3.51", "", "new"] {
            assert!(!is_safe(unsafe_), "{unsafe_}");
        }
    }

    fn header(id: &GameId) -> Header {
        Header {
            id: id.clone(),
            format: 1,
            game: "{}".to_owned(),
            start: "{}".to_owned(),
            dice_seed: [1; 32],
            pace: Pace::AtOnce,
            creator: None,
            book_of: None,
            created_ms: 0,
            private: false,
            replace_after_s: None,
            rematch_of: None,
        }
    }

    fn ply(number: u32) -> Entry {
        Entry::Ply(PlyRow {
            player: 0,
            action: "x".repeat(2000),
            roll: String::new(),
            at_ms: i64::from(number),
        })
    }

    #[tokio::test]
    async fn a_full_disk_breaks_the_archive_and_loses_nothing_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let id = GameId::random();
        // The database may grow to 40 pages of 4 KiB: a disk that fills up.
        let archive =
            SqliteArchive::open_with(&path, |options| options.pragma("max_page_count", "40"))
                .await
                .unwrap();
        archive.create(header(&id), Vec::new()).await.unwrap();
        let mut acknowledged = 0;
        let error = loop {
            match archive.append(&id, acknowledged, ply(acknowledged)).await {
                Ok(()) => acknowledged += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, ArchiveError::Unavailable(_)), "{error}");
        assert!(acknowledged > 10, "{acknowledged}");
        assert!(archive.broken().is_cancelled());
        assert!(archive.check().await.is_err());
        // From now on nobody is acknowledged, not even with what would fit.
        assert!(matches!(
            archive.mark_finished(&id, 1).await,
            Err(ArchiveError::Unavailable(_))
        ));
        assert!(matches!(
            archive.load(&id).await,
            Err(ArchiveError::Unavailable(_))
        ));
        archive.close().await;

        let again = SqliteArchive::open(&path).await.unwrap();
        let stored = again.load(&id).await.unwrap().unwrap();
        assert_eq!(stored.plies.len(), acknowledged as usize);
        again
            .append(&id, acknowledged, ply(acknowledged))
            .await
            .unwrap();
        again.close().await;
    }

    #[tokio::test]
    async fn a_row_that_the_schema_refuses_refuses_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let archive = SqliteArchive::open(&folder.path().join("games.db"))
            .await
            .unwrap();
        let mut connection = archive.readers.acquire().await.unwrap();
        connection.execute("PRAGMA query_only = OFF").await.unwrap();
        // Something that no release does: a second rule on the table.
        connection.execute("CREATE TRIGGER no_seven BEFORE INSERT ON entry WHEN NEW.player = 7 BEGIN SELECT raise(ABORT, 'no'); END").await.unwrap();
        drop(connection);
        let id = GameId::random();
        archive.create(header(&id), Vec::new()).await.unwrap();
        let seven = Entry::Ply(PlyRow {
            player: 7,
            action: String::new(),
            roll: String::new(),
            at_ms: 0,
        });
        let (bad, good) = tokio::join!(
            archive.append(&id, 0, seven),
            archive.append(&id, 0, ply(0))
        );
        assert!(matches!(bad, Err(ArchiveError::Unavailable(_))), "{bad:?}");
        assert_eq!(good, Ok(()));
        assert!(!archive.broken().is_cancelled());
        archive.close().await;
    }

    #[tokio::test]
    async fn the_log_is_synced_before_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true);
        let mut writer = open_writer(&path, &options, |options| options)
            .await
            .unwrap();
        let full: i64 = sqlx::query_scalar("PRAGMA synchronous")
            .fetch_one(&mut writer)
            .await
            .unwrap();
        assert_eq!(full, 2, "synchronous=FULL");
    }
}
