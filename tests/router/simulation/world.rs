//! The world of one seed: two sites, one truth, the weather, and those who play and watch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::game_adapters::Registry;
use dice_of_doom::service::Service;
use dice_of_doom::store::GameId;
use tokio::time::{sleep, timeout};

use super::chance::Chance;
use super::clients::Person;
use super::counts::Counts;
use super::faults::Weather;
use super::instance::Site;
use super::model::{Plant, Truth};
use super::scenario::{Scribe, Story};
use super::watching::Heard;
use super::{assertions, tables};

/// For so long things go wrong.
pub(crate) const BAD: Duration = Duration::from_secs(6);

/// After so long without anything that goes wrong all is as it should be: leases have run out, and what was under way
/// has come.
const MENDED: Duration = Duration::from_secs(4);

/// For so long it is watched then.
const GOOD: Duration = Duration::from_secs(3);

/// Nothing takes longer, in any world.
const HANG: Duration = Duration::from_secs(600);

/// Nobody is answered: the instance died, or there is none.
#[derive(Debug)]
pub(crate) struct Lost;

/// What somebody was told to be kept.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) game: GameId,
    pub(crate) number: u32,
    pub(crate) what: What,
    pub(crate) repeated: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Ply { player: u8, action: String },
    Words(String),
    Takeback,
}

pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) games: Registry,
    pub(crate) story: Arc<Story>,
    pub(crate) counts: Arc<Counts>,
    pub(crate) weather: Arc<Weather>,
    pub(crate) truth: Arc<Truth>,
    pub(crate) sites: [Arc<Site>; 2],
    notes: Mutex<Notes>,
}

#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) acknowledged: Vec<Acknowledged>,
    /// What each watcher has heard.
    pub(crate) heard: Vec<Arc<Heard>>,
    /// What opens seats, as it is written.
    pub(crate) secrets: Vec<String>,
    /// The rematches that people were told, by the game before.
    pub(crate) rematches: Vec<(GameId, GameId)>,
    /// Those who took a seat with a link.
    pub(crate) seated: Vec<(GameId, u64)>,
    people: u64,
    /// When nothing went wrong any more.
    cleared: Option<Duration>,
    is_over: bool,
}

impl World {
    fn new(seed: u64, plant: Option<Plant>, games: &Registry, counts: &Arc<Counts>) -> Arc<Self> {
        let story = Story::new();
        let weather = Weather::new(seed, &story, counts);
        let truth = Truth::new(&story, plant, counts);
        let chance = Arc::new(Mutex::new(Chance::new(seed, 2)));
        let site = |name| Site::new(name, games, &truth, &weather, &chance);
        Arc::new(World {
            seed,
            games: games.clone(),
            story: Arc::clone(&story),
            counts: Arc::clone(counts),
            sites: [site("a"), site("b")],
            weather,
            truth,
            notes: Mutex::default(),
        })
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing has gone wrong for long enough that all is as it should be.
    pub(crate) fn is_good(&self, at: Duration) -> bool {
        let cleared = self.notes().cleared;
        cleared.is_some_and(|cleared| at >= cleared + MENDED)
    }

    /// Whether people are to leave.
    pub(crate) fn is_over(&self) -> bool {
        self.notes().is_over
    }

    /// Somebody who comes, with a chance of their own.
    pub(crate) fn newcomer(&self) -> Chance {
        let mut notes = self.notes();
        notes.people += 1;
        Chance::new(self.seed, 1_000 + notes.people)
    }

    /// Asks the instance at a site. Whoever it dies under is not answered.
    pub(crate) async fn at<T>(
        &self,
        site: usize,
        asks: impl AsyncFnOnce(&Service) -> T,
    ) -> Result<T, Lost> {
        let Some(instance) = self.sites[site].running() else {
            return Err(Lost);
        };
        let asked = async {
            instance.line.moves().await;
            let answer = asks(&instance.service).await;
            instance.line.moves().await;
            answer
        };
        tokio::select! {
            biased;
            () = instance.gone.cancelled() => Err(Lost),
            answer = asked => Ok(answer),
        }
    }

    pub(crate) fn acknowledge(&self, acknowledged: Acknowledged) {
        self.counts.acknowledged.add();
        if acknowledged.repeated {
            self.counts.repeated.add();
        }
        self.story.tell(&format!("told: {acknowledged:?}"));
        self.notes().acknowledged.push(acknowledged);
    }
}

/// Lives through the world of a seed; its story has the faults that were found.
pub(crate) async fn live(
    seed: u64,
    plant: Option<Plant>,
    games: &Registry,
    counts: &Arc<Counts>,
) -> Arc<World> {
    let world = World::new(seed, plant, games, counts);
    counts.seeds.add();
    let _scribe = Scribe::of(&world.story);
    if timeout(HANG, days(&world)).await.is_err() {
        world.story.fault("the world stands still");
    }
    world
}

async fn days(world: &Arc<World>) {
    for site in &world.sites {
        site.start();
    }
    let trouble = tokio::spawn(trouble(Arc::clone(world)));
    tables::open(world).await;
    trouble.await.expect("trouble comes to an end");
    world.weather.clear_up();
    world.notes().cleared = Some(world.story.time());
    sleep(MENDED).await;
    // From here on everything is heard soon, also when a bell breaks and comes back.
    tables::open_late(world).await;
    let before = assertions::standings(world);
    let mut chance = Chance::new(world.seed, 4);
    for _ in 0..3 {
        for site in &world.sites {
            site.break_bell(chance.ms(20..100));
        }
        sleep(GOOD / 3).await;
    }
    assertions::games_progressed(world, &before);
    world.notes().is_over = true;
    sleep(Duration::from_millis(500)).await;
    assertions::judge(world).await;
    assertions::read_pages(world).await;
    for site in &world.sites {
        if let Some(instance) = site.running() {
            instance.service.close().await;
        }
    }
    assertions::no_secret_was_told(world);
}

/// What goes wrong with instances while the weather is bad.
async fn trouble(world: Arc<World>) {
    let mut chance = Chance::new(world.seed, 3);
    let [crashes, freezes, bells] =
        [[0, 40, 150], [0, 60, 200], [0, 100, 300]].map(|of| *chance.pick(&of));
    let mut restarts = Vec::new();
    while world.story.time() < BAD {
        sleep(chance.ms(50..300)).await;
        for site in &world.sites {
            if chance.in_a_thousand(crashes) && site.running().is_some() {
                site.crash();
                let (site, time) = (Arc::clone(site), chance.ms(50..2_500));
                restarts.push(tokio::spawn(async move {
                    sleep(time).await;
                    site.start();
                }));
            }
            if chance.in_a_thousand(freezes) {
                site.stand_still(chance.ms(200..4_500));
            }
            if chance.in_a_thousand(bells) {
                site.break_bell(chance.ms(50..1_000));
            }
        }
    }
    for restart in restarts {
        restart.await.expect("a site starts again");
    }
    // Whoever stands still goes on.
    sleep(Duration::from_millis(4_500)).await;
}

/// Somebody sits down and plays.
pub(crate) fn come(world: &Arc<World>, person: Person) {
    tokio::spawn(person.play(Arc::clone(world)));
}
