//! Position queries over HTTP: the engine's `rate` and `choose`, with the same fields and answers.

use std::time::Duration;

use crate::common::{HANG, Server, problem, until};
use dice_of_doom::engine::{Engine, EngineErrorCode, RequestLimits};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::Registry;
use dice_of_doom::search::StopToken;
use dice_of_doom::tables::{
    ClientNetwork, ComputeDemand, JobKind, Service, ServiceError, ServiceSettings,
};
use serde_json::{Value, json};

const HEXES: &str = "dice.v4.3.3.5.a2b3c1a4b1c2a1b5c3.0.0.1";

/// The fields of a request in which names stand for positions.
fn with_positions(fields: &str, positions: &[(&str, &Value)]) -> Value {
    let positions = positions.iter();
    let fields = positions.fold(fields.to_owned(), |fields, (name, position)| {
        fields.replace(name, &position.to_string())
    });
    serde_json::from_str(&fields).unwrap()
}

/// The engine's answer to the same request.
fn engine_answer(engine: &mut Engine, op: &str, fields: &Value) -> Value {
    let mut line = fields.clone();
    line["op"] = op.into();
    let answer: Value = serde_json::from_str(&engine.answer(line.to_string().as_bytes())).unwrap();
    answer["ok"].clone()
}

#[tokio::test]
async fn answers_equal_those_of_the_engine() {
    let server = Server::start().await;
    let mut engine = Engine::new(Registry::builtin(), RequestLimits::default());
    let cells = json!({"game": "trilobite", "width": 7, "height": 6, "win": 4, "columns": "4455"});
    let board = json!({"game": "dice", "rules": "v2", "size": 2, "players": 2, "max_dice": 3,
        "board": [[0, 3], [1, 2], [1, 1], [0, 2]], "player": 0, "spare": 0, "first_move": true});
    for row in [
        r#"rate {"position":BOARD,"search":"alphabeta","depth":4}"#,
        r#"rate {"position":HEXES,"search":"book","depth":2}"#,
        r#"rate {"position":CELLS,"search":"alphabeta","depth":5}"#,
        r#"rate {"position":{"game":"trilobite","width":3,"height":3,"win":3,"columns":""},"search":"minimax"}"#,
        r#"choose {"position":HEXES,"level":"master","nodes":300,"seed":7,"lines":3}"#,
        r#"choose {"position":BOARD,"level":"greedy","seed":7}"#,
        r#"choose {"position":CELLS,"level":"expert","seed":7,"lines":2}"#,
        r#"choose {"position":CELLS,"seed":7}"#,
        r#"solve {"position":{"game":"trilobite","width":5,"height":4,"columns":"31"},"each":true}"#,
        r#"solve {"position":CELLS,"nodes":500}"#,
        r#"choose {"position":CELLS,"level":"perfect","seed":7,"lines":2}"#,
    ] {
        let (op, fields) = row.split_once(' ').unwrap();
        let positions = [
            ("BOARD", &board),
            ("CELLS", &cells),
            ("HEXES", &json!(HEXES)),
        ];
        let fields = with_positions(fields, &positions);
        let answer = server.api().post(&format!("/api/v1/{op}"), &fields).await;
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert_eq!(status, 200, "{op} {fields}: {text}");
        let mut answer: Value = serde_json::from_str(&text).unwrap();
        let mut expected = engine_answer(&mut engine, op, &fields);
        for answer in [&mut answer, &mut expected] {
            if op != "rate" {
                assert!(answer["elapsed_ms"].take().is_number(), "{answer}");
            }
        }
        assert_eq!(answer, expected, "{op} {fields}");
    }
}

/// The examples on the page `/api`.
#[tokio::test]
async fn the_examples_of_the_api_page_work() {
    let server = Server::start().await;
    let page = server.api().get("/api").await.text().await.unwrap();
    let page = page.replace("&quot;", "\"");
    let bodies = page.split("curl -d '").filter_map(|rest| {
        let (body, rest) = rest.split_once('\'')?;
        let call = rest.lines().next()?.split("/api/v1/").nth(1)?;
        let call = call.split(['<', ' ']).next()?;
        ["rate", "choose"].contains(&call).then_some((call, body))
    });
    let mut count = 0;
    for (call, body) in bodies {
        let body: Value = serde_json::from_str(body).unwrap();
        let answer = server.api().post(&format!("/api/v1/{call}"), &body).await;
        assert_eq!(answer.status(), 200, "{call} {body}");
        count += 1;
    }
    assert_eq!(count, 2);
}

