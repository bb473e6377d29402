//! Lists of games over HTTP: pagination, records as NDJSON, and what scripts of other sites may read.

use crate::common::contract::Contract;
use crate::common::{Person, Server, ServerConfig, problem};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};

/// Creates a small game through the form and returns its id.
async fn create_game(person: &Person, more: &str) -> String {
    let form = format!("game=trilobite&width=3&height=3&win=3{more}");
    let game = person.create(&form).await;
    game.trim_start_matches("/g/").to_owned()
}

fn ids(page: &Value) -> Vec<String> {
    let games = page["games"].as_array().unwrap().iter();
    games
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn check_pagination(config: ServerConfig) {
    let server = Server::start_with(config).await;
    let me = server.person();
    let mut mine = Vec::new();
    for _ in 0..5 {
        mine.push(create_game(&me, "").await);
    }
    mine.push(create_game(&me, "&private=1").await);
    mine.reverse();
    let other = create_game(&server.person(), "").await;
    create_game(&server.person(), "&private=1").await;
    // The browser's own games, including the private one, are on three pages without repetition.
    let (mut listed, mut after) = (Vec::new(), String::new());
    for expected in [2, 2, 2] {
        let page = me
            .json(&format!("/api/v1/games?of=me&limit=2{after}"))
            .await;
        assert_eq!(ids(&page).len(), expected);
        listed.extend(ids(&page));
        after = format!("&after={}", page["next"].as_str().unwrap());
    }
    assert_eq!(listed, mine, "newest first");
    let last = me
        .json(&format!("/api/v1/games?of=me&limit=2{after}"))
        .await;
    assert_eq!(last, json!({"games": [], "next": null}));
    // The watchable games are the public games of all players.
    let all = me.json("/api/v1/games?limit=100").await;
    let mut watchable: Vec<String> = mine[1..].to_vec();
    watchable.insert(0, other);
    assert_eq!((ids(&all), &all["next"]), (watchable.clone(), &Value::Null));
    // A finished game stays in the player's own list and leaves the watchable list.
    me.resign(&format!("/g/{}", mine[1])).await;
    let lines = async |person: &Person, query: &str| {
        let answer = person.get(&format!("/api/v1/games.ndjson{query}")).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
        let text = answer.text().await.unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        let record = json!({"$ref": "#/components/schemas/Record"});
        let contract = Contract::shared();
        for line in &lines {
            assert_eq!(contract.mismatch(&record, line), None);
        }
        lines
    };
    let of = |lines: &[Value]| -> Vec<String> {
        lines
            .iter()
            .map(|line| line["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let ended = lines(&me, "?of=me&over=true").await;
    assert_eq!(of(&ended), [mine[1].clone()]);
    let record = me.json(&format!("/api/v1/games/{}/record", mine[1])).await;
    assert_eq!(ended, [record], "a line is the record");
    assert_eq!(lines(&me, "?of=me").await.len(), 6);
    assert_eq!(lines(&me, "?of=me&over=false").await.len(), 5);
    assert_eq!(lines(&server.person(), "").await.len(), watchable.len() - 1);
}

#[tokio::test]
async fn lists_of_a_memory_store_are_paginated() {
    check_pagination(ServerConfig::default()).await;
}

#[tokio::test]
async fn lists_of_a_file_are_paginated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    check_pagination(ServerConfig::on_file(&file).await).await;
}

#[tokio::test]
async fn invalid_list_parameters_are_rejected() {
    let server = Server::start().await;
    for (query, status, detail) in [
        (
            "?of=me",
            401,
            "of=me needs the token of a program or a seat, or the cookie of a browser",
        ),
        ("?of=all", 422, "of: games are of `me`, or `watchable`"),
        ("?limit=0", 422, "limit: a page has 1 to 100 games"),
        ("?limit=101", 422, "limit: a page has 1 to 100 games"),
        ("?after=x", 422, "after: this is no `next` of a page"),
        ("?off=me", 400, "there is no field `off` here"),
    ] {
        let refused = server.api().get(&format!("/api/v1/games{query}")).await;
        assert_eq!(problem(refused, status).await["detail"], detail, "{query}");
    }
    problem(server.api().get("/api/v1/games.ndjson?of=me").await, 401).await;
    problem(server.api().get("/api/v1/games.ndjson?over=1").await, 400).await;
    problem(server.api().get("/api/v1/games.ndjson?of=x").await, 422).await;
}

/// Records are streamed with back-pressure: clients that do not read block nobody else.
#[tokio::test]
async fn a_client_that_does_not_read_blocks_no_other_requests() {
    let folder = tempfile::tempdir().unwrap();
    let config = ServerConfig {
        send_buffer: Some(4_096),
        ..ServerConfig::on_file(&folder.path().join("games.db")).await
    };
    let server = Server::start_with(config).await;
    let me = server.person();
    for _ in 0..60 {
        create_game(&me, "").await;
    }
    let requests: Vec<_> = (0..20)
        .map(|_| me.get("/api/v1/games.ndjson?of=me"))
        .collect();
    let mut idle = Vec::new();
    for answer in requests {
        idle.push(answer.await);
    }
    // Other requests are served meanwhile.
    let id = create_game(&me, "").await;
    me.resign(&format!("/g/{id}")).await;
    // A client that reads late gets complete lines.
    let text = idle.pop().unwrap().text().await.unwrap();
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        assert_eq!(
            serde_json::from_str::<Value>(line).unwrap()["game"],
            "trilobite"
        );
    }
    assert!(text.lines().count() >= 60, "{}", text.lines().count());
}

const OTHER_ORIGIN: (&str, &str) = ("origin", "https://elsewhere.example");

async fn cross_site_request(
    server: &Server,
    method: Method,
    path: &str,
    more: &[(&str, &str)],
) -> Response {
    let mut request = Client::new().request(method, server.url(path));
    request = request
        .header(OTHER_ORIGIN.0, OTHER_ORIGIN.1)
        .header("sec-fetch-site", "cross-site");
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn scripts_of_other_sites_can_read_public_resources_only() {
    let server = Server::start().await;
    let table = server.api().create(json!({"game": "dice"})).await;
    let game = table.path("");
    let open = [
        "/openapi.json".to_owned(),
        "/api/v1/levels".to_owned(),
        game.clone(),
        format!("{game}/moves"),
        format!("{game}/record"),
        format!("{game}/events"),
        // A script can read error responses, too.
        "/api/v1/games/0000000000".to_owned(),
    ];
    for path in &open {
        let response = cross_site_request(&server, Method::GET, path, &[]).await;
        assert_eq!(
            response.headers()["access-control-allow-origin"],
            "*",
            "{path}"
        );
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-credentials"),
            "{path}"
        );
        let preflight_headers = [
            ("access-control-request-method", "GET"),
            ("access-control-request-headers", "authorization"),
        ];
        let preflight =
            cross_site_request(&server, Method::OPTIONS, path, &preflight_headers).await;
        assert_eq!(preflight.status(), StatusCode::OK, "{path}");
        let headers = preflight.headers();
        assert_eq!(headers["access-control-allow-origin"], "*", "{path}");
        assert_eq!(
            headers["access-control-allow-methods"], "GET,HEAD",
            "{path}"
        );
        assert!(
            !headers.contains_key("access-control-allow-credentials"),
            "{path}"
        );
    }
    for (method, path) in [
        (Method::GET, "/api/v1/games".to_owned()),
        (Method::GET, "/api/v1/games.ndjson".to_owned()),
        (Method::GET, "/".to_owned()),
        (Method::GET, format!("/g/{}", table.id)),
        (Method::GET, format!("/g/{}/events", table.id)),
        (Method::GET, "/me".to_owned()),
        (Method::GET, format!("{game}/hint")),
    ] {
        let response = cross_site_request(&server, method, &path, &[]).await;
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-origin"),
            "{path}"
        );
    }
    // Cross-site POST requests are rejected, including those to public resources.
    for path in [
        "/api/v1/games",
        &format!("{game}/moves"),
        "/api/v1/choose",
        "/api/v1/rate",
        "/api/v1/solve",
    ] {
        let sent = cross_site_request(
            &server,
            Method::POST,
            path,
            &[("content-type", "application/json")],
        )
        .await;
        assert!(
            !sent.headers().contains_key("access-control-allow-origin"),
            "{path}"
        );
        assert_eq!(problem(sent, 403).await["code"], "cross-site", "{path}");
    }
    // The host check applies here, too.
    let foreign_host = [
        ("host", "evil.example"),
        ("access-control-request-method", "GET"),
    ];
    let preflight =
        cross_site_request(&server, Method::OPTIONS, "/api/v1/levels", &foreign_host).await;
    assert_eq!(preflight.status(), 421);
}

#[tokio::test]
async fn own_games_are_listed_on_pages_to_the_last_one() {
    let server = Server::start().await;
    let me = server.person();
    let mut created = Vec::new();
    for _ in 0..50 {
        created.push(create_game(&me, "").await);
    }
    let (mut path, mut listed, mut pages) = (Some("/me".to_owned()), Vec::new(), 0);
    while let Some(at) = path {
        let page = me.page(&at).await;
        let games = page.attrs(".gcard", "href");
        listed.extend(
            games
                .iter()
                .map(|game| game.trim_start_matches("/g/").to_owned()),
        );
        path = page.attrs("[rel=next]", "href").pop();
        pages += 1;
    }
    assert_eq!(pages, 3);
    created.sort();
    listed.sort();
    assert_eq!(listed, created);
    let refused = me.get("/me?page=x").await;
    assert!(refused.status().is_client_error());
}
