//! Move analysis for hints and the analysis board: the values of a position's actions.
//!
//! An analysis is queued with the computers' turns, is charged to the requester's account and precedes turns that no
//! client waits for. Results are cached by position, and concurrent requests for the same position share one job. A
//! dropped request does not stop the job; the number of jobs per client network is bounded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::watch;

use super::client_network::ComputeAccount;
use super::scheduler::{TurnPriority, TurnRequest};
use super::{Credentials, Service, ServiceError};
use crate::game_adapters::{LiveGameRef, PositionAnalysis};
use crate::search::StopToken;
use crate::store::GameId;

/// Maximum concurrent analyses per client network.
const MAX_JOBS_PER_CLIENT: usize = 4;

/// Approximate size of the cache in bytes.
const CACHE_BYTES: u64 = 16 << 20;

/// Estimated number of cached analyses.
const ESTIMATED_ITEMS: usize = 2_000;

/// Approximate size of an analysed action in bytes.
const ACTION_BYTES: u64 = 256;

/// Expected duration of an analysis.
const EXPECTED_DURATION: Duration = Duration::from_millis(300);

/// The status of a position's analysis.
#[derive(Clone, Debug)]
pub enum AnalysisStatus {
    Ready(Arc<PositionAnalysis>),
    /// It is queued or running.
    InProgress,
    /// The game is over, or has no analyser.
    NotApplicable,
}

/// The game's parameters and the position's notation.
type AnalysisKey = Arc<str>;

#[derive(Clone)]
struct ActionCountWeighter;

impl Weighter<AnalysisKey, Arc<PositionAnalysis>> for ActionCountWeighter {
    fn weight(&self, key: &AnalysisKey, analysis: &Arc<PositionAnalysis>) -> u64 {
        key.len() as u64 + ACTION_BYTES * (1 + analysis.actions.len() as u64)
    }
}

struct AnalysisJob {
    payer: ComputeAccount,
    done: watch::Receiver<bool>,
}

/// Cached analyses, and those in progress.
pub(super) struct AnalysisCache {
    results: Cache<AnalysisKey, Arc<PositionAnalysis>, ActionCountWeighter>,
    jobs: Mutex<HashMap<AnalysisKey, AnalysisJob>>,
}

impl AnalysisCache {
    pub(super) fn new() -> Self {
        AnalysisCache {
            results: Cache::with_weighter(ESTIMATED_ITEMS, CACHE_BYTES, ActionCountWeighter),
            jobs: Mutex::default(),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<AnalysisKey, AnalysisJob>> {
        // Every change of the map is one call, so a panic leaves it consistent.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// Analyses the actions of the game's newest position. Waits for the result up to `timeout`.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] if the network's limit is reached or the queue is full.
    pub async fn analyse(
        &self,
        live: &LiveGameRef,
        credentials: &Credentials,
        timeout: Duration,
    ) -> Result<AnalysisStatus, ServiceError> {
        let (Some(cost), Some(key)) = (live.analysis_cost(), key(live)) else {
            return Ok(AnalysisStatus::NotApplicable);
        };
        let analysis_cache = &self.shared.analysis_cache;
        if let Some(known) = analysis_cache.results.get(&key) {
            return Ok(AnalysisStatus::Ready(known));
        }
        let payer = ComputeAccount {
            client_network: credentials.client_network,
            creator: credentials.browser.or(credentials.token),
        };
        let request = TurnRequest {
            // The analysis belongs to no game; the id is never looked up.
            game: GameId::random(),
            payer,
            threads: 1,
            bytes: cost.max_bytes,
            expected: EXPECTED_DURATION,
            priority: TurnPriority::Awaited,
        };
        let mut done = self.start_analysis(&key, live, cost.default_simulations, request)?;
        // The cache tells whether the job succeeded.
        let _ = tokio::time::timeout(timeout, done.wait_for(|done| *done)).await;
        Ok(match analysis_cache.results.get(&key) {
            Some(known) => AnalysisStatus::Ready(known),
            None => AnalysisStatus::InProgress,
        })
    }

    /// The analysis of the game's newest position, if it is cached.
    #[must_use]
    pub fn cached_analysis(&self, live: &LiveGameRef) -> Option<Arc<PositionAnalysis>> {
        self.shared.analysis_cache.results.get(&key(live)?)
    }

    /// Starts an analysis, or joins the running one of the same position.
    fn start_analysis(
        &self,
        key: &AnalysisKey,
        live: &LiveGameRef,
        simulations: u64,
        request: TurnRequest,
    ) -> Result<watch::Receiver<bool>, ServiceError> {
        let mut jobs = self.shared.analysis_cache.jobs();
        if let Some(job) = jobs.get(key) {
            return Ok(job.done.clone());
        }
        let payer = request.payer;
        let of_payer = jobs
            .values()
            .filter(|one| one.payer.client_network == payer.client_network);
        if payer
            .client_network
            .is_some_and(super::ClientNetwork::is_known)
            && of_payer.count() >= MAX_JOBS_PER_CLIENT
        {
            return Err(ServiceError::Busy);
        }
        let scheduler = &self.shared.scheduler;
        let ticket = scheduler.enqueue(request).map_err(|_| ServiceError::Busy)?;
        let (done_sender, done) = watch::channel(false);
        let job = AnalysisJob {
            payer,
            done: done.clone(),
        };
        jobs.insert(Arc::clone(key), job);
        drop(jobs);
        let (shared, live, key) = (Arc::clone(&self.shared), Arc::clone(live), Arc::clone(key));
        self.shared.tasks.spawn(async move {
            let work = move |stop: &StopToken| live.analyse(live.entry_count(), simulations, stop);
            let result = ticket.run(&shared.stop, work).await;
            match result {
                Ok((Some(analysis), ..)) => {
                    shared
                        .analysis_cache
                        .results
                        .insert(Arc::clone(&key), Arc::new(analysis));
                }
                // A later request starts again.
                Ok((None, ..)) | Err(_) => {
                    tracing::warn!("the analysis of a position was not completed")
                }
            }
            shared.analysis_cache.jobs().remove(&key);
            done_sender.send_replace(true);
        });
        Ok(done)
    }
}

/// The key of a game's newest position; `None` if the game is over.
fn key(live: &LiveGameRef) -> Option<AnalysisKey> {
    live.mover()?;
    let state = live.state_at(live.entry_count())?;
    Some(
        format!(
            "{}{}",
            live.configured_game().parameters_text(),
            state.state
        )
        .into(),
    )
}
