//! Registered programs: one token and one event stream for all their games, and invitations by users.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::contract::Contract;
use crate::common::failing_store::FailingStore;
use crate::common::{
    Api, Event, Events, Person, Server, ServerConfig, assert_contains, number, problem,
};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::{Registry, StartPosition};
use dice_of_doom::http::guard::RequestGuard;
use dice_of_doom::level::Level;
use dice_of_doom::seats::SeatSpec;
use dice_of_doom::secret::Secret;
use dice_of_doom::site::programs::hub::InviteError;
use dice_of_doom::site::programs::hub::{add_program, invite, run_notifications, subscribe};
use dice_of_doom::site::{self, RateLimits};
use dice_of_doom::store::{ChangeNotification, GameChange};
use dice_of_doom::tables::{ClientNetwork, GameCreator, NewGame, Service, ServiceSettings};
use reqwest::Response;
use serde_json::{Value, json};

/// A small board that is full after a few plies.
fn small_game() -> Value {
    json!({"game": "trilobite", "width": 4, "height": 3, "win": 3})
}

async fn register_program(api: &Api, name: &str) -> Value {
    let body = json!({"name": name, "plays": small_game()});
    let answer = api.post("/api/v1/programs", &body).await;
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert_eq!(status, 201, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn token(program: &Value) -> &str {
    program["token"].as_str().unwrap()
}

async fn stream_as(api: &Api, token: &str) -> Response {
    let request = api.client.get(format!("{}/api/v1/events", api.url));
    request.bearer_auth(token).send().await.unwrap()
}

/// The event stream of a program, after its first event, which names the program.
async fn open_stream(api: &Api, program: &Value) -> Events {
    let mut stream = Events::new(stream_as(api, token(program)).await);
    let hello = stream.next("program").await.data;
    assert_eq!(hello["id"], program["id"]);
    assert_eq!(hello.get("token"), None);
    stream
}

/// The next event, which must have this name and conform to the OpenAPI document.
async fn next_event(stream: &mut Events, name: &str) -> Value {
    let message = stream.raw().await.unwrap();
    let event = Event::parse(&message);
    assert_eq!(event.event, name, "{message}");
    assert_eq!(event.id.is_some(), name != "program", "{message}");
    let contract = Contract::shared();
    let schema = json!({"$ref": "#/components/schemas/ProgramEvent"});
    let found = contract.mismatch(&schema, &event.sent_data());
    assert_eq!(found, None, "{message}");
    event.data
}

/// Plays the first legal action of a received state.
async fn play_first_move(api: &Api, program: &Value, game: &Value) -> Response {
    let body = json!({"ply": game["ply"], "cell": game["moves"][0]});
    let path = format!("/api/v1/games/{}/moves", game["id"].as_str().unwrap());
    api.post_as(token(program), &path, &body).await
}

async fn create_as(api: &Api, token: &str, seats: Value) -> Response {
    let mut body = small_game();
    body["seats"] = seats;
    api.post_as(token, "/api/v1/games", &body).await
}

#[tokio::test]
async fn one_token_and_one_stream_cover_all_games() {
    let server = Server::start().await;
    let api = server.api();
    let robot = register_program(&api, " Robot ").await;
    assert_eq!(robot["name"], "Robot");
    assert_eq!(robot["plays"]["width"], 4);
    let mut stream = open_stream(&api, &robot).await;
    let mut open = BTreeSet::new();
    for seats in [
        json!(["human", "random"]),
        json!(["random", "human"]),
        json!(["human", "human"]),
    ] {
        let created = create_as(&api, token(&robot), seats).await;
        assert_eq!(created.status(), 201);
        let created: Value = created.json().await.unwrap();
        for seat in created["seats"].as_array().unwrap() {
            assert_eq!(seat.get("token"), None, "{seat}");
            if seat["kind"] == "human" {
                assert_eq!(
                    (&seat["program"], &seat["name"]),
                    (&json!(true), &json!("Robot"))
                );
            }
        }
        open.insert(created["id"].as_str().unwrap().to_owned());
    }
    let mut started = BTreeSet::new();
    let mut reported = BTreeSet::new();
    while !open.is_empty() {
        let message = stream.raw().await.unwrap();
        let event = Event::parse(&message);
        let game = event.data;
        let id = game["id"].as_str().unwrap().to_owned();
        match event.event.as_str() {
            "gameStart" => {
                assert!(started.insert(id.clone()), "one start per game: {message}");
                assert_eq!(game.get("moves"), None, "only turns have moves: {message}");
            }
            "turn" => assert!(
                started.contains(&id) && game["moves"].is_array(),
                "{message}"
            ),
            "gameFinish" => {
                assert!(open.remove(&id), "one end per game: {message}");
                assert!(game["over"] == true && game["winners"].is_array());
                assert_eq!(game.get("moves"), None);
            }
            other => panic!("{other}"),
        }
        let yours = game["yours"].as_array().unwrap();
        if game.get("moves").is_some() {
            assert!(yours.contains(&game["player"]), "{message}");
            assert!(
                reported.insert((id, number(&game["ply"]))),
                "one event per position: {message}"
            );
            assert_eq!(play_first_move(&api, &robot, &game).await.status(), 200);
        }
    }
    // The rematch belongs to the program, too; a second stream begins with the games in progress.
    let over = started.first().unwrap();
    let path = format!("/api/v1/games/{over}/rematch");
    let again = api.post_as(token(&robot), &path, &json!({})).await;
    let again: Value = again.json().await.unwrap();
    assert_eq!(stream.next("gameStart").await.data["id"], again["id"]);
    let mut late = open_stream(&api, &robot).await;
    assert_eq!(next_event(&mut late, "gameStart").await["id"], again["id"]);
}

/// The stream of a program that reconnects after this event.
async fn resume_stream(api: &Api, program: &Value, id: u64) -> Events {
    let request = api.client.get(format!("{}/api/v1/events", api.url));
    let request = request.bearer_auth(token(program));
    let mut stream = Events::new(request.header("last-event-id", id).send().await.unwrap());
    stream.next("program").await;
    stream
}

/// Creates a game with an open seat, resigns it as this program, and returns its id.
async fn resigned_game(api: &Api, program: &Value) -> Value {
    let created = create_as(api, token(program), json!(["human", "random"])).await;
    let created: Value = created.json().await.unwrap();
    let path = format!("/api/v1/games/{}/resign", created["id"].as_str().unwrap());
    let resigned = api.post_as(token(program), &path, &json!({})).await;
    assert_eq!(resigned.status(), 200, "{}", resigned.text().await.unwrap());
    created["id"].clone()
}

async fn check_missed_finishes_are_reported(config: ServerConfig) {
    let server = Server::start_with(config).await;
    let api = server.api();
    let robot = register_program(&api, "Robot").await;
    // The program has not connected yet.
    let missed = [
        resigned_game(&api, &robot).await,
        resigned_game(&api, &robot).await,
    ];
    let mut stream = open_stream(&api, &robot).await;
    let first = stream.next("gameFinish").await;
    assert_eq!(first.data["id"], missed[0]);
    // A client that loses the connection after the first event receives the others.
    let mut resumed = resume_stream(&api, &robot, first.id.unwrap()).await;
    for stream in [&mut stream, &mut resumed] {
        assert_eq!(next_event(stream, "gameFinish").await["id"], missed[1]);
    }
    // Events that are sent to an open stream have ids, too.
    let third = resigned_game(&api, &robot).await;
    let finish = stream.next("gameFinish").await;
    assert_eq!(finish.data["id"], third);
    let last = finish.id.unwrap();
    drop(stream);
    // A client that resumes with this id receives only later events.
    let fourth = resigned_game(&api, &robot).await;
    let mut stream = resume_stream(&api, &robot, last).await;
    assert_eq!(next_event(&mut stream, "gameFinish").await["id"], fourth);
    // A client that resumes with an older id receives lost events again.
    let mut again = resume_stream(&api, &robot, last - 1).await;
    for id in [&third, &fourth] {
        assert_eq!(next_event(&mut again, "gameFinish").await["id"], *id);
    }
    // Reported finishes are not reported again; this is stored before the next event is sent.
    create_as(&api, token(&robot), json!(["human", "open"])).await;
    stream.next("gameStart").await;
    drop((stream, again));
    let unknown = resume_stream(&api, &robot, 1_000_000).await;
    for mut late in [open_stream(&api, &robot).await, unknown] {
        next_event(&mut late, "gameStart").await;
    }
    let other = register_program(&api, "Other").await;
    let created = create_as(&api, token(&other), json!(["human", "open"])).await;
    assert_eq!(created.status(), 201);
    let mut stream = open_stream(&api, &other).await;
    next_event(&mut stream, "gameStart").await;
    let request = api.client.get(format!("{}/api/v1/events", api.url));
    let request = request
        .bearer_auth(token(&other))
        .header("last-event-id", "x");
    problem(request.send().await.unwrap(), 400).await;
}

#[tokio::test]
async fn missed_finishes_are_reported_with_a_memory_store() {
    check_missed_finishes_are_reported(ServerConfig::default()).await;
}

#[tokio::test]
async fn missed_finishes_are_reported_with_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    check_missed_finishes_are_reported(ServerConfig::on_file(&file).await).await;
}

#[tokio::test]
async fn a_program_lists_its_games_with_its_token() {
    let server = Server::start().await;
    let api = server.api();
    let (robot, other) = (
        register_program(&api, "Robot").await,
        register_program(&api, "Other").await,
    );
    let over = resigned_game(&api, &robot).await;
    let mut body = small_game();
    body["seats"] = json!(["human", "open"]);
    body["private"] = json!(true);
    let private = api.post_as(token(&robot), "/api/v1/games", &body).await;
    let private: Value = private.json().await.unwrap();
    let table = api.create(body).await;
    create_as(&api, token(&other), json!(["human", "open"])).await;
    let listed = async |token: &str, path: &str| {
        let request = api.client.get(format!("{}{path}", api.url));
        let answer = request.bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.text().await.unwrap()
    };
    let page = listed(token(&robot), "/api/v1/games?of=me").await;
    let page: Value = serde_json::from_str(&page).unwrap();
    let ids: Vec<&Value> = page["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| &game["id"])
        .collect();
    assert_eq!(ids, [&private["id"], &over], "the newest activity first");
    let records = listed(token(&robot), "/api/v1/games.ndjson?of=me").await;
    assert_eq!(records.lines().count(), 2);
    let records = listed(token(&robot), "/api/v1/games.ndjson?of=me&over=true").await;
    assert_eq!(records.lines().count(), 1);
    // The token of a seat lists the game of that seat.
    let page = listed(table.token(0), "/api/v1/games?of=me").await;
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!(page["games"].as_array().unwrap().len(), 1);
    assert_eq!(page["games"][0]["id"], table.id);
    problem(api.get("/api/v1/games?of=me").await, 401).await;
    problem(api.get("/api/v1/games.ndjson?of=me").await, 401).await;
}

#[tokio::test]
async fn only_program_tokens_authenticate_programs() {
    let server = Server::start().await;
    let api = server.api();
    problem(api.get("/api/v1/events").await, 401).await;
    let stranger = Secret::random().to_text();
    let robot = register_program(&api, "Robot").await;
    let table = api.create(json!({"game": "trilobite"})).await;
    problem(stream_as(&api, table.token(0)).await, 403).await;
    for wrong in [stranger.as_str(), "nonsense"] {
        problem(stream_as(&api, wrong).await, 403).await;
        problem(
            create_as(&api, wrong, json!(["human", "random"])).await,
            403,
        )
        .await;
    }
    for wrong in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "a\u{202e}b"}),
        json!({"name": "a".repeat(33)}),
        json!({"name": "a", "plays": {}}),
        json!({"name": "a", "plays": {"game": "chess"}}),
        json!({"name": "a", "plays": {"game": "dice", "size": 99}}),
        json!({"name": "a", "plays": {"game": "dice", "seats": []}}),
        json!({"name": "a", "token": stranger}),
    ] {
        api.refused("/api/v1/programs", &wrong, 422).await;
    }
    // The token of a seat does not identify a program: the created game has a token of its own.
    let created = create_as(&api, table.token(0), json!(["human", "random"])).await;
    assert!(created.json::<Value>().await.unwrap()["seats"][0]["token"].is_string());
    // A program can join by invitation, and its token opens the seat.
    let open = api
        .create(json!({"game": "trilobite", "seats": ["human", "open"]}))
        .await;
    let body = json!({"invite": open.game["seats"][1]["invite"]});
    let joined = api.post_as(token(&robot), &open.path("/join"), &body).await;
    assert_eq!(joined.status(), 200);
    let joined: Value = joined.json().await.unwrap();
    let seat = &joined["seats"][1];
    assert_eq!(
        (&seat["name"], &seat["program"]),
        (&json!("Robot"), &json!(true))
    );
    assert_eq!(seat.get("token"), None);
    let first = json!({"ply": 0, "cell": 48});
    let first_ply = open.send(0, "/moves", &first).await;
    assert_eq!(
        first_ply.status(),
        200,
        "{}",
        first_ply.text().await.unwrap()
    );
    let second = json!({"ply": 1, "cell": 49});
    let played = api
        .post_as(token(&robot), &open.path("/moves"), &second)
        .await;
    assert_eq!(played.status(), 200);
    // Without an invitation a program cannot join.
    api.refused_as(token(&robot), &table.path("/join"), &json!({}), 403)
        .await;
    api.refused(&table.path("/join"), &json!({}), 422).await;
}

