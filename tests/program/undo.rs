//! Takebacks: by a program, on the page, in streams and after a restart, and where they are not allowed.

use std::sync::{Arc, Mutex};

use crate::common::{
    Home, Server, Table, acknowledged_plies, assert_contains, likely, number, problem, program,
    times,
};
use dice_of_doom::record::EntropyText;
use dice_of_doom::seats::Credentials;
use dice_of_doom::secret::Secret;
use dice_of_doom::tables::ServiceError;
use serde_json::{Value, json};

fn alone(seats: [&str; 2]) -> Value {
    json!({"game": "dice", "size": 4, "players": 2, "seats": seats, "seed": 5})
}

async fn undo(table: &Table, player: usize, ply: u64) -> reqwest::Response {
    let (token, path) = (table.token(player), table.path("/undo"));
    table.api.post_as(token, &path, &json!({"ply": ply})).await
}

/// Plays the person's likeliest ply; returns its number.
async fn play(table: &Table) -> u64 {
    let now = table.settled().await;
    let ply = number(&now["ply"]);
    table.play(0, ply, &likely(&table.moves().await)).await;
    ply
}

async fn end_turn(table: &Table) -> u64 {
    loop {
        let now = table.settled().await;
        let ply = number(&now["ply"]);
        let moves = table.moves().await;
        let passes = moves["moves"].as_array().unwrap().iter();
        if passes.clone().any(|one| one["path"].is_null()) {
            table.play(0, ply, &Value::Null).await;
            return ply;
        }
        table.play(0, ply, &likely(&moves)).await;
    }
}

async fn state(table: &Table, ply: u64) -> Value {
    let path = table.path(&format!("?ply={ply}"));
    table.api.json(&path).await["state"].clone()
}

#[tokio::test]
async fn a_move_is_taken_back_with_all_that_computers_did_after_it() {
    let server = Server::start().await;
    let table = server.api().create(alone(["human", "random"])).await;
    assert_eq!(table.state().await["takebacks"], true);
    let own = end_turn(&table).await;
    let now = table.settled().await;
    let ply = number(&now["ply"]);
    assert!(ply > own + 1, "the computer has played: {now}");

    let undone = undo(&table, 0, ply).await;
    assert_eq!(undone.status(), 200);
    let undone: Value = undone.json().await.unwrap();
    assert_eq!(undone["ply"], ply + 1);
    assert_eq!(undone["repeated"], false);
    assert_eq!(undone["state"], state(&table, own).await);
    let now = table.state().await;
    assert_eq!(
        (&now["ply"], &now["player"]),
        (&json!(ply + 1), &json!(0)),
        "{now}"
    );
    assert_eq!(now["state"], undone["state"]);
    assert_eq!(now["last"]["takeback"], own);
    // The plies taken back stay in the record, and their positions can still be read.
    let record = table.record().await;
    assert_eq!(record["plies"].as_array().unwrap().len() as u64, ply + 1);
    assert_eq!(record["plies"][ply as usize], now["last"]);
    assert_ne!(state(&table, ply).await, now["state"]);

    // A repeated request is answered as done; a new one goes further back.
    let again: Value = undo(&table, 0, ply).await.json().await.unwrap();
    assert_eq!(again["repeated"], true);
    assert_eq!(
        (&again["ply"], &again["state"]),
        (&undone["ply"], &undone["state"])
    );
    let further: Value = undo(&table, 0, ply + 1).await.json().await.unwrap();
    let last = table.state().await["last"]["takeback"].clone();
    assert!(number(&last) < own, "{further}");

    // The game continues, and the same action is rolled again under its new number.
    let next = number(&further["ply"]);
    let path = record["plies"][number(&last) as usize]["path"].clone();
    let played = table.play(0, next, &path).await;
    assert_eq!(
        (&played["ply"], &played["repeated"]),
        (&json!(next + 1), &json!(false))
    );
    table.play_to_the_end().await;
}

#[tokio::test]
async fn a_takeback_during_computer_turns_is_accepted() {
    let server = Server::start().await;
    let table = server.api().create(alone(["human", "random"])).await;
    let own = end_turn(&table).await;
    let now = table.settled().await;
    // The ply at which the button was shown: before the computer had played anything.
    let undone: Value = undo(&table, 0, own + 1).await.json().await.unwrap();
    assert_eq!(undone["ply"], number(&now["ply"]) + 1);
    assert_eq!(table.state().await["last"]["takeback"], own);
    let again: Value = undo(&table, 0, own + 1).await.json().await.unwrap();
    assert_eq!(again["repeated"], true);
    // After a ply of one's own in between, the request would take back another ply than intended.
    let ply = play(&table).await;
    problem(undo(&table, 0, ply).await, 409).await;
    problem(undo(&table, 0, 1_000_000).await, 409).await;
}

