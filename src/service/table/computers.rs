//! A table's computers: which ply one owes, that it thinks about it elsewhere, and what becomes of its
//! choice.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{TableActor, TableReply, is_lost};
use crate::game::Player;
use crate::game_adapters::ActionError;
use crate::game_adapters::ComputerPlayer;
use crate::level::LevelSpec;
use crate::search::StopToken;
use crate::seats::ComputerPace;
use crate::service::client_network::ComputeAccount;
use crate::service::scheduler::{ComputeError, TurnPriority, TurnRequest, TurnReservation};
use crate::service::{EntryResult, ServiceError};

/// A ply that a computer owes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DuePly {
    pub(super) ply: u32,
    pub(super) player: Player,
    pub(super) level: LevelSpec,
}

/// A computer that waits or thinks.
pub(super) struct PendingComputerMove {
    pub(super) due: DuePly,
    pub(super) recall: CancellationToken,
    pub(super) task: JoinHandle<Result<ComputerMove, ComputeError>>,
}

/// What a computer chose.
pub(super) struct ComputerMove {
    pub(super) action: String,
    /// How long it thought.
    pub(super) took: Duration,
    pub(super) mind: Box<dyn ComputerPlayer>,
    pub(super) place: TurnReservation,
}

/// A computer's turn that goes on and keeps its place in the queue. What it remembers goes first, then
/// the place that counts it.
pub(super) struct ComputerTurn {
    pub(super) player: Player,
    pub(super) level: LevelSpec,
    pub(super) mind: Box<dyn ComputerPlayer>,
    pub(super) place: TurnReservation,
}

impl TableActor {
    /// The ply that a computer owes now.
    pub(super) fn due(&self) -> Option<DuePly> {
        if self.now.live.is_at_limit() {
            return None;
        }
        let (player, level) = self.now.computer_to_move()?;
        let ply = self.now.live.ply();
        Some(DuePly { ply, player, level })
    }

    /// Recalls a thought that is not wanted any more, and lets a computer think that has to.
    pub(super) fn attend(&mut self) {
        let due = self.due();
        self.dismiss(due);
        self.wants_lease = due.is_some() && self.now.pace == ComputerPace::AtOnce;
        if let Some(thinking) = &self.thinking {
            // A name or a link changes nothing that a computer thinks about.
            if due != Some(thinking.due) {
                thinking.recall.cancel();
            }
            return;
        }
        // A turn that has begun is ended, so that no pause changes what a computer remembers.
        let between_turns = self.turn.is_none();
        let unseen = self.attention() == TurnPriority::Unwatched;
        self.pause(between_turns && unseen && self.now.plays_itself());
        self.wants_lease &= !self.now.paused;
        let Some(due) = due.filter(|_| !self.now.paused) else {
            self.turn = None;
            return;
        };
        match self.now.pace {
            // Another instance may be thinking about it.
            ComputerPace::AtOnce if self.held.is_none() => self.turn = None,
            ComputerPace::AtOnce => self.think(due),
            ComputerPace::OnRequest if self.askers.is_empty() => {}
            ComputerPace::OnRequest => self.think(due),
        }
    }

    /// Whether somebody follows the game, or looked at it within the last minute.
    fn attention(&self) -> TurnPriority {
        // The game's own door holds one receiver.
        if self.published.receiver_count() > 1 {
            self.visits.note(None);
            return TurnPriority::Watched;
        }
        let within = self.shared.settings.unwatched_after;
        if self.visits.are_recent(within, Instant::now()) {
            TurnPriority::Watched
        } else {
            TurnPriority::Unwatched
        }
    }

    fn pause(&mut self, paused: bool) {
        if self.now.paused != paused {
            self.now.paused = paused;
            self.publish();
            tracing::debug!(id = %self.now.id, paused, "a game of computers alone");
        }
    }

    /// Answers those who asked for a ply that is not due any more.
    pub(super) fn dismiss(&mut self, due: Option<DuePly>) {
        let askers = std::mem::take(&mut self.askers);
        for (expected, reply) in askers {
            if due.is_some_and(|due| due.ply == expected) {
                self.askers.push((expected, reply));
            } else {
                let snapshot = self.newest();
                let _ = reply.send(Err(ServiceError::Stale { snapshot }));
            }
        }
    }

    /// Somebody asks for the ply of the computer that is to move.
    pub(super) fn step(&mut self, expected: u32, reply: TableReply<EntryResult>) {
        let answer = if expected != self.now.live.ply() {
            let snapshot = self.newest();
            ServiceError::Stale { snapshot }
        } else if self.now.computer_to_move().is_none() {
            self.refused(ActionError::NotYourTurn)
        } else {
            self.askers.push((expected, reply));
            return;
        };
        let _ = reply.send(Err(answer));
    }

