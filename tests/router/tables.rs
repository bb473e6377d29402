//! The open tables, `/tables`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use dice_of_doom::site::open_tables::delete_old_tables;
use dice_of_doom::tables::Environment;
use futures_util::future::join_all;
use serde_json::Value;

use crate::common::{Person, Server, ServerConfig, with_clock};

/// A server with a clock of its own, to which this machine is a proxy for other networks.
async fn server() -> (Server, Arc<AtomicI64>) {
    let (environment, now) = with_clock(Environment::default(), 1_800_000_000_000);
    let config = ServerConfig {
        environment,
        moves: 1_000,
        ..ServerConfig::behind_proxy()
    };
    (Server::start_with(config).await, now)
}

/// The browser of a person at another machine.
fn from(person: &Person, address: &str) -> Person {
    person.with("x-forwarded-for", address)
}

/// Creates a game with a free seat, and lists it from another machine.
async fn open_from(host: &Person, address: &str, name: &str) -> String {
    let form = [
        ("game", "dice"),
        ("name", name),
        ("seats", "human"),
        ("seats", "open"),
    ];
    let game = host.create(&form).await;
    let list = format!("{game}/table");
    from(host, address).done(&list, "do=open").await;
    game
}

/// Opens a table under this name.
async fn open(host: &Person, name: &str) -> String {
    let form = [("game", "dice"), ("listed", "1"), ("name", name)];
    host.create(&form).await
}

/// The first move of a game of Trilobite.
async fn drop_first_chip(person: &Person, game: &str) {
    let form = [("ply", "0"), ("column", "a")];
    person.done(&format!("{game}/moves"), &form).await;
}

/// The path of the form with which somebody joins a game.
fn table(game: &str) -> String {
    game.replace("/g/", "/tables/")
}

async fn seats(person: &Person, game: &str) -> Value {
    person.state(game).await["seats"].clone()
}

#[tokio::test]
async fn an_open_table_is_found_and_joined_with_one_press() {
    let (server, now) = server().await;
    let [host, guest] = server.people();
    assert!(
        guest
            .page("/tables")
            .await
            .contains("Nobody is waiting now")
    );
    assert!(!guest.page("/").await.contains("All 1"));
    let game = open(&host, "Mika").await;
    now.fetch_add(60_000, Ordering::SeqCst);
    for path in ["/tables", "/"] {
        let page = guest.page(path).await;
        for text in [
            "Mika",
            "1 seat is free.",
            "Waiting for 1 minute.",
            "Your name",
        ] {
            assert!(page.contains(text), "{path}: {text}");
        }
    }
    let unnamed = guest.refused(&table(&game), "", 422).await;
    assert!(unnamed.contains("need a name"));
    assert_eq!(guest.done(&table(&game), "name=Ola").await, game);
    assert_eq!(seats(&guest, &game).await[1]["name"], "Ola");
    // Again: the seat stays the same.
    guest.done(&table(&game), "name=Eve").await;
    assert_eq!(seats(&guest, &game).await[2]["kind"], "level");
    // The name is known from now on.
    let other = open(&host, "Mika").await;
    let page = guest.page("/tables").await;
    assert!(page.contains("Mika and Ola") && page.contains("Your table"));
    assert!(!page.contains("Your name"));
    guest.done(&table(&other), "").await;
    assert_eq!(seats(&guest, &other).await[1]["name"], "Ola");
}

#[tokio::test]
async fn a_table_without_free_seats_has_just_started() {
    let (server, _) = server().await;
    let [host, guest, late] = server.people();
    let form = "game=trilobite&listed=1&name=Yuki&chips=open&chips=human";
    let game = host.create(form).await;
    let remaining = open(&host, "Yuki").await;
    guest.done(&table(&game), "name=Ola").await;
    let page = late.refused(&table(&game), "name=Eve", 409).await;
    assert!(page.contains("This table has just started."));
    assert!(page.contains(&remaining.replace("/g/", "/tables/")));
    assert!(!page.contains(&game.replace("/g/", "/tables/")));
    late.refused(&table("/g/aaaaaaaa"), "name=Eve", 409).await;
}

