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

use super::chance::Chance;
use super::faults::Weather;
use super::line::Line;
use super::model::Truth;
use super::notifications::Bell;
use super::pages;

/// When all stories begin: Unix time, in milliseconds.
const BEGINS_MS: i64 = 1_764_583_200_000;

pub(crate) struct Instance {
    pub(crate) service: Service,
    pub(crate) line: Arc<Line>,
    pub(crate) bell: Arc<Bell>,
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
    truth: Arc<Truth>,
    weather: Arc<Weather>,
    chance: Arc<Mutex<Chance>>,
    running: Mutex<Option<Arc<Instance>>>,
    started: Mutex<u32>,
}

impl Site {
    pub(crate) fn new(
        name: &'static str,
        games: &Registry,
        truth: &Arc<Truth>,
        weather: &Arc<Weather>,
        chance: &Arc<Mutex<Chance>>,
    ) -> Arc<Self> {
        Arc::new(Site {
            name,
            games: games.clone(),
            truth: Arc::clone(truth),
            weather: Arc::clone(weather),
            chance: Arc::clone(chance),
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
        self.truth.story.tell(&format!("{name} starts"));
        let bell = Bell::new(&name, &self.weather, self.truth.plant);
        self.truth.hang_up(&bell);
        let line = Line::new(&name, &self.truth, &self.weather, &bell);
        let settings = ServiceSettings {
            compute_threads: 8,
            // So that games leave memory within a story.
            idle_timeout: Duration::from_secs(4),
            ..ServiceSettings::default()
        };
        let archive: Arc<dyn GameStore> = Arc::clone(&line) as Arc<dyn GameStore>;
        let service =
            Service::with_environment(self.machine(&line), self.games.clone(), archive, settings);
        let keeping = service.clone();
        tokio::spawn(async move { keeping.run_background().await });
        let listening = Arc::clone(&bell);
        tokio::spawn(async move { listening.connect().await });
        self.set(Some(Arc::new(Instance {
            service,
            line,
            bell,
            gone: CancellationToken::new(),
            app: OnceLock::new(),
        })));
    }

    fn machine(&self, line: &Arc<Line>) -> Environment {
        let (story, chance) = (Arc::clone(&self.truth.story), Arc::clone(&self.chance));
        let (weather, line) = (Arc::clone(&self.weather), Arc::clone(line));
        Environment {
            clock: Arc::new(move || BEGINS_MS + story.time().as_millis() as i64),
            entropy: Arc::new(move |bytes| {
                chance
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .fill(bytes);
            }),
            blocking: Arc::new(move |work: BlockingTask| {
                let (time, line) = (weather.thought(), Arc::clone(&line));
                tokio::spawn(async move {
                    sleep(time).await;
                    line.moves().await;
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
        self.truth.counts.crashes.add();
        self.truth
            .story
            .tell(&format!("{} dies", instance.line.name));
        instance.line.cut();
        instance.bell.fall_silent();
        instance.gone.cancel();
        let service = instance.service.clone();
        tokio::spawn(async move { service.close().await });
    }

    /// The instance stands still for this time, as one that is stopped, and goes on.
    pub(crate) fn stand_still(&self, time: Duration) {
        if let Some(instance) = self.running() {
            self.truth.counts.freezes.add();
            let name = &instance.line.name;
            self.truth
                .story
                .tell(&format!("{name} stands still for {time:?}"));
            instance.line.stand_still(time);
        }
    }

    pub(crate) fn break_bell(&self, time: Duration) {
        if let Some(instance) = self.running() {
            tokio::spawn(async move { instance.bell.break_for(time).await });
        }
    }
}
