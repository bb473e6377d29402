//! The owner task of one live game: the only place where it changes.
//!
//! A ply takes one road, whoever chose it: decide (may refuse), append (may find that another server
//! was first), apply (cannot fail), publish. The task does one thing at a time; a computer thinks on
//! a blocking thread while the task goes on answering, and what it chose is played only if the game
//! still stands where it was asked.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::archive::{ArchiveError, Entry, GameId, Header, Pace, Seat, Seats, Stored};
use crate::game::Player;
use crate::level::Level;
use crate::record::Ending;
use crate::streams::DiceSeed;

use super::live::{AnyAction, Live, LoadError, Refused, ending_row};
use super::seats::{Leaving, SeatChange, SeatRefusal, leave};
use super::{Claim, Door, Played, ServiceError, Shared, Snapshot, now_ms};

type Reply<T> = oneshot::Sender<Result<T, ServiceError>>;

/// What a table is asked to do.
pub(super) enum Command {
    Play {
        claim: Claim,
        expected: u32,
        action: AnyAction,
        reply: Reply<Played>,
    },
    Resign {
        claim: Claim,
        expected: Option<u32>,
        reply: Reply<Arc<Snapshot>>,
    },
    Step {
        expected: u32,
        reply: Reply<Played>,
    },
    Seat {
        claim: Claim,
        change: Box<SeatChange>,
        reply: Reply<Arc<Snapshot>>,
    },
    /// A rematch has begun elsewhere.
    Rematch {
        id: GameId,
    },
}

/// How often a change of seats is judged anew because another server was faster.
const SEAT_TRIES: u32 = 8;

/// A game with all that its task needs.
pub(super) struct Table {
    shared: Arc<Shared>,
    dice_seed: DiceSeed,
    /// The newest state; readers have the same value in `published`.
    now: Snapshot,
    published: watch::Sender<Arc<Snapshot>>,
}

/// What a computer chose at ply number `at`.
struct Thought {
    at: u32,
    player: Player,
    action: AnyAction,
}

impl Table {
    pub(super) fn new(shared: Arc<Shared>, header: &Header, seats: Seats, live: Live) -> Self {
        let now = Snapshot {
            id: header.id.clone(),
            live,
            seats: Arc::new(seats),
            pace: header.pace,
            created_ms: header.created_ms,
            creator: header.creator,
            private: header.private || header.book_of.is_some(),
            replace_after_s: header.replace_after_s,
            rematch: None,
        };
        let published = watch::Sender::new(Arc::new(now.clone()));
        Table {
            shared,
            dice_seed: header.dice_seed.clone(),
            now,
            published,
        }
    }

    pub(super) fn resume(shared: Arc<Shared>, stored: Stored) -> Result<Self, LoadError> {
        let live = Live::resume(&stored)?;
        Ok(Table::new(shared, &stored.header, stored.seats, live))
    }

    pub(super) fn id(&self) -> &GameId {
        &self.now.id
    }

    /// Whether a computer is to move by itself, or the limit is due.
    pub(super) fn has_work(&self) -> bool {
        self.now.live.is_at_limit()
            || self.now.pace == Pace::AtOnce && self.now.computer_to_move().is_some()
    }

    /// Starts the task. The caller puts the door where others find it.
    pub(super) fn start(self) -> Door {
        let (inbox, commands) = mpsc::channel(256);
        let door = Door {
            inbox,
            snapshots: self.published.subscribe(),
        };
        let tasks = self.shared.tasks.clone();
        tasks.spawn(self.run(commands));
        door
    }

