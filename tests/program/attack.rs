//! Load tests of fairness: one visitor requests as much computation as the limits allow, and others hardly notice. The
//! real program, with its limits applied to this machine too.
//!
//! `DOD_ATTACK_PLIES` requests more plies of the other visitor's computers than these few. The promised times are
//! asserted in release builds only (`cargo test --release --test program attack:: -- --nocapture`); other builds print
//! them.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::records::played_to;
use crate::common::{Api, HANG, Program, Table, likely, number, program};
use dice_of_doom::games::Registry;
use dice_of_doom::secret::Secret;
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// The number of games that the limit allows to create at once.
const GAMES: usize = 30;

/// The number of plies that the third visitor's own game must gain while the attacker's games are in progress.
const TOGETHER: usize = 12;

/// The 99th percentile of the response time of the other visitor's computers.
const PLY: Duration = Duration::from_millis(250);

/// The 99th percentile of the response time of pages.
const PAGE: Duration = Duration::from_millis(20);

fn is_measured() -> bool {
    !cfg!(debug_assertions)
}

fn env_number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The program with one compute thread on every machine, and with limits that let the other visitor play many games
/// quickly; the attacker stays within the default limits.
fn server(folder: &TempDir) -> Program {
    let mut command = program();
    let database = format!("sqlite:{}", folder.path().join("games.db").display());
    command
        .env("RUST_LOG", "warn")
        .args(["--listen", "127.0.0.1:0", "--limit-loopback"])
        .args(["--limit-moves-per-second", "10000"])
        .args(["--limit-games-per-minute", "10000", "--thinkers", "1"])
        .args(["--limit-reads-per-second", "100000"])
        .args(["--limit-stored-mb-per-day", "4294"])
        .args(["--database", &database]);
    Program::run(command, &folder.path().join("log"))
}

/// A client whose address is 127.0.0.`host`.
fn visitor(server: &Program, host: u8) -> Api {
    let client = Client::builder()
        .local_address(IpAddr::V4(Ipv4Addr::new(127, 0, 0, host)))
        .redirect(reqwest::redirect::Policy::none());
    Api {
        client: client.timeout(HANG).build().unwrap(),
        url: server.url.clone(),
    }
}

/// A game of six champions (masters in a debug build, which is slow) on the largest board, created by the browser with
/// this secret; returns its id.
async fn create_game_of_champions(api: &Api, secret: &Secret) -> String {
    let mut form = vec![("game", "dice"), ("rules", "v4"), ("size", "8")];
    form.extend([("players", "6")]);
    form.extend([("seats", if is_measured() { "champion" } else { "master" }); 6]);
    let request = api.client.post(format!("{}/games", api.url));
    let request = request.header("cookie", format!("dod={}", secret.to_text()));
    let answer = request.form(&form).send().await.unwrap();
    assert_eq!(answer.status(), 303, "{:?}", answer.text().await);
    let place = answer.headers()["location"].to_str().unwrap();
    place.trim_start_matches("/g/").to_owned()
}

/// Watches a game until it is over or the server ends; notes when each ply arrived.
async fn watch_game(api: Api, id: String, arrivals: Arc<Mutex<Vec<Instant>>>) {
    let mut ply = 0;
    loop {
        let path = format!("{}/api/v1/games/{id}?wait={}", api.url, ply + 1);
        let Ok(answer) = api.client.get(path).send().await else {
            return;
        };
        let now: Value = answer.json().await.unwrap();
        let newest = number(&now["ply"]);
        for _ in ply..newest {
            arrivals.lock().unwrap().push(Instant::now());
        }
        ply = newest;
        if now["over"] == true {
            return;
        }
    }
}

/// Watches games of its own, one after another: some are over within forty plies.
async fn watch_games(api: Api, arrivals: Arc<Mutex<Vec<Instant>>>) {
    let secret = Secret::random();
    loop {
        let id = create_game_of_champions(&api, &secret).await;
        watch_game(api.clone(), id, Arc::clone(&arrivals)).await;
    }
}

