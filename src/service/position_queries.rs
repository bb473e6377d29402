//! Queries about positions outside any game.
//!
//! They are queued with the computers' turns and charged to the requester's account. The number of concurrent queries
//! per client network is bounded. A dropped request releases its slot: a queued query is removed, a running one is
//! asked to stop.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::client_network::{ClientNetwork, ComputeAccount};
use super::scheduler::{ComputeError, TurnPriority, TurnRequest};
use super::{Credentials, Service, ServiceError};
use crate::search::StopToken;
use crate::store::GameId;

/// Maximum concurrent queries per client network.
const MAX_PER_CLIENT: usize = 4;

/// The resources of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComputeDemand {
    pub threads: usize,
    /// Maximum memory in bytes.
    pub bytes: usize,
    pub expected: Duration,
}

/// The number of concurrent queries by client network.
#[derive(Clone, Default)]
pub(super) struct QueryLimiter(Arc<Mutex<HashMap<Option<ClientNetwork>, usize>>>);

/// A query's permit, released on drop.
struct QueryPermit {
    query_limiter: QueryLimiter,
    client_network: Option<ClientNetwork>,
}

impl QueryLimiter {
    fn counts(&self) -> MutexGuard<'_, HashMap<Option<ClientNetwork>, usize>> {
        // Every change of the map is one call, so a panic leaves it consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acquire_permit(
        &self,
        client_network: Option<ClientNetwork>,
    ) -> Result<QueryPermit, ServiceError> {
        let mut counts = self.counts();
        let count = counts.entry(client_network).or_default();
        if client_network.is_some_and(ClientNetwork::is_known) && *count >= MAX_PER_CLIENT {
            return Err(ServiceError::TooManyConcurrent);
        }
        *count += 1;
        drop(counts);
        Ok(QueryPermit {
            query_limiter: self.clone(),
            client_network,
        })
    }
}

impl Drop for QueryPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.query_limiter.counts().entry(self.client_network) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl Service {
    /// Runs a query in the compute queue. Dropping the future cancels it.
    ///
    /// # Errors
    /// [`ServiceError::TooManyConcurrent`] if the network's limit is reached, [`ServiceError::Busy`] if the queue is
    /// full, [`ServiceError::Unavailable`] if the server stops or the computation failed.
    pub async fn run_query<T: Send + 'static>(
        &self,
        credentials: &Credentials,
        demand: ComputeDemand,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let permit = self
            .shared
            .query_limiter
            .acquire_permit(credentials.client_network)?;
        let request = TurnRequest {
            // The query belongs to no game; the id is never looked up.
            game: GameId::random(),
            payer: ComputeAccount {
                client_network: credentials.client_network,
                creator: credentials.browser.or(credentials.token),
            },
            threads: demand.threads,
            bytes: demand.bytes,
            expected: demand.expected,
            priority: TurnPriority::Query,
        };
        let ticket = self.shared.scheduler.enqueue(request);
        let ticket = ticket.map_err(|_| ServiceError::Busy)?;
        let cancel = self.shared.stop.child_token();
        let cancel_on_drop = cancel.clone().drop_guard();
        let task = self.shared.tasks.spawn(async move {
            let result = ticket.run(&cancel, work).await;
            // The permit is held as long as the threads are.
            drop(permit);
            result
        });
        let result = task.await;
        cancel_on_drop.disarm();
        match result {
            Ok(Ok((answer, ..))) => Ok(answer),
            Ok(Err(ComputeError::Cancelled)) => Err(ServiceError::Unavailable),
            Ok(Err(ComputeError::Failed)) | Err(_) => {
                tracing::error!("a query's computation failed");
                Err(ServiceError::Unavailable)
            }
        }
    }
}
