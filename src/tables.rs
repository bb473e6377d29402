//! The live games of this server. Each loaded game is owned by one task.
//!
//! A request handler sends a command ([`Service::play`]); the owner task checks and rolls, appends to the store,
//! applies and publishes. If a client disconnects, the work still completes. Readers take the newest [`Snapshot`] and
//! hold no lock. An idle game is unloaded and later resumed from its record; a game with subscribers stays loaded,
//! because they hold its newest snapshot anyway. Computers run in a fair queue ([`scheduler`]), on the instance that
//! holds the game's lease (`leases`). Peer instances may serve the same games; `instance_sync` learns of their changes
//! from the store.
//!
//! HTTP, HTML and cookies are in [`crate::site`].

mod background;
mod claims;
mod command;
mod compute_account;
mod days;
mod display_name;
mod environment;
mod error;
mod expiry;
mod instance_sync;
mod jobs;
pub mod leases;
mod leaving;
mod lists;
mod loading;
mod new_game;
mod observers;
mod quota_monitor;
mod rematch;
mod rematch_seats;
mod retention;
pub mod scheduler;
mod seat_changes;
mod settings;
mod snapshot;
mod state;
mod storage_quota;
mod subscription;
mod summaries;
mod table;
pub mod table_registry;
mod takeback;
mod viewer_activity;
mod web_address;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::games::{LiveGameRef, SubmittedAction};
use crate::record::EntropyText;
use crate::seats::{Credentials, Phrase, Seats};
use crate::store::{GameHeader, GameId};

use command::TableCommand;
use scheduler::QueueStats;
use table::TableActor;
use table_registry::{TableHandle, begin_loading};

pub use crate::client_network::{ClientNetwork, LoopbackPolicy};
pub use command::{EntryResult, SeatChange, SeatClaimant};
pub(crate) use compute_account::ComputeAccount;
pub use display_name::{DisplayName, DisplayNameError, is_readable};
pub use environment::{BlockingExecutor, BlockingTask, Clock, EntropySource, Environment};
pub use error::{PhraseError, SeatChangeError, ServiceError, TakebackError};
pub use jobs::{ComputeDemand, JobKind, JobProgress, JobStatus};
pub(crate) use jobs::{JoinedJob, SharedJob, SharedJobs};
pub(crate) use new_game::GameDraft;
pub use new_game::{CreatedGame, GameCreator, NewGame, SeatedProgram};
pub use observers::GameObserver;
pub use retention::{RetentionClock, RetentionPolicy};
pub use seat_changes::{ResignationEffect, SeatLinkKind};
pub use settings::ServiceSettings;
pub use snapshot::{Snapshot, SnapshotVersion};
pub use state::Service;
pub use storage_quota::StorageQuota;
pub use subscription::{GameSubscription, SightLost};
pub use summaries::{GameSummary, MAX_SUMMARIES, OwnSeat};
pub use table_registry::TableRef;
pub use web_address::contains_web_address;

impl Service {
    #[must_use]
    pub fn games_in_memory(&self) -> usize {
        self.shared.tables.lock().loaded_count()
    }

    #[must_use]
    pub fn compute_queue(&self) -> QueueStats {
        self.shared.scheduler.stats()
    }

    /// How many computer turns are queued before the one of this game; `None` if it is not queued.
    #[must_use]
    pub fn turns_ahead(&self, id: &GameId) -> Option<usize> {
        self.shared.scheduler.queue_position(id)
    }

    /// Whether a computer's turn of this game is queued or running.
    #[must_use]
    pub fn is_computing(&self, id: &GameId) -> bool {
        self.shared.scheduler.is_queued_or_running(id)
    }

    /// Creates a game and stores it; a computer that moves first starts at once.
    ///
    /// # Errors
    /// If the parameters, start or seats are invalid, the storage quota is exceeded, or the store fails.
    pub async fn create(&self, new: NewGame) -> Result<CreatedGame, ServiceError> {
        let GameDraft {
            header,
            seats,
            tokens,
            live,
        } = GameDraft::new(&new, &self.shared.environment)?;
        self.check_quota()?;
        let snapshot = self
            .create_drafted(header, seats, live, new.client_network)
            .await?;
        Ok(CreatedGame { snapshot, tokens })
    }

    /// A new game that is not stored yet.
    ///
    /// # Errors
    /// If the parameters, start or seats are invalid, or the storage quota is exceeded.
    pub(crate) fn draft(&self, new: &NewGame) -> Result<GameDraft, ServiceError> {
        self.check_quota()?;
        GameDraft::new(new, &self.shared.environment)
    }

