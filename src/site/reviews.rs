//! Reviews of finished games, computed as background work.
//!
//! The request is stored first, so a review that a shutdown interrupts is resumed after the next start. It is computed
//! decision by decision: first all decisions, then a reanalysis of the most costly ones. Only complete reviews are
//! stored. All viewers of a game see the same review and its progress. The store may evict reviews at any time; they
//! can be requested again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;

pub mod rows;

use super::shared::app::{App, FeatureState};
use crate::games::LiveGameRef;
use crate::games::review::ReviewPlan;
use crate::review::{EvaluatedDecision, Review, ShareBreakdown, plan_reanalysis};
use crate::search::StopToken;
use crate::seats::Credentials;
use crate::store::{GameId, StoreError};
use crate::tables::{
    ComputeAccount, ComputeDemand, JobKind, JobStatus, JoinedJob, ServiceError, SharedJob,
    SharedJobs, Snapshot,
};
use rows::ReviewChange;

/// Expected duration of analysing a decision.
const EXPECTED_DURATION: Duration = Duration::from_millis(100);

/// The status of a requested review.
pub(super) type ReviewStatus = JobStatus<Box<Review>>;

type ReviewJob = SharedJob<GameId, Box<Review>>;

/// The reviews in progress. Nobody waits for their results: pages look for stored reviews.
struct ReviewJobs(Arc<SharedJobs<GameId, Box<Review>>>);

impl FeatureState for ReviewJobs {
    fn new(app: &App) -> Self {
        ReviewJobs(SharedJobs::new(app.service.jobs(), JobKind::Review))
    }
}

/// The number of games whose breakdowns are kept.
const CACHED_BREAKDOWNS: usize = 2_000;

/// What reviews say about the players of games, one for each player.
struct Breakdowns(Cache<GameId, Arc<[ShareBreakdown]>>);

impl FeatureState for Breakdowns {
    fn new(_: &App) -> Self {
        Breakdowns(Cache::new(CACHED_BREAKDOWNS))
    }
}

/// What the reviews of these games say about each player; without games that are not reviewed.
///
/// # Errors
/// If the store fails.
pub(super) async fn breakdowns(
    app: &App,
    games: impl Iterator<Item = &GameId>,
) -> Result<HashMap<GameId, Arc<[ShareBreakdown]>>, StoreError> {
    let (store, cache) = (app.service.store(), app.state::<Breakdowns>());
    let mut found = HashMap::new();
    let mut unknown = Vec::new();
    for id in games {
        match cache.0.get(id) {
            Some(known) => drop(found.insert(id.clone(), known)),
            None => unknown.push(id.clone()),
        }
    }
    for id in store.reviewed(&unknown).await? {
        let stored = store.review(&id).await?.and_then(|stored| stored.review);
        // A review that cannot be read does not count.
        let review: Option<Review> = stored.and_then(|text| serde_json::from_str(&text).ok());
        let players = review.iter().flat_map(|review| {
            let players = 0..review.players();
            players.map(|player| review.share_breakdown(player))
        });
        let players: Arc<[ShareBreakdown]> = players.collect();
        cache.0.insert(id.clone(), Arc::clone(&players));
        found.insert(id, players);
    }
    Ok(found)
}

/// The status of this game's review; `None` if nobody has requested it. A requested one that is not in progress is
/// resumed.
///
/// # Errors
/// [`ServiceError::NotFound`] if the game cannot be reviewed, and if the store fails.
pub(super) async fn review_of(
    app: &App,
    snapshot: &Snapshot,
) -> Result<Option<ReviewStatus>, ServiceError> {
    let plan = snapshot.live.review_plan(None);
    let plan = plan.ok_or(ServiceError::NotFound)?;
    let ReviewJobs(jobs) = &*app.state();
    if let Some(status) = jobs.status(&snapshot.id) {
        return Ok(Some(status));
    }
    let Some(stored) = app.service.store().review(&snapshot.id).await? else {
        return Ok(None);
    };
    if stored.is_pending {
        // A review that was not resumed at the start is resumed now, or later if the server is busy.
        let payer = ComputeAccount::default();
        let joined = jobs.join_or_admit(&snapshot.id, plan.decisions, payer);
        let Ok(JoinedJob { status, admitted }) = joined else {
            return Ok(Some(JobStatus::waiting(plan.decisions)));
        };
        if let Some(job) = admitted {
            spawn_review(app, Arc::clone(&snapshot.live), plan, job);
        }
        return Ok(Some(status.borrow().clone()));
    }
    let review = stored
        .review
        .and_then(|text| serde_json::from_str(&text).ok());
    // A review that cannot be read must be requested again.
    Ok(review.map(JobStatus::Ready))
}

/// Whether this server is computing the game's review.
pub(super) fn is_reviewing(app: &App, id: &GameId) -> bool {
    let ReviewJobs(jobs) = &*app.state();
    let status = jobs.status(id);
    matches!(status, Some(JobStatus::InProgress(_)))
}

