//! The recent views of a table.

use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::client_network::ClientNetwork;

/// The time of the last view, and the client network that is charged for the game's computers.
#[derive(Debug, Default)]
pub(super) struct ViewerActivity {
    last: Mutex<Option<Instant>>,
    client_network: OnceLock<ClientNetwork>,
    viewed: Notify,
}

impl ViewerActivity {
    /// Records a view. The first known client network remains the one that is charged.
    pub(super) fn record_view(&self, client_network: Option<ClientNetwork>) {
        if let Some(client_network) = client_network {
            self.client_network.get_or_init(|| client_network);
        }
        *self.last.lock() = Some(Instant::now());
        self.viewed.notify_one();
    }

    /// Whether there was a view within this time before `now`.
    pub(super) fn is_recent(&self, within: Duration, now: Instant) -> bool {
        let last = *self.last.lock();
        last.is_some_and(|last| now.saturating_duration_since(last) < within)
    }

    /// The client network that is charged, once known.
    pub(super) fn billed_client_network(&self) -> Option<ClientNetwork> {
        self.client_network.get().copied()
    }

    /// Waits for the next view; returns at once if there was one since the last call.
    pub(super) async fn next_view(&self) {
        self.viewed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_expire_and_the_first_client_network_is_charged() {
        let viewer_activity = ViewerActivity::default();
        let minute = Duration::from_secs(60);
        assert!(
            !viewer_activity.is_recent(minute, Instant::now()),
            "no views yet"
        );
        let before = Instant::now();
        viewer_activity.record_view(None);
        let after = Instant::now();
        assert_eq!(viewer_activity.billed_client_network(), None);
        assert!(viewer_activity.is_recent(minute, before + Duration::from_secs(59)));
        assert!(!viewer_activity.is_recent(minute, after + minute));
        let [first, second] = [1, 2].map(|host| ClientNetwork::from_ip([192, 0, 2, host].into()));
        viewer_activity.record_view(Some(first));
        viewer_activity.record_view(Some(second));
        assert_eq!(viewer_activity.billed_client_network(), Some(first));
    }
}
