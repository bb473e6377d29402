//! Changes of games, seats, reviews and programs, within the writer's transaction. A rejected change has
//! written nothing.

use sqlx::postgres::PgConnection;

use super::append::append_new;
use super::{leases, notifications};
use crate::seats::Seat;
use crate::store::hash_chain::ChainHash;
use crate::store::sql::decode::hash;
use crate::store::sql::encode::{SeatColumns, seats_hash_bytes};
use crate::store::write_queue::StoreChange;
use crate::store::{
    ExportedGame, GameChange, GameHeader, GameId, GameOrigin, RegisteredProgram, RetentionCutoffs,
    ReviewChange, StoreError, StoredEntry, StoredGame, sql,
};

/// Advisory lock held by transactions that create games, so that games become visible in the order of their
/// serial numbers.
const CREATION_LOCK: i64 = 0x0d1c_e0fd_003b;

/// The result of a change; the outer error comes from the database.
pub(super) type ChangeResult = Result<Result<u64, StoreError>, sqlx::Error>;

pub(super) async fn apply_change(
    connection: &mut PgConnection,
    change: &StoreChange,
) -> ChangeResult {
    match change {
        StoreChange::Create {
            header,
            seats,
            entries,
        } => create(connection, header, seats, entries).await,
        StoreChange::Import { moved } => import(connection, moved).await,
        StoreChange::Seats {
            id,
            expected_revision,
            seats,
        } => change_seats(connection, id, *expected_revision, seats).await,
        StoreChange::RepairFinished { id } => {
            let query = sqlx::query(sql::queries::REPAIR_FINISHED).bind(id.as_str());
            let repaired = query.execute(connection).await?.rows_affected();
            Ok(require_changed(repaired, StoreError::NotFound))
        }
        StoreChange::AddCounts { counts, first } => count(connection, counts, *first).await,
        StoreChange::Remove { games, cutoffs } => delete_expired(connection, games, cutoffs).await,
        StoreChange::Review { id, change } => change_review(connection, id, change).await,
        StoreChange::AddProgram { program } => add_program(connection, program).await,
        StoreChange::TouchProgram { token, at_ms } => {
            let query = sqlx::query(sql::queries::TOUCH_PROGRAM)
                .bind(hash(token))
                .bind(at_ms);
            let seen = query.execute(connection).await?.rows_affected();
            Ok(require_changed(seen, StoreError::NotFound))
        }
        StoreChange::ToldProgram { token, number } => {
            let query = sqlx::query(sql::queries::MARK_FINISHES_REPORTED)
                .bind(hash(token))
                .bind(number);
            let reported = query.execute(connection).await?.rows_affected();
            Ok(require_changed(reported, StoreError::NotFound))
        }
        StoreChange::DeleteInactivePrograms { before_ms } => {
            let query = sqlx::query(sql::queries::DELETE_INACTIVE_PROGRAMS).bind(before_ms);
            Ok(Ok(query.execute(connection).await?.rows_affected()))
        }
    }
}

fn require_changed(changed: u64, none: StoreError) -> Result<u64, StoreError> {
    if changed == 0 { Err(none) } else { Ok(changed) }
}

