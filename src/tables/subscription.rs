//! Subscriptions to games: how a published snapshot reaches a client.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::sync::watch::error::RecvError;

use crate::seats::Credentials;
use crate::store::GameId;
use crate::tables::error::ServiceError;
use crate::tables::snapshot::Snapshot;
use crate::tables::state::Service;

/// A client's subscription to a game.
///
/// It returns a snapshot only if the client may see the game in it. So a client that loses its seat in a private game,
/// by whatever change and at whatever server, receives nothing from then on.
pub struct GameSubscription {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    credentials: Credentials,
}

impl GameSubscription {
    /// The credentials with which the client subscribed.
    #[must_use]
    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// The newest snapshot, which then counts as received.
    ///
    /// # Errors
    /// [`SightLost`] if the client may no longer see the game.
    pub fn receive(&mut self) -> Result<Arc<Snapshot>, SightLost> {
        let newest = Arc::clone(&self.snapshots.borrow_and_update());
        match newest.can_watch(&self.credentials) {
            true => Ok(newest),
            false => Err(SightLost {
                seats_revision: newest.seats.revision,
            }),
        }
    }

    /// Waits for a snapshot that was not received yet.
    ///
    /// # Errors
    /// If the table was unloaded: subscribe again.
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        self.snapshots.changed().await
    }
}

/// The client may no longer see the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SightLost {
    /// The revision of the seats, without the client's.
    pub seats_revision: u32,
}

impl Service {
    /// Subscribes a client to a game.
    ///
    /// The game stays loaded while the subscription exists. If the table ends nevertheless (the store failed, or the
    /// server stops), subscribe again.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn subscribe(
        &self,
        id: &GameId,
        credentials: &Credentials,
    ) -> Result<GameSubscription, ServiceError> {
        let handle = self.current_table(id).await?;
        handle.viewer_activity.record_view(None);
        Ok(GameSubscription {
            snapshots: handle.snapshots,
            credentials: *credentials,
        })
    }
}
