//! Other instances that serve the same games: how a table here learns what was done there.
//!
//! Whoever looks is shown nothing that is older than the look: one question to the archive tells whether the table
//! has missed something. So whoever has played at one instance sees that at any other. Those who follow a game hear the
//! bell; should it be missed, the next look at all tables finds what has happened.

use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;

use super::table::TableCommand;
use super::table_registry::TableHandle;
use super::{Service, ServiceError, Snapshot};
use crate::store::{ChangeNotification, GameChange, GameId, GameVersion};

/// How often all tables are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How many tables are asked about together.
const TOGETHER: usize = 1_000;

/// How often a table is asked that leaves memory meanwhile.
const TRIES: u32 = 8;

impl Snapshot {
    /// How far the game has come.
    pub(super) fn standing(&self) -> GameVersion {
        GameVersion {
            id: self.id.clone(),
            entries: self.entries(),
            revision: self.seats.revision,
            rematch: self.rematch.clone(),
        }
    }

    /// Whether something has happened since.
    pub(super) fn is_behind(&self, standing: &GameVersion) -> bool {
        let has_gone_on =
            standing.entries > self.entries() || standing.revision > self.seats.revision;
        has_gone_on || self.misses_rematch(standing)
    }

    /// Whether a rematch was made since.
    pub(super) fn misses_rematch(&self, standing: &GameVersion) -> bool {
        standing.rematch.is_some() && standing.rematch != self.rematch
    }

    fn entries(&self) -> u32 {
        self.live.ply() + u32::from(self.live.ending().is_some())
    }
}

impl Service {
    /// Does until the service is closed what it owes without being asked: it goes on with games that are due, and
    /// learns what other instances do.
    pub async fn keep_up(&self) {
        let all = async {
            tokio::join!(
                self.renew_leases(),
                self.claim_work(),
                self.hear_others(),
                self.tell_programs(),
                self.look_for_others()
            )
        };
        self.shared.stop.run_until_cancelled(all).await;
    }

    /// The door of a game whose snapshot is not older than this call.
    pub(super) async fn fresh(&self, id: &GameId) -> Result<TableHandle, ServiceError> {
        let door = self.shared.doors().find(id);
        let (mut door, standing) = match door {
            // Whoever else was about to read the game may have read it before this call and been slower since.
            None => self.read(id).await?,
            Some(door) if !self.shared.archive.is_shared() => return Ok(door),
            Some(door) => {
                let asked = std::slice::from_ref(id);
                let found = self.shared.archive.standing(asked).await?;
                let standing = found.into_iter().next();
                (door, standing.ok_or(ServiceError::NotFound)?)
            }
        };
        for _ in 0..TRIES {
            if !door.snapshots.borrow().is_behind(&standing) {
                return Ok(door);
            }
            let (reply, answer) = oneshot::channel();
            let command = TableCommand::CatchUp {
                standing: standing.clone(),
                reply: Some(reply),
            };
            if door.inbox.send(Box::new(command)).await.is_ok()
                && let Ok(answer) = answer.await
            {
                return answer.map(|()| door);
            }
            // The table has left memory meanwhile.
            door = self.open(id).await?;
        }
        Err(ServiceError::Unavailable)
    }

    /// Hears the bell.
    async fn hear_others(&self) {
        let Some(mut bell) = self.shared.archive.bell() else {
            return;
        };
        loop {
            match bell.recv().await {
                Ok(ChangeNotification::Game(id, news)) => self.heard(id, news),
                Ok(ChangeNotification::Missed) | Err(RecvError::Lagged(_)) => {
                    self.look_at_all().await
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn heard(&self, id: GameId, news: GameChange) {
        let door = self.shared.doors().standing_at(&id);
        let Some(door) = door else {
            self.shared.programs.tell_later(id);
            return;
        };
        let (entries, revision, rematch) = match news {
            GameChange::Entries(entries) => (entries, 0, None),
            GameChange::Seats(revision) => (0, revision, None),
            GameChange::Rematch(rematch) => (0, 0, Some(rematch)),
        };
        let standing = GameVersion {
            id,
            entries,
            revision,
            rematch,
        };
        tell(&door, standing);
    }

    async fn look_for_others(&self) {
        if !self.shared.archive.is_shared() {
            return;
        }
        loop {
            tokio::time::sleep(LOOK).await;
            self.look_at_all().await;
        }
    }

    /// Asks for all tables whether they have missed something.
    async fn look_at_all(&self) {
        let games = self.shared.doors().games();
        for games in games.chunks(TOGETHER) {
            match self.shared.archive.standing(games).await {
                Ok(found) => {
                    for standing in found {
                        let door = self.shared.doors().standing_at(&standing.id);
                        if let Some(door) = door {
                            tell(&door, standing);
                        }
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "what other servers did is not known");
                    return;
                }
            }
        }
    }
}

/// Tells a table what it has missed. One that has too much to do to hear it is told at the next look.
fn tell(door: &TableHandle, standing: GameVersion) {
    if door.snapshots.borrow().is_behind(&standing) {
        let reply = None;
        let _ = door
            .inbox
            .try_send(Box::new(TableCommand::CatchUp { standing, reply }));
    }
}
