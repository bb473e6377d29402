//! How much slow work is under way for each client network, and for all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client_network::ClientNetwork;

/// The most pieces of work that wait or are being done.
const MAX: usize = 64;

/// The most of them for one network.
const MAX_PER_NETWORK: usize = 8;

/// The permits that are out, by network.
#[derive(Default)]
pub(super) struct NetworkPermits(Mutex<HashMap<ClientNetwork, usize>>);

impl NetworkPermits {
    /// A permit, unless this network has enough of them or too many are out.
    pub(super) fn try_acquire(
        permits: &Arc<Self>,
        network: ClientNetwork,
    ) -> Option<NetworkPermit> {
        let mut out = permits.out();
        let own = out.get(&network).copied().unwrap_or(0);
        if network.is_known() && own >= MAX_PER_NETWORK || out.values().sum::<usize>() >= MAX {
            return None;
        }
        out.insert(network, own + 1);
        Some(NetworkPermit {
            permits: Arc::clone(permits),
            network,
        })
    }

    fn out(&self) -> MutexGuard<'_, HashMap<ClientNetwork, usize>> {
        // Every change of the map is one call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit; dropping it gives it back.
pub(super) struct NetworkPermit {
    permits: Arc<NetworkPermits>,
    network: ClientNetwork,
}

impl Drop for NetworkPermit {
    fn drop(&mut self) {
        let mut out = self.permits.out();
        if let Some(own) = out.get_mut(&self.network) {
            *own -= 1;
            if *own == 0 {
                out.remove(&self.network);
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
        ClientNetwork::of([192, 0, 2, number].into())
    }

    #[test]
    fn permits_are_bounded() {
        let permits = Arc::new(NetworkPermits::default());
        let all: Vec<_> = (0..=u8::MAX)
            .map_while(|number| NetworkPermits::try_acquire(&permits, network(number)))
            .collect();
        assert_eq!(all.len(), MAX);
        drop(all);
        assert!(permits.out().is_empty());
        let unknown = ClientNetwork::of(std::net::Ipv6Addr::UNSPECIFIED.into());
        let many: Vec<_> = (0..=MAX_PER_NETWORK)
            .map_while(|_| NetworkPermits::try_acquire(&permits, unknown))
            .collect();
        assert_eq!(many.len(), MAX_PER_NETWORK + 1);
    }

    #[tokio::test]
    async fn one_network_leaves_room_for_others() {
        let archive = Arc::new(MemoryStore::new());
        let settings = ServiceSettings {
            thinkers: 1,
            ..ServiceSettings::default()
        };
        let service = Service::new(Registry::builtin(), archive, settings);
        let permits = &service.shared.permits;
        let expected = Duration::from_secs(1);
        let (go_on, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let mut waiting = Vec::new();
        for _ in 0..MAX_PER_NETWORK {
            let (service, held) = (service.clone(), Arc::clone(&held));
            let work = move || held.lock().unwrap().recv().unwrap();
            let asked = async move { service.in_turn(network(1), expected, work).await };
            waiting.push(tokio::spawn(asked));
        }
        while permits.out().get(&network(1)) != Some(&MAX_PER_NETWORK) {
            tokio::task::yield_now().await;
        }
        let refused = service.in_turn(network(1), expected, || ()).await;
        assert!(matches!(refused, Err(ServiceError::Busy)));
        // Whoever hangs up keeps the permit until the work is done.
        waiting.remove(0).abort();
        // Another network comes after the work that has begun, and before all other.
        let other = service.clone();
        let other = tokio::spawn(async move { other.in_turn(network(2), expected, || ()).await });
        while !permits.out().contains_key(&network(2)) {
            tokio::task::yield_now().await;
        }
        assert_eq!(permits.out().get(&network(1)), Some(&MAX_PER_NETWORK));
        go_on.send(()).unwrap();
        assert!(other.await.unwrap().is_ok());
        assert!(!waiting.iter().all(tokio::task::JoinHandle::is_finished));
        for _ in 1..MAX_PER_NETWORK {
            go_on.send(()).unwrap();
        }
        for one in waiting {
            assert!(one.await.unwrap().is_ok());
        }
        assert!(permits.out().is_empty());
    }
}
