//! The jobs that clients request: hints, queries, pictures, uploads, reviews and films.
//!
//! A job is admitted within the limits of its kind ([`JobKind::limits`]) and waits for one of the kind's slots. Then it
//! computes, in one piece or in several, in the fair queue of the computers' turns ([`super::scheduler`]).
//!
//! [`Jobs::run`] runs a job for one client and is cancelled with the request. [`SharedJobs`] are jobs that
//! several clients may wait for: requests with the same key join one job, which continues when they are dropped.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::compute_account::ComputeAccount;
use super::error::ServiceError;
use super::scheduler::{ComputeScheduler, TurnPriority, TurnRequest};
use crate::client_network::ClientNetwork;
use crate::search::StopToken;

/// What a job is for. Each kind has its own limits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobKind {
    /// The values of a position's actions, for a hint or the analysis board.
    Analysis,
    /// A program's query about a position outside any game.
    PositionQuery,
    /// Rendering a picture, or checking an uploaded record.
    PictureOrUpload,
    /// Reading games of an export or of a player's record. Each request reads a few at a time, so it needs no limits.
    RecordExport,
    /// Deriving the keys of a pairing code.
    PairingCode,
    Review,
    Film,
}

const UNLIMITED: usize = Semaphore::MAX_PERMITS;

impl JobKind {
    /// The table of all limits.
    pub(crate) const fn limits(self) -> JobLimits {
        use TurnPriority::{Awaited, Background, Query, Watched};
        use WhenQueueFull::{Reject, Wait};
        match self {
            // In progress, per client network, at once.
            JobKind::Analysis => limits(UNLIMITED, 4, UNLIMITED, Awaited, Reject),
            JobKind::PositionQuery => limits(UNLIMITED, 4, UNLIMITED, Query, Reject),
            JobKind::PictureOrUpload => limits(64, 8, UNLIMITED, Watched, Wait),
            JobKind::RecordExport => limits(UNLIMITED, UNLIMITED, UNLIMITED, Watched, Wait),
            JobKind::PairingCode => limits(64, 4, 1, Awaited, Reject),
            JobKind::Review => limits(64, 3, 4, Background, Wait),
            JobKind::Film => limits(32, 3, 2, Background, Wait),
        }
    }
}

/// The limits of a kind of job, and its place in the compute queue.
#[derive(Clone, Copy)]
pub(crate) struct JobLimits {
    /// Maximum jobs in progress, including waiting ones.
    pub(crate) in_progress: usize,
    /// Maximum of them per client network. Clients whose network is unknown are not limited.
    per_network: usize,
    /// Maximum of them that compute or have pieces in the compute queue; the others wait before it.
    at_once: usize,
    priority: TurnPriority,
    /// Analyses and queries are rejected, because their clients ask again; nobody would ask again for the others.
    when_queue_full: WhenQueueFull,
}

const fn limits(
    in_progress: usize,
    per_network: usize,
    at_once: usize,
    priority: TurnPriority,
    when_queue_full: WhenQueueFull,
) -> JobLimits {
    JobLimits {
        in_progress,
        per_network,
        at_once,
        priority,
        when_queue_full,
    }
}

#[derive(Clone, Copy)]
enum WhenQueueFull {
    Reject,
    Wait,
}

/// The resources of a piece of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComputeDemand {
    pub threads: usize,
    /// Maximum memory in bytes.
    pub bytes: usize,
    pub expected: Duration,
}

impl ComputeDemand {
    /// One thread, and no memory worth counting.
    #[must_use]
    pub const fn time(expected: Duration) -> Self {
        ComputeDemand {
            threads: 1,
            bytes: 0,
            expected,
        }
    }
}

/// The status of a job's result.
#[derive(Clone, Debug)]
pub enum JobStatus<T> {
    /// It is waiting or being computed.
    InProgress(JobProgress),
    Ready(T),
}

impl<T> JobStatus<T> {
    /// The status of a job of so many steps that has not started.
    #[must_use]
    pub const fn waiting(steps: u32) -> Self {
        JobStatus::InProgress(JobProgress { done: 0, of: steps })
    }
}

/// Progress in steps, such as frames of a film.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobProgress {
    pub done: u32,
    /// The total.
    pub of: u32,
}

/// Admits jobs and runs them in the compute queue.
pub(crate) struct Jobs {
    scheduler: ComputeScheduler,
    stop: CancellationToken,
    tasks: TaskTracker,
    pools: Mutex<HashMap<JobKind, JobPool>>,
}

/// The jobs of one kind in progress.
struct JobPool {
    in_progress: usize,
    by_network: HashMap<Option<ClientNetwork>, usize>,
    slots: Arc<Semaphore>,
}

