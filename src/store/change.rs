//! Changes of the database: values that apply themselves within the writer's transaction.

use async_trait::async_trait;

use super::database::connection::{SqlConnection, SqlValue};
use super::error::StoreError;
use super::id::GameId;
use super::notification::GameChange;

/// Why a change was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The change is rejected, and has written nothing.
    #[error(transparent)]
    Rejected(#[from] StoreError),
    /// The storage failed, or a constraint is violated.
    #[error(transparent)]
    Storage(#[from] sqlx::Error),
}

/// The writer's connection, to which a [`Change`] applies itself. The provided methods are for a
/// database that only this process has open; servers that share one override them. Locks are held until the commit.
#[async_trait]
pub trait ChangeConnection: SqlConnection {
    /// Locks the rows of existing games.
    async fn lock_games(&mut self, games: &[&GameId]) -> Result<(), sqlx::Error> {
        let _ = games;
        Ok(())
    }

    /// Locks the creation of games, so that games become visible in the order of their serial numbers.
    async fn lock_creation(&mut self) -> Result<(), sqlx::Error> {
        Ok(())
    }

    /// Locks the counters.
    async fn lock_counters(&mut self) -> Result<(), sqlx::Error> {
        Ok(())
    }

    /// Marks a game as possibly due after its creation or a change of seats.
    async fn mark_possibly_due(&mut self, id: &GameId) -> Result<(), sqlx::Error> {
        let _ = id;
        Ok(())
    }

    /// Notifies other servers of these changes at the commit.
    async fn notify(&mut self, changes: &[(&GameId, GameChange)]) -> Result<(), sqlx::Error> {
        let _ = changes;
        Ok(())
    }
}

/// A change that the writer applies and commits together with others.
#[async_trait]
pub trait Change: Send + Sync + 'static {
    /// The name of its type.
    fn name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// The existing games whose rows it changes. They are locked before any change of the batch is applied, in the order
    /// of their ids, so that servers do not deadlock.
    fn games(&self) -> &[GameId] {
        &[]
    }

    /// Whether the numbers and hashes of the next entries of games may differ afterwards.
    fn invalidates_append_points(&self) -> bool {
        false
    }

    /// Applies the change; returns what it reports, usually the number of rows that were written.
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError>;
}

/// Statements with the same parameters.
pub(super) struct ChangeStatements {
    games: Vec<GameId>,
    statements: Vec<&'static str>,
    values: Vec<SqlValue>,
}

impl ChangeStatements {
    pub(super) fn new(statements: &[&'static str], values: &[SqlValue]) -> Self {
        ChangeStatements {
            games: Vec::new(),
            statements: statements.to_vec(),
            values: values.to_vec(),
        }
    }

    /// They change rows of this game.
    pub(super) fn of_game(mut self, game: &GameId) -> Self {
        self.games.push(game.clone());
        self
    }
}

#[async_trait]
impl Change for ChangeStatements {
    fn games(&self) -> &[GameId] {
        &self.games
    }

    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let mut written = 0;
        for statement in &self.statements {
            written = connection.execute(statement, &self.values).await?;
        }
        Ok(written)
    }
}
