//! Open tables and clocks at two servers on one PostgreSQL database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dice_of_doom::game::Player;
use dice_of_doom::games::StartPosition;
use dice_of_doom::seats::SeatSpec;
use dice_of_doom::store::postgres::PostgresStore;
use dice_of_doom::tables::NewGame;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

use crate::common::{Event, HANG, Person, Server, header_of, read_page};
use crate::server::{self, shared};

async fn two_servers() -> [Server; 2] {
    let url = shared().database().await;
    let start = async || {
        let store = PostgresStore::join(&url).await.unwrap();
        let server = Server::on(Arc::new(store)).await;
        let background = server.service.clone();
        tokio::spawn(async move { background.run_background().await });
        server
    };
    [start().await, start().await]
}

/// A table that Mika opens.
const TABLE: &str = "game=trilobite&listed=1&name=Mika";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_opened_at_one_server_is_joined_at_the_other() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [host, guest] = [here.person(), there.person()];
    let game = host.create(TABLE).await;
    assert!(guest.page("/tables").await.contains("Mika"));
    let seat = game.replace("/g/", "/tables/");
    guest.done(&seat, "name=Ola").await;
    assert!(host.page(&game).await.contains("Ola"));
    assert!(!here.person().page("/tables").await.contains("Mika"));
    there.person().refused(&seat, "name=Eve", 409).await;

    // Nothing is played at either server before one of them starts the game.
    let [early, late] = [&host, &guest].map(|person| (person, format!("{game}/moves")));
    early.0.refused(&early.1, "ply=0&column=a", 409).await;
    late.0.refused(&late.1, "ply=0&column=a", 409).await;
    let joined = Instant::now();
    while host.state(&game).await["waiting"] == true {
        assert!(joined.elapsed() < HANG, "it does not start");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    host.done(&early.1, "ply=0&column=a").await;
    guest.done(&late.1, "ply=1&column=b").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_have_the_same_board_of_the_day() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [one, other] = [here.person(), there.person()];
    let begin = async |person: &Person, server: &Server| {
        let day = server.service.today().to_string();
        let person = person.at(&server.url(""));
        person.done("/daily", &[("day", &day)]).await
    };
    let (game, second) = (begin(&one, &here).await, begin(&other, &there).await);
    assert_eq!(begin(&one, &there).await, game, "one attempt");
    let (first, again) = (one.record(&game).await, other.record(&second).await);
    assert_eq!(first["start"], again["start"]);
    assert_eq!(first["dice"]["commitment"], again["dice"]["commitment"]);
    // Each one plays on at the other server.
    let counted = [(&there, &one, &game), (&here, &other, &second)];
    for (server, person, game) in counted {
        person.at(&server.url("")).lose(game).await;
    }
    for server in [&here, &there] {
        let one = one.at(&server.url(""));
        // A server counts the scores anew once a second.
        let asked = Instant::now();
        loop {
            let shown = one.page("/daily").await;
            if shown.contains("2 people have played so far") {
                break;
            }
            assert!(asked.elapsed() < HANG, "not counted: {shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phrase_is_heard_at_the_other_server() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [host, guest] = [here.person(), there.person()];
    let game = host.create(TABLE).await;
    guest
        .done(&game.replace("/g/", "/tables/"), "name=Ola")
        .await;
    host.start(&game).await;
    let id = game.strip_prefix("/g/").unwrap().parse().unwrap();
    // Both servers have the table in memory.
    let heard = there
        .service
        .wait_for(&id, HANG, |now| !now.phrases.is_empty());
    let said = async {
        let say = format!("{game}/phrases");
        // A notification may come before the other server listens.
        loop {
            let said = host.post(&say, "phrase=hello").await.status();
            assert!(said == 303 || said == 429, "{said}");
        }
    };
    tokio::select! {
        heard = heard => assert_eq!(heard.unwrap().phrases[0].phrase.name(), "hello"),
        () = said => {}
    }
    assert!(guest.page(&game).await.contains("Hello"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_that_is_lost_at_one_server_ends_its_streams_at_the_other() {
    if server::is_left_out() {
        return;
    }
    let [here, there] = two_servers().await;
    let [host, guest, phone] = [&here, &there, &here].map(Server::person);
    let form = "rules=v2&private=1&seats=open&seats=human";
    let game = host.create(form).await;
    // The path of a link is the same at both servers.
    let path = |link: String| link[link.find("/join/").unwrap()..].to_owned();
    guest.done(&path(host.seat_link(&game).await), "").await;
    let mut stream = guest.events(&format!("{game}/events")).await;
    stream.next("seats").await;
    phone.done(&path(guest.seat_link(&game).await), "").await;
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
    let [me, phone] = [here.person(), there.person()];
    let form = "rules=v2&private=1&seats=human";
    let game = me.create(form).await;
    let shown = me.post("/device/code", "").await;
    let code = read_page(shown, 200, "/device/code")
        .await
        .attr("#code", "value");
    let join = format!("code={code}&do=join");
    phone.done("/device", &join).await;
    let mut stream = phone.events(&format!("{game}/events")).await;
    stream.raw().await.expect("the first event");

    let first = me.post("/device/end", "").await;
    me.done(header_of(&first, "location"), "").await;
    // At once.
    phone.page_with_status(&game, 404).await;
    stream.next("bye").await;
    assert!(stream.raw().await.is_none());
    let page = me.at(&there.url("")).page(&game).await;
    assert!(page.has("[action$='/resign']"), "{page}");
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
            let ended = |now: &dice_of_doom::tables::Snapshot| {
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
