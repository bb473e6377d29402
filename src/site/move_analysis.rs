//! Move analysis for hints and the analysis board: the values of a position's actions, cached by position.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::shared::app::{App, FeatureState};
use crate::games::{LiveGameRef, PositionAnalysis};
use crate::seats::Credentials;
use crate::tables::{ComputeAccount, ComputeDemand, JobKind, JobStatus, SharedJob, SharedJobs};

/// Approximate size of the cache in bytes.
const CACHE_BYTES: u64 = 16 << 20;

/// Estimated number of cached analyses.
const ESTIMATED_ITEMS: usize = 2_000;

/// Approximate size of an analysed action in bytes.
const ACTION_BYTES: u64 = 256;

/// Expected duration of an analysis.
const EXPECTED_DURATION: Duration = Duration::from_millis(300);

/// The game's parameters and the position's notation.
type AnalysisKey = Arc<str>;

#[derive(Clone)]
struct ActionCountWeighter;

impl Weighter<AnalysisKey, Arc<PositionAnalysis>> for ActionCountWeighter {
    fn weight(&self, key: &AnalysisKey, analysis: &Arc<PositionAnalysis>) -> u64 {
        key.len() as u64 + ACTION_BYTES * (1 + analysis.actions.len() as u64)
    }
}

/// Cached analyses, and those in progress.
struct Analyses {
    results: Cache<AnalysisKey, Arc<PositionAnalysis>, ActionCountWeighter>,
    jobs: Arc<SharedJobs<AnalysisKey, Arc<PositionAnalysis>>>,
}

impl FeatureState for Analyses {
    fn new(app: &App) -> Self {
        Analyses {
            results: Cache::with_weighter(ESTIMATED_ITEMS, CACHE_BYTES, ActionCountWeighter),
            jobs: SharedJobs::new(app.service.jobs(), JobKind::Analysis),
        }
    }
}

/// Analyses the actions of the game's newest position; `None` if the game is over or has no analyser. Waits for the
/// result up to `timeout`. An analysis that is not admitted or fails counts as in progress: the client asks again.
pub(super) async fn analyse(
    app: &App,
    live: &LiveGameRef,
    credentials: &Credentials,
    timeout: Duration,
) -> Option<JobStatus<Arc<PositionAnalysis>>> {
    let (cost, key) = (live.configured_game().analysis_cost()?, key(live)?);
    let analyses = app.state::<Analyses>();
    if let Some(known) = analyses.results.get(&key) {
        return Some(JobStatus::Ready(known));
    }
    let payer = ComputeAccount {
        client_network: credentials.client_network,
        creator: credentials.browser.or(credentials.token),
    };
    let demand = ComputeDemand {
        bytes: cost.max_bytes,
        ..ComputeDemand::time(EXPECTED_DURATION)
    };
    let (state, live) = (Arc::clone(&analyses), live.clone());
    let analyse = move |stop: &_| live.position().analyse(cost.default_simulations, stop);
    let work = move |job: SharedJob<AnalysisKey, Arc<PositionAnalysis>>| async move {
        let (analysis, _) = job.compute(demand, analyse).await?;
        let analysis = Arc::new(analysis);
        state.results.insert(job.key().clone(), analysis.clone());
        job.finish(analysis);
        Ok(())
    };
    let status = analyses.jobs.run(&key, 1, payer, timeout, work).await;
    Some(status.unwrap_or(JobStatus::waiting(1)))
}

/// The analysis of the game's newest position, if it is cached.
pub(super) fn cached_analysis(app: &App, live: &LiveGameRef) -> Option<Arc<PositionAnalysis>> {
    app.state::<Analyses>().results.get(&key(live)?)
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
