//! The owner task of one live game: the only place where it changes.
//!
//! An entry takes one road, whoever made it: decide (may refuse, and answers what follows), append (may
//! find that another server was first), take what follows for what is (cannot fail), publish. The task
//! does one thing at a time; a computer waits and thinks elsewhere ([`scheduler`](super::scheduler)) while
//! the task goes on answering, one thought a game at most. A thought about a position that has gone is recalled, and what was chosen is played
//! only if the game still stands where it was asked. A game of computers alone rests when nobody looks at
//! it, and goes on when somebody does.
//!
//! What a computer remembers lives as long as its turn: so the moves of a game do not depend on how
//! many others there are, and neither does the memory that they take.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinError;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

use crate::game::Player;
use crate::provably_fair::{self, GameDice};
use crate::record::{Ending, EndingRow, EntropyText};
use crate::seats::{ComputerPace, Seat, Seats};
use crate::store::{
    self, FencingToken, GameHeader, GameId, GameVersion, StoreError, StoredEntry, StoredGame,
};

use super::leases::{FENCED, HeldLease};
use super::scheduler::{ComputeError, PlyTimeEstimates};
use super::seat_changes::{ResignationEffect, SeatChange, SeatChangeError, leave};
use super::table_registry::TableHandle;
use super::viewer_activity::ViewerActivity;
use super::{Credentials, EntryResult, ServiceError, ServiceState, Snapshot};
use crate::game_adapters::{ActionError, GameLoadError, LiveGameRef, PreparedPly, SavedGame};

mod computers;
mod lease;
mod takebacks;

use computers::{ComputerMove, ComputerTurn, PendingComputerMove, thought};

type TableReply<T> = oneshot::Sender<Result<T, ServiceError>>;

/// What a table is asked to do.
pub(super) enum TableCommand {
    Play {
        claim: Credentials,
        expected: u32,
        action: String,
        reply: TableReply<EntryResult>,
    },
    TakeBack {
        claim: Credentials,
        expected: u32,
        reply: TableReply<EntryResult>,
    },
    Contribute {
        claim: Credentials,
        expected: u32,
        words: EntropyText,
        reply: TableReply<EntryResult>,
    },
    Resign {
        claim: Credentials,
        expected: Option<u32>,
        reply: TableReply<Arc<Snapshot>>,
    },
    Step {
        expected: u32,
        reply: TableReply<EntryResult>,
    },
    Seat {
        claim: Credentials,
        change: Box<SeatChange>,
        reply: TableReply<Arc<Snapshot>>,
    },
    /// A rematch has begun elsewhere.
    Rematch { id: GameId },
    /// The game was due, and its lease was claimed for this table.
    Lease(HeldLease),
    /// Another instance has brought the game so far.
    CatchUp {
        standing: GameVersion,
        reply: Option<TableReply<()>>,
    },
    /// What a request asks for whose way the log follows.
    Followed {
        span: Span,
        command: Box<TableCommand>,
    },
    /// There are too many tables: this one leaves if nothing keeps it.
    Leave,
}

impl TableCommand {
    /// As it is sent: with the way of its request, where the log follows requests.
    pub(super) fn followed(self) -> Box<TableCommand> {
        let span = Span::current();
        if span.is_disabled() {
            return Box::new(self);
        }
        let command = Box::new(self);
        Box::new(TableCommand::Followed { span, command })
    }
}

/// How many commands may wait; beyond it their askers wait for room. Each place that is free costs a
/// pointer at every table.
const INBOX: usize = 256;

/// A game that nobody asks for forgets its tree so often before it leaves memory.
const RESTS: u32 = 10;

/// How often a change of seats, or a resignation, is judged anew because another server was faster.
const TRIES: u32 = 8;

/// A game with all that its task needs.
pub(super) struct TableActor {
    shared: Arc<ServiceState>,
    dice: Box<GameDice>,
    /// The newest state; readers have the same value in `published`.
    now: Snapshot,
    published: watch::Sender<Arc<Snapshot>>,
    visits: Arc<ViewerActivity>,
    /// What computers' plies took at this table.
    costs: PlyTimeEstimates,
    /// The computer that waits or thinks; at most one a game.
    thinking: Option<PendingComputerMove>,
    /// The turn of a computer between two of its plies; most tables have none and wait for a person.
    turn: Option<Box<ComputerTurn>>,
    /// Who asked for the computer's ply number so-and-so.
    askers: Vec<(u32, TableReply<EntryResult>)>,
    /// The lease of the game, while computers go on with it here.
    held: Option<HeldLease>,
    /// Whether a computer that moves by itself is to think now.
    wants_lease: bool,
    /// When the lease is asked for at the earliest.
    seek_at: Instant,
    /// How often in a row the game could not go on by itself.
    failures: u32,
    /// The archive has no such game any more, or cannot read it: the table leaves memory.
    is_lost: bool,
}