#[tokio::test]
async fn a_table_is_listed_while_its_creator_is_there() {
    let (server, now) = server().await;
    let [host, guest] = server.people();
    let game = open(&host, "Mika").await;
    let is_listed = async || guest.page("/tables").await.contains("Mika");
    for _ in 0..4 {
        now.fetch_add(100_000, Ordering::SeqCst);
        assert!(is_listed().await);
        host.page(&game).await;
    }
    // A visit of somebody else does not count.
    now.fetch_add(100_000, Ordering::SeqCst);
    guest.page(&game).await;
    now.fetch_add(21_000, Ordering::SeqCst);
    assert!(!is_listed().await);
    guest.refused(&table(&game), "name=Ola", 409).await;
    host.page(&game).await;
    assert!(is_listed().await, "the creator is back");
}

#[tokio::test]
async fn the_creator_closes_and_opens_the_table() {
    let (server, _) = server().await;
    let [host, guest] = server.people();
    let form = "game=dice&name=Mika&seats=human&seats=open";
    let game = host.create(form).await;
    let listing = format!("{game}/table");
    let is_listed = async || guest.page("/tables").await.contains("Mika");
    assert!(!is_listed().await);
    assert!(host.page(&game).await.contains("Only people with the link"));
    guest.refused(&listing, "do=open", 401).await;
    assert!(!is_listed().await);
    host.done(&listing, "do=open").await;
    assert!(is_listed().await);
    assert!(host.page(&game).await.contains("Take it off the list"));
    assert!(!guest.page(&game).await.contains("Take it off the list"));
    guest.refused(&listing, "do=close", 401).await;
    assert!(is_listed().await);
    host.done(&listing, "do=close").await;
    assert!(!is_listed().await);
    guest.refused(&table(&game), "name=Ola", 409).await;
}

#[tokio::test]
async fn a_table_needs_a_free_seat_and_readers() {
    let (server, _) = server().await;
    let host = server.person();
    for (form, sentence) in [
        (
            vec![("listed", "1"), ("private", "1")],
            "A private table cannot be listed",
        ),
        (
            vec![("listed", "1"), ("seats", "human"), ("seats", "book")],
            "An open table needs a free seat",
        ),
    ] {
        let answer = host.refused("/games", &form, 422).await;
        assert!(answer.contains(sentence), "{sentence}");
    }
    assert!(host.page("/tables").await.contains("Nobody is waiting now"));
}

/// The page keeps no seat for a browser that refuses cookies.
#[tokio::test]
async fn a_browser_without_cookies_gets_no_seat() {
    let (server, _) = server().await;
    let host = server.person();
    let game = open(&host, "Mika").await;
    let path = game.replace("/g/", "/tables/");
    let guest = server.person_without_cookies().with("accept", "text/html");
    let form = "name=Ola";
    assert_eq!(guest.post(&path, form).await.status(), 307);
    let again = guest.post(&format!("{path}?cookie-sent"), form).await;
    assert!(again.status().is_client_error());
    assert_eq!(seats(&host, &game).await[1]["kind"], "open");
}

