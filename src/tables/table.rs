//! The owner task of one live game; only this task changes it.
//!
//! Every entry takes the same path: prepare (checks the request and computes the next state; may fail), append to the
//! store (may conflict with another instance), replace the state (cannot fail), publish. The task processes one event
//! at a time. A computer's move is queued and computed outside the task ([`scheduler`](super::scheduler)), at most one
//! per game, while the task handles commands. It is cancelled when the position changes, and is played only if the game
//! is still at the position that it was computed for. A game between computers is paused while nobody views it.
//!
//! A computer player's search tree lives for one turn only, so neither the moves nor the memory of a game depend on the
//! number of other games.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinError;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::game::Player;
use crate::provably_fair::{self, DiceDisclosure, GameDice};
use crate::record::{Ending, EndingRow};
use crate::seats::{Credentials, Seat, Seats};
use crate::store::{self, FencingToken, GameHeader, GameId, StoreError, StoredEntry, StoredGame};

use super::leases::HeldLease;
use super::scheduler::{ComputeError, PlyTimeEstimates};
use super::table_registry::TableHandle;
use super::viewer_activity::ViewerActivity;
use crate::formats::saved_game::{GameLoadError, SavedGame};
use crate::games::{ActionError, ActionIndex, GameCard, LiveGameRef, PreparedPly, SubmittedAction};
use crate::tables::command::EntryResult;
use crate::tables::error::ServiceError;
use crate::tables::snapshot::Snapshot;
use crate::tables::state::ServiceState;

use super::command::{TableCommand, TableReply};

mod computers;
mod lease;
mod phrases;
mod seats;
mod takebacks;

use computers::{ComputerMove, ComputerTurn, PendingComputerMove, computer_result};

/// Capacity of the command channel; beyond it senders wait. Each slot costs a pointer per table.
const MAX_PENDING_COMMANDS: usize = 256;

/// A table without commands drops its cached tree this many times, then it is unloaded.
const CACHE_DROPS_BEFORE_UNLOAD: u32 = 10;

pub(super) struct TableActor {
    shared: Arc<ServiceState>,
    /// `None` for an uploaded record whose dice are not known.
    dice: Option<Box<GameDice>>,
    /// The newest state; `published` holds the same value for readers.
    current: Snapshot,
    published: watch::Sender<Arc<Snapshot>>,
    viewer_activity: Arc<ViewerActivity>,
    ply_times: PlyTimeEstimates,
    /// The computer move that is queued or running; at most one per game.
    pending_move: Option<PendingComputerMove>,
    /// A computer's turn between two of its plies. Boxed, because most tables have none and wait for a person.
    turn: Option<Box<ComputerTurn>>,
    /// Requests for a computer's ply, each with the ply number.
    ply_requests: Vec<(u32, TableReply<EntryResult>)>,
    /// The lease of the game, while its computers play here.
    lease: Option<HeldLease>,
    /// Whether a computer that moves by itself is to move now.
    wants_lease: bool,
    /// The earliest time of the next lease request.
    lease_retry_at: Instant,
    /// The number of consecutive failures to play a due ply.
    failures: u32,
    /// The game was deleted or is damaged in the store: the table is unloaded.
    is_lost: bool,
}

struct AppliedPly {
    played: EntryResult,
    /// Whether the ply ends the player's turn.
    ends_turn: bool,
}

enum TableEvent {
    Stop,
    ComputerDone(Result<Result<ComputerMove, ComputeError>, JoinError>),
    Command(Option<Box<TableCommand>>),
    /// A paused game is viewed.
    Viewed,
    LeaseRetryDue,
    /// No command arrived for a while.
    Idle,
}

impl TableActor {
    pub(super) fn new(
        shared: Arc<ServiceState>,
        header: &GameHeader,
        seats: Seats,
        live: LiveGameRef,
    ) -> Self {
        let mut current = Snapshot::new(header, seats, live, &shared.served);
        let dice = header.dice.clone().map(|committed| {
            let (game, deal) = (
                current.dice_game_id().to_string(),
                current.live.position_at(0).digest(),
            );
            let context = provably_fair::RollContext { game, deal };
            Box::new(GameDice::Committed(committed, context))
        });
        shared.disclose_dice(&mut current, dice.as_deref());
        let published = watch::Sender::new(Arc::new(current.clone()));
        TableActor {
            shared,
            dice,
            current,
            published,
            viewer_activity: Arc::default(),
            ply_times: PlyTimeEstimates::default(),
            pending_move: None,
            turn: None,
            ply_requests: Vec::new(),
            lease: None,
            wants_lease: false,
            lease_retry_at: Instant::now(),
            failures: 0,
            is_lost: false,
        }
    }

