//! Synchronisation with peer instances that serve the same games.
//!
//! Reads are never stale: each read first queries the store for the game's version and reloads the table if another
//! instance has written. So a client that played at one instance sees its ply at any other. The reads that wait while
//! one query runs share the next. Subscribers are updated by change notifications; the periodic poll of all tables makes
//! up for lost ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::command::TableCommand;
use super::table_registry::TableHandle;
use crate::secret::SecretHash;
use crate::store::{ChangeNotification, GameChange, GameId, GameVersion, Store, StoreError};
use crate::tables::error::ServiceError;
use crate::tables::snapshot::Snapshot;
use crate::tables::state::Service;

/// Interval of polling the versions of all tables.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum games per version query.
const BATCH_SIZE: usize = 1_000;

/// Maximum attempts when the table is unloaded meanwhile.
const MAX_ATTEMPTS: u32 = 8;

/// How long one query of versions may take, with its own repetitions: a connection that does not answer must not stop all
/// reads.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);

/// Queries the versions of games for reads that wait at the same time.
pub(super) struct VersionQueries(mpsc::UnboundedSender<VersionQuery>);

struct VersionQuery {
    id: GameId,
    reply: oneshot::Sender<Result<GameVersion, ServiceError>>,
}

impl VersionQueries {
    /// Starts the task that queries a shared store; it ends with this value.
    pub(super) fn start(store: &Arc<dyn Store>) -> Self {
        let (sender, waiting) = mpsc::unbounded_channel();
        if store.is_shared() {
            tokio::spawn(answer_version_queries(Arc::clone(store), waiting));
        }
        VersionQueries(sender)
    }

    /// The version of a game, not older than this call.
    async fn version(&self, id: &GameId) -> Result<GameVersion, ServiceError> {
        let (reply, answer) = oneshot::channel();
        let id = id.clone();
        let sent = self.0.send(VersionQuery { id, reply });
        sent.map_err(|_| ServiceError::Unavailable)?;
        answer.await.map_err(|_| ServiceError::Unavailable)?
    }
}

async fn answer_version_queries(
    store: Arc<dyn Store>,
    mut waiting: mpsc::UnboundedReceiver<VersionQuery>,
) {
    let mut queries = Vec::new();
    while waiting.recv_many(&mut queries, BATCH_SIZE).await > 0 {
        // Those of clients that have gone.
        queries.retain(|query: &VersionQuery| !query.reply.is_closed());
        let games: Vec<GameId> = queries.iter().map(|query| query.id.clone()).collect();
        let versions = timeout(QUERY_TIMEOUT, store.versions(&games)).await;
        let versions = versions.unwrap_or_else(|_| {
            let reason = "the database does not answer".to_owned();
            Err(StoreError::Unavailable(reason))
        });
        let versions = versions.map(|versions| {
            let by_id = |version: GameVersion| (version.id.clone(), version);
            versions.into_iter().map(by_id).collect::<HashMap<_, _>>()
        });
        for VersionQuery { id, reply } in queries.drain(..) {
            let version = match &versions {
                Ok(versions) => versions.get(&id).cloned().ok_or(ServiceError::NotFound),
                Err(error) => Err(error.clone().into()),
            };
            // The read may have been abandoned.
            let _ = reply.send(version);
        }
    }
}

impl Snapshot {
    pub(super) fn known_version(&self) -> GameVersion {
        GameVersion {
            id: self.id.clone(),
            entries: self.entries(),
            revision: self.seats.revision,
            rematch: self.rematch.clone(),
        }
    }

    /// Whether the store has a newer version than this snapshot.
    pub(super) fn is_behind(&self, version: &GameVersion) -> bool {
        let has_new_entries_or_seats =
            version.entries > self.entries() || version.revision > self.seats.revision;
        has_new_entries_or_seats || self.misses_rematch(version)
    }

    /// Whether this browser created the game, sits in it, or has sat in it.
    fn is_of(&self, browser: &SecretHash) -> bool {
        let mut seats = self.seats.seats.iter();
        self.creator() == Some(browser)
            || seats.any(|seat| {
                let credentials = seat.occupant.credentials();
                credentials.is_some_and(|credentials| credentials.browser() == Some(browser))
            })
    }

    /// Whether the store has a rematch that this snapshot lacks.
    pub(super) fn misses_rematch(&self, version: &GameVersion) -> bool {
        version.rematch.is_some() && version.rematch != self.rematch
    }

    fn entries(&self) -> u32 {
        self.live.entry_count() + u32::from(self.live.ending().is_some())
    }
}