#[tokio::test]
async fn invalid_queries_are_rejected_with_the_engines_reason() {
    let server = Server::with(|config| config.settings = single_threaded()).await;
    let empty = json!({"game": "trilobite", "columns": ""});
    let over = json!({"game": "trilobite", "width": 3, "height": 3, "win": 3, "columns": "11223"});
    for row in [
        r#"rate {"search":"book"} | bad-request | the field `position` is missing"#,
        r#"rate {"position":EMPTY,"search":"alphabeta"} | bad-request | the field `depth` is missing"#,
        r#"rate {"position":EMPTY,"search":"alphabeta","depth":129} | out-of-range | depth is a number from 1 to 128"#,
        r#"rate {"position":EMPTY,"search":"deep","depth":1} | unsupported | no such search; this game has minimax and alphabeta"#,
        r#"rate {"position":EMPTY,"search":"minimax","id":1} | bad-request | there is no field `id` here"#,
        r#"choose {"position":{"game":"chess"}} | unknown-game | no such game; there are dice and trilobite"#,
        r#"choose {"position":EMPTY,"nodes":100001} | out-of-range | nodes is a number from 1 to 100000"#,
        r#"choose {"position":EMPTY,"budget_ms":5001} | out-of-range | budget_ms is a number from 1 to 5000"#,
        r#"choose {"position":EMPTY,"budget_ms":5,"nodes":5} | bad-request | give budget_ms or nodes, not both"#,
        r#"choose {"position":EMPTY,"lines":1001} | out-of-range | lines is a number from 1 to 1000"#,
        r#"choose {"position":EMPTY,"info":true} | unsupported | `info` is available only in the line protocol"#,
        r#"choose {"position":EMPTY,"clock":{"remaining_ms":60000}} | unsupported | `clock` is available only in the line protocol"#,
        r#"solve {"position":EMPTY,"fresh":true} | unsupported | `fresh` is available only in the line protocol"#,
        r#"choose {"position":EMPTY,"level":7} | bad-request | level: expected a text, found 7"#,
        r#"choose {"position":OVER} | game-over | the game is over"#,
        r#"rate {"position":"dice.v9","search":"book"} | bad-position | this is no position in notation, character 6: there are no rules called "v9"; there are v1, v2, v3, v4 and conquest"#,
        r#"rate {"position":EMPTY,"search":"minimax"} | too-large | minimax looks to the end of the game, whatever the depth: that would be more than 10000000 positions; alphabeta looks as far ahead as `depth` says"#,
    ] {
        let [request, reason, detail] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let (op, fields) = request.split_once(' ').unwrap();
        let fields = with_positions(fields, &[("EMPTY", &empty), ("OVER", &over)]);
        let answer = server.api().post(&format!("/api/v1/{op}"), &fields).await;
        let refused = problem(answer, 422).await;
        assert_eq!(refused["reason"], reason, "{op} {fields}: {refused}");
        assert_eq!(refused["detail"], detail, "{op} {fields}");
    }
    let unknown = json!({"position": empty, "level": "god"});
    let refused = server.api().refused("/api/v1/choose", &unknown, 422).await;
    assert_eq!(refused["reason"], "unknown-level");
    let large = json!({"position": "x".repeat(200_000)});
    server.api().refused("/api/v1/choose", &large, 413).await;
}

fn network(address: &str) -> ClientNetwork {
    ClientNetwork::from_ip(address.parse().unwrap())
}

const SHORT: ComputeDemand = ComputeDemand::time(Duration::from_millis(20));

/// A disconnect raises the stop token, and the compute thread is released.
#[test]
fn a_search_stops_on_request() {
    let engine = Engine::new(Registry::builtin(), RequestLimits::with_nodes(u64::MAX));
    let empty = json!({"game": "trilobite", "width": 8, "height": 7, "win": 4, "columns": ""});
    for fields in [
        json!({"position": empty, "search": "minimax"}),
        json!({"position": empty, "search": "alphabeta", "depth": 56}),
        json!({"position": HEXES, "search": "book", "depth": 12}),
        json!({"position": HEXES, "search": "expectimax", "depth": 12}),
    ] {
        let read = JsonFields::parse(&fields.to_string()).unwrap();
        let stop = StopToken::new();
        stop.request_stop();
        let stopped = engine.rate(read).unwrap().answer(&stop).unwrap_err();
        assert_eq!(stopped.code, EngineErrorCode::Stopped, "{fields}");
    }
}