    pub(super) fn resume(
        shared: Arc<ServiceState>,
        stored: StoredGame,
    ) -> Result<Self, GameLoadError> {
        let live = shared.games.load(&saved_game(&stored))?;
        let mut table = TableActor::new(shared, &stored.header, stored.seats, live);
        // Nobody has viewed the game yet.
        table.current.paused = table.current.is_self_playing();
        table.publish();
        if table.current.live.is_over() {
            let observers = &table.shared.observers;
            observers.notify(|observer| observer.game_ended(&table.newest()));
        }
        Ok(table)
    }

    pub(super) fn id(&self) -> &GameId {
        &self.current.id
    }

    pub(super) fn viewer_activity(&self) -> &ViewerActivity {
        &self.viewer_activity
    }

    /// Spawns the task. The caller registers the handle.
    pub(super) fn start(self) -> TableHandle {
        let (inbox, commands) = mpsc::channel(MAX_PENDING_COMMANDS);
        let handle = TableHandle {
            inbox,
            snapshots: self.published.subscribe(),
            viewer_activity: Arc::clone(&self.viewer_activity),
        };
        let tasks = self.shared.tasks.clone();
        tasks.spawn(self.run(commands));
        handle
    }

    async fn run(mut self, mut commands: mpsc::Receiver<Box<TableCommand>>) {
        let stop = self.shared.stop.clone();
        let idle_interval = self.shared.settings.idle_timeout / CACHE_DROPS_BEFORE_UNLOAD;
        let mut idle_count = 0;
        loop {
            let has_failed = self.failures > 0 && Instant::now() < self.lease_retry_at;
            if self.current.live.is_at_limit() && !has_failed {
                Box::pin(self.end_at_limit()).await;
            }
            if self.is_lost {
                break;
            }
            if !has_failed {
                Box::pin(self.start_if_due()).await;
                Box::pin(self.append_overdue_entry()).await;
            }
            self.schedule_computer();
            Box::pin(self.update_lease()).await;
            if !has_failed && self.can_append_overdue_entry() {
                continue;
            }
            let is_idle = self.pending_move.is_none();
            // One timer for both purposes: a timer costs memory at every table.
            let awaits_retry = self.needs_lease() || self.current.live.is_at_limit();
            let wake_at = if awaits_retry {
                self.lease_retry_at
            } else {
                Instant::now() + idle_interval
            };
            let event = tokio::select! {
                biased;
                () = stop.cancelled() => TableEvent::Stop,
                result = computer_result(&mut self.pending_move), if !is_idle => TableEvent::ComputerDone(result),
                command = commands.recv() => TableEvent::Command(command),
                () = self.viewer_activity.next_view(), if self.current.paused => TableEvent::Viewed,
                () = tokio::time::sleep_until(wake_at), if is_idle => if awaits_retry { TableEvent::LeaseRetryDue } else { TableEvent::Idle },
            };
            idle_count = if matches!(event, TableEvent::Idle) {
                idle_count + 1
            } else {
                0
            };
            match event {
                TableEvent::Stop | TableEvent::Command(None) => break,
                // The start of the next iteration handles these.
                TableEvent::Viewed | TableEvent::LeaseRetryDue => {}
                TableEvent::Command(Some(command)) if matches!(*command, TableCommand::Unload) => {
                    if is_idle && self.unregister_if_idle() {
                        break;
                    }
                }
                // Boxed, so that an idle table takes little memory.
                TableEvent::Command(Some(command)) => Box::pin(self.handle_command(*command)).await,
                TableEvent::ComputerDone(result) => Box::pin(self.on_computer_done(result)).await,
                TableEvent::Idle => {
                    self.drop_cache();
                    if self
                        .shared
                        .disclose_dice(&mut self.current, self.dice.as_deref())
                    {
                        self.publish();
                    }
                    if idle_count >= CACHE_DROPS_BEFORE_UNLOAD && self.unregister_if_idle() {
                        break;
                    }
                }
            }
        }
        Box::pin(self.unload(commands)).await;
    }