    async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        let stop = self.shared.stop.clone();
        loop {
            if self.now.live.is_at_limit() && self.end(Ending::Limit).await.is_err() {
                break;
            }
            let mut thinking = match self.now.computer_to_move() {
                Some((player, level)) if self.now.pace == Pace::AtOnce => {
                    Some(self.think(player, level))
                }
                _ => None,
            };
            let idle = self.shared.settings.idle;
            // Until the computer is done, commands are answered; then the loop looks again.
            let went_on = loop {
                tokio::select! {
                    biased;
                    () = stop.cancelled() => break false,
                    thought = async { thinking.as_mut().expect("guarded").await }, if thinking.is_some() => {
                        break self.play_thought(thought).await;
                    }
                    command = commands.recv() => match command {
                        None => break false,
                        Some(command) => {
                            // A name or a link changes nothing that a computer thinks about.
                            let before = (self.now.live.ply(), self.now.computer_to_move());
                            self.obey(command).await;
                            let after = (self.now.live.ply(), self.now.computer_to_move());
                            if before != after || self.now.live.is_over() { break true; }
                        }
                    },
                    () = tokio::time::sleep(idle), if thinking.is_none() => {
                        if self.is_alone() { break false; }
                    }
                }
            };
            if !went_on {
                break;
            }
        }
        self.leave(commands).await;
    }

    /// Gives the door up if nobody follows the game. A door is only taken under the lock, so nobody
    /// begins to follow a table that is about to leave.
    fn is_alone(&self) -> bool {
        let mut doors = self.shared.doors();
        let alone = self.published.receiver_count() <= 1;
        if alone {
            doors.remove(&self.now.id);
        }
        alone
    }

    /// Leaves memory: the door goes first, then what had been asked before is still answered.
    async fn leave(mut self, mut commands: mpsc::Receiver<Command>) {
        self.close_door();
        commands.close();
        while let Some(command) = commands.recv().await {
            self.obey(command).await;
        }
    }

    /// Takes this table's own door away; the game may have got another table in the meantime.
    fn close_door(&self) {
        let own = self.published.subscribe();
        let mut doors = self.shared.doors();
        if doors
            .get(&self.now.id)
            .is_some_and(|door| door.snapshots.same_channel(&own))
        {
            doors.remove(&self.now.id);
        }
    }

    async fn obey(&mut self, command: Command) {
        // A client that hung up does not hear the answer; what was done stays done.
        match command {
            Command::Play {
                claim,
                expected,
                action,
                reply,
            } => {
                let _ = reply.send(self.play(&claim, expected, action).await);
            }
            Command::Resign {
                claim,
                expected,
                reply,
            } => {
                let _ = reply.send(self.resign(&claim, expected).await);
            }
            Command::Rematch { id } => {
                self.now.rematch = Some(id);
                self.published.send_replace(Arc::new(self.now.clone()));
            }
            Command::Step { expected, reply } => {
                let _ = reply.send(self.step(expected).await);
            }
            Command::Seat {
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
        claim: &Claim,
        expected: u32,
        action: AnyAction,
    ) -> Result<Played, ServiceError> {
        let seats = self.now.seats_of(claim);
        if seats.is_empty() {
            return Err(ServiceError::NotYourSeat {
                snapshot: self.newest(),
            });
        }
        if expected != self.now.live.ply() {
            return self.again_or_stale(&seats, expected, action);
        }
        let mover = self
            .now
            .live
            .mover()
            .ok_or_else(|| self.refused(Refused::Over))?;
        if !seats.contains(&mover) {
            return Err(self.refused(Refused::NotYourTurn));
        }
        match self.put(mover, action).await {
            Err(ServiceError::Stale { .. }) => self.again_or_stale(&seats, expected, action),
            done => done,
        }
    }

    /// The same click twice gets the first answer again; anything else at that ply came too late.
    fn again_or_stale(
        &self,
        seats: &[Player],
        expected: u32,
        action: AnyAction,
    ) -> Result<Played, ServiceError> {
        let snapshot = self.newest();
        match self.now.live.played(expected) {
            Some((player, played)) if seats.contains(&player) && played == action => Ok(Played {
                number: expected,
                repeated: true,
                snapshot,
            }),
            _ => Err(ServiceError::Stale { snapshot }),
        }
    }

    async fn resign(
        &mut self,
        claim: &Claim,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let seats = self.now.seats_of(claim);
        if seats.is_empty() {
            return Err(ServiceError::NotYourSeat {
                snapshot: self.newest(),
            });
        }
        let Some((resigner, leaving)) = self.now.leaving(claim) else {
            return Err(self.refused(Refused::Over));
        };
        if expected.is_some_and(|expected| expected != self.now.live.ply()) {
            return Err(ServiceError::Stale {
                snapshot: self.newest(),
            });
        }
        match leaving {
            Leaving::Ends => self.end(Ending::Resigned(resigner)).await?,
            Leaving::LeavesToLevel => {
                let mut seats = self.now.seats.seats.clone();
                if let Some(seat) = seats.get_mut(usize::from(resigner.number())) {
                    leave(seat, now_ms());
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
        claim: &Claim,
        change: &SeatChange,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        for _ in 0..SEAT_TRIES {
            if let SeatChange::Replace { ply, .. } = change
                && *ply != self.now.live.ply()
            {
                return Err(ServiceError::Stale {
                    snapshot: self.newest(),
                });
            }
            let changed = self.now.changed(claim, change, now_ms());
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

    async fn step(&mut self, expected: u32) -> Result<Played, ServiceError> {
        if expected != self.now.live.ply() {
            return Err(ServiceError::Stale {
                snapshot: self.newest(),
            });
        }
        let (player, level) = self
            .now
            .computer_to_move()
            .ok_or_else(|| self.refused(Refused::NotYourTurn))?;
        match self.think(player, level).await {
            Ok(Some(thought)) => {
                let played = self.put(thought.player, thought.action).await;
                if self.now.live.is_at_limit() {
                    self.end(Ending::Limit).await?;
                }
                played
            }
            Ok(None) | Err(_) => Err(ServiceError::Unavailable),
        }
    }

    /// Lets a level choose, off the async threads and one at a time for each thinker.
    fn think(&self, player: Player, level: Level) -> JoinHandle<Option<Thought>> {
        let (live, thinkers) = (self.now.live.clone(), Arc::clone(&self.shared.thinkers));
        tokio::spawn(async move {
            // First asked is first served; the permit is given back when the thinking ends.
            let permit = thinkers.acquire_owned().await.ok()?;
            let at = live.ply();
            let action = tokio::task::spawn_blocking(move || {
                let action = live.choose(level);
                drop(permit);
                action
            });
            Some(Thought {
                at,
                player,
                action: action.await.ok()?,
            })
        })
    }

    /// Plays what a computer chose, if the game still stands there. False: the table gives up.
    async fn play_thought(
        &mut self,
        thought: Result<Option<Thought>, tokio::task::JoinError>,
    ) -> bool {
        let Ok(Some(thought)) = thought else {
            tracing::error!(id = %self.now.id, "a computer's thinking failed");
            return false;
        };
        let still = self.now.live.ply() == thought.at
            && self
                .now
                .computer_to_move()
                .is_some_and(|(player, _)| player == thought.player);
        if !still {
            return true;
        }
        match self.put(thought.player, thought.action).await {
            Ok(_) | Err(ServiceError::Stale { .. }) => true,
            Err(error) => {
                tracing::error!(id = %self.now.id, %error, "a computer's ply was not played");
                false
            }
        }
    }

    /// Decide, append, apply, publish.
    async fn put(&mut self, player: Player, action: AnyAction) -> Result<Played, ServiceError> {
        let number = self.now.live.ply();
        let ply = self
            .now
            .live
            .decide(player, action, &self.dice_seed, now_ms())
            .map_err(|why| self.refused(why))?;
        let entry = Entry::Ply(ply.row());
        match self
            .shared
            .archive
            .append(&self.now.id, number, entry)
            .await
        {
            Ok(()) => {}
            Err(ArchiveError::Conflict { .. }) => {
                self.reload().await?;
                return Err(ServiceError::Stale {
                    snapshot: self.newest(),
                });
            }
            Err(error) => return Err(error.into()),
        }
        self.now.live.apply(ply);
        self.publish().await;
        Ok(Played {
            number,
            repeated: false,
            snapshot: self.newest(),
        })
    }

    async fn end(&mut self, ending: Ending) -> Result<(), ServiceError> {
        let entry = Entry::Ending(ending_row(ending, now_ms()));
        match self
            .shared
            .archive
            .append(&self.now.id, self.now.live.ply(), entry)
            .await
        {
            Ok(()) => {
                self.now.live.end(ending);
                self.publish().await;
                Ok(())
            }
            Err(ArchiveError::Conflict { .. }) => self.reload().await,
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
                self.now.seats = Arc::new(Seats { revision, seats });
                self.publish().await;
                Ok(true)
            }
            Err(ArchiveError::StaleSeats { .. }) => {
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
        let live = Live::resume(&stored).map_err(|error| {
            tracing::error!(id = %self.now.id, %error, "a stored game cannot be read");
            ServiceError::Damaged
        })?;
        self.now.live = live;
        self.now.seats = Arc::new(stored.seats);
        self.publish().await;
        Ok(())
    }

    async fn publish(&mut self) {
        if self.now.live.is_over() {
            // A hint for lists; the record is the truth, so a failure here is only logged.
            if let Err(error) = self
                .shared
                .archive
                .mark_finished(&self.now.id, now_ms())
                .await
            {
                tracing::warn!(id = %self.now.id, %error, "a finished game could not be marked");
            }
        }
        self.published.send_replace(Arc::new(self.now.clone()));
    }

    pub(super) fn newest(&self) -> Arc<Snapshot> {
        Arc::clone(&self.published.borrow())
    }

    fn seat_refused(&self, why: SeatRefusal) -> ServiceError {
        ServiceError::SeatRefused {
            why,
            snapshot: self.newest(),
        }
    }

    fn refused(&self, why: Refused) -> ServiceError {
        ServiceError::Refused {
            why,
            snapshot: self.newest(),
        }
    }
}