#[tokio::test]
async fn takebacks_are_refused_where_not_allowed() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(alone(["human", "random"])).await;
    let nothing = problem(undo(&table, 0, 0).await, 422).await;
    assert_eq!(nothing["detail"], "there is no move of yours to take back");
    let path = table.path("/undo");
    let body = json!({"ply": 0});
    api.refused(&path, &body, 401).await;
    api.refused_as("nonsense", &path, &body, 403).await;
    let token = table.token(0);
    api.refused_as(token, &path, &json!({}), 422).await;
    api.refused_as(token, &path, &json!({"ply": -1}), 422).await;
    api.refused_as(token, &path, &json!({"ply": 0, "to": 0}), 422)
        .await;
    let elsewhere = "/api/v1/games/zzzzzzzzzz/undo";
    api.refused_as(token, elsewhere, &body, 404).await;

    let table = api.create(alone(["human", "human"])).await;
    play(&table).await;
    let refused = problem(undo(&table, 0, 1).await, 403).await;
    assert_eq!(refused["code"], "no-takeback");
    assert_eq!(table.state().await["ply"], 1);
    let table = api.create(alone(["human", "open"])).await;
    let refused = problem(undo(&table, 0, 0).await, 409).await;
    assert_eq!(refused["code"], "waiting");
    let mut strict = alone(["human", "random"]);
    strict["takebacks"] = json!(false);
    let table = api.create(strict).await;
    assert_eq!(table.state().await["takebacks"], false);
    let ply = play(&table).await;
    let refused = problem(undo(&table, 0, ply + 1).await, 403).await;
    assert_eq!(refused["detail"], "moves cannot be taken back in this game");
    let over = table.play_to_the_end().await;
    let refused = problem(undo(&table, 0, number(&over["ply"])).await, 409).await;
    assert_eq!(refused["code"], "over");
}

#[tokio::test]
async fn a_stream_reports_a_takeback_and_continues() {
    let server = Server::start().await;
    let table = server.api().create(alone(["human", "random"])).await;
    let mut stream = table.events_from(0).await;
    let own = play(&table).await;
    undo(&table, 0, own + 1).await;
    let back = number(&table.state().await["ply"]) - 1;
    let received = stream.plies(0, back).await;
    let last = received.last().unwrap();
    assert_eq!(
        (&last["takeback"], &last["over"]),
        (&json!(own), &json!(false))
    );
    let next = play(&table).await;
    assert_eq!(next, back + 1);
    let after = stream.plies(next, next).await;
    assert_eq!(after[0]["ply"], next);
    // A later stream receives the same.
    let mut late = table.events_from(back).await;
    assert_eq!(&late.plies(back, back).await[0], last);
}

/// The button that takes a move back.
const UNDO: &str = "[action$='/undo']";

const CHIPS: &str = "game=trilobite&seats=human&seats=random";

#[tokio::test]
async fn the_page_takes_back_without_scripts() {
    let server = Server::start().await;
    let browser = server.person();
    let game = browser.create(CHIPS).await;
    assert!(!browser.page(&game).await.has(UNDO));
    let page = browser
        .page_after(&format!("{game}/moves"), "ply=0&column=d")
        .await;
    assert!(page.has(&format!("[action='{game}/undo']")), "{page}");
    assert!(page.contains("Take back d"), "{page}");

    let undo = format!("{game}/undo");
    assert_eq!(browser.done(&undo, "ply=2").await, game);
    let page = browser.page(&game).await;
    assert!(page.contains("You took back <b>d</b>"), "{page}");
    assert!(page.has("s"), "{page}");
    assert!(!page.has(UNDO), "there is nothing more to take back");
    // The number of chips on the mainline counts: the first chip is dropped again.
    assert!(page.texts("h2").contains(&"Chip 1".to_owned()), "{page}");
    // The button is clicked twice.
    browser.done(&undo, "ply=2").await;
    let past = browser.page(&format!("{game}/3")).await;
    assert!(past.contains("took back"), "{past}");
    let log = browser.page(&format!("{game}/log")).await;
    assert_eq!(log.count("s"), 2, "{log}");
}

