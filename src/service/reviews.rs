//! Reviews of finished games, computed as background work.
//!
//! The request is stored first, so a review that a shutdown interrupts is resumed after the next start. It is computed
//! decision by decision: first all decisions, then a reanalysis of the most costly ones. Only complete reviews are
//! stored. All viewers of a game see the same review and its progress. The store may evict reviews at any time; they
//! can be requested again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::client_network::{ClientNetwork, ComputeAccount};
use super::scheduler::{ComputeError, TurnPriority, TurnRequest};
use super::{Credentials, Service, ServiceError, ServiceState, Snapshot};
use crate::game_adapters::LiveGameRef;
use crate::game_adapters::review::ReviewPlan;
use crate::review::{EvaluatedDecision, Review, plan_reanalysis};
use crate::search::StopToken;
use crate::store::{GameId, ReviewChange, StoreError};

/// Maximum number of reviews in progress, including queued ones.
const MAX_JOBS: usize = 64;

/// Maximum of them per client network.
const MAX_JOBS_PER_CLIENT: usize = 3;

/// How many are computed concurrently.
const MAX_CONCURRENT: usize = 4;

/// Expected duration of analysing a decision.
const EXPECTED_DURATION: Duration = Duration::from_millis(100);

/// The status of a game's review.
#[derive(Clone, Debug)]
pub enum ReviewStatus {
    /// No evaluator reviews this game, or it is in progress.
    NotReviewable,
    NotRequested,
    /// It is queued or being computed.
    InProgress(ReviewProgress),
    Ready(Box<Review>),
}

/// Progress in analysed decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReviewProgress {
    pub done: u32,
    /// The total.
    pub of: u32,
}

/// A queued or running review.
struct ReviewJob {
    client_network: Option<ClientNetwork>,
    progress: watch::Receiver<ReviewProgress>,
}

/// The queued and running reviews.
pub(super) struct ReviewJobs {
    jobs: Mutex<HashMap<GameId, ReviewJob>>,
    slots: Semaphore,
}

