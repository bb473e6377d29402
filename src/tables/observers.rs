//! What happens to games, for the features that follow it. The games know none of them.
//!
//! The record is the truth: an observer that misses an event, because the server was killed, finds out later from the
//! stored games what it missed, and its module says how.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;

use super::snapshot::Snapshot;
use crate::games::dice_audit::DiceThrow;
use crate::seats::Seat;
use crate::store::GameId;

/// Called in the task of the game, one call after the other for each game; it must return at once.
#[async_trait]
pub trait GameObserver: Send + Sync + 'static {
    /// A game was loaded, or has changed: its entries, its seats or its dice. `before` are its seats before a change of
    /// seats.
    fn game_changed(&self, before: &[Seat], now: &Arc<Snapshot>) {
        let _ = (before, now);
    }

    /// A game has ended and is about to be published, or was loaded after its end: several calls may concern the same
    /// end.
    fn game_ended(&self, now: &Arc<Snapshot>) {
        let _ = now;
    }

    /// Dice were thrown here.
    fn dice_thrown(&self, game: &'static str, thrown: &DiceThrow) {
        let _ = (game, thrown);
    }

    /// The service is closed after this: the last chance to write something.
    async fn closing(&self) {}

    /// Another server has changed a game that is not in memory here.
    fn game_changed_elsewhere(&self, id: &GameId) {
        let _ = id;
    }
}

#[derive(Default)]
pub(super) struct Observers(RwLock<Vec<Arc<dyn GameObserver>>>);

impl Observers {
    pub(super) fn notify(&self, call: impl Fn(&dyn GameObserver)) {
        for observer in &*self.0.read() {
            call(&**observer);
        }
    }

    pub(super) fn add(&self, observer: Arc<dyn GameObserver>) {
        self.0.write().push(observer);
    }

    pub(super) fn take(&self) -> Vec<Arc<dyn GameObserver>> {
        std::mem::take(&mut *self.0.write())
    }
}