/// The longest time without a ply, including the time since the last one.
fn longest_wait(begun: Instant, arrivals: &Mutex<Vec<Instant>>) -> Duration {
    let arrivals = arrivals.lock().unwrap();
    let mut last = begun;
    let mut longest = Duration::ZERO;
    for &ply in arrivals.iter().chain([&Instant::now()]) {
        longest = longest.max(ply - last);
        last = ply;
    }
    longest
}

/// The time that all but the given number of thousandths did not exceed.
fn all_but(thousandths: usize, times: &mut [Duration]) -> Duration {
    times.sort();
    times[(times.len() * (1000 - thousandths) / 1000).min(times.len() - 1)]
}

/// Plays against computers of level book until they have played the given number of plies; returns the time of each
/// since the ply before it.
async fn book_plies(api: &Api, plies: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for seed in 0.. {
        let new = json!({"game": "dice", "seats": ["human", "book", "book", "book"], "seed": seed});
        let table = api.create(new).await;
        while let now = table.state().await
            && now["player"] == 0
        {
            let ply = number(&now["ply"]);
            let path = likely(&table.moves().await);
            let begun = Instant::now();
            table.play(0, ply, &path).await;
            wait_for_computers(&table, ply + 1, begun, &mut times).await;
            if times.len() >= plies {
                return times;
            }
        }
    }
    times
}

/// Waits for the computers' plies, one by one, until the person is to move again.
async fn wait_for_computers(
    table: &Table,
    mut ply: u64,
    mut begun: Instant,
    times: &mut Vec<Duration>,
) {
    let mut now = table.state().await;
    loop {
        for _ in ply..number(&now["ply"]) {
            times.push(begun.elapsed());
            begun = Instant::now();
        }
        ply = number(&now["ply"]);
        match now["player"].as_u64() {
            None | Some(0) => return,
            Some(_) => now = table.wait(ply + 1).await,
        }
    }
}

/// Thirty games of six champions from one address, created with the given number of cookies; another visitor plays
/// against level book, and a third watches one game of its own.
async fn attack(cookies: usize) {
    let folder = TempDir::new().unwrap();
    let server = server(&folder);
    let attacker = visitor(&server, 2);
    let secrets: Vec<Secret> = (0..cookies).map(|_| Secret::random()).collect();
    let begun = Instant::now();
    let mut watchers = JoinSet::new();
    let mut games = Vec::new();
    for game in 0..GAMES {
        let id = create_game_of_champions(&attacker, &secrets[game % cookies]).await;
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        watchers.spawn(watch_game(attacker.clone(), id, Arc::clone(&arrivals)));
        games.push(arrivals);
    }
    let third = visitor(&server, 4);
    let own = Arc::new(Mutex::new(Vec::new()));
    let joined = Instant::now();
    watchers.spawn(watch_games(third, Arc::clone(&own)));

    let neighbour = visitor(&server, 3);
    let plies = env_number("DOD_ATTACK_PLIES").unwrap_or(100);
    let mut times = book_plies(&neighbour, plies).await;
    let (median, p99) = (all_but(500, &mut times), all_but(10, &mut times));

    // No starvation: two visitors who each request as much as possible take turns. Compute time is shared by visitor,
    // and plies differ in length (a turn that only ends takes none). If it were shared by game, thirty plies of the
    // attacker's would be played for each of the third visitor's.
    let attacker_plies = || -> usize {
        let plies = games.iter().map(|arrivals| arrivals.lock().unwrap().len());
        plies.sum()
    };
    let (before, own_before) = (attacker_plies(), own.lock().unwrap().len());
    while own.lock().unwrap().len() < own_before + TOGETHER {
        let attacker_plies = attacker_plies() - before;
        assert!(
            attacker_plies <= GAMES * TOGETHER / 3,
            "{attacker_plies} plies of the attacker's"
        );
        let answer = neighbour.get("/healthz");
        tokio::time::timeout(2 * HANG, answer).await.unwrap();
    }
    let others = games.iter().map(|arrivals| longest_wait(begun, arrivals));
    let others = others.max();
    println!(
        "{cookies} cookies: {plies} plies of the book, median {median:?}, p99 {p99:?}; longest wait of the \
         third {:?}, of the attacker's games {:?} in {:?}; plies since {} to {}",
        longest_wait(joined, &own),
        others.unwrap_or_default(),
        begun.elapsed(),
        own.lock().unwrap().len() - own_before,
        attacker_plies() - before,
    );
    if is_measured() {
        assert!(p99 < PLY, "{p99:?}");
    }
    watchers.shutdown().await;
}