/// Invites a program and returns the path of the game's page.
async fn invited_game(person: &Person, program: &Value) -> String {
    person.done(&program_page(program), "").await
}

/// The path of a program's page.
fn program_page(program: &Value) -> String {
    let link = program["link"].as_str().unwrap();
    let path = link.find("/program/").unwrap();
    link[path..].to_owned()
}

#[tokio::test]
async fn an_invited_program_plays() {
    let server = Server::start().await;
    let api = server.api();
    let robot = register_program(&api, "Robot <3").await;
    let person = server.person();
    let page = person.page(&program_page(&robot)).await;
    assert_contains(&page, &["Robot &lt;3 is not connected just now"]);
    assert!(page.contains("Ask Robot &lt;3 to play</button>"), "{page}");
    let mut stream = open_stream(&api, &robot).await;
    for (language, words) in [
        ("en", "Robot &lt;3 is connected"),
        ("ja", "Robot &lt;3は接続中です"),
        ("ru", "Robot &lt;3 на связи"),
    ] {
        let reader = server.person().with("accept-language", language);
        let page = reader.page(&program_page(&robot)).await;
        assert!(page.contains(words), "{page}");
    }
    let game = invited_game(&person, &robot).await;
    let invitation = next_event(&mut stream, "invitation").await;
    assert_eq!(game, format!("/g/{}", invitation["id"].as_str().unwrap()));
    assert_eq!(invitation["yours"], json!([1]));
    let seat = &invitation["seats"][1];
    assert_eq!(
        (&seat["kind"], &seat["name"]),
        (&json!("open"), &json!("Robot <3"))
    );
    assert_eq!(invitation.get("moves"), None, "the human moves first");
    let page = person.page(&game).await;
    assert!(page.contains("Robot &lt;3 is invited to play"), "{page}");
    // Only the invited program can take the seat.
    let id = invitation["id"].as_str().unwrap();
    let other = register_program(&api, "Other").await;
    let join = format!("/api/v1/games/{id}/join");
    api.refused_as(token(&other), &join, &json!({}), 403).await;

    person
        .done(&format!("{game}/moves"), "ply=0&column=a")
        .await;
    let turn = next_event(&mut stream, "turn").await;
    assert_eq!(turn["ply"], 1);
    // The stream of the game has the same state.
    let follow = api
        .client
        .get(format!("{}/api/v1/games/{id}/events", api.url));
    let follow = follow.bearer_auth(token(&robot)).send().await.unwrap();
    let mut of_game = Events::new(follow);
    assert_eq!(of_game.next("game").await.data["moves"], turn["moves"]);
    // The program accepts the invitation by playing.
    assert_eq!(play_first_move(&api, &robot, &turn).await.status(), 200);
    let started = stream.next("gameStart").await.data;
    let seat = &started["seats"][1];
    assert_eq!(
        (&seat["kind"], &seat["program"], &seat["name"]),
        (&json!("human"), &json!(true), &json!("Robot <3"))
    );
    let page = person.page(&game).await;
    assert!(page.contains("Robot &lt;3") && !page.contains("is invited to play"));
    let log = person.page("/me").await;
    assert!(log.contains("Robot &lt;3"), "{log}");
}

