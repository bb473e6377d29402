//! Limits on what visitors can use: the cost of a list depends on what it shows, abandoned games are deleted, idle
//! tables are unloaded, reads are rate-limited, and new games are rejected before the disk is full.
//!
//! `DOD_GAMES=200000 cargo test --release --test router limits::lists -- --nocapture` measures lists over 200,000
//! games.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::{HANG, Person, Server, likely, number};
use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::clock::now_ms;
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::{Registry, StartPosition};
use dice_of_doom::level::Level;
use dice_of_doom::record::{EntryRow, PlyRow};
use dice_of_doom::seats::{Credentials, SeatSpec, Seats};
use dice_of_doom::secret::Secret;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::store::{GameHeader, GameId, Store, StoredEntry, StoredGame};
use dice_of_doom::tables::{
    CreatedGame, GameCreator, NewGame, RetentionPolicy, Service, ServiceError, ServiceSettings,
    Snapshot, StorageQuota,
};
use dice_of_doom::tree::GameTree as _;
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use futures_util::FutureExt as _;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A memory store, and a SQLite store in this folder.
async fn both_stores(folder: &TempDir) -> [Arc<dyn Store>; 2] {
    [Arc::new(SqliteStore::in_memory()), file_store(folder).await]
}

async fn file_store(folder: &TempDir) -> Arc<dyn Store> {
    let file = folder.path().join("games.db");
    Arc::new(SqliteStore::open(&file).await.unwrap())
}

/// Creates a default game with these seats; the remaining seats are computers.
async fn create(service: &Service, seats: &[SeatSpec]) -> CreatedGame {
    service.create(new_game(service, seats)).await.unwrap()
}

fn new_game(service: &Service, seats: &[SeatSpec]) -> NewGame {
    let setting = service
        .games()
        .default_game()
        .configure(JsonFields::default())
        .unwrap();
    let book = std::iter::repeat(SeatSpec::Level(Level::Book.into()));
    let seats = seats.iter().copied().chain(book);
    let seat_specs = seats.take(usize::from(setting.players())).collect();
    NewGame::new(setting, StartPosition::Dealt(7), seat_specs)
}

fn with_max_tables(tables: usize) -> ServiceSettings {
    ServiceSettings {
        max_tables: tables,
        ..ServiceSettings::default()
    }
}

/// Waits until the given number of tables is in memory.
async fn until_in_memory(service: &Service, tables: usize) {
    let started = Instant::now();
    while service.games_in_memory() != tables {
        let found = service.games_in_memory();
        assert!(started.elapsed() < HANG, "{found} tables, and not {tables}");
        tokio::task::yield_now().await;
    }
}

// ---- lists ----

/// Maximum ratio of the median times with many and with few games.
const MAX_TIME_RATIO: f64 = 1.5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_cost_only_what_they_show() {
    let measured = std::env::var("DOD_GAMES").ok();
    let measured = measured.map(|many| many.parse().expect("DOD_GAMES is a number"));
    // Each list is requested `requests` times; the medians are compared.
    let (few, many, requests) = measured.map_or((200, 600, 1), |many| (1_000, many, 101));
    let me = Secret::random();
    let (few, many) = (
        ListServer::of(few, &me).await,
        ListServer::of(many, &me).await,
    );
    for (path, cards) in [("/", 10), ("/me", 24)] {
        let mut times = [Vec::new(), Vec::new()];
        // Alternates between the two servers, so that other load affects both alike.
        for _ in 0..requests {
            for (times, instance) in times.iter_mut().zip([&few, &many]) {
                let (ms, shown) = instance.load_page(path).await;
                assert_eq!(shown, cards, "{path} shows a full page of games");
                times.push(ms);
            }
        }
        let [of_few, of_many] = times.map(median);
        println!(
            "{path}: {of_few:.2} ms of {} games, {of_many:.2} ms of {} games",
            few.games, many.games
        );
        assert!(
            measured.is_none() || of_many < of_few * MAX_TIME_RATIO,
            "{path}"
        );
    }
}

/// A server with a given number of games in a SQLite store.
struct ListServer {
    games: usize,
    reader: Person,
    _server: Server,
    _folder: TempDir,
}

