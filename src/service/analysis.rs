//! Weighing for people: what the actions of a position are worth, asked for by a hint or an analysis.
//!
//! It waits in the queue of computers' turns, in the name of whoever asks, and before turns that nobody
//! waits for. What was found is kept by the position, so a second look, or another reader's, costs
//! nothing; whoever asks for what is being weighed already waits for the same answer. A reader who hangs
//! up stops waiting, never the work, and what one network may ask for at once is bounded.

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

/// How many positions of one network may be weighed or wait at the same time.
const MOST_AT_ONCE: usize = 4;

/// The most bytes that weighings are kept in, about.
const MOST_BYTES: u64 = 16 << 20;

/// So many weighings of usual size fit.
const USUALLY: usize = 2_000;

/// About how many bytes a weighed action takes.
const ACTION_BYTES: u64 = 256;

/// What a weighing takes.
const EXPECTED: Duration = Duration::from_millis(300);

/// How far the weighing of a position has come.
#[derive(Clone, Debug)]
pub enum AnalysisStatus {
    /// It is known.
    Known(Arc<PositionAnalysis>),
    /// It waits or is thought about.
    UnderWay,
    /// There is nothing to weigh: the game is over, or has no hints.
    Nothing,
}

/// A position is found by its game's parameters and its notation.
type AnalysisKey = Arc<str>;

#[derive(Clone)]
struct ActionCountWeighter;

impl Weighter<AnalysisKey, Arc<PositionAnalysis>> for ActionCountWeighter {
    fn weight(&self, key: &AnalysisKey, weighing: &Arc<PositionAnalysis>) -> u64 {
        key.len() as u64 + ACTION_BYTES * (1 + weighing.actions.len() as u64)
    }
}

/// A position that is being weighed.
struct AnalysisJob {
    payer: ComputeAccount,
    done: watch::Receiver<bool>,
}

/// What was weighed, and what is being weighed.
pub(super) struct AnalysisCache {
    kept: Cache<AnalysisKey, Arc<PositionAnalysis>, ActionCountWeighter>,
    under_way: Mutex<HashMap<AnalysisKey, AnalysisJob>>,
}

impl AnalysisCache {
    pub(super) fn new() -> Self {
        AnalysisCache {
            kept: Cache::with_weighter(USUALLY, MOST_BYTES, ActionCountWeighter),
            under_way: Mutex::default(),
        }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<AnalysisKey, AnalysisJob>> {
        // Every change of the map is one call.
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// What the actions of a game's newest position are worth, waited for at most so long.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] when this network has asked for too much at once, or the queue is full.
    pub async fn weigh(
        &self,
        live: &LiveGameRef,
        claim: &Credentials,
        patience: Duration,
    ) -> Result<AnalysisStatus, ServiceError> {
        let (Some(cost), Some(key)) = (live.weighing_cost(), key(live)) else {
            return Ok(AnalysisStatus::Nothing);
        };
        let weighings = &self.shared.weighings;
        if let Some(known) = weighings.kept.get(&key) {
            return Ok(AnalysisStatus::Known(known));
        }
        let payer = ComputeAccount {
            household: claim.household,
            creator: claim.browser.or(claim.token),
        };
        let wish = TurnRequest {
            // A position belongs to no table: nothing looks for it by this id.
            game: GameId::random(),
            payer,
            threads: 1,
            bytes: cost.most_bytes,
            expected: EXPECTED,
            attention: TurnPriority::Awaited,
        };
        let mut done = self.begin_weighing(&key, live, cost.usual_simulations, wish)?;
        // Whether it ended or not, what is kept tells what came of it.
        let _ = tokio::time::timeout(patience, done.wait_for(|done| *done)).await;
        Ok(match weighings.kept.get(&key) {
            Some(known) => AnalysisStatus::Known(known),
            None => AnalysisStatus::UnderWay,
        })
    }

    /// What the actions of a game's newest position are worth, if that is known already.
    #[must_use]
    pub fn weighed(&self, live: &LiveGameRef) -> Option<Arc<PositionAnalysis>> {
        self.shared.weighings.kept.get(&key(live)?)
    }

    /// Lets a position be weighed, unless it is being weighed already.
    fn begin_weighing(
        &self,
        key: &AnalysisKey,
        live: &LiveGameRef,
        simulations: u64,
        wish: TurnRequest,
    ) -> Result<watch::Receiver<bool>, ServiceError> {
        let mut under_way = self.shared.weighings.under_way();
        if let Some(same) = under_way.get(key) {
            return Ok(same.done.clone());
        }
        let payer = wish.payer;
        let of_payer = under_way
            .values()
            .filter(|one| one.payer.household == payer.household);
        if payer.household.is_some_and(super::ClientNetwork::is_known)
            && of_payer.count() >= MOST_AT_ONCE
        {
            return Err(ServiceError::Busy);
        }
        let thinkers = &self.shared.thinkers;
        let ticket = thinkers.ask(wish).map_err(|_| ServiceError::Busy)?;
        let (tell, done) = watch::channel(false);
        let same = AnalysisJob {
            payer,
            done: done.clone(),
        };
        under_way.insert(Arc::clone(key), same);
        drop(under_way);
        let (shared, live, key) = (Arc::clone(&self.shared), Arc::clone(live), Arc::clone(key));
        self.shared.tasks.spawn(async move {
            let work = move |stop: &StopToken| live.weigh(live.ply(), simulations, stop);
            let thought = ticket.think(&shared.stop, work).await;
            match thought {
                Ok((Some(weighing), ..)) => {
                    shared
                        .weighings
                        .kept
                        .insert(Arc::clone(&key), Arc::new(weighing));
                }
                // Whoever asks again begins anew.
                Ok((None, ..)) | Err(_) => tracing::warn!("a position was not weighed to the end"),
            }
            shared.weighings.under_way().remove(&key);
            tell.send_replace(true);
        });
        Ok(done)
    }
}

/// The key of a game's newest position; `None` where nobody is to move.
fn key(live: &LiveGameRef) -> Option<AnalysisKey> {
    live.mover()?;
    let stand = live.stand(live.ply())?;
    Some(format!("{}{}", live.setting().parameters_text(), stand.state).into())
}
