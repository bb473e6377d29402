//! In-memory leases for stores that one process uses exclusively; they need not survive a restart.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::error::StoreError;
use super::id::GameId;
use super::lease::{AppendOptions, FencingToken, LeaseResult};
use super::stored_game::StoredEntry;
use crate::seats::{ComputerPace, Seat, SeatOccupant};

/// The current leases and the queue of due games.
#[derive(Debug, Default)]
pub struct LocalLeases(Mutex<LeaseTable>);

#[derive(Debug, Default)]
struct LeaseTable {
    by_game: HashMap<GameId, LeaseState>,
    /// The last number used, shared by fencing tokens and queue positions.
    last_number: u64,
}

#[derive(Clone, Copy, Debug)]
struct LeaseState {
    fence: FencingToken,
    until: Instant,
    due: Option<DueTime>,
}

/// When a game becomes due, and its position among games that become due at that time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct DueTime {
    at: Instant,
    number: u64,
}

impl LeaseTable {
    fn next(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// The due time after this time from `now`.
    fn due_after(&mut self, wait: Duration, now: Instant) -> DueTime {
        DueTime {
            at: now + wait,
            number: self.next(),
        }
    }

    fn is_free(&self, id: &GameId, now: Instant) -> bool {
        let leased = self.by_game.get(id);
        leased.is_none_or(|leased| leased.until <= now)
    }

    fn grant(&mut self, id: &GameId, until: Instant, due: Option<DueTime>) -> FencingToken {
        let fence = FencingToken(self.next());
        let leased = LeaseState { fence, until, due };
        self.by_game.insert(id.clone(), leased);
        fence
    }
}

impl LocalLeases {
    /// # Errors
    /// [`StoreError::Fenced`] if the entry's fencing token is not the newest.
    pub fn check_fence(&self, id: &GameId, options: AppendOptions) -> Result<(), StoreError> {
        let Some(fence) = options.fence else {
            return Ok(());
        };
        match self.0.lock().by_game.get(id) {
            Some(leased) if leased.fence == fence => Ok(()),
            _ => Err(StoreError::Fenced),
        }
    }

    /// Updates the lease after an append; returns the lease if one was requested and is available.
    pub fn record_append(
        &self,
        id: &GameId,
        is_last: bool,
        options: AppendOptions,
    ) -> Option<FencingToken> {
        let mut book = self.0.lock();
        if is_last || options.lease.is_none() && options.due.is_none() {
            book.by_game.remove(id);
            return None;
        }
        let now = Instant::now();
        let due = options.due.map(|wait| book.due_after(wait, now));
        // The lease may have expired and been granted again since the entry was admitted.
        let known = book.by_game.get_mut(id);
        let known = known.filter(|known| options.fence == Some(known.fence));
        if let (Some(fence), Some(time), Some(known)) = (options.fence, options.lease, known) {
            (known.until, known.due) = (now + time, due);
            return Some(fence);
        }
        match options.lease {
            Some(time) if book.is_free(id, now) => Some(book.grant(id, now + time, due)),
            _ => {
                let is_due_now = options.due == Some(Duration::ZERO);
                book.set_due(id, due, now);
                if options.lease.is_none()
                    && !is_due_now
                    && let Some(leased) = book.by_game.get_mut(id)
                {
                    leased.until = now;
                }
                None
            }
        }
    }

    /// Marks the game as possibly due.
    pub fn mark_possibly_due(&self, id: &GameId) {
        let (mut book, now) = (self.0.lock(), Instant::now());
        let due = book.due_after(Duration::ZERO, now);
        book.set_due(id, Some(due), now);
    }

    pub fn lease(&self, id: &GameId, time: Duration) -> LeaseResult {
        let (mut book, now) = (self.0.lock(), Instant::now());
        if !book.is_free(id, now) {
            return LeaseResult::HeldByOther;
        }
        let due = book.by_game.get(id).and_then(|leased| leased.due);
        LeaseResult::Granted(book.grant(id, now + time, due))
    }