impl ListServer {
    async fn of(games: usize, me: &Secret) -> Self {
        let folder = TempDir::new().unwrap();
        let store = file_store(&folder).await;
        let server = Server::on(store.clone()).await;
        let started = Instant::now();
        let model = model(&server).await;
        fill(&store, &model, me, games).await;
        println!("{games} games in {:.1?}", started.elapsed());
        ListServer {
            games,
            reader: server
                .person()
                .with("cookie", &format!("dod={}", me.to_text())),
            _server: server,
            _folder: folder,
        }
    }

    /// Returns the response time in milliseconds and the number of cards on the page.
    async fn load_page(&self, path: &str) -> (f64, usize) {
        let started = Instant::now();
        let page = self.reader.page(path).await;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        (ms, page.count("[href^='/g/']"))
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A stored game in progress, used as a template.
async fn model(server: &Server) -> StoredGame {
    let table = server
        .api()
        .create(json!({"game": "dice", "seed": 7}))
        .await;
    for _ in 0..4 {
        let now = table.settled().await;
        let path = likely(&table.moves().await);
        let player = number(&now["player"]) as usize;
        table.play(player, number(&now["ply"]), &path).await;
    }
    let id = table.id.parse().unwrap();
    let stored = server.service.store().load(&id).await;
    stored.unwrap().unwrap()
}

/// Adds copies of the template, created in the last minutes. Every second one belongs to this browser.
async fn fill(store: &Arc<dyn Store>, model: &StoredGame, me: &Secret, games: usize) {
    let begun_ms = now_ms() - 120_000;
    let mut filling = JoinSet::new();
    for number in 0..games {
        let copy = GameCopy {
            store: Arc::clone(store),
            seats: model.seats.clone(),
            entries: model.entries[..1 + number % 2].to_vec(),
            header: GameHeader {
                id: GameId::random(),
                creator: (number % 2 == 0).then(|| me.hash()),
                // Some games are private.
                private: number % 7 == 0,
                ..model.header.clone()
            },
            at_ms: begun_ms + number as i64,
        };
        filling.spawn(copy.store());
        if filling.len() > 500 {
            filling.join_next().await.unwrap().unwrap();
        }
    }
    filling.join_all().await;
}

struct GameCopy {
    store: Arc<dyn Store>,
    seats: Seats,
    entries: Vec<EntryRow>,
    header: GameHeader,
    at_ms: i64,
}

impl GameCopy {
    async fn store(self) {
        let GameCopy {
            store,
            seats,
            entries,
            header,
            at_ms,
        } = self;
        let id = header.id.clone();
        let header = GameHeader {
            created_ms: at_ms,
            ..header
        };
        store.create(header, seats.seats).await.unwrap();
        for (number, row) in (0..).zip(entries) {
            let EntryRow::Ply(ply) = row else {
                panic!("{row:?}");
            };
            let entry = StoredEntry::Ply(PlyRow { at_ms, ..ply });
            store.append(&id, number, entry).await.unwrap();
        }
    }
}

// ---- retention ----

#[tokio::test]
async fn expired_games_are_deleted_once_they_are_unloaded() {
    let folder = TempDir::new().unwrap();
    for store in both_stores(&folder).await {
        let service = Service::new(Registry::builtin(), store, with_max_tables(1));
        let policy = RetentionPolicy::default();
        let after = |days: i64| policy.cutoffs(now_ms() + days * DAY_MS + 60_000);
        let alone = create(&service, &[SeatSpec::Human]).await.snapshot;
        let found = service.delete_expired(after(9)).await;
        assert_eq!(found, Ok(0), "it is in memory");
        // Each new game unloads the one before.
        let open = [SeatSpec::Human, SeatSpec::Open];
        let hosted = create(&service, &open).await.snapshot;
        until_in_memory(&service, 1).await;
        assert_eq!(service.delete_expired(after(0)).await, Ok(0));
        assert_eq!(service.delete_expired(after(1)).await, Ok(1));
        let deleted = service.snapshot(&alone.id).await;
        assert!(
            matches!(deleted, Err(ServiceError::NotFound)),
            "{deleted:?}"
        );
        let two = [SeatSpec::Human; 2];
        let two = create(&service, &two).await.snapshot;
        until_in_memory(&service, 1).await;
        assert_eq!(service.delete_expired(after(29)).await, Ok(0));
        // A subscription keeps the other game in memory, however old it is.
        let watcher = Credentials::default();
        let mut following = service.subscribe(&two.id, &watcher).await.unwrap();
        create(&service, &[SeatSpec::Human]).await;
        let found = service.delete_expired(after(30)).await;
        assert_eq!(found, Ok(1), "the hosted game");
        let deleted = service.snapshot(&hosted.id).await;
        assert!(
            matches!(deleted, Err(ServiceError::NotFound)),
            "{deleted:?}"
        );
        assert_eq!(
            service.snapshot(&two.id).await.unwrap().id,
            following.receive().unwrap().id
        );
        service.close().await;
    }
}

#[tokio::test]
async fn expired_games_are_deleted_in_batches() {
    let folder = TempDir::new().unwrap();
    for store in both_stores(&folder).await {
        let service = Service::new(Registry::builtin(), store, with_max_tables(20));
        for _ in 0..250 {
            create(&service, &[SeatSpec::Human]).await;
        }
        until_in_memory(&service, 20).await;
        let cutoffs = RetentionPolicy::default().cutoffs(now_ms() + 2 * DAY_MS);
        assert_eq!(service.delete_expired(cutoffs).await, Ok(230));
        assert_eq!(service.delete_expired(cutoffs).await, Ok(0));
        service.close().await;
    }
}

/// Two tasks subscribe and unsubscribe while every game is expired: a subscribed game is never deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscribed_games_are_never_deleted() {
    const ROUNDS: usize = 100;
    let folder = TempDir::new().unwrap();
    for store in both_stores(&folder).await {
        let service = Service::new(Registry::builtin(), Arc::clone(&store), with_max_tables(2));
        let cutoffs = RetentionPolicy::default().cutoffs(now_ms() + 100 * DAY_MS);
        let done = CancellationToken::new();
        let deleted = Arc::new(AtomicU64::new(0));
        let sweeping = tokio::spawn({
            let (service, done) = (service.clone(), done.clone());
            let deleted = Arc::clone(&deleted);
            async move {
                while !done.is_cancelled() {
                    let count = service.delete_expired(cutoffs).await.unwrap();
                    deleted.fetch_add(count, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                }
            }
        });
        let mut coming = JoinSet::new();
        for seed in 0..2 {
            let (service, store) = (service.clone(), Arc::clone(&store));
            let deleted = Arc::clone(&deleted);
            coming.spawn(async move {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let (mut games, mut subscriptions) = (Vec::new(), 0);
                // Continues until both a subscription and a deletion have happened.
                for round in 0.. {
                    if round >= ROUNDS && subscriptions > 0 && deleted.load(Ordering::Relaxed) > 0 {
                        break;
                    }
                    games.push(
                        create(&service, &[SeatSpec::Human])
                            .await
                            .snapshot
                            .id
                            .clone(),
                    );
                    // One of the last four games: some of them are unloaded, and some are deleted.
                    let back = rng.random_range(0..games.len().min(4));
                    let id = &games[games.len() - 1 - back];
                    let subscription = match service.subscribe(id, &Credentials::default()).await {
                        Ok(subscription) => subscription,
                        Err(ServiceError::NotFound) => continue,
                        Err(error) => panic!("seed {seed}, round {round}: {error}"),
                    };
                    subscriptions += 1;
                    for _ in 0..rng.random_range(0..20) {
                        tokio::task::yield_now().await;
                    }
                    let stored = store.load(id).await.unwrap();
                    assert!(stored.is_some(), "seed {seed}, round {round}, {back} back");
                    drop(subscription);
                }
                subscriptions
            });
        }
        let subscriptions: usize = tokio::time::timeout(HANG, coming.join_all())
            .await
            .expect("a game is subscribed to and another one deleted")
            .into_iter()
            .sum();
        done.cancel();
        sweeping.await.unwrap();
        let deleted = deleted.load(Ordering::Relaxed);
        println!("{subscriptions} subscriptions, {deleted} games deleted");
        service.close().await;
    }
}

// ---- unloading of tables ----

/// Returns whether a game is in memory: then every read returns the same snapshot.
async fn is_in_memory(service: &Service, game: &Snapshot) -> bool {
    let one = service.snapshot_unloaded(&game.id).await.unwrap();
    Arc::ptr_eq(&one, &service.snapshot_unloaded(&game.id).await.unwrap())
}

#[tokio::test]
async fn the_least_recently_read_tables_are_unloaded() {
    let folder = TempDir::new().unwrap();
    let service = Service::new(
        Registry::builtin(),
        file_store(&folder).await,
        with_max_tables(3),
    );
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(create(&service, &[SeatSpec::Human]).await.snapshot);
    }
    service.snapshot(&games[0].id).await.unwrap();
    games.push(create(&service, &[SeatSpec::Human]).await.snapshot);
    until_in_memory(&service, 3).await;
    for (number, stays) in [true, false, true, true].into_iter().enumerate() {
        let found = is_in_memory(&service, &games[number]).await;
        assert_eq!(found, stays, "{number}");
    }
    // Subscribed tables count towards the limit and stay in memory.
    let mut subscriptions = Vec::new();
    for game in &games {
        let subscribed = service.subscribe(&game.id, &Credentials::default()).await;
        subscriptions.push(subscribed.unwrap());
    }
    let late = create(&service, &[SeatSpec::Human]).await.snapshot;
    for game in games.iter().chain([&late]) {
        // Commands are handled in order: after this response earlier unload commands have been handled.
        let resigned = service.resign(&game.id, Default::default(), None).await;
        assert!(matches!(resigned, Err(ServiceError::NotYourSeat { .. })));
    }
    assert_eq!(service.games_in_memory(), 5);
    drop(subscriptions);
    create(&service, &[SeatSpec::Human]).await;
    until_in_memory(&service, 3).await;
    // Unloaded games are reloaded unchanged.
    for game in &games {
        let again = service.snapshot(&game.id).await.unwrap();
        assert_eq!(
            again.live.position_at(0).setup_json(),
            game.live.position_at(0).setup_json()
        );
    }
    service.close().await;
}

#[tokio::test]
async fn tables_with_running_searches_stay_in_memory() {
    let settings = ServiceSettings {
        compute_threads: 1,
        ..with_max_tables(1)
    };
    let store = Arc::new(SqliteStore::in_memory());
    let service = Service::new(Registry::builtin(), store, settings);
    let slow = SeatSpec::Level(Level::Champion.into());
    let mut games = Vec::new();
    for _ in 0..4 {
        games.push(create(&service, &[slow, slow, slow, SeatSpec::Human]).await);
    }
    for game in &games[..3] {
        let id = &game.snapshot.id;
        // Commands are handled in order: the unload command has been handled before this response.
        let resigned = service.resign(id, Default::default(), None).await;
        assert!(matches!(resigned, Err(ServiceError::NotYourSeat { .. })));
        let now = service.snapshot(id).await.unwrap();
        let stayed = Arc::ptr_eq(&now, &game.snapshot);
        assert!(
            stayed || now.live.entry_count() > 0,
            "its computer is thinking or has moved"
        );
    }
    service.close().await;
}

// ---- rate limit and storage quota ----

#[tokio::test]
async fn reads_are_rate_limited_and_probes_are_exempt() {
    let server = Server::with(|config| {
        config.loopback = LoopbackPolicy::Limited;
        config.reads = 3;
    })
    .await;
    let api = server.api();
    for path in ["/", "/me", "/rules"] {
        assert_eq!(api.get(path).await.status(), 200, "{path}");
    }
    for path in ["/", "/me", "/g/abcdefgh", "/api/v1/games/abcdefgh/events"] {
        let refused = api.get(path).await;
        assert_eq!(refused.status(), 429, "{path}");
        assert_eq!(refused.headers()["retry-after"], "20", "{path}");
    }
    for path in ["/healthz", "/readyz", "/game.html"] {
        assert_eq!(api.get(path).await.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn above_the_quota_new_games_are_rejected_and_existing_games_continue() {
    let folder = TempDir::new().unwrap();
    let store = file_store(&folder).await;
    let server = Server::with(|config| {
        config.store = store;
        config.settings.storage_quota = StorageQuota {
            max_bytes: Some(1),
            min_free_bytes: 0,
        };
    })
    .await;
    let api = server.api();
    // The quota has not been checked yet.
    let table = api.create(json!({"game": "dice", "seed": 7})).await;
    server.service.refresh_quota().await;
    let refused = api.post("/api/v1/games", &json!({"game": "dice"})).await;
    assert_eq!(refused.status(), 503);
    let problem: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(problem["code"], "no-room", "{problem}");
    let form = api
        .client
        .post(server.url("/games"))
        .form(&[("game", "dice")]);
    let refused = form.send().await.unwrap();
    assert_eq!(refused.status(), 503);
    let page = refused.text().await.unwrap();
    assert!(page.contains("no room for new games"), "{page}");
    let now = table.settled().await;
    let path = likely(&table.moves().await);
    let player = number(&now["player"]) as usize;
    table.play(player, number(&now["ply"]), &path).await;
    assert_eq!(api.get("/readyz").await.status(), 200);
}

/// After a clock jump, retention counts only the uptime since the start.
#[tokio::test]
async fn a_clock_jump_deletes_nothing() {
    let folder = TempDir::new().unwrap();
    for store in both_stores(&folder).await {
        let service = Service::new(Registry::builtin(), store, with_max_tables(1));
        for _ in 0..3 {
            create(&service, &[SeatSpec::Human]).await;
        }
        until_in_memory(&service, 1).await;
        let jumped = now_ms() + 400 * DAY_MS;
        let clock = service.retention_clock(jumped).await.unwrap();
        let after = |uptime| RetentionPolicy::default().cutoffs(clock.now_ms(jumped, uptime));
        assert_eq!(service.delete_expired(after(Duration::ZERO)).await, Ok(0));
        assert_eq!(
            service
                .delete_expired(after(Duration::from_secs(3_600)))
                .await,
            Ok(0)
        );
        let two_days = Duration::from_secs(2 * 24 * 3_600);
        assert_eq!(service.delete_expired(after(two_days)).await, Ok(2));
        service.close().await;
    }
}

#[tokio::test]
async fn book_games_expire_too() {
    let store = Arc::new(SqliteStore::in_memory());
    let service = Service::new(Registry::builtin(), store, with_max_tables(1));
    let secret = Secret::random();
    let new = NewGame {
        creator: GameCreator::BookPage(secret.clone()),
        ..new_game(&service, &[SeatSpec::Human])
    };
    service.create(new).await.unwrap();
    create(&service, &[SeatSpec::Human]).await;
    until_in_memory(&service, 1).await;
    let cutoffs = RetentionPolicy::default().cutoffs(now_ms() + 2 * DAY_MS);
    assert_eq!(service.delete_expired(cutoffs).await, Ok(1));
    assert_eq!(
        service
            .store()
            .book_page_game(&secret.hash())
            .await
            .unwrap(),
        None
    );
    service.close().await;
}

#[tokio::test]
async fn an_idle_table_drops_its_cached_tree() {
    let settings = ServiceSettings {
        idle_timeout: Duration::from_millis(20),
        ..ServiceSettings::default()
    };
    let store = Arc::new(SqliteStore::in_memory());
    let service = Service::new(Registry::builtin(), store, settings);
    let game = create(&service, &[SeatSpec::Human]).await.snapshot;
    let watcher = Credentials::default();
    let mut following = service.subscribe(&game.id, &watcher).await.unwrap();
    let mut waiting = service.subscribe(&game.id, &watcher).await.unwrap();
    let mut cached_positions = || {
        let now = following.receive().unwrap();
        now.live.session::<DiceOfDoom>().unwrap().cached_positions()
    };
    let session = game.live.session::<DiceOfDoom>().unwrap();
    let tree = session.tree();
    let children = tree.branches().flat_map(|(_, chances)| chances);
    assert!(children.count() > 0);
    assert!(
        session.cached_positions() > 1,
        "an older snapshot keeps its tree"
    );
    let started = Instant::now();
    while cached_positions() > 1 {
        assert!(started.elapsed() < HANG);
        tokio::task::yield_now().await;
    }
    assert!(
        waiting.changed().now_or_never().is_none(),
        "subscribers are not notified"
    );
    assert_eq!(service.games_in_memory(), 1);
    service.close().await;
}
