//! Games as server-sent events over real sockets: each ply once and in order, whatever happens to the stream, the
//! table or the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::common::contract::Contract;
use crate::common::failing_store::FailingStore;
use crate::common::{
    Api, Event, Events, HANG, Home, Server, Table, assert_contains, assert_lacks, check_headers,
    likely, number, problem, sent_plies, until,
};
use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::game::Player;
use dice_of_doom::games::StartPosition;
use dice_of_doom::level::Level;
use dice_of_doom::seats::{Credentials, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::site::shared::subscribers::StreamLimits;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::store::{GameId, Store};
use dice_of_doom::tables::{NewGame, SeatChange};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use reqwest::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

fn people(seed: u64) -> Value {
    let seats = ["human", "human"];
    json!({"game": "dice", "rules": "v4", "players": 2, "seats": seats, "seed": seed})
}

fn columns() -> Value {
    json!({"game": "trilobite", "width": 8, "height": 7, "win": 8, "seats": ["human", "human"]})
}

/// Plays the likeliest ply for the player to move; returns false when the game is over.
async fn play_likeliest(table: &Table) -> bool {
    let now = table.state().await;
    let Some(player) = now["player"].as_u64() else {
        return false;
    };
    let ply = number(&now["ply"]);
    if now["game"] == "trilobite" {
        // One column after another, so that no line is complete soon.
        let moves = table.moves().await;
        let cells = moves["moves"].as_array().unwrap();
        drop_chip(table, player, ply, &cells[ply as usize % cells.len()]).await;
    } else {
        let path = likely(&table.moves().await);
        table.play(player as usize, ply, &path).await;
    }
    true
}

async fn drop_chip(table: &Table, player: u64, ply: u64, cell: &Value) {
    let body = json!({"ply": ply, "cell": cell});
    let token = table.token(player as usize);
    let answer = table.api.post_as(token, &table.path("/moves"), &body).await;
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
}

/// The part of a ply event that is also in the record.
fn recorded(event: &Value) -> Value {
    let mut ply = event.clone();
    for only in ["captured", "reinforced", "over", "game", "after"] {
        assert!(
            ply.as_object_mut().unwrap().remove(only).is_some(),
            "{event}"
        );
    }
    ply
}

#[tokio::test]
async fn the_format_of_dice_of_doom() {
    let server = Server::start().await;
    let api = server.api();
    // Player 0 holds the left column; hexes 2 and 3 are the other's.
    let start = json!({"board": [[0, 8], [1, 1], [0, 1], [1, 2]], "player": 0, "spare": 0, "first_move": true});
    let seats = ["human", "human"];
    let new = json!({"game": "dice", "rules": "v4", "size": 2, "players": 2, "max_dice": 8, "seats": seats, "start": start});
    let table = api.create(new).await;
    let request = api
        .client
        .get(format!("{}/g/{}/events", api.url, table.id))
        .header("accept-encoding", "gzip, br")
        .header("accept", "text/event-stream");
    let response = request.send().await.unwrap();
    let headers = response.headers().clone();
    check_headers(&headers, "events");
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["x-accel-buffering"], "no");
    assert!(!headers.contains_key("content-encoding"), "{headers:?}");
    let mut page = Events::new(response);
    let page_too = format!("/g/{}/events", table.id);
    let mut page_too = api.events(&page_too).await;

    let mut counts = Vec::new();
    for stream in [&mut page, &mut page_too] {
        // The retry time is part of an event: alone, some clients would take it for an empty event.
        let first = Event::parse(&stream.raw().await.unwrap());
        assert_eq!(first.event, "watchers");
        counts.push(first.data["count"].clone());
        assert!((1000..3000).contains(&first.retry.unwrap()), "{first:?}");
    }
    assert_eq!(counts, [1, 2]);
    // The first stream is notified of the second one, with a delay.
    assert_eq!(
        page.raw().await.unwrap(),
        "event: watchers\ndata: {\"event\":\"watchers\",\"count\":2}"
    );

    let played = table.play(0, 0, &json!([0, 1])).await;
    let passed = table.play(0, 1, &Value::Null).await;
    let record = table.record().await;
    let captured = played["state"]["board"][1][0] == 0;
    let at = |ply: usize| record["plies"][ply]["at"].clone();
    let roll = played["roll"].to_string();
    let reinforced: Vec<Value> = (0..4_usize)
        .filter_map(|hex| {
            let dice = |state: &Value| number(&state["state"]["board"][hex][1]);
            let reinforced = dice(&passed) - dice(&played);
            (reinforced > 0).then(|| json!([hex, reinforced]))
        })
        .collect();
    assert!(!reinforced.is_empty(), "{passed}");
    let attack = format!(
        "event: ply\nid: 0\ndata: {{\"event\":\"ply\",\"ply\":0,\"player\":0,\"path\":[0,1],\"roll\":{roll},\"at\":{},\"captured\":{captured},\"reinforced\":[],\"over\":false,\"game\":\"dice\"}}",
        at(0)
    );
    let pass = format!(
        "event: ply\nid: 1\ndata: {{\"event\":\"ply\",\"ply\":1,\"player\":0,\"path\":null,\"roll\":null,\"at\":{},\"captured\":null,\"reinforced\":{},\"over\":{},\"game\":\"dice\"}}",
        at(1),
        Value::from(reinforced),
        passed["over"]
    );
    for stream in [&mut page, &mut page_too] {
        assert_eq!(stream.raw().await.unwrap(), attack);
        assert_eq!(stream.raw().await.unwrap(), pass);
    }
}

