//! Reviews of finished games, made in the background behind all turns of computers.
//!
//! Whoever asks makes the wish durable first, so a review that was not made when the server ended goes on
//! after its next start. It is made look by look, first at all decisions and then closer at those that cost
//! most, and kept when it is whole: nothing is ever half done. Everybody who looks at the game sees the same
//! review and how far it has come. The archive may forget reviews at any time: then they are asked for again.

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

/// How many reviews may be under way, those that wait included.
const MOST: usize = 64;

/// How many of them one network may have asked for.
const MOST_OF_ONE: usize = 3;

/// How many are made by turns.
const AT_ONCE: usize = 4;

/// What judging a decision is expected to take.
const EXPECTED: Duration = Duration::from_millis(100);

/// How far the review of a game has come.
#[derive(Clone, Debug)]
pub enum ReviewStatus {
    /// Nothing reviews such a game, or it goes on.
    Impossible,
    /// Nobody asked for it.
    Unasked,
    /// It waits or is being made.
    UnderWay(ReviewProgress),
    /// It is made.
    Made(Box<Review>),
}

/// How many decisions are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReviewProgress {
    /// So many.
    pub done: u32,
    /// Of so many.
    pub of: u32,
}

/// A review that waits or is being made.
struct ReviewJob {
    household: Option<ClientNetwork>,
    progress: watch::Receiver<ReviewProgress>,
}

/// The reviews that wait or are being made.
pub(super) struct ReviewJobs {
    jobs: Mutex<HashMap<GameId, ReviewJob>>,
    places: Semaphore,
}

