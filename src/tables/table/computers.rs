//! The computer players of a table: schedules the due ply, and plays the move that was computed.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{TableActor, TableReply, is_lost};
use crate::game::Player;
use crate::games::{ActionError, ActionIndex, ComputerPlayer};
use crate::level::{Level, LevelSpec};
use crate::search::StopToken;
use crate::seats::ComputerPace;
use crate::tables::command::EntryResult;
use crate::tables::compute_account::ComputeAccount;
use crate::tables::error::ServiceError;
use crate::tables::scheduler::{ComputeError, TurnPriority, TurnRequest, TurnReservation};
use crate::tables::seat_changes::SUBSTITUTE_LEVEL;

/// Moves for a person whose time has run out: the first level of the opponents called Medium.
const OVERDUE_LEVEL: Level = Level::Greedy;

/// A ply that a computer is to play.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DuePly {
    pub(super) ply: u32,
    pub(super) player: Player,
    pub(super) level: LevelSpec,
}

/// The entry that the server makes for a person whose time has run out.
enum OverdueEntry {
    /// The end of the turn.
    EndOfTurn(Player, ActionIndex),
    /// No entropy from a player who did not reveal the committed text.
    DeclinedEntropy(Player),
}

/// A computer move that is queued or running.
pub(super) struct PendingComputerMove {
    pub(super) due: DuePly,
    pub(super) cancel: CancellationToken,
    pub(super) task: JoinHandle<Result<ComputerMove, ComputeError>>,
}

pub(super) struct ComputerMove {
    pub(super) action: ActionIndex,
    pub(super) elapsed: Duration,
    pub(super) computer: ComputerPlayer,
    pub(super) reservation: TurnReservation,
}

/// A computer's turn in progress, which keeps its queue position. Field order matters: the search tree is dropped
/// before the reservation that accounts for its memory.
pub(super) struct ComputerTurn {
    pub(super) player: Player,
    pub(super) level: LevelSpec,
    pub(super) computer: ComputerPlayer,
    pub(super) reservation: TurnReservation,
}

impl TableActor {
    /// The ply that a computer is to play now.
    pub(super) fn due_ply(&self) -> Option<DuePly> {
        if self.current.live.is_at_limit() {
            return None;
        }
        let (player, level) = match self.current.computer_to_move() {
            Some(computer) => computer,
            None => (self.overdue_player()?, self.overdue_level().into()),
        };
        let ply = self.current.live.entry_count();
        Some(DuePly { ply, player, level })
    }

    /// The person or program to move, if the time for the turn has run out.
    fn overdue_player(&self) -> Option<Player> {
        let deadline_ms = self.current.turn_deadline_ms()?;
        let is_overdue = deadline_ms <= self.known_ms();
        self.current.live.mover().filter(|_| is_overdue)
    }

    /// The level that moves where the turn of a person whose time has run out cannot end yet.
    fn overdue_level(&self) -> Level {
        let game = self.current.live.configured_game();
        match game.check_level(OVERDUE_LEVEL) {
            Ok(()) => OVERDUE_LEVEL,
            Err(_) => SUBSTITUTE_LEVEL,
        }
    }

    /// The end of the turn of a person whose time has run out; `None` if a computer must move first.
    fn overdue_ending(&self) -> Option<(Player, ActionIndex)> {
        let action = self.current.live.turn_ending_action();
        self.overdue_player().zip(action)
    }

    /// The entry that the server makes for a person whose time has run out.
    fn overdue_entry(&self) -> Option<OverdueEntry> {
        let reveal = self.overdue_reveal().map(OverdueEntry::DeclinedEntropy);
        let ending = || self.overdue_ending();
        reveal.or_else(|| ending().map(|(player, action)| OverdueEntry::EndOfTurn(player, action)))
    }

    /// Whether an entry for a person whose time has run out is to be made now, and this instance may do it.
    pub(super) fn can_append_overdue_entry(&self) -> bool {
        self.lease.is_some() && self.pending_move.is_none() && self.overdue_entry().is_some()
    }

    /// Makes the entry for a person whose time has run out, if possible.
    pub(super) async fn append_overdue_entry(&mut self) {
        let overdue = self.overdue_entry().filter(|_| self.pending_move.is_none());
        let Some((overdue, lease)) = overdue.zip(self.lease.as_ref()) else {
            return;
        };
        let fence = Some(lease.fence());
        self.turn = None;
        let appended = match overdue {
            OverdueEntry::EndOfTurn(player, action) => {
                self.commit_ply(player, action, fence).await.map(drop)
            }
            OverdueEntry::DeclinedEntropy(player) => self.decline_entropy(player, fence).await,
        };
        match appended {
            Ok(()) => self.failures = 0,
            Err(ServiceError::Stale { .. }) => {}
            Err(error) => self.fail_ply(&error).await,
        }
    }

