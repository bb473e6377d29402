//! Every operation of the OpenAPI document succeeds, and every property that it describes occurs.

use std::sync::Arc;
use std::time::Duration;

use crate::common::contract::Contract;
use crate::common::{
    Event, Events, HANG, Server, Table, api_path, assert_contains, number, plain_client,
};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};

#[tokio::test]
async fn every_operation_and_every_property_occurs() {
    let contract = Contract::new();
    let server = Server::with(|config| {
        config.contract = Arc::clone(&contract);
        config.streams.keep_alive = Duration::from_millis(100);
    })
    .await;
    let caller = Caller {
        client: plain_client(),
        server: &server,
        contract: &contract,
    };
    for game in [
        json!({"game": "dice", "rules": "v4", "size": 3, "players": 2, "max_dice": 3}),
        json!({"game": "trilobite", "width": 5, "height": 4, "win": 3}),
    ] {
        caller.play_with_computer(&game).await;
        caller.play_with_people(&game).await;
        caller.play_as_program(&game).await;
        caller.query_engine(&game).await;
        caller.use_finished_game(&small(&game)).await;
        let levels = format!("/api/v1/levels?game={}", game["game"].as_str().unwrap());
        caller.get("", &levels).await;
    }
    caller.start_waiting_games().await;
    caller.pass_in_conquest().await;
    caller.fail().await;
    caller.get("", "/api/v1/games?limit=1").await;
    caller.get("", "/api/v1/games.ndjson").await;
    let table = caller.create(&json!({"game": "dice"}), json!({})).await;
    let path = table.path("/events");
    let mut events = caller.stream("", &path, "StreamedEvent").await;
    server.stop();
    events.until("bye").await;
    let mut unmet = contract.unmet();
    // Only a film that takes longer than a second has it.
    unmet.retain(|property| !property.starts_with("/components/schemas/FilmProgress/"));
    // Answers with a status from 500 on have it; tests with a failing store meet those.
    let request_id = "/components/schemas/Problem/properties/request_id";
    assert_eq!(unmet, [request_id]);
}

/// The game on a board on which it is over after a few plies.
fn small(game: &Value) -> Value {
    let mut small = game.clone();
    for field in ["size", "width", "win"] {
        if let Some(value) = small.get_mut(field) {
            *value = json!(2);
        }
    }
    small
}

struct Caller<'a> {
    client: Client,
    server: &'a Server,
    contract: &'a Contract,
}