#[tokio::test]
async fn the_format_of_trilobite_and_its_end() {
    let server = Server::start().await;
    let new = json!({"game": "trilobite", "width": 7, "height": 6, "win": 4, "seats": ["human", "human"]});
    let table = server.api().create(new).await;
    let mut stream = table.events_from(0).await;
    // Player 0 fills a column to four; player 1 drops beside it.
    for (ply, cell) in [35, 36, 28, 29, 21, 22, 14].into_iter().enumerate() {
        drop_chip(&table, ply as u64 % 2, ply as u64, &json!(cell)).await;
    }
    let plies = stream.plies(0, 6).await;
    let at = &table.record().await["plies"][6]["at"];
    let last = format!(
        "{{\"ply\":6,\"player\":0,\"cell\":14,\"roll\":null,\"at\":{at},\"captured\":null,\"reinforced\":[],\"over\":true,\"game\":\"trilobite\"}}"
    );
    let mut page = table
        .api
        .events(&format!("/g/{}/events?from=6", table.id))
        .await;
    let shown = page.plies(6, 6).await.remove(0);
    assert_eq!(shown, serde_json::from_str::<Value>(&last).unwrap());
    assert_eq!(
        page.raw().await.unwrap(),
        "event: over\ndata: {\"event\":\"over\",\"ending\":\"rules\"}"
    );
    assert!(plies[..6].iter().all(|ply| ply["over"] == false));
    let after = &plies[6]["after"];
    assert_eq!(
        (&after["winners"], &after["ending"]),
        (&json!([0]), &json!("rules"))
    );
    assert_eq!(
        stream.raw().await.unwrap(),
        "event: over\ndata: {\"event\":\"over\",\"ending\":\"rules\",\"winners\":[0],\"ply\":7}"
    );
    let over = json!({"ending": "rules", "winners": [0], "ply": 7});
    // A stream opened after the end receives the requested plies and the end.
    let mut late = table.events_from(5).await;
    assert_eq!(late.plies(5, 6).await, plies[5..]);
    assert_eq!(late.next("over").await.data, over);
    let mut late = table.api.events(&table.path("/events")).await;
    assert_eq!(late.next("over").await.data, over);
}

async fn after(table: &Table, last: &str, query: &str) -> Response {
    let url = format!("{}{}{query}", table.api.url, table.path("/events"));
    let request = table.api.client.get(url).header("last-event-id", last);
    request.send().await.unwrap()
}

#[tokio::test]
async fn missed_plies_are_sent_first() {
    let server = Server::start().await;
    for new in [people(7), columns()] {
        let table = server.api().create(new).await;
        for _ in 0..5 {
            assert!(play_likeliest(&table).await);
        }
        let mut from_start = table.events_from(0).await;
        let all = from_start.plies(0, 4).await;
        let record = table.record().await;
        let known: Vec<Value> = all.iter().map(recorded).collect();
        assert_eq!(known, sent_plies(&record));

        let mut streams = vec![
            (3, table.events_from(3).await),
            (3, Events::new(after(&table, "2", "").await)),
            (2, Events::new(after(&table, "1", "?from=4").await)),
            (0, table.events_from(0).await),
        ];
        // From beyond the newest ply, or without a number: only what happens from now on.
        for path in [
            "/events",
            "/events?from=5",
            "/events?from=6",
            "/events?from=99999999999",
        ] {
            streams.push((5, table.api.events(&table.path(path)).await));
        }
        for last in ["4", "77", "99999999999"] {
            streams.push((5, Events::new(after(&table, last, "").await)));
        }
        assert!(play_likeliest(&table).await);
        for (from, stream) in &mut streams {
            let plies = stream.plies(*from, 5).await;
            assert_eq!(plies[..5 - *from as usize], all[*from as usize..]);
        }
    }
}

