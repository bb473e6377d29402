//! Games that wait for players: nothing is played before the start.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::game_double::GameDouble;
use dice_of_doom::game::Player;
use dice_of_doom::games::{Registry, StartPosition};
use dice_of_doom::seats::{Credentials, SeatOccupant, SeatSpec};
use dice_of_doom::secret::{Secret, SecretHash};
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::store::{GameId, Store};
use dice_of_doom::tables::{
    DisplayName, Environment, GameCreator, NewGame, SeatChange, SeatChangeError, SeatClaimant,
    Service, ServiceError, ServiceSettings, Snapshot,
};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use serde_json::{Value, json};

use crate::clock::{CLAIM_MS, START_MS, create, credentials, service};
use crate::common::{Person, Server, ServerConfig, with_clock};

/// The time before a start.
const DELAY_MS: i64 = 8_000;

/// A game of four seats, two of them for people.
async fn open(service: &Service, host: &Secret) -> Arc<Snapshot> {
    let game = Arc::new(DiceOfDoom::new(Rules::V4, 4, 4, 4).unwrap());
    let new = NewGame {
        creator: GameCreator::Browser(host.clone()),
        turn_s: Some(600),
        ..NewGame::new(
            game,
            StartPosition::Dealt(7),
            SeatSpec::two_people(4).collect(),
        )
    };
    create(service, new).await
}

struct Guest {
    secret: Secret,
    name: &'static str,
}

impl Guest {
    fn new(name: &'static str) -> Self {
        let secret = Secret::random();
        Guest { secret, name }
    }

    fn credentials(&self) -> Credentials {
        credentials(&self.secret)
    }

    async fn join(
        &self,
        service: &Service,
        id: &GameId,
        link: SecretHash,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let change = SeatChange::Take {
            link,
            by: SeatClaimant::Browser(self.secret.clone()),
            name: DisplayName::optional(self.name).unwrap(),
        };
        service
            .change_seat(id, Credentials::default(), change)
            .await
    }
}

fn link_of(game: &Snapshot, host: &Secret) -> SecretHash {
    game.derive_table_token(host).unwrap().hash()
}

/// How many people, free seats and computers there are.
fn count(game: &Snapshot) -> (usize, usize, usize) {
    let of = |fits: fn(&SeatOccupant) -> bool| {
        let seats = game.seats.seats.iter();
        seats.filter(|seat| fits(&seat.occupant)).count()
    };
    (
        of(SeatOccupant::is_human),
        of(SeatOccupant::is_open_to_anybody),
        of(|occupant| matches!(occupant, SeatOccupant::Level { .. })),
    )
}

/// The game once it has started.
async fn start_of(service: &Service, id: &GameId) -> Arc<Snapshot> {
    let longest = Duration::from_secs(60);
    let started = service.wait_for(id, longest, |now| !now.is_waiting());
    let started = started.await.unwrap();
    assert!(!started.is_waiting(), "it has not started");
    started
}

fn now_ms(service: &Service) -> i64 {
    service.now_ms()
}

