//! Computer players under load: every turn is answered with the move that would be chosen on an idle machine, and no
//! client's turns block others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dice_of_doom::games::{ConfiguredGame, LiveGame, Registry, StartPosition};
use dice_of_doom::level::Level;
use dice_of_doom::record::EntryRow;
use dice_of_doom::seats::{ComputerPace, Credentials, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::store::GameId;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::tables::scheduler::QueueStats;
use dice_of_doom::tables::{
    GameCreator, GameSubscription, NewGame, Service, ServiceError, ServiceSettings, Snapshot,
};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use crate::common::failing_store::FailingStore;
use crate::common::until;

/// A timeout that is longer than anything here may take: reaching it is a failure.
const HANG: Duration = Duration::from_secs(120);

const TURNS: usize = 200;

/// A service with this number of compute threads and without effective time limits, so that choices are
/// deterministic.
fn service(threads: usize) -> Service {
    let settings = ServiceSettings {
        compute_threads: threads,
        ply_deadline: Duration::from_secs(3600),
        ..ServiceSettings::default()
    };
    Service::new(
        Registry::builtin(),
        Arc::new(SqliteStore::in_memory()),
        settings,
    )
}

fn dice(rules: Rules, size: u8, players: u8) -> Arc<dyn ConfiguredGame> {
    let (_, max_dice, _) = rules.defaults();
    Arc::new(DiceOfDoom::new(rules, size, players, max_dice).unwrap())
}

fn trilobite(width: u8, height: u8, win: u8) -> Arc<dyn ConfiguredGame> {
    Arc::new(Trilobite::new(width, height, win).unwrap())
}

/// A deterministic game of computers.
fn game(setting: Arc<dyn ConfiguredGame>, seed: u64, level: Level, pace: ComputerPace) -> NewGame {
    let seats = usize::from(setting.players());
    let seat_specs = vec![SeatSpec::Level(level.into()); seats];
    NewGame {
        pace,
        ..NewGame::new(setting, StartPosition::Dealt(seed), seat_specs)
    }
}

/// A game whose first turn takes a computer long.
fn slow_game() -> NewGame {
    game(
        dice(Rules::V4, 8, 6),
        3,
        Level::Champion,
        ComputerPace::OnRequest,
    )
}

async fn create(service: &Service, new: NewGame) -> GameId {
    service.create(new).await.unwrap().snapshot.id.clone()
}

async fn action(service: &Service, id: &GameId, ply: u32) -> String {
    let snapshot = service.snapshot(id).await.unwrap();
    played_action(&*snapshot.live, ply)
}

/// The action of a ply, in notation.
fn played_action(live: &dyn LiveGame, ply: u32) -> String {
    match live.entry(ply) {
        Some(EntryRow::Ply(row)) => row.action,
        other => panic!("entry {ply} is {other:?}"),
    }
}

/// `TURNS` games of both kinds at every level but the slowest two.
fn many_games() -> Vec<NewGame> {
    let levels = &Level::ALL[..7];
    (0..TURNS)
        .map(|number| {
            let level = levels[number % levels.len()];
            let setting = match number % 4 {
                0 => trilobite(4 + (number % 5) as u8, 5, 4),
                1 => dice(Rules::V3, 4, 2),
                2 => dice(Rules::Conquest, 3, 3),
                _ => dice(Rules::V4, 4, 4),
            };
            game(setting, number as u64, level, ComputerPace::OnRequest)
        })
        .collect()
}

/// The first snapshot that fulfils the condition; `None` if the table is unloaded before.
async fn first_received(
    subscription: &mut GameSubscription,
    fits: impl Fn(&Snapshot) -> bool,
) -> Option<Arc<Snapshot>> {
    loop {
        let snapshot = subscription.receive().ok()?;
        if fits(&snapshot) {
            return Some(snapshot);
        }
        subscription.changed().await.ok()?;
    }
}

#[tokio::test]
async fn concurrent_turns_are_answered_as_if_alone() {
    let mut alone = Vec::new();
    for new in many_games() {
        let service = service(1);
        let id = create(&service, new).await;
        service.play_computer_ply(&id, 0).await.unwrap();
        alone.push(action(&service, &id, 0).await);
    }

    let service = service(1);
    let mut games = Vec::new();
    for new in many_games() {
        games.push(create(&service, new).await);
    }
    // One long turn occupies the only thread, except for short turns, while the others are requested.
    let long = create(&service, slow_game()).await;
    let first = tokio::spawn({
        let service = service.clone();
        async move { service.play_computer_ply(&long, 0).await.unwrap().number }
    });
    until("the long turn starts", || {
        service.compute_queue().busy_threads == 1
    })
    .await;
    let (done, mut answers) = mpsc::unbounded_channel();
    for (number, id) in games.iter().enumerate() {
        let (service, id, done) = (service.clone(), id.clone(), done.clone());
        tokio::spawn(async move {
            let played = service.play_computer_ply(&id, 0).await;
            done.send((number, played.map(|played| played.number)))
                .unwrap();
        });
    }
    let mut order = Vec::new();
    for _ in 0..TURNS {
        let (number, played) = answers.recv().await.unwrap();
        assert_eq!(played.unwrap(), 0);
        if order.is_empty() {
            assert!(!first.is_finished(), "a short turn precedes the long one");
        }
        order.push(number);
    }
    order.sort_unstable();
    assert_eq!(order, (0..TURNS).collect::<Vec<_>>());
    assert_eq!(first.await.unwrap(), 0);
    for (id, alone) in games.iter().zip(&alone) {
        assert_eq!(action(&service, id, 0).await, *alone);
    }
    assert_eq!(service.compute_queue(), QueueStats::default());
}

/// Games without chance, played to their end.
fn whole_games() -> Vec<NewGame> {
    let levels = [Level::Random, Level::Book, Level::Greedy, Level::Steady];
    let mut games = Vec::new();
    for seed in 0..6 {
        for level in levels {
            games.push(game(
                dice(Rules::V2, 4, 2),
                seed,
                level,
                ComputerPace::AtOnce,
            ));
        }
    }
    for (seed, level) in [(7, Level::Expert), (8, Level::Expert), (9, Level::Master)] {
        games.push(game(
            dice(Rules::V3, 4, 2),
            seed,
            level,
            ComputerPace::AtOnce,
        ));
        let setting = trilobite(seed as u8 - 2, 4, 4);
        games.push(game(setting, seed, level, ComputerPace::AtOnce));
    }
    games
}

async fn play_to_end(service: &Service, id: &GameId) -> Vec<String> {
    let over = service.wait_for(id, HANG, |snapshot| snapshot.live.is_over());
    let live = &over.await.unwrap().live;
    assert!(live.is_over());
    let plies = (0..live.entry_count()).map(|ply| played_action(&**live, ply));
    plies.collect()
}

#[tokio::test]
async fn whole_games_are_the_same_alone_and_concurrently() {
    let mut alone = Vec::new();
    for new in whole_games() {
        let service = service(1);
        let id = create(&service, new).await;
        alone.push(play_to_end(&service, &id).await);
    }
    assert!(alone.iter().map(Vec::len).sum::<usize>() > 300);
    for threads in [1, 3] {
        let service = service(threads);
        let mut games = Vec::new();
        for new in whole_games() {
            games.push(create(&service, new).await);
        }
        for (id, alone) in games.iter().zip(&alone) {
            assert_eq!(play_to_end(&service, id).await, *alone);
        }
    }
}

#[tokio::test]
async fn concurrent_requests_for_a_ply_get_the_same_ply() {
    let service = service(1);
    let id = create(&service, slow_game()).await;
    let request = || {
        let (service, id) = (service.clone(), id.clone());
        tokio::spawn(async move { service.play_computer_ply(&id, 0).await.unwrap().repeated })
    };
    let (one, other) = (request(), request());
    let answers = (one.await.unwrap(), other.await.unwrap());
    assert!(answers == (false, true), "{answers:?}");
    assert_eq!(service.snapshot(&id).await.unwrap().live.entry_count(), 1);
}

#[tokio::test]
async fn with_a_full_queue_requests_are_rejected_and_automatic_plies_wait() {
    let settings = ServiceSettings {
        compute_threads: 1,
        max_queued_turns: 1,
        ..ServiceSettings::default()
    };
    let service = Service::new(
        Registry::builtin(),
        Arc::new(SqliteStore::in_memory()),
        settings,
    );
    let step = |id: GameId| {
        let service = service.clone();
        tokio::spawn(async move {
            service
                .play_computer_ply(&id, 0)
                .await
                .map(|played| played.number)
        })
    };
    let long = step(create(&service, slow_game()).await);
    until("the long turn starts", || {
        service.compute_queue().busy_threads == 1
    })
    .await;
    let setting = dice(Rules::V4, 3, 2);
    let short = |pace| game(Arc::clone(&setting), 1, Level::Master, pace);
    let queued = step(create(&service, short(ComputerPace::OnRequest)).await);
    until("one turn is queued", || {
        service.compute_queue().queued_turns == 1
    })
    .await;
    let too_many = create(&service, short(ComputerPace::OnRequest)).await;
    let refused = service.play_computer_ply(&too_many, 0).await;
    assert!(matches!(refused, Err(ServiceError::Busy)), "{refused:?}");
    // An automatic ply is retried later.
    let automatic = create(&service, short(ComputerPace::AtOnce)).await;
    assert!(!long.is_finished(), "the long turn ended too early");
    assert_eq!(
        (long.await.unwrap().unwrap(), queued.await.unwrap().unwrap()),
        (0, 0)
    );
    assert!(!play_to_end(&service, &automatic).await.is_empty());
    assert_eq!(
        service
            .play_computer_ply(&too_many, 0)
            .await
            .unwrap()
            .number,
        0
    );
}

/// A human against a computer whose first turn takes long.
async fn against_slow_computer(service: &Service, human: &Secret) -> GameId {
    let setting = dice(Rules::V4, 8, 2);
    let seat_specs = vec![SeatSpec::Level(Level::Champion.into()), SeatSpec::Human];
    let new = NewGame {
        creator: GameCreator::Browser(human.clone()),
        ..NewGame::new(setting, StartPosition::Dealt(2), seat_specs)
    };
    let id = create(service, new).await;
    until("the computer searches", || {
        service.compute_queue().busy_threads == 1
    })
    .await;
    id
}

#[tokio::test]
async fn a_search_is_cancelled_when_the_game_ends() {
    let service = service(1);
    let human = Secret::random();
    let id = against_slow_computer(&service, &human).await;
    let credentials = Credentials {
        browser: Some(human.hash()),
        ..Credentials::default()
    };
    let snapshot = service.resign(&id, credentials, None).await.unwrap();
    assert!(snapshot.live.is_over());
    until("the thread is free", || {
        service.compute_queue().busy_threads == 0
    })
    .await;
    assert_eq!(service.snapshot(&id).await.unwrap().live.entry_count(), 0);
}

#[tokio::test]
async fn shutdown_does_not_wait_for_searches() {
    let service = service(1);
    against_slow_computer(&service, &Secret::random()).await;
    for seed in 0..20 {
        let parameters = dice(Rules::V4, 5, 4);
        create(
            &service,
            game(parameters, seed, Level::Champion, ComputerPace::AtOnce),
        )
        .await;
    }
    until("the other turns are queued", || {
        service.compute_queue().queued_turns == 20
    })
    .await;
    let started = Instant::now();
    service.close().await;
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(service.compute_queue(), QueueStats::default());
}

/// A game of computers alone that lasts for a while.
fn computers_only(seed: u64) -> NewGame {
    game(
        trilobite(8, 7, 8),
        seed,
        Level::Greedy,
        ComputerPace::AtOnce,
    )
}

#[tokio::test]
async fn a_game_of_computers_is_paused_while_unwatched() {
    let settings = ServiceSettings {
        compute_threads: 1,
        // Every view expires at once.
        unwatched_after: Duration::ZERO,
        ..ServiceSettings::default()
    };
    let store = Arc::new(SqliteStore::in_memory());
    let service = Service::new(Registry::builtin(), store.clone(), settings);
    let id = create(&service, computers_only(1)).await;
    let wait_until_paused = async |service: &Service| {
        let started = Instant::now();
        loop {
            let snapshot = service.snapshot_unloaded(&id).await.unwrap();
            if snapshot.paused && !service.is_computing(&id) {
                return snapshot.live.entry_count();
            }
            assert!(started.elapsed() < HANG, "the game is not paused");
            tokio::task::yield_now().await;
        }
    };
    let paused_at = wait_until_paused(&service).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        service
            .snapshot_unloaded(&id)
            .await
            .unwrap()
            .live
            .entry_count(),
        paused_at
    );
    // An open stream counts as a view.
    let watcher = Credentials::default();
    let mut stream = service.subscribe(&id, &watcher).await.unwrap();
    let is_further = |now: &Snapshot| now.live.entry_count() >= paused_at + 3 && !now.paused;
    let further = first_received(&mut stream, is_further).await;
    assert!(!further.unwrap().live.is_over());
    drop(stream);
    let paused_at = wait_until_paused(&service).await;
    // After a restart no game has views; games with humans need none.
    let table = vec![SeatSpec::Level(Level::Greedy.into()), SeatSpec::Human];
    let with_human = NewGame::new(trilobite(8, 7, 8), StartPosition::Dealt(1), table);
    let with_human = create(&service, with_human).await;
    let over = service
        .wait_for(&with_human, HANG, |now| now.live.entry_count() == 1)
        .await;
    assert!(!over.unwrap().paused);
    let again = Service::new(Registry::builtin(), store, settings);
    again.resume_unfinished().await;
    assert_eq!(again.games_in_memory(), 0);
    assert_eq!(wait_until_paused(&again).await, paused_at);
    assert!(!play_to_end(&again, &id).await.is_empty());
    assert!(
        !again.snapshot_unloaded(&id).await.unwrap().paused,
        "a finished game is not paused"
    );
}

