//! Open tables and clocks at two servers on one PostgreSQL database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dice_of_doom::game::Player;
use dice_of_doom::game_adapters::StartPosition;
use dice_of_doom::games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom::seats::SeatSpec;
use dice_of_doom::service::NewGame;
use dice_of_doom::store::postgres::PostgresStore;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};

use crate::common::{Event, Events, HANG, Server, ServerConfig, likely, number};
use crate::server::{self, shared};

async fn two_servers() -> [Server; 2] {
    let url = shared().database().await;
    let start = async || {
        let store = PostgresStore::join(&url).await.unwrap();
        let config = ServerConfig {
            store: Arc::new(store),
            ..ServerConfig::default()
        };
        let server = Server::start_with(config).await;
        let background = server.service.clone();
        tokio::spawn(async move { background.run_background().await });
        server
    };
    [start().await, start().await]
}

pub(crate) fn browser() -> Client {
    let builder = Client::builder().cookie_store(true);
    builder.redirect(Policy::none()).build().unwrap()
}

pub(crate) async fn post(browser: &Client, url: String, form: &[(&str, &str)]) -> Response {
    browser.post(url).form(form).send().await.unwrap()
}

pub(crate) async fn page(browser: &Client, url: String) -> String {
    let answer = browser.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

/// Opens a table in the name of Mika; returns the path of its game.
async fn open_table(host: &Client, server: &Server) -> String {
    let form = [("game", "trilobite"), ("listed", "1"), ("name", "Mika")];
    let opened = post(host, server.url("/games"), &form).await;
    opened.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_opened_at_one_server_is_joined_at_the_other() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [host, guest] = [browser(), browser()];
    let game = open_table(&host, &here).await;
    assert!(page(&guest, there.url("/tables")).await.contains("Mika"));
    let seat = there.url(&game.replace("/g/", "/tables/"));
    let joined = post(&guest, seat.clone(), &[("name", "Ola")]).await;
    assert_eq!(joined.status(), 303);
    assert!(page(&host, here.url(&game)).await.contains("Ola"));
    assert!(!page(&browser(), here.url("/tables")).await.contains("Mika"));
    let late = post(&browser(), seat, &[("name", "Eve")]).await;
    assert_eq!(late.status(), 409);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_have_the_same_board_of_the_day() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [one, other] = [browser(), browser()];
    let begin = async |browser: &Client, server: &Server| {
        let day = server.service.today().to_string();
        let begun = post(browser, server.url("/daily"), &[("day", &day)]).await;
        begun.headers()["location"].to_str().unwrap().to_owned()
    };
    let (game, second) = (begin(&one, &here).await, begin(&other, &there).await);
    assert_eq!(begin(&one, &there).await, game, "one attempt");
    let start = async |server: &Server, browser: &Client, game: &str| {
        let path = game.replace("/g/", "/api/v1/games/");
        let record = page(browser, server.url(&format!("{path}/record"))).await;
        let record: serde_json::Value = serde_json::from_str(&record).unwrap();
        (
            record["start"].clone(),
            record["dice"]["commitment"].clone(),
        )
    };
    assert_eq!(
        start(&here, &one, &game).await,
        start(&there, &other, &second).await
    );
    let counted = [(&there, &one, &game), (&here, &other, &second)];
    for (server, browser, game) in counted {
        // A game that is given up before the third turn is not counted.
        let api = game.replace("/g/", "/api/v1/games/");
        let mut turns = 0;
        let mut path = api.clone();
        loop {
            let state = page(browser, server.url(&path)).await;
            let state: serde_json::Value = serde_json::from_str(&state).unwrap();
            let played = number(&state["ply"]);
            path = format!("{api}?wait={}", played + 1);
            if state["over"] == true {
                break;
            }
            if state["player"] != 0 {
                continue;
            }
            let ply = played.to_string();
            if turns == 2 {
                let url = server.url(&format!("{game}/resign"));
                let resigned = post(browser, url, &[("ply", &ply)]).await;
                assert_eq!(resigned.status(), 303);
                break;
            }
            let moves = page(browser, server.url(&format!("{api}/moves"))).await;
            let attack = likely(&serde_json::from_str(&moves).unwrap());
            let ends = attack.as_array().map(|ends| [&ends[0], &ends[1]]);
            let ends = ends.map(|ends| ends.map(|end| end.to_string()));
            let mut form = vec![("ply", ply.as_str())];
            match &ends {
                Some([from, to]) => form.extend([("from", from.as_str()), ("to", to.as_str())]),
                None => {
                    form.push(("pass", "1"));
                    turns += 1;
                }
            }
            let posted = post(browser, server.url(&format!("{game}/moves")), &form).await;
            assert_eq!(posted.status(), 303);
        }
    }
    for server in [&here, &there] {
        let mut shown = String::new();
        // A server counts the scores anew once a second.
        let asked = Instant::now();
        while !shown.contains("2 people have played so far") {
            assert!(asked.elapsed() < HANG, "not counted: {shown}");
            shown = page(&one, server.url("/daily")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phrase_is_heard_at_the_other_server() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [host, guest] = [browser(), browser()];
    let game = open_table(&host, &here).await;
    let seat = there.url(&game.replace("/g/", "/tables/"));
    post(&guest, seat, &[("name", "Ola")]).await;
    let id = game.strip_prefix("/g/").unwrap().parse().unwrap();
    // Both servers have the table in memory.
    let heard = there
        .service
        .wait_for(&id, HANG, |now| !now.phrases.is_empty());
    let said = async {
        let say = here.url(&format!("{game}/phrases"));
        // A notification may come before the other server listens.
        loop {
            let said = post(&host, say.clone(), &[("phrase", "hello")]).await;
            assert!([303, 429].contains(&said.status().as_u16()));
        }
    };
    tokio::select! {
        heard = heard => assert_eq!(heard.unwrap().phrases[0].phrase.name(), "hello"),
        () = said => {}
    }
    assert!(page(&guest, there.url(&game)).await.contains("Hello"));
}

/// The first seat link of a page, as a path.
fn seat_link(page: &str) -> String {
    let (_, token) = page.split_once("/join/").unwrap();
    format!("/join/{}", &token[..token.find('"').unwrap()])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_that_is_lost_at_one_server_ends_its_streams_at_the_other() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [host, guest, phone] = [browser(), browser(), browser()];
    let form = [
        ("rules", "v2"),
        ("private", "1"),
        ("seats", "open"),
        ("seats", "human"),
    ];
    let created = post(&host, here.url("/games"), &form).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
    let invitation = seat_link(&page(&host, here.url(&game)).await);
    let joined = post(&guest, there.url(&invitation), &[]).await;
    assert_eq!(joined.status(), 303);
    let stream = guest.get(there.url(&format!("{game}/events")));
    let mut stream = Events::new(stream.send().await.unwrap());
    stream.next("seats").await;
    let back = seat_link(&page(&guest, there.url(&game)).await);
    let moved = post(&phone, here.url(&back), &[]).await;
    assert_eq!(moved.status(), 303);
    let mut rest = Vec::new();
    while let Some(message) = stream.raw().await {
        rest.push(Event::parse(&message).event);
    }
    assert_eq!(rest, ["seats", "bye"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_that_are_ended_at_one_server_have_no_access_at_the_other() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [me, phone] = [browser(), browser()];
    let form = [("rules", "v2"), ("private", "1"), ("seats", "human")];
    let created = post(&me, here.url("/games"), &form).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
    let shown = post(&me, here.url("/device/code"), &[]).await;
    let shown = shown.text().await.unwrap();
    let (_, code) = shown.split_once("id=\"code\"").expect("the code");
    let (_, code) = code.split_once("value=\"").unwrap();
    let form = [("code", &code[..code.find('"').unwrap()]), ("do", "join")];
    assert_eq!(
        post(&phone, there.url("/device"), &form).await.status(),
        303
    );
    let stream = phone.get(there.url(&format!("{game}/events")));
    let mut stream = Events::new(stream.send().await.unwrap());
    stream.raw().await.expect("the first event");

    let first = post(&me, here.url("/device/end"), &[]).await;
    let again = here.url(first.headers()["location"].to_str().unwrap());
    assert_eq!(post(&me, again, &[]).await.status(), 303);
    let refused = phone.get(there.url(&game)).send().await.unwrap();
    assert_eq!(refused.status(), 404, "at once");
    stream.next("bye").await;
    assert!(stream.raw().await.is_none());
    assert!(page(&me, there.url(&game)).await.contains("/resign\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_runs_out_once_at_two_servers() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let rules = DiceOfDoom::new(Rules::V4, 4, 2, 4).unwrap();
    let new = |seed| NewGame {
        turn_s: Some(1),
        ..NewGame::new(
            Arc::new(rules),
            StartPosition::Dealt(seed),
            vec![SeatSpec::Human, SeatSpec::Human],
        )
    };
    let mut games = Vec::new();
    for seed in 0..8 {
        let created = here.service.create(new(seed)).await.unwrap();
        games.push(created.snapshot.id.clone());
    }
    // Both servers have the tables in memory.
    for id in &games {
        there.service.snapshot(id).await.unwrap();
    }
    for id in &games {
        let mut last_ms = None;
        for turn in 1..=3 {
            let mover = Player::new(turn % 2);
            let entries = 2 * u32::from(turn);
            let ended = |now: &dice_of_doom::service::Snapshot| {
                now.live.is_over() || now.live.entry_count() >= entries
            };
            let now = there.service.wait_for(id, HANG, ended).await.unwrap();
            if now.live.is_over() {
                break;
            }
            let plies: Vec<_> = (0..entries).map(|n| now.live.ply_player(n)).collect();
            let player = Some(Player::new((turn + 1) % 2));
            assert_eq!(
                plies[plies.len() - 2..],
                [player, player],
                "{id}: {plies:?}"
            );
            assert!(now.live.entry_count() > entries || now.live.mover() == Some(mover));
            let at_ms = now.live.entry(entries - 1).map(|entry| entry.at_ms());
            let since_ms = at_ms
                .zip(last_ms)
                .map_or(1_000, |(at, last): (i64, i64)| at - last);
            assert!(since_ms >= 1_000, "{id}: turn {turn} took {since_ms} ms");
            last_ms = at_ms;
        }
    }
    tokio::time::timeout(Duration::from_secs(20), async {
        here.service.close().await;
        there.service.close().await;
    })
    .await
    .unwrap();
}