#[tokio::test]
async fn invalid_ply_numbers_are_refused() {
    let server = Server::start().await;
    let table = server.api().create(people(7)).await;
    let api = &table.api;
    for from in ["x", "-1", "+1", "1.5", "", "%20", "1,2", "%00"] {
        let path = table.path(&format!("/events?from={from}"));
        problem(api.get(&path).await, 400).await;
    }
    for last in ["x", "-1", "+1", "1.5", "", "1 2", "null"] {
        problem(after(&table, last, "?from=0").await, 400).await;
    }
    problem(api.get(&table.path("/events?ply=3")).await, 400).await;
    problem(api.get("/api/v1/games/00000000/events").await, 404).await;
    assert_eq!(api.get("/g/00000000/events").await.status(), 404);

    let head = |path: String| api.client.head(format!("{}{path}", api.url)).send();
    let answer = head(table.path("/events")).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let unknown = head("/g/00000000/events".to_owned()).await.unwrap();
    assert_eq!(unknown.status(), 404);
    assert_eq!(server.gallery.open_streams(), 0);
}

/// A board on which no player is stuck for long, however the dice fall.
fn large(seed: u64) -> Value {
    let mut game = people(seed);
    game["size"] = 8.into();
    game
}

/// Fifty streams per game, some of them late: each receives every ply once and in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_stream_receives_every_ply() {
    const PLIES: u64 = 24;
    let server = Server::start().await;
    let api = server.api();
    let mut playing = Vec::new();
    let mut listening = Vec::new();
    for number in 0..8 {
        let table = match number % 3 {
            2 => api.create(columns()).await,
            _ => api.create(large(number)).await,
        };
        for stream in 0..50 {
            let table = table.clone();
            listening.push(tokio::spawn(async move {
                if stream % 5 == 4 {
                    table.wait(stream / 3).await;
                }
                let mut stream = table.events_from(0).await;
                let plies = stream.plies(0, PLIES - 1).await;
                (table, plies)
            }));
        }
        playing.push(tokio::spawn(async move {
            for _ in 0..PLIES {
                assert!(play_likeliest(&table).await, "seed {number} ends too early");
            }
        }));
    }
    for player in playing {
        player.await.unwrap();
    }
    for stream in listening {
        let (table, plies) = stream.await.unwrap();
        let record = table.record().await;
        let known: Vec<Value> = plies.iter().map(recorded).collect();
        assert_eq!(known, sent_plies(&record));
    }
}

#[tokio::test]
async fn a_stream_continues_after_the_program_was_killed() {
    let home = Home::new();
    let program = home.start();
    let table = program.api().create(people(7)).await;
    let mut stream = table.events_from(0).await;
    for _ in 0..3 {
        assert!(play_likeliest(&table).await);
    }
    let received = stream.plies(0, 2).await;
    for _ in 0..4 {
        assert!(play_likeliest(&table).await);
    }
    program.kill();

    let program = home.start();
    let table = Table {
        api: program.api(),
        ..table
    };
    // As a browser does: it sends the id of the last event that it received.
    let mut stream = Events::new(after(&table, "2", "?from=0").await);
    let missed = stream.plies(3, 6).await;
    assert!(play_likeliest(&table).await);
    let next = stream.plies(7, 7).await;
    let known: Vec<Value> = [received, missed, next]
        .concat()
        .iter()
        .map(recorded)
        .collect();
    assert_eq!(known, sent_plies(&table.record().await));
}

#[tokio::test]
async fn followed_games_stay_in_memory_and_others_are_unloaded() {
    let server =
        Server::with(|config| config.settings.idle_timeout = Duration::from_millis(20)).await;
    let api = server.api();
    let table = api.create(people(7)).await;
    let other = api.create(people(8)).await;
    let mut stream = table.events_from(0).await;
    until("the other game leaves", || {
        server.service.games_in_memory() == 1
    })
    .await;
    assert!(play_likeliest(&table).await);
    let first = stream.plies(0, 0).await;
    until("it stays alone", || server.service.games_in_memory() == 1).await;
    drop(stream);
    until("the game leaves, too", || {
        server.service.games_in_memory() == 0
    })
    .await;
    let mut stream = table.events_from(0).await;
    assert_eq!(stream.plies(0, 0).await, first);
    assert!(play_likeliest(&other).await);
}

/// Another server appends to the same store: this one notices at its next operation.
#[tokio::test]
async fn plies_of_another_server_arrive_in_order() {
    let store = Arc::new(SqliteStore::in_memory());
    let (here, there) = (Server::on(store.clone()).await, Server::on(store).await);
    let table = here.api().create(people(7)).await;
    let mut stream = table.events_from(0).await;
    let elsewhere = Table {
        api: there.api(),
        ..table.clone()
    };
    for _ in 0..20 {
        assert!(play_likeliest(&elsewhere).await);
    }
    let first = number(&table.state().await["player"]) as usize;
    let stale = table.post(first, 0, &likely(&table.moves().await)).await;
    assert!([200, 409].contains(&stale.status().as_u16()));
    let known: Vec<Value> = stream.plies(0, 19).await.iter().map(recorded).collect();
    assert_eq!(known, sent_plies(&elsewhere.record().await));
}