/// The table stays in memory meanwhile, because a new one would not know the pending ply.
#[tokio::test(start_paused = true)]
async fn a_ply_that_cannot_be_stored_is_retried_with_backoff() {
    let store = Arc::new(FailingStore {
        failures: AtomicU32::new(u32::MAX),
        player: 0,
        ..FailingStore::default()
    });
    let service = Service::new(
        Registry::builtin(),
        store.clone(),
        ServiceSettings::default(),
    );
    let background = service.clone();
    tokio::spawn(async move { background.run_background().await });
    let seat_specs = vec![SeatSpec::Level(Level::Random.into()), SeatSpec::Human];
    let new = NewGame::new(dice(Rules::V4, 4, 2), StartPosition::Dealt(1), seat_specs);
    let id = create(&service, new).await;
    let watcher = Credentials::default();
    let mut game = service.subscribe(&id, &watcher).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let attempts = u32::MAX - store.failures.load(Ordering::SeqCst);
    assert!((5..=8).contains(&attempts), "{attempts}");
    let changed = game.changed().now_or_never();
    assert!(!matches!(changed, Some(Err(_))), "the table was unloaded");
    assert_eq!(service.games_in_memory(), 1);
    store.failures.store(0, Ordering::SeqCst);
    let played = first_received(&mut game, |game| game.live.entry_count() > 0).await;
    assert!(played.is_some());
}
