//! The seed and the salt of a running game appear nowhere, in any form: not in a page, a response, a stream, the log
//! or the metrics of the server, whatever is requested. After the end of the game its page shows them.

use std::path::Path;

use crate::common::{Api, Program, Table, likely, number, program};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, Connection as _};

/// A server with its most detailed log, and the address of its metrics.
fn start(home: &Path) -> (Program, String) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let metrics = port.local_addr().unwrap().to_string();
    drop(port);
    let mut command = program();
    let database = format!("sqlite:{}", home.join("games.db").display());
    command.env("RUST_LOG", "trace");
    command.args(["--listen", "127.0.0.1:0", "--database", &database]);
    command.args(["--metrics", &metrics]);
    let program = Program::run(command, &home.join("log"));
    (program, format!("http://{metrics}/metrics"))
}

/// Requests everything that the server shows of a game, without a seat.
async fn request_everything(api: &Api, table: &Table, responses: &mut Vec<Vec<u8>>) {
    let (page, game) = (format!("/g/{}", table.id), table.path(""));
    for rest in [
        "",
        "/0",
        "/1",
        "/log",
        "/dice",
        "/dice?rolls=all",
        "/dice?rolls=none",
        "/record.json",
        "/board.svg",
        "/board.svg?ply=1",
        "/embed",
        "/embed?ply=1",
        "/film",
        "/nothing",
        "?from=77",
        "/seed",
        "/undo",
    ] {
        request(api, &format!("{page}{rest}"), responses).await;
    }
    for rest in [
        "", "/moves", "/record", "?ply=1", "?ply=999", "/dice", "/nothing",
    ] {
        request(api, &format!("{game}{rest}"), responses).await;
    }
    for path in [
        "/",
        "/me",
        "/dice",
        "/openapi.json",
        "/verify.py",
        "/readyz",
    ] {
        request(api, path, responses).await;
    }
    for body in [
        json!({"ply": 999, "path": null}),
        json!({"ply": 0, "entropy": ""}),
        json!({"ply": 999, "entropy": "seed"}),
        json!({"seed": 7}),
    ] {
        for rest in ["/moves", "/entropy", "/undo", "/nothing"] {
            let path = format!("{game}{rest}");
            let answer = api.post_as(table.token(0), &path, &body).await;
            responses.push(read_whole(answer).await);
        }
    }
    let form = [("ply", "0"), ("words", "\u{202e}")];
    let sent = api
        .client
        .post(format!("{}{page}/entropy", api.url))
        .form(&form);
    responses.push(read_whole(sent.send().await.unwrap()).await);
}

async fn request(api: &Api, path: &str, responses: &mut Vec<Vec<u8>>) {
    responses.push(read_whole(api.get(path).await).await);
}

async fn read_whole(answer: reqwest::Response) -> Vec<u8> {
    let mut whole = format!("{:?}\n", answer.headers()).into_bytes();
    whole.extend(answer.bytes().await.unwrap());
    whole
}

/// The secrets of all games in the database: seeds and salts, in every form in which they could leak.
async fn secrets(home: &Path) -> Vec<Vec<u8>> {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(home.join("games.db"));
    let mut connection = options.connect().await.unwrap();
    let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as("SELECT dice_seed, dice_salt FROM game")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let mut secrets = Vec::new();
    for secret in rows.into_iter().flat_map(|(seed, salt)| [seed, salt]) {
        assert_eq!(secret.len(), 32);
        let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let list = serde_json::to_string(&secret).unwrap();
        // Half of a secret would already be too much.
        secrets.push(hex[..32].to_owned().into_bytes());
        secrets.push(hex[32..].to_owned().into_bytes());
        secrets.push(hex[..32].to_uppercase().into_bytes());
        secrets.push(list[1..list.len() / 2].to_owned().into_bytes());
        secrets.push(
            list.replace(',', ", ")[1..list.len() / 2]
                .to_owned()
                .into_bytes(),
        );
        for base64 in [STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            secrets.push(base64.encode(&secret)[..20].to_owned().into_bytes());
        }
        secrets.push(secret[..12].to_vec());
    }
    secrets
}

