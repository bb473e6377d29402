//! Applies a batch of pending requests in one transaction.

use std::collections::BTreeSet;

use super::append::{AppendPoints, append_all};
use async_trait::async_trait;

use crate::store::change::{ChangeConnection, ChangeError};
use crate::store::error::{StoreError, unavailable};
use crate::store::id::GameId;
use crate::store::lease::AppendOptions;
use crate::store::stored_game::StoredEntry;
use crate::store::write_queue::{AppendRequest, BatchResults, WriteTask};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum BatchMode {
    /// All or nothing: a constraint violation aborts the whole transaction.
    AllOrNothing,
    /// Each task in its own savepoint, so that a constraint violation rejects only that task. Slow; used to
    /// retry batches that failed otherwise.
    OneByOne,
}

/// Applies a batch: the changes first, then all appends together. The order is free because no reply was sent
/// yet.
pub(in crate::store) async fn apply_batch(
    transaction: &mut impl BatchConnection,
    append_points: &mut AppendPoints,
    tasks: &[WriteTask],
    mode: BatchMode,
) -> Result<BatchResults, sqlx::Error> {
    // In the order of their ids, so that servers do not deadlock.
    let games: BTreeSet<&GameId> = tasks.iter().flat_map(WriteTask::existing_games).collect();
    let games: Vec<&GameId> = games.into_iter().collect();
    transaction.lock_games(&games).await?;
    let mut answers = Vec::with_capacity(tasks.len());
    let (mut appends, mut indices) = (Vec::new(), Vec::new());
    for task in tasks {
        match task {
            WriteTask::Append(append) => {
                indices.push(answers.len());
                appends.push(append);
                answers.push(Ok(0));
            }
            WriteTask::Change(change) => {
                if change.invalidates_append_points() {
                    append_points.clear();
                }
                begin_task(transaction, mode).await?;
                let applied = match change.apply(transaction).await {
                    Ok(reported) => Ok(Ok(reported)),
                    Err(ChangeError::Rejected(error)) => Ok(Err(error)),
                    Err(ChangeError::Storage(error)) => Err(error),
                };
                answers.push(end_task(transaction, mode, applied).await?);
            }
        }
    }
    let appended = match mode {
        BatchMode::AllOrNothing => append_all(transaction, append_points, &appends).await?,
        BatchMode::OneByOne => append_each(transaction, append_points, &appends).await?,
    };
    for (index, answer) in indices.into_iter().zip(appended) {
        answers[index] = answer;
    }
    Ok(answers)
}

async fn append_each(
    transaction: &mut impl BatchConnection,
    append_points: &mut AppendPoints,
    appends: &[&AppendRequest],
) -> Result<BatchResults, sqlx::Error> {
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        // The entry before may have been rolled back, so its append point is invalid.
        append_points.clear();
        begin_task(transaction, BatchMode::OneByOne).await?;
        let applied = append_all(transaction, append_points, &[append]).await;
        let applied = applied.map(|answers| answers.into_iter().next().unwrap_or(Ok(0)));
        answers.push(end_task(transaction, BatchMode::OneByOne, applied).await?);
    }
    append_points.clear();
    Ok(answers)
}

async fn begin_task(
    transaction: &mut impl BatchConnection,
    mode: BatchMode,
) -> Result<(), sqlx::Error> {
    if mode == BatchMode::OneByOne {
        transaction.execute("SAVEPOINT task", &[]).await?;
    }
    Ok(())
}

/// Rejects a task that violates a constraint, if it has a savepoint. A task that was rejected otherwise has
/// written nothing.
async fn end_task<C: BatchConnection>(
    transaction: &mut C,
    mode: BatchMode,
    applied: Result<Result<u64, StoreError>, sqlx::Error>,
) -> Result<Result<u64, StoreError>, sqlx::Error> {
    if mode == BatchMode::AllOrNothing {
        return applied;
    }
    let answer = match applied {
        Err(error) if C::is_constraint_violation(&error) => {
            transaction
                .execute("ROLLBACK TO SAVEPOINT task", &[])
                .await?;
            Err(unavailable(error))
        }
        applied => applied?,
    };
    transaction.execute("RELEASE SAVEPOINT task", &[]).await?;
    Ok(answer)
}

/// The appends of a batch on the writer's connection.
#[async_trait]
pub(in crate::store) trait BatchConnection: ChangeConnection + Sized {
    /// The leases of the games of a batch that are stored in the database.
    type Leases: BatchLeases;

    /// Whether the error is a defect in one change rather than in the storage.
    fn is_constraint_violation(error: &sqlx::Error) -> bool;

    /// Locks and reads the leases of the games of these appends.
    async fn lock_leases(
        &mut self,
        appends: &[&AppendRequest],
    ) -> Result<Self::Leases, sqlx::Error> {
        let _ = appends;
        Ok(Self::Leases::default())
    }

    async fn write_leases(&mut self, leases: &Self::Leases) -> Result<(), sqlx::Error> {
        let _ = leases;
        Ok(())
    }
}

/// The leases of the games of a batch.
pub(in crate::store) trait BatchLeases: Default + Send + Sync {
    /// # Errors
    /// [`StoreError::Fenced`] if the entry's fencing token is not the newest.
    fn check_fence(&self, id: &GameId, options: AppendOptions) -> Result<(), StoreError>;

    /// Records the scheduling data of an append; returns the granted fencing token, 0 for none.
    fn record_append(&mut self, id: &GameId, entry: &StoredEntry, options: AppendOptions) -> u64;
}

/// No leases are stored in the database.
impl BatchLeases for () {
    fn check_fence(&self, _: &GameId, _: AppendOptions) -> Result<(), StoreError> {
        Ok(())
    }

    fn record_append(&mut self, _: &GameId, _: &StoredEntry, _: AppendOptions) -> u64 {
        0
    }
}
