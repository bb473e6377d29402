//! The live games of this server: found by id, resumed from the archive, each owned by one task.
//!
//! A handler asks ([`Service::play`]), the owner task does: judge and roll, append, apply, publish. A
//! client that hangs up stops waiting, never the work. Readers take the newest [`Snapshot`] and hold
//! no lock. A game that nobody asks for leaves memory and is resumed from its record when somebody
//! does; a game that somebody follows stays: its newest snapshot is held by the followers anyway.
//! Computers think in a fair queue ([`scheduler`]), at a table that has the lease of its game (`leases`): other
//! instances may serve the same games, and what they do is learnt from the archive (`instance_sync`).
//!
//! Not here: HTTP, HTML, cookies (see [`crate::web`]).

mod analysis;
mod client_network;
mod dice_statistics;
mod display_name;
mod environment;
mod error;
mod films;
mod instance_sync;
pub mod leases;
mod lists;
mod network_permits;
mod new_game;
mod play_on;
mod position_queries;
mod programs;
mod rematch;
mod retention;
mod reviews;
pub mod scheduler;
mod seat_changes;
mod snapshot;
mod storage_quota;
mod table;
pub mod table_registry;
mod takeback;
mod upload;
mod viewer_activity;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::game_adapters::{LiveGameRef, Registry};
use crate::record::EntropyText;
use crate::seats::{ComputerPace, Seat, SeatCredentials, Seats};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameHeader, GameId, GameStore, GameVersion};

use analysis::AnalysisCache;
use client_network::ComputeAccount;
use films::FilmJobs;
use leases::HeldLeases;
use network_permits::NetworkPermits;
use new_game::GameDraft;
use position_queries::QueryLimiter;
use programs::ProgramHub;
use reviews::ReviewJobs;
use scheduler::{ComputeScheduler, QueueStats, TurnPriority, TurnRequest};
use table::{TableActor, TableCommand};
use table_registry::{TableHandle, TableRegistry};

pub use analysis::AnalysisStatus;
pub use client_network::ClientNetwork;
pub use dice_statistics::DiceStatistics;
pub use display_name::{DisplayName, DisplayNameError};
pub use environment::{BlockingExecutor, BlockingTask, Clock, EntropySource, Environment};
pub use error::ServiceError;
pub use films::{FilmProgress, FilmStatus, PlyRange};
pub use new_game::{GameCreator, InvitedProgram, NewGame};
pub use play_on::PlayOnRequest;
pub use position_queries::ComputeDemand;
pub use programs::{InviteError, ProgramSubscription};
pub use retention::{RetentionClock, RetentionPolicy};
pub use reviews::{ReviewProgress, ReviewStatus};
pub use seat_changes::{
    ResignationEffect, SeatChange, SeatChangeError, SeatClaimant, SeatLinkKind,
};
pub use snapshot::{Snapshot, SnapshotVersion};
pub use storage_quota::StorageQuota;
pub use takeback::TakebackError;
pub use upload::{UploadError, UploadedGame};

/// How many unfinished games are listed at a time.
const PAGE: u32 = 200;

/// How long games that are to go on wait when there are too many tables.
const CROWDED: Duration = Duration::from_secs(1);

/// How a service behaves.
#[derive(Clone, Copy, Debug)]
pub struct ServiceSettings {
    /// On how many threads computers think at once, at least 1; plies of a few milliseconds have one
    /// more.
    pub thinkers: usize,
    /// How many bytes the turns of computers may remember together while they are under way.
    pub thinking_bytes: usize,
    /// How many turns of computers may wait for one of them, at least 1. Whoever asks for a ply then
    /// is told to come back; computers that move by themselves wait outside.
    pub waiting: usize,
    /// How long a computer may think about one ply before it is asked to come to an end: far longer
    /// than any level needs.
    pub deadline: Duration,
    /// A game of computers alone at which nobody looked for that long rests until somebody does.
    pub unwatched_after: Duration,
    /// A game that nobody asked for that long leaves memory.
    pub idle: Duration,
    /// How many games may be in memory, at least 1. Beyond it those leave at which nobody has looked for
    /// the longest time; games that are followed or thought about count, but stay.
    pub tables: usize,
    /// How large the archive may become before new games are refused.
    pub room: StorageQuota,
    /// For how long games are kept that nobody plays on with.
    pub keep: RetentionPolicy,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        // One core is left for pages, so that they answer while computers think.
        ServiceSettings {
            thinkers: cores.saturating_sub(1).max(1),
            thinking_bytes: 512 << 20,
            waiting: 10_000,
            deadline: Duration::from_secs(10),
            unwatched_after: Duration::from_secs(60),
            idle: Duration::from_secs(10 * 60),
            tables: 20_000,
            room: StorageQuota::default(),
            keep: RetentionPolicy::default(),
        }
    }
}

