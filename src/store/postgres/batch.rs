//! What waits together, carried out in one transaction.

use std::collections::BTreeSet;

use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::append::append_all;
use super::changes::carry_out;
use super::error_class::Fault;
use crate::store::write_queue::{Append, Change, Task, unavailable};
use crate::store::{ArchiveError, GameId};

/// What became of each task.
pub(super) type Answers = Vec<Result<u64, ArchiveError>>;

/// How a batch is carried out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// All or nothing: PostgreSQL gives up the whole transaction when one row does not fit.
    Quick,
    /// Each task by itself, so that the one that does not fit refuses only itself. That is slow, and for
    /// batches that failed otherwise.
    Careful,
}

/// Nobody was answered yet, so the changes may come in any order; entries come last, together.
pub(super) async fn carry_out_all(
    transaction: &mut PgConnection,
    tasks: &[Task],
    care: Care,
) -> Result<Answers, sqlx::Error> {
    lock_games(transaction, tasks).await?;
    let mut answers = Vec::with_capacity(tasks.len());
    let (mut appends, mut places) = (Vec::new(), Vec::new());
    for task in tasks {
        match task {
            Task::Append(append) => {
                places.push(answers.len());
                appends.push(append);
                answers.push(Ok(0));
            }
            Task::Change(change) => answers.push(match care {
                Care::Quick => carry_out(transaction, change).await?,
                Care::Careful => change_alone(transaction, change).await?,
            }),
        }
    }
    let appended = match care {
        Care::Quick => append_all(transaction, &appends).await?,
        Care::Careful => {
            let mut appended = Vec::with_capacity(appends.len());
            for append in appends {
                appended.push(append_alone(transaction, append).await?);
            }
            appended
        }
    };
    for (place, answer) in places.into_iter().zip(appended) {
        answers[place] = answer;
    }
    Ok(answers)
}

/// Locks the rows of all games that the tasks are about, in the order of their names, so that two servers
/// do not wait for each other.
async fn lock_games(connection: &mut PgConnection, tasks: &[Task]) -> Result<(), sqlx::Error> {
    let games: BTreeSet<&str> = tasks.iter().flat_map(games).map(GameId::as_str).collect();
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

/// The games that are there already and that a task changes.
fn games(task: &Task) -> &[GameId] {
    use std::slice::from_ref;
    match task {
        Task::Append(append) => from_ref(&append.id),
        Task::Change(
            Change::Seats { id, .. } | Change::Heal { id } | Change::Review { id, .. },
        ) => from_ref(id),
        Task::Change(Change::Remove { games, .. }) => games,
        Task::Change(
            Change::Create { .. }
            | Change::Import { .. }
            | Change::Count { .. }
            | Change::AddProgram { .. }
            | Change::SawProgram { .. }
            | Change::ToldProgram { .. }
            | Change::ForgetPrograms { .. },
        ) => &[],
    }
}

async fn change_alone(
    transaction: &mut PgConnection,
    change: &Change,
) -> Result<Result<u64, ArchiveError>, sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    match carry_out(&mut savepoint, change).await {
        Ok(answer) => {
            savepoint.commit().await?;
            Ok(answer)
        }
        Err(error) if Fault::of(&error) == Fault::Unfit => {
            savepoint.rollback().await?;
            Ok(Err(unavailable(error)))
        }
        Err(error) => Err(error),
    }
}

async fn append_alone(
    transaction: &mut PgConnection,
    append: &Append,
) -> Result<Result<u64, ArchiveError>, sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    match append_all(&mut savepoint, &[append]).await {
        Ok(mut answers) => {
            savepoint.commit().await?;
            Ok(answers.pop().unwrap_or(Ok(0)))
        }
        Err(error) if Fault::of(&error) == Fault::Unfit => {
            savepoint.rollback().await?;
            Ok(Err(unavailable(error)))
        }
        Err(error) => Err(error),
    }
}