#[tokio::test(start_paused = true)]
async fn two_people_meet_and_the_game_starts_by_itself() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let made = open(&service, &host).await;
    assert_eq!(count(&made), (1, 1, 2));
    // Nothing is played, and no clock runs, however long nobody comes.
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let waiting = service.snapshot(&made.id).await.unwrap();
    assert!(waiting.is_waiting() && waiting.mover().is_none());
    assert_eq!(
        (waiting.starts_ms(), waiting.turn_deadline_ms()),
        (None, None)
    );
    let resigned = service.take_back(&made.id, credentials(&host), 0).await;
    assert!(matches!(resigned, Err(ServiceError::NotStarted { .. })));
    let text = "tea".parse().unwrap();
    let added = service.add_entropy(&made.id, credentials(&host), 0, text);
    assert!(matches!(added.await, Err(ServiceError::NotStarted { .. })));

    let guest = Guest::new("Ken");
    let link = link_of(&waiting, &host);
    let joined = guest.join(&service, &made.id, link).await.unwrap();
    assert_eq!(count(&joined), (2, 0, 2));
    let starts_ms = now_ms(&service) + DELAY_MS;
    assert_eq!(
        (joined.starts_ms(), joined.turn_deadline_ms()),
        (Some(starts_ms), None)
    );
    // A repeated request is the same.
    let again = guest.join(&service, &made.id, link).await.unwrap();
    assert_eq!(again.version(), joined.version());

    let started = start_of(&service, &made.id).await;
    let late_ms = now_ms(&service) - starts_ms;
    assert!((0..CLAIM_MS).contains(&late_ms), "{late_ms} ms late");
    assert_eq!(count(&started), (2, 0, 2));
    assert_eq!(started.mover(), Some(Player::new(0)));
    let full_turn = started.turn_deadline_ms().unwrap() - now_ms(&service);
    assert!(
        (600_000 - CLAIM_MS..=600_000).contains(&full_turn),
        "{full_turn}"
    );
    // The link is void.
    assert!(started.derive_table_token(&host).is_none());
    let late = Guest::new("Mia").join(&service, &made.id, link).await;
    let why = SeatChangeError::NoSuchLink;
    assert!(
        matches!(late, Err(ServiceError::SeatChangeRejected { why: found, .. }) if found == why)
    );
    assert!(started.was_claimed_with(&link, &guest.credentials()));
}

#[tokio::test(start_paused = true)]
async fn the_host_waits_for_more_people_who_replace_computers() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let made = open(&service, &host).await;
    let link = link_of(&made, &host);
    let guests = ["Ken", "Mia", "Ola", "Eve"].map(Guest::new);
    guests[0].join(&service, &made.id, link).await.unwrap();
    let change = async |by: &Secret, change| {
        let changed = service.change_seat(&made.id, credentials(by), change);
        changed.await
    };
    for refused in [SeatChange::AwaitPeople, SeatChange::Start] {
        let refused = change(&guests[0].secret, refused).await;
        let why = SeatChangeError::NotYourSeat;
        assert!(
            matches!(refused, Err(ServiceError::SeatChangeRejected { why: found, .. }) if found == why)
        );
    }
    let held = change(&host, SeatChange::AwaitPeople).await.unwrap();
    assert_eq!((held.is_waiting(), held.starts_ms()), (true, None));
    tokio::time::sleep(Duration::from_secs(60)).await;
    // The same link takes the seats of computers.
    let third = guests[1].join(&service, &made.id, link).await.unwrap();
    assert_eq!((count(&third), third.starts_ms()), ((3, 0, 1), None));
    // A full table starts by itself.
    let full = guests[2].join(&service, &made.id, link).await.unwrap();
    assert_eq!(count(&full), (4, 0, 0));
    assert_eq!(full.starts_ms(), Some(now_ms(&service) + DELAY_MS));
    assert!(guests[3].join(&service, &made.id, link).await.is_err());
    let started = change(&host, SeatChange::Start).await.unwrap();
    assert!(!started.is_waiting());
    // Again, from another tab.
    let again = change(&host, SeatChange::Start).await.unwrap();
    assert_eq!(again.version(), started.version());
    let late = change(&host, SeatChange::AwaitPeople).await;
    let why = SeatChangeError::Started;
    assert!(
        matches!(late, Err(ServiceError::SeatChangeRejected { why: found, .. }) if found == why)
    );
}