impl ReviewJobs {
    pub(super) fn new() -> Self {
        ReviewJobs {
            jobs: Mutex::default(),
            slots: Semaphore::new(MAX_CONCURRENT),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<GameId, ReviewJob>> {
        // Every change of the map is one call, so a panic leaves it consistent.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self, id: &GameId) -> Option<ReviewProgress> {
        self.jobs().get(id).map(|job| *job.progress.borrow())
    }
}

/// A slot among the reviews in progress, released on drop.
struct ReviewSlot {
    shared: Arc<ServiceState>,
    id: GameId,
    progress_sender: watch::Sender<ReviewProgress>,
}

impl Drop for ReviewSlot {
    fn drop(&mut self) {
        self.shared.reviews.jobs().remove(&self.id);
    }
}

impl ServiceState {
    /// Acquires a slot for the review of this game; `None` if it has one.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] if too many reviews are in progress.
    fn acquire_slot(
        self: &Arc<Self>,
        id: &GameId,
        plan: &ReviewPlan,
        client_network: Option<ClientNetwork>,
    ) -> Result<Option<ReviewSlot>, ServiceError> {
        let mut jobs = self.reviews.jobs();
        if jobs.contains_key(id) {
            return Ok(None);
        }
        let own = jobs
            .values()
            .filter(|job| job.client_network == client_network);
        let is_known = client_network.is_some_and(ClientNetwork::is_known);
        if jobs.len() >= MAX_JOBS || is_known && own.count() >= MAX_JOBS_PER_CLIENT {
            return Err(ServiceError::Busy);
        }
        let (progress_sender, progress) = watch::channel(ReviewProgress {
            done: 0,
            of: plan.decisions,
        });
        jobs.insert(
            id.clone(),
            ReviewJob {
                client_network,
                progress,
            },
        );
        Ok(Some(ReviewSlot {
            shared: Arc::clone(self),
            id: id.clone(),
            progress_sender,
        }))
    }
}

impl Service {
    /// The status of this game's review. A requested one that is not in progress is resumed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn review(&self, snapshot: &Snapshot) -> Result<ReviewStatus, ServiceError> {
        let (live, id) = (&snapshot.live, &snapshot.id);
        let Some(plan) = live.review_plan(None) else {
            return Ok(ReviewStatus::NotReviewable);
        };
        if let Some(progress) = self.shared.reviews.progress(id) {
            return Ok(ReviewStatus::InProgress(progress));
        }
        let stored = self.shared.store.review(id).await?;
        let Some(stored) = stored else {
            return Ok(ReviewStatus::NotRequested);
        };
        if stored.is_wanted {
            // A review that was not resumed at the start is resumed now, or later if the server is busy.
            if let Ok(Some(slot)) = self.shared.acquire_slot(id, &plan, None) {
                self.spawn_review(Arc::clone(live), plan.clone(), slot);
            }
            let no_progress = ReviewProgress {
                done: 0,
                of: plan.decisions,
            };
            let progress = self.shared.reviews.progress(id).unwrap_or(no_progress);
            return Ok(ReviewStatus::InProgress(progress));
        }
        let review = stored
            .review
            .and_then(|text| serde_json::from_str(&text).ok());
        // A review in the format of an earlier release must be requested again.
        Ok(review.map_or(ReviewStatus::NotRequested, ReviewStatus::Ready))
    }

    /// Requests the review of a finished game. An existing review is computed again if another evaluator made it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] if the game cannot be reviewed, [`ServiceError::Busy`] if too many reviews are in
    /// progress, and if the store fails.
    pub async fn request_review(
        &self,
        snapshot: &Snapshot,
        credentials: &Credentials,
    ) -> Result<ReviewStatus, ServiceError> {
        let id = &snapshot.id;
        let plan = snapshot.live.review_plan(None);
        let plan = plan.ok_or(ServiceError::NotFound)?;
        let known = self.review(snapshot).await?;
        match &known {
            ReviewStatus::Ready(made) if made.by == plan.evaluator => return Ok(known),
            ReviewStatus::NotReviewable | ReviewStatus::InProgress(_) => return Ok(known),
            ReviewStatus::Ready(_) | ReviewStatus::NotRequested => {}
        }
        let slot = self
            .shared
            .acquire_slot(id, &plan, credentials.client_network)?;
        if let Some(slot) = slot {
            // A dropped request does not stop the work.
            let (service, live, plan) = (self.clone(), Arc::clone(&snapshot.live), plan.clone());
            let request = self.shared.tasks.spawn(async move {
                let change = ReviewChange::Request(service.shared.environment.now_ms());
                let store = &service.shared.store;
                store.change_review(&slot.id, change).await?;
                service.spawn_review(live, plan, slot);
                Ok::<_, StoreError>(())
            });
            request.await.map_err(|_| ServiceError::Unavailable)??;
        }
        let no_progress = ReviewProgress {
            done: 0,
            of: plan.decisions,
        };
        let progress = self.shared.reviews.progress(id).unwrap_or(no_progress);
        Ok(ReviewStatus::InProgress(progress))
    }

    /// Resumes the reviews that were requested before the last shutdown.
    pub async fn resume_reviews(&self) {
        let requested = self.shared.store.pending_reviews(MAX_JOBS as u32).await;
        let requested = requested.unwrap_or_else(|error| {
            tracing::warn!(%error, "requested reviews could not be listed");
            Vec::new()
        });
        for id in requested {
            if self.shared.stop.is_cancelled() {
                return;
            }
            let resumed = match self.snapshot_unloaded(&id).await {
                Ok(snapshot) => self.review(&snapshot).await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = resumed {
                tracing::warn!(%id, %error, "a review could not be resumed");
            }
        }
    }

    fn spawn_review(&self, live: LiveGameRef, plan: ReviewPlan, slot: ReviewSlot) {
        let shared = Arc::clone(&self.shared);
        self.shared.tasks.spawn(async move {
            let id = slot.id.clone();
            let change = match run_review(&live, &plan, &slot).await {
                Ok(review) => ReviewChange::Store(review),
                // It remains requested and is resumed after the next start.
                Err(ComputeError::Cancelled) => return,
                Err(ComputeError::Failed) => {
                    tracing::error!(%id, "a review could not be computed");
                    ReviewChange::Cancel
                }
            };
            // The game may have been deleted with its review.
            match shared.store.change_review(&id, change).await {
                Ok(()) | Err(StoreError::NotFound) => {}
                Err(error) => tracing::warn!(%id, %error, "a review was not stored"),
            }
        });
    }
}

/// Computes the review of a game, decision by decision.
async fn run_review(
    live: &LiveGameRef,
    plan: &ReviewPlan,
    slot: &ReviewSlot,
) -> Result<String, ComputeError> {
    let shared = &slot.shared;
    let stop = &shared.stop;
    let cancelled = ComputeError::Cancelled;
    let permit = stop.run_until_cancelled(shared.reviews.slots.acquire());
    let _permit = permit.await.ok_or(cancelled)?;
    let report = |done| {
        slot.progress_sender.send_replace(ReviewProgress {
            done,
            of: plan.decisions,
        });
    };
    let mut evaluated = Vec::with_capacity(plan.decisions as usize);
    let mut expected = EXPECTED_DURATION;
    for number in 0..plan.decisions {
        let (game, simulations) = (Arc::clone(live), plan.evaluator.simulations);
        let work = move |stop: &StopToken| game.evaluate_decision(number, simulations, stop);
        let decision;
        (decision, expected) = analyse_decision(slot, plan, expected, work).await?;
        evaluated.push(decision);
        report(plan.completed_decisions(number + 1, None));
    }
    let first = live.combine_decisions(plan.evaluator.clone(), &evaluated);
    let targets = plan_reanalysis(&first.ok_or(ComputeError::Failed)?, &evaluated);
    let mut expected = EXPECTED_DURATION;
    for (done, &closer) in targets.iter().enumerate() {
        let (game, simulations) = (Arc::clone(live), plan.reanalysis_simulations);
        let Some(decision) = evaluated.get_mut(closer.number as usize) else {
            return Err(ComputeError::Failed);
        };
        let before = decision.clone();
        let work = move |stop: &StopToken| game.reanalyse(closer, &before, simulations, stop);
        (*decision, expected) = analyse_decision(slot, plan, expected, work).await?;
        report(plan.completed_decisions(plan.decisions, Some((done + 1, targets.len()))));
    }
    if targets.is_empty() {
        report(plan.decisions);
    }
    let review = live.combine_decisions(plan.evaluator.clone(), &evaluated);
    let review = review.ok_or(ComputeError::Failed)?;
    serde_json::to_string(&review).map_err(|_| ComputeError::Failed)
}

/// Analyses one decision as background work; returns the result and its duration.
async fn analyse_decision(
    slot: &ReviewSlot,
    plan: &ReviewPlan,
    expected: Duration,
    work: impl FnOnce(&StopToken) -> Option<EvaluatedDecision> + Send + 'static,
) -> Result<(EvaluatedDecision, Duration), ComputeError> {
    let shared = &slot.shared;
    let stop = &shared.stop;
    let request = TurnRequest {
        game: slot.id.clone(),
        payer: ComputeAccount::default(),
        threads: 1,
        bytes: plan.max_bytes,
        expected,
        priority: TurnPriority::Background,
    };
    let ticket = stop.run_until_cancelled(shared.scheduler.enqueue_when_free(request));
    let ticket = ticket.await.ok_or(ComputeError::Cancelled)?;
    let (evaluated, elapsed, _) = ticket.run(stop, work).await?;
    Ok((evaluated.ok_or(ComputeError::Failed)?, elapsed))
}