    /// The initial state that a game would have. Nothing is stored.
    ///
    /// # Errors
    /// If the parameters, start or seats are invalid.
    pub fn draft_game(&self, new: &NewGame) -> Result<Snapshot, ServiceError> {
        let GameDraft {
            header,
            seats,
            live,
            ..
        } = GameDraft::new(new, &self.shared.environment)?;
        let served = &self.shared.served;
        Ok(Snapshot::new(&header, seats, live, served))
    }

    /// Stores a game and starts its table.
    async fn create_drafted(
        &self,
        header: GameHeader,
        seats: Seats,
        live: LiveGameRef,
        client_network: Option<ClientNetwork>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let store = &self.shared.store;
        // Protects the game from retention until its table is registered.
        let _loading = begin_loading(&self.shared.tables, &header.id);
        store
            .create_together(header.clone(), seats.clone(), Vec::new(), None)
            .await?;
        tracing::info!(id = %header.id, game = header.game, "a game was created");
        let table = TableActor::new(Arc::clone(&self.shared), &header, seats, live);
        table.viewer_activity().record_view(client_network);
        let handle = self.start_table(table)?;
        let snapshot = Arc::clone(&handle.snapshots.borrow());
        Ok(snapshot)
    }

    /// # Errors
    /// [`ServiceError::SeatChangeRejected`]; [`ServiceError::Stale`] for a replacement at another ply; a store failure.
    /// Nothing has changed then.
    pub async fn change_seat(
        &self,
        id: &GameId,
        credentials: Credentials,
        change: SeatChange,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.send_command(id, |reply| TableCommand::Seat {
            credentials,
            change: Box::new(change.clone()),
            reply,
        })
        .await
    }

    /// The newest state of a game.
    ///
    /// # Errors
    /// If there is no such game, it cannot be replayed, or the store fails.
    pub async fn snapshot(&self, id: &GameId) -> Result<Arc<Snapshot>, ServiceError> {
        Ok(self.snapshot_for_player(id).await?.snapshot)
    }