#[tokio::test]
async fn thirty_games_of_champions_of_one_cookie_delay_no_other_visitor() {
    attack(1).await;
}

#[tokio::test]
async fn thirty_cookies_of_one_address_delay_no_other_visitor() {
    attack(GAMES).await;
}

#[tokio::test]
async fn pages_are_served_while_two_hundred_games_of_masters_are_played() {
    serve_pages_during_two_hundred_games_of("master").await;
}

#[tokio::test]
async fn pages_are_served_while_two_hundred_games_of_champions_are_played() {
    serve_pages_during_two_hundred_games_of("champion").await;
}

/// Computers of a level play against each other all the time, and another client fetches pages.
async fn serve_pages_during_two_hundred_games_of(level: &str) {
    let folder = TempDir::new().unwrap();
    let mut command = program();
    command
        .env("RUST_LOG", "warn")
        .args("--listen 127.0.0.1:0 --database memory: --thinkers 1".split(' '));
    let server = Program::run(command, &folder.path().join("log"));
    let api = server.api();
    let mut watchers = JoinSet::new();
    let mut games = Vec::new();
    for seed in 0..if is_measured() { 200 } else { 8 } {
        let seats = [level; 4];
        let table = api
            .create(json!({"game": "dice", "seats": seats, "seed": seed}))
            .await;
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        watchers.spawn(watch_game(
            api.clone(),
            table.id.clone(),
            Arc::clone(&arrivals),
        ));
        games.push((Instant::now(), arrivals));
    }
    let mut times = Vec::new();
    let waiting = || {
        games
            .iter()
            .any(|(_, arrivals)| arrivals.lock().unwrap().is_empty())
    };
    let begun = Instant::now();
    while times.len() < 200 || waiting() {
        assert!(begun.elapsed() < 2 * HANG, "a game starves");
        for path in ["/", "/rules", "/me"] {
            times.push(fetch_page(&api, path).await);
        }
    }
    let (median, p99) = (all_but(500, &mut times), all_but(10, &mut times));
    let waits = games
        .iter()
        .map(|(begun, arrivals)| longest_wait(*begun, arrivals));
    println!(
        "{} games of four of level {level}: {} pages, median {median:?}, p99 {p99:?}; longest wait of a game {:?}",
        games.len(),
        times.len(),
        waits.max().unwrap_or_default()
    );
    if is_measured() {
        assert!(p99 < PAGE, "{p99:?}");
    }
    watchers.shutdown().await;
}

