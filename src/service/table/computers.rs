//! A table's computers: which ply one owes, that it thinks about it elsewhere, and what becomes of its
//! choice.

use std::sync::Arc;

use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{Reply, Table};
use crate::faces::Mind;
use crate::faces::Refused;
use crate::game::Player;
use crate::level::Level;
use crate::search::Stop;
use crate::seats::Pace;
use crate::service::thinking::{Number, ThinkingError};
use crate::service::{Played, ServiceError};

/// A ply that a computer owes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) ply: u32,
    pub(super) player: Player,
    pub(super) level: Level,
}

/// A computer that waits or thinks.
pub(super) struct Thinking {
    pub(super) due: Due,
    pub(super) recall: CancellationToken,
    pub(super) task: JoinHandle<Result<Thought, ThinkingError>>,
}

/// What a computer chose.
pub(super) struct Thought {
    pub(super) action: String,
    pub(super) mind: Box<dyn Mind>,
    pub(super) number: Number,
}

/// A computer's turn that goes on: with its number it comes before those that asked later.
pub(super) struct Turn {
    pub(super) player: Player,
    pub(super) level: Level,
    pub(super) mind: Box<dyn Mind>,
    pub(super) number: Number,
}

impl Table {
    /// The ply that a computer owes now.
    pub(super) fn due(&self) -> Option<Due> {
        let (player, level) = self.now.computer_to_move()?;
        let ply = self.now.live.ply();
        Some(Due { ply, player, level })
    }

    /// Recalls a thought that is not wanted any more, and lets a computer think that has to.
    pub(super) fn attend(&mut self) {
        let due = self.due();
        self.dismiss(due);
        if let Some(thinking) = &self.thinking {
            // A name or a link changes nothing that a computer thinks about.
            if due != Some(thinking.due) {
                thinking.recall.cancel();
            }
            return;
        }
        let Some(due) = due else {
            self.turn = None;
            return;
        };
        match self.now.pace {
            Pace::AtOnce => self.think(due),
            Pace::OnRequest if self.askers.is_empty() => {}
            Pace::OnRequest => self.think(due),
        }
    }

    /// Answers those who asked for a ply that is not due any more.
    pub(super) fn dismiss(&mut self, due: Option<Due>) {
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
    pub(super) fn step(&mut self, expected: u32, reply: Reply<Played>) {
        let answer = if expected != self.now.live.ply() {
            let snapshot = self.newest();
            ServiceError::Stale { snapshot }
        } else if self.now.computer_to_move().is_none() {
            self.refused(Refused::NotYourTurn)
        } else {
            self.askers.push((expected, reply));
            return;
        };
        let _ = reply.send(Err(answer));
    }

    /// Lets a computer think about the ply that it owes, as soon as it is its turn in the queue.
    pub(super) fn think(&mut self, due: Due) {
        let going_on = self
            .turn
            .take()
            .filter(|turn| (turn.player, turn.level) == (due.player, due.level));
        let (mut mind, number) = match going_on {
            Some(turn) => (turn.mind, Some(turn.number)),
            None => (self.now.live.mind(due.level), None),
        };
        let (thinkers, id) = (self.shared.thinkers.clone(), self.now.id.clone());
        let threads = mind.threads().get();
        // The place is taken here and now: whoever asks later comes later.
        let place = match number {
            Some(number) => Some(thinkers.go_on(&id, threads, number)),
            None => thinkers.ask(&id, threads),
        };
        if place.is_none() && self.now.pace == Pace::OnRequest {
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
                    Some(place) => place,
                    None => recall
                        .run_until_cancelled(thinkers.ask_patiently(&id, threads))
                        .await
                        .ok_or(ThinkingError::Cancelled)?,
                };
                let number = place.number();
                let choose = move |stop: &Stop| {
                    let action = mind.choose(&*live, stop)?;
                    Some(Thought {
                        action,
                        mind,
                        number,
                    })
                };
                // A mind plays the game that it was made for, as long as that goes on.
                let thought = place.think(&recall, choose).await?;
                thought.ok_or(ThinkingError::Failed)
            }
        });
        self.thinking = Some(Thinking { due, recall, task });
    }

    /// A computer is done, or its thinking was cancelled. False: the table gives up.
    pub(super) async fn heard(
        &mut self,
        thought: Result<Result<Thought, ThinkingError>, JoinError>,
    ) -> bool {
        let Some(Thinking { due, .. }) = self.thinking.take() else {
            return true;
        };
        match thought {
            Ok(Ok(thought)) if self.due() == Some(due) => self.play_thought(due, thought).await,
            Ok(Ok(_) | Err(ThinkingError::Cancelled)) => true,
            Ok(Err(ThinkingError::Failed)) | Err(_) => {
                tracing::error!(id = %self.now.id, "a computer's thinking failed");
                for (_, reply) in self.askers.drain(..) {
                    let _ = reply.send(Err(ServiceError::Unavailable));
                }
                false
            }
        }
    }

    /// Plays what a computer chose. False: the table gives up.
    pub(super) async fn play_thought(&mut self, due: Due, thought: Thought) -> bool {
        let Due { player, level, .. } = due;
        let Thought {
            action,
            mind,
            number,
        } = thought;
        let put = self.put(player, &action).await;
        let goes_on = put.as_ref().is_ok_and(|put| !put.ends_turn);
        if goes_on && self.now.pace == Pace::AtOnce {
            self.turn = Some(Turn {
                player,
                level,
                mind,
                number,
            });
        }
        let stays = match &put {
            Ok(_) | Err(ServiceError::Stale { .. }) => true,
            Err(error) => {
                tracing::error!(id = %self.now.id, %error, "a computer's ply was not played");
                false
            }
        };
        self.answer_askers(put.map(|put| put.played));
        stays
    }

    /// The first who asked gets the ply, others get it again; after a failure they look again.
    pub(super) fn answer_askers(&mut self, played: Result<Played, ServiceError>) {
        let mut answer = Some(played);
        for (_, reply) in self.askers.drain(..) {
            let Some(now) = answer.take() else {
                break;
            };
            if let Ok(played) = &now {
                answer = Some(Ok(Played {
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
    thinking: &mut Option<Thinking>,
) -> Result<Result<Thought, ThinkingError>, JoinError> {
    match thinking {
        Some(thinking) => (&mut thinking.task).await,
        None => std::future::pending().await,
    }
}