/// A ply that was put on the table.
struct AppliedPly {
    played: EntryResult,
    /// Whether it was the last of its turn.
    ends_turn: bool,
}

/// What a table's task wakes up for.
enum TableEvent {
    Stop,
    Thought(Result<Result<ComputerMove, ComputeError>, JoinError>),
    Command(Option<Box<TableCommand>>),
    /// Somebody looks at a game that is paused.
    Visit,
    /// The lease of the game may be free.
    Lease,
    /// For a while nothing was asked.
    Rest,
}

impl TableActor {
    pub(super) fn new(
        shared: Arc<ServiceState>,
        header: &GameHeader,
        seats: Seats,
        live: LiveGameRef,
    ) -> Self {
        let mut now = Snapshot::of(header, seats, live);
        let (game, deal) = (now.rolled_as().to_string(), now.live.deal());
        let dice = Box::new(GameDice::new(
            header.dice.clone(),
            provably_fair::RollContext { game, deal },
        ));
        if now.live.is_over() {
            now.dice = dice.revealed();
        }
        let published = watch::Sender::new(Arc::new(now.clone()));
        TableActor {
            shared,
            dice,
            now,
            published,
            visits: Arc::default(),
            costs: PlyTimeEstimates::default(),
            thinking: None,
            turn: None,
            askers: Vec::new(),
            held: None,
            wants_lease: false,
            seek_at: Instant::now(),
            failures: 0,
            is_lost: false,
        }
    }

    pub(super) fn resume(
        shared: Arc<ServiceState>,
        stored: StoredGame,
    ) -> Result<Self, GameLoadError> {
        let live = shared.games.resume(&kept(&stored))?;
        let mut table = TableActor::new(shared, &stored.header, stored.seats, live);
        // Nobody has looked yet.
        table.now.paused = table.now.plays_itself();
        table.publish();
        Ok(table)
    }

    pub(super) fn id(&self) -> &GameId {
        &self.now.id
    }

    /// Who looks at it.
    pub(super) fn visits(&self) -> &ViewerActivity {
        &self.visits
    }

    /// Whether the game is over.
    pub(super) fn is_over(&self) -> bool {
        self.now.live.is_over()
    }

    /// Whether a computer is to move by itself although nobody looks, or the limit is due.
    pub(super) fn has_work(&self) -> bool {
        let now = &self.now;
        now.live.is_at_limit()
            || now.pace == ComputerPace::AtOnce
                && now.computer_to_move().is_some()
                && !now.plays_itself()
    }

    /// Starts the task. The caller puts the door where others find it.
    pub(super) fn start(self) -> TableHandle {
        let (inbox, commands) = mpsc::channel(INBOX);
        let door = TableHandle {
            inbox,
            snapshots: self.published.subscribe(),
            visits: Arc::clone(&self.visits),
        };
        let tasks = self.shared.tasks.clone();
        tasks.spawn(self.run(commands));
        door
    }

    async fn run(mut self, mut commands: mpsc::Receiver<Box<TableCommand>>) {
        let stop = self.shared.stop.clone();
        let rest = self.shared.settings.idle / RESTS;
        let mut rests = 0;
        loop {
            let has_failed = self.failures > 0 && Instant::now() < self.seek_at;
            if self.now.live.is_at_limit() && !has_failed {
                Box::pin(self.end_at_limit()).await;
            }
            if self.is_lost {
                break;
            }
            self.attend();
            Box::pin(self.see_to_lease()).await;
            let waits = self.thinking.is_none();
            // One clock for both: each takes memory at every table.
            let seeks = self.is_without_lease() || self.now.live.is_at_limit();
            let wake = if seeks {
                self.seek_at
            } else {
                Instant::now() + rest
            };
            let event = tokio::select! {
                biased;
                () = stop.cancelled() => TableEvent::Stop,
                thought = thought(&mut self.thinking), if !waits => TableEvent::Thought(thought),
                command = commands.recv() => TableEvent::Command(command),
                () = self.visits.next(), if self.now.paused => TableEvent::Visit,
                () = tokio::time::sleep_until(wake), if waits => if seeks { TableEvent::Lease } else { TableEvent::Rest },
            };
            rests = if matches!(event, TableEvent::Rest) {
                rests + 1
            } else {
                0
            };
            match event {
                TableEvent::Stop | TableEvent::Command(None) => break,
                // Whether the game goes on is seen to before the next event.
                TableEvent::Visit | TableEvent::Lease => {}
                TableEvent::Command(Some(command)) if matches!(*command, TableCommand::Leave) => {
                    if waits && self.is_alone() {
                        break;
                    }
                }
                // On the heap, for as long as it takes: at rest a table is to take little memory.
                TableEvent::Command(Some(command)) => Box::pin(self.obey(*command)).await,
                TableEvent::Thought(thought) => Box::pin(self.heard(thought)).await,
                TableEvent::Rest => {
                    self.rest();
                    if rests >= RESTS && self.is_alone() {
                        break;
                    }
                }
            }
        }
        Box::pin(self.leave(commands)).await;
    }