impl Jobs {
    pub(super) fn new(
        scheduler: &ComputeScheduler,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Arc<Self> {
        Arc::new(Jobs {
            scheduler: scheduler.clone(),
            stop: stop.clone(),
            tasks: tasks.clone(),
            pools: Mutex::default(),
        })
    }

    fn admit(self: &Arc<Self>, kind: JobKind, payer: ComputeAccount) -> Result<Job, ServiceError> {
        let limits = kind.limits();
        let mut pools = self.pools.lock();
        let pool = pools.entry(kind).or_insert_with(|| JobPool {
            in_progress: 0,
            by_network: HashMap::new(),
            slots: Arc::new(Semaphore::new(limits.at_once)),
        });
        if pool.in_progress >= limits.in_progress {
            return Err(ServiceError::Busy);
        }
        let network = payer.client_network;
        let own = pool.by_network.get(&network).copied().unwrap_or(0);
        if network.is_some_and(ClientNetwork::is_known) && own >= limits.per_network {
            return Err(match kind {
                JobKind::PositionQuery => ServiceError::TooManyConcurrent,
                _ => ServiceError::Busy,
            });
        }
        pool.in_progress += 1;
        pool.by_network.insert(network, own + 1);
        Ok(Job {
            jobs: Arc::clone(self),
            kind,
            payer,
            slots: Arc::clone(&pool.slots),
            slot: None,
        })
    }

    /// Runs `work` for a client network in the compute queue. If the future is dropped, waiting work is removed and
    /// running work is asked to stop; it counts towards the limits until it has ended.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] or [`ServiceError::TooManyConcurrent`] beyond the limits of this kind or if the compute queue is full,
    /// [`ServiceError::Unavailable`] if the server stops or the work panicked.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        kind: JobKind,
        client_network: ClientNetwork,
        demand: ComputeDemand,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let payer = ComputeAccount {
            client_network: Some(client_network),
            creator: None,
        };
        let mut job = self.admit(kind, payer)?;
        job.wait_for_slot().await?;
        let work = move |stop: &StopToken| {
            let _job = job;
            work(stop)
        };
        match self.compute(kind, payer, demand, work).await {
            Ok((result, _)) => Ok(result),
            Err(error) => {
                self.log_failure(kind, &error);
                Err(error)
            }
        }
    }

    /// Runs one piece of work of a job; returns its result and its duration.
    async fn compute<T: Send + 'static>(
        &self,
        kind: JobKind,
        payer: ComputeAccount,
        demand: ComputeDemand,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<(T, Duration), ServiceError> {
        let request = TurnRequest {
            game: None,
            payer,
            threads: demand.threads,
            bytes: demand.bytes,
            expected: demand.expected,
            priority: kind.limits().priority,
        };
        let ticket = match kind.limits().when_queue_full {
            WhenQueueFull::Reject => {
                let ticket = self.scheduler.enqueue(request);
                ticket.map_err(|_| ServiceError::Busy)?
            }
            WhenQueueFull::Wait => {
                let ticket = self.scheduler.enqueue_when_free(request);
                let ticket = self.stop.run_until_cancelled(ticket).await;
                ticket.ok_or(ServiceError::Unavailable)?
            }
        };
        let outcome = ticket.run(&self.stop, work).await;
        let (result, elapsed, _) = outcome.map_err(|_| ServiceError::Unavailable)?;
        Ok((result, elapsed))
    }

    /// Logs a failure that no client has caused.
    fn log_failure(&self, kind: JobKind, error: &ServiceError) {
        if matches!(error, ServiceError::Unavailable) && !self.stop.is_cancelled() {
            tracing::error!(?kind, "a job failed");
        }
    }
}

/// An admitted job; dropping it frees its place.
struct Job {
    jobs: Arc<Jobs>,
    kind: JobKind,
    payer: ComputeAccount,
    slots: Arc<Semaphore>,
    slot: Option<OwnedSemaphorePermit>,
}

impl Job {
    /// Waits until the job may compute.
    async fn wait_for_slot(&mut self) -> Result<(), ServiceError> {
        let slot = Arc::clone(&self.slots).acquire_owned();
        let slot = self.jobs.stop.run_until_cancelled(slot).await;
        self.slot = Some(
            slot.ok_or(ServiceError::Unavailable)?
                .expect("the semaphore is never closed"),
        );
        Ok(())
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let mut pools = self.jobs.pools.lock();
        let Some(pool) = pools.get_mut(&self.kind) else {
            return;
        };
        pool.in_progress -= 1;
        let network = self.payer.client_network;
        if let Some(own) = pool.by_network.get_mut(&network) {
            *own -= 1;
            if *own == 0 {
                pool.by_network.remove(&network);
            }
        }
    }
}

/// The jobs in progress of one kind that several clients may wait for.
pub(crate) struct SharedJobs<K, T> {
    jobs: Arc<Jobs>,
    kind: JobKind,
    by_key: Mutex<HashMap<K, watch::Receiver<JobStatus<T>>>>,
}

/// A job in progress that several clients may wait for; dropping it ends it.
pub(crate) struct SharedJob<K: Eq + Hash, T> {
    job: Job,
    key: K,
    shared: Arc<SharedJobs<K, T>>,
    status: watch::Sender<JobStatus<T>>,
}