    async fn fail_ply(&mut self, error: &ServiceError) {
        tracing::error!(id = %self.current.id, %error, "a computer's ply was not played");
        self.is_lost = is_lost(error);
        self.back_off().await;
    }

    /// Brings the computation in line with the position: cancels one for another position (the due one starts after it
    /// has ended), rejects stale requests, pauses or resumes the game, and starts the due ply if this instance may play it.
    pub(super) fn schedule_computer(&mut self) {
        let due = self.due_ply();
        self.reject_stale_requests(due);
        self.wants_lease = due.is_some() && self.current.pace == ComputerPace::AtOnce
            || self.overdue_reveal().is_some();
        if let Some(pending) = &self.pending_move {
            // A changed name or link does not affect the computation.
            if due != Some(pending.due) {
                pending.cancel.cancel();
            }
            return;
        }
        // Pauses only between turns, so that a pause does not change what a search tree contains.
        let between_turns = self.turn.is_none();
        let unwatched = self.turn_priority() == TurnPriority::Unwatched;
        self.pause(between_turns && unwatched && self.current.is_self_playing());
        self.wants_lease &= !self.current.paused;
        let Some(due) = due.filter(|_| !self.current.paused) else {
            self.turn = None;
            return;
        };
        match self.current.pace {
            // Another instance may be playing it.
            ComputerPace::AtOnce if self.lease.is_none() => self.turn = None,
            ComputerPace::AtOnce if self.overdue_ending().is_some() => self.turn = None,
            ComputerPace::AtOnce => self.start_search(due),
            ComputerPace::OnRequest if self.ply_requests.is_empty() => {}
            ComputerPace::OnRequest => self.start_search(due),
        }
    }

    /// Whether the game has subscribers or was viewed recently.
    fn turn_priority(&self) -> TurnPriority {
        // The registered handle holds one receiver.
        if self.published.receiver_count() > 1 {
            self.viewer_activity.record_view(None);
            return TurnPriority::Watched;
        }
        let within = self.shared.settings.unwatched_after;
        if self.viewer_activity.is_recent(within, Instant::now()) {
            TurnPriority::Watched
        } else {
            TurnPriority::Unwatched
        }
    }

    fn pause(&mut self, paused: bool) {
        if self.current.paused != paused {
            self.current.paused = paused;
            self.publish();
            tracing::debug!(id = %self.current.id, paused, "a game between computers was paused or resumed");
        }
    }

    /// Rejects requests for a ply that is no longer due.
    pub(super) fn reject_stale_requests(&mut self, due: Option<DuePly>) {
        let ply_requests = std::mem::take(&mut self.ply_requests);
        for (expected, reply) in ply_requests {
            if due.is_some_and(|due| due.ply == expected) {
                self.ply_requests.push((expected, reply));
            } else {
                let snapshot = self.newest();
                let _ = reply.send(Err(ServiceError::Stale { snapshot }));
            }
        }
    }

    /// Queues a request for the ply of the computer to move.
    pub(super) fn request_ply(&mut self, expected: u32, reply: TableReply<EntryResult>) {
        let answer = if expected != self.current.live.entry_count() {
            let snapshot = self.newest();
            ServiceError::Stale { snapshot }
        } else if self.current.is_waiting() {
            let snapshot = self.newest();
            ServiceError::NotStarted { snapshot }
        } else if self.current.computer_to_move().is_none() {
            self.action_rejected(ActionError::NotYourTurn)
        } else {
            self.ply_requests.push((expected, reply));
            return;
        };
        let _ = reply.send(Err(answer));
    }