#[tokio::test]
async fn people_at_a_table_say_phrases() {
    let (server, now) = server().await;
    let [host, guest, watcher] = server.people();
    let game = open(&host, "Mika").await;
    let say = format!("{game}/phrases");
    host.refused(&say, "phrase=hello", 422).await;
    assert!(!host.page(&game).await.contains("Say something"));
    guest.done(&table(&game), "name=Ola").await;
    host.start(&game).await;
    assert!(host.page(&game).await.contains("Say something"));
    host.refused(&say, "phrase=nonsense", 422).await;
    watcher.refused(&say, "phrase=hello", 401).await;

    // The event can come only after the stream has begun.
    let id = game.strip_prefix("/g/").unwrap();
    let mut stream = watcher.events(&format!("/events?game={id}.0")).await;
    guest.done(&say, "phrase=rolled").await;
    let heard = stream.next("phrase").await.data;
    assert_eq!(
        (&heard["player"], &heard["phrase"]),
        (&1.into(), &"rolled".into())
    );

    assert_eq!(host.page(&game).await.text(".bubble"), "Well rolled!");
    let page = watcher.page(&game).await;
    assert_eq!(page.text(".bubble"), "Well rolled!");
    assert!(!page.contains("Good luck"), "a watcher only reads");
    let soon = guest.refused(&say, "phrase=oh-no", 429).await;
    assert!(soon.contains("One phrase every three seconds"));
    // The other player's time is another one.
    host.done(&say, "phrase=thanks").await;
    now.fetch_add(3_000, Ordering::SeqCst);
    guest.done(&say, "phrase=oh-no").await;
    let said = host.page(&game).await.text("ul.said");
    assert!(said.find("Oh no") < said.find("Thanks") && !said.contains("Well rolled!"));
    now.fetch_add(8_000, Ordering::SeqCst);
    let page = host.page(&game).await;
    assert!(page.contains("Oh no") && !page.has(".bubble"));

    let record = host.record(&game).await.to_string();
    assert!(!record.contains("oh-no"), "phrases are not part of it");
}

#[tokio::test]
async fn phrases_can_be_muted() {
    let (server, _) = server().await;
    let [host, guest] = server.people();
    let game = open(&host, "Mika").await;
    guest.done(&table(&game), "name=Ola").await;
    host.start(&game).await;
    guest.post(&format!("{game}/phrases"), "phrase=luck").await;
    let muted = host
        .post("/settings", &[("phrases", "off"), ("next", &game)])
        .await;
    assert_eq!(muted.headers()["location"], game.as_str());
    let page = host.page(&game).await;
    assert!(page.contains("Phrases are muted") && !page.contains("Good luck"));
    host.post("/settings", &[("phrases", "on"), ("next", &game)])
        .await;
    assert!(host.page(&game).await.contains("Good luck"));
}

/// The names on the page of the open tables, in order.
async fn hosts(reader: &Person) -> Vec<String> {
    reader.page("/tables").await.texts(".who > b")
}

#[tokio::test]
async fn three_tables_of_a_browser_are_listed() {
    let (server, _) = server().await;
    let host = server.person();
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(open(&host, "Mika").await);
    }
    let form = "game=dice&listed=1&name=Mika";
    let page = host.refused("/games", form, 422).await;
    assert!(page.contains("Three tables of yours"));
    let seats = "seats=human&seats=open&name=Mika";
    let private = host.create(seats).await;
    let listing = format!("{private}/table");
    let fourth = host.refused(&listing, "do=open", 409).await;
    assert!(fourth.contains("Three tables of yours"));
    assert_eq!(hosts(&host).await.len(), 3);
    // A listed one can be listed again, and one that is taken off makes room.
    let again = format!("{}/table", games[0]);
    host.done(&again, "do=open").await;
    host.done(&again, "do=close").await;
    host.done(&listing, "do=open").await;
}