/// Requests the review of a finished game. An existing review is computed again if another evaluator made it.
///
/// # Errors
/// [`ServiceError::NotFound`] if the game cannot be reviewed, [`ServiceError::Busy`] if too many reviews are in
/// progress, and if the store fails.
pub(super) async fn request_review(
    app: &App,
    snapshot: &Snapshot,
    credentials: &Credentials,
) -> Result<ReviewStatus, ServiceError> {
    let plan = snapshot.live.review_plan(None);
    let plan = plan.ok_or(ServiceError::NotFound)?;
    match review_of(app, snapshot).await? {
        Some(JobStatus::Ready(made)) if made.by != plan.evaluator => {}
        Some(known) => return Ok(known),
        None => {}
    }
    let payer = ComputeAccount {
        client_network: credentials.client_network,
        creator: None,
    };
    let ReviewJobs(jobs) = &*app.state();
    let joined = jobs.join_or_admit(&snapshot.id, plan.decisions, payer)?;
    if let Some(job) = joined.admitted {
        // A dropped request does not stop the work.
        let (live, id, app) = (snapshot.live.clone(), snapshot.id.clone(), app.clone());
        let request = app.service.tasks().spawn(async move {
            let change = ReviewChange::Request(app.service.now_ms());
            app.service.store().change_review(&id, change).await?;
            spawn_review(&app, live, plan, job);
            Ok::<_, StoreError>(())
        });
        request.await.map_err(|_| ServiceError::Unavailable)??;
    }
    Ok(joined.status.borrow().clone())
}

/// The status of this game's review, which is requested if there is none; a review by an earlier evaluator is kept.
/// While too many reviews are in progress it counts as waiting. `None` if the game cannot be reviewed.
///
/// # Errors
/// If the store fails.
pub(super) async fn review_or_request(
    app: &App,
    snapshot: &Snapshot,
    credentials: &Credentials,
) -> Result<Option<ReviewStatus>, ServiceError> {
    let Some(plan) = snapshot.live.review_plan(None) else {
        return Ok(None);
    };
    if let Some(status) = review_of(app, snapshot).await? {
        return Ok(Some(status));
    }
    match request_review(app, snapshot, credentials).await {
        Err(ServiceError::Busy) => Ok(Some(JobStatus::waiting(plan.decisions))),
        status => status.map(Some),
    }
}

/// Resumes the reviews that were requested before the last shutdown.
pub(super) async fn resume_reviews(app: &App) {
    let max = JobKind::Review.limits().in_progress as u32;
    let service = &app.service;
    let requested = service.store().pending_reviews(max).await;
    let requested = requested.unwrap_or_else(|error| {
        tracing::warn!(%error, "requested reviews could not be listed");
        Vec::new()
    });
    for id in requested {
        if service.is_closed() {
            return;
        }
        let resumed = match service.snapshot_unloaded(&id).await {
            Ok(snapshot) => review_of(app, &snapshot).await.map(drop),
            Err(error) => Err(error),
        };
        if let Err(ServiceError::NotFound) = resumed {
            // The game was deleted or cannot be reviewed any more, so it need not be tried again.
            let _ = service
                .store()
                .change_review(&id, ReviewChange::Cancel)
                .await;
        } else if let Err(error) = resumed {
            tracing::warn!(%id, %error, "a review could not be resumed");
        }
    }
}

fn spawn_review(app: &App, live: LiveGameRef, plan: ReviewPlan, job: ReviewJob) {
    let (service, breakdowns) = (app.service.clone(), app.state::<Breakdowns>());
    job.spawn(move |job| async move {
        let computed = compute_review(&live, &plan, &job).await;
        // It remains requested and is resumed after the next start.
        if computed.is_err() && service.is_closed() {
            return computed.map(drop);
        }
        let (change, result) = match computed {
            Ok(review) => (ReviewChange::Store(review), Ok(())),
            Err(error) => (ReviewChange::Cancel, Err(error)),
        };
        // The game may have been deleted with its review.
        let id = job.key();
        match service.store().change_review(id, change).await {
            Ok(()) | Err(StoreError::NotFound) => {}
            Err(error) => tracing::warn!(%id, %error, "a review was not stored"),
        }
        breakdowns.0.remove(id);
        result
    });
}

/// Computes the review of a game (JSON), decision by decision.
async fn compute_review(
    live: &LiveGameRef,
    plan: &ReviewPlan,
    job: &ReviewJob,
) -> Result<String, ServiceError> {
    let demand = |expected| ComputeDemand {
        bytes: plan.max_bytes,
        ..ComputeDemand::time(expected)
    };
    let mut evaluated: Vec<EvaluatedDecision> = Vec::with_capacity(plan.decisions as usize);
    let mut expected = EXPECTED_DURATION;
    for number in 0..plan.decisions {
        let (game, simulations) = (Arc::clone(live), plan.evaluator.simulations);
        let work = move |stop: &StopToken| game.evaluate_decision(number, simulations, stop);
        let decision;
        (decision, expected) = job.compute(demand(expected), work).await?;
        evaluated.push(decision);
        job.report(plan.completed_decisions(number + 1, None));
    }
    let first = live.combine_decisions(plan.evaluator.clone(), &evaluated);
    let targets = plan_reanalysis(&first.ok_or(ServiceError::Unavailable)?, &evaluated);
    let mut expected = EXPECTED_DURATION;
    for (done, &closer) in targets.iter().enumerate() {
        let (game, simulations) = (Arc::clone(live), plan.reanalysis_simulations);
        let decision = evaluated.get_mut(closer.number as usize);
        let decision = decision.ok_or(ServiceError::Unavailable)?;
        let before = decision.clone();
        let work = move |stop: &StopToken| game.reanalyse(closer, &before, simulations, stop);
        (*decision, expected) = job.compute(demand(expected), work).await?;
        job.report(plan.completed_decisions(plan.decisions, Some((done + 1, targets.len()))));
    }
    if targets.is_empty() {
        job.report(plan.decisions);
    }
    let review = live.combine_decisions(plan.evaluator.clone(), &evaluated);
    let review = review.ok_or(ServiceError::Unavailable)?;
    serde_json::to_string(&review).map_err(|_| ServiceError::Unavailable)
}