fn find_secret<'s>(responses: &[Vec<u8>], secrets: &'s [Vec<u8>]) -> Option<&'s [u8]> {
    // One pass over the responses: two bytes select the secrets that may start there.
    let mut begin = vec![Vec::new(); 1 << 16];
    for secret in secrets {
        begin[usize::from(u16::from_be_bytes([secret[0], secret[1]]))].push(secret.as_slice());
    }
    responses.iter().find_map(|text| {
        (1..text.len()).find_map(|at| {
            let two = u16::from_be_bytes([text[at - 1], text[at]]);
            let mut here = begin[usize::from(two)].iter().copied();
            here.find(|secret| text[at - 1..].starts_with(secret))
        })
    })
}

#[tokio::test]
async fn the_seed_of_a_running_game_is_never_revealed() {
    let home = tempfile::tempdir().unwrap();
    let (running, metrics) = start(home.path());
    let api = running.api();
    let game =
        json!({"game": "dice", "size": 4, "players": 2, "seats": ["human", "human"], "seed": 3});
    let table = api.create(game).await;
    let computers = api
        .create(json!({"game": "dice", "size": 3, "players": 2, "seats": ["human", "book"]}))
        .await;
    let mut responses = Vec::new();
    let mut stream = table.events_from(0).await;
    request(&api, &format!("/g/{}/hint", table.id), &mut responses).await;
    request(&api, &format!("/g/{}/game.gif", table.id), &mut responses).await;
    request_everything(&api, &table, &mut responses).await;
    // Another person has a seat, so both would have to commit to entropy texts first.
    let added = json!({"ply": 0, "entropy": "-"});
    let answer = table.send(0, "/entropy", &added).await;
    assert_eq!(answer.status(), 200);
    responses.push(read_whole(answer).await);
    for _ in 0..6 {
        let now = table.state().await;
        let Some(player) = now["player"].as_u64() else {
            break;
        };
        let answer = table
            .post(
                player as usize,
                number(&now["ply"]),
                &likely(&table.moves().await),
            )
            .await;
        responses.push(read_whole(answer).await);
        request_everything(&api, &table, &mut responses).await;
        request_everything(&api, &computers, &mut responses).await;
    }
    assert!(!table.state().await["over"].as_bool().unwrap_or_default());
    for _ in 0..4 {
        responses.push(serde_json::to_vec(&stream.next("ply").await.data).unwrap());
    }
    let figures = reqwest::get(&metrics).await.unwrap();
    responses.push(read_whole(figures).await);
    let log = running.log();
    assert!(
        log.contains("TRACE") || log.contains("DEBUG"),
        "the log is awake"
    );
    responses.push(log.into_bytes());
    running.terminate();
    responses.push(std::fs::read(home.path().join("log")).unwrap());
    let secrets = secrets(home.path()).await;
    assert!(secrets.len() >= 2 * 2 * 9);
    if let Some(secret) = find_secret(&responses, &secrets) {
        panic!("{:?} was revealed", String::from_utf8_lossy(secret));
    }

    // At its end the game reveals its own secret, and no other one.
    let (running, _) = start(home.path());
    let table = table.on_server(&running.api());
    table.play_to_the_end().await;
    let record = table.record().await;
    let page = running.api().get(&format!("/g/{}/dice", table.id)).await;
    let page = page.text().await.unwrap();
    for name in ["seed", "salt"] {
        let opened = record["dice"][name].as_str().unwrap();
        assert_eq!(opened.len(), 64);
        assert!(page.contains(opened), "{name}");
    }
    let other: Value = computers.on_server(&running.api()).record().await;
    assert!(other["dice"]["seed"].is_null());
    running.terminate();
}
