//! The board of the day, `/daily`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dice_of_doom::day::Day;
use dice_of_doom::game_adapters::Registry;
use dice_of_doom::http::base_path::BasePath;
use dice_of_doom::secret::Secret;
use dice_of_doom::service::{Credentials, Environment, Service, ServiceSettings};
use dice_of_doom::site::daily::boards;
use dice_of_doom::site::{self, RateLimits};
use dice_of_doom::templates::Language;
use dice_of_doom::templates::lettering::has_letter;
use dice_of_doom::verify::verify;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::Value;

use crate::common::failing_store::FailingStore;
use crate::common::{Server, ServerConfig, likely, number, seeded_environment, sent_plies};

const DAY_MS: i64 = 86_400_000;

/// A server with a clock of its own, on 2026-11-27 at noon.
pub(crate) async fn server() -> (Server, Arc<AtomicI64>) {
    let day: Day = "2026-11-27".parse().unwrap();
    let now = Arc::new(AtomicI64::new(day.start_ms() + DAY_MS / 2));
    let clock = Arc::clone(&now);
    let environment = Environment {
        clock: Arc::new(move || clock.load(Ordering::SeqCst)),
        ..seeded_environment(1)
    };
    let settings = ServiceSettings {
        idle_timeout: Duration::from_millis(40),
        ..ServiceSettings::default()
    };
    let config = ServerConfig {
        environment,
        settings,
        ..ServerConfig::default()
    };
    (Server::start_with(config).await, now)
}

pub(crate) struct Browser {
    pub(crate) client: Client,
    url: String,
}

impl Browser {
    pub(crate) fn new(server: &Server) -> Self {
        let builder = Client::builder().cookie_store(true);
        let client = builder.redirect(Policy::none()).build().unwrap();
        let url = server.url("");
        Browser { client, url }
    }

    /// The same browser, at another server.
    pub(crate) fn at(self, server: &Server) -> Self {
        let url = server.url("");
        Browser { url, ..self }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        let request = self.client.get(format!("{}{path}", self.url));
        request.send().await.unwrap()
    }

    pub(crate) async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        answer.text().await.unwrap()
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        answer.json().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, form: &[(&str, String)]) -> Response {
        let request = self.client.post(format!("{}{path}", self.url));
        request.form(form).send().await.unwrap()
    }

    /// Uploads the record of a game.
    pub(crate) async fn upload(&self, record: &str) {
        let form = format!(
            "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{record}\r\n--x--\r\n"
        );
        let request = self.client.post(format!("{}/upload", self.url));
        let request = request.header("content-type", "multipart/form-data; boundary=x");
        let uploaded = request.body(form).send().await.unwrap();
        let status = uploaded.status().as_u16();
        assert_eq!(status, 303, "{}", uploaded.text().await.unwrap());
    }

    /// Plays the most likely attack, or ends the turn.
    pub(crate) async fn play_likely(&self, id: &str, state: &Value) {
        let moves = self.json(&format!("/api/v1/games/{id}/moves")).await;
        self.play(id, state, &likely(&moves)).await;
    }

    /// Attacks along a path, or ends the turn if it is null.
    pub(crate) async fn play(&self, id: &str, state: &Value, path: &Value) {
        let mut form = vec![("ply", number(&state["ply"]).to_string())];
        match path.as_array() {
            Some(path) => {
                form.push(("from", number(&path[0]).to_string()));
                form.push(("to", number(&path[1]).to_string()));
            }
            None => form.push(("pass", "1".to_owned())),
        }
        let played = self.post(&format!("/g/{id}/moves"), &form).await;
        assert_eq!(played.status().as_u16(), 303);
    }

    /// The id of the game that a form begins.
    pub(crate) async fn begin(&self, path: &str) -> String {
        match path {
            "/daily" => self.create(path, &day_field(&self.page(path).await)).await,
            _ => self.create(path, &[]).await,
        }
    }

    /// The id of the game that a form with these fields begins.
    pub(crate) async fn create(&self, path: &str, form: &[(&str, String)]) -> String {
        let mut answer = self.post(path, form).await;
        assert_eq!(answer.status().as_u16(), 303, "{path}");
        let mut to = answer.headers()["location"].to_str().unwrap().to_owned();
        // The first redirect tests whether the browser accepts cookies.
        while !to.starts_with("/g/") {
            answer = self.post(path, form).await;
            to = answer.headers()["location"].to_str().unwrap().to_owned();
        }
        to.strip_prefix("/g/").unwrap().to_owned()
    }

    /// Plays the most likely attacks until the game is over; returns the record.
    pub(crate) async fn play_to_the_end(&self, id: &str) -> Value {
        let path = format!("/api/v1/games/{id}");
        loop {
            let state = self.own_turn(id).await;
            if state["over"] == true {
                return self.json(&format!("{path}/record")).await;
            }
            self.play_likely(id, &state).await;
        }
    }

    /// The state of the game when it is this browser's turn, or over.
    pub(crate) async fn own_turn(&self, id: &str) -> Value {
        let path = format!("/api/v1/games/{id}");
        let mut state = self.json(&path).await;
        while state["over"] == false && state["player"] != 0 {
            let next = number(&state["ply"]) + 1;
            state = self.json(&format!("{path}?wait={next}")).await;
        }
        state
    }

    /// Loses a game in such a way that it counts: by giving it up in the third turn, if it is not over before.
    pub(crate) async fn lose(&self, id: &str) {
        let mut turns = 0;
        while turns < 2 {
            let state = self.own_turn(id).await;
            if state["over"] == true {
                return;
            }
            let moves = self.json(&format!("/api/v1/games/{id}/moves")).await;
            let attack = likely(&moves);
            turns += u32::from(attack.is_null());
            self.play(id, &state, &attack).await;
        }
        if self.own_turn(id).await["over"] == false {
            self.resign(id).await;
        }
    }

    pub(crate) async fn resign(&self, id: &str) {
        let ply = number(&self.json(&format!("/api/v1/games/{id}")).await["ply"]);
        let resigned = self
            .post(&format!("/g/{id}/resign"), &[("ply", ply.to_string())])
            .await;
        assert_eq!(resigned.status().as_u16(), 303);
    }
}

