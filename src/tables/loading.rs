//! Loads games from the store and starts their tables.

use std::sync::Arc;
use std::time::Duration;

use super::claims;
use super::error::ServiceError;
use super::state::Service;
use super::table::TableActor;
use super::table_registry::{TableHandle, begin_loading};
use crate::seats::ComputerPace;
use crate::store::{GameId, GameList, GameVersion};

/// Delay before the next attempt to resume a game while the table limit is reached.
const FULL_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Page size for listing unfinished games.
const PAGE_SIZE: u32 = 200;

/// Records with more entries than this take milliseconds to replay, so they are replayed on a blocking thread.
const LONG_RECORD: usize = 100;

impl Service {
    /// Resumes all unfinished games with a computer to move, after a start of the server, and repairs lost marks of
    /// finished games. With a shared store this does nothing: due games are claimed there
    /// ([`Service::run_background`]).
    pub async fn resume_unfinished(&self) {
        if self.shared.store.is_shared() {
            return;
        }
        for pace in ComputerPace::ALL {
            let mut after = None;
            loop {
                let page = self
                    .shared
                    .store
                    .list_games(GameList::Unfinished(pace), after, PAGE_SIZE)
                    .await;
                let page = match page {
                    Ok(page) => page,
                    Err(error) => {
                        tracing::error!(%error, "unfinished games cannot be listed");
                        break;
                    }
                };
                self.resume(page.games).await;
                after = page.next;
                if after.is_none() || self.shared.stop.is_cancelled() {
                    break;
                }
            }
        }
    }

    async fn resume(&self, unfinished: Vec<GameId>) {
        for id in unfinished {
            while self.shared.tables.lock().is_full() && !self.shared.stop.is_cancelled() {
                // A view loads its game in any case; the others wait for a free table.
                tokio::time::sleep(FULL_RETRY_DELAY).await;
            }
            if self.shared.stop.is_cancelled() {
                return;
            }
            // A game that is being deleted is not resumed.
            let Some(_loading) = begin_loading(&self.shared.tables, &id) else {
                continue;
            };
            match self.load(&id).await {
                Ok(table) => {
                    let resumed = match table.due_after(&table.newest()) {
                        Some(Duration::ZERO) => self.start_table(table).map(drop),
                        Some(wait) => claims::set_due(self, &id, wait).await,
                        None => Ok(()),
                    };
                    if let Err(error) = resumed {
                        tracing::warn!(%id, %error, "an unfinished game could not be resumed");
                    }
                }
                Err(error) => tracing::warn!(%id, %error, "a game could not be resumed"),
            }
            tokio::task::yield_now().await;
        }
    }

    pub(super) async fn open(&self, id: &GameId) -> Result<TableHandle, ServiceError> {
        if let Some(handle) = self.shared.tables.lock().find(id) {
            return Ok(handle);
        }
        self.load_table(id).await.map(|(handle, _)| handle)
    }

    /// Loads a game and starts its table. Also returns the version that was read: a table started meanwhile by another
    /// task may be based on an older read.
    pub(super) async fn load_table(
        &self,
        id: &GameId,
    ) -> Result<(TableHandle, GameVersion), ServiceError> {
        let _loading = begin_loading(&self.shared.tables, id).ok_or(ServiceError::NotFound)?;
        let table = self.load(id).await?;
        let version = table.newest().known_version();
        Ok((self.start_table(table)?, version))
    }

    pub(super) async fn load(&self, id: &GameId) -> Result<TableActor, ServiceError> {
        let loaded = self.load_stored(id).await;
        if matches!(loaded, Err(ServiceError::Damaged)) {
            self.invalidate_card(id).await;
        }
        loaded
    }

    async fn load_stored(&self, id: &GameId) -> Result<TableActor, ServiceError> {
        let stored = self
            .shared
            .store
            .load(id)
            .await?
            .ok_or(ServiceError::NotFound)?;
        let shared = Arc::clone(&self.shared);
        let is_long = stored.entries.len() > LONG_RECORD;
        let resume = move || TableActor::resume(shared, stored);
        let resumed = match is_long {
            true => self.shared.environment.run_blocking(resume).await,
            false => Some(resume()),
        };
        let table = resumed.ok_or(ServiceError::Unavailable)?.map_err(|error| {
            tracing::error!(%id, %error, "a stored game cannot be read");
            ServiceError::Damaged
        })?;
        Ok(table)
    }

    /// Starts a table's task, or returns the table that the game already has.
    pub(super) fn start_table(&self, table: TableActor) -> Result<TableHandle, ServiceError> {
        if self.shared.stop.is_cancelled() {
            return Err(ServiceError::Unavailable);
        }
        let mut tables = self.shared.tables.lock();
        if let Some(handle) = tables.find(table.id()) {
            return Ok(handle);
        }
        let id = table.id().clone();
        let handle = table.start();
        let to_unload = tables.insert(id, handle.clone());
        drop(tables);
        for table in to_unload {
            table.request_unload();
        }
        let snapshot = Arc::clone(&handle.snapshots.borrow());
        let observers = &self.shared.observers;
        observers.notify(|observer| observer.game_changed(&[], &snapshot));
        Ok(handle)
    }
}