#[tokio::test]
async fn a_program_can_decline_or_join_before_playing() {
    let server = Server::start().await;
    let api = server.api();
    let robot = register_program(&api, "Robot").await;
    let person = server.person();
    // Both invitations are pending until the program connects.
    let games = [
        invited_game(&person, &robot).await,
        invited_game(&person, &robot).await,
    ];
    let mut stream = open_stream(&api, &robot).await;
    let mut invited = BTreeSet::new();
    for _ in &games {
        let invitation = next_event(&mut stream, "invitation").await;
        invited.insert(format!("/g/{}", invitation["id"].as_str().unwrap()));
    }
    assert_eq!(invited, games.iter().cloned().collect());
    let path = |game: &str, rest: &str| format!("/api/v1/games/{}{rest}", &game[3..]);
    let decline = path(&games[0], "/decline");
    api.refused(&decline, &json!({}), 401).await;
    let other = register_program(&api, "Other").await;
    api.refused_as(token(&other), &decline, &json!({}), 403)
        .await;
    let declined = api.post_as(token(&robot), &decline, &json!({})).await;
    assert_eq!(declined.status(), 200);
    let declined: Value = declined.json().await.unwrap();
    assert_eq!(declined["seats"][1]["name"], Value::Null);
    let withdrawn = next_event(&mut stream, "withdrawn").await;
    assert_eq!(
        format!("/g/{}", withdrawn["id"].as_str().unwrap()),
        games[0]
    );
    api.refused_as(token(&robot), &decline, &json!({}), 403)
        .await;
    let page = person.page(&games[0]).await;
    assert!(page.contains("Make a link"), "the seat is open again");

    let joined = api
        .post_as(token(&robot), &path(&games[1], "/join"), &json!({}))
        .await;
    assert_eq!(joined.status(), 200);
    assert_eq!(
        next_event(&mut stream, "gameStart").await["yours"],
        json!([1])
    );
    api.refused_as(token(&robot), &path(&games[1], "/decline"), &json!({}), 403)
        .await;
    // The host gives an invited program's seat to a computer: the invitation is withdrawn.
    let third = invited_game(&person, &robot).await;
    next_event(&mut stream, "invitation").await;
    let level = "player=1&do=level&level=random";
    person.done(&format!("{third}/seats"), level).await;
    next_event(&mut stream, "withdrawn").await;
}