    /// Enqueues the computation of a due ply.
    pub(super) fn start_search(&mut self, due: DuePly) {
        let current_turn = self
            .turn
            .take()
            .filter(|turn| (turn.player, turn.level) == (due.player, due.level));
        let (scheduler, id) = (self.shared.scheduler.clone(), self.current.id.clone());
        let expected = self.ply_times.expected(due.level);
        let priority = self.turn_priority();
        // The position in the queue is taken here, in the order of requests.
        let (mut computer, reservation) = match current_turn {
            Some(turn) => {
                let ComputerTurn {
                    computer,
                    reservation,
                    ..
                } = *turn;
                (
                    computer,
                    Ok(reservation.enqueue_next_ply(expected, priority)),
                )
            }
            None => {
                let computer = self
                    .current
                    .live
                    .configured_game()
                    .computer_player(due.level);
                let request = TurnRequest {
                    game: Some(id),
                    payer: ComputeAccount {
                        client_network: self.viewer_activity.billed_client_network(),
                        creator: self.current.creator().copied(),
                    },
                    threads: computer.threads.get(),
                    bytes: computer.max_bytes,
                    expected,
                    priority,
                };
                (computer, scheduler.enqueue(request))
            }
        };
        if reservation.is_err() && self.current.pace == ComputerPace::OnRequest {
            for (_, reply) in self.ply_requests.drain(..) {
                let _ = reply.send(Err(ServiceError::Busy));
            }
            return;
        }
        let cancel = self.shared.stop.child_token();
        let live = self.current.live.clone();
        let task = self.shared.tasks.spawn({
            let cancel = cancel.clone();
            async move {
                let reservation = match reservation {
                    Ok(reservation) => reservation,
                    Err(request) => cancel
                        .run_until_cancelled(scheduler.enqueue_when_free(*request))
                        .await
                        .ok_or(ComputeError::Cancelled)?,
                };
                let choose =
                    move |stop: &StopToken| Some((computer.choose(&*live, stop)?, computer));
                let (chosen, elapsed, reservation) = reservation.run(&cancel, choose).await?;
                // `choose` returns `None` only for a game that is over or that it was not created for.
                let (action, computer) = chosen.ok_or(ComputeError::Failed)?;
                Ok(ComputerMove {
                    action,
                    elapsed,
                    computer,
                    reservation,
                })
            }
        });
        self.pending_move = Some(PendingComputerMove { due, cancel, task });
    }

    /// The computation has completed or was cancelled.
    pub(super) async fn on_computer_done(
        &mut self,
        result: Result<Result<ComputerMove, ComputeError>, JoinError>,
    ) {
        let Some(PendingComputerMove { due, .. }) = self.pending_move.take() else {
            return;
        };
        match result {
            Ok(Ok(result)) if self.due_ply() == Some(due) => {
                self.play_computer_move(due, result).await
            }
            Ok(Ok(_) | Err(ComputeError::Cancelled)) => {}
            Ok(Err(ComputeError::Failed)) | Err(_) => {
                tracing::error!(id = %self.current.id, "a computer's search failed");
                for (_, reply) in self.ply_requests.drain(..) {
                    let _ = reply.send(Err(ServiceError::Unavailable));
                }
                self.back_off().await;
            }
        }
    }

    /// Plays the computed move.
    pub(super) async fn play_computer_move(&mut self, due: DuePly, result: ComputerMove) {
        let DuePly { player, level, .. } = due;
        let ComputerMove {
            action,
            elapsed,
            computer,
            reservation,
        } = result;
        self.ply_times.record(level, elapsed);
        let fence = match (self.current.pace, &self.lease) {
            (ComputerPace::AtOnce, Some(lease)) => Some(lease.fence()),
            (ComputerPace::AtOnce, None) => return,
            // A client requested it; a simultaneous request at another instance gets the same entry as a repetition.
            (ComputerPace::OnRequest, _) => None,
        };
        let applied = self.commit_ply(player, action, fence).await;
        let turn_continues = applied.as_ref().is_ok_and(|applied| !applied.ends_turn);
        if turn_continues && self.current.pace == ComputerPace::AtOnce {
            self.turn = Some(Box::new(ComputerTurn {
                player,
                level,
                computer,
                reservation,
            }));
        }
        match &applied {
            Ok(_) => self.failures = 0,
            Err(ServiceError::Stale { .. }) => {}
            Err(error) => self.fail_ply(error).await,
        }
        self.answer_requesters(applied.map(|applied| applied.played));
    }

    /// The first requester gets the result, the others get it as a repetition; after a failure they get no reply and
    /// retry.
    pub(super) fn answer_requesters(&mut self, played: Result<EntryResult, ServiceError>) {
        let mut answer = Some(played);
        for (_, reply) in self.ply_requests.drain(..) {
            let Some(result) = answer.take() else {
                break;
            };
            if let Ok(played) = &result {
                answer = Some(Ok(EntryResult {
                    number: played.number,
                    repeated: true,
                    snapshot: Arc::clone(&played.snapshot),
                }));
            }
            let _ = reply.send(result);
        }
    }
}

/// The result of the running computation; pends for ever if there is none.
pub(super) async fn computer_result(
    pending: &mut Option<PendingComputerMove>,
) -> Result<Result<ComputerMove, ComputeError>, JoinError> {
    match pending {
        Some(pending) => (&mut pending.task).await,
        None => std::future::pending().await,
    }
}
