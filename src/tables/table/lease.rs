//! The lease of a table's game: a computer only runs where the table holds the lease, and its ply is only stored while
//! no other instance has acquired it.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::TableActor;
use crate::games::LiveGameRef;
use crate::seats::ComputerPace;
use crate::store::{self, FencingToken, GameVersion, LeaseResult};
use crate::tables::error::ServiceError;
use crate::tables::leases::{HeldLease, LEASE_DURATION};
use crate::tables::snapshot::Snapshot;

/// Delay before the next request for a lease that another instance holds, and after a first failure.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Maximum doublings of the delay after consecutive failures: about one minute.
const MAX_DOUBLINGS: u32 = 7;

impl TableActor {
    /// The store options of an entry that leads to the state `next`.
    pub(super) fn append_options(
        &self,
        next: &LiveGameRef,
        fence: Option<FencingToken>,
    ) -> store::AppendOptions {
        let mut next_state = self.current.clone();
        next_state.live = next.clone();
        let computer_moves =
            next_state.pace == ComputerPace::AtOnce && next_state.computer_to_move().is_some();
        let due = self.due_after(&next_state);
        // The server moves for a person whose time has run out, as for a computer.
        let is_overdue = due == Some(Duration::ZERO) && !next_state.live.is_at_limit();
        let moves_now = computer_moves || is_overdue;
        store::AppendOptions {
            fence,
            due,
            lease: moves_now.then_some(LEASE_DURATION),
        }
    }

    /// After which time the game continues without viewers: a computer moves or the limit on entries is reached now,
    /// or the time before the start, for the turn of a person or for a reveal runs out. `None` if it waits.
    pub(in crate::tables) fn due_after(&self, state: &Snapshot) -> Option<Duration> {
        if state.continues_by_itself() {
            return Some(Duration::ZERO);
        }
        // A game with a clock takes no entropy.
        let reveal_ms = || state.reveal_deadline().map(|(_, deadline_ms)| deadline_ms);
        let deadline_ms = state.starts_ms().or_else(|| state.turn_deadline_ms());
        let deadline_ms = deadline_ms.or_else(reveal_ms)?;
        let left_ms = deadline_ms.saturating_sub(self.known_ms());
        Some(Duration::from_millis(left_ms.try_into().unwrap_or(0)))
    }

    /// The time by which the turns of people are measured.
    pub(super) fn known_ms(&self) -> i64 {
        let now_ms = self.shared.environment.now_ms();
        self.shared.served.known_ms(now_ms)
    }

    /// Records the lease that the store granted with an entry.
    pub(super) fn record_lease(
        &mut self,
        options: store::AppendOptions,
        granted: Option<FencingToken>,
    ) {
        match granted {
            Some(fence) => self.set_lease(fence),
            // The store has released it.
            None if options.lease.is_none() => self.lease = None,
            None => self.retry_lease_later(),
        }
    }

    pub(super) fn set_lease(&mut self, fence: FencingToken) {
        if self.lease.as_ref().map(HeldLease::fence) != Some(fence) {
            self.lease = Some(HeldLease::new(&self.shared.leases, &self.current.id, fence));
        }
    }

    /// Another instance holds the lease: retries once that lease may have expired.
    pub(super) fn retry_lease_later(&mut self) {
        self.lease_retry_at = Instant::now() + LEASE_DURATION;
    }

    /// Delays the next attempt after a failure, exponentially in the number of consecutive failures. Until then no
    /// instance gets the lease.
    pub(super) async fn back_off(&mut self) {
        let pause = RETRY_DELAY * 2_u32.pow(self.failures.min(MAX_DOUBLINGS));
        self.failures = self.failures.saturating_add(1);
        self.turn = None;
        self.lease_retry_at = Instant::now() + pause;
        if let Some(lease) = self.lease.take() {
            lease.keep_for(pause).await;
        }
    }

    /// Takes a lease that was claimed for this table, unless the game has just failed.
    pub(super) async fn accept_claimed_lease(&mut self, lease: HeldLease) {
        match self.lease_retry_at.checked_duration_since(Instant::now()) {
            Some(pause) if self.failures > 0 => lease.keep_for(pause).await,
            // This replaces an older lease, which is no longer valid.
            _ => self.lease = Some(lease),
        }
    }

    /// Whether a computer is to move and only the lease is missing.
    pub(super) fn needs_lease(&self) -> bool {
        self.wants_lease && self.lease.is_none()
    }

    /// Requests the lease if a computer is to move, and releases it otherwise.
    pub(super) async fn update_lease(&mut self) {
        if self.needs_lease() && Instant::now() >= self.lease_retry_at {
            match self
                .shared
                .store
                .lease(&self.current.id, LEASE_DURATION)
                .await
            {
                Ok(LeaseResult::Granted(fence)) => {
                    self.set_lease(fence);
                    self.schedule_computer();
                }
                // The holder may have died just after a renewal.
                Ok(LeaseResult::HeldByOther) => self.lease_retry_at = Instant::now() + RETRY_DELAY,
                Err(error) => {
                    tracing::warn!(id = %self.current.id, %error, "a game's lease could not be requested");
                    self.retry_lease_later();
                }
            }
        } else if !self.wants_lease
            && self.pending_move.is_none()
            && let Some(lease) = self.lease.take()
        {
            lease.release(self.due_after(&self.current)).await;
        }
    }

    /// Loads what another instance has written, unless this table has it already.
    pub(super) async fn catch_up(
        &mut self,
        version: GameVersion,
        reply: Option<oneshot::Sender<Result<(), ServiceError>>>,
    ) {
        let mut result = Ok(());
        if self.current.misses_rematch(&version) {
            self.current.rematch.clone_from(&version.rematch);
            self.publish();
        }
        if self.current.is_behind(&version) {
            result = self.reload().await;
            // The writer continues the game.
            self.retry_lease_later();
        }
        match (reply, result) {
            // The receiver may be gone.
            (Some(reply), result) => drop(reply.send(result)),
            (None, Ok(())) => {}
            (None, Err(error)) => {
                tracing::warn!(id = %self.current.id, %error, "another instance's changes could not be loaded");
            }
        }
    }
}