#[tokio::test]
async fn people_who_share_a_browser_may_take_back_and_others_may_not() {
    let server = Server::start().await;
    let browser = server.person();
    let game = browser
        .create("game=trilobite&seats=human&seats=human")
        .await;
    let moves = format!("{game}/moves");
    browser.done(&moves, "ply=0&column=d").await;
    browser.done(&moves, "ply=1&column=e").await;
    let page = browser.page_after(&format!("{game}/undo"), "ply=2").await;
    assert!(page.contains("Take back d"), "{page}");

    // Another browser has no seat, and the page with the board says so.
    let stranger = server.person();
    let page = stranger
        .refused(&format!("{game}/undo"), "ply=3", 401)
        .await;
    assert!(page.has("svg"), "{page}");

    let two = browser
        .create("game=trilobite&chips=human&chips=open")
        .await;
    let link = browser.seat_link(&two).await;
    stranger.done(&link, "name=Ken").await;
    browser.start(&two).await;
    let page = browser
        .page_after(&format!("{two}/moves"), "ply=0&column=d")
        .await;
    assert!(!page.has(UNDO), "{page}");
    let page = browser.refused(&format!("{two}/undo"), "ply=1", 403).await;
    assert!(page.contains("only where nobody else plays"), "{page}");
}

#[tokio::test]
async fn a_strict_table_and_its_rematch_refuse_takebacks() {
    let server = Server::start().await;
    let browser = server.person();
    let strict = format!("{CHIPS}&strict=1&width=3&height=3&win=2");
    let mut game = browser.create(&strict).await;
    for _ in 0..2 {
        let page = browser
            .page_after(&format!("{game}/moves"), "ply=0&column=a")
            .await;
        assert!(!page.has(UNDO), "{page}");
        let page = browser.refused(&format!("{game}/undo"), "ply=2", 403).await;
        assert_contains(&page, &["At this table moves cannot be taken back."]);
        browser.done(&format!("{game}/resign"), "ply=2").await;
        let again = browser.done(&format!("{game}/rematch"), "board=new").await;
        assert_ne!(again, game);
        game = again;
    }
}

#[tokio::test]
async fn the_final_page_counts_takebacks() {
    let server = Server::start().await;
    let browser = server.person();
    let game = browser.create(CHIPS).await;
    for (dropped, undone) in [("0", "2"), ("3", "5")] {
        let moves = format!("{game}/moves");
        // The page waits for the computer's answer.
        let dropped = format!("ply={dropped}&column=d");
        browser.page_after(&moves, dropped).await;
        let undone = format!("ply={undone}");
        browser.done(&format!("{game}/undo"), undone).await;
    }
    let page = browser.page_after(&format!("{game}/resign"), "ply=6").await;
    assert!(page.contains("2 moves were taken back."), "{page}");
    let games = browser.page("/me").await;
    assert!(games.contains("2 moves taken back"), "{games}");
}

#[tokio::test]
async fn entropy_texts_are_entries_that_cost_no_turn() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(alone(["human", "random"])).await;
    let id = table.id.parse().unwrap();
    let claim = |player: usize| Credentials {
        token: Some(table.token(player).parse::<Secret>().unwrap().hash()),
        ..Credentials::default()
    };
    let entropy = |text: &str| text.parse::<EntropyText>().unwrap();
    let service = &server.service;
    let given = service
        .add_entropy(&id, claim(0), 0, entropy("a cat walked here"))
        .await
        .unwrap();
    assert_eq!((given.number, given.repeated), (0, false));
    let again = service.add_entropy(&id, claim(0), 0, entropy("a cat walked here"));
    assert!(again.await.unwrap().repeated);
    let other = service
        .add_entropy(&id, claim(0), 0, entropy("a dog"))
        .await;
    assert!(
        matches!(other, Err(ServiceError::Stale { .. })),
        "{other:?}"
    );
    let anonymous = Credentials::default();
    let refused = service
        .add_entropy(&id, anonymous, 1, entropy("a dog"))
        .await;
    assert!(matches!(refused, Err(ServiceError::NotYourSeat { .. })));

    let now = table.state().await;
    assert_eq!((&now["ply"], &now["player"]), (&json!(1), &json!(0)));
    assert_eq!(now["last"]["entropy"], "a cat walked here");
    assert_eq!(now["state"], state(&table, 0).await);
    let more = service.add_entropy(&id, claim(0), 1, entropy("more")).await;
    assert!(matches!(more, Err(ServiceError::EntropyRejected { .. })));
    table.play(0, 1, &likely(&table.moves().await)).await;
    let page = api.get(&format!("/g/{id}/1")).await.text().await.unwrap();
    assert!(page.contains("“a cat walked here”"), "{page}");
}

