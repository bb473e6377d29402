//! Two instances of the service's own code on one thread and a clock that stands still until it is needed, over one
//! archive and two bells, between which requests and rings are lost, late, out of order and twice, and which die, stand
//! still and are started again. Everything follows from one number, so what failed once fails again.
//!
//! `DOD_SEEDS=10000 cargo test --test router simulation:: -- --nocapture` lives through so many worlds; without a number it is a
//! hundredth of that. `DOD_SEED=17 cargo test --test router simulation::one_seed -- --nocapture` tells the story of one.

mod assertions;
mod chance;
mod clients;
mod counts;
mod faults;
mod instance;
mod line;
mod model;
mod notifications;
mod pages;
mod scenario;
mod tables;
mod watching;
mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::loops::times;
use counts::Counts;
use dice_of_doom::game_adapters::{Registry, StartPosition};
use dice_of_doom::games::trilobite::Trilobite;
use dice_of_doom::seats::SeatSpec;
use dice_of_doom::service::{Credentials, NewGame, Service, ServiceSettings};
use faults::FaultModel;
use line::StoreLink;
use model::{InjectedBug, SharedStore};
use notifications::NotificationChannel;
use scenario::Trace;
use world::World;

/// A planted fault is found within so many seeds.
const FOUND_WITHIN: u64 = 1_000;

/// Lives through one world, on this thread.
fn run_world(seed: u64, bug: Option<InjectedBug>, games: &Registry, counts: &Arc<Counts>) -> Arc<World> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(world::run_world(seed, bug, games, counts))
}

/// The first seed below `seeds` with a fault, in the order of seeds, on all cores.
fn first_failing_seed(
    seeds: u64,
    bug: Option<InjectedBug>,
    games: &Registry,
    counts: &Arc<Counts>,
) -> Option<(u64, Arc<World>)> {
    let (next, stop) = (AtomicU64::new(0), AtomicU64::new(seeds));
    let worker = || {
        let mut found = None;
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= stop.load(Ordering::SeqCst) {
                return found;
            }
            let world = run_world(seed, bug, games, counts);
            if !world.trace.failures().is_empty() {
                stop.fetch_min(seed, Ordering::SeqCst);
                found.get_or_insert((seed, world));
            }
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let found = threads
            .into_iter()
            .filter_map(|thread| thread.join().unwrap());
        found.min_by_key(|(seed, _)| *seed)
    })
}

/// `DOD_SEEDS=10000 cargo test --test router simulation::worlds -- --nocapture`
#[test]
fn worlds_in_which_much_goes_wrong_end_well() {
    let (games, counts, begun) = (Registry::builtin(), Arc::default(), Instant::now());
    let seeds = u64::from(times("DOD_SEEDS", 10_000));
    if let Some((seed, world)) = first_failing_seed(seeds, None, &games, &counts) {
        let told = world.trace.lines();
        let last: Vec<_> = told.lines().rev().take(60).collect();
        let last: Vec<_> = last.into_iter().rev().collect();
        panic!(
            "seed {seed}: {:#?}\n{}\nThe whole story: DOD_SEED={seed} cargo test --test router simulation::one_seed -- --nocapture",
            world.trace.failures(),
            last.join("\n")
        );
    }
    println!("{counts}; in {:?}", begun.elapsed());
    assert!(counts.acknowledged.number() > seeds && counts.crashes.number() > 0);
}

/// The story of one seed, twice: it is the same.
#[test]
fn one_seed_tells_one_story() {
    let (games, counts) = (Registry::builtin(), Arc::default());
    let asked = std::env::var("DOD_SEED").ok();
    let seeds = match &asked {
        Some(seed) => vec![seed.parse().expect("a number")],
        None => (0..6).map(|seed| seed * 37).collect(),
    };
    for seed in seeds {
        let first = run_world(seed, None, &games, &counts);
        if asked.is_some() {
            println!("{}", first.trace.lines());
        }
        let second = run_world(seed, None, &games, &counts);
        if first.trace.hash() != second.trace.hash() {
            let (one, other) = (first.trace.lines(), second.trace.lines());
            let mut both = one.lines().zip(other.lines()).enumerate();
            let differs = both.find(|(_, (one, other))| one != other);
            panic!("seed {seed} tells two stories, from here on: {differs:#?}");
        }
        let failures = first.trace.failures();
        assert!(failures.is_empty(), "seed {seed}: {faults:#?}");
    }
}

/// Two read a game that is not in memory, and the answer to the first is slow. Meanwhile somebody plays elsewhere, and
/// then the second one asks. Seed 614 of the first simulation was shown what the first one had read.
#[tokio::test(start_paused = true)]
async fn whoever_looks_later_is_not_shown_what_somebody_slower_has_read() {
    let (games, trace, counts) = (Registry::builtin(), Trace::new(), Arc::default());
    let faults = FaultModel::new(0, &trace, &counts);
    faults.disable();
    let shared = SharedStore::new(&trace, None, &counts);
    let instance = |name| {
        let channel = NotificationChannel::new(name, &faults, None);
        let link = StoreLink::new(name, &shared, &faults, &channel);
        let service = Service::new(games.clone(), link.clone(), ServiceSettings::default());
        (link, service)
    };
    let ((_, here), (link, there)) = (instance("here"), instance("there"));
    let setting = Arc::new(Trilobite::new(4, 4, 4).unwrap());
    let new = NewGame::new(setting, StartPosition::Dealt(1), vec![SeatSpec::Human; 2]);
    let created = here.create(new).await.unwrap();
    let id = created.snapshot.id.clone();
    let ms = Duration::from_millis;
    link.delay_responses(&[ms(500), ms(300)]);
    let slow = tokio::spawn({
        let (there, id) = (there.clone(), id.clone());
        async move { there.snapshot(&id).await.unwrap().live.ply() }
    });
    tokio::time::sleep(ms(250)).await;
    let credentials = Credentials {
        token: created.tokens[0].as_ref().map(|token| token.hash()),
        ..Credentials::default()
    };
    assert_eq!(here.play(&id, credentials, 0, "a").await.unwrap().number, 0);
    assert_eq!(there.snapshot(&id).await.unwrap().live.ply(), 1);
    slow.await.unwrap();
}

/// What the simulation is worth: faults that were made on purpose are found.
#[test]
fn planted_faults_are_found() {
    let games = Registry::builtin();
    for bug in [InjectedBug::IgnoredFencing, InjectedBug::ReadBeforeListen, InjectedBug::IgnoredNumber] {
        let counts = Arc::default();
        let found = first_failing_seed(FOUND_WITHIN, Some(bug), &games, &counts);
        let Some((seed, world)) = found else {
            panic!("{bug:?} is not found within {FOUND_WITHIN} seeds");
        };
        let failures = world.trace.failures();
        println!(
            "{bug:?}: found by seed {seed}, of {}: {}",
            seed + 1,
            failures[0]
        );
    }
}