/// The field of the form on the page of a board of the day.
fn day_field(page: &str) -> [(&'static str, String); 1] {
    let (_, day) = page.split_once("Board of the day, ").expect("the title");
    [("day", day[..10].to_owned())]
}

/// A time of 2026-11-28.
fn at(hours: i64, minutes: i64) -> i64 {
    let day: Day = "2026-11-28".parse().unwrap();
    day.start_ms() + (hours * 60 + minutes) * 60_000
}

#[tokio::test]
async fn the_secret_stays_hidden_while_something_still_counts() {
    let (server, now) = server().await;
    let [early, late, never] = [(); 3].map(|()| Browser::new(&server));
    let at = |hours, minutes| now.store(at(hours, minutes), Ordering::SeqCst);
    let day = "/daily/2026-11-27";
    let has_seed = async |browser: &Browser, id: &str| {
        let record = browser.json(&format!("/g/{id}/record.json")).await;
        let shown = [
            browser.page(day).await.contains("Seed</dt>"),
            browser
                .page(&format!("/g/{id}/dice"))
                .await
                .contains("<dt>seed</dt>"),
        ];
        (record["dice"]["seed"].is_string(), shown)
    };
    let unfinished = "2026-11-27: begun and not finished";
    at(-36, 0);
    let before = late.begin("/daily").await;
    late.resign(&before).await;
    at(-1, 58);
    let (first, second) = (early.begin("/daily").await, late.begin("/daily").await);
    at(0, 0);
    // The next board begins; this one only goes on.
    assert!(early.page("/daily").await.contains("2026-11-28"));
    let page = never.page(day).await;
    assert!(page.contains("It could be begun until") && !page.contains("Play this board"));
    assert!(!page.contains("<button class=\"btn main"), "{page}");
    assert_eq!(never.post(day, &[]).await.status().as_u16(), 404);
    assert!(
        early
            .page(day)
            .await
            .contains(&format!("href=\"/g/{first}\""))
    );
    at(0, 29);
    early.lose(&first).await;
    assert_eq!(has_seed(&early, &first).await, (false, [false, false]));
    // A day that is not over does not interrupt the days in a row.
    assert!(late.page("/me").await.contains("1 day in a row"));
    assert!(late.page("/daily").await.contains(unfinished));
    at(0, 30);
    loop {
        // The game is unloaded and loaded again.
        if has_seed(&early, &first).await == (true, [true, true]) {
            break;
        }
        tokio::task::yield_now().await;
    }
    late.resign(&second).await;
    let page = late.page(day).await;
    assert!(page.contains("did not finish it in time"), "{page}");
    assert!(late.page("/daily").await.contains(unfinished));
    assert!(late.page("/me").await.contains("0 days in a row"));
    assert!(page.contains("Play this board"), "as often as one likes");
    assert!(early.page(day).await.contains("Lost with "));
    let counted = early.page(day).await;
    let (_, table) = counted.split_once("<tbody>").expect("the numbers");
    assert_eq!(
        table[..table.find("</tbody>").unwrap()]
            .matches("<tr>")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_page_left_open_over_midnight_begins_nothing() {
    let (server, now) = server().await;
    let (browser, other) = (Browser::new(&server), Browser::new(&server));
    let form = day_field(&browser.page("/daily").await);
    let begun = other.begin("/daily").await;
    for minutes in [0, 10, 40] {
        now.store(at(0, minutes), Ordering::SeqCst);
        let refused = browser.post("/daily", &form).await;
        assert_eq!(refused.status().as_u16(), 422);
        let page = refused.text().await.unwrap();
        assert!(page.contains("day that has ended"), "{page}");
        // What was begun is continued.
        assert_eq!(other.create("/daily", &form).await, begun);
    }
    let without_day = browser.post("/daily", &[]).await;
    assert_eq!(without_day.status().as_u16(), 422);
    assert!(
        browser
            .page("/daily")
            .await
            .contains("name=\"day\" value=\"2026-11-28\"")
    );
    assert_ne!(browser.begin("/daily").await, begun);
}

#[tokio::test]
async fn the_same_decisions_meet_the_same_dice() {
    let (server, now) = server().await;
    let (one, other) = (Browser::new(&server), Browser::new(&server));
    let (first, second) = (one.begin("/daily").await, other.begin("/daily").await);
    assert_ne!(first, second);
    let record = one.play_to_the_end(&first).await;
    let again = other.play_to_the_end(&second).await;
    assert_eq!(record["start"], again["start"]);
    assert_eq!(sent_plies(&record), sent_plies(&again));
    // The secret stays hidden until the day is over, although the game is.
    assert_eq!(record["dice"]["seed"], Value::Null, "{}", record["dice"]);
    let page = one.page("/daily").await;
    assert!(page.contains("2 people have played so far"), "{page}");
    assert!(page.contains("Dice of Doom, board of the day\n2026-11-27\n"));
    assert!(!page.contains("Seed</dt>"));
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    let page = one.page("/daily/2026-11-27").await;
    assert!(page.contains("Seed</dt>"), "{page}");
    assert!(
        one.page("/daily")
            .await
            .contains("Everybody plays this board today")
    );
}

#[tokio::test]
async fn a_browser_has_one_attempt_without_help() {
    let (server, _) = server().await;
    let browser = Browser::new(&server);
    assert!(browser.page("/daily").await.contains("Be the first today."));
    let id = browser.begin("/daily").await;
    assert_eq!(browser.begin("/daily").await, id);
    assert!(
        browser
            .page("/daily")
            .await
            .contains("Continue today’s board")
    );
    for path in ["hint", "undo"] {
        let page = browser.page(&format!("/g/{id}")).await;
        assert!(!page.contains(&format!("/g/{id}/{path}")), "{path}");
    }
    let refused = browser.get(&format!("/g/{id}/hint")).await;
    assert_ne!(refused.status().as_u16(), 200);
    let refused = browser.get(&format!("/analysis?game={id}")).await;
    assert_eq!(refused.status().as_u16(), 404);
    let words = [("ply", "0".to_owned()), ("words", "tea".to_owned())];
    let refused = browser.post(&format!("/g/{id}/entropy"), &words).await;
    assert!(refused.status().is_client_error(), "{}", refused.status());
    // Others cannot look at the dice.
    let stranger = Browser::new(&server);
    assert_eq!(
        stranger.get(&format!("/g/{id}")).await.status().as_u16(),
        404
    );
    browser.lose(&id).await;
    let page = browser.page("/daily").await;
    assert!(
        page.contains("Lost with ") && page.contains("1 person has played"),
        "{page}"
    );
    assert_eq!(browser.begin("/daily").await, id);
}

#[tokio::test]
async fn the_commitment_is_published_the_day_before_and_kept() {
    let (server, now) = server().await;
    let browser = Browser::new(&server);
    let commitments = |page: &str| -> Vec<String> {
        let codes = page.split("<code>").skip(1);
        codes
            .map(|code| code[..code.find('<').unwrap()].to_owned())
            .collect()
    };
    let today = browser.page("/daily").await;
    assert!(today.contains("This server started only on the day itself"));
    let id = browser.begin("/daily").await;
    browser.resign(&id).await;
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    let tomorrow = browser.page("/daily").await;
    assert!(!tomorrow.contains("This server started only on the day itself"));
    assert_eq!(commitments(&today)[1], commitments(&tomorrow)[0]);
    let id = browser.begin("/daily").await;
    browser.resign(&id).await;
    assert!(browser.page("/daily").await.contains("2 days in a row"));
    // A past day is played without a score, and has no second commitment.
    let past = browser.page("/daily/2026-11-27").await;
    assert_eq!(commitments(&past)[0], commitments(&today)[0]);
    assert_eq!(commitments(&past).len(), 3, "commitment, seed, salt");
    let stranger = Browser::new(&server);
    assert!(
        stranger
            .page("/daily/2026-11-27")
            .await
            .contains("Play this board")
    );
    let unscored = stranger.begin("/daily/2026-11-27").await;
    stranger.resign(&unscored).await;
    assert!(
        stranger
            .page("/daily/2026-11-27")
            .await
            .contains("Play this board")
    );
    for path in [
        "/daily/2026-11-29",
        "/daily/2026-11-26",
        "/daily/yesterday",
        "/daily/2026-11-31",
    ] {
        assert_eq!(browser.get(path).await.status().as_u16(), 404, "{path}");
    }
    let refused = browser.post("/daily/2026-11-28", &[]).await;
    assert_eq!(refused.status().as_u16(), 404, "today is not past");
}

#[tokio::test]
async fn a_record_of_a_past_day_verifies() {
    let (server, now) = server().await;
    let browser = Browser::new(&server);
    let id = browser.begin("/daily").await;
    let state = browser.own_turn(&id).await;
    browser.play_likely(&id, &state).await;
    browser.resign(&id).await;
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    // A game that nobody uses is unloaded, and discloses its dice when it is loaded after the day.
    let record = loop {
        let record = browser.json(&format!("/g/{id}/record.json")).await;
        if record["dice"]["seed"].is_string() {
            break record;
        }
        tokio::task::yield_now().await;
    };
    let verified = verify(&Registry::builtin(), &record.to_string());
    assert!(verified.is_ok(), "{:?}", verified.err());
}

#[tokio::test]
async fn the_result_names_the_best_and_the_costliest_decision() {
    let (server, _) = server().await;
    let browser = Browser::new(&server);
    let id = browser.begin("/daily").await;
    let state = browser.own_turn(&id).await;
    browser.play_likely(&id, &state).await;
    // The page of a game in progress does not request an analysis.
    assert!(!browser.page("/daily").await.contains("data-wait"));
    let review = format!("/api/v1/games/{id}/review");
    assert_eq!(browser.get(&review).await.status().as_u16(), 404);
    browser.resign(&id).await;
    let page = browser.page("/daily").await;
    assert!(page.contains("Looking for your best decision…"), "{page}");
    // It is requested once: the review is in progress or ready.
    let status = browser.get(&review).await.status().as_u16();
    assert!([200, 202].contains(&status), "{status}");
    let page = loop {
        let page = browser.page("/daily").await;
        if !page.contains("data-wait") {
            break page;
        }
        tokio::task::yield_now().await;
    };
    assert!(page.contains("Your costliest decision"), "{page}");
    assert!(
        page.contains("<b>Resignation</b>, where <b>") && page.contains("A point is one percent"),
        "{page}"
    );
    let stranger = Browser::new(&server);
    let page = stranger.page("/daily").await;
    assert!(!page.contains("Your costliest decision"), "{page}");
    assert_eq!(stranger.get(&review).await.status().as_u16(), 404);
}

#[tokio::test]
async fn only_the_player_sees_the_picture_of_a_result() {
    let (server, now) = server().await;
    let (browser, stranger) = (Browser::new(&server), Browser::new(&server));
    let picture = "/daily/2026-11-27/result.png";
    let id = browser.begin("/daily").await;
    assert_eq!(browser.get(picture).await.status().as_u16(), 404);
    browser.resign(&id).await;
    let answer = browser.get(picture).await;
    assert_eq!(answer.headers()["cache-control"], "private, no-cache");
    let png = answer.bytes().await.unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..24], [0, 0, 4, 0xb0, 0, 0, 2, 0x76], "1200 by 630");
    assert_eq!(stranger.get(picture).await.status().as_u16(), 404);
    // Previews show the board at the start, which everybody sees.
    let page = stranger.page("/daily").await;
    assert!(page.contains("/daily/2026-11-27/board.png\""), "{page}");
    let board = "/daily/2026-11-27/board.png";
    let start = stranger.get(board).await.bytes().await.unwrap();
    assert_eq!(start, browser.get(board).await.bytes().await.unwrap());
    assert_ne!(start, png);
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    assert_eq!(stranger.get(picture).await.status().as_u16(), 404);
    assert_eq!(browser.get(picture).await.status().as_u16(), 200);
    let tomorrow = "/daily/2026-11-29/board.png";
    assert_eq!(browser.get(tomorrow).await.status().as_u16(), 404);
}

#[test]
fn pictures_have_all_letters_of_their_texts() {
    for language in Language::ALL {
        let games = Registry::builtin();
        let text = games.translations(language);
        let number = |name: &'static str| (name, 1_234_567_890_u32.into());
        let mut lines = vec![text.get("daily-text-title").into_owned()];
        for result in ["won", "lost"] {
            for turns in [1_u32, 2, 5] {
                let values = [
                    ("result", result.into()),
                    number("hexes"),
                    number("all"),
                    ("turns", turns.into()),
                ];
                lines.push(text.get_with("daily-result", &values).into_owned());
            }
        }
        lines.push(
            text.get_with("daily-better", &[number("share")])
                .into_owned(),
        );
        lines.push(
            text.get_with("daily-streak", &[number("days")])
                .into_owned(),
        );
        for line in lines {
            let missing: String = line.chars().filter(|letter| !has_letter(*letter)).collect();
            assert_eq!(missing, "", "{line}: run templates/lettering/extract.py");
        }
    }
}

#[tokio::test]
async fn a_score_is_written_once() {
    let store = Arc::new(FailingStore::default());
    let service = || {
        let settings = ServiceSettings::default();
        let service = Service::new(Registry::builtin(), store.clone(), settings);
        let app = site::app(
            service.clone(),
            RateLimits::unlimited(),
            BasePath::default(),
        );
        drop(app);
        service
    };
    let (browser, first) = (Secret::random(), service());
    let game = boards::begin(&first, first.today(), &browser, None);
    let game = game.await.unwrap();
    let credentials = Credentials {
        browser: Some(browser.hash()),
        ..Credentials::default()
    };
    first.resign(&game.id, credentials, None).await.unwrap();
    while store.scores.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..2 {
        let later = service();
        assert!(later.snapshot(&game.id).await.unwrap().live.is_over());
        // All tasks are on this thread, and this store never waits.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(store.scores.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_seat_taken_over_by_its_link_is_no_second_attempt() {
    let (server, _) = server().await;
    let (one, other) = (Browser::new(&server), Browser::new(&server));
    let game = one.begin("/daily").await;
    let page = one.page(&format!("/g/{game}")).await;
    let (_, link) = page.split_once("/join/").expect("the link to return");
    let link = link[..link.find(['"', '<']).unwrap()].to_owned();
    let own = other.begin("/daily").await;
    other.lose(&own).await;
    let taken = other.post(&format!("/join/{link}"), &[]).await;
    assert_eq!(taken.status().as_u16(), 303);
    assert_eq!(other.begin("/daily").await, own, "its own attempt");
    // The result of the game is that of the browser that began it.
    other.lose(&game).await;
    let page = one.page("/daily").await;
    assert!(
        page.contains("Lost with ") && page.contains("2 people have played"),
        "{page}"
    );
    assert!(one.page("/me").await.contains("1 day in a row"));
}

#[tokio::test]
async fn who_deletes_everything_has_no_second_attempt() {
    let (server, now) = server().await;
    let browser = Browser::new(&server);
    let form = day_field(&browser.page("/daily").await);
    let id = browser.begin("/daily").await;
    browser.resign(&id).await;
    let deleted = browser.post("/me/delete", &[]).await;
    assert_eq!(deleted.status().as_u16(), 303);
    let page = browser.page("/daily").await;
    assert!(page.contains("has begun this board before"), "{page}");
    assert!(!page.contains("action=\"/daily\""), "{page}");
    let refused = browser.post("/daily", &form).await;
    assert_eq!(refused.status().as_u16(), 422);
    assert!(
        refused
            .text()
            .await
            .unwrap()
            .contains("has begun this board before")
    );
    // The next day is not concerned.
    now.store(at(0, 10), Ordering::SeqCst);
    browser.begin("/daily").await;
}

#[tokio::test]
async fn a_game_given_up_before_the_third_turn_is_not_in_the_public_counts() {
    let (server, _) = server().await;
    let (one, other) = (Browser::new(&server), Browser::new(&server));
    let id = one.begin("/daily").await;
    let state = one.own_turn(&id).await;
    one.play_likely(&id, &state).await;
    one.own_turn(&id).await;
    one.resign(&id).await;
    let page = one.page("/daily").await;
    assert!(
        page.contains("Lost with ") && page.contains("Be the first today."),
        "{page}"
    );
    assert!(one.page("/me").await.contains("1 day in a row"));
    let id = other.begin("/daily").await;
    other.lose(&id).await;
    assert!(one.page("/daily").await.contains("1 person has played"));
}
