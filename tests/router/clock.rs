//! The clock of a turn: the turn of a person ends by itself when its time has run out.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::game_double::GameDouble;
use dice_of_doom::game::Player;
use dice_of_doom::games::{ConfiguredGame, Registry, StartPosition, SubmittedAction};
use dice_of_doom::provably_fair::EntropyRejection;
use dice_of_doom::record::{EntropyText, EntryRow};
use dice_of_doom::seats::{Credentials, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::store::{self, GameId, Store};
use dice_of_doom::tables::{
    Environment, GameCreator, NewGame, SeatChange, SeatClaimant, SeatLinkKind, Service,
    ServiceError, ServiceSettings, Snapshot,
};
use dice_of_doom::verify::verify;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::common::{Server, number};

/// The time at which the clock of a test starts.
pub(crate) const START_MS: i64 = 1_800_000_000_000;

/// The time within which a due game is claimed.
pub(crate) const CLAIM_MS: i64 = 1_000;

/// A clock that is tokio's, which a test pauses, and is set by adding to `ahead_ms`; searches run on the test's thread.
fn environment(ahead_ms: &Arc<AtomicI64>) -> Environment {
    let (started, ahead_ms) = (Instant::now(), Arc::clone(ahead_ms));
    let now_ms =
        move || START_MS + started.elapsed().as_millis() as i64 + ahead_ms.load(Ordering::SeqCst);
    Environment {
        clock: Arc::new(now_ms),
        blocking: Arc::new(|work| drop(tokio::spawn(async move { work() }))),
        ..Environment::default()
    }
}

/// A service without background tasks.
fn idle_service(environment: Environment, store: Arc<dyn Store>) -> Service {
    let settings = ServiceSettings::default();
    Service::with_environment(environment, Registry::builtin(), store, settings)
}

fn run_background(service: &Service) {
    let background = service.clone();
    tokio::spawn(async move { background.run_background().await });
}

/// A service with a clock that a test pauses.
pub(crate) fn service(store: Arc<dyn Store>) -> Service {
    let service = idle_service(environment(&Arc::default()), store);
    run_background(&service);
    service
}

pub(crate) fn dice() -> Arc<dyn ConfiguredGame> {
    Arc::new(DiceOfDoom::new(Rules::V4, 4, 2, 4).unwrap())
}

fn new_game(game: Arc<dyn ConfiguredGame>, seats: [SeatSpec; 2], host: &Secret) -> NewGame {
    NewGame {
        creator: GameCreator::Browser(host.clone()),
        turn_s: Some(30),
        ..NewGame::new(game, StartPosition::Dealt(7), seats.to_vec())
    }
}

pub(crate) async fn create(service: &Service, new: NewGame) -> Arc<Snapshot> {
    service.create(new).await.unwrap().snapshot
}

/// The game when this player is to move.
async fn turn_of(service: &Service, id: &GameId, player: u8) -> Arc<Snapshot> {
    let is_turn = |now: &Snapshot| now.live.mover() == Some(Player::new(player));
    let longest = Duration::from_secs(3_600);
    let found = service.wait_for(id, longest, is_turn).await.unwrap();
    assert!(is_turn(&found), "player {player} is not to move");
    found
}

#[tokio::test(start_paused = true)]
async fn nobody_adds_to_the_dice_of_a_game_with_a_clock() {
    let service = service(Arc::new(GameDouble::default()));
    let host = Secret::random();
    let made = create(
        &service,
        new_game(dice(), [SeatSpec::Human, SeatSpec::Human], &host),
    )
    .await;
    let browser = Credentials {
        browser: Some(host.hash()),
        ..Credentials::default()
    };
    let text: EntropyText = "tea".parse().unwrap();
    let added = service.add_entropy(&made.id, browser, 0, text).await;
    let why = EntropyRejection::Clock;
    assert!(matches!(added, Err(ServiceError::EntropyRejected { why: found, .. }) if found == why));
}

/// The player, the action and the time of each ply.
fn plies(snapshot: &Arc<Snapshot>) -> Vec<(u8, String, i64)> {
    let entries = (0..snapshot.live.entry_count()).map(|number| snapshot.live.entry(number));
    let plies = entries.map(|entry| match entry {
        Some(EntryRow::Ply(row)) => (row.player, row.action, row.at_ms - START_MS),
        other => panic!("{other:?}"),
    });
    plies.collect()
}

#[tokio::test(start_paused = true)]
async fn where_an_attack_is_due_a_computer_attacks_once_and_the_turn_ends() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let seats = [SeatSpec::Human, SeatSpec::Human];
    let created = create(&service, new_game(dice(), seats, &host)).await;
    assert_eq!(created.turn_deadline_ms(), Some(START_MS + 30_000));
    let next = turn_of(&service, &created.id, 1).await;
    let first = plies(&next);
    let [(0, attack, attack_ms), (0, end, end_ms)] = &first[..] else {
        panic!("{first:?}");
    };
    assert_ne!(attack, end);
    for at_ms in [attack_ms, end_ms] {
        assert!((30_000..30_000 + CLAIM_MS).contains(at_ms), "{first:?}");
    }
    assert_eq!(next.turn_deadline_ms(), Some(START_MS + end_ms + 30_000));
    // The other player's turn ends in the same way, once.
    let again = plies(&turn_of(&service, &created.id, 0).await);
    assert_eq!(again.len(), 4);
    assert!(
        (60_000..60_000 + 2 * CLAIM_MS).contains(&again[3].2),
        "{again:?}"
    );
    service
        .resign(&created.id, credentials(&host), None)
        .await
        .unwrap();
    let over = service.snapshot(&created.id).await.unwrap();
    let verified = verify(&Registry::builtin(), over.record_json().get());
    assert!(verified.is_ok(), "{verified:?}");
}