    /// Forgets the tree that those who looked have made: whoever looks next makes it again. Nothing has
    /// changed, so nobody is told.
    fn rest(&mut self) {
        let Some(live) = self.now.live.rested() else {
            return;
        };
        self.now.live = live;
        let now = Arc::new(self.now.clone());
        self.published.send_if_modified(|published| {
            *published = now;
            false
        });
    }

    /// Gives the door up if nobody follows the game. A door is only taken under the lock, so nobody
    /// begins to follow a table that is about to leave.
    fn is_alone(&self) -> bool {
        let mut doors = self.shared.doors();
        let alone = self.published.receiver_count() <= 1;
        if alone {
            doors.close(&self.now.id, &self.published.subscribe());
        }
        alone
    }

    /// Leaves memory: the door goes first, then what had been asked before is still answered. From then on the game
    /// may have another table, so this one must not go on: nobody asks any more, or the server stops, or the archive
    /// has no such game.
    async fn leave(mut self, mut commands: mpsc::Receiver<Box<TableCommand>>) {
        self.close_door();
        commands.close();
        // Others may go on at once.
        if let Some(held) = self.held.take() {
            let due = self.has_work();
            held.give_back(due).await;
        }
        if let Some(thinking) = self.thinking.take() {
            thinking.recall.cancel();
            // Nothing is thought on for a table that has gone.
            let _ = thinking.task.await;
        }
        while let Some(command) = commands.recv().await {
            self.obey(*command).await;
        }
    }

    /// Takes this table's own door away; the game may have got another table in the meantime.
    fn close_door(&self) {
        let own = self.published.subscribe();
        self.shared.doors().close(&self.now.id, &own);
    }

    async fn obey(&mut self, command: TableCommand) {
        // A client that hung up does not hear the answer; what was done stays done.
        match command {
            TableCommand::Play {
                claim,
                expected,
                action,
                reply,
            } => {
                let _ = reply.send(self.play(&claim, expected, &action).await);
            }
            TableCommand::Resign {
                claim,
                expected,
                reply,
            } => {
                let _ = reply.send(self.resign(&claim, expected).await);
            }
            TableCommand::TakeBack {
                claim,
                expected,
                reply,
            } => {
                let _ = reply.send(self.take_back(&claim, expected).await);
            }
            TableCommand::Contribute {
                claim,
                expected,
                words,
                reply,
            } => {
                let _ = reply.send(self.contribute(&claim, expected, words).await);
            }
            TableCommand::Rematch { id } => {
                let is_news = self.now.rematch.as_ref() != Some(&id);
                if is_news {
                    self.now.rematch = Some(id);
                    self.publish();
                }
            }
            TableCommand::Lease(held) => self.claimed(held).await,
            TableCommand::CatchUp { standing, reply } => self.catch_up(standing, reply).await,
            TableCommand::Step { expected, reply } => self.step(expected, reply),
            TableCommand::Followed { span, command } => {
                Box::pin(self.obey(*command)).instrument(span).await;
            }
            // It leaves already, or has something to do.
            TableCommand::Leave => {}
            TableCommand::Seat {
                claim,
                change,
                reply,
            } => {
                let _ = reply.send(self.change_seat(&claim, &change).await);
            }
        }
    }

