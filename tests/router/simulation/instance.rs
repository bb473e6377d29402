//! An instance: the real service code with a simulated store connection, notification channel, clock and random
//! numbers. It can crash, restart and pause.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::Router;
use dice_of_doom::games::Registry;
use dice_of_doom::store::Store;
use dice_of_doom::tables::{BlockingTask, Environment, Service, ServiceSettings};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::chance::SimulationRng;
use super::faults::FaultModel;
use super::line::StoreLink;
use super::model::SharedStore;
use super::notifications::NotificationChannel;
use super::pages;

/// Unix time at the start of every simulation, in milliseconds.
const START_MS: i64 = 1_764_583_200_000;

pub(crate) struct Instance {
    pub(crate) service: Service,
    pub(crate) link: Arc<StoreLink>,
    pub(crate) channel: Arc<NotificationChannel>,
    /// Cancelled when the instance crashes.
    pub(crate) gone: CancellationToken,
    app: OnceLock<Router>,
}

impl Instance {
    pub(crate) fn app(&self) -> &Router {
        self.app.get_or_init(|| pages::app(self.service.clone()))
    }
}

/// A place where one instance at a time runs.
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
            // Short, so that games leave memory during a simulation.
            idle_timeout: Duration::from_secs(4),
            ..ServiceSettings::default()
        };
        let store: Arc<dyn Store> = Arc::clone(&link) as Arc<dyn Store>;
        let service =
            Service::with_environment(self.environment(&link), self.games.clone(), store, settings);
        let background = service.clone();
        tokio::spawn(async move { background.run_background().await });
        let connecting = Arc::clone(&channel);
        tokio::spawn(async move { connecting.connect().await });
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
            clock: Arc::new(move || START_MS + trace.elapsed().as_millis() as i64),
            entropy: Arc::new(move |bytes| {
                rng.lock()
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

    /// Crashes the instance. Requests that it has sent are still executed, but all of its state is lost, and nothing
    /// that its tasks still do has an effect.
    pub(crate) fn crash(&self) {
        let Some(instance) = self.running() else {
            return;
        };
        self.set(None);
        self.shared.counts.crashes.add();
        self.shared
            .trace
            .log(&format!("{} crashes", instance.link.name));
        instance.link.disconnect();
        instance.channel.close();
        instance.gone.cancel();
        let service = instance.service.clone();
        tokio::spawn(async move { service.close().await });
    }

    /// Pauses the instance like a stopped process.
    pub(crate) fn pause(&self, time: Duration) {
        if let Some(instance) = self.running() {
            self.shared.counts.freezes.add();
            let name = &instance.link.name;
            self.shared
                .trace
                .log(&format!("{name} is paused for {time:?}"));
            instance.link.pause(time);
        }
    }

    pub(crate) fn break_channel(&self, time: Duration) {
        if let Some(instance) = self.running() {
            tokio::spawn(async move { instance.channel.break_for(time).await });
        }
    }
}