/// The number of each acknowledged entry, and the path of a ply, or `None` for a takeback.
type Noted = Vec<(u64, Option<Value>)>;

/// Plays and takes back until the server goes away; notes what was acknowledged.
async fn play_to_and_fro(table: Table, noted: Arc<Mutex<Noted>>) {
    let url = |rest: &str| format!("{}{}", table.api.url, table.path(rest));
    let client = table.api.client.clone();
    let post = async |rest: &str, body: Value| -> Option<Value> {
        let sent = client
            .post(url(rest))
            .bearer_auth(table.token(0))
            .json(&body);
        let answer = sent.send().await.ok()?;
        assert!(matches!(answer.status().as_u16(), 200 | 409), "{answer:?}");
        answer.json().await.ok()
    };
    let get = async |rest: &str| -> Option<Value> {
        client.get(url(rest)).send().await.ok()?.json().await.ok()
    };
    let mut own = 0;
    loop {
        let Some(now) = get("").await else { return };
        let ply = number(&now["ply"]);
        if now["over"] == true {
            return;
        }
        // Sometimes in the middle of a computer's turn.
        let (rest, path) = if own % 3 == 2 {
            ("/undo", None)
        } else if now["player"] == 0 {
            let Some(moves) = get("/moves").await else {
                return;
            };
            ("/moves", Some(likely(&moves)))
        } else {
            let wait = format!("?wait={}", ply + 1);
            if get(&wait).await.is_none() {
                return;
            }
            continue;
        };
        let body = match &path {
            Some(path) => json!({"ply": ply, "path": path}),
            None => json!({"ply": ply}),
        };
        let Some(answer) = post(rest, body).await else {
            return;
        };
        if answer["state"].is_object() {
            own += 1;
            let number = number(&answer["ply"]) - 1;
            noted.lock().unwrap().push((number, path));
        }
    }
}

/// `DOD_UNDO_KILLS=100 cargo test --test program undo::takebacks_survive -- --nocapture` sets the number of kills;
/// without it, one hundredth of that.
#[tokio::test]
async fn takebacks_survive_kill_9() {
    let kills = u64::from(times("DOD_UNDO_KILLS", 200));
    let home = Home::new();
    let file = home.games();
    let (mut plies, mut takebacks) = (0, 0);
    for round in 0..kills {
        let server = home.start();
        let mut games = Vec::new();
        for seed in 0..6 {
            let mut new = alone(["human", "random"]);
            new["seed"] = json!(10 * round + seed);
            let table = server.api().create(new).await;
            let noted = Arc::default();
            let player = tokio::spawn(play_to_and_fro(table.clone(), Arc::clone(&noted)));
            games.push((table, noted, player));
        }
        games[0].0.wait(9 + round % 20).await;
        server.kill();
        let server = home.start();
        for (table, noted, player) in games {
            player.await.unwrap();
            let table = table.on_server(&server.api());
            let stored = acknowledged_plies::plies(&table.record().await);
            let noted = std::mem::take(&mut *noted.lock().unwrap());
            for (number, path) in &noted {
                let entry = &stored[*number as usize];
                match path {
                    Some(path) => assert_eq!(&entry["path"], path, "round {round}: {entry}"),
                    None => assert!(entry["takeback"].is_u64(), "round {round}: {entry}"),
                }
                plies += u64::from(path.is_some());
                takebacks += u64::from(path.is_none());
            }
            // A client that missed the response repeats the request and receives it.
            if let Some((number, None)) = noted.last()
                && stored.len() as u64 == number + 1
            {
                let again: Value = undo(&table, 0, *number).await.json().await.unwrap();
                assert_eq!(again["repeated"], true, "round {round}: {again}");
            }
            if table.settled().await["over"] == false {
                play(&table).await;
            }
        }
        server.kill();
    }
    assert!(takebacks >= kills, "{takebacks} takebacks");
    let checked = program().arg("check").arg(&file).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
    eprintln!("{kills} kills, {plies} plies and {takebacks} takebacks acknowledged, none lost");
}
