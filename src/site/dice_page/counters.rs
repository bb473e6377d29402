//! Named counters, such as those of rolled results. They are derived from the games and may be lost.

use async_trait::async_trait;

use crate::store::{
    Change, ChangeConnection, ChangeError, FromRow, RowReadError, SqlRow, Store, StoreError, params,
};

struct StoredCounter(String, u64);

impl FromRow for StoredCounter {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(StoredCounter(row.get("name")?, row.get("count")?))
    }
}

struct AddCounts {
    counts: Vec<(String, u64)>,
    /// Whether they are added only if there are no counters yet.
    is_initial: bool,
}

#[async_trait]
impl Change for AddCounts {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        if self.is_initial {
            connection.lock_counters().await?;
            let any = "SELECT name FROM counter LIMIT 1";
            if !connection.fetch_all(any, params![]).await?.is_empty() {
                return Err(StoreError::Exists.into());
            }
        }
        let statement = "INSERT INTO counter (name, count) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET count = counter.count + excluded.count";
        for (name, count) in &self.counts {
            let count = i64::try_from(*count).unwrap_or(i64::MAX);
            connection.execute(statement, params![name, count]).await?;
        }
        Ok(0)
    }
}

impl dyn Store {
    /// Adds to counters; the caller bounds the set of names.
    pub async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let is_initial = false;
        let change = AddCounts { counts, is_initial };
        self.apply(Box::new(change)).await.map(drop)
    }

    /// Stores the initial counters, all or none. If several instances have counted the same games, only the first call
    /// succeeds.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there are counters already.
    pub async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let is_initial = true;
        let change = AddCounts { counts, is_initial };
        self.apply(Box::new(change)).await.map(drop)
    }

    /// All counters, by name.
    pub async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let query = "SELECT name, count FROM counter";
        let counters = self.fetch(query, params![]).await?.into_iter();
        Ok(counters
            .map(|StoredCounter(name, count)| (name, count))
            .collect())
    }
}