/// A game of more entries takes milliseconds to be played again: on no thread that serves others.
const LONG: usize = 100;

/// Who asks: the browser's secrets, a seat's token, both or neither (hashed), and from where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Credentials {
    /// The browser that asks: the secret with which it takes new seats.
    pub browser: Option<SecretHash>,
    /// Other secrets of the same browser, which open seats that it took before.
    pub also: [Option<SecretHash>; 2],
    /// The token of one seat.
    pub token: Option<SecretHash>,
    /// From which network, where it is known. It opens no seat; computers think in its name.
    pub household: Option<ClientNetwork>,
}

impl Credentials {
    /// The hashes of all secrets of the browser, the one for new seats first.
    pub fn browsers(&self) -> impl Iterator<Item = &SecretHash> {
        self.browser.iter().chain(self.also.iter().flatten())
    }

    /// The claim of the same browser after it was given this secret.
    fn with(&self, secret: &Secret) -> Credentials {
        Credentials {
            browser: Some(secret.hash()),
            ..*self
        }
    }

    /// Whether this is the hash of a secret of the browser.
    fn is_of_browser(&self, kept: Option<&SecretHash>) -> bool {
        self.browsers().fold(false, |found, own| {
            found | seat_changes::opens(kept, Some(own))
        })
    }

    /// Whether whoever asks holds one of these keys.
    fn opens(&self, keys: Option<SeatCredentials>) -> bool {
        keys.is_some_and(|keys| {
            self.is_of_browser(keys.browser())
                | seat_changes::opens(keys.token(), self.token.as_ref())
        })
    }
}

/// A game that was created.
#[derive(Debug)]
pub struct CreatedGame {
    /// How it stands.
    pub snapshot: Arc<Snapshot>,
    /// One entry a seat: the token of a person's seat or the invitation to an open one, where they
    /// were asked for. This is the only time they are seen.
    pub tokens: Vec<Option<Secret>>,
}

/// An entry that was made.
#[derive(Debug)]
pub struct EntryResult {
    /// Its number, counted from 0.
    pub number: u32,
    /// It had been played before: this is the first answer again, and nothing was rolled.
    pub repeated: bool,
    /// How the game stands now (it may be further on).
    pub snapshot: Arc<Snapshot>,
}

/// A table that was found: what is asked of it next needs no second search.
#[derive(Clone, Debug)]
pub struct TableRef {
    /// How the game stood then.
    pub snapshot: Arc<Snapshot>,
    door: TableHandle,
}

impl TableRef {
    /// Whoever found it looks at the game, which goes on if it was paused.
    pub fn mark_viewed(&self, claim: &Credentials) {
        self.door.visits.note(claim.household);
    }
}