/// One address uploads long records, downloads them eight times at once, and requests images and films as fast as it
/// gets responses; another visitor fetches pages and plays against level book.
///
/// `DOD_ATTACK_PLIES=1000 cargo test --release --test program attack::uploads -- --nocapture`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_downloads_images_and_films_delay_no_other_visitor() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder);
    let attacker = Attacker {
        api: visitor(&server, 2),
        cookie: format!("dod={}", Secret::random().to_text()),
    };
    let games = Registry::builtin();
    let conquest = json!({"size": 8, "players": 2, "rules": "conquest"});
    let records = |seeds: Range<u64>| {
        let (games, conquest) = (&games, &conquest);
        seeds.map(move |seed| played_to(games, "dice", conquest, seed, 990))
    };
    let large = json!({"game": "dice", "rules": "v4", "size": 8, "players": 6, "seats": vec!["human"; 6], "seed": 1});
    let large = attacker.api.create(large).await.id;
    let mut stored = Vec::new();
    for record in records(0..if is_measured() { 200 } else { 5 }) {
        let uploaded = attacker.upload(&record).await;
        stored.push(uploaded.expect("the upload is accepted"));
    }
    let fresh: Vec<String> = records(1_000..1_020).collect();
    let mut flood = JoinSet::new();
    for _ in 0..8 {
        flood.spawn(attacker.clone().download());
        flood.spawn(attacker.clone().fetch_images(large.clone(), stored.clone()));
    }
    for _ in 0..4 {
        flood.spawn(attacker.clone().fetch_films(stored.clone()));
        flood.spawn(attacker.clone().upload_all(fresh.clone()));
    }
    let neighbour = visitor(&server, 3);
    let plies = env_number("DOD_ATTACK_PLIES").unwrap_or(100);
    let (mut pages, mut times) = tokio::join!(
        fetch_pages(&neighbour, 2 * plies),
        book_plies(&neighbour, plies)
    );
    let [page, most_page] = [500, 10].map(|parts| all_but(parts, &mut pages));
    let [ply, most_ply] = [500, 10].map(|parts| all_but(parts, &mut times));
    println!(
        "{} pages, median {page:?}, p99 {most_page:?}; {} plies of the book, median {ply:?}, p99 {most_ply:?}",
        pages.len(),
        times.len()
    );
    flood.shutdown().await;
    if is_measured() {
        assert!(most_page < FLOODED_PAGE, "{most_page:?}");
        assert!(most_ply < PLY, "{most_ply:?}");
    }
}

/// The 99th percentile of the response time of pages during a flood of requests.
const FLOODED_PAGE: Duration = Duration::from_millis(25);

/// Sends expensive requests until the server ends, and repeats rejected ones.
#[derive(Clone)]
struct Attacker {
    api: Api,
    cookie: String,
}

impl Attacker {
    /// The id of the game that a record has become; `None` if it is refused.
    async fn upload(&self, record: &str) -> Option<String> {
        let body = format!(
            "--boundary\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{record}\r\n--boundary--\r\n"
        );
        let sent = self.api.client.post(format!("{}/upload", self.api.url));
        let sent = sent.header("cookie", &self.cookie);
        let sent = sent.header("content-type", "multipart/form-data; boundary=boundary");
        let answer = sent.body(body).send().await.ok()?;
        let place = answer.headers().get("location")?.to_str().ok()?;
        Some(place.trim_start_matches("/g/").to_owned())
    }

    async fn get(&self, path: &str) -> Option<()> {
        let request = self.api.client.get(format!("{}{path}", self.api.url));
        let answer = request.header("cookie", &self.cookie).send().await.ok()?;
        answer.bytes().await.ok().map(drop)
    }

    async fn upload_all(self, records: Vec<String>) {
        for record in records.iter().cycle() {
            let _ = self.upload(record).await;
            tokio::task::yield_now().await;
        }
    }

    async fn download(self) {
        while self.get("/api/v1/games.ndjson?of=me").await.is_some() {}
    }

    async fn fetch_images(self, large: String, stored: Vec<String>) {
        for ply in 0.. {
            let game = &stored[ply % stored.len()];
            let both = [
                format!("/g/{large}/board.png?ply=0"),
                format!("/g/{game}/board.png?ply={}", ply % 900),
            ];
            for path in both {
                if self.get(&path).await.is_none() {
                    return;
                }
            }
        }
    }

    async fn fetch_films(self, stored: Vec<String>) {
        for game in stored.iter().cycle() {
            let film = format!("/g/{game}/game.gif?to=149");
            if self.get(&film).await.is_none() {
                return;
            }
        }
    }
}

/// The response time of a page.
async fn fetch_page(api: &Api, path: &str) -> Duration {
    let sent = Instant::now();
    let answer = api.get(path).await;
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap();
    sent.elapsed()
}

/// The response times of the given number of pages.
async fn fetch_pages(api: &Api, pages: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    let paths = ["/", "/rules", "/me", "/dice"].into_iter().cycle();
    for path in paths.take(pages) {
        times.push(fetch_page(api, path).await);
    }
    times
}