pub(crate) fn credentials(secret: &Secret) -> Credentials {
    Credentials {
        browser: Some(secret.hash()),
        ..Credentials::default()
    }
}

#[tokio::test(start_paused = true)]
async fn after_an_attack_only_the_end_of_the_turn_is_missing() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let seats = [SeatSpec::Human, SeatSpec::Human];
    let created = create(&service, new_game(dice(), seats, &host)).await;
    tokio::time::advance(Duration::from_secs(20)).await;
    let moves: Value = serde_json::from_str(created.live.legal_moves().get()).unwrap();
    let action = moves[0]["path"].clone();
    let [from, to] = [0, 1].map(|at| number(&action[at]).to_string());
    let form = [("from", from), ("to", to)].map(|(name, value)| (name.to_owned(), value));
    let action = SubmittedAction::Form(dice_of_doom::games::FormFields(form.into()));
    let by = credentials(&host);
    service.play(&created.id, by, 0, action).await.unwrap();
    let next = plies(&turn_of(&service, &created.id, 1).await);
    assert_eq!(next.len(), 2, "{next:?}");
    assert!((30_000..30_000 + CLAIM_MS).contains(&next[1].2), "{next:?}");
}

#[tokio::test(start_paused = true)]
async fn in_trilobite_a_computer_plays_the_turn() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let game = Arc::new(Trilobite::new(5, 4, 4).unwrap());
    let seats = [SeatSpec::Human, SeatSpec::Human];
    let created = create(&service, new_game(game, seats, &host)).await;
    let next = plies(&turn_of(&service, &created.id, 1).await);
    assert_eq!(next.len(), 1, "{next:?}");
}

#[tokio::test(start_paused = true)]
async fn the_clock_starts_with_the_game_and_spares_computers() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let seats = [SeatSpec::Human, SeatSpec::Open];
    let created = create(&service, new_game(dice(), seats, &host)).await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    let waiting = service.snapshot(&created.id).await.unwrap();
    assert_eq!(
        (waiting.live.entry_count(), waiting.turn_deadline_ms()),
        (0, None)
    );
    let link = waiting.derive_table_token(&host).unwrap();
    assert_eq!(
        waiting.seat_of_link(&link.hash()).unwrap().1,
        SeatLinkKind::Invitation
    );
    let change = SeatChange::Take {
        link: link.hash(),
        by: SeatClaimant::Browser(Secret::random()),
        name: None,
    };
    let guest = Credentials::default();
    let joined = service
        .change_seat(&created.id, guest, change)
        .await
        .unwrap();
    assert_eq!(joined.starts_ms(), Some(START_MS + 108_000));
    assert_eq!(joined.turn_deadline_ms(), None);
    let next = plies(&turn_of(&service, &created.id, 1).await);
    assert!(
        (138_000..138_000 + 2 * CLAIM_MS).contains(&next[0].2),
        "{next:?}"
    );

    let seats = ["greedy".parse().unwrap(), SeatSpec::Human];
    let first = create(&service, new_game(dice(), seats, &host)).await;
    assert_eq!(first.turn_deadline_ms(), None, "a computer is to move");
}

/// A clock that stands still but for what is added to `ahead_ms`.
fn set_by_hand(ahead_ms: &Arc<AtomicI64>) -> Environment {
    let ahead_ms = Arc::clone(ahead_ms);
    Environment {
        clock: Arc::new(move || START_MS + ahead_ms.load(Ordering::SeqCst)),
        ..Environment::default()
    }
}

/// Time passes while a server is ready.
async fn pass(service: &Service, ahead_ms: &AtomicI64, ms: i64) {
    for _ in 0..ms / 1_000 {
        ahead_ms.fetch_add(1_000, Ordering::SeqCst);
        service.record_served().await.unwrap();
    }
}

