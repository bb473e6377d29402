//! The simulation of one seed: two sites, one store, the fault model, players and watchers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::games::Registry;
use dice_of_doom::store::GameId;
use dice_of_doom::tables::Service;
use tokio::time::{sleep, timeout};

use super::chance::SimulationRng;
use super::clients::SimulatedPlayer;
use super::counts::Counts;
use super::faults::FaultModel;
use super::instance::Site;
use super::model::{InjectedBug, SharedStore};
use super::scenario::{Trace, TraceSubscriber};
use super::watching::WatchLog;
use super::{assertions, tables};

/// The simulated time with faults.
pub(crate) const FAULT_TIME: Duration = Duration::from_secs(6);

/// The time after the last fault by which the system must have recovered: leases have expired, and requests in
/// transit have arrived.
const RECOVERY_TIME: Duration = Duration::from_secs(4);

/// The time of observation after recovery.
const OBSERVATION_TIME: Duration = Duration::from_secs(3);

/// Maximum simulated time of any seed.
const HANG: Duration = Duration::from_secs(600);

/// There is no response: the instance has crashed or is not running.
#[derive(Debug)]
pub(crate) struct NoResponse;

/// An entry that was acknowledged to a player.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) game: GameId,
    pub(crate) number: u32,
    pub(crate) what: EntryKind,
    pub(crate) repeated: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum EntryKind {
    Ply { player: u8, action: String },
    Entropy(String),
    Takeback,
}

pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) games: Registry,
    pub(crate) trace: Arc<Trace>,
    pub(crate) counts: Arc<Counts>,
    pub(crate) faults: Arc<FaultModel>,
    pub(crate) shared: Arc<SharedStore>,
    pub(crate) sites: [Arc<Site>; 2],
    notes: Mutex<Notes>,
}

#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) acknowledged: Vec<Acknowledged>,
    pub(crate) watch_logs: Vec<Arc<WatchLog>>,
    /// Credentials, as text.
    pub(crate) secrets: Vec<String>,
    /// Reported rematches: the id of the finished and of the new game.
    pub(crate) rematches: Vec<(GameId, GameId)>,
    /// Clients that have taken a seat by link: the game's id and the client's number.
    pub(crate) seated: Vec<(GameId, u64)>,
    players: u64,
    /// When the faults ended.
    faults_ended: Option<Duration>,
    is_over: bool,
}

impl World {
    fn new(
        seed: u64,
        bug: Option<InjectedBug>,
        games: &Registry,
        counts: &Arc<Counts>,
    ) -> Arc<Self> {
        let trace = Trace::new();
        let faults = FaultModel::new(seed, &trace, counts);
        let shared = SharedStore::new(&trace, bug, counts);
        let rng = Arc::new(Mutex::new(SimulationRng::new(seed, 2)));
        let site = |name| Site::new(name, games, &shared, &faults, &rng);
        Arc::new(World {
            seed,
            games: games.clone(),
            trace: Arc::clone(&trace),
            counts: Arc::clone(counts),
            sites: [site("a"), site("b")],
            faults,
            shared,
            notes: Mutex::default(),
        })
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the system must have recovered at this time.
    pub(crate) fn is_recovered(&self, at: Duration) -> bool {
        let faults_ended = self.notes().faults_ended;
        faults_ended.is_some_and(|faults_ended| at >= faults_ended + RECOVERY_TIME)
    }

    /// Whether the players must stop.
    pub(crate) fn is_over(&self) -> bool {
        self.notes().is_over
    }

    /// A random number generator for a new client.
    pub(crate) fn new_client_rng(&self) -> SimulationRng {
        let mut notes = self.notes();
        notes.players += 1;
        SimulationRng::new(self.seed, 1_000 + notes.players)
    }

    /// Calls the service of the instance at a site. There is no response if the instance crashes.
    pub(crate) async fn call<T>(
        &self,
        site: usize,
        request: impl AsyncFnOnce(&Service) -> T,
    ) -> Result<T, NoResponse> {
        let Some(instance) = self.sites[site].running() else {
            return Err(NoResponse);
        };
        let response = async {
            instance.link.wait_while_paused().await;
            let answer = request(&instance.service).await;
            instance.link.wait_while_paused().await;
            answer
        };
        tokio::select! {
            biased;
            () = instance.gone.cancelled() => Err(NoResponse),
            answer = response => Ok(answer),
        }
    }

    pub(crate) fn acknowledge(&self, acknowledged: Acknowledged) {
        self.counts.acknowledged.add();
        if acknowledged.repeated {
            self.counts.repeated.add();
        }
        self.trace.log(&format!("acknowledged: {acknowledged:?}"));
        self.notes().acknowledged.push(acknowledged);
    }
}

/// Simulates a seed; the trace contains the failures.
pub(crate) async fn run_world(
    seed: u64,
    bug: Option<InjectedBug>,
    games: &Registry,
    counts: &Arc<Counts>,
) -> Arc<World> {
    let world = World::new(seed, bug, games, counts);
    counts.seeds.add();
    let _subscriber = TraceSubscriber::of(&world.trace);
    if timeout(HANG, run(&world)).await.is_err() {
        world.trace.fail("the world hangs");
    }
    world
}

async fn run(world: &Arc<World>) {
    for site in &world.sites {
        site.start();
    }
    let faults_task = tokio::spawn(run_faults(Arc::clone(world)));
    tables::open(world).await;
    faults_task.await.expect("the faults end");
    world.faults.disable();
    world.notes().faults_ended = Some(world.trace.elapsed());
    sleep(RECOVERY_TIME).await;
    // From now on entries must arrive without delay, also across an outage of the notification channel.
    tables::open_late(world).await;
    let before = assertions::progress(world);
    let mut rng = SimulationRng::new(world.seed, 4);
    for _ in 0..3 {
        for site in &world.sites {
            site.break_channel(rng.ms(20..100));
        }
        sleep(OBSERVATION_TIME / 3).await;
    }
    assertions::check_progress(world, &before);
    world.notes().is_over = true;
    sleep(Duration::from_millis(500)).await;
    assertions::check_all(world).await;
    assertions::read_pages(world).await;
    for site in &world.sites {
        if let Some(instance) = site.running() {
            instance.service.close().await;
        }
    }
    assertions::check_no_secret_leaked(world);
}

/// Crashes, pauses and notification outages.
async fn run_faults(world: Arc<World>) {
    let mut rng = SimulationRng::new(world.seed, 3);
    let [crashes, pauses, outages] =
        [[0, 40, 150], [0, 60, 200], [0, 100, 300]].map(|of| *rng.pick(&of));
    let mut restarts = Vec::new();
    while world.trace.elapsed() < FAULT_TIME {
        sleep(rng.ms(50..300)).await;
        for site in &world.sites {
            if rng.happens_per_mille(crashes) && site.running().is_some() {
                site.crash();
                let (site, time) = (Arc::clone(site), rng.ms(50..2_500));
                restarts.push(tokio::spawn(async move {
                    sleep(time).await;
                    site.start();
                }));
            }
            if rng.happens_per_mille(pauses) {
                site.pause(rng.ms(200..4_500));
            }
            if rng.happens_per_mille(outages) {
                site.break_channel(rng.ms(50..1_000));
            }
        }
    }
    for restart in restarts {
        restart.await.expect("the site restarts");
    }
    // Paused instances resume.
    sleep(Duration::from_millis(4_500)).await;
}

/// Starts a player.
pub(crate) fn spawn_player(world: &Arc<World>, player: SimulatedPlayer) {
    tokio::spawn(player.play(Arc::clone(world)));
}