#[tokio::test]
async fn pending_invitations_are_limited() {
    let server = Server::start().await;
    let api = server.api();
    let robot = register_program(&api, "Robot").await;
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(invited_game(&server.person(), &robot).await);
    }
    let person = server.person();
    let page = person.refused(&program_page(&robot), "", 409).await;
    assert!(page.contains("invitations to programs waiting"), "{page}");
    let decline = format!("/api/v1/games/{}/decline", &games[0][3..]);
    let declined = api.post_as(token(&robot), &decline, &json!({})).await;
    assert_eq!(declined.status(), 200);
    invited_game(&person, &robot).await;

    // Invitations from other networks are accepted up to the program's own limit.
    let id = robot["id"].as_str().unwrap().parse().unwrap();
    let registered = server.service.store().program(&id).await.unwrap().unwrap();
    let kind = server.service.games().default_game();
    let new = |host: u8| NewGame {
        client_network: Some(ClientNetwork::from_ip([192, 0, 2, host].into())),
        ..NewGame::new(
            kind.configure(JsonFields::default().with("players", &2))
                .unwrap(),
            StartPosition::Dealt(1),
            vec![SeatSpec::Level(Level::Random.into()), SeatSpec::Open],
        )
    };
    for host in 0..13 {
        invite(&server.app, &registered, new(host)).await.unwrap();
    }
    let one_more = invite(&server.app, &registered, new(99)).await;
    assert!(
        matches!(one_more, Err(InviteError::ProgramIsBusy)),
        "{one_more:?}"
    );
    let other = server.person().with("accept-language", "ru");
    other.refused(&program_page(&robot), "", 409).await;
}