impl Caller<'_> {
    /// Sends a request with this token, unless it is empty.
    async fn send(
        &self,
        method: Method,
        token: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Response {
        let mut request = self.client.request(method, self.server.url(path));
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.unwrap()
    }

    /// Games that wait for players: one is started, the other starts at a set time.
    async fn start_waiting_games(&self) {
        let seats = json!({"seats": ["human", "open"]});
        let table = self.create(&json!({"game": "trilobite"}), seats).await;
        let (token, path) = (table.token(0), table.path("/start"));
        self.call(Method::POST, token, &path, None).await;
        let host = self.server.person();
        let game = host.create("game=trilobite&chips=human&chips=open").await;
        let link = host.seat_link(&game).await;
        let (_, invite) = link.split_once("/join/").unwrap();
        let join = api_path(&game, "/join");
        self.post("", &join, json!({"invite": invite})).await;
    }

    /// The JSON of a successful answer; null for an answer that is not JSON.
    async fn call(&self, method: Method, token: &str, path: &str, body: Option<&Value>) -> Value {
        let response = self.send(method, token, path, body).await;
        let status = response.status();
        let text = String::from_utf8_lossy(&response.bytes().await.unwrap()).into_owned();
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn get(&self, token: &str, path: &str) -> Value {
        self.call(Method::GET, token, path, None).await
    }

    async fn post(&self, token: &str, path: &str, body: Value) -> Value {
        self.call(Method::POST, token, path, Some(&body)).await
    }

    /// Posts to a path of a game with the token of a player.
    async fn post_to(&self, table: &Table, player: usize, rest: &str, body: Value) -> Value {
        self.post(table.token(player), &table.path(rest), body)
            .await
    }

    async fn create(&self, game: &Value, more: Value) -> Table {
        let mut new = game.clone();
        new.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.server.api().create(new).await
    }

    /// The events of a stream, which must conform to a schema.
    async fn stream(&self, token: &str, path: &str, schema: &str) -> CheckedStream<'_> {
        CheckedStream {
            events: Events::new(self.send(Method::GET, token, path, None).await),
            contract: self.contract,
            schema: json!({"$ref": format!("#/components/schemas/{schema}")}),
        }
    }

    /// Plays the first legal action.
    async fn play(&self, table: &Table, player: usize) {
        let token = table.token(player);
        let state = self.get(token, &table.path("")).await;
        let moves = self.get(token, &table.path("/moves")).await;
        let mut body = action_of(&moves["moves"][0]);
        body["ply"] = state["ply"].clone();
        self.post(token, &table.path("/moves"), body).await;
    }

    /// Ends a game by resignation.
    async fn resign(&self, table: &Table, player: usize) {
        let ply = self.get(table.token(player), &table.path("")).await["ply"].clone();
        self.post_to(table, player, "/resign", json!({"ply": ply}))
            .await;
    }

    async fn play_with_computer(&self, game: &Value) {
        let options = json!({
            "seed": 1, "pace": "on-request", "private": true, "replace_after_s": 60, "takebacks": true,
            "hints": true, "seats": ["human", "random"],
        });
        let table = self.create(game, options).await;
        let token = table.token(0);
        let path = table.path("/events");
        let mut events = self.stream(token, &path, "StreamedEvent").await;
        events.until("game").await;
        let entropy = json!({"ply": 0, "entropy": "pepper"});
        self.post_to(&table, 0, "/entropy", entropy).await;
        events.until("ply").await;
        self.get(token, &table.path("/hint")).await;
        self.play(&table, 0).await;
        let ply = events.until("ply").await["after"]["ply"].clone();
        self.post_to(&table, 0, "/undo", json!({"ply": ply})).await;
        events.until("ply").await;
        events.until("ping").await;
        let played = loop {
            let state = self.get(token, &table.path("")).await;
            if state["player"] == 1 {
                break state;
            }
            self.play(&table, 0).await;
        };
        let step = json!({"ply": played["ply"]});
        self.post_to(&table, 0, "/step", step).await;
        self.resign(&table, 0).await;
        events.until("over").await;
        let record = self.get(token, &table.path("/record")).await;
        let kinds = ["takeback", "entropy"];
        assert_contains(&record["plies"].to_string(), &kinds);
        self.post_to(&table, 0, "/rematch", json!({"kind": "same"}))
            .await;
        events.until("rematch").await;
    }

    async fn play_with_people(&self, game: &Value) {
        let people = json!({"seed": 1, "seats": ["human", "human"]});
        let first = self.create(game, people).await;
        let start = first.game["state"].clone();
        let options = json!({"turn_s": 600, "start": start, "seats": ["human", "open"]});
        let table = self.create(game, options).await;
        let token = table.token(0);
        let path = table.path("/events");
        let mut events = self.stream(token, &path, "StreamedEvent").await;
        events.until("watchers").await;
        let invite = &table.game["seats"][1]["invite"];
        let ada = json!({"invite": invite, "name": "Ada"});
        self.post("", &table.path("/join"), ada).await;
        events.until("seats").await;
        self.play(&table, 0).await;
        let body = json!({"ply": 1, "seats": ["human", "random:3"]});
        let other = self.post(token, &table.path("/play-on"), body).await;
        let other = Table::from_created(&self.server.api(), other);
        self.post_to(&other, 0, "/resign", json!({})).await;
        other.record().await;
        self.resign(&table, 0).await;
        table.record().await;
        for path in ["board.svg", "board.png"] {
            self.get("", &format!("/g/{}/{path}", table.id)).await;
        }
    }

    /// Only positions of conquest have the field `quiet`.
    async fn pass_in_conquest(&self) {
        let game = json!({"game": "dice", "rules": "conquest", "seats": ["human", "human", "human", "human"]});
        let table = self.create(&game, json!({})).await;
        let first = number(&table.game["player"]) as usize;
        let played = table.play(first, 0, &Value::Null).await;
        let mut position = game;
        let fields = position.as_object_mut().unwrap();
        fields.remove("seats");
        fields.extend(played["state"].as_object().unwrap().clone());
        let choose = json!({"position": position, "level": "book"});
        self.post("", "/api/v1/choose", choose).await;
    }

    async fn play_as_program(&self, game: &Value) {
        let robot = json!({"name": "Robot", "plays": game});
        let program = self.post("", "/api/v1/programs", robot).await;
        let token = program["token"].as_str().unwrap();
        let mut events = self.stream(token, "/api/v1/events", "ProgramEvent").await;
        events.until("program").await;
        let mut new = game.clone();
        new["seats"] = json!(["human", "random"]);
        self.post(token, "/api/v1/games", new).await;
        events.until("gameStart").await;
        let turn = events.until("turn").await;
        let path = format!("/api/v1/games/{}/resign", turn["id"].as_str().unwrap());
        self.post(token, &path, json!({})).await;
        events.until("gameFinish").await;
        let page = program["link"].as_str().unwrap();
        let page = &page[page.find("/program/").unwrap()..];
        let invited = self.send(Method::POST, "", page, None).await;
        assert_eq!(invited.status(), 303);
        let invitation = events.until("invitation").await;
        let id = invitation["id"].as_str().unwrap();
        let path = format!("/api/v1/games/{id}/decline");
        self.post(token, &path, json!({})).await;
        events.until("withdrawn").await;
        events.until("ping").await;
    }

    async fn query_engine(&self, game: &Value) {
        let people = json!({"seed": 1, "seats": ["human", "human"]});
        let table = self.create(game, people).await;
        let mut position = game.clone();
        let state = table.game["state"].as_object().unwrap().clone();
        position.as_object_mut().unwrap().extend(state);
        let is_dice = game["game"] == "dice";
        let search = if is_dice { "expectimax" } else { "alphabeta" };
        let rate = json!({"position": position, "depth": 1, "search": search});
        self.post("", "/api/v1/rate", rate).await;
        let choose = json!({
            "position": position, "level": "master", "nodes": 50, "lines": 2, "seed": 1, "history": [],
        });
        self.post("", "/api/v1/choose", choose).await;
        let choose = json!({"position": position, "level": "master", "budget_ms": 1});
        self.post("", "/api/v1/choose", choose).await;
        // Only Trilobite has a solver.
        if !is_dice {
            let solve = json!({"position": position, "each": true, "book": false, "nodes": 10_000});
            self.post("", "/api/v1/solve", solve).await;
            let mut columns = game.clone();
            columns["columns"] = json!("12");
            let solve = json!({"position": columns, "budget_ms": 1000});
            self.post("", "/api/v1/solve", solve).await;
            let choose = json!({"position": columns, "level": "perfect"});
            self.post("", "/api/v1/choose", choose).await;
        }
    }

    async fn use_finished_game(&self, game: &Value) {
        // The first action of Dice of Doom, an attack of two dice on three, is a mistake.
        let start = match game["game"] == "dice" {
            true => json!("dice.v4.2.2.3.a2b3a3b1.0.0.1"),
            false => Value::Null,
        };
        let new = json!({"start": start, "seats": ["human", "human"]});
        let table = self.create(game, new).await;
        let path = table.path("/events");
        let mut events = self.stream("", &path, "StreamedEvent").await;
        let mut state = table.state().await;
        while state["over"] == false {
            self.play(&table, number(&state["player"]) as usize).await;
            state = table.state().await;
        }
        events.until("over").await;
        table.moves().await;
        self.post("", &table.path("/review"), json!({})).await;
        let review = table.path("/review");
        while self.get("", &review).await.get("plies").is_none() {}
        let film = format!("/g/{}/game.gif", table.id);
        while self.send(Method::GET, "", &film, None).await.status() == StatusCode::ACCEPTED {}
        let record = table.record().await;
        self.upload(record.clone()).await;
        for budget in [json!({"nodes": 100}), json!({"budget_ms": 100})] {
            self.upload(arena_record(&record, budget)).await;
        }
    }

    /// Sends requests that fail, with each further field of a problem.
    async fn fail(&self) {
        let table = self.create(&json!({"game": "dice"}), json!({})).await;
        let entry = json!({"ply": 5, "entropy": "late"});
        let record = json!({"game": "dice", "format": 2});
        for (path, body, field) in [
            (&*table.path("/entropy"), entry, "ply"),
            ("/api/v1/records", record, "pointer"),
            ("/api/v1/rate", json!({"position": "chess"}), "reason"),
        ] {
            let response = self
                .send(Method::POST, table.token(0), path, Some(&body))
                .await;
            let problem: Value = response.json().await.unwrap();
            assert!(!problem[field].is_null(), "{path}: {problem}");
        }
        let notation = self.client.post(self.server.url("/api/v1/records"));
        let notation = notation
            .header("content-type", "text/plain")
            .body("chess 1");
        let problem: Value = notation.send().await.unwrap().json().await.unwrap();
        assert_eq!(
            (&problem["line"], &problem["column"]),
            (&json!(1), &json!(1))
        );
    }

    /// Uploads a record and reads it again.
    async fn upload(&self, record: Value) {
        let uploaded = self.post("", "/api/v1/records", record).await;
        let id = uploaded["id"].as_str().unwrap();
        self.get("", &format!("/api/v1/games/{id}/record")).await;
    }
}