/// Checks that the turn of 30 seconds, of which 9 have passed before the clock jumps, ends `AWAY_MS` later. `jump` returns
/// the service with which the game continues.
async fn check_turn_over_a_jump(jump: impl AsyncFnOnce(Service, &dyn Fn() -> Service) -> Service) {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let ahead_ms = Arc::<AtomicI64>::default();
    let start = || idle_service(set_by_hand(&ahead_ms), Arc::clone(&store));
    let service = start();
    service.record_served().await.unwrap();
    let seats = [SeatSpec::Human, SeatSpec::Human];
    let made = create(&service, new_game(dice(), seats, &Secret::random())).await;
    pass(&service, &ahead_ms, 9_000).await;
    ahead_ms.fetch_add(AWAY_MS, Ordering::SeqCst);
    let service = jump(service, &start).await;
    service.record_served().await.unwrap();
    let deadline_ms = START_MS + 30_000 + AWAY_MS;
    let now = service.snapshot(&made.id).await.unwrap();
    assert_eq!(now.turn_deadline_ms(), Some(deadline_ms));
    pass(&service, &ahead_ms, 20_000).await;
    let still = start();
    still.record_served().await.unwrap();
    still.resume_unfinished().await;
    let now = still.snapshot(&made.id).await.unwrap();
    assert_eq!(now.live.entry_count(), 0, "a second is left");
    pass(&service, &ahead_ms, 2_000).await;
    let after = start();
    after.record_served().await.unwrap();
    after.resume_unfinished().await;
    run_background(&after);
    let first = plies(&turn_of(&after, &made.id, 1).await);
    let ended_ms = first[0].2 - AWAY_MS;
    assert!((30_000..=31_000).contains(&ended_ms), "{first:?}");
}

/// How far the clock jumps.
const AWAY_MS: i64 = 2 * 3_600_000;

#[tokio::test]
async fn a_turn_does_not_run_out_while_no_server_is_there() {
    check_turn_over_a_jump(async |_, start| start()).await;
}

#[tokio::test]
async fn a_turn_does_not_run_out_when_the_clock_is_set_forward() {
    check_turn_over_a_jump(async |service, _| service).await;
}

/// A game is continued by a server that has started after the end of another one.
#[tokio::test]
async fn a_turn_also_ends_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("games.db").display());
    let start = async || {
        let store = store::open(&url).await.unwrap();
        Service::new(Registry::builtin(), store, ServiceSettings::default())
    };
    let before = start().await;
    let seats = [SeatSpec::Human, SeatSpec::Human];
    let new = NewGame {
        turn_s: Some(1),
        ..new_game(dice(), seats, &Secret::random())
    };
    let id = create(&before, new).await.id.clone();
    before.close().await;
    let after = start().await;
    after.resume_unfinished().await;
    let background = after.clone();
    tokio::spawn(async move { background.run_background().await });
    let next = turn_of(&after, &id, 1).await;
    assert_eq!(next.live.entry_count(), 2);
    after.close().await;
}

#[tokio::test]
async fn pages_and_programs_see_the_clock() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "dice", "seats": ["human", "human"], "players": 2, "turn_s": 86400, "seed": 3});
    let table = api.create(new).await;
    let state = table.state().await;
    assert_eq!(state["turn_s"], 86400);
    let deadline = state["deadline"].as_i64().unwrap();
    let past = api.json(&table.path("?ply=0")).await;
    assert_eq!(past["deadline"], deadline);
    let id = state["id"].as_str().unwrap();
    let page = server.person().page(&format!("/g/{id}")).await;
    assert!(page.contains("left for this turn") && page.contains("the turn ends at "));
    assert!(page.has("[data-turn='86400']"), "{page}");
    let moves = table.moves().await;
    table.play(0, 0, &moves["moves"][0]["path"].clone()).await;
    // The turn goes on, and its clock, too.
    assert_eq!(table.state().await["deadline"], deadline);
    let past = api.json(&table.path("?ply=0")).await;
    assert_eq!(past["deadline"], Value::Null);
    for wrong in [json!(9), json!(1_209_601)] {
        let body = json!({"game": "dice", "turn_s": wrong});
        let answer = api.post("/api/v1/games", &body).await;
        assert_eq!(answer.status(), 422, "{wrong}");
    }
    let body = json!({"game": "dice", "turn_s": 60, "pace": "on-request"});
    assert_eq!(api.post("/api/v1/games", &body).await.status(), 422);
    let form = "game=dice&turn=5";
    server.person().refused("/games", form, 422).await;
    let plain = api.create(json!({"game": "dice"})).await.state().await;
    assert_eq!(
        (&plain["turn_s"], &plain["deadline"]),
        (&Value::Null, &Value::Null)
    );
}