    /// Drops the game tree that reads have cached; the next read rebuilds it. The state is unchanged, so subscribers
    /// are not notified.
    fn drop_cache(&mut self) {
        let Some(live) = self.current.live.without_cache() else {
            return;
        };
        self.current.live = live;
        let current = Arc::new(self.current.clone());
        self.published.send_if_modified(|published| {
            *published = current;
            false
        });
    }

    /// Unregisters the table if it has no subscribers. Handles are only cloned under the registry's lock, so no client
    /// can subscribe to a table that is about to be unloaded.
    fn unregister_if_idle(&self) -> bool {
        let mut tables = self.shared.tables.lock();
        let is_idle = self.published.receiver_count() <= 1;
        if is_idle {
            tables.remove(&self.current.id, &self.published.subscribe());
        }
        is_idle
    }

    /// Unloads the table: unregisters it, then handles the commands that were already sent. The game may have another
    /// table from then on, so this one plays no more computer plies.
    async fn unload(mut self, mut commands: mpsc::Receiver<Box<TableCommand>>) {
        self.unregister();
        commands.close();
        // Lets another instance continue at once.
        if let Some(lease) = self.lease.take() {
            let due = self.due_after(&self.current);
            lease.release(due).await;
        }
        if let Some(pending) = self.pending_move.take() {
            pending.cancel.cancel();
            // Waits until the computation has stopped.
            let _ = pending.task.await;
        }
        while let Some(command) = commands.recv().await {
            self.handle_command(*command).await;
        }
    }

    /// Removes this table's handle from the registry, unless the game has another table by now.
    fn unregister(&self) {
        let own = self.published.subscribe();
        self.shared.tables.lock().remove(&self.current.id, &own);
    }

    async fn handle_command(&mut self, command: TableCommand) {
        // The receiver of a reply may be gone; the command is executed in any case.
        match command {
            TableCommand::Play {
                credentials,
                expected,
                action,
                reply,
            } => {
                let _ = reply.send(self.play(&credentials, expected, &action).await);
            }
            TableCommand::Resign {
                credentials,
                expected,
                reply,
            } => {
                let _ = reply.send(self.resign(&credentials, expected).await);
            }
            TableCommand::TakeBack {
                credentials,
                expected,
                reply,
            } => {
                let _ = reply.send(self.take_back(&credentials, expected).await);
            }
            TableCommand::AddEntropy {
                credentials,
                expected,
                text,
                reply,
            } => {
                let _ = reply.send(self.add_entropy(&credentials, expected, text).await);
            }
            TableCommand::Delete { credentials, reply } => {
                let _ = reply.send(self.delete(&credentials).await);
            }
            TableCommand::Say {
                credentials,
                phrase,
                reply,
            } => {
                let _ = reply.send(self.say(&credentials, phrase).await);
            }
            TableCommand::Hear(said) => self.hear(said),
            TableCommand::Rematch { id } => {
                let is_new = self.current.rematch.as_ref() != Some(&id);
                if is_new {
                    self.current.rematch = Some(id);
                    self.publish();
                }
            }
            TableCommand::Lease(lease) => self.accept_claimed_lease(lease).await,
            TableCommand::DropCache => self.drop_cache(),
            TableCommand::CatchUp { version, reply } => self.catch_up(version, reply).await,
            TableCommand::PlayComputerPly { expected, reply } => self.request_ply(expected, reply),
            TableCommand::Traced { span, command } => {
                Box::pin(self.handle_command(*command))
                    .instrument(span)
                    .await;
            }
            // The table is being unloaded already, or is busy.
            TableCommand::Unload => {}
            TableCommand::Seat {
                credentials,
                change,
                reply,
            } => {
                let _ = reply.send(self.change_seat(&credentials, &change).await);
            }
        }
    }

    /// Deletes the game unless somebody else has a part in it.
    async fn delete(&mut self, credentials: &Credentials) -> Result<bool, ServiceError> {
        if !self.current.is_only_of(credentials) {
            return Ok(false);
        }
        // Somebody may have sat down at another server.
        let (id, revision) = (&self.current.id, self.current.seats.revision);
        let is_deleted = self.shared.store.delete_game(id, revision).await?;
        self.is_lost |= is_deleted;
        match is_deleted {
            true => Ok(true),
            false => Err(ServiceError::Unavailable),
        }
    }