async fn create(
    connection: &mut PgConnection,
    header: &GameHeader,
    seats: &[Seat],
    entries: &[StoredEntry],
) -> ChangeResult {
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(CREATION_LOCK)
        .execute(&mut *connection)
        .await?;
    let rematch = header.rematch_of.as_ref();
    let (played_on, uploaded) = match &header.origin {
        Some(GameOrigin::PlayedOn { of, ply }) => (Some((of.as_str(), *ply)), None),
        Some(GameOrigin::Uploaded { id, provenance }) => (None, Some((id, provenance))),
        None => (None, None),
    };
    let created = sqlx::query(sql::queries::CREATE)
        .bind(header.id.as_str())
        .bind(i64::from(header.dice.format()))
        .bind(header.game.as_str())
        .bind(header.start.as_str())
        .bind(header.dice.seed().as_bytes().as_slice())
        .bind(header.dice.salt().map(|salt| salt.as_bytes().as_slice()))
        .bind(header.pace.name())
        .bind(header.creator.as_ref().map(hash))
        .bind(header.book_of.as_ref().map(hash))
        .bind(header.created_ms)
        .bind(i64::from(header.private))
        .bind(header.replace_after_s.map(i64::from))
        .bind(rematch.map(|(of, _)| of.as_str()))
        .bind(rematch.map(|(_, kind)| kind.name()))
        .bind(ChainHash::header_hash(header).as_bytes().to_vec())
        .bind(seats_hash_bytes(0, seats))
        .bind(played_on.map(|(of, _)| of))
        .bind(played_on.map(|(_, ply)| i64::from(ply)))
        .bind(i64::from(uploaded.is_some()))
        .bind(i64::from(header.takebacks))
        .bind(uploaded.and_then(|(id, _)| id.as_ref().map(GameId::as_str)))
        .bind(i64::from(header.hints))
        .bind(uploaded.and_then(|(_, provenance)| provenance.as_deref()))
        .execute(&mut *connection)
        .await?;
    if created.rows_affected() == 0 {
        return Ok(Err(StoreError::Exists));
    }
    insert_seats(connection, &header.id, seats).await?;
    append_new(connection, header, entries).await?;
    leases::mark_possibly_due(connection, &header.id).await?;
    if let Some((of, _)) = rematch {
        notifications::notify(connection, &[(of, GameChange::Rematch(header.id.clone()))]).await?;
    }
    Ok(Ok(0))
}

async fn import(connection: &mut PgConnection, moved: &ExportedGame) -> ChangeResult {
    let StoredGame { header, seats, .. } = &moved.stored;
    let created = create(connection, header, &seats.seats, &moved.entries()).await?;
    if created.is_err() {
        return Ok(created);
    }
    sqlx::query(sql::queries::SET_IMPORTED_COLUMNS)
        .bind(header.id.as_str())
        .bind(i64::from(seats.revision))
        .bind(seats_hash_bytes(seats.revision, &seats.seats))
        .bind(moved.stored.finished_ms)
        .bind(i64::from(moved.played))
        .bind(moved.active_ms)
        .execute(connection)
        .await?;
    Ok(Ok(0))
}

async fn change_seats(
    connection: &mut PgConnection,
    id: &GameId,
    expected_revision: u32,
    seats: &[Seat],
) -> ChangeResult {
    let changed = sqlx::query(sql::queries::UPDATE_SEATS_REVISION)
        .bind(id.as_str())
        .bind(i64::from(expected_revision))
        .bind(seats_hash_bytes(expected_revision.wrapping_add(1), seats))
        .execute(&mut *connection)
        .await?;
    if changed.rows_affected() == 0 {
        let query = sqlx::query_scalar(sql::queries::REVISION).bind(id.as_str());
        let revision: Option<i64> = query.fetch_optional(connection).await?;
        return Ok(Err(match revision.map(u32::try_from) {
            Some(Ok(revision)) => StoreError::StaleSeats { revision },
            Some(Err(error)) => StoreError::Damaged(format!("game {id}: {error}")),
            None => StoreError::NotFound,
        }));
    }
    let query = sqlx::query(sql::queries::DELETE_SEATS).bind(id.as_str());
    query.execute(&mut *connection).await?;
    insert_seats(connection, id, seats).await?;
    leases::mark_possibly_due(connection, id).await?;
    let revision = expected_revision + 1;
    notifications::notify(connection, &[(id, GameChange::Seats(revision))]).await?;
    Ok(Ok(u64::from(revision)))
}

