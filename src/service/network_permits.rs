//! Limits on concurrent slow work, per client network and in total.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client_network::ClientNetwork;

/// Maximum permits in total.
const MAX_PERMITS: usize = 64;

/// Maximum permits per network.
const MAX_PER_NETWORK: usize = 8;

/// The number of issued permits by network.
#[derive(Default)]
pub(super) struct NetworkPermits(Mutex<HashMap<ClientNetwork, usize>>);

impl NetworkPermits {
    /// A permit, unless a limit is reached.
    pub(super) fn try_acquire(
        permits: &Arc<Self>,
        network: ClientNetwork,
    ) -> Option<NetworkPermit> {
        let mut issued = permits.issued();
        let own = issued.get(&network).copied().unwrap_or(0);
        if network.is_known() && own >= MAX_PER_NETWORK
            || issued.values().sum::<usize>() >= MAX_PERMITS
        {
            return None;
        }
        issued.insert(network, own + 1);
        Some(NetworkPermit {
            permits: Arc::clone(permits),
            network,
        })
    }

    fn issued(&self) -> MutexGuard<'_, HashMap<ClientNetwork, usize>> {
        // Every change of the map is one call, so a panic leaves it consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit, released on drop.
pub(super) struct NetworkPermit {
    permits: Arc<NetworkPermits>,
    network: ClientNetwork,
}

impl Drop for NetworkPermit {
    fn drop(&mut self) {
        let mut issued = self.permits.issued();
        if let Some(own) = issued.get_mut(&self.network) {
            *own -= 1;
            if *own == 0 {
                issued.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game_adapters::Registry;
    use crate::service::{Service, ServiceError, ServiceSettings};
    use crate::store::memory::MemoryStore;

    fn network(number: u8) -> ClientNetwork {
        ClientNetwork::from_ip([192, 0, 2, number].into())
    }

    #[test]
    fn permits_are_bounded() {
        let permits = Arc::new(NetworkPermits::default());
        let all: Vec<_> = (0..=u8::MAX)
            .map_while(|number| NetworkPermits::try_acquire(&permits, network(number)))
            .collect();
        assert_eq!(all.len(), MAX_PERMITS);
        drop(all);
        assert!(permits.issued().is_empty());
        let unknown = ClientNetwork::from_ip(std::net::Ipv6Addr::UNSPECIFIED.into());
        let many: Vec<_> = (0..=MAX_PER_NETWORK)
            .map_while(|_| NetworkPermits::try_acquire(&permits, unknown))
            .collect();
        assert_eq!(many.len(), MAX_PER_NETWORK + 1);
    }

    #[tokio::test]
    async fn one_network_leaves_capacity_for_others() {
        let store = Arc::new(MemoryStore::new());
        let settings = ServiceSettings {
            compute_threads: 1,
            ..ServiceSettings::default()
        };
        let service = Service::new(Registry::builtin(), store, settings);
        let permits = &service.shared.permits;
        let expected = Duration::from_secs(1);
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let blocked = Arc::new(Mutex::new(blocked));
        let mut waiting = Vec::new();
        for _ in 0..MAX_PER_NETWORK {
            let (service, blocked) = (service.clone(), Arc::clone(&blocked));
            let work = move || blocked.lock().unwrap().recv().unwrap();
            let request = async move { service.run_queued(network(1), expected, work).await };
            waiting.push(tokio::spawn(request));
        }
        while permits.issued().get(&network(1)) != Some(&MAX_PER_NETWORK) {
            tokio::task::yield_now().await;
        }
        let rejected = service.run_queued(network(1), expected, || ()).await;
        assert!(matches!(rejected, Err(ServiceError::Busy)));
        // A dropped request keeps its permit until the work is done.
        waiting.remove(0).abort();
        // Another network's work runs right after the work that has started.
        let other = service.clone();
        let other =
            tokio::spawn(async move { other.run_queued(network(2), expected, || ()).await });
        while !permits.issued().contains_key(&network(2)) {
            tokio::task::yield_now().await;
        }
        assert_eq!(permits.issued().get(&network(1)), Some(&MAX_PER_NETWORK));
        release.send(()).unwrap();
        assert!(other.await.unwrap().is_ok());
        assert!(!waiting.iter().all(tokio::task::JoinHandle::is_finished));
        for _ in 1..MAX_PER_NETWORK {
            release.send(()).unwrap();
        }
        for task in waiting {
            assert!(task.await.unwrap().is_ok());
        }
        assert!(permits.issued().is_empty());
    }
}
