//! Questions about positions that belong to no table.
//!
//! They wait in the queue of computers' turns, in the name of whoever asks. How many of one network wait or
//! are thought about at once is bounded. Whoever hangs up gives the place back: what waits leaves the queue,
//! and what is thought about is asked to come to an end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::client_network::{ClientNetwork, ComputeAccount};
use super::scheduler::{ComputeError, TurnPriority, TurnRequest};
use super::{Credentials, Service, ServiceError};
use crate::search::StopToken;
use crate::store::GameId;

/// How many questions of one network may wait or be thought about at the same time.
const MOST_AT_ONCE: usize = 4;

/// What answering a question takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComputeDemand {
    /// On how many threads it is thought about.
    pub threads: usize,
    /// How many bytes may be remembered meanwhile, at most.
    pub bytes: usize,
    /// About how long it takes.
    pub expected: Duration,
}

/// How many questions of each network wait or are thought about.
#[derive(Clone, Default)]
pub(super) struct QueryLimiter(Arc<Mutex<HashMap<Option<ClientNetwork>, usize>>>);

/// A question's place; dropping it gives the place back.
struct QueryPermit {
    questions: QueryLimiter,
    of: Option<ClientNetwork>,
}

impl QueryLimiter {
    fn counts(&self) -> MutexGuard<'_, HashMap<Option<ClientNetwork>, usize>> {
        // Numbers are never half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, of: Option<ClientNetwork>) -> Result<QueryPermit, ServiceError> {
        let mut counts = self.counts();
        let count = counts.entry(of).or_default();
        if of.is_some_and(ClientNetwork::is_known) && *count >= MOST_AT_ONCE {
            return Err(ServiceError::TooMuchAtOnce);
        }
        *count += 1;
        drop(counts);
        Ok(QueryPermit {
            questions: self.clone(),
            of,
        })
    }
}

impl Drop for QueryPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.questions.counts().entry(self.of) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl Service {
    /// Thinks about a question as soon as it is its turn in the queue. Dropping the future gives its place
    /// back.
    ///
    /// # Errors
    /// [`ServiceError::TooMuchAtOnce`] when this network asks for too much at once, [`ServiceError::Busy`]
    /// when the queue is full, [`ServiceError::Unavailable`] when the server ends or the thinking failed.
    pub async fn think<T: Send + 'static>(
        &self,
        claim: &Credentials,
        takes: ComputeDemand,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let place = self.shared.questions.place(claim.household)?;
        let wish = TurnRequest {
            // A question belongs to no table: nothing looks for it by this id.
            game: GameId::random(),
            payer: ComputeAccount {
                household: claim.household,
                creator: claim.browser.or(claim.token),
            },
            threads: takes.threads,
            bytes: takes.bytes,
            expected: takes.expected,
            attention: TurnPriority::Question,
        };
        let ticket = self.shared.thinkers.ask(wish);
        let ticket = ticket.map_err(|_| ServiceError::Busy)?;
        let cancel = self.shared.stop.child_token();
        let hung_up = cancel.clone().drop_guard();
        let thinking = self.shared.tasks.spawn(async move {
            let thought = ticket.think(&cancel, work).await;
            // Until here its threads are taken, so its place is, too.
            drop(place);
            thought
        });
        let thought = thinking.await;
        hung_up.disarm();
        match thought {
            Ok(Ok((answer, ..))) => Ok(answer),
            Ok(Err(ComputeError::Cancelled)) => Err(ServiceError::Unavailable),
            Ok(Err(ComputeError::Failed)) | Err(_) => {
                tracing::error!("a question was not thought about to the end");
                Err(ServiceError::Unavailable)
            }
        }
    }
}