async fn insert_seats(
    connection: &mut PgConnection,
    id: &GameId,
    seats: &[Seat],
) -> Result<(), sqlx::Error> {
    for (player, seat) in (0_i64..).zip(seats) {
        let columns = SeatColumns::from_occupant(&seat.occupant);
        let nonce = columns.nonce.as_ref();
        sqlx::query(sql::queries::INSERT_SEAT)
            .bind(id.as_str())
            .bind(player)
            .bind(columns.sitter)
            .bind(columns.level.as_deref())
            .bind(seat.occupant.name())
            .bind(columns.browser.as_ref().map(hash))
            .bind(columns.token.as_ref().map(hash))
            .bind(columns.invite.as_ref().map(hash))
            .bind(columns.joined.as_ref().map(hash))
            .bind(nonce.map(|nonce| nonce.as_bytes().as_slice()))
            .bind(seat.since_ms)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn count(
    connection: &mut PgConnection,
    counts: &[(String, u64)],
    first: bool,
) -> ChangeResult {
    if first {
        // No other transaction can add counters until the commit.
        let lock = sqlx::query("LOCK TABLE tally IN SHARE ROW EXCLUSIVE MODE");
        lock.execute(&mut *connection).await?;
        if sqlx::query_scalar(sql::queries::HAS_COUNTS)
            .fetch_one(&mut *connection)
            .await?
        {
            return Ok(Err(StoreError::Exists));
        }
    }
    for (name, count) in counts {
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        let query = sqlx::query(sql::queries::ADD_COUNT)
            .bind(name.as_str())
            .bind(count);
        query.execute(&mut *connection).await?;
    }
    Ok(Ok(0))
}

/// Deletes those of the given games that are expired now; returns their number.
async fn delete_expired(
    connection: &mut PgConnection,
    games: &[GameId],
    cutoffs: &RetentionCutoffs,
) -> ChangeResult {
    let games: Vec<&str> = games.iter().map(GameId::as_str).collect();
    // A comparison with a missing cutoff is NULL, which counts as false.
    let query = "DELETE FROM game WHERE id = ANY($1) AND CASE
        WHEN uploaded = 1 THEN active_ms < $6
        WHEN finished_ms IS NOT NULL THEN finished_ms < $2
        WHEN played = 1 THEN active_ms < $3
        WHEN people > 1 OR open_seats > 0 THEN active_ms < $5
        ELSE active_ms < $4 END";
    let removed = sqlx::query(query)
        .bind(games)
        .bind(cutoffs.finished_ms)
        .bind(cutoffs.abandoned_ms)
        .bind(cutoffs.untouched_ms)
        .bind(cutoffs.awaited_ms)
        .bind(cutoffs.uploaded_ms)
        .execute(connection)
        .await?;
    Ok(Ok(removed.rows_affected()))
}

async fn change_review(
    connection: &mut PgConnection,
    id: &GameId,
    change: &ReviewChange,
) -> ChangeResult {
    let id = id.as_str();
    let query = match change {
        ReviewChange::Request(at_ms) => sqlx::query(sql::queries::REQUEST_REVIEW)
            .bind(id)
            .bind(*at_ms),
        ReviewChange::Store(review) => sqlx::query(sql::queries::STORE_REVIEW)
            .bind(id)
            .bind(review),
        ReviewChange::Cancel => {
            for query in sql::queries::CANCEL_REVIEW {
                sqlx::query(query)
                    .bind(id)
                    .execute(&mut *connection)
                    .await?;
            }
            let query = sqlx::query_scalar(sql::queries::GAMES_WITH_ID).bind(id);
            let games: i64 = query.fetch_one(connection).await?;
            return Ok(require_changed(games.unsigned_abs(), StoreError::NotFound));
        }
    };
    let changed = query.execute(connection).await?.rows_affected();
    Ok(require_changed(changed, StoreError::NotFound))
}

async fn add_program(connection: &mut PgConnection, program: &RegisteredProgram) -> ChangeResult {
    let query = sqlx::query(sql::queries::ADD_PROGRAM)
        .bind(program.id.as_str())
        .bind(program.name.as_str())
        .bind(hash(&program.token))
        .bind(program.game.as_str())
        .bind(program.created_ms);
    let added = query.execute(connection).await?.rows_affected();
    Ok(require_changed(added, StoreError::Exists))
}
