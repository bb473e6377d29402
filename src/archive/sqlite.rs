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

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use sqlx::sqlite::{SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{Row as _, Sqlite};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Archive, ArchiveError, Entry, GameId, Header, Stored};
use crate::seats::{Pace, RematchKind, Seat};
use crate::secret::SecretHash;

mod opening;
mod reading;
mod writing;

use reading::{hash, load, rematch_kind};
use writing::{Change, REMOVAL, Request};

/// The archive `sqlite:PATH`.
#[derive(Debug)]
pub struct SqliteArchive {
    readers: SqlitePool,
    writer: mpsc::Sender<Request>,
    writing: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    broken: CancellationToken,
}

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

    async fn heal_finished(&self, id: &GameId) -> Result<(), ArchiveError> {
        self.change(Change::Heal { id: id.clone() }).await.map(drop)
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
        let query = "SELECT id, rematch_kind FROM game WHERE rematch_of = $1";
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
        let mut found: Vec<_> = rows.iter().map(rematch).collect::<Result<_, _>>()?;
        found.sort();
        Ok(found)
    }

    async fn unfinished(&self, pace: Pace) -> Result<Vec<GameId>, ArchiveError> {
        let query = "SELECT id FROM game
            WHERE pace = $1 AND finished_ms IS NULL
            ORDER BY coalesce((SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms) DESC,
                     serial DESC";
        self.ids(sqlx::query_scalar(query).bind(pace.name())).await
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

#[cfg(test)]
mod tests {
    use sqlx::Executor as _;
    use sqlx::sqlite::SqliteConnectOptions;

    use super::opening::{is_safe, open_writer, sqlite_version};
    use super::*;
    use crate::record::PlyRow;

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
            dice_seed: crate::streams::DiceSeed::from_bytes([1; 32]),
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
            archive.heal_finished(&id).await,
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
