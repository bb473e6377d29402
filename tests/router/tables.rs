//! The open tables, `/tables`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use dice_of_doom::http::connections::ConnectionLimits;
use dice_of_doom::service::Environment;
use futures_util::future::join_all;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::Value;

use crate::common::{Server, ServerConfig};

/// A server with a clock of its own, to which this machine is a proxy for other networks.
async fn server() -> (Server, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(1_800_000_000_000));
    let clock = Arc::clone(&now);
    let environment = Environment {
        clock: Arc::new(move || clock.load(Ordering::SeqCst)),
        ..Environment::default()
    };
    let config = ServerConfig {
        environment,
        limits: ConnectionLimits {
            proxies: vec!["127.0.0.1".parse().unwrap()],
            ..ConnectionLimits::default()
        },
        moves: 1_000,
        ..ServerConfig::default()
    };
    (Server::start_with(config).await, now)
}

struct Browser {
    client: Client,
    url: String,
}

impl Browser {
    fn new(server: &Server) -> Self {
        let builder = Client::builder().cookie_store(true);
        let client = builder.redirect(Policy::none()).build().unwrap();
        let url = server.url("");
        Browser { client, url }
    }

    async fn page(&self, path: &str) -> String {
        let request = self.client.get(format!("{}{path}", self.url));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        answer.text().await.unwrap()
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        let request = self.client.post(format!("{}{path}", self.url));
        request.form(form).send().await.unwrap()
    }

    /// A form that is sent from another machine.
    async fn post_from(&self, address: &str, path: &str, form: &[(&str, &str)]) -> Response {
        let request = self.client.post(format!("{}{path}", self.url));
        let request = request.header("x-forwarded-for", address).form(form);
        request.send().await.unwrap()
    }

    /// Creates a game with a free seat, and lists it from another machine. Returns its path.
    async fn open_from(&self, address: &str, name: &str) -> String {
        let form = [
            ("game", "dice"),
            ("name", name),
            ("seats", "human"),
            ("seats", "open"),
        ];
        let game = self.create(&form).await;
        let opened = self.list_from(address, &game, "open").await;
        assert_eq!(opened.status(), 303, "{name}");
        game
    }

    async fn list_from(&self, address: &str, game: &str, action: &str) -> Response {
        let path = format!("{game}/table");
        self.post_from(address, &path, &[("do", action)]).await
    }

    /// Creates a game with a form; returns the path of its page.
    async fn create(&self, form: &[(&str, &str)]) -> String {
        let answer = self.post("/games", form).await;
        assert_eq!(answer.status().as_u16(), 303);
        answer.headers()["location"].to_str().unwrap().to_owned()
    }

    /// Opens a table under this name; returns the path of the game's page.
    async fn open(&self, name: &str) -> String {
        let form = [("game", "dice"), ("listed", "1"), ("name", name)];
        self.create(&form).await
    }

    /// The first move of a game of Trilobite.
    async fn drop_first_chip(&self, game: &str) -> Response {
        let form = [("ply", "0"), ("column", "a")];
        self.post(&format!("{game}/moves"), &form).await
    }

    async fn join(&self, game: &str, form: &[(&str, &str)]) -> Response {
        self.post(&game.replace("/g/", "/tables/"), form).await
    }
}

async fn seats(browser: &Browser, game: &str) -> Value {
    let path = format!("/api/v1{}", game.replace("/g/", "/games/"));
    let state: Value = serde_json::from_str(&browser.page(&path).await).unwrap();
    state["seats"].clone()
}

#[tokio::test]
async fn an_open_table_is_found_and_joined_with_one_press() {
    let (server, now) = server().await;
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    assert!(
        guest
            .page("/tables")
            .await
            .contains("Nobody is waiting now")
    );
    assert!(!guest.page("/").await.contains("All 1"));
    let game = host.open("Mika").await;
    now.fetch_add(60_000, Ordering::SeqCst);
    for path in ["/tables", "/"] {
        let page = guest.page(path).await;
        for text in [
            "Mika",
            "3 seats are free.",
            "Waiting for 1 minute.",
            "Your name",
        ] {
            assert!(page.contains(text), "{path}: {text}");
        }
    }
    let unnamed = guest.join(&game, &[]).await;
    assert_eq!(unnamed.status(), 422);
    assert!(unnamed.text().await.unwrap().contains("need a name"));
    let joined = guest.join(&game, &[("name", "Ola")]).await;
    assert_eq!(joined.status(), 303);
    assert_eq!(joined.headers()["location"], game.as_str());
    assert_eq!(seats(&guest, &game).await[1]["name"], "Ola");
    // Again: the seat stays the same.
    assert_eq!(guest.join(&game, &[("name", "Eve")]).await.status(), 303);
    assert_eq!(seats(&guest, &game).await[2]["kind"], "open");
    // The name is known from now on.
    let other = host.open("Mika").await;
    let page = guest.page("/tables").await;
    assert!(page.contains("Mika and Ola") && page.contains("Your table"));
    assert!(!page.contains("Your name"));
    assert_eq!(guest.join(&other, &[]).await.status(), 303);
    assert_eq!(seats(&guest, &other).await[1]["name"], "Ola");
}

