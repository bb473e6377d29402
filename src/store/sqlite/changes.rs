//! Changes of games and seats; each is applied or rejected on its own.

use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use super::append::append_new;
use super::open::{code, primary_code};
use super::programs;
use super::retention::delete_expired;
use super::reviews;
use crate::seats::Seat;
use crate::store::hash_chain::ChainHash;
use crate::store::sql::decode::hash;
use crate::store::sql::encode::{SeatColumns, seats_hash_bytes};
use crate::store::write_queue::{StoreChange, unavailable};
use crate::store::{
    ExportedGame, GameHeader, GameId, GameOrigin, ReviewChange, StoreError, StoredGame, sql,
};

/// Applies one change in a savepoint, which is rolled back if the change is rejected. The outer error comes
/// from the storage.
pub(super) async fn apply_in_savepoint(
    transaction: &mut SqliteConnection,
    change: &StoreChange,
) -> Result<Result<u64, StoreError>, sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    let rejection = match apply_change(&mut savepoint, change).await {
        Ok(answer) => {
            savepoint.commit().await?;
            return Ok(Ok(answer));
        }
        Err(ChangeError::Refused(rejection)) => rejection,
        // A constraint violation is a defect in this change, not in the storage.
        Err(ChangeError::Storage(error)) if primary_code(&error) == Some(code::CONSTRAINT) => {
            unavailable(error)
        }
        Err(ChangeError::Storage(error)) => return Err(error),
    };
    savepoint.rollback().await?;
    Ok(Err(rejection))
}

enum ChangeError {
    Refused(StoreError),
    Storage(sqlx::Error),
}

impl From<sqlx::Error> for ChangeError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error)
    }
}

impl From<StoreError> for ChangeError {
    fn from(rejection: StoreError) -> Self {
        Self::Refused(rejection)
    }
}

async fn apply_change(
    connection: &mut SqliteConnection,
    change: &StoreChange,
) -> Result<u64, ChangeError> {
    match change {
        StoreChange::Create {
            header,
            seats,
            entries,
        } => {
            create(connection, header, seats).await?;
            append_new(connection, header, entries).await?;
            Ok(0)
        }
        StoreChange::Import { moved } => import(connection, moved).await,
        StoreChange::Seats {
            id,
            expected_revision,
            seats,
        } => change_seats(connection, id, *expected_revision, seats).await,
        StoreChange::RepairFinished { id } => repair_finished(connection, id).await,
        StoreChange::AddCounts { counts, first } => count(connection, counts, *first).await,
        StoreChange::Remove { games, cutoffs } => {
            Ok(delete_expired(connection, games, cutoffs).await?)
        }
        StoreChange::Review { id, change } => change_review(connection, id, change).await,
        StoreChange::AddProgram { program } => match programs::add(connection, program).await? {
            0 => Err(StoreError::Exists.into()),
            added => Ok(added),
        },
        StoreChange::TouchProgram { token, at_ms } => {
            match programs::touch(connection, token, *at_ms).await? {
                0 => Err(StoreError::NotFound.into()),
                seen => Ok(seen),
            }
        }
        StoreChange::ToldProgram { token, number } => {
            match programs::mark_finishes_reported(connection, token, *number).await? {
                0 => Err(StoreError::NotFound.into()),
                reported => Ok(reported),
            }
        }
        StoreChange::DeleteInactivePrograms { before_ms } => {
            Ok(programs::delete_inactive(connection, *before_ms).await?)
        }
    }
}

async fn import(
    connection: &mut SqliteConnection,
    moved: &ExportedGame,
) -> Result<u64, ChangeError> {
    let StoredGame { header, seats, .. } = &moved.stored;
    create(connection, header, &seats.seats).await?;
    append_new(connection, header, &moved.entries()).await?;
    sqlx::query(sql::queries::SET_IMPORTED_COLUMNS)
        .bind(header.id.as_str())
        .bind(seats.revision)
        .bind(seats_hash_bytes(seats.revision, &seats.seats))
        .bind(moved.stored.finished_ms)
        .bind(moved.played)
        .bind(moved.active_ms)
        .execute(connection)
        .await?;
    Ok(0)
}