#[tokio::test]
async fn three_tables_of_a_network_are_listed_and_networks_alternate() {
    let (server, now) = server().await;
    let minute = || now.fetch_add(1_000, Ordering::SeqCst);
    let mut tables = Vec::new();
    for name in ["A1", "A2", "A3"] {
        let host = server.person();
        tables.push((open_from(&host, "192.0.2.1", name).await, host));
        minute();
    }
    let late = server.person();
    let seats = "seats=human&seats=open&name=A4";
    let game = late.create(seats).await;
    let refused = from(&late, "192.0.2.1")
        .post(&format!("{game}/table"), "do=open")
        .await;
    assert_eq!(refused.status(), 409);
    for (address, name) in [
        ("192.0.2.2", "B1"),
        ("2001:db8::1", "C1"),
        ("2001:db8::2", "C2"),
    ] {
        open_from(&server.person(), address, name).await;
        minute();
    }
    let order = ["A1", "B1", "C1", "A2", "C2", "A3"];
    assert_eq!(hosts(&late).await, order);
    // Listing a table again moves it nowhere, and taking it off before moves it to the end.
    let (first, host) = &tables[0];
    from(host, "192.0.2.1")
        .post(&format!("{first}/table"), "do=open")
        .await;
    let (third, owner) = &tables[2];
    from(owner, "192.0.2.9")
        .post(&format!("{third}/table"), "do=open")
        .await;
    assert_eq!(hosts(&late).await, order);
    from(host, "192.0.2.1")
        .post(&format!("{first}/table"), "do=close")
        .await;
    from(host, "192.0.2.1")
        .post(&format!("{first}/table"), "do=open")
        .await;
    assert_eq!(hosts(&late).await, ["A2", "B1", "C1", "A3", "C2", "A1"]);
    // Browsers on this machine are not counted as a network.
    for name in ["L1", "L2", "L3", "L4"] {
        open(&server.person(), name).await;
    }
    assert_eq!(hosts(&late).await.len(), 10);
}

#[tokio::test]
async fn a_table_is_listed_for_an_hour_even_if_its_page_stays_open() {
    let (server, now) = server().await;
    let [host, guest] = server.people();
    let game = open(&host, "Mika").await;
    for _ in 0..39 {
        now.fetch_add(90_000, Ordering::SeqCst);
        assert!(host.page(&game).await.contains("Take it off the list"));
    }
    assert_eq!(hosts(&guest).await, ["Mika"]);
    now.fetch_add(90_000, Ordering::SeqCst);
    assert!(host.page(&game).await.contains("List it under Open tables"));
    assert!(hosts(&guest).await.is_empty());
    guest.refused(&table(&game), "name=Ola", 409).await;
    assert_eq!(delete_old_tables(&server.service).await.unwrap(), 1);
    let listing = format!("{game}/table");
    host.done(&listing, "do=open").await;
    assert_eq!(hosts(&guest).await, ["Mika"]);
}

/// Tables of different browsers, each with one free seat whose player moves first.
async fn tables_for_a_guest(server: &Server, count: usize) -> (Vec<String>, Vec<Person>) {
    let form = "game=trilobite&listed=1&name=Yuki&chips=open&chips=human";
    let (mut tables, mut hosts) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let host = server.person();
        tables.push(host.create(form).await);
        hosts.push(host);
    }
    (tables, hosts)
}

#[tokio::test]
async fn a_browser_that_has_not_moved_gets_three_seats() {
    let (server, _) = server().await;
    let (tables, hosts) = tables_for_a_guest(&server, 20).await;
    let guest = server.person();
    guest.create("").await;
    let form = "name=Ola";
    let join = async |game: &String| guest.post(&table(game), form).await.status();
    let joined = join_all(tables.iter().map(join)).await;
    let taken: Vec<bool> = joined.iter().map(|status| *status == 303).collect();
    assert_eq!(taken.iter().filter(|taken| **taken).count(), 3, "{taken:?}");
    let mut unplayed = tables.iter().zip(&taken).filter(|(_, taken)| **taken);
    let mut free = tables.iter().zip(&taken).filter(|(_, taken)| !**taken);
    let (played, _) = unplayed.next().unwrap();
    let (next, _) = free.next().unwrap();
    let page = guest.refused(&table(next), form, 409).await;
    assert!(page.contains("sit at three open tables"));
    let number = tables.iter().position(|game| game == played).unwrap();
    hosts[number].start(played).await;
    drop_first_chip(&guest, played).await;
    guest.done(&table(next), form).await;
    let (other, _) = free.next().unwrap();
    guest.refused(&table(other), form, 409).await;
    let (given_up, _) = unplayed.next().unwrap();
    let resign = format!("{given_up}/resign");
    guest.done(&resign, "ply=0").await;
    guest.done(&table(other), form).await;
}