    pub fn renew(&self, held: &[(GameId, FencingToken)], time: Duration) {
        let (mut book, now) = (self.0.lock(), Instant::now());
        for (id, fence) in held {
            if let Some(leased) = book.by_game.get_mut(id)
                && leased.fence == *fence
            {
                leased.until = now + time;
            }
        }
    }

    pub fn release(&self, id: &GameId, fence: FencingToken, due: Option<Duration>) {
        let (mut book, now) = (self.0.lock(), Instant::now());
        let Some(leased) = book.by_game.get(id).filter(|it| it.fence == fence) else {
            return;
        };
        let known = leased.due;
        let Some(wait) = due else {
            book.by_game.remove(id);
            return;
        };
        // A game that is due already keeps its place.
        let known = known.filter(|known| wait.is_zero() && known.at <= now);
        let due = known.unwrap_or_else(|| book.due_after(wait, now));
        if let Some(leased) = book.by_game.get_mut(id) {
            (leased.until, leased.due) = (now, Some(due));
        }
    }

    pub fn claim(&self, limit: u32, time: Duration) -> Vec<(GameId, FencingToken)> {
        let (mut book, now) = (self.0.lock(), Instant::now());
        let free = book.by_game.iter().filter_map(|(id, leased)| {
            let due = leased
                .due
                .filter(|due| due.at <= now && leased.until <= now)?;
            Some((due, id.clone()))
        });
        let mut free: Vec<_> = free.collect();
        free.sort_unstable_by_key(|(due, _)| *due);
        free.truncate(limit as usize);
        let claimed = free.into_iter().map(|(due, id)| {
            let fence = book.grant(&id, now + time, Some(due));
            (id, fence)
        });
        claimed.collect()
    }
}

impl LeaseTable {
    /// Sets whether a game is due, without changing its holder.
    fn set_due(&mut self, id: &GameId, due: Option<DueTime>, now: Instant) {
        match self.by_game.get_mut(id) {
            Some(leased) => leased.due = due,
            None => {
                self.grant(id, now, due);
            }
        }
    }
}

/// Whether a game with these seats may continue by itself, because a computer player moves or the time for a turn
/// runs out, as far as that can be told without the rules. Games of computers only continue when they are viewed.
pub fn can_continue(pace: ComputerPace, turn_s: Option<u32>, seats: &[Seat]) -> bool {
    let is_level = |seat: &Seat| matches!(seat.occupant, SeatOccupant::Level { .. });
    pace == ComputerPace::AtOnce
        && (turn_s.is_some() || seats.iter().any(is_level))
        && !seats.iter().all(is_level)
}

/// Whether this entry ends the game.
pub const fn is_last(entry: &StoredEntry) -> bool {
    match entry {
        StoredEntry::FinalPly(_) | StoredEntry::Ending(_) => true,
        StoredEntry::Ply(_) | StoredEntry::Takeback(_) | StoredEntry::Contribution(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(2);

    #[tokio::test(start_paused = true)]
    async fn an_entry_under_an_older_lease_does_not_renew_a_newer_one() {
        let (leases, id) = (LocalLeases::default(), GameId::random());
        let LeaseResult::Granted(older) = leases.lease(&id, TIME) else {
            panic!("the lease should be free");
        };
        let options = AppendOptions {
            fence: Some(older),
            due: Some(Duration::ZERO),
            lease: Some(TIME),
        };
        leases.check_fence(&id, options).unwrap();
        tokio::time::advance(TIME).await;
        let LeaseResult::Granted(newer) = leases.lease(&id, TIME) else {
            panic!("the lease should have expired");
        };
        tokio::time::advance(TIME / 2).await;
        assert_eq!(leases.record_append(&id, false, options), None);
        let options = AppendOptions {
            fence: Some(newer),
            ..options
        };
        leases.check_fence(&id, options).unwrap();
        tokio::time::advance(TIME / 2).await;
        assert_eq!(
            leases.claim(1, TIME).len(),
            1,
            "the newer lease expires at its original time"
        );
    }
}