/// The record of this game as one of an arena.
fn arena_record(record: &Value, budget: Value) -> Value {
    let mut record = record.clone();
    let fields = record.as_object_mut().unwrap();
    for field in ["seal", "id", "dice"] {
        fields.remove(field);
    }
    fields.insert("seed".to_owned(), json!(1));
    let fault = json!({"fault": "illegal", "asked": "{}", "answered": "?"});
    let forfeit =
        json!({"player": 0, "ply": fields["plies"].as_array().unwrap().len(), "why": fault});
    let arena = json!({
        "seed": 1, "table": 0, "board": 0, "rotation": 0, "programs": budget, "forfeit": forfeit,
    });
    fields.insert("arena".to_owned(), arena);
    record
}

/// The events of a stream, which must conform to a schema.
struct CheckedStream<'a> {
    events: Events,
    contract: &'a Contract,
    schema: Value,
}

impl CheckedStream<'_> {
    /// Reads until an event has this name, and returns its data.
    async fn until(&mut self, name: &str) -> Value {
        let found = tokio::time::timeout(HANG, self.find(name));
        found.await.unwrap_or_else(|_| panic!("no event {name}"))
    }

    async fn find(&mut self, name: &str) -> Value {
        loop {
            let message = self.events.raw().await;
            let event = Event::parse(&message.unwrap());
            let data = event.sent_data();
            let mismatch = self.contract.mismatch(&self.schema, &data);
            assert_eq!(mismatch, None, "{data}");
            self.contract.meet(&self.schema, &data);
            if event.event == name {
                return event.data;
            }
        }
    }
}

/// A legal action as the fields of a request.
fn action_of(action: &Value) -> Value {
    match action {
        Value::Number(cell) => json!({"cell": cell}),
        attack => json!({"path": attack["path"]}),
    }
}