impl ReviewJobs {
    pub(super) fn new() -> Self {
        ReviewJobs {
            jobs: Mutex::default(),
            places: Semaphore::new(AT_ONCE),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<GameId, ReviewJob>> {
        // Every change of the map is one call.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self, id: &GameId) -> Option<ReviewProgress> {
        self.jobs().get(id).map(|job| *job.progress.borrow())
    }
}

/// A review's place among those that are under way; dropping it gives the place back.
struct ReviewSlot {
    shared: Arc<ServiceState>,
    id: GameId,
    tell: watch::Sender<ReviewProgress>,
}

impl Drop for ReviewSlot {
    fn drop(&mut self) {
        self.shared.reviews.jobs().remove(&self.id);
    }
}

impl ServiceState {
    /// A place for the review of this game; `None` where it has one.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] when too many are under way.
    fn review_place(
        self: &Arc<Self>,
        id: &GameId,
        plan: &ReviewPlan,
        household: Option<ClientNetwork>,
    ) -> Result<Option<ReviewSlot>, ServiceError> {
        let mut jobs = self.reviews.jobs();
        if jobs.contains_key(id) {
            return Ok(None);
        }
        let own = jobs.values().filter(|job| job.household == household);
        if jobs.len() >= MOST || household.is_some() && own.count() >= MOST_OF_ONE {
            return Err(ServiceError::Busy);
        }
        let (tell, progress) = watch::channel(ReviewProgress {
            done: 0,
            of: plan.decisions,
        });
        jobs.insert(
            id.clone(),
            ReviewJob {
                household,
                progress,
            },
        );
        Ok(Some(ReviewSlot {
            shared: Arc::clone(self),
            id: id.clone(),
            tell,
        }))
    }
}

impl Service {
    /// How far the review of this game has come. One that is wanted and not under way goes on.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn review(&self, snapshot: &Snapshot) -> Result<ReviewStatus, ServiceError> {
        let (live, id) = (&snapshot.live, &snapshot.id);
        let Some(plan) = live.review_plan(None) else {
            return Ok(ReviewStatus::Impossible);
        };
        if let Some(progress) = self.shared.reviews.progress(id) {
            return Ok(ReviewStatus::UnderWay(progress));
        }
        let kept = self.shared.archive.review(id).await?;
        let Some(kept) = kept else {
            return Ok(ReviewStatus::Unasked);
        };
        if kept.is_wanted {
            // A server that was busy when it started takes it up now; one that is busy now, later.
            if let Ok(Some(place)) = self.shared.review_place(id, &plan, None) {
                self.make_review(Arc::clone(live), plan.clone(), place);
            }
            let nothing = ReviewProgress {
                done: 0,
                of: plan.decisions,
            };
            let progress = self.shared.reviews.progress(id).unwrap_or(nothing);
            return Ok(ReviewStatus::UnderWay(progress));
        }
        let review = kept
            .review
            .and_then(|text| serde_json::from_str(&text).ok());
        // What an earlier release wrote otherwise is asked for anew.
        Ok(review.map_or(ReviewStatus::Unasked, ReviewStatus::Made))
    }

    /// Asks for the review of a finished game; one that is made already is made again where another
    /// evaluation made it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where a game has no review, [`ServiceError::Busy`] when too many are
    /// under way, and when the archive fails.
    pub async fn ask_review(
        &self,
        snapshot: &Snapshot,
        claim: &Credentials,
    ) -> Result<ReviewStatus, ServiceError> {
        let id = &snapshot.id;
        let plan = snapshot.live.review_plan(None);
        let plan = plan.ok_or(ServiceError::NotFound)?;
        let known = self.review(snapshot).await?;
        match &known {
            ReviewStatus::Made(made) if made.by == plan.by => return Ok(known),
            ReviewStatus::Impossible | ReviewStatus::UnderWay(_) => return Ok(known),
            ReviewStatus::Made(_) | ReviewStatus::Unasked => {}
        }
        let place = self.shared.review_place(id, &plan, claim.household)?;
        if let Some(place) = place {
            // Whoever hangs up here stops waiting, never the work.
            let (service, live, plan) = (self.clone(), Arc::clone(&snapshot.live), plan.clone());
            let asked = self.shared.tasks.spawn(async move {
                let want = ReviewChange::Want(service.shared.machine.now_ms());
                let archive = &service.shared.archive;
                archive.change_review(&place.id, want).await?;
                service.make_review(live, plan, place);
                Ok::<_, StoreError>(())
            });
            asked.await.map_err(|_| ServiceError::Unavailable)??;
        }
        let nothing = ReviewProgress {
            done: 0,
            of: plan.decisions,
        };
        let progress = self.shared.reviews.progress(id).unwrap_or(nothing);
        Ok(ReviewStatus::UnderWay(progress))
    }

    /// Lets the reviews go on that were wanted when the server ended.
    pub async fn wake_reviews(&self) {
        let wanted = self.shared.archive.wanted_reviews(MOST as u32).await;
        let wanted = wanted.unwrap_or_else(|error| {
            tracing::warn!(%error, "wanted reviews cannot be listed");
            Vec::new()
        });
        for id in wanted {
            if self.shared.stop.is_cancelled() {
                return;
            }
            let begun = match self.snapshot_unloaded(&id).await {
                Ok(snapshot) => self.review(&snapshot).await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = begun {
                tracing::warn!(%id, %error, "a review could not go on");
            }
        }
    }

    fn make_review(&self, live: LiveGameRef, plan: ReviewPlan, place: ReviewSlot) {
        let shared = Arc::clone(&self.shared);
        self.shared.tasks.spawn(async move {
            let id = place.id.clone();
            let change = match made(&live, &plan, &place).await {
                Ok(review) => ReviewChange::Keep(review),
                // It is wanted still, and goes on after the next start.
                Err(ComputeError::Cancelled) => return,
                Err(ComputeError::Failed) => {
                    tracing::error!(%id, "a review could not be made");
                    ReviewChange::Unwant
                }
            };
            // A game that was removed meanwhile takes its review along.
            match shared.archive.change_review(&id, change).await {
                Ok(()) | Err(StoreError::NotFound) => {}
                Err(error) => tracing::warn!(%id, %error, "a review was not kept"),
            }
        });
    }
}

/// The review of a game, made decision by decision.
async fn made(
    live: &LiveGameRef,
    plan: &ReviewPlan,
    place: &ReviewSlot,
) -> Result<String, ComputeError> {
    let shared = &place.shared;
    let stop = &shared.stop;
    let cancelled = ComputeError::Cancelled;
    let turn = stop.run_until_cancelled(shared.reviews.places.acquire());
    let _turn = turn.await.ok_or(cancelled)?;
    let tell = |done| {
        place.tell.send_replace(ReviewProgress {
            done,
            of: plan.decisions,
        });
    };
    let mut judged = Vec::with_capacity(plan.decisions as usize);
    let mut expected = EXPECTED;
    for number in 0..plan.decisions {
        let (game, simulations) = (Arc::clone(live), plan.by.simulations);
        let work = move |stop: &StopToken| game.judge(number, simulations, stop);
        let one;
        (one, expected) = look(place, plan, expected, work).await?;
        judged.push(one);
        tell(plan.completed_decisions(number + 1, None));
    }
    let first = live.reviewed(plan.by.clone(), &judged);
    let looks = plan_reanalysis(&first.ok_or(ComputeError::Failed)?, &judged);
    let mut expected = EXPECTED;
    for (done, &closer) in looks.iter().enumerate() {
        let (game, simulations) = (Arc::clone(live), plan.closer);
        let Some(one) = judged.get_mut(closer.number as usize) else {
            return Err(ComputeError::Failed);
        };
        let before = one.clone();
        let work = move |stop: &StopToken| game.look_closer(closer, &before, simulations, stop);
        (*one, expected) = look(place, plan, expected, work).await?;
        tell(plan.completed_decisions(plan.decisions, Some((done + 1, looks.len()))));
    }
    if looks.is_empty() {
        tell(plan.decisions);
    }
    let review = live.reviewed(plan.by.clone(), &judged);
    let review = review.ok_or(ComputeError::Failed)?;
    serde_json::to_string(&review).map_err(|_| ComputeError::Failed)
}

/// One look, behind all turns: what came of it, and how long it took.
async fn look(
    place: &ReviewSlot,
    plan: &ReviewPlan,
    expected: Duration,
    work: impl FnOnce(&StopToken) -> Option<EvaluatedDecision> + Send + 'static,
) -> Result<(EvaluatedDecision, Duration), ComputeError> {
    let shared = &place.shared;
    let stop = &shared.stop;
    let wish = TurnRequest {
        game: place.id.clone(),
        payer: ComputeAccount::default(),
        threads: 1,
        bytes: plan.most_bytes,
        expected,
        attention: TurnPriority::Behind,
    };
    let ticket = stop.run_until_cancelled(shared.thinkers.ask_patiently(wish));
    let ticket = ticket.await.ok_or(ComputeError::Cancelled)?;
    let (judged, took, _) = ticket.think(stop, work).await?;
    Ok((judged.ok_or(ComputeError::Failed)?, took))
}
