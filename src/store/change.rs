//! Changes of the database: values that apply themselves within the writer's transaction.

use async_trait::async_trait;

use super::database::connection::{ChangeConnection, SqlValue};
use super::{GameId, StoreError};

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
