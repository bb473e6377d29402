//! The state of the tables, which all their tasks share.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::environment::Environment;
use super::error::ServiceError;
use super::instance_sync::VersionQueries;
use super::jobs::{ComputeDemand, JobKind, Jobs};
use super::leases::HeldLeases;
use super::observers::{GameObserver, Observers};
use super::scheduler::ComputeScheduler;
use super::settings::ServiceSettings;
use super::storage_quota::QuotaState;
use super::summaries::Summaries;
use super::table_registry::TableRegistry;
use crate::client_network::ClientNetwork;
use crate::games::Registry;
use crate::search::StopToken;
use crate::store::{ServedTime, Store};

pub(super) struct ServiceState {
    pub(super) games: Registry,
    pub(super) store: Arc<dyn Store>,
    pub(super) tables: Arc<Mutex<TableRegistry>>,
    pub(super) quota: QuotaState,
    pub(super) environment: Environment,
    pub(super) scheduler: ComputeScheduler,
    pub(super) jobs: Arc<Jobs>,
    pub(super) leases: Arc<HeldLeases>,
    pub(super) served: ServedTime,
    pub(super) version_queries: VersionQueries,
    pub(super) summaries: Summaries,
    pub(super) observers: Observers,
    pub(super) settings: ServiceSettings,
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
}

/// The live games of this server. A clone is another handle to the same games.
#[derive(Clone)]
pub struct Service {
    pub(super) shared: Arc<ServiceState>,
}

impl Service {
    #[must_use]
    pub fn new(games: Registry, store: Arc<dyn Store>, settings: ServiceSettings) -> Self {
        Service::with_environment(Environment::default(), games, store, settings)
    }

    /// Like [`Service::new`], with the given clock, entropy source and executor.
    #[must_use]
    pub fn with_environment(
        environment: Environment,
        games: Registry,
        store: Arc<dyn Store>,
        settings: ServiceSettings,
    ) -> Self {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let scheduler = ComputeScheduler::new(&settings, &environment);
        let jobs = Jobs::new(&scheduler, &stop, &tasks);
        Service {
            shared: Arc::new(ServiceState {
                leases: HeldLeases::new(&store),
                version_queries: VersionQueries::start(&store),
                games,
                store,
                tables: Arc::new(Mutex::new(TableRegistry::new(settings.max_tables))),
                quota: QuotaState::default(),
                scheduler,
                environment,
                jobs,
                served: ServedTime::default(),
                summaries: Summaries::default(),
                observers: Observers::default(),
                settings,
                stop,
                tasks,
            }),
        }
    }

    #[must_use]
    pub fn games(&self) -> &Registry {
        &self.shared.games
    }

    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    #[must_use]
    pub(crate) fn settings(&self) -> &ServiceSettings {
        &self.shared.settings
    }

    /// The tasks that [`Service::close`] waits for.
    pub(crate) fn tasks(&self) -> TaskTracker {
        self.shared.tasks.clone()
    }

    pub(crate) fn jobs(&self) -> &Arc<Jobs> {
        &self.shared.jobs
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.stop.is_cancelled()
    }

    /// Runs until the service is closed.
    pub(crate) async fn run_until_closed(&self, work: impl Future<Output = ()>) {
        self.shared.stop.run_until_cancelled(work).await;
    }

    /// The clock and the sources of randomness.
    pub(crate) fn environment(&self) -> &Environment {
        &self.shared.environment
    }

    /// The time of the service's clock, in Unix milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.shared.environment.now_ms()
    }

    /// Tells an observer what happens from now on.
    pub fn observe(&self, observer: Arc<dyn GameObserver>) {
        self.shared.observers.add(observer);
    }

    /// Runs `work` for a client network in the compute queue. If the future is dropped, waiting work is removed and
    /// running work is asked to stop; it counts towards the limits until it has ended.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] or [`ServiceError::TooManyConcurrent`] beyond the limits of this kind or if the compute queue is full,
    /// [`ServiceError::Unavailable`] if the server stops or the work panicked.
    pub async fn run_job<T: Send + 'static>(
        &self,
        kind: JobKind,
        client_network: ClientNetwork,
        demand: ComputeDemand,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let jobs = &self.shared.jobs;
        jobs.run(kind, client_network, demand, work).await
    }
}