    async fn play(
        &mut self,
        credentials: &Credentials,
        expected: u32,
        action: &SubmittedAction,
    ) -> Result<EntryResult, ServiceError> {
        let seats = self.newest().check_started(credentials)?;
        let found = self.current.live.find_action(expected, action);
        let is_next = expected == self.current.live.entry_count();
        let found = match found {
            Err(why) if why.is_malformed() => return Err(self.action_rejected(why)),
            Err(why @ ActionError::Impossible(_)) if is_next => {
                return Err(self.action_rejected(why));
            }
            found => found,
        };
        if !is_next {
            return self.repeat_or_stale(&seats, expected, found.ok());
        }
        let mover = self
            .current
            .live
            .mover()
            .ok_or_else(|| self.action_rejected(ActionError::Over))?;
        if !seats.contains(&mover) {
            return Err(self.action_rejected(ActionError::NotYourTurn));
        }
        if self.current.awaited_entropy().is_some() {
            let snapshot = self.newest();
            return Err(ServiceError::EntropyRevealDue { snapshot });
        }
        let index = found.map_err(|why| self.action_rejected(why))?;
        match self.commit_ply(mover, index, None).await {
            Err(ServiceError::Stale { .. }) => self.repeat_or_stale(&seats, expected, Some(index)),
            applied => applied.map(|applied| applied.played),
        }
    }

    /// Repeats the answer to a duplicate request; any other action at that ply is stale.
    fn repeat_or_stale(
        &self,
        seats: &[Player],
        expected: u32,
        action: Option<ActionIndex>,
    ) -> Result<EntryResult, ServiceError> {
        let snapshot = self.newest();
        let live = &self.current.live;
        let is_same = action.is_some_and(|action| live.is_ply_with(expected, action));
        match live.ply_player(expected) {
            Some(player) if is_same && seats.contains(&player) => Ok(EntryResult {
                number: expected,
                repeated: true,
                snapshot,
            }),
            _ => Err(ServiceError::Stale { snapshot }),
        }
    }

    /// Prepares, appends, applies and publishes a ply. A computer's ply carries the fencing token of the lease.
    async fn commit_ply(
        &mut self,
        player: Player,
        action: ActionIndex,
        fence: Option<FencingToken>,
    ) -> Result<AppliedPly, ServiceError> {
        let dice = self.dice.as_deref().ok_or(ServiceError::Damaged)?;
        let now_ms = self.shared.environment.now_ms();
        let prepared = self.current.live.prepare_ply(player, action, dice, now_ms);
        let PreparedPly {
            row,
            next,
            ends_turn,
        } = prepared.map_err(|why| self.action_rejected(why))?;
        let entry = if next.is_over() {
            StoredEntry::FinalPly(row)
        } else {
            StoredEntry::Ply(row)
        };
        let played = self.append_entry(entry, next, fence).await?;
        let live = &played.snapshot.live;
        if let Some(throw) = live.last_throw() {
            let game = live.configured_game().name();
            let observers = &self.shared.observers;
            observers.notify(|observer| observer.dice_thrown(game, &throw));
        }
        Ok(AppliedPly { played, ends_turn })
    }