#[tokio::test]
async fn a_network_that_has_not_moved_gets_three_seats() {
    let (server, _) = server().await;
    let (tables, _) = tables_for_a_guest(&server, 5).await;
    let join = async |address: &str, game: &str| {
        let guest = server.person();
        guest.create("").await;
        let guest = from(&guest, address);
        guest.post(&table(game), "name=Ola").await.status()
    };
    for game in &tables[..3] {
        assert_eq!(join("192.0.2.1", game).await, 303);
    }
    assert_eq!(join("192.0.2.1", &tables[3]).await, 409);
    assert_eq!(join("192.0.2.2", &tables[3]).await, 303);
    assert_eq!(join("127.0.0.1", &tables[4]).await, 303);
}

#[tokio::test]
async fn the_host_frees_the_seat_of_a_player_who_has_not_moved() {
    let (server, _) = server().await;
    let [host, guest] = server.people();
    let form = "game=trilobite&listed=1&name=Yuki&chips=open&chips=human";
    let game = host.create(form).await;
    guest.done(&table(&game), "name=Ola").await;
    assert!(host.page(&game).await.contains("Free Ola’s seat"));
    assert!(!guest.page(&game).await.contains("Free Yuki’s seat"));
    let path = format!("{game}/seats");
    let free = |player| [("player", player), ("do", "free")];
    guest.refused(&path, &free("1"), 403).await;
    host.refused(&path, &free("1"), 403).await;
    for _ in 0..2 {
        host.done(&path, &free("0")).await;
        assert_eq!(seats(&host, &game).await[0]["kind"], "open");
    }
    let told = "The host of this game has freed your seat";
    assert!(guest.page(&game).await.contains(told));
    assert!(!host.page(&game).await.contains(told));
    assert_eq!(hosts(&guest).await, ["Yuki"], "listed again");
    // Who has moved keeps the seat.
    guest.done(&table(&game), "name=Ola").await;
    assert!(!guest.page(&game).await.contains(told));
    host.start(&game).await;
    drop_first_chip(&guest, &game).await;
    assert!(!host.page(&game).await.contains("Free Ola’s seat"));
    let late = host.refused(&path, &free("0"), 409).await;
    assert!(late.contains("has already moved"));
}

#[tokio::test]
async fn a_player_whose_seat_in_a_private_game_was_freed_is_told() {
    let (server, _) = server().await;
    let [host, guest, stranger] = server.people();
    let form = "private=1&seats=human&seats=open";
    let game = host.create(form).await;
    let link = host.seat_link(&game).await;
    guest.create("").await;
    guest.done(&link, "").await;
    let free = "player=1&do=free";
    let freed = host.post(&format!("{game}/seats"), free).await;
    assert_eq!(freed.status(), 303);
    let told = async |reader: &Person| {
        let reader = reader.with("accept", "text/html");
        let page = reader.page_with_status(&game, 404).await;
        page.contains("The host of this private game has freed your seat")
    };
    assert!(told(&guest).await);
    assert!(!told(&stranger).await);
}

#[tokio::test]
async fn names_are_no_web_addresses() {
    let (server, _) = server().await;
    let [host, guest] = server.people();
    let game = open(&host, "Dr. Who").await;
    let sentence = "A name cannot contain a web address.";
    let form = "listed=1&name=www.example.com";
    let rename = "player=0&do=name&name=example.com";
    let path = format!("{game}/seats");
    for refused in [
        guest
            .post(&table(&game), &[("name", "https://example.com")])
            .await,
        guest.post("/games", form).await,
        host.post(&path, rename).await,
    ] {
        assert_eq!(refused.status(), 422);
        assert!(refused.text().await.unwrap().contains(sentence));
    }
    let program = serde_json::json!({"name": "example.com"});
    let program = server.api().post("/api/v1/programs", &program).await;
    assert_eq!(program.status(), 422);
    let problem: Value = program.json().await.unwrap();
    assert_eq!(
        problem["detail"],
        "name: a name has no web address: put a space after a dot"
    );
    assert_eq!(hosts(&guest).await, ["Dr. Who"]);
}