#[tokio::test(start_paused = true)]
async fn who_leaves_before_the_start_makes_nobody_wait_for_a_seat() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let made = open(&service, &host).await;
    let link = link_of(&made, &host);
    let [ken, mia] = ["Ken", "Mia"].map(Guest::new);
    ken.join(&service, &made.id, link).await.unwrap();
    let left = service.resign(&made.id, ken.credentials(), None);
    let left = left.await.unwrap();
    assert_eq!((count(&left), left.starts_ms()), ((1, 1, 2), None));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(service.snapshot(&made.id).await.unwrap().is_waiting());

    ken.join(&service, &made.id, link).await.unwrap();
    mia.join(&service, &made.id, link).await.unwrap();
    let left = service.resign(&made.id, ken.credentials(), None);
    let left = left.await.unwrap();
    // Two remain, so a computer has the seat, which somebody else can take.
    assert_eq!(count(&left), (2, 0, 2));
    assert_eq!(left.starts_ms(), Some(now_ms(&service) + DELAY_MS));
    let started = start_of(&service, &made.id).await;
    assert_eq!(count(&started), (2, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn alone_the_host_starts_and_computers_take_the_rest() {
    let (service, host) = (service(Arc::new(GameDouble::default())), Secret::random());
    let made = open(&service, &host).await;
    let by = credentials(&host);
    let started = service.change_seat(&made.id, by, SeatChange::Start).await;
    let started = started.unwrap();
    assert_eq!(count(&started), (1, 0, 3));
    assert!(started.turn_deadline_ms().is_some());
}

/// The state and its time are stored: a server that starts later starts the game.
#[tokio::test]
async fn a_game_starts_after_a_restart_of_the_server() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let ahead_ms = Arc::<AtomicI64>::default();
    let server = || {
        let ahead_ms = Arc::clone(&ahead_ms);
        let environment = Environment {
            clock: Arc::new(move || START_MS + ahead_ms.load(Ordering::SeqCst)),
            ..Environment::default()
        };
        let settings = ServiceSettings::default();
        Service::with_environment(
            environment,
            Registry::builtin(),
            Arc::clone(&store),
            settings,
        )
    };
    let (before, host) = (server(), Secret::random());
    let [made, empty] = [open(&before, &host).await, open(&before, &host).await];
    let ken = Guest::new("Ken");
    let joined = ken.join(&before, &made.id, link_of(&made, &host)).await;
    let joined = joined.unwrap();

    ahead_ms.fetch_add(DELAY_MS - 1, Ordering::SeqCst);
    let early = server();
    early.resume_unfinished().await;
    let same = early.snapshot(&made.id).await.unwrap();
    assert_eq!(same.seats, joined.seats);

    ahead_ms.fetch_add(1, Ordering::SeqCst);
    let after = server();
    after.resume_unfinished().await;
    let started = start_of(&after, &made.id).await;
    assert_eq!(count(&started), (2, 0, 2));
    let empty = after.snapshot(&empty.id).await.unwrap();
    assert!(empty.is_waiting(), "nobody has come");
    assert_eq!(
        link_of(&empty, &host),
        empty.derive_table_token(&host).unwrap().hash()
    );
}

#[tokio::test]
async fn programs_wait_for_open_seats() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "trilobite", "seats": ["human", "open"]});
    let table = api.create(new.clone()).await;
    let state = table.state().await;
    assert_eq!(
        (&state["waiting"], &state["starts"]),
        (&true.into(), &Value::Null)
    );
    let chip = json!({"ply": 0, "cell": 48});
    let problem = table.refused(0, "/moves", &chip, 409).await;
    assert_eq!(problem["code"], "waiting");
    let mut events = table.events_from(0).await;
    assert_eq!(events.next("game").await.data["waiting"], true);

    let invite = table.game["seats"][1]["invite"].clone();
    let joined = api
        .post(&table.path("/join"), &json!({"invite": invite}))
        .await;
    let joined: Value = joined.json().await.unwrap();
    assert_eq!(joined["waiting"], false, "nobody could stop it");
    assert!(joined["seats"][1]["token"].is_string());
    assert_eq!(events.next("game").await.data["waiting"], false);
    assert_eq!(table.send(0, "/moves", &chip).await.status(), 200);

    // A player starts it before the seats are taken, and nobody else does.
    let table = api.create(new).await;
    let start = table.path("/start");
    let none = json!({});
    assert_eq!(api.post(&start, &none).await.status(), 401);
    let other = Secret::random().to_text();
    api.refused_as(&other, &start, &none, 403).await;
    let started: Value = table.send(0, "/start", &none).await.json().await.unwrap();
    assert_eq!(started["waiting"], false);
    assert_eq!(started["seats"][1]["level"], "book");
    let invite = &table.game["seats"][1]["invite"];
    let late = json!({"invite": invite});
    api.refused(&table.path("/join"), &late, 403).await;
    // A player who leaves before the start frees the seat.
    let table = api
        .create(json!({"game": "trilobite", "seats": ["human", "open"]}))
        .await;
    let left: Value = table.send(0, "/resign", &none).await.json().await.unwrap();
    assert_eq!(
        (&left["waiting"], &left["over"]),
        (&true.into(), &false.into())
    );
    assert_eq!(left["seats"][0]["kind"], "open");
}