async fn count(
    connection: &mut SqliteConnection,
    counts: &[(String, u64)],
    first: bool,
) -> Result<u64, ChangeError> {
    if first
        && sqlx::query_scalar(sql::queries::HAS_COUNTS)
            .fetch_one(&mut *connection)
            .await?
    {
        return Err(StoreError::Exists.into());
    }
    for (name, count) in counts {
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        let query = sqlx::query(sql::queries::ADD_COUNT)
            .bind(name.as_str())
            .bind(count);
        query.execute(&mut *connection).await?;
    }
    Ok(0)
}

async fn create(
    connection: &mut SqliteConnection,
    header: &GameHeader,
    seats: &[Seat],
) -> Result<(), ChangeError> {
    let rematch = header.rematch_of.as_ref();
    let (played_on, uploaded) = match &header.origin {
        Some(GameOrigin::PlayedOn { of, ply }) => (Some((of.as_str(), *ply)), None),
        Some(GameOrigin::Uploaded { id, provenance }) => (None, Some((id, provenance))),
        None => (None, None),
    };
    let created = sqlx::query(sql::queries::CREATE)
        .bind(header.id.as_str())
        .bind(header.dice.format())
        .bind(header.game.as_str())
        .bind(header.start.as_str())
        .bind(header.dice.seed().as_bytes().as_slice())
        .bind(header.dice.salt().map(|salt| salt.as_bytes().as_slice()))
        .bind(header.pace.name())
        .bind(header.creator.as_ref().map(hash))
        .bind(header.book_of.as_ref().map(hash))
        .bind(header.created_ms)
        .bind(header.private)
        .bind(header.replace_after_s)
        .bind(rematch.map(|(of, _)| of.as_str()))
        .bind(rematch.map(|(_, kind)| kind.name()))
        .bind(ChainHash::header_hash(header).as_bytes().to_vec())
        .bind(seats_hash_bytes(0, seats))
        .bind(played_on.map(|(of, _)| of))
        .bind(played_on.map(|(_, ply)| ply))
        .bind(uploaded.is_some())
        .bind(header.takebacks)
        .bind(uploaded.and_then(|(id, _)| id.as_ref().map(GameId::as_str)))
        .bind(header.hints)
        .bind(uploaded.and_then(|(_, provenance)| provenance.as_deref()))
        .execute(&mut *connection)
        .await?;
    if created.rows_affected() == 0 {
        return Err(StoreError::Exists.into());
    }
    Ok(insert_seats(connection, &header.id, seats).await?)
}

async fn change_review(
    connection: &mut SqliteConnection,
    id: &GameId,
    change: &ReviewChange,
) -> Result<u64, ChangeError> {
    let changed = match change {
        ReviewChange::Request(at_ms) => reviews::request(connection, id, *at_ms).await?,
        ReviewChange::Store(review) => reviews::store(connection, id, review).await?,
        ReviewChange::Cancel => reviews::cancel(connection, id).await?,
    };
    match changed {
        0 => Err(StoreError::NotFound.into()),
        _ => Ok(0),
    }
}

async fn change_seats(
    connection: &mut SqliteConnection,
    id: &GameId,
    expected_revision: u32,
    seats: &[Seat],
) -> Result<u64, ChangeError> {
    let changed = sqlx::query(sql::queries::UPDATE_SEATS_REVISION)
        .bind(id.as_str())
        .bind(expected_revision)
        .bind(seats_hash_bytes(expected_revision.wrapping_add(1), seats))
        .execute(&mut *connection)
        .await?;
    if changed.rows_affected() == 0 {
        let revision = sqlx::query_scalar(sql::queries::REVISION)
            .bind(id.as_str())
            .fetch_optional(connection)
            .await?;
        let rejection = revision.map_or(StoreError::NotFound, |revision| StoreError::StaleSeats {
            revision,
        });
        return Err(rejection.into());
    }
    sqlx::query(sql::queries::DELETE_SEATS)
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
        let columns = SeatColumns::from_occupant(&seat.occupant);
        sqlx::query(sql::queries::INSERT_SEAT)
            .bind(id.as_str())
            .bind(player)
            .bind(columns.sitter)
            .bind(columns.level)
            .bind(seat.occupant.name())
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

async fn repair_finished(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<u64, ChangeError> {
    let marked = sqlx::query(sql::queries::REPAIR_FINISHED)
        .bind(id.as_str())
        .execute(connection)
        .await?;
    if marked.rows_affected() == 0 {
        Err(StoreError::NotFound.into())
    } else {
        Ok(0)
    }
}