pub(crate) struct JoinedJob<K: Eq + Hash, T> {
    pub(crate) status: watch::Receiver<JobStatus<T>>,
    /// The job, if it is new and must be spawned.
    pub(crate) admitted: Option<SharedJob<K, T>>,
}

impl<K, T> SharedJobs<K, T>
where
    K: Clone + Eq + Hash + Debug + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    pub(crate) fn new(jobs: &Arc<Jobs>, kind: JobKind) -> Arc<Self> {
        Arc::new(SharedJobs {
            jobs: Arc::clone(jobs),
            kind,
            by_key: Mutex::default(),
        })
    }

    /// The status of the job with this key, if it is in progress.
    pub(crate) fn status(&self, key: &K) -> Option<JobStatus<T>> {
        let by_key = self.by_key.lock();
        by_key.get(key).map(|status| status.borrow().clone())
    }

    /// Joins the job with this key, or admits one of `steps` steps.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] beyond the limits of this kind.
    pub(crate) fn join_or_admit(
        self: &Arc<Self>,
        key: &K,
        steps: u32,
        payer: ComputeAccount,
    ) -> Result<JoinedJob<K, T>, ServiceError> {
        let mut by_key = self.by_key.lock();
        if let Some(status) = by_key.get(key) {
            return Ok(JoinedJob {
                status: status.clone(),
                admitted: None,
            });
        }
        let job = self.jobs.admit(self.kind, payer)?;
        let (sender, status) = watch::channel(JobStatus::waiting(steps));
        by_key.insert(key.clone(), status.clone());
        let admitted = Some(SharedJob {
            job,
            key: key.clone(),
            shared: Arc::clone(self),
            status: sender,
        });
        Ok(JoinedJob { status, admitted })
    }

    /// Joins the job with this key, or starts `work`, which ends with [`SharedJob::finish`]. Waits for the result up to
    /// `timeout`.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] beyond the limits of this kind, [`ServiceError::Unavailable`] if the job ended without a
    /// result.
    pub(crate) async fn run<F>(
        self: &Arc<Self>,
        key: &K,
        steps: u32,
        payer: ComputeAccount,
        timeout: Duration,
        work: impl FnOnce(SharedJob<K, T>) -> F + Send + 'static,
    ) -> Result<JobStatus<T>, ServiceError>
    where
        F: Future<Output = Result<(), ServiceError>> + Send,
    {
        let JoinedJob {
            mut status,
            admitted,
        } = self.join_or_admit(key, steps, payer)?;
        if let Some(job) = admitted {
            job.spawn(work);
        }
        let is_ready = |status: &JobStatus<T>| matches!(status, JobStatus::Ready(_));
        let result = async { status.wait_for(is_ready).await.map(|ready| ready.clone()) };
        match tokio::time::timeout(timeout, result).await {
            Ok(ended) => ended.map_err(|_| ServiceError::Unavailable),
            Err(_) => Ok(status.borrow().clone()),
        }
    }
}

impl<K, T> SharedJob<K, T>
where
    K: Clone + Eq + Hash + Debug + Send + 'static,
    T: Send + Sync + 'static,
{
    /// Runs `work` as soon as the job has a slot.
    pub(crate) fn spawn<F>(mut self, work: impl FnOnce(Self) -> F + Send + 'static)
    where
        F: Future<Output = Result<(), ServiceError>> + Send,
    {
        let jobs = Arc::clone(&self.job.jobs);
        let kind = self.job.kind;
        let tasks = jobs.tasks.clone();
        tasks.spawn(async move {
            let result = match self.job.wait_for_slot().await {
                Ok(()) => work(self).await,
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                jobs.log_failure(kind, &error);
            }
        });
    }

    /// Runs one piece of the job in the compute queue; returns its result and its duration.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] if the queue is full and the job does not wait, [`ServiceError::Unavailable`] if the
    /// server stops or the work panicked or had no result.
    pub(crate) async fn compute<R: Send + 'static>(
        &self,
        demand: ComputeDemand,
        work: impl FnOnce(&StopToken) -> Option<R> + Send + 'static,
    ) -> Result<(R, Duration), ServiceError> {
        let Job {
            jobs, kind, payer, ..
        } = &self.job;
        let (result, elapsed) = jobs.compute(*kind, *payer, demand, work).await?;
        Ok((result.ok_or(ServiceError::Unavailable)?, elapsed))
    }

    pub(crate) fn key(&self) -> &K {
        &self.key
    }

    /// Reports how many steps are done.
    pub(crate) fn report(&self, done: u32) {
        self.status.send_modify(|status| {
            if let JobStatus::InProgress(progress) = status {
                progress.done = done;
            }
        });
    }

    /// Ends the job with its result.
    pub(crate) fn finish(self, result: T) {
        self.status.send_replace(JobStatus::Ready(result));
    }
}

impl<K: Eq + Hash, T> Drop for SharedJob<K, T> {
    fn drop(&mut self) {
        self.shared.by_key.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests;
