//! Computers under load: every turn is answered, with the move that would have been chosen on an idle
//! machine, and nobody's turns keep others waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dice_of_doom::game_adapters::{ConfiguredGame, Registry, StartPosition};
use dice_of_doom::games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom::games::trilobite::Trilobite;
use dice_of_doom::level::Level;
use dice_of_doom::seats::{ComputerPace, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::service::scheduler::QueueStats;
use dice_of_doom::service::{
    Credentials, GameCreator, NewGame, Service, ServiceError, ServiceSettings,
};
use dice_of_doom::store::GameId;
use dice_of_doom::store::memory::MemoryStore;
use tokio::sync::mpsc;

use crate::common::flaky::Flaky;

/// Longer than anything here may take: reaching it is a failure.
const HANG: Duration = Duration::from_secs(120);

const TURNS: usize = 200;

/// A service that thinks on so many threads; no clock decides what is chosen.
fn service(thinkers: usize) -> Service {
    let settings = ServiceSettings {
        compute_threads: thinkers,
        ply_deadline: Duration::from_secs(3600),
        ..ServiceSettings::default()
    };
    Service::new(Registry::builtin(), Arc::new(MemoryStore::new()), settings)
}

fn dice(rules: Rules, size: u8, players: u8) -> Arc<dyn ConfiguredGame> {
    let (_, max_dice, _) = rules.defaults();
    Arc::new(DiceOfDoom::new(rules, size, players, max_dice).unwrap())
}

fn trilobite(width: u8, height: u8, win: u8) -> Arc<dyn ConfiguredGame> {
    Arc::new(Trilobite::new(width, height, win).unwrap())
}

/// A game of computers that is the same each time.
fn game(setting: Arc<dyn ConfiguredGame>, seed: u64, level: Level, pace: ComputerPace) -> NewGame {
    let seats = usize::from(setting.players());
    let sitters = vec![SeatSpec::Level(level.into()); seats];
    NewGame {
        pace,
        ..NewGame::of(setting, StartPosition::Deal(seed), sitters)
    }
}

/// A game that a computer begins with a long thought.
fn long_thought() -> NewGame {
    game(
        dice(Rules::V4, 8, 6),
        3,
        Level::Champion,
        ComputerPace::OnRequest,
    )
}

async fn created(service: &Service, new: NewGame) -> GameId {
    service.create(new).await.unwrap().snapshot.id.clone()
}

async fn action(service: &Service, id: &GameId, ply: u32) -> String {
    let snapshot = service.snapshot(id).await.unwrap();
    snapshot.live.player_and_action(ply).unwrap().1
}

/// Lets others go on until it is so.
async fn until(what: &str, fits: impl Fn() -> bool) {
    let begun = Instant::now();
    while !fits() {
        assert!(begun.elapsed() < HANG, "{what}");
        tokio::task::yield_now().await;
    }
}

/// Two hundred games of both kinds at every level but the slowest.
fn many() -> Vec<NewGame> {
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

#[tokio::test]
async fn turns_asked_at_once_are_answered_as_if_alone() {
    let mut alone = Vec::new();
    for new in many() {
        let service = service(1);
        let id = created(&service, new).await;
        service.play_computer_ply(&id, 0).await.unwrap();
        alone.push(action(&service, &id, 0).await);
    }

    let service = service(1);
    let mut games = Vec::new();
    for new in many() {
        games.push(created(&service, new).await);
    }
    // One long thought keeps the only thread for turns of any length while the others ask.
    let long = created(&service, long_thought()).await;
    let first = tokio::spawn({
        let service = service.clone();
        async move { service.play_computer_ply(&long, 0).await.unwrap().number }
    });
    until("the long thought begins", || {
        service.compute_queue().thinking == 1
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
            assert!(!first.is_finished(), "nothing quick went before");
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

/// Games without luck, played to their end.
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

async fn played(service: &Service, id: &GameId) -> Vec<String> {
    let over = service.wait_for(id, HANG, |snapshot| snapshot.live.is_over());
    let live = &over.await.unwrap().live;
    assert!(live.is_over());
    let plies = (0..live.ply()).map(|ply| live.player_and_action(ply).unwrap().1);
    plies.collect()
}

#[tokio::test]
async fn whole_games_are_the_same_alone_and_together() {
    let mut alone = Vec::new();
    for new in whole_games() {
        let service = service(1);
        let id = created(&service, new).await;
        alone.push(played(&service, &id).await);
    }
    assert!(alone.iter().map(Vec::len).sum::<usize>() > 300);
    for thinkers in [1, 3] {
        let service = service(thinkers);
        let mut games = Vec::new();
        for new in whole_games() {
            games.push(created(&service, new).await);
        }
        for (id, alone) in games.iter().zip(&alone) {
            assert_eq!(played(&service, id).await, *alone);
        }
    }
}

#[tokio::test]
async fn whoever_asks_for_a_ply_that_is_thought_about_gets_it_too() {
    let service = service(1);
    let id = created(&service, long_thought()).await;
    let ask = || {
        let (service, id) = (service.clone(), id.clone());
        tokio::spawn(async move { service.play_computer_ply(&id, 0).await.unwrap().repeated })
    };
    let (one, other) = (ask(), ask());
    let answers = (one.await.unwrap(), other.await.unwrap());
    assert!(answers == (false, true), "{answers:?}");
    assert_eq!(service.snapshot(&id).await.unwrap().live.ply(), 1);
}

#[tokio::test]
async fn beyond_the_bound_whoever_asks_is_told_and_computers_wait_outside() {
    let settings = ServiceSettings {
        compute_threads: 1,
        max_queued_turns: 1,
        ..ServiceSettings::default()
    };
    let service = Service::new(Registry::builtin(), Arc::new(MemoryStore::new()), settings);
    let step = |id: GameId| {
        let service = service.clone();
        tokio::spawn(async move {
            service
                .play_computer_ply(&id, 0)
                .await
                .map(|played| played.number)
        })
    };
    let long = step(created(&service, long_thought()).await);
    until("the long thought begins", || {
        service.compute_queue().thinking == 1
    })
    .await;
    let setting = dice(Rules::V4, 3, 2);
    let short = |pace| game(Arc::clone(&setting), 1, Level::Master, pace);
    let waits = step(created(&service, short(ComputerPace::OnRequest)).await);
    until("one waits", || service.compute_queue().waiting == 1).await;
    let too_many = created(&service, short(ComputerPace::OnRequest)).await;
    let refused = service.play_computer_ply(&too_many, 0).await;
    assert!(matches!(refused, Err(ServiceError::Busy)), "{refused:?}");
    // By itself a computer comes all the same, only later.
    let outside = created(&service, short(ComputerPace::AtOnce)).await;
    assert!(!long.is_finished(), "the long thought was too short");
    assert_eq!(
        (long.await.unwrap().unwrap(), waits.await.unwrap().unwrap()),
        (0, 0)
    );
    assert!(!played(&service, &outside).await.is_empty());
    assert_eq!(
        service
            .play_computer_ply(&too_many, 0)
            .await
            .unwrap()
            .number,
        0
    );
}

/// A person against a computer that begins and thinks long.
async fn against_a_long_thought(service: &Service, person: &Secret) -> GameId {
    let setting = dice(Rules::V4, 8, 2);
    let sitters = vec![SeatSpec::Level(Level::Champion.into()), SeatSpec::Human];
    let new = NewGame {
        creator: GameCreator::Browser(person.clone()),
        ..NewGame::of(setting, StartPosition::Deal(2), sitters)
    };
    let id = created(service, new).await;
    until("it thinks", || service.compute_queue().thinking == 1).await;
    id
}

#[tokio::test]
async fn a_thought_that_is_not_wanted_any_more_is_recalled() {
    let service = service(1);
    let person = Secret::random();
    let id = against_a_long_thought(&service, &person).await;
    let claim = Credentials {
        browser: Some(person.hash()),
        ..Credentials::default()
    };
    let snapshot = service.resign(&id, claim, None).await.unwrap();
    assert!(snapshot.live.is_over());
    until("its thread is free", || {
        service.compute_queue().thinking == 0
    })
    .await;
    assert_eq!(service.snapshot(&id).await.unwrap().live.ply(), 0);
}

#[tokio::test]
async fn a_server_that_stops_waits_for_no_thought() {
    let service = service(1);
    against_a_long_thought(&service, &Secret::random()).await;
    for seed in 0..20 {
        let parameters = dice(Rules::V4, 5, 4);
        created(
            &service,
            game(parameters, seed, Level::Champion, ComputerPace::AtOnce),
        )
        .await;
    }
    until("the others wait", || service.compute_queue().waiting == 20).await;
    let begun = Instant::now();
    service.close().await;
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(service.compute_queue(), QueueStats::default());
}

/// A game of computers alone that goes on for a while.
fn by_itself(seed: u64) -> NewGame {
    game(
        trilobite(8, 7, 8),
        seed,
        Level::Greedy,
        ComputerPace::AtOnce,
    )
}

#[tokio::test]
async fn a_game_of_computers_rests_while_nobody_looks() {
    let settings = ServiceSettings {
        compute_threads: 1,
        // Whoever looks at all has looked long ago.
        unwatched_after: Duration::ZERO,
        ..ServiceSettings::default()
    };
    let archive = Arc::new(MemoryStore::new());
    let service = Service::new(Registry::builtin(), archive.clone(), settings);
    let id = created(&service, by_itself(1)).await;
    let rests = async |service: &Service| {
        let begun = Instant::now();
        loop {
            let snapshot = service.snapshot_unloaded(&id).await.unwrap();
            if snapshot.paused && !service.is_computing(&id) {
                return snapshot.live.ply();
            }
            assert!(begun.elapsed() < HANG, "it does not rest");
            tokio::task::yield_now().await;
        }
    };
    let rested = rests(&service).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        service.snapshot_unloaded(&id).await.unwrap().live.ply(),
        rested
    );
    // A stream is a look as long as it is open.
    let mut stream = service.subscribe(&id).await.unwrap();
    let further = stream.wait_for(|now| now.live.ply() >= rested + 3 && !now.paused);
    assert!(!further.await.unwrap().live.is_over());
    drop(stream);
    let rested = rests(&service).await;
    // A server that begins again has been looked at by nobody; people at a table need no looks.
    let table = vec![SeatSpec::Level(Level::Greedy.into()), SeatSpec::Human];
    let people = NewGame::of(trilobite(8, 7, 8), StartPosition::Deal(1), table);
    let people = created(&service, people).await;
    let over = service
        .wait_for(&people, HANG, |now| now.live.ply() == 1)
        .await;
    assert!(!over.unwrap().paused);
    let again = Service::new(Registry::builtin(), archive, settings);
    again.resume_unfinished().await;
    assert_eq!(again.games_in_memory(), 0);
    assert_eq!(rests(&again).await, rested);
    assert!(!played(&again, &id).await.is_empty());
    assert!(
        !again.snapshot_unloaded(&id).await.unwrap().paused,
        "it is over"
    );
}

/// It stays at its table meanwhile: a second one would not know what this one still does.
#[tokio::test(start_paused = true)]
async fn a_ply_that_cannot_be_kept_is_tried_again_ever_later() {
    let archive = Arc::new(Flaky {
        failures: AtomicU32::new(u32::MAX),
        player: 0,
        ..Flaky::default()
    });
    let service = Service::new(
        Registry::builtin(),
        archive.clone(),
        ServiceSettings::default(),
    );
    let keeping = service.clone();
    tokio::spawn(async move { keeping.run_background().await });
    let sitters = vec![SeatSpec::Level(Level::Random.into()), SeatSpec::Human];
    let new = NewGame::of(dice(Rules::V4, 4, 2), StartPosition::Deal(1), sitters);
    let id = created(&service, new).await;
    let mut game = service.subscribe(&id).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let tried = u32::MAX - archive.failures.load(Ordering::SeqCst);
    assert!((5..=8).contains(&tried), "{tried}");
    assert!(game.has_changed().is_ok(), "the table has left");
    assert_eq!(service.games_in_memory(), 1);
    archive.failures.store(0, Ordering::SeqCst);
    let played = game.wait_for(|game| game.live.ply() > 0).await;
    assert!(played.is_ok());
}