#[tokio::test]
async fn a_table_without_free_seats_has_just_started() {
    let (server, _) = server().await;
    let [host, guest, late] = [0, 1, 2].map(|_| Browser::new(&server));
    let form = [
        ("game", "trilobite"),
        ("listed", "1"),
        ("name", "Yuki"),
        ("chips", "open"),
        ("chips", "human"),
    ];
    let game = host.create(&form).await;
    let remaining = host.open("Yuki").await;
    assert_eq!(guest.join(&game, &[("name", "Ola")]).await.status(), 303);
    let late_answer = late.join(&game, &[("name", "Eve")]).await;
    assert_eq!(late_answer.status(), 409);
    let page = late_answer.text().await.unwrap();
    assert!(page.contains("This table has just started."));
    assert!(page.contains(&remaining.replace("/g/", "/tables/")));
    assert!(!page.contains(&game.replace("/g/", "/tables/")));
    assert_eq!(
        late.join("/g/aaaaaaaa", &[("name", "Eve")]).await.status(),
        409
    );
}

#[tokio::test]
async fn a_table_is_listed_while_its_creator_is_there() {
    let (server, now) = server().await;
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    let game = host.open("Mika").await;
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
    assert_eq!(guest.join(&game, &[("name", "Ola")]).await.status(), 409);
    host.page(&game).await;
    assert!(is_listed().await, "the creator is back");
}

#[tokio::test]
async fn the_creator_closes_and_opens_the_table() {
    let (server, _) = server().await;
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    let form = [
        ("game", "dice"),
        ("name", "Mika"),
        ("seats", "human"),
        ("seats", "open"),
    ];
    let game = host.create(&form).await;
    let listing = format!("{game}/table");
    let is_listed = async || guest.page("/tables").await.contains("Mika");
    assert!(!is_listed().await);
    assert!(host.page(&game).await.contains("Only people with the link"));
    assert_eq!(guest.post(&listing, &[("do", "open")]).await.status(), 401);
    assert!(!is_listed().await);
    assert_eq!(host.post(&listing, &[("do", "open")]).await.status(), 303);
    assert!(is_listed().await);
    assert!(host.page(&game).await.contains("Take it off the list"));
    assert!(!guest.page(&game).await.contains("Take it off the list"));
    assert_eq!(guest.post(&listing, &[("do", "close")]).await.status(), 401);
    assert!(is_listed().await);
    assert_eq!(host.post(&listing, &[("do", "close")]).await.status(), 303);
    assert!(!is_listed().await);
    assert_eq!(guest.join(&game, &[("name", "Ola")]).await.status(), 409);
}

#[tokio::test]
async fn a_table_needs_a_free_seat_and_readers() {
    let (server, _) = server().await;
    let host = Browser::new(&server);
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
        let answer = host.post("/games", &form).await;
        assert_eq!(answer.status(), 422);
        assert!(
            answer.text().await.unwrap().contains(sentence),
            "{sentence}"
        );
    }
    assert!(host.page("/tables").await.contains("Nobody is waiting now"));
}

/// The page keeps no seat for a browser that refuses cookies.
#[tokio::test]
async fn a_browser_without_cookies_gets_no_seat() {
    let (server, _) = server().await;
    let host = Browser::new(&server);
    let game = host.open("Mika").await;
    let path = game.replace("/g/", "/tables/");
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let post = async |path: &str| {
        let request = client.post(server.url(path)).header("accept", "text/html");
        request.form(&[("name", "Ola")]).send().await.unwrap()
    };
    let first = post(&path).await;
    assert_eq!(first.status(), 307);
    let again = post(&format!("{path}?cookie-sent")).await;
    assert!(again.status().is_client_error());
    assert_eq!(seats(&host, &game).await[1]["kind"], "open");
}