#[tokio::test]
async fn program_streams_are_limited_and_end_at_shutdown() {
    let server = Server::start().await;
    let api = server.api();
    let robot = register_program(&api, "Robot").await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(open_stream(&api, &robot).await);
    }
    assert_eq!(server.gallery.open_streams(), 4);
    let refused = stream_as(&api, token(&robot)).await;
    assert_eq!(refused.headers()["retry-after"], "10");
    problem(refused, 429).await;
    let head = api.client.head(format!("{}/api/v1/events", api.url));
    let head = head.bearer_auth(token(&robot)).send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(server.gallery.open_streams(), 4);
    server.stop();
    for mut stream in streams {
        let bye = stream.next("bye").await;
        assert!(bye.retry.is_some());
        assert_eq!(stream.raw().await, None);
    }
}

#[tokio::test]
async fn a_program_survives_a_restart_and_its_token_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let start = async || Server::start_with(ServerConfig::on_file(&file).await).await;
    let server = start().await;
    let api = server.api();
    let robot = register_program(&api, "Robot").await;
    let game = invited_game(&server.person(), &robot).await;
    server.stop();
    server.service.close().await;
    let text = token(&robot);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let is_stored = bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes());
        assert!(!is_stored, "the token is stored in plain text");
    }
    let server = start().await;
    let api = server.api();
    let mut stream = open_stream(&api, &robot).await;
    let invitation = next_event(&mut stream, "invitation").await;
    assert_eq!(format!("/g/{}", invitation["id"].as_str().unwrap()), game);
}