    async fn play(
        &mut self,
        claim: &Credentials,
        expected: u32,
        action: &str,
    ) -> Result<EntryResult, ServiceError> {
        let seats = self.newest().admit(claim)?;
        if expected != self.now.live.ply() {
            return self.again_or_stale(&seats, expected, action);
        }
        let mover = self
            .now
            .live
            .mover()
            .ok_or_else(|| self.refused(ActionError::Over))?;
        if !seats.contains(&mover) {
            return Err(self.refused(ActionError::NotYourTurn));
        }
        if self.now.awaits_words() {
            let snapshot = self.newest();
            return Err(ServiceError::WordsAwaited { snapshot });
        }
        match self.put(mover, action, None).await {
            Err(ServiceError::Stale { .. }) => self.again_or_stale(&seats, expected, action),
            put => put.map(|put| put.played),
        }
    }

    /// The same click twice gets the first answer again; anything else at that ply came too late.
    fn again_or_stale(
        &self,
        seats: &[Player],
        expected: u32,
        action: &str,
    ) -> Result<EntryResult, ServiceError> {
        let snapshot = self.newest();
        match self.now.live.played(expected) {
            Some((player, played)) if seats.contains(&player) && played == action => {
                Ok(EntryResult {
                    number: expected,
                    repeated: true,
                    snapshot,
                })
            }
            _ => Err(ServiceError::Stale { snapshot }),
        }
    }

    /// Whoever names no ply resigns wherever the game stands by then: what another server plays meanwhile does not
    /// keep anybody from it.
    async fn resign(
        &mut self,
        claim: &Credentials,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        for _ in 0..TRIES {
            let resigned = self.resign_now(claim, expected).await;
            let is_overtaken = matches!(resigned, Err(ServiceError::Stale { .. }));
            if expected.is_some() || !is_overtaken {
                return resigned;
            }
        }
        Err(ServiceError::Unavailable)
    }

    async fn resign_now(
        &mut self,
        claim: &Credentials,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.newest().admit(claim)?;
        let Some((resigner, leaving)) = self.now.leaving(claim) else {
            return Err(self.refused(ActionError::Over));
        };
        if expected.is_some_and(|expected| expected != self.now.live.ply()) {
            return Err(ServiceError::Stale {
                snapshot: self.newest(),
            });
        }
        match leaving {
            ResignationEffect::Ends => {
                self.end(Ending::Resigned(resigner)).await?;
                // Another server was faster, and the game goes on.
                if !self.now.live.is_over() {
                    return Err(ServiceError::Stale {
                        snapshot: self.newest(),
                    });
                }
            }
            ResignationEffect::LeavesToLevel => {
                let mut seats = self.now.seats.seats.clone();
                if let Some(seat) = seats.get_mut(usize::from(resigner.number())) {
                    leave(seat, self.shared.machine.now_ms());
                }
                if !self.put_seats(seats).await? {
                    return Err(ServiceError::Stale {
                        snapshot: self.newest(),
                    });
                }
            }
        }
        Ok(self.newest())
    }

    async fn change_seat(
        &mut self,
        claim: &Credentials,
        change: &SeatChange,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        for _ in 0..TRIES {
            if let SeatChange::Replace { ply, .. } = change
                && *ply != self.now.live.ply()
            {
                return Err(ServiceError::Stale {
                    snapshot: self.newest(),
                });
            }
            let changed = self.now.changed(claim, change, &self.shared.machine);
            let seats = changed.map_err(|why| self.seat_refused(why))?;
            let Some(seats) = seats else {
                return Ok(self.newest());
            };
            if self.put_seats(seats).await? {
                return Ok(self.newest());
            }
        }
        Err(ServiceError::Stale {
            snapshot: self.newest(),
        })
    }

    /// Decide, append, apply, publish. A computer plays under the lease of its table.
    async fn put(
        &mut self,
        player: Player,
        action: &str,
        fence: Option<FencingToken>,
    ) -> Result<AppliedPly, ServiceError> {
        let live = &self.now.live;
        let decided = live.decide(player, action, &self.dice, self.shared.machine.now_ms());
        let PreparedPly {
            row,
            next,
            ends_turn,
        } = decided.map_err(|why| self.refused(why))?;
        let entry = if next.is_over() {
            StoredEntry::FinalPly(row)
        } else {
            StoredEntry::Ply(row)
        };
        let played = self.keep(entry, next, fence).await?;
        let live = &played.snapshot.live;
        if let Some(thrown) = live.newest_thrown() {
            self.shared.tally.note(live.setting().name(), &thrown);
        }
        Ok(AppliedPly { played, ends_turn })
    }