/// A browser's stream of a game's events, up to the first one of a kind.
async fn event(browser: &Browser, game: &str, kind: &str) -> Value {
    let id = game.strip_prefix("/g/").unwrap();
    let request = browser
        .client
        .get(format!("{}/events?game={id}.0", browser.url));
    let mut stream = request.send().await.unwrap();
    let mut text = String::new();
    let start = format!("event: {kind}\ndata: ");
    loop {
        if let Some((_, after)) = text.split_once(&start)
            && let Some((data, _)) = after.split_once('\n')
        {
            return serde_json::from_str(data).unwrap();
        }
        let chunk = stream.chunk().await.unwrap().expect("the stream is open");
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

#[tokio::test]
async fn people_at_a_table_say_phrases() {
    let (server, now) = server().await;
    let [host, guest, watcher] = [0, 1, 2].map(|_| Browser::new(&server));
    let game = host.open("Mika").await;
    let say = format!("{game}/phrases");
    let alone = host.post(&say, &[("phrase", "hello")]).await;
    assert_eq!(alone.status(), 422);
    assert!(!host.page(&game).await.contains("Say something"));
    guest.join(&game, &[("name", "Ola")]).await;
    assert!(host.page(&game).await.contains("Say something"));
    assert_eq!(
        host.post(&say, &[("phrase", "nonsense")]).await.status(),
        422
    );
    assert_eq!(
        watcher.post(&say, &[("phrase", "hello")]).await.status(),
        401
    );

    // The event can come only after the stream has begun.
    let heard = tokio::spawn({
        let (watcher, game) = (Browser::new(&server), game.clone());
        async move { event(&watcher, &game, "phrase").await }
    });
    while server.gallery.open_streams() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        guest.post(&say, &[("phrase", "rolled")]).await.status(),
        303
    );
    let heard = heard.await.unwrap();
    assert_eq!(
        (&heard["player"], &heard["phrase"]),
        (&1.into(), &"rolled".into())
    );

    let bubble = r#"<span class="bubble">Well rolled!</span>"#;
    assert!(host.page(&game).await.contains(bubble));
    let page = watcher.page(&game).await;
    assert!(
        page.contains(bubble) && !page.contains("Good luck"),
        "a watcher only reads"
    );
    let soon = guest.post(&say, &[("phrase", "oh-no")]).await;
    assert_eq!(soon.status(), 429);
    assert!(
        soon.text()
            .await
            .unwrap()
            .contains("One phrase every three seconds")
    );
    // The other player's time is another one.
    assert_eq!(host.post(&say, &[("phrase", "thanks")]).await.status(), 303);
    now.fetch_add(3_000, Ordering::SeqCst);
    assert_eq!(guest.post(&say, &[("phrase", "oh-no")]).await.status(), 303);
    let page = host.page(&game).await;
    let said = page.split_once("<ul class=\"said\">").unwrap().1;
    let said = said.split_once("</ul>").unwrap().0;
    assert!(said.find("Oh no") < said.find("Thanks") && !said.contains("Well rolled!"));
    now.fetch_add(8_000, Ordering::SeqCst);
    let page = host.page(&game).await;
    assert!(page.contains("Oh no") && !page.contains("class=\"bubble\""));

    let record = format!("/api/v1{}/record", game.replace("/g/", "/games/"));
    let record = host.page(&record).await;
    assert!(!record.contains("oh-no"), "phrases are not part of it");
}

#[tokio::test]
async fn phrases_can_be_muted() {
    let (server, _) = server().await;
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    let game = host.open("Mika").await;
    guest.join(&game, &[("name", "Ola")]).await;
    guest
        .post(&format!("{game}/phrases"), &[("phrase", "luck")])
        .await;
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
async fn hosts(reader: &Browser) -> Vec<String> {
    let page = reader.page("/tables").await;
    let names = page.split("<span class=\"who\"><b>").skip(1);
    names
        .map(|row| row.split('<').next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn three_tables_of_a_browser_are_listed() {
    let (server, _) = server().await;
    let host = Browser::new(&server);
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(host.open("Mika").await);
    }
    let form = [("game", "dice"), ("listed", "1"), ("name", "Mika")];
    let fourth = host.post("/games", &form).await;
    assert_eq!(fourth.status(), 422);
    let page = fourth.text().await.unwrap();
    assert!(page.contains("Three tables of yours"));
    let seats = [("seats", "human"), ("seats", "open"), ("name", "Mika")];
    let private = host.create(&seats).await;
    let listing = format!("{private}/table");
    let fourth = host.post(&listing, &[("do", "open")]).await;
    assert_eq!(fourth.status(), 409);
    assert!(
        fourth
            .text()
            .await
            .unwrap()
            .contains("Three tables of yours")
    );
    assert_eq!(hosts(&host).await.len(), 3);
    // A listed one can be listed again, and one that is taken off makes room.
    let again = format!("{}/table", games[0]);
    assert_eq!(host.post(&again, &[("do", "open")]).await.status(), 303);
    assert_eq!(host.post(&again, &[("do", "close")]).await.status(), 303);
    assert_eq!(host.post(&listing, &[("do", "open")]).await.status(), 303);
}

#[tokio::test]
async fn three_tables_of_a_network_are_listed_and_networks_alternate() {
    let (server, now) = server().await;
    let minute = || now.fetch_add(1_000, Ordering::SeqCst);
    let mut tables = Vec::new();
    for name in ["A1", "A2", "A3"] {
        let host = Browser::new(&server);
        tables.push((host.open_from("192.0.2.1", name).await, host));
        minute();
    }
    let late = Browser::new(&server);
    let seats = [("seats", "human"), ("seats", "open"), ("name", "A4")];
    let game = late.create(&seats).await;
    let refused = late.list_from("192.0.2.1", &game, "open").await;
    assert_eq!(refused.status(), 409);
    for (address, name) in [
        ("192.0.2.2", "B1"),
        ("2001:db8::1", "C1"),
        ("2001:db8::2", "C2"),
    ] {
        Browser::new(&server).open_from(address, name).await;
        minute();
    }
    let order = ["A1", "B1", "C1", "A2", "C2", "A3"];
    assert_eq!(hosts(&late).await, order);
    // Listing a table again moves it nowhere, and taking it off before moves it to the end.
    let (first, host) = &tables[0];
    host.list_from("192.0.2.1", first, "open").await;
    let (third, owner) = &tables[2];
    owner.list_from("192.0.2.9", third, "open").await;
    assert_eq!(hosts(&late).await, order);
    host.list_from("192.0.2.1", first, "close").await;
    host.list_from("192.0.2.1", first, "open").await;
    assert_eq!(hosts(&late).await, ["A2", "B1", "C1", "A3", "C2", "A1"]);
    // Browsers on this machine are not counted as a network.
    for name in ["L1", "L2", "L3", "L4"] {
        Browser::new(&server).open(name).await;
    }
    assert_eq!(hosts(&late).await.len(), 10);
}

#[tokio::test]
async fn a_table_is_listed_for_an_hour_even_if_its_page_stays_open() {
    let (server, now) = server().await;
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    let game = host.open("Mika").await;
    for _ in 0..39 {
        now.fetch_add(90_000, Ordering::SeqCst);
        assert!(host.page(&game).await.contains("Take it off the list"));
    }
    assert_eq!(hosts(&guest).await, ["Mika"]);
    now.fetch_add(90_000, Ordering::SeqCst);
    assert!(host.page(&game).await.contains("List it under Open tables"));
    assert!(hosts(&guest).await.is_empty());
    assert_eq!(guest.join(&game, &[("name", "Ola")]).await.status(), 409);
    assert_eq!(server.service.delete_old_tables().await.unwrap(), 1);
    let listing = format!("{game}/table");
    assert_eq!(host.post(&listing, &[("do", "open")]).await.status(), 303);
    assert_eq!(hosts(&guest).await, ["Mika"]);
}

/// Tables of different browsers, each with one free seat whose player moves first.
async fn tables_for_a_guest(server: &Server, count: usize) -> Vec<String> {
    let form = [
        ("game", "trilobite"),
        ("listed", "1"),
        ("name", "Yuki"),
        ("chips", "open"),
        ("chips", "human"),
    ];
    let mut tables = Vec::new();
    for _ in 0..count {
        tables.push(Browser::new(server).create(&form).await);
    }
    tables
}

#[tokio::test]
async fn a_browser_that_has_not_moved_gets_three_seats() {
    let (server, _) = server().await;
    let tables = tables_for_a_guest(&server, 20).await;
    let guest = Browser::new(&server);
    guest.create(&[]).await;
    let form = [("name", "Ola")];
    let joined = join_all(tables.iter().map(|game| guest.join(game, &form))).await;
    let taken: Vec<bool> = joined.iter().map(|answer| answer.status() == 303).collect();
    assert_eq!(taken.iter().filter(|taken| **taken).count(), 3, "{taken:?}");
    let mut unplayed = tables.iter().zip(&taken).filter(|(_, taken)| **taken);
    let mut free = tables.iter().zip(&taken).filter(|(_, taken)| !**taken);
    let (played, _) = unplayed.next().unwrap();
    let (next, _) = free.next().unwrap();
    let refused = guest.join(next, &form).await;
    assert_eq!(refused.status(), 409);
    let page = refused.text().await.unwrap();
    assert!(page.contains("sit at three open tables"));
    let moved = guest.drop_first_chip(played).await;
    assert_eq!(moved.status(), 303);
    assert_eq!(guest.join(next, &form).await.status(), 303);
    let (other, _) = free.next().unwrap();
    assert_eq!(guest.join(other, &form).await.status(), 409);
    let (given_up, _) = unplayed.next().unwrap();
    let resign = format!("{given_up}/resign");
    let resigned = guest.post(&resign, &[("ply", "0")]).await;
    assert_eq!(resigned.status(), 303);
    assert_eq!(guest.join(other, &form).await.status(), 303);
}

#[tokio::test]
async fn a_network_that_has_not_moved_gets_three_seats() {
    let (server, _) = server().await;
    let tables = tables_for_a_guest(&server, 5).await;
    let join = async |address: &str, game: &str| {
        let guest = Browser::new(&server);
        guest.create(&[]).await;
        let path = game.replace("/g/", "/tables/");
        let joined = guest.post_from(address, &path, &[("name", "Ola")]).await;
        joined.status().as_u16()
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
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    let form = [
        ("game", "trilobite"),
        ("listed", "1"),
        ("name", "Yuki"),
        ("chips", "open"),
        ("chips", "human"),
    ];
    let game = host.create(&form).await;
    guest.join(&game, &[("name", "Ola")]).await;
    assert!(host.page(&game).await.contains("Free Ola’s seat"));
    assert!(!guest.page(&game).await.contains("Free Yuki’s seat"));
    let path = format!("{game}/seats");
    let free = |player| [("player", player), ("do", "free")];
    let by_guest = guest.post(&path, &free("1")).await;
    assert_eq!(by_guest.status(), 403);
    let own = host.post(&path, &free("1")).await;
    assert_eq!(own.status(), 403);
    for _ in 0..2 {
        assert_eq!(host.post(&path, &free("0")).await.status(), 303);
        assert_eq!(seats(&host, &game).await[0]["kind"], "open");
    }
    let told = "The host of this game has freed your seat";
    assert!(guest.page(&game).await.contains(told));
    assert!(!host.page(&game).await.contains(told));
    assert_eq!(hosts(&guest).await, ["Yuki"], "listed again");
    // Who has moved keeps the seat.
    guest.join(&game, &[("name", "Ola")]).await;
    assert!(!guest.page(&game).await.contains(told));
    let moved = guest.drop_first_chip(&game).await;
    assert_eq!(moved.status(), 303);
    assert!(!host.page(&game).await.contains("Free Ola’s seat"));
    let late = host.post(&path, &free("0")).await;
    assert_eq!(late.status(), 409);
    assert!(late.text().await.unwrap().contains("has already moved"));
}

#[tokio::test]
async fn a_player_whose_seat_in_a_private_game_was_freed_is_told() {
    let (server, _) = server().await;
    let [host, guest, stranger] = [0, 1, 2].map(|_| Browser::new(&server));
    let form = [("private", "1"), ("seats", "human"), ("seats", "open")];
    let game = host.create(&form).await;
    let page = host.page(&game).await;
    let (_, link) = page.split_once("/join/").unwrap();
    let link = format!("/join/{}", &link[..link.find('"').unwrap()]);
    guest.create(&[]).await;
    assert_eq!(guest.post(&link, &[]).await.status(), 303);
    let free = [("player", "1"), ("do", "free")];
    let freed = host.post(&format!("{game}/seats"), &free).await;
    assert_eq!(freed.status(), 303);
    let told = async |reader: &Browser| {
        let request = reader.client.get(server.url(&game));
        let answer = request.header("accept", "text/html").send().await.unwrap();
        assert_eq!(answer.status(), 404);
        let page = answer.text().await.unwrap();
        page.contains("The host of this private game has freed your seat")
    };
    assert!(told(&guest).await);
    assert!(!told(&stranger).await);
}

#[tokio::test]
async fn names_are_no_web_addresses() {
    let (server, _) = server().await;
    let [host, guest] = [0, 1].map(|_| Browser::new(&server));
    let game = host.open("Dr. Who").await;
    let sentence = "A name cannot contain a web address.";
    let form = [("listed", "1"), ("name", "www.example.com")];
    let rename = [("player", "0"), ("do", "name"), ("name", "example.com")];
    let path = format!("{game}/seats");
    for refused in [
        guest.join(&game, &[("name", "https://example.com")]).await,
        guest.post("/games", &form).await,
        host.post(&path, &rename).await,
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
