//! Watcher counts of other instances: once a second the instances that share a store exchange their counts.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::sleep;

use super::SubscriberRegistry;
use crate::store::{GameId, GameStore};

/// Interval of the exchange.
const EXCHANGE_INTERVAL: Duration = Duration::from_secs(1);

impl SubscriberRegistry {
    /// Exchanges watcher counts with other instances until shutdown.
    pub(in crate::web) async fn exchange_watcher_counts(&self, store: &dyn GameStore) {
        if !store.is_shared() {
            return;
        }
        let sharing = async {
            loop {
                sleep(EXCHANGE_INTERVAL).await;
                match store.exchange_watcher_counts(self.local_counts()).await {
                    Ok(remote) => self.apply_remote_counts(remote),
                    // The last known counts remain in effect; they are only displayed.
                    Err(error) => {
                        tracing::debug!(%error, "watcher counts of other instances are not available")
                    }
                }
            }
        };
        self.stop.run_until_cancelled(sharing).await;
    }

    /// The number of watchers per game at this instance.
    fn local_counts(&self) -> HashMap<GameId, u32> {
        let table = self.table();
        let counts = table.by_game.iter().filter_map(|(id, subscribers)| {
            let watchers = subscribers.counts().watchers;
            (watchers > 0).then(|| (id.clone(), watchers))
        });
        counts.collect()
    }

    fn apply_remote_counts(&self, remote_watchers: HashMap<GameId, u32>) {
        let mut table = self.table();
        if table.remote_watchers == remote_watchers {
            return;
        }
        table.remote_watchers = remote_watchers;
        for (id, subscribers) in &table.by_game {
            let now = table.remote_watchers(id);
            let before = std::mem::replace(&mut subscribers.counts().remote_watchers, now);
            if before != now {
                subscribers.publish_counts_debounced();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::web::client::Client;
    use crate::web::events::subscribers::{StreamLimits, SubscriberRole};

    #[tokio::test]
    async fn remote_watchers_are_counted_but_not_shared_again() {
        let registry = Arc::new(SubscriberRegistry::new(
            StreamLimits::default(),
            CancellationToken::new(),
        ));
        let (watched, unwatched) = (GameId::random(), GameId::random());
        let client = Client {
            address: Ipv4Addr::LOCALHOST.into(),
            secure: false,
        };
        let subscribe = |role| {
            registry
                .subscribe(&watched, &client, role)
                .expect("the limits are not reached")
        };
        let both = (
            subscribe(SubscriberRole::Watcher),
            subscribe(SubscriberRole::Player),
        );
        let remote = [(watched.clone(), 2), (unwatched.clone(), 5)];
        registry.apply_remote_counts(remote.into());
        assert_eq!(registry.watchers(&watched), 3);
        assert_eq!(registry.watchers(&unwatched), 5);
        assert_eq!(registry.local_counts(), [(watched.clone(), 1)].into());
        // A later subscriber sees the remote watchers immediately.
        drop(both);
        let later = subscribe(SubscriberRole::Watcher);
        assert_eq!(later.subscribers().watchers(), 3);
        registry.apply_remote_counts(HashMap::new());
        assert_eq!(registry.watchers(&watched), 1);
    }
}