/// What all tables share.
struct ServiceState {
    games: Registry,
    archive: Arc<dyn GameStore>,
    doors: Mutex<TableRegistry>,
    room: storage_quota::QuotaState,
    machine: Environment,
    tally: dice_statistics::DiceCounters,
    thinkers: ComputeScheduler,
    reviews: ReviewJobs,
    films: FilmJobs,
    weighings: AnalysisCache,
    leases: HeldLeases,
    questions: QueryLimiter,
    permits: Arc<NetworkPermits>,
    programs: ProgramHub,
    settings: ServiceSettings,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ServiceState {
    fn doors(&self) -> std::sync::MutexGuard<'_, TableRegistry> {
        // Every change of the doors is one call: a panic elsewhere leaves them whole.
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The live games of this server. Cloning gives another handle to the same games.
#[derive(Clone)]
pub struct Service {
    shared: Arc<ServiceState>,
}

impl Service {
    /// A service for these games over an archive.
    #[must_use]
    pub fn new(games: Registry, archive: Arc<dyn GameStore>, settings: ServiceSettings) -> Self {
        Service::with_environment(Environment::default(), games, archive, settings)
    }

    /// As [`Service::new`], with another clock, chance or place for slow work than the system's.
    #[must_use]
    pub fn with_environment(
        machine: Environment,
        games: Registry,
        archive: Arc<dyn GameStore>,
        settings: ServiceSettings,
    ) -> Self {
        Service {
            shared: Arc::new(ServiceState {
                games,
                archive,
                doors: Mutex::new(TableRegistry::new(settings.tables)),
                room: storage_quota::QuotaState::default(),
                tally: dice_statistics::DiceCounters::new(machine.now_ms()),
                thinkers: ComputeScheduler::new(&settings, &machine),
                machine,
                reviews: ReviewJobs::new(),
                films: FilmJobs::new(),
                weighings: AnalysisCache::new(),
                leases: HeldLeases::default(),
                questions: QueryLimiter::default(),
                permits: Arc::default(),
                programs: ProgramHub::default(),
                settings,
                stop: CancellationToken::new(),
                tasks: TaskTracker::new(),
            }),
        }
    }

    /// The games that can be played here.
    #[must_use]
    pub fn games(&self) -> &Registry {
        &self.shared.games
    }

    /// The archive beneath.
    #[must_use]
    pub fn archive(&self) -> &Arc<dyn GameStore> {
        &self.shared.archive
    }

    /// How many games are in memory.
    #[must_use]
    pub fn games_in_memory(&self) -> usize {
        self.shared.doors().attended()
    }

    /// How much computers think at the moment.
    #[must_use]
    pub fn compute_queue(&self) -> QueueStats {
        self.shared.thinkers.queue()
    }

    /// How many turns of computers come before the one of this game; `None` when it does not wait.
    #[must_use]
    pub fn turns_ahead(&self, id: &GameId) -> Option<usize> {
        self.shared.thinkers.ahead(id)
    }

    /// Whether a computer waits or thinks in this game.
    #[must_use]
    pub fn is_computing(&self, id: &GameId) -> bool {
        self.shared.thinkers.is_at_work(id)
    }

    /// Sets up a game and makes it durable; its computers begin at once if it is their turn.
    ///
    /// # Errors
    /// When the parameters, start or seats do not fit, there is no room, or the archive fails.
    pub async fn create(&self, new: NewGame) -> Result<CreatedGame, ServiceError> {
        let GameDraft {
            header,
            seats,
            tokens,
            live,
        } = GameDraft::of(&new, &self.shared.machine)?;
        self.room_for_a_game()?;
        let snapshot = self.create_drafted(header, seats, live, new.household).await?;
        Ok(CreatedGame { snapshot, tokens })
    }

    /// How a game would begin. It is kept nowhere, and nobody finds it.
    ///
    /// # Errors
    /// When the parameters, start or seats do not fit.
    pub fn draft_game(&self, new: &NewGame) -> Result<Snapshot, ServiceError> {
        let GameDraft {
            header,
            seats,
            live,
            ..
        } = GameDraft::of(new, &self.shared.machine)?;
        Ok(Snapshot::of(&header, Seats { revision: 0, seats }, live))
    }

    /// Makes a game durable and gives it its table.
    async fn create_drafted(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        live: LiveGameRef,
        household: Option<ClientNetwork>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let archive = &self.shared.archive;
        // From its first moment on, a sweep knows that it has a table.
        let _loading = self.shared.loading(&header.id);
        archive.create(header.clone(), seats.clone()).await?;
        tracing::info!(id = %header.id, game = header.game, "a game begins");
        let table = TableActor::new(
            Arc::clone(&self.shared),
            &header,
            Seats { revision: 0, seats },
            live,
        );
        table.visits().note(household);
        let door = self.seat_table(table)?;
        let snapshot = Arc::clone(&door.snapshots.borrow());
        Ok(snapshot)
    }

    /// Changes a seat.
    ///
    /// # Errors
    /// [`ServiceError::SeatRefused`], [`ServiceError::Stale`] for a replacement at another ply, and
    /// when the archive fails; nothing has changed then.
    pub async fn change_seat(
        &self,
        id: &GameId,
        claim: Credentials,
        change: SeatChange,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.ask(id, |reply| TableCommand::Seat {
            claim,
            change: Box::new(change.clone()),
            reply,
        })
        .await
    }

    /// How a game stands.
    ///
    /// # Errors
    /// When there is no such game, it cannot be read, or the archive fails.
    pub async fn snapshot(&self, id: &GameId) -> Result<Arc<Snapshot>, ServiceError> {
        Ok(self.snapshot_for_player(id).await?.snapshot)
    }

    /// As [`Service::snapshot`], for somebody who may play next.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn snapshot_for_player(&self, id: &GameId) -> Result<TableRef, ServiceError> {
        let door = self.fresh(id).await?;
        let snapshot = Arc::clone(&door.snapshots.borrow());
        Ok(TableRef { snapshot, door })
    }

    /// How a game stands, for lists: a game that is not in memory stays out of it.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn snapshot_unloaded(&self, id: &GameId) -> Result<Arc<Snapshot>, ServiceError> {
        if let Some(door) = self.shared.doors().find(id) {
            return Ok(Arc::clone(&door.snapshots.borrow()));
        }
        Ok(self.load(id).await?.newest())
    }