#[tokio::test]
async fn an_unknown_program_has_no_page() {
    let server = Server::start().await;
    for id in ["00000000", "nonsense!", "0000000000000000000"] {
        let path = format!("/program/{id}");
        server.person().page_with_status(&path, 404).await;
        server.person().refused(&path, "", 404).await;
    }
}

/// Notifications about other players' games at other instances do not cause reads here.
#[tokio::test]
async fn an_instance_reads_only_games_of_programs_that_are_connected_to_it() {
    let store = Arc::new(FailingStore::default());
    let service = || {
        Service::new(
            Registry::builtin(),
            store.clone(),
            ServiceSettings::default(),
        )
    };
    let (local, remote) = (service(), service());
    let name = "Robot".parse().unwrap();
    let guard = RequestGuard::default();
    let (app, _) = site::serve(local.clone(), RateLimits::unlimited(), guard);
    let robot = add_program(&local, &name, "{}".to_owned()).await;
    let (robot, _) = robot.unwrap();
    let setting = local
        .games()
        .default_game()
        .configure(JsonFields::default())
        .unwrap();
    let create = async |creator| {
        let seat_specs = vec![SeatSpec::Human; usize::from(setting.players())];
        let new = NewGame {
            creator,
            ..NewGame::new(Arc::clone(&setting), StartPosition::Dealt(1), seat_specs)
        };
        remote.create(new).await.unwrap().snapshot.id.clone()
    };
    let mut games = Vec::new();
    for _ in 0..50 {
        games.push(create(GameCreator::Program).await);
    }
    let own = create(GameCreator::Registered(robot.seated())).await;
    games.push(own.clone());
    let listener = subscribe(&app, &robot).await.unwrap().unwrap();
    tokio::spawn(run_notifications(app));
    let background = local.clone();
    tokio::spawn(async move { background.run_background().await });
    while store.notifications.receiver_count() == 0 {
        tokio::task::yield_now().await;
    }
    for id in games {
        store
            .notifications
            .send(ChangeNotification::Changed(id, GameChange::Entries(1)))
            .unwrap();
    }
    assert_eq!(listener.next_changed_games().await, Some(vec![own]));
    assert_eq!(local.games_in_memory(), 1);
}