/// The pages of two people at a table, with their times.
async fn table_of_two() -> (Server, Arc<AtomicI64>, [Person; 2], String) {
    let (environment, now) = with_clock(Environment::default(), START_MS);
    let config = ServerConfig {
        environment,
        ..ServerConfig::default()
    };
    let server = Server::start_with(config).await;
    let [host, guest] = server.people();
    let form = "game=dice&listed=1&name=Mika";
    let game = host.create(form).await;
    (server, now, [host, guest], game)
}

#[tokio::test]
async fn the_pages_of_a_table_say_who_is_there_and_when_it_starts() {
    let (server, now, [host, guest], game) = table_of_two().await;
    let page = host.page(&game).await;
    assert_eq!(page.text("h1"), "Waiting for a player… 1 of 2");
    assert!(
        page.text("title")
            .starts_with("Waiting for a player… 1 of 2")
    );
    assert!(page.has("svg.qr") && page.has("form [name=do][value=start]"));
    assert!(!page.has(".board a"), "nothing can be chosen");
    let moves = format!("{game}/moves");
    let refused = host.refused(&moves, "ply=0&pass=1", 409).await;
    assert!(refused.contains("The game has not started"));

    // One link, and one press.
    let link = host.seat_link(&game).await;
    let (_, token) = link.split_once("/join/").unwrap();
    let join = format!("/join/{token}");
    assert!(guest.page(&join).await.contains("Mika invites you"));
    assert_eq!(guest.done(&join, "name=Ken").await, game);
    for (person, came) in [(&host, "Ken"), (&guest, "Mika")] {
        let page = person.page(&game).await;
        assert_eq!(page.text("h1"), format!("{came} is here. 2 of 2"));
        assert!(page.contains("The game starts by itself in 8 seconds."));
        // Without scripts the page is loaded again when the game starts.
        assert!(page.has("noscript meta[http-equiv=refresh][content^='9']"));
        assert_eq!(page.has("form [name=do][value=wait]"), came == "Ken");
    }
    // The guest leaves, and comes back.
    let left = guest.done(&format!("{game}/resign"), "ply=0").await;
    assert_eq!(left, "/tables");
    let page = guest.page(&game).await;
    assert!(page.contains("You are watching.") && !page.contains("freed your seat"));
    assert_eq!(
        host.page(&game).await.text("h1"),
        "Waiting for a player… 1 of 2"
    );
    guest.done(&join, "name=Ken").await;
    now.fetch_add(5_000, Ordering::SeqCst);
    assert!(guest.page(&game).await.contains("by itself in 3 seconds."));
    let table = format!("{game}/table");
    guest.refused(&table, "do=wait", 403).await;
    host.done(&table, "do=wait").await;
    let page = host.page(&game).await;
    assert!(page.contains("The game starts when you start it.") && !page.has(".clock"));
    let page = guest.page(&game).await;
    assert!(page.contains("when its host starts it") && !page.has("[value=start]"));

    // Somebody else takes the seat of a computer, and leaves again: the computer is the one that it was.
    let computers = host.page(&game).await.texts(".lobby li small");
    let third = server.person();
    third.done(&join, "name=Ola").await;
    assert_eq!(host.page(&game).await.text("h1"), "Ola is here. 3 of 3");
    third.done(&format!("{game}/resign"), "ply=0").await;
    assert_eq!(third.page(&game).await.text("h1"), "Ken is here. 2 of 2");
    assert_eq!(
        host.page(&game).await.texts(".lobby li small")[2..],
        computers[2..]
    );

    host.done(&table, "do=start").await;
    let page = host.page(&game).await;
    assert!(page.has(".board a"), "the host moves");
    assert!(page.text(".log").contains("Ken has joined."));
    // The link is void, and leads those who used it to the game.
    third.page_with_status(&join, 404).await;
    assert_eq!(guest.redirected(&join).await, game);
    // Repeated, from another tab.
    host.done(&table, "do=start").await;
    host.refused(&table, "do=wait", 409).await;
}