    /// After how many days games are forgotten whose record was brought here, if they are.
    #[must_use]
    pub fn uploaded_days(&self) -> Option<u32> {
        self.shared.settings.keep.uploaded_days
    }

    /// Does work for a network in the queue of computers' turns, so that nobody else waits longer for it than
    /// for a computer. Once it has begun it is done, whether anybody waits for it or not.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] where the network has enough under way, or all have, and
    /// [`ServiceError::Unavailable`] when the server ends.
    pub async fn in_turn<T: Send + 'static>(
        &self,
        household: ClientNetwork,
        expected: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let permit = NetworkPermits::try_acquire(&self.shared.permits, household);
        let permit = permit.ok_or(ServiceError::Busy)?;
        self.in_turn_patiently(household, expected, move || {
            let _permit = permit;
            work()
        })
        .await
    }

    /// As [`Service::in_turn`], however much of this network is under way: for what does one thing after the
    /// other.
    ///
    /// # Errors
    /// [`ServiceError::Unavailable`] when the server ends.
    pub async fn in_turn_patiently<T: Send + 'static>(
        &self,
        household: ClientNetwork,
        expected: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let wish = TurnRequest {
            // It belongs to no table: nothing looks for it by this id.
            game: GameId::random(),
            payer: ComputeAccount {
                household: Some(household),
                creator: None,
            },
            threads: 1,
            bytes: 0,
            expected,
            attention: TurnPriority::Watched,
        };
        let ticket = self.shared.thinkers.ask_patiently(wish).await;
        let worked = ticket.think(&self.shared.stop, move |_| work()).await;
        worked
            .map(|(result, ..)| result)
            .map_err(|_| ServiceError::Unavailable)
    }

    /// Plays `action`, in the game's notation, as ply number `expected` in the seat that the claim opens.
    ///
    /// # Errors
    /// When the seat, the number or the action does not fit; nothing has changed then.
    pub async fn play(
        &self,
        id: &GameId,
        claim: Credentials,
        expected: u32,
        action: &str,
    ) -> Result<EntryResult, ServiceError> {
        let table = self.snapshot_for_player(id).await?;
        self.play_at(&table, claim, expected, action).await
    }

    /// As [`Service::play`], at a table that was found.
    ///
    /// # Errors
    /// As [`Service::play`].
    pub async fn play_at(
        &self,
        table: &TableRef,
        claim: Credentials,
        expected: u32,
        action: &str,
    ) -> Result<EntryResult, ServiceError> {
        let door = table.door.clone();
        self.ask_at(&table.snapshot.id, door, |reply| TableCommand::Play {
            claim,
            expected,
            action: action.to_owned(),
            reply,
        })
        .await
    }

    /// Takes back the newest ply of the seats that the claim opens, and what computers did after it.
    /// `expected` is the number that was the next one when it was asked for; what computers have
    /// played since then goes, too.
    ///
    /// # Errors
    /// When no seat is opened, something else was done since `expected`, nothing can be taken back at
    /// this table, or the archive fails; nothing has changed then.
    pub async fn take_back(
        &self,
        id: &GameId,
        claim: Credentials,
        expected: u32,
    ) -> Result<EntryResult, ServiceError> {
        self.ask(id, |reply| TableCommand::TakeBack {
            claim,
            expected,
            reply,
        })
        .await
    }

    /// Adds words to all dice that follow, in the name of the player to move if the claim opens that
    /// seat, else of the first seat that it opens. `expected` is as for [`Service::take_back`].
    ///
    /// # Errors
    /// When no seat is opened, something else was done since `expected`, the player has added words
    /// often enough, the game is over, or the archive fails; nothing has changed then.
    pub async fn add_entropy(
        &self,
        id: &GameId,
        claim: Credentials,
        expected: u32,
        words: EntropyText,
    ) -> Result<EntryResult, ServiceError> {
        self.ask(id, |reply| TableCommand::Contribute {
            claim,
            expected,
            words: words.clone(),
            reply,
        })
        .await
    }

    /// Gives up in the seat that the claim opens.
    ///
    /// # Errors
    /// When no seat is opened, the game is over or further than `expected`, or the archive fails.
    pub async fn resign(
        &self,
        id: &GameId,
        claim: Credentials,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.ask(id, |reply| TableCommand::Resign {
            claim,
            expected,
            reply,
        })
        .await
    }

    /// Plays exactly one ply of the computer whose turn it is (pace on request).
    ///
    /// # Errors
    /// When it is no computer's turn, the game is further than `expected`, or too many wait already.
    pub async fn play_computer_ply(&self, id: &GameId, expected: u32) -> Result<EntryResult, ServiceError> {
        self.ask(id, |reply| TableCommand::Step { expected, reply })
            .await
    }

    /// The first snapshot that fits, or the newest after `patience`.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn wait_for(
        &self,
        id: &GameId,
        patience: Duration,
        fits: impl Fn(&Snapshot) -> bool,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let deadline = tokio::time::Instant::now() + patience;
        // A table that ends as soon as it begins is not looked at for longer than that either.
        while tokio::time::Instant::now() < deadline {
            let mut door = self.fresh(id).await?;
            door.visits.note(None);
            let seen = tokio::time::timeout_at(
                deadline,
                door.snapshots.wait_for(|snapshot| fits(snapshot)),
            )
            .await;
            match seen {
                Ok(Ok(snapshot)) => return Ok(Arc::clone(&snapshot)),
                // The table left memory while we waited: look again.
                Ok(Err(_)) if !self.shared.stop.is_cancelled() => {}
                Ok(Err(_)) => return Err(ServiceError::Unavailable),
                Err(_) => break,
            }
        }
        self.snapshot(id).await
    }

    /// How a game stands, from now on: the newest snapshot after each change.
    ///
    /// As long as somebody holds the receiver, the game stays in memory. When its sender is gone
    /// nevertheless (the archive failed, or the server stops), ask again.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn subscribe(
        &self,
        id: &GameId,
    ) -> Result<watch::Receiver<Arc<Snapshot>>, ServiceError> {
        let door = self.fresh(id).await?;
        door.visits.note(None);
        Ok(door.snapshots)
    }

    /// Lets the computers of all unfinished games go on, after a start of the server, and marks those
    /// that are over although their marks were lost. What is due in a shared archive is known there, and is
    /// claimed ([`Service::keep_up`]).
    pub async fn wake(&self) {
        if self.shared.archive.is_shared() {
            return;
        }
        for pace in ComputerPace::ALL {
            let mut after = None;
            loop {
                let page = self.shared.archive.unfinished(pace, after, PAGE).await;
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
            while self.shared.doors().are_full() && !self.shared.stop.is_cancelled() {
                // Whoever looks at a game wakes it; the others wait until there is room.
                tokio::time::sleep(CROWDED).await;
            }
            if self.shared.stop.is_cancelled() {
                return;
            }
            // A game that is being removed needs nobody to go on with it.
            let Some(_loading) = self.shared.loading(&id) else {
                continue;
            };
            match self.load(&id).await {
                Ok(table) if table.has_work() => {
                    if let Err(error) = self.seat_table(table) {
                        tracing::warn!(%id, %error, "a game could not go on");
                    }
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(%id, %error, "a game could not be resumed"),
            }
            tokio::task::yield_now().await;
        }
    }

    /// Stops all tables after what they are doing, and closes the archive.
    pub async fn close(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        self.write_tally().await;
        self.shared.archive.close().await;
    }

    async fn ask<T>(
        &self,
        id: &GameId,
        command: impl Fn(oneshot::Sender<Result<T, ServiceError>>) -> TableCommand,
    ) -> Result<T, ServiceError> {
        let door = self.fresh(id).await?;
        self.ask_at(id, door, command).await
    }

    async fn ask_at<T>(
        &self,
        id: &GameId,
        mut door: TableHandle,
        command: impl Fn(oneshot::Sender<Result<T, ServiceError>>) -> TableCommand,
    ) -> Result<T, ServiceError> {
        // A table may leave memory between finding its door and knocking: knock again.
        for _ in 0..8 {
            let (reply, answer) = oneshot::channel();
            door.visits.note(None);
            if door.inbox.send(command(reply).followed()).await.is_ok()
                && let Ok(answer) = answer.await
            {
                return answer;
            }
            if self.shared.stop.is_cancelled() {
                break;
            }
            door = self.open(id).await?;
        }
        Err(ServiceError::Unavailable)
    }

    async fn open(&self, id: &GameId) -> Result<TableHandle, ServiceError> {
        if let Some(door) = self.shared.doors().find(id) {
            return Ok(door);
        }
        self.read(id).await.map(|(door, _)| door)
    }

    /// Reads a game and gives it its table. Answers how far the game had come, for another table may have
    /// got the place meanwhile that had read it before.
    async fn read(&self, id: &GameId) -> Result<(TableHandle, GameVersion), ServiceError> {
        let _loading = self.shared.loading(id).ok_or(ServiceError::NotFound)?;
        let table = self.load(id).await?;
        let standing = table.newest().standing();
        Ok((self.seat_table(table)?, standing))
    }

    async fn load(&self, id: &GameId) -> Result<TableActor, ServiceError> {
        let stored = self
            .shared
            .archive
            .load(id)
            .await?
            .ok_or(ServiceError::NotFound)?;
        let marked = stored.finished_ms.is_some();
        let shared = Arc::clone(&self.shared);
        let is_long = stored.entries.len() > LONG;
        let resume = move || TableActor::resume(shared, stored);
        let resumed = match is_long {
            true => self.shared.machine.worked(resume).await,
            false => Some(resume()),
        };
        let table = resumed.ok_or(ServiceError::Unavailable)?.map_err(|error| {
            tracing::error!(%id, %error, "a stored game cannot be read");
            ServiceError::Damaged
        })?;
        if table.is_over() && !marked {
            // The mark is for lists; the record is the truth, so a failure here is only logged.
            match self.shared.archive.heal_finished(id).await {
                Ok(()) => tracing::info!(%id, "a finished game was marked"),
                Err(error) => tracing::warn!(%id, %error, "a finished game could not be marked"),
            }
        }
        Ok(table)
    }

    /// Gives a table its task, unless the game has one already.
    fn seat_table(&self, table: TableActor) -> Result<TableHandle, ServiceError> {
        if self.shared.stop.is_cancelled() {
            return Err(ServiceError::Unavailable);
        }
        let mut doors = self.shared.doors();
        if let Some(door) = doors.find(table.id()) {
            return Ok(door);
        }
        let id = table.id().clone();
        let door = table.start();
        let leaving = doors.put(id, door.clone());
        drop(doors);
        for table in leaving {
            table.ask_to_leave();
        }
        let snapshot = Arc::clone(&door.snapshots.borrow());
        self.shared.programs.tell(&[], &snapshot);
        Ok(door)
    }
}