impl Service {
    /// The table of a game, with a snapshot that is not older than this call.
    pub(super) async fn current_table(&self, id: &GameId) -> Result<TableHandle, ServiceError> {
        let handle = self.shared.tables.lock().find(id);
        let (mut handle, version) = match handle {
            // A concurrent load may have read the game before this call and registered its table later, so the version
            // is compared below.
            None => self.load_table(id).await?,
            Some(handle) if !self.shared.store.is_shared() => return Ok(handle),
            Some(handle) => (handle, self.shared.version_queries.version(id).await?),
        };
        catch_up(self, &mut handle, version).await?;
        Ok(handle)
    }

    /// Reloads the tables whose seats the store has moved from a browser to another one, so that its secret gives no
    /// access to them any more.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn reload_games_of(&self, browser: &SecretHash) -> Result<(), ServiceError> {
        let games = self
            .shared
            .tables
            .lock()
            .loaded_or_loading(|snapshot| snapshot.is_of(browser));
        for games in games.chunks(BATCH_SIZE) {
            for version in self.shared.store.versions(games).await? {
                let caught_up = async {
                    let mut handle = self.open(&version.id).await?;
                    catch_up(self, &mut handle, version).await
                };
                match caught_up.await {
                    // A damaged game must not block the others.
                    Ok(()) | Err(ServiceError::Damaged | ServiceError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

/// Makes a stale table reload. If its channel is full, the next poll repeats this.
fn send_version(handle: &TableHandle, version: GameVersion) {
    if handle.snapshots.borrow().is_behind(&version) {
        let reply = None;
        let _ = handle
            .inbox
            .try_send(Box::new(TableCommand::CatchUp { version, reply }));
    }
}

/// Waits until a table has this version, at least.
async fn catch_up(
    service: &Service,
    handle: &mut TableHandle,
    version: GameVersion,
) -> Result<(), ServiceError> {
    for _ in 0..MAX_ATTEMPTS {
        if !handle.snapshots.borrow().is_behind(&version) {
            return Ok(());
        }
        let (reply, answer) = oneshot::channel();
        let command = TableCommand::CatchUp {
            version: version.clone(),
            reply: Some(reply),
        };
        if handle.inbox.send(Box::new(command)).await.is_ok()
            && let Ok(answer) = answer.await
        {
            return answer;
        }
        // The table was unloaded meanwhile.
        *handle = service.open(&version.id).await?;
    }
    Err(ServiceError::Unavailable)
}

/// Receives change notifications from the store.
pub(super) async fn receive_notifications(service: &Service) {
    let Some(mut notifications) = service.shared.store.notifications() else {
        return;
    };
    loop {
        match notifications.recv().await {
            Ok(ChangeNotification::Changed(id, change)) => apply_notification(service, id, change),
            Ok(ChangeNotification::Lagged) | Err(RecvError::Lagged(_)) => {
                poll_all_tables(service).await
            }
            Err(RecvError::Closed) => return,
        }
    }
}

fn apply_notification(service: &Service, id: GameId, change: GameChange) {
    let handle = service.shared.tables.lock().get_untouched(&id);
    let Some(handle) = handle else {
        let observers = &service.shared.observers;
        observers.notify(|observer| observer.game_changed_elsewhere(&id));
        return;
    };
    let (entries, revision, rematch) = match change {
        GameChange::Entries(entries) => (entries, 0, None),
        GameChange::Seats(revision) => (0, revision, None),
        GameChange::Rematch(rematch) => (0, 0, Some(rematch)),
        GameChange::Phrase(said) => {
            // If the channel is full, the phrase is lost.
            let _ = handle.inbox.try_send(Box::new(TableCommand::Hear(said)));
            return;
        }
    };
    let version = GameVersion {
        id,
        entries,
        revision,
        rematch,
    };
    send_version(&handle, version);
}

pub(super) async fn poll_versions(service: &Service) {
    if !service.shared.store.is_shared() {
        return;
    }
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        poll_all_tables(service).await;
    }
}

/// Queries the versions of all tables, and updates those that are stale.
async fn poll_all_tables(service: &Service) {
    let games = service.shared.tables.lock().games();
    for games in games.chunks(BATCH_SIZE) {
        match service.shared.store.versions(games).await {
            Ok(versions) => {
                for version in versions {
                    let handle = service.shared.tables.lock().get_untouched(&version.id);
                    if let Some(handle) = handle {
                        send_version(&handle, version);
                    }
                }
            }
            Err(error) => {
                tracing::debug!(%error, "the versions of games could not be queried");
                return;
            }
        }
    }
}
