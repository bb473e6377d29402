//! Applies a batch of pending requests in one transaction.

use std::collections::BTreeSet;

use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::append::append_all;
use super::changes::apply_change;
use super::error_class::PostgresErrorClass;
use crate::store::write_queue::{AppendRequest, StoreChange, WriteTask, unavailable};
use crate::store::{GameId, StoreError};

/// The result of each task.
pub(super) type BatchResults = Vec<Result<u64, StoreError>>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BatchMode {
    /// All or nothing: in PostgreSQL, a constraint violation aborts the whole transaction.
    AllOrNothing,
    /// Each task in its own savepoint, so that a constraint violation rejects only that task. Slow; used to
    /// retry batches that failed otherwise.
    OneByOne,
}

/// Applies a batch: the changes first, then all appends together. The order is free because no reply was sent
/// yet.
pub(super) async fn apply_batch(
    transaction: &mut PgConnection,
    tasks: &[WriteTask],
    mode: BatchMode,
) -> Result<BatchResults, sqlx::Error> {
    lock_games(transaction, tasks).await?;
    let mut answers = Vec::with_capacity(tasks.len());
    let (mut appends, mut indices) = (Vec::new(), Vec::new());
    for task in tasks {
        match task {
            WriteTask::Append(append) => {
                indices.push(answers.len());
                appends.push(append);
                answers.push(Ok(0));
            }
            WriteTask::Change(change) => answers.push(match mode {
                BatchMode::AllOrNothing => apply_change(transaction, change).await?,
                BatchMode::OneByOne => apply_single(transaction, change).await?,
            }),
        }
    }
    let appended = match mode {
        BatchMode::AllOrNothing => append_all(transaction, &appends).await?,
        BatchMode::OneByOne => {
            let mut appended = Vec::with_capacity(appends.len());
            for append in appends {
                appended.push(append_single(transaction, append).await?);
            }
            appended
        }
    };
    for (index, answer) in indices.into_iter().zip(appended) {
        answers[index] = answer;
    }
    Ok(answers)
}

/// Locks the rows of all affected games in the order of their ids, so that servers do not deadlock.
async fn lock_games(connection: &mut PgConnection, tasks: &[WriteTask]) -> Result<(), sqlx::Error> {
    let games: BTreeSet<&str> = tasks
        .iter()
        .flat_map(existing_games)
        .map(GameId::as_str)
        .collect();
    if games.is_empty() {
        return Ok(());
    }
    let games: Vec<&str> = games.into_iter().collect();
    sqlx::query("SELECT FROM game WHERE id = ANY($1) ORDER BY id FOR UPDATE")
        .bind(games)
        .execute(connection)
        .await?;
    Ok(())
}

/// The existing games that a task changes.
fn existing_games(task: &WriteTask) -> &[GameId] {
    use std::slice::from_ref;
    match task {
        WriteTask::Append(append) => from_ref(&append.id),
        WriteTask::Change(
            StoreChange::Seats { id, .. }
            | StoreChange::RepairFinished { id }
            | StoreChange::Review { id, .. },
        ) => from_ref(id),
        WriteTask::Change(StoreChange::Remove { games, .. }) => games,
        WriteTask::Change(
            StoreChange::Create { .. }
            | StoreChange::Import { .. }
            | StoreChange::AddCounts { .. }
            | StoreChange::AddProgram { .. }
            | StoreChange::TouchProgram { .. }
            | StoreChange::ToldProgram { .. }
            | StoreChange::DeleteInactivePrograms { .. },
        ) => &[],
    }
}

async fn apply_single(
    transaction: &mut PgConnection,
    change: &StoreChange,
) -> Result<Result<u64, StoreError>, sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    match apply_change(&mut savepoint, change).await {
        Ok(answer) => {
            savepoint.commit().await?;
            Ok(answer)
        }
        Err(error)
            if PostgresErrorClass::classify(&error) == PostgresErrorClass::ConstraintViolation =>
        {
            savepoint.rollback().await?;
            Ok(Err(unavailable(error)))
        }
        Err(error) => Err(error),
    }
}

async fn append_single(
    transaction: &mut PgConnection,
    append: &AppendRequest,
) -> Result<Result<u64, StoreError>, sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    match append_all(&mut savepoint, &[append]).await {
        Ok(mut answers) => {
            savepoint.commit().await?;
            Ok(answers.pop().unwrap_or(Ok(0)))
        }
        Err(error)
            if PostgresErrorClass::classify(&error) == PostgresErrorClass::ConstraintViolation =>
        {
            savepoint.rollback().await?;
            Ok(Err(unavailable(error)))
        }
        Err(error) => Err(error),
    }
}