#[tokio::test]
async fn who_leaves_a_game_is_named_until_the_next_own_move() {
    let (_server, now, [host, guest], game) = table_of_two().await;
    let link = host.seat_link(&game).await;
    let (_, token) = link.split_once("/join/").unwrap();
    guest.done(&format!("/join/{token}"), "name=Ken").await;
    host.done(&format!("{game}/table"), "do=start").await;
    now.fetch_add(1_000, Ordering::SeqCst);
    guest.done(&format!("{game}/resign"), "ply=0").await;
    let page = host.page(&game).await;
    let told = "Ken left. A computer plays on.";
    assert!(
        page.text("title").starts_with(told),
        "{}",
        page.text("title")
    );
    assert!(page.text(".departed").contains(told));
    let log = host.page(&format!("{game}/log")).await;
    assert!(log.text(".log").contains(told), "{log}");
    assert!(
        page.text(".departed")
            .contains("You can play on against computers")
    );
    assert!(page.contains("computer, was Ken"));
    assert!(page.text(".log").contains(told));
    assert!(!guest.page(&game).await.has(".departed"), "a watcher");

    now.fetch_add(1_000, Ordering::SeqCst);
    let state = host.state(&game).await;
    host.play_likely(&game, &state).await;
    let page = host.page(&game).await;
    assert!(!page.has(".departed") && page.contains("computer, was Ken"));
}

#[tokio::test]
async fn a_game_of_several_people_has_one_rematch_and_the_others_are_told() {
    let server = Server::start().await;
    let [host, guest] = server.people();
    let game = host.create("game=trilobite&chips=human&chips=open").await;
    let link = host.seat_link(&game).await;
    let (_, token) = link.split_once("/join/").unwrap();
    guest.done(&format!("/join/{token}"), "name=Ken").await;
    host.start(&game).await;
    for ply in 0..7 {
        let (person, column) = [(&host, 'a'), (&guest, 'b')][ply % 2];
        let form = format!("ply={ply}&column={column}");
        person.done(&format!("{game}/moves"), form).await;
    }
    let told = "Another player has started a rematch.";
    let before = guest.page(&game).await;
    assert!(before.has("form[action$=rematch] #again"), "{before}");
    assert!(!before.contains(told));
    let rematch = host.done(&format!("{game}/rematch"), "").await;
    let page = guest.page(&game).await;
    assert!(
        page.text("title").starts_with(told),
        "{}",
        page.text("title")
    );
    assert!(page.has(&format!(
        "#main[data-news='{told}'] a#again[href='{rematch}']"
    )));
    assert!(!page.has("form[action$=rematch]"), "{page}");
    // A button of a page from before leads to the same game.
    let answer = guest.done(&format!("{game}/rematch"), "").await;
    assert_eq!(answer, rematch);
    // Nobody came to a rematch: everybody has a seat from its beginning.
    assert!(!host.page(&rematch).await.contains("has joined"));
}

#[tokio::test]
async fn who_stays_may_start_the_game_when_the_host_has_left() {
    let (_server, _, [host, guest], game) = table_of_two().await;
    let link = host.seat_link(&game).await;
    let (_, token) = link.split_once("/join/").unwrap();
    guest.done(&format!("/join/{token}"), "name=Ken").await;
    let table = format!("{game}/table");
    guest.refused(&table, "do=start", 403).await;
    assert!(!guest.page(&game).await.has("[value=start]"));
    host.done(&format!("{game}/resign"), "ply=0").await;
    assert!(guest.page(&game).await.has("[value=start]"));
    guest.done(&table, "do=start").await;
    let page = guest.page(&game).await;
    assert!(!page.has(".lobby"), "{page}");
}
