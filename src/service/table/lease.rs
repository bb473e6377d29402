//! A table and the lease of its game: a computer thinks only where its table has it, and what it chose is kept only
//! while nobody else has taken it.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::TableActor;
use crate::game_adapters::LiveGameRef;
use crate::seats::ComputerPace;
use crate::service::ServiceError;
use crate::service::leases::{HeldLease, LEASE};
use crate::store::{self, FencingToken, GameVersion, LeaseResult};

/// How long a lease is waited for that somebody else had when it was asked for, and after a first failure.
const AGAIN: Duration = Duration::from_millis(500);

/// How often the pause after failures in a row is doubled: it is about a minute at most.
const MOST_DOUBLINGS: u32 = 7;

impl TableActor {
    /// What the archive is told beside an entry after which the game stands like this.
    pub(super) fn turn_after(
        &self,
        next: &LiveGameRef,
        fence: Option<FencingToken>,
    ) -> store::AppendOptions {
        let mut then = self.now.clone();
        then.live = next.clone();
        let plays_on = then.pace == ComputerPace::AtOnce && then.computer_to_move().is_some();
        store::AppendOptions {
            fence,
            due: then.live.is_at_limit() || plays_on && !then.plays_itself(),
            lease: plays_on.then_some(LEASE),
        }
    }

    /// Notes what became of the lease with an entry.
    pub(super) fn leased(&mut self, turn: store::AppendOptions, granted: Option<FencingToken>) {
        match granted {
            Some(fence) => self.hold(fence),
            // The archive has let it go.
            None if turn.lease.is_none() => self.held = None,
            None => self.seek_later(),
        }
    }

    pub(super) fn hold(&mut self, fence: FencingToken) {
        if self.held.as_ref().map(HeldLease::fence) != Some(fence) {
            self.held = Some(HeldLease::new(&self.shared, &self.now.id, fence));
        }
    }

    /// Somebody else goes on with the game: it is asked for again when their lease may have run out.
    pub(super) fn seek_later(&mut self) {
        self.seek_at = Instant::now() + LEASE;
    }

    /// The game could not go on: it is tried again later, here or elsewhere, and the later the more often in a row it
    /// has failed here. Until then nobody gets its lease.
    pub(super) async fn back_off(&mut self) {
        let pause = AGAIN * 2_u32.pow(self.failures.min(MOST_DOUBLINGS));
        self.failures = self.failures.saturating_add(1);
        self.turn = None;
        self.seek_at = Instant::now() + pause;
        if let Some(held) = self.held.take() {
            held.keep_for(pause).await;
        }
    }

    /// The lease was claimed for this table: the game goes on, unless it has just failed to.
    pub(super) async fn claimed(&mut self, held: HeldLease) {
        match self.seek_at.checked_duration_since(Instant::now()) {
            Some(pause) if self.failures > 0 => held.keep_for(pause).await,
            // The older one, should there be any, is worth nothing any more.
            _ => self.held = Some(held),
        }
    }

    /// Whether a computer would think if the table had the lease.
    pub(super) fn is_without_lease(&self) -> bool {
        self.wants_lease && self.held.is_none()
    }

    /// Asks for the lease where a computer is to think, and gives it back where none is.
    pub(super) async fn see_to_lease(&mut self) {
        if self.is_without_lease() && Instant::now() >= self.seek_at {
            match self.shared.archive.lease(&self.now.id, LEASE).await {
                Ok(LeaseResult::Granted(fence)) => {
                    self.hold(fence);
                    self.attend();
                }
                // They may be gone, and have renewed it just before.
                Ok(LeaseResult::Held) => self.seek_at = Instant::now() + AGAIN,
                Err(error) => {
                    tracing::warn!(id = %self.now.id, %error, "a computer waits for its game");
                    self.seek_later();
                }
            }
        } else if !self.wants_lease
            && self.thinking.is_none()
            && let Some(held) = self.held.take()
        {
            held.give_back(self.has_work()).await;
        }
    }

    /// Reads what another instance has written, unless it is known by now.
    pub(super) async fn catch_up(
        &mut self,
        standing: GameVersion,
        reply: Option<oneshot::Sender<Result<(), ServiceError>>>,
    ) {
        let mut answer = Ok(());
        if self.now.misses_rematch(&standing) {
            self.now.rematch.clone_from(&standing.rematch);
            self.publish();
        }
        if self.now.is_behind(&standing) {
            answer = self.reload().await;
            // Whoever wrote it goes on.
            self.seek_later();
        }
        match (reply, answer) {
            // Whoever asked may have gone.
            (Some(reply), answer) => drop(reply.send(answer)),
            (None, Ok(())) => {}
            (None, Err(error)) => {
                tracing::warn!(id = %self.now.id, %error, "what another server did is not known yet");
            }
        }
    }
}