    /// Lets a computer think about the ply that it owes, as soon as it is its turn in the queue.
    pub(super) fn think(&mut self, due: DuePly) {
        let going_on = self
            .turn
            .take()
            .filter(|turn| (turn.player, turn.level) == (due.player, due.level));
        let (thinkers, id) = (self.shared.thinkers.clone(), self.now.id.clone());
        let expected = self.costs.expected(due.level);
        let attention = self.attention();
        // The place is taken here and now: whoever asks later comes later.
        let (mut mind, place) = match going_on {
            Some(turn) => {
                let ComputerTurn { mind, place, .. } = *turn;
                (mind, Ok(place.go_on(expected, attention)))
            }
            None => {
                let mind = self.now.live.mind(due.level);
                let wish = TurnRequest {
                    game: id,
                    payer: ComputeAccount {
                        household: self.visits.household(),
                        creator: self.now.creator,
                    },
                    threads: mind.threads().get(),
                    bytes: mind.most_bytes(&*self.now.live),
                    expected,
                    attention,
                };
                (mind, thinkers.ask(wish))
            }
        };
        if place.is_err() && self.now.pace == ComputerPace::OnRequest {
            for (_, reply) in self.askers.drain(..) {
                let _ = reply.send(Err(ServiceError::Busy));
            }
            return;
        }
        let recall = self.shared.stop.child_token();
        let live = self.now.live.clone();
        let task = self.shared.tasks.spawn({
            let recall = recall.clone();
            async move {
                let place = match place {
                    Ok(place) => place,
                    Err(wish) => recall
                        .run_until_cancelled(thinkers.ask_patiently(*wish))
                        .await
                        .ok_or(ComputeError::Cancelled)?,
                };
                let choose = move |stop: &StopToken| Some((mind.choose(&*live, stop)?, mind));
                let (chosen, took, place) = place.think(&recall, choose).await?;
                // A mind plays the game that it was made for, as long as that goes on.
                let (action, mind) = chosen.ok_or(ComputeError::Failed)?;
                Ok(ComputerMove {
                    action,
                    took,
                    mind,
                    place,
                })
            }
        });
        self.thinking = Some(PendingComputerMove { due, recall, task });
    }

    /// A computer is done, or its thinking was cancelled.
    pub(super) async fn heard(
        &mut self,
        thought: Result<Result<ComputerMove, ComputeError>, JoinError>,
    ) {
        let Some(PendingComputerMove { due, .. }) = self.thinking.take() else {
            return;
        };
        match thought {
            Ok(Ok(thought)) if self.due() == Some(due) => self.play_thought(due, thought).await,
            Ok(Ok(_) | Err(ComputeError::Cancelled)) => {}
            Ok(Err(ComputeError::Failed)) | Err(_) => {
                tracing::error!(id = %self.now.id, "a computer's thinking failed");
                for (_, reply) in self.askers.drain(..) {
                    let _ = reply.send(Err(ServiceError::Unavailable));
                }
                self.back_off().await;
            }
        }
    }

    /// Plays what a computer chose.
    pub(super) async fn play_thought(&mut self, due: DuePly, thought: ComputerMove) {
        let DuePly { player, level, .. } = due;
        let ComputerMove {
            action,
            took,
            mind,
            place,
        } = thought;
        self.costs.note(level, took);
        let fence = match (self.now.pace, &self.held) {
            (ComputerPace::AtOnce, Some(held)) => Some(held.fence()),
            // Another instance has taken the game over.
            (ComputerPace::AtOnce, None) => return,
            // Somebody has asked for it, and whoever asks elsewhere at the same time gets the same answer.
            (ComputerPace::OnRequest, _) => None,
        };
        let put = self.put(player, &action, fence).await;
        let goes_on = put.as_ref().is_ok_and(|put| !put.ends_turn);
        if goes_on && self.now.pace == ComputerPace::AtOnce {
            self.turn = Some(Box::new(ComputerTurn {
                player,
                level,
                mind,
                place,
            }));
        }
        match &put {
            Ok(_) => self.failures = 0,
            Err(ServiceError::Stale { .. }) => {}
            Err(error) => {
                tracing::error!(id = %self.now.id, %error, "a computer's ply was not played");
                self.is_lost = is_lost(error);
                self.back_off().await;
            }
        }
        self.answer_askers(put.map(|put| put.played));
    }

    /// The first who asked gets the ply, others get it again; after a failure they look again.
    pub(super) fn answer_askers(&mut self, played: Result<EntryResult, ServiceError>) {
        let mut answer = Some(played);
        for (_, reply) in self.askers.drain(..) {
            let Some(now) = answer.take() else {
                break;
            };
            if let Ok(played) = &now {
                answer = Some(Ok(EntryResult {
                    number: played.number,
                    repeated: true,
                    snapshot: Arc::clone(&played.snapshot),
                }));
            }
            let _ = reply.send(now);
        }
    }
}

/// What the computer that thinks comes to; while none does, nothing ever.
pub(super) async fn thought(
    thinking: &mut Option<PendingComputerMove>,
) -> Result<Result<ComputerMove, ComputeError>, JoinError> {
    match thinking {
        Some(thinking) => (&mut thinking.task).await,
        None => std::future::pending().await,
    }
}