    /// Makes an entry durable, and takes the game after it for the game that is.
    async fn keep(
        &mut self,
        entry: StoredEntry,
        next: LiveGameRef,
        fence: Option<FencingToken>,
    ) -> Result<EntryResult, ServiceError> {
        let number = self.now.live.ply();
        let turn = self.turn_after(&next, fence);
        let archive = &self.shared.archive;
        let kept = archive.append_turn(&self.now.id, number, entry, turn).await;
        match kept {
            Ok(granted) => {
                tracing::debug!(id = %self.now.id, entry = number, "kept");
                self.leased(turn, granted);
                self.now.live = next;
                self.publish();
                Ok(EntryResult {
                    number,
                    repeated: false,
                    snapshot: self.newest(),
                })
            }
            Err(refused @ (StoreError::Conflict { .. } | StoreError::Fenced)) => {
                if refused == StoreError::Fenced {
                    metrics::counter!(FENCED).increment(1);
                    tracing::info!(id = %self.now.id, entry = number, "a computer's ply came too late: another server goes on with the game");
                    self.held = None;
                }
                // Whoever was first goes on.
                self.seek_later();
                self.reload().await?;
                let snapshot = self.newest();
                Err(ServiceError::Stale { snapshot })
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn end_at_limit(&mut self) {
        if let Err(error) = self.end(Ending::Limit).await {
            tracing::error!(id = %self.now.id, %error, "a game was not ended at its limit");
            self.is_lost = is_lost(&error);
            self.back_off().await;
        }
    }

    async fn end(&mut self, ending: Ending) -> Result<(), ServiceError> {
        let row = EndingRow {
            ending,
            at_ms: self.shared.machine.now_ms(),
        };
        let entry = StoredEntry::Ending(row);
        let turn = store::AppendOptions {
            fence: None,
            due: false,
            lease: None,
        };
        let (archive, number) = (&self.shared.archive, self.now.live.ply());
        match archive.append_turn(&self.now.id, number, entry, turn).await {
            Ok(granted) => {
                self.leased(turn, granted);
                self.now.live = self.now.live.ended(ending);
                self.publish();
                Ok(())
            }
            Err(StoreError::Conflict { .. }) => self.reload().await,
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a change of seats durable and publishes it. False: another server was faster, and the
    /// table now knows what that one did.
    async fn put_seats(&mut self, seats: Vec<Seat>) -> Result<bool, ServiceError> {
        let revision = self.now.seats.revision;
        match self
            .shared
            .archive
            .change_seats(&self.now.id, revision, seats.clone())
            .await
        {
            Ok(revision) => {
                let seats = Arc::new(Seats { revision, seats });
                let before = std::mem::replace(&mut self.now.seats, seats);
                self.publish();
                self.shared.programs.tell(&before.seats, &self.now);
                Ok(true)
            }
            Err(StoreError::StaleSeats { .. }) => {
                self.reload().await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Another server wrote first: the archive knows how the game stands.
    async fn reload(&mut self) -> Result<(), ServiceError> {
        let stored = self
            .shared
            .archive
            .load(&self.now.id)
            .await?
            .ok_or(ServiceError::NotFound)?;
        let live = self.shared.games.resume(&kept(&stored));
        let live = live.map_err(|error| {
            tracing::error!(id = %self.now.id, %error, "a stored game cannot be read");
            ServiceError::Damaged
        })?;
        self.now.live = live;
        self.now.seats = Arc::new(stored.seats);
        self.publish();
        Ok(())
    }

    fn publish(&mut self) {
        if self.now.live.is_over() {
            self.now.dice = self.dice.revealed();
        }
        self.published.send_replace(Arc::new(self.now.clone()));
        self.shared.programs.tell(&[], &self.now);
    }

    pub(super) fn newest(&self) -> Arc<Snapshot> {
        Arc::clone(&self.published.borrow())
    }

    fn seat_refused(&self, why: SeatChangeError) -> ServiceError {
        ServiceError::SeatRefused {
            why,
            snapshot: self.newest(),
        }
    }

    fn refused(&self, why: ActionError) -> ServiceError {
        ServiceError::Refused {
            why,
            snapshot: self.newest(),
        }
    }
}

/// Whether a table can never go on after this error.
const fn is_lost(error: &ServiceError) -> bool {
    matches!(error, ServiceError::NotFound | ServiceError::Damaged)
}

/// What a game is resumed from.
fn kept(stored: &StoredGame) -> SavedGame<'_> {
    SavedGame {
        parameters: &stored.header.game,
        start: &stored.header.start,
        entries: &stored.entries,
        ending: stored.ending,
    }
}