    /// Like [`Service::snapshot`], and returns the table for a command that may follow.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn snapshot_for_player(&self, id: &GameId) -> Result<TableRef, ServiceError> {
        let handle = self.current_table(id).await?;
        let snapshot = Arc::clone(&handle.snapshots.borrow());
        Ok(TableRef { snapshot, handle })
    }

    /// The state of a game, for lists: a game that is not in memory is replayed but not loaded.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn snapshot_unloaded(&self, id: &GameId) -> Result<Arc<Snapshot>, ServiceError> {
        if let Some(handle) = self.shared.tables.lock().find(id) {
            return Ok(Arc::clone(&handle.snapshots.borrow()));
        }
        Ok(self.load(id).await?.newest())
    }

    /// Retention of uploaded games, in days; `None` for ever.
    #[must_use]
    pub fn uploaded_days(&self) -> Option<u32> {
        self.shared.settings.retention.uploaded_days
    }

    /// Plays an action as ply number `expected` in the seat of these credentials.
    ///
    /// # Errors
    /// If the seat, the number or the action is wrong; nothing has changed then.
    pub async fn play(
        &self,
        id: &GameId,
        credentials: Credentials,
        expected: u32,
        action: SubmittedAction,
    ) -> Result<EntryResult, ServiceError> {
        let table = self.snapshot_for_player(id).await?;
        self.play_at(&table, credentials, expected, action).await
    }

    /// Like [`Service::play`], at a loaded table.
    ///
    /// # Errors
    /// As [`Service::play`].
    pub async fn play_at(
        &self,
        table: &TableRef,
        credentials: Credentials,
        expected: u32,
        action: SubmittedAction,
    ) -> Result<EntryResult, ServiceError> {
        let handle = table.handle.clone();
        self.send_command_to(&table.snapshot.id, handle, |reply| TableCommand::Play {
            credentials,
            expected,
            action: action.clone(),
            reply,
        })
        .await
    }

    /// Takes back the client's newest ply and all computer plies after it. `expected` is the next entry number at the
    /// time of the request; computer plies since then are taken back, too.
    ///
    /// # Errors
    /// If the client has no seat, another own entry was made since `expected`, no takeback is possible, or the store
    /// fails; nothing has changed then.
    pub async fn take_back(
        &self,
        id: &GameId,
        credentials: Credentials,
        expected: u32,
    ) -> Result<EntryResult, ServiceError> {
        self.send_command(id, |reply| TableCommand::TakeBack {
            credentials,
            expected,
            reply,
        })
        .await
    }

    /// Adds entropy text to all later dice, for the player to move if the client has that seat, else for the client's
    /// first seat. `expected` is as for [`Service::take_back`].
    ///
    /// # Errors
    /// If the client has no seat, another own entry was made since `expected`, the player's limit of texts is reached,
    /// the game is over, or the store fails; nothing has changed then.
    pub async fn add_entropy(
        &self,
        id: &GameId,
        credentials: Credentials,
        expected: u32,
        text: EntropyText,
    ) -> Result<EntryResult, ServiceError> {
        self.send_command(id, |reply| TableCommand::AddEntropy {
            credentials,
            expected,
            text: text.clone(),
            reply,
        })
        .await
    }

    /// Says a phrase in the client's seat.
    ///
    /// # Errors
    /// If the client has no seat, nobody else is at the table, or the player has just said something.
    pub async fn say(
        &self,
        id: &GameId,
        credentials: Credentials,
        phrase: Phrase,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.send_command(id, |reply| TableCommand::Say {
            credentials,
            phrase,
            reply,
        })
        .await
    }

    /// Resigns in the client's seat.
    ///
    /// # Errors
    /// If the client has no seat, the game is over or not at `expected`, or the store fails.
    pub async fn resign(
        &self,
        id: &GameId,
        credentials: Credentials,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.send_command(id, |reply| TableCommand::Resign {
            credentials,
            expected,
            reply,
        })
        .await
    }

    /// Plays exactly one ply of the computer to move (pace on request).
    ///
    /// # Errors
    /// If no computer is to move, the game is not at `expected`, or the queue is full.
    pub async fn play_computer_ply(
        &self,
        id: &GameId,
        expected: u32,
    ) -> Result<EntryResult, ServiceError> {
        self.send_command(id, |reply| TableCommand::PlayComputerPly {
            expected,
            reply,
        })
        .await
    }

    /// The first snapshot for which the predicate holds, or the newest one after `timeout`.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn wait_for(
        &self,
        id: &GameId,
        timeout: Duration,
        fits: impl Fn(&Snapshot) -> bool,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let deadline = tokio::time::Instant::now() + timeout;
        // The deadline also bounds the retries when a table stops right after it starts.
        while tokio::time::Instant::now() < deadline {
            let mut handle = self.current_table(id).await?;
            handle.viewer_activity.record_view(None);
            let seen = tokio::time::timeout_at(
                deadline,
                handle.snapshots.wait_for(|snapshot| fits(snapshot)),
            )
            .await;
            match seen {
                Ok(Ok(snapshot)) => return Ok(Arc::clone(&snapshot)),
                // The table was unloaded meanwhile: try again.
                Ok(Err(_)) if !self.shared.stop.is_cancelled() => {}
                Ok(Err(_)) => return Err(ServiceError::Unavailable),
                Err(_) => break,
            }
        }
        self.snapshot(id).await
    }

    /// Stops all tables after their current command, and closes the store.
    pub async fn close(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        let observers = self.shared.observers.take();
        for observer in observers {
            observer.closing().await;
        }
        self.shared.store.close().await;
    }

    async fn send_command<T>(
        &self,
        id: &GameId,
        command: impl Fn(oneshot::Sender<Result<T, ServiceError>>) -> TableCommand,
    ) -> Result<T, ServiceError> {
        let handle = self.current_table(id).await?;
        self.send_command_to(id, handle, command).await
    }

    async fn send_command_to<T>(
        &self,
        id: &GameId,
        mut handle: TableHandle,
        command: impl Fn(oneshot::Sender<Result<T, ServiceError>>) -> TableCommand,
    ) -> Result<T, ServiceError> {
        // The table may be unloaded between the lookup and the send: retry.
        for _ in 0..8 {
            let (reply, answer) = oneshot::channel();
            handle.viewer_activity.record_view(None);
            if handle.inbox.send(command(reply).traced()).await.is_ok()
                && let Ok(answer) = answer.await
            {
                return answer;
            }
            if self.shared.stop.is_cancelled() {
                break;
            }
            handle = self.open(id).await?;
        }
        Err(ServiceError::Unavailable)
    }
}