/// Occupies the only compute thread until the handle is aborted.
async fn occupy_thread(service: &Service) -> tokio::task::JoinHandle<Result<(), ServiceError>> {
    let service_clone = service.clone();
    let task = tokio::spawn(async move {
        let work = |stop: &StopToken| {
            while !stop.is_stop_requested() {
                std::thread::yield_now();
            }
        };
        service_clone
            .run_job(JobKind::PositionQuery, network("192.0.2.99"), SHORT, work)
            .await
    });
    until("the thread is busy", || {
        service.compute_queue().busy_threads == 1
    })
    .await;
    task
}

/// One compute thread, and a deadline that is never reached.
fn single_threaded() -> ServiceSettings {
    ServiceSettings {
        compute_threads: 1,
        ply_deadline: 10 * HANG,
        ..ServiceSettings::default()
    }
}

#[tokio::test]
async fn a_disconnect_releases_the_thread_and_the_queue_slot() {
    let server = Server::with(|config| config.settings = single_threaded()).await;
    let occupied = occupy_thread(&server.service).await;
    // A client network can have four queries in the queue; further ones are rejected at once.
    let query = json!({"position": HEXES, "level": "expert"});
    let waiting: Vec<_> = (1..=4)
        .map(|_| {
            let (api, query) = (server.api(), query.clone());
            tokio::spawn(async move { api.post("/api/v1/choose", &query).await.status() })
        })
        .collect();
    until("four queries are queued", || {
        server.service.compute_queue().queued_turns == 4
    })
    .await;
    let refused = server.api().post("/api/v1/choose", &query).await;
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(problem(refused, 429).await["code"], "too-many");
    // Other networks are not affected.
    let other = server.service.clone();
    let other = tokio::spawn(async move {
        other
            .run_job(JobKind::PositionQuery, network("192.0.2.7"), SHORT, |_| 7)
            .await
            .unwrap()
    });
    until("the query of another network is queued", || {
        server.service.compute_queue().queued_turns == 5
    })
    .await;
    // Closed connections leave the queue although the thread is still busy.
    for request in waiting {
        request.abort();
    }
    until("their queries have left the queue", || {
        server.service.compute_queue().queued_turns == 1
    })
    .await;
    occupied.abort();
    let found = other.await.unwrap();
    assert_eq!(found, 7, "the query runs after the thread is released");
    let answer = server.api().post("/api/v1/choose", &query).await;
    assert_eq!(answer.status(), 200, "the queue slots are free again");
}

#[tokio::test]
async fn a_query_precedes_the_games_of_its_client() {
    let server = Server::with(|config| config.settings = single_threaded()).await;
    let api = server.api();
    let occupied = occupy_thread(&server.service).await;
    for _ in 0..5 {
        let game = json!({"game": "dice", "seats": ["champion", "human", "human", "human"]});
        api.create(game).await;
    }
    until("the games are queued", || {
        server.service.compute_queue().queued_turns == 5
    })
    .await;
    let query = tokio::spawn(async move {
        let query = json!({"position": HEXES, "search": "book", "depth": 1});
        api.post("/api/v1/rate", &query).await.status()
    });
    until("the query is queued", || {
        server.service.compute_queue().queued_turns == 6
    })
    .await;
    occupied.abort();
    assert_eq!(query.await.unwrap(), 200);
    assert!(
        server.service.compute_queue().queued_turns >= 4,
        "the query ran before the games"
    );
}

#[tokio::test]
async fn a_panic_in_a_query_releases_its_resources() {
    let server = Server::with(|config| config.settings = single_threaded()).await;
    for _ in 0..5 {
        let work = |_: &StopToken| -> u8 { panic!("on purpose") };
        let failed =
            server
                .service
                .run_job(JobKind::PositionQuery, network("192.0.2.1"), SHORT, work);
        assert!(matches!(failed.await, Err(ServiceError::Unavailable)));
    }
    let answer = server
        .service
        .run_job(JobKind::PositionQuery, network("192.0.2.1"), SHORT, |_| 7)
        .await;
    assert_eq!(answer.unwrap(), 7);
}