    /// Appends an entry to the store, then replaces the state by `next`.
    async fn append_entry(
        &mut self,
        entry: StoredEntry,
        next: LiveGameRef,
        fence: Option<FencingToken>,
    ) -> Result<EntryResult, ServiceError> {
        let number = self.current.live.entry_count();
        let options = self.append_options(&next, fence);
        let card = Some(GameCard::new(&*next).to_json());
        let store = &self.shared.store;
        let appended = store
            .append_with(&self.current.id, number, entry, card, options)
            .await;
        match appended {
            Ok(granted) => {
                tracing::debug!(id = %self.current.id, entry = number, "kept");
                self.record_lease(options, granted);
                self.current.live = next;
                self.publish();
                Ok(EntryResult {
                    number,
                    repeated: false,
                    snapshot: self.newest(),
                })
            }
            Err(error @ (StoreError::Conflict { .. } | StoreError::Fenced)) => {
                if error == StoreError::Fenced {
                    crate::metrics::PLIES_FENCED.inc();
                    tracing::info!(id = %self.current.id, entry = number, "a computer's ply was rejected: another instance has the game's lease");
                    self.lease = None;
                }
                // The instance that wrote first continues the game.
                self.retry_lease_later();
                self.reload().await?;
                let snapshot = self.newest();
                Err(ServiceError::Stale { snapshot })
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn end_at_limit(&mut self) {
        if let Err(error) = self.end(Ending::Limit).await {
            tracing::error!(id = %self.current.id, %error, "a game could not be ended at its limit");
            self.is_lost = is_lost(&error);
            self.back_off().await;
        }
    }

    async fn end(&mut self, ending: Ending) -> Result<(), ServiceError> {
        let row = EndingRow {
            ending,
            at_ms: self.shared.environment.now_ms(),
        };
        let entry = StoredEntry::Ending(row);
        let options = store::AppendOptions {
            fence: None,
            due: None,
            lease: None,
        };
        let (store, number) = (&self.shared.store, self.current.live.entry_count());
        let next = self.current.live.with_ending(ending);
        let card = Some(GameCard::new(&*next).to_json());
        match store
            .append_with(&self.current.id, number, entry, card, options)
            .await
        {
            Ok(granted) => {
                self.record_lease(options, granted);
                self.current.live = next;
                self.publish();
                Ok(())
            }
            Err(StoreError::Conflict { .. }) => self.reload().await,
            Err(error) => Err(error.into()),
        }
    }

    /// Loads the state from the store after another instance wrote first.
    async fn reload(&mut self) -> Result<(), ServiceError> {
        let stored = self
            .shared
            .store
            .load(&self.current.id)
            .await?
            .ok_or(ServiceError::NotFound)?;
        let live = self.shared.games.load(&saved_game(&stored));
        let live = live.map_err(|error| {
            tracing::error!(id = %self.current.id, %error, "a stored game cannot be read");
            ServiceError::Damaged
        })?;
        self.current.live = live;
        self.replace_seats(stored.seats);
        self.publish();
        Ok(())
    }

    fn publish(&mut self) {
        self.publish_after(&[]);
    }

    /// Publishes the newest state, whose seats were these before.
    fn publish_after(&mut self, before: &[Seat]) {
        self.shared
            .disclose_dice(&mut self.current, self.dice.as_deref());
        let ends = self.current.live.is_over() && !self.published.borrow().live.is_over();
        if ends {
            // A game that is over needs no tree.
            if let Some(live) = self.current.live.without_cache() {
                self.current.live = live;
            }
        }
        let now = Arc::new(self.current.clone());
        let observers = &self.shared.observers;
        if ends {
            observers.notify(|observer| observer.game_ended(&now));
        }
        self.published.send_replace(Arc::clone(&now));
        observers.notify(|observer| observer.game_changed(before, &now));
    }

    pub(super) fn newest(&self) -> Arc<Snapshot> {
        Arc::clone(&self.published.borrow())
    }

    fn action_rejected(&self, why: ActionError) -> ServiceError {
        ServiceError::ActionRejected {
            why,
            snapshot: self.newest(),
        }
    }
}

/// Whether the table must be unloaded after this error.
const fn is_lost(error: &ServiceError) -> bool {
    matches!(error, ServiceError::NotFound | ServiceError::Damaged)
}

fn saved_game(stored: &StoredGame) -> SavedGame<'_> {
    SavedGame {
        parameters: &stored.header.game,
        start: &stored.header.start,
        entries: &stored.entries,
        ending: stored.ending,
    }
}

impl ServiceState {
    /// Discloses the dice of a game that is over; of a scored one when its day is over. Returns whether it did.
    fn disclose_dice(&self, current: &mut Snapshot, dice: Option<&GameDice>) -> bool {
        let is_due = matches!(current.dice, DiceDisclosure::Committed(_))
            && current.live.is_over()
            && current.day().is_none_or(|day| self.is_day_over(day));
        match dice {
            Some(GameDice::Committed(committed, _)) if is_due => {
                current.dice = DiceDisclosure::Revealed(committed.clone());
                true
            }
            _ => false,
        }
    }
}
