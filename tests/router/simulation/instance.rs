//! An instance: the service's own code with a line and a bell, on a clock and a chance of this world. It dies and is
//! started anew, and stands still and goes on.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::Router;
use dice_of_doom::game_adapters::Registry;
use dice_of_doom::service::{BlockingTask, Environment, Service, ServiceSettings};
use dice_of_doom::store::GameStore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::chance::SimulationRng;
use super::faults::FaultModel;
use super::line::StoreLink;
use super::model::SharedStore;
use super::notifications::NotificationChannel;
use super::pages;

/// When all stories begin: Unix time, in milliseconds.
const BEGINS_MS: i64 = 1_764_583_200_000;

pub(crate) struct Instance {
    pub(crate) service: Service,
    pub(crate) link: Arc<StoreLink>,
    pub(crate) channel: Arc<NotificationChannel>,
    /// Fires when it dies.
    pub(crate) gone: CancellationToken,
    app: OnceLock<Router>,
}

impl Instance {
    /// What answers requests here.
    pub(crate) fn app(&self) -> &Router {
        self.app.get_or_init(|| pages::app(self.service.clone()))
    }
}

/// Where an instance runs: the place stays, the instances come and go.
pub(crate) struct Site {
    name: &'static str,
    games: Registry,
    shared: Arc<SharedStore>,
    faults: Arc<FaultModel>,
    rng: Arc<Mutex<SimulationRng>>,
    running: Mutex<Option<Arc<Instance>>>,
    started: Mutex<u32>,
}

impl Site {
    pub(crate) fn new(
        name: &'static str,
        games: &Registry,
        shared: &Arc<SharedStore>,
        faults: &Arc<FaultModel>,
        rng: &Arc<Mutex<SimulationRng>>,
    ) -> Arc<Self> {
        Arc::new(Site {
            name,
            games: games.clone(),
            shared: Arc::clone(shared),
            faults: Arc::clone(faults),
            rng: Arc::clone(rng),
            running: Mutex::default(),
            started: Mutex::default(),
        })
    }

    /// The instance that runs here.
    pub(crate) fn running(&self) -> Option<Arc<Instance>> {
        let running = self.running.lock();
        running.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, instance: Option<Arc<Instance>>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = instance;
    }

    pub(crate) fn start(&self) {
        let number = {
            let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
            *started += 1;
            *started
        };
        let name = format!("{}{number}", self.name);
        self.shared.trace.log(&format!("{name} starts"));
        let channel = NotificationChannel::new(&name, &self.faults, self.shared.bug);
        self.shared.add_channel(&channel);
        let link = StoreLink::new(&name, &self.shared, &self.faults, &channel);
        let settings = ServiceSettings {
            compute_threads: 8,
            // So that games leave memory within a story.
            idle_timeout: Duration::from_secs(4),
            ..ServiceSettings::default()
        };
        let archive: Arc<dyn GameStore> = Arc::clone(&link) as Arc<dyn GameStore>;
        let service =
            Service::with_environment(self.environment(&link), self.games.clone(), archive, settings);
        let keeping = service.clone();
        tokio::spawn(async move { keeping.run_background().await });
        let listening = Arc::clone(&channel);
        tokio::spawn(async move { listening.connect().await });
        self.set(Some(Arc::new(Instance {
            service,
            link,
            channel,
            gone: CancellationToken::new(),
            app: OnceLock::new(),
        })));
    }

    fn environment(&self, link: &Arc<StoreLink>) -> Environment {
        let (trace, rng) = (Arc::clone(&self.shared.trace), Arc::clone(&self.rng));
        let (faults, link) = (Arc::clone(&self.faults), Arc::clone(link));
        Environment {
            clock: Arc::new(move || BEGINS_MS + trace.elapsed().as_millis() as i64),
            entropy: Arc::new(move |bytes| {
                rng
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .fill(bytes);
            }),
            blocking: Arc::new(move |work: BlockingTask| {
                let (time, link) = (faults.thinking_time(), Arc::clone(&link));
                tokio::spawn(async move {
                    sleep(time).await;
                    link.wait_while_paused().await;
                    work();
                });
            }),
        }
    }

    /// The instance dies at this moment, wherever it is. What it has sent is under way, and all else that it knew is
    /// gone: nothing that it still does is heard by anybody.
    pub(crate) fn crash(&self) {
        let Some(instance) = self.running() else {
            return;
        };
        self.set(None);
        self.shared.counts.crashes.add();
        self.shared
            .trace
            .log(&format!("{} dies", instance.link.name));
        instance.link.disconnect();
        instance.channel.close();
        instance.gone.cancel();
        let service = instance.service.clone();
        tokio::spawn(async move { service.close().await });
    }

    /// The instance stands still for this time, as one that is stopped, and goes on.
    pub(crate) fn pause(&self, time: Duration) {
        if let Some(instance) = self.running() {
            self.shared.counts.freezes.add();
            let name = &instance.link.name;
            self.shared
                .trace
                .log(&format!("{name} stands still for {time:?}"));
            instance.link.pause(time);
        }
    }

    pub(crate) fn break_channel(&self, time: Duration) {
        if let Some(instance) = self.running() {
            tokio::spawn(async move { instance.channel.break_for(time).await });
        }
    }
}