#[tokio::test]
async fn a_stream_survives_failed_appends() {
    let store = Arc::new(FailingStore {
        failures: AtomicU32::new(2),
        ..FailingStore::default()
    });
    let server = Server::on(store.clone()).await;
    let new = json!({"game": "dice", "rules": "v1", "seats": ["human", "random"], "seed": 7});
    let table = server.api().create(new).await;
    let mut stream = table.events_from(0).await;
    let path = likely(&table.moves().await);
    table.play(0, 0, &path).await;
    let mut ply = 1;
    while table.state().await["player"] == 0 {
        table.play(0, ply, &Value::Null).await;
        ply += 1;
    }
    // Two of the computer's plies are not stored. Only the stream requests the game again.
    stream.plies(0, ply - 1).await;
    let next = stream.plies(ply, ply).await;
    assert_eq!(next[0]["player"], 1);
    assert_eq!(store.failures.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_game_is_available_again_after_a_panic_of_its_table() {
    let store = Arc::new(FailingStore {
        error: || panic!("a test"),
        ..FailingStore::default()
    });
    let server = Server::on(store.clone()).await;
    let table = server.api().create(people(7)).await;
    while table.state().await["player"] == 0 {
        assert!(play_likeliest(&table).await);
    }
    let before = table.state().await;
    let ply = number(&before["ply"]);
    let waits = tokio::spawn({
        let (service, id) = (server.service.clone(), table.id.parse().unwrap());
        async move {
            service
                .wait_for(&id, HANG, |now| u64::from(now.live.entry_count()) > ply)
                .await
        }
    });
    tokio::task::yield_now().await;

    store.failures.store(u32::MAX, Ordering::SeqCst);
    let path = likely(&table.moves().await);
    assert_eq!(table.post(1, ply, &path).await.status(), 503);
    // Nothing was played, and a waiting request does not block others.
    assert_eq!(table.state().await, before);
    let id = table.id.parse().unwrap();
    let never = server
        .service
        .wait_for(&id, Duration::ZERO, |_| false)
        .await;
    assert_eq!(u64::from(never.unwrap().live.entry_count()), ply);

    store.failures.store(0, Ordering::SeqCst);
    assert_eq!(table.post(1, ply, &path).await.status(), 200);
    let received = waits.await.unwrap().unwrap();
    assert_eq!(u64::from(received.live.entry_count()), ply + 1);
}

/// A finished game with more plies than the event buffer holds: six computers on a large board.
async fn long_game(server: &Server) -> String {
    loop {
        let game = Arc::new(DiceOfDoom::new(Rules::Conquest, 8, 6, 8).unwrap());
        let computers = vec![SeatSpec::Level(Level::Random.into()); 6];
        let new = NewGame::new(game, StartPosition::Dealt(rand::random()), computers);
        let id = server
            .service
            .create(new)
            .await
            .unwrap()
            .snapshot
            .id
            .clone();
        let over = server.service.wait_for(&id, HANG, |now| now.live.is_over());
        let over = over.await.unwrap();
        assert!(over.live.is_over());
        // The dice may end a game soon; then it tries another one.
        if over.live.entry_count() >= 120 {
            return id.to_string();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_record_is_sent_completely() {
    let server = Server::start().await;
    let id = long_game(&server).await;
    let api = server.api();
    let record = api.json(&format!("/api/v1/games/{id}/record")).await;
    let plies = sent_plies(&record);
    for from in [0, plies.len() - 100, plies.len() - 1] {
        let path = format!("/api/v1/games/{id}/events?from={from}");
        let mut stream = api.events(&path).await;
        let received = stream.plies(from as u64, plies.len() as u64 - 1).await;
        let known: Vec<Value> = received.iter().map(recorded).collect();
        assert_eq!(known, plies[from..], "from {from}");
        assert_eq!(stream.next("over").await.data["ending"], record["ending"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_stops_reading_is_disconnected() {
    let server = Server::with(|config| {
        config.limits.write_idle_timeout = Duration::from_millis(300);
        config.limits.drain_timeout = Duration::from_millis(300);
        config.send_buffer = Some(4096);
    })
    .await;
    let id = long_game(&server).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let request = format!("GET /g/{id}/events?from=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    until("the stream begins", || server.gallery.open_streams() == 1).await;
    until("it is dropped", || server.gallery.open_streams() == 0).await;
    assert!(
        stream.peer_addr().is_ok(),
        "it was the server that ended it"
    );
}

#[tokio::test]
async fn a_quiet_stream_is_not_an_idle_connection() {
    let short = Duration::from_millis(100);
    let server = Server::with(|config| {
        config.limits.header_timeout = short;
        config.limits.write_idle_timeout = short;
        config.limits.body_timeout = short;
        config.limits.drain_timeout = short;
        config.streams.keep_alive = Duration::from_millis(60);
    })
    .await;
    let table = server.api().create(people(7)).await;
    let mut stream = table.events_from(0).await;
    // Silence for much longer than any timeout, except for the comments.
    let mut comments = 0;
    while comments < 8 {
        if stream.raw().await.unwrap()
            == ": still here\nevent: ping\ndata: {\"event\":\"ping\",\"next_ms\":60}"
        {
            comments += 1;
        }
    }
    assert!(play_likeliest(&table).await);
    stream.plies(0, 0).await;
}

#[tokio::test]
async fn the_stream_of_a_finished_game_ends() {
    let server =
        Server::with(|config| config.streams.post_game_timeout = Duration::from_millis(50)).await;
    let new = json!({"game": "dice", "players": 2, "seats": ["human", "book"], "seed": 7});
    let table = server.api().create(new).await;
    let mut stream = table.events_from(0).await;
    let resigned = table.send(0, "/resign", &json!({})).await;
    assert_eq!(resigned.status(), 200);
    assert_eq!(
        stream.next("over").await.data,
        json!({"ending": "resigned", "winners": [1], "ply": 0})
    );
    let bye = stream.next("bye").await;
    assert!(bye.retry.is_some() && bye.id.is_none());
    assert_eq!(stream.raw().await, None);
    until("the slot is free", || server.gallery.open_streams() == 0).await;
}

async fn server_with_limits(streams: StreamLimits) -> (Server, Api) {
    let server = Server::with(|config| {
        config.loopback = LoopbackPolicy::Limited;
        config.streams = streams;
    })
    .await;
    let api = server.api();
    (server, api)
}

#[tokio::test]
async fn streams_are_capped_and_their_slots_come_back() {
    let roomy = StreamLimits::default();
    for (limits, of_one_game) in [
        (StreamLimits { all: 2, ..roomy }, false),
        (
            StreamLimits {
                per_address: 2,
                ..roomy
            },
            false,
        ),
        (
            StreamLimits {
                per_game: 2,
                ..roomy
            },
            true,
        ),
    ] {
        let (server, api) = server_with_limits(limits).await;
        let table = api.create(people(7)).await;
        let other = api.create(people(8)).await;
        let first = table.events_from(0).await;
        let _second = table.events_from(0).await;
        for path in [table.path("/events"), format!("/g/{}/events", table.id)] {
            let refused = api.get(&path).await;
            assert_eq!(refused.headers()["retry-after"], "10", "{limits:?}");
            assert_eq!(refused.status(), 429);
            let kind = refused.headers()["content-type"]
                .to_str()
                .unwrap()
                .to_owned();
            let text = refused.text().await.unwrap();
            if path.starts_with("/api") {
                assert_eq!(kind, "application/problem+json");
                assert!(text.contains("too-many-streams"), "{text}");
            } else {
                assert!(
                    kind.starts_with("text/html") && text.contains("followed"),
                    "{text}"
                );
            }
        }
        let elsewhere = api.get(&other.path("/events")).await.status();
        assert_eq!(elsewhere, if of_one_game { 200 } else { 429 }, "{limits:?}");
        until("only two are open", || server.gallery.open_streams() == 2).await;
        drop(first);
        until("a slot is free", || server.gallery.open_streams() == 1).await;
        let _third = table.events_from(0).await;
        assert_eq!(api.get(&table.path("/events")).await.status(), 429);
    }
}

#[tokio::test]
async fn loopback_is_exempt_from_the_limit_per_address() {
    let server = Server::with(|config| config.streams.per_address = 1).await;
    let table = server.api().create(people(7)).await;
    let _streams = [
        table.events_from(0).await,
        table.events_from(0).await,
        table.events_from(0).await,
    ];
    assert_eq!(server.gallery.open_streams(), 3);
}

#[tokio::test]
async fn a_stop_sends_bye() {
    let server = Server::start().await;
    let table = server.api().create(people(7)).await;
    let mut stream = table.events_from(0).await;
    stream.next("watchers").await;
    server.stop();
    let bye = stream.next("bye").await;
    assert!((1000..3000).contains(&bye.retry.unwrap()));
    assert_eq!((bye.id, bye.data), (None, json!({})));
    assert_eq!(stream.raw().await, None);
}

#[tokio::test]
async fn a_stop_answers_requests_that_wait_for_a_ply() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = async || Server::on(store.clone()).await;
    let table = server().await.api().create(people(7)).await;
    let server = server().await;
    let mut waiting = TcpStream::connect(server.address).await.unwrap();
    let path = table.path("?wait=1");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    waiting.write_all(request.as_bytes()).await.unwrap();
    until("the game is read for it", || {
        server.service.games_in_memory() == 1
    })
    .await;
    server.stop();
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("\"ply\":0,"), "{answer}");
}

/// As many streams as the file limit allows beside those of other tests, up to a thousand.
fn max_streams() -> usize {
    #[cfg(unix)]
    rlimit::increase_nofile_limit(4_096).unwrap();
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let files = line.and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
    files.map_or(200, |files: usize| (files * 2 / 3).min(1000))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_sends_bye_to_a_thousand_streams_in_time() {
    let home = Home::new();
    let program = home.start();
    let api = program.api();
    let mut tables = Vec::new();
    for seed in 0..10 {
        tables.push(api.create(people(seed)).await);
    }
    let mut streams = Vec::new();
    for number in 0..max_streams() {
        let table = tables[number % tables.len()].clone();
        let mut stream = table.events_from(0).await;
        streams.push(tokio::spawn(async move {
            let bye = stream.next("bye").await;
            (bye.retry, stream.raw().await)
        }));
    }
    let ended = tokio::task::spawn_blocking(move || program.terminate());
    for stream in streams {
        let (retry, end) = stream.await.unwrap();
        assert!((1000..3000).contains(&retry.unwrap()));
        assert_eq!(end, None);
    }
    let (status, took) = ended.await.unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[tokio::test]
async fn watchers_are_those_without_a_seat() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(people(7)).await;
    let id: GameId = table.id.parse().unwrap();
    let page = async || {
        api.get(&format!("/g/{}", table.id))
            .await
            .text()
            .await
            .unwrap()
    };
    let text = page().await;
    assert!(text.contains(r#"data-watchers="0""#) && text.contains(r#"class="watching" hidden"#));

    let seated = api
        .client
        .get(format!("{}{}", api.url, table.path("/events")))
        .bearer_auth(table.token(0));
    let mut player = Events::new(seated.send().await.unwrap());
    assert_eq!(player.next("watchers").await.data, json!({"count": 0}));
    let mut one = api.events(&table.path("/events")).await;
    assert_eq!(one.next("watchers").await.data, json!({"count": 1}));
    let two = api.events(&format!("/g/{}/events", table.id)).await;
    assert_eq!(
        player.next("watchers").await.data["count"]
            .as_u64()
            .unwrap()
            .min(1),
        1
    );
    assert_eq!(server.gallery.watchers(&id), 2);
    let text = page().await;
    assert!(text.contains(r#"data-watchers="2""#), "{text}");
    assert!(
        text.contains(r#"<small class="watching"><b>2</b> watching</small>"#),
        "{text}"
    );

    drop(two);
    loop {
        if one.next("watchers").await.data == json!({"count": 1}) {
            break;
        }
    }
    // A player who resigns becomes a watcher: the others are notified of the seat and of the watcher.
    let resigned = table.send(0, "/resign", &json!({})).await;
    assert_eq!(resigned.status(), 200);
    for stream in [&mut player, &mut one] {
        let seats = stream.next("seats").await;
        assert_eq!((seats.id, seats.data), (None, json!({"revision": 1})));
        let game = stream.next("game").await;
        assert_eq!(game.data["seats"][0]["kind"], "level");
        loop {
            if stream.next("watchers").await.data == json!({"count": 2}) {
                break;
            }
        }
    }
    assert!(page().await.contains(r#"data-seats="1""#));
    // A later stream learns that the seats have changed.
    let mut late = api.events(&table.path("/events")).await;
    assert_eq!(late.next("seats").await.data, json!({"revision": 1}));
}

#[tokio::test]
async fn events_contain_no_secrets() {
    let server = Server::start().await;
    let table = server.api().create(people(7)).await;
    let secret = dice_of_doom::secret::Secret::random();
    let request = table
        .api
        .client
        .get(format!("{}{}", table.api.url, table.path("/events?from=0")))
        .header("cookie", format!("dod={}", secret.to_text()))
        .bearer_auth(table.token(0));
    let mut stream = Events::new(request.send().await.unwrap());
    for _ in 0..5 {
        assert!(play_likeliest(&table).await);
    }
    let resigned = table.send(1, "/resign", &json!({})).await;
    assert_eq!(resigned.status(), 200);
    server.stop();
    let mut received = String::new();
    while let Some(message) = stream.raw().await {
        received += &message;
    }
    assert_contains(&received, &["event: ply", "event: bye"]);
    let id = table.id.parse().unwrap();
    let stored = server.service.store().load(&id).await.unwrap().unwrap();
    let seed = serde_json::to_string(
        &stored
            .header
            .dice
            .as_ref()
            .unwrap()
            .seed
            .as_bytes()
            .to_vec(),
    )
    .unwrap();
    let secrets = [
        table.token(0),
        table.token(1),
        &secret.to_text(),
        &seed[1..20],
    ];
    for secret in secrets {
        assert!(!received.contains(secret), "{secret} in {received}");
    }
    assert_lacks(&received, &["seed", "token"]);
}

/// A stream with this token.
async fn events_with_token(table: &Table, token: &str, query: &str) -> Response {
    let url = format!("{}{}{query}", table.api.url, table.path("/events"));
    let request = table.api.client.get(url).bearer_auth(token);
    request.send().await.unwrap()
}

/// Plays a whole game with the streams of its seats and one post per ply, without other requests. All events match the
/// OpenAPI document and the responses of the other endpoints.
async fn play_by_streams(table: &Table, choose: impl Fn(&Value) -> Value) -> Value {
    let contract = Contract::shared();
    let fits = |name: &str, data: &Value| {
        let mut sent = data.clone();
        sent["event"] = json!(name);
        let schema = json!({"$ref": "#/components/schemas/StreamedEvent"});
        assert_eq!(contract.mismatch(&schema, &sent), None, "{sent}");
    };
    let mut watcher = table.events_from(0).await;
    fits("watchers", &watcher.next("watchers").await.data);
    let mut streams = Vec::new();
    let mut sent = Value::Null;
    for player in 0..2 {
        let mut stream = Events::new(events_with_token(table, table.token(player), "").await);
        let game = stream.next("game").await;
        assert_eq!(game.id, None);
        fits("game", &game.data);
        if game.data["player"] == player {
            sent = game.data.clone();
        } else {
            assert_eq!(game.data.get("moves"), None, "it is not their turn");
        }
        streams.push(stream);
    }
    let (mut ply, mut next) = (0, number(&sent["player"]) as usize);
    loop {
        let expected = table.moves().await;
        assert_eq!(sent["moves"], expected["moves"], "ply {ply}");
        assert_eq!(sent["state"], table.state().await["state"]);
        let mut body = choose(&expected);
        body["ply"] = ply.into();
        let played = table.send(next, "/moves", &body).await;
        assert_eq!(played.status(), 200, "{body}");
        let played: Value = played.json().await.unwrap();
        let now = table.state().await;
        let watched = watcher.plies(ply, ply).await.remove(0);
        fits("ply", &watched);
        let after = &watched["after"];
        for field in ["ply", "state", "winners", "over"] {
            assert_eq!(after[field], played[field], "{field}: {watched}");
        }
        for field in ["player", "ending"] {
            assert_eq!(after[field], now[field], "{field}: {watched}");
        }
        assert_eq!(after.get("moves"), None, "it watches");
        let by_seats = [
            streams[0].plies(ply, ply).await.remove(0),
            streams[1].plies(ply, ply).await.remove(0),
        ];
        for (player, event) in by_seats.into_iter().enumerate() {
            fits("ply", &event);
            let mut shared = event.clone();
            let moves = shared["after"].as_object_mut().unwrap().remove("moves");
            assert_eq!(shared, watched);
            assert_eq!(moves.is_some(), after["player"] == player, "{event}");
            if moves.is_some() {
                sent = event["after"].clone();
            }
        }
        ply += 1;
        let Some(player) = after["player"].as_u64() else {
            break;
        };
        next = player as usize;
    }
    let over = watcher.next("over").await;
    fits("over", &over.data);
    for mut stream in streams {
        assert_eq!(stream.next("over").await, over);
    }
    let record = table.record().await;
    assert_eq!(over.data["winners"], record["winners"]);
    assert_eq!(over.data["ply"], ply);
    record
}

#[tokio::test]
async fn a_stream_and_one_post_per_ply_are_enough() {
    let server = Server::start().await;
    let api = server.api();
    let dice = api.create(json!({"game": "dice", "rules": "v4", "size": 3, "players": 2, "seats": ["human", "human"], "seed": 5})).await;
    let record = play_by_streams(&dice, |moves| json!({"path": likely(moves)})).await;
    assert_eq!(record["ending"], "rules");
    let chips = json!({"game": "trilobite", "width": 5, "height": 4, "win": 3, "seats": ["human", "human"]});
    let chips = api.create(chips).await;
    let record = play_by_streams(&chips, |moves| json!({"cell": moves["moves"][0]})).await;
    assert_eq!(record["ending"], "rules");
}

#[tokio::test]
async fn moves_are_sent_once_per_position_to_the_seat_to_move() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(columns()).await;
    for _ in 0..4 {
        assert!(play_likeliest(&table).await);
    }
    // A late stream receives the current state, then the missed plies without their legal moves.
    let mut late = Events::new(events_with_token(&table, table.token(0), "?from=1").await);
    let game = late.next("game").await.data;
    assert_eq!((&game["ply"], &game["player"]), (&json!(4), &json!(0)));
    assert_eq!(game["moves"], table.moves().await["moves"]);
    for missed in late.plies(1, 3).await {
        assert_eq!(missed["after"].get("moves"), None, "{missed}");
    }
    let mut other = Events::new(events_with_token(&table, table.token(1), "?from=1").await);
    assert_eq!(other.next("game").await.data.get("moves"), None);
    other.plies(1, 3).await;
    // A new name changes the seats: the game is sent again, but not the moves, which were sent before.
    let renamed = SeatChange::Rename {
        player: Player::FIRST,
        name: Some("Ada".parse().unwrap()),
    };
    let claim = Credentials {
        token: Some(table.token(0).parse::<Secret>().unwrap().hash()),
        ..Credentials::default()
    };
    let id = table.id.parse().unwrap();
    server
        .service
        .change_seat(&id, claim, renamed)
        .await
        .unwrap();
    for stream in [&mut late, &mut other] {
        let game = stream.next("game").await.data;
        assert_eq!(game["seats"][0]["name"], "Ada");
        assert_eq!(game.get("moves"), None, "{game}");
    }
    assert!(play_likeliest(&table).await);
    assert!(late.plies(4, 4).await[0]["after"].get("moves").is_none());
    assert!(other.plies(4, 4).await[0]["after"]["moves"].is_array());
}

#[tokio::test]
async fn a_wrong_token_opens_no_stream() {
    let server = Server::start().await;
    let table = server.api().create(people(7)).await;
    let stranger = Secret::random().to_text();
    for wrong in [stranger.as_str(), "nonsense"] {
        problem(events_with_token(&table, wrong, "").await, 403).await;
    }
    let mut private = people(7);
    private["private"] = true.into();
    let private = server.api().create(private).await;
    problem(events_with_token(&private, &stranger, "").await, 404).await;
    problem(server.api().get(&private.path("/events")).await, 404).await;
    let mut seated = Events::new(events_with_token(&private, private.token(0), "").await);
    assert!(seated.next("game").await.data["moves"].is_array());
    assert_eq!(server.gallery.open_streams(), 1);
    // A player who has resigned watches with the same token.
    let (resign, nothing) = (table.path("/resign"), json!({}));
    let gave_up = table.api.post_as(table.token(0), &resign, &nothing);
    assert_eq!(gave_up.await.status(), 200);
    let mut looks = Events::new(events_with_token(&table, table.token(0), "").await);
    assert_eq!(looks.next("game").await.data.get("moves"), None);
}

#[tokio::test]
async fn the_openapi_document_describes_the_events() {
    let server = Server::start().await;
    let document = server.api().json("/openapi.json").await;
    let events = &document["paths"]["/api/v1/games/{id}/events"]["get"];
    assert!(events["responses"]["200"]["content"]["text/event-stream"].is_object());
    let page = server.api().get("/api").await.text().await.unwrap();
    assert!(page.contains("event: ply") && page.contains("Last-Event-ID"));
}

/// For all tabs of a browser: the events of each game are those of its own stream.
#[tokio::test]
async fn several_games_share_a_stream() {
    let server = Server::start().await;
    let api = server.api();
    let (one, other) = (api.create(people(7)).await, api.create(columns()).await);
    assert!(play_likeliest(&one).await);
    let path = format!(
        "/events?game={}.0&game={}.0&game=nosuchgame.0",
        one.id, other.id
    );
    let mut stream = api.events(&path).await;
    assert_eq!(stream.next("ping").await.data["next_ms"], 15_000);
    assert!(play_likeliest(&other).await);
    let mut events_by_game = std::collections::BTreeMap::<String, Vec<String>>::new();
    let mut about = String::new();
    while events_by_game
        .values()
        .flatten()
        .filter(|name| *name == "ply")
        .count()
        < 2
        || events_by_game.len() < 3
    {
        let event = Event::parse(&stream.raw().await.unwrap());
        if event.event == "about" {
            about = event.data["game"].as_str().unwrap().to_owned();
        } else if !event.event.is_empty() {
            events_by_game
                .entry(about.clone())
                .or_default()
                .push(event.event);
        }
    }
    assert_eq!(events_by_game[&one.id], ["watchers", "ply"]);
    assert_eq!(events_by_game[&other.id], ["watchers", "ply"]);
    assert_eq!(events_by_game["nosuchgame"], ["bye"]);
    for query in ["", "?game=", "?game=x", "?game=x.y", "?game=x.-1"] {
        assert_eq!(
            api.get(&format!("/events{query}")).await.status(),
            400,
            "{query}"
        );
    }
}
