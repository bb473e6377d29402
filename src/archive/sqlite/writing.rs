//! The one writer: changes that wait are committed together, and each is carried out or refused by
//! itself.

use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::opening::{code, primary_code};
use super::reading::hash;
use super::{is_broken, unavailable};
use crate::archive::{ArchiveError, Entry, GameId, Header};
use crate::game::Player;
use crate::seats::{Invitation, Keys, Seat, Sitter};
use crate::secret::{Nonce, SecretHash};

/// How many changes share one commit at most.
const BATCH: usize = 256;

/// How many games one commit removes, so that moves never wait long behind `--keep-days`.
pub(super) const REMOVAL: u32 = 100;

pub(super) struct Request {
    pub(super) change: Change,
    pub(super) reply: oneshot::Sender<Result<u64, ArchiveError>>,
}

pub(super) enum Change {
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
    Heal {
        id: GameId,
    },
    Remove {
        before_ms: i64,
    },
}

/// The writer: commits together what waits together, until the archive is closed or broken.
pub(super) async fn write(
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
        Change::Heal { id } => heal_finished(connection, id).await,
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
        .bind(header.dice_seed.as_bytes().as_slice())
        .bind(header.pace.name())
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
        Entry::Ply(ply) | Entry::FinalPly(ply) => (
            Some(ply.player),
            Some(ply.action.as_str()),
            Some(ply.roll.as_str()),
            None,
            ply.at_ms,
        ),
        Entry::Ending(row) => {
            let player = row.ending.player().map(Player::number);
            (player, None, None, Some(row.ending.name()), row.at_ms)
        }
    };
    // The number is the next one when its predecessor is there, is no ending, and itself is free.
    let query = "INSERT INTO entry (game, number, player, action, roll, ending, at_ms)
        SELECT id, $2, $3, $4, $5, $6, $7 FROM game
        WHERE id = $1 AND finished_ms IS NULL
          AND ($2 = 0 OR EXISTS (SELECT 1 FROM entry WHERE game = $1 AND number = $2 - 1 AND ending IS NULL))
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
    match entry {
        Entry::Ply(_) => {}
        Entry::FinalPly(_) | Entry::Ending(_) => {
            sqlx::query("UPDATE game SET finished_ms = $2 WHERE id = $1")
                .bind(id.as_str())
                .bind(at_ms)
                .execute(connection)
                .await?;
        }
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
        let columns = SeatColumns::of(&seat.sitter);
        let query = "INSERT INTO seat (game, player, sitter, level, name, browser, token, invite, joined, nonce, since_ms)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        sqlx::query(query)
            .bind(id.as_str())
            .bind(player)
            .bind(columns.sitter)
            .bind(columns.level)
            .bind(seat.sitter.name())
            .bind(columns.browser.as_ref().map(hash))
            .bind(columns.token.as_ref().map(hash))
            .bind(columns.invite.as_ref().map(hash))
            .bind(columns.joined.as_ref().map(hash))
            .bind(
                columns
                    .nonce
                    .as_ref()
                    .map(|nonce| nonce.as_bytes().as_slice()),
            )
            .bind(seat.since_ms)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// The columns of a seat that tell who sits there. What reads them is `reading::read_sitter`.
#[derive(Default)]
struct SeatColumns<'a> {
    sitter: &'static str,
    level: Option<&'a str>,
    browser: Option<SecretHash>,
    token: Option<SecretHash>,
    invite: Option<SecretHash>,
    joined: Option<SecretHash>,
    nonce: Option<Nonce>,
}

impl<'a> SeatColumns<'a> {
    fn of(sitter: &'a Sitter) -> Self {
        match sitter {
            Sitter::Open { invitation } => SeatColumns {
                sitter: "open",
                invite: invitation.as_ref().map(Invitation::token).copied(),
                nonce: match invitation {
                    Some(Invitation::Derived(link)) => Some(link.nonce),
                    Some(Invitation::Told(_)) | None => None,
                },
                ..SeatColumns::default()
            },
            Sitter::Person { .. } | Sitter::Program { .. } => SeatColumns {
                sitter: "human",
                ..SeatColumns::of_keys(sitter.keys())
            },
            Sitter::Level { level, left } => SeatColumns {
                sitter: "level",
                level: Some(level.name()),
                ..SeatColumns::of_keys(*left)
            },
        }
    }

    fn of_keys(keys: Option<Keys>) -> Self {
        match keys {
            None => SeatColumns::default(),
            Some(Keys::Person(keys)) => {
                let back = keys.back;
                SeatColumns {
                    browser: Some(keys.browser),
                    token: back.map(|link| link.token),
                    joined: keys.joined,
                    nonce: back.map(|link| link.nonce),
                    ..SeatColumns::default()
                }
            }
            Some(Keys::Program(keys)) => SeatColumns {
                browser: keys.browser,
                token: Some(keys.token),
                joined: keys.joined,
                ..SeatColumns::default()
            },
        }
    }
}

async fn heal_finished(connection: &mut SqliteConnection, id: &GameId) -> Result<u64, Obstacle> {
    let query = "UPDATE game SET finished_ms = coalesce(finished_ms,
            (SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms)
        WHERE id = $1";
    let marked = sqlx::query(query)
        .bind(id.as_str())
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
