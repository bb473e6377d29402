//! Uploaded records: whole games of every kind, errors in others, what visitors cannot make grow, and kill -9 during
//! uploads.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::common::records::{played, played_of, without_times};
use crate::common::{
    Home, Person, Server, ServerConfig, assert_contains, header_of, likely, problem, program,
    read_page, sent_plies, times,
};
use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::formats::RecordError;
use dice_of_doom::games::Registry;
use dice_of_doom::record::MAX_ENTRIES;
use dice_of_doom::site::dice_page::statistics::{DiceStatistics, rebuild, statistics};
use dice_of_doom::tables::RetentionPolicy;
use dice_of_doom::verify::{VerifiedRecord, verify};
use reqwest::{Client, Method, Response, header};
use serde_json::{Value, json};

const RECORDS: &str = "/api/v1/records";

/// Sends the form as a browser does.
async fn send(person: &Person, file: &[u8], text: &[u8]) -> Response {
    let file = ("file\"; filename=\"record.json", file);
    person.upload(&[file, ("text", text)]).await
}

async fn upload(server: &Server, record: &str) -> Response {
    upload_text(server, "application/json", record).await
}

/// A game in some format, sent by a program.
async fn upload_text(server: &Server, kind: &str, text: impl Into<Vec<u8>>) -> Response {
    let request = Client::new().post(server.url(RECORDS));
    let request = request.header(header::CONTENT_TYPE, kind);
    request.body(text.into()).send().await.unwrap()
}

fn value(record: &str) -> Value {
    serde_json::from_str(record).unwrap()
}

/// Finished games of both kinds.
fn games() -> [String; 3] {
    let registry = Registry::builtin();
    [
        played(&registry, 3),
        played(&registry, 0),
        played_of(
            &registry,
            "trilobite",
            &json!({"width": 5, "height": 4, "win": 3}),
            4,
        ),
    ]
}

#[tokio::test]
async fn finished_games_are_uploaded_by_programs_and_people() {
    let server = Server::start().await;
    let client = server.person();
    let mut brought = Vec::new();
    for record in games() {
        let made = upload(&server, &record).await;
        assert_eq!(made.status(), 201, "{record}");
        let location = header_of(&made, "location").to_owned();
        let game: Value = made.json().await.unwrap();
        let id = game["id"].as_str().unwrap().to_owned();
        assert_eq!(location, format!("/api/v1/games/{id}"));
        assert_eq!(
            (&game["uploaded"], &game["over"]),
            (&json!(true), &json!(true))
        );
        // The downloaded record is the same, and its dice are still proven.
        let again = server.api().json(&format!("{location}/record")).await;
        assert_eq!(without_times(&again.to_string()), without_times(&record));
        let holds = verify(server.service.games(), &again.to_string());
        assert!(
            matches!(holds, Ok(VerifiedRecord::DiceVerified { .. })),
            "{holds:?}"
        );

        let sent = send(&client, record.as_bytes(), b"").await;
        assert_eq!(sent.status(), 303);
        let own = header_of(&sent, "location").to_owned();
        let over = client.page(&own).await;
        assert!(over.contains("Uploaded record: played elsewhere"), "{over}");
        let rolled = game["game"] == "dice";
        assert_eq!(over.contains("dice are proven</a>"), rolled);
        assert!(!over.contains("/rematch"));
        // Its text notation contains the same, is accepted by the form, and is the same game.
        assert!(over.has(&format!("[href='{own}/record.txt']")));
        let text = client.page(&format!("{own}/record.txt")).await;
        let sent = send(&client, b"", text.as_bytes()).await;
        assert_eq!(sent.status(), 303, "{text}");
        let first = client.page(&format!("{own}/0")).await;
        assert!(first.contains("Play on from here"));
        client.page(&format!("{own}/log")).await;
        client.page(&format!("{own}/review")).await;
        let dice = client.page(&format!("{own}/dice")).await;
        assert!(dice.contains("its record was uploaded"), "{dice}");
        client.done(&format!("{own}/review"), "").await;
        client.done(&format!("{own}/play-on"), "ply=0").await;
        client
            .redirected(&format!("/analysis?game={}&ply=1", &own[3..]))
            .await;
        brought.extend([format!("/g/{id}"), own]);
    }
    let list = client.page("/me").await;
    assert_eq!(
        list.texts("small")
            .iter()
            .filter(|text| *text == "Uploaded record")
            .count(),
        3
    );
    assert!(list.has("[href='/upload']"));
    // Others do not find them, and their rolls are not counted for this server.
    let start = server.person().page("/").await;
    let listed = brought
        .iter()
        .find(|game| start.has(&format!("[href='{game}']")));
    assert_eq!(listed, None, "{start}");
    let found = statistics(&server.app, "dice").await.unwrap();
    assert_eq!(found, DiceStatistics::default());
}

#[tokio::test]
async fn programs_upload_games_in_notation() {
    let server = Server::start().await;
    let registry = Registry::builtin();
    for record in games() {
        let text = registry.read_record(&record).unwrap().notation();
        let made = upload_text(&server, "text/plain; charset=utf-8", text.as_str()).await;
        assert_eq!(made.status(), 201, "{text}");
        let game: Value = made.json().await.unwrap();
        // The same game in the other form is recognised.
        let again = upload(&server, &record).await;
        assert_eq!(again.status(), 200);
        let again: Value = again.json().await.unwrap();
        assert_eq!(again["id"], game["id"]);
        let path = format!("/g/{}/record.txt", game["id"].as_str().unwrap());
        let stored = server.person().page(&path).await;
        assert_eq!(*stored, *text, "notation is parsed and printed unchanged");
        let marked = upload_text(&server, "text/plain", format!("\u{feff}{text}")).await;
        assert_eq!(marked.status(), 200);

        let (line, place) = (text.lines().count(), "seal ".len() + 1);
        let broken = text.replacen("\nseal ", "\nseal 0", 1);
        let refused = upload_text(&server, "text/plain", broken).await;
        let error = problem(refused, 422).await;
        assert_eq!(error["code"], "record", "{error}");
        assert_eq!(
            (&error["line"], &error["column"]),
            (&json!(line), &json!(place))
        );
        assert!(error["pointer"].is_null(), "{error}");
    }
    let none = upload_text(&server, "text/plain", "{\"format\":2}").await;
    let error = problem(none, 422).await;
    assert_eq!(error["code"], "record");
    assert_eq!((&error["line"], &error["column"]), (&json!(1), &json!(1)));
    let none = upload_text(&server, "text/plain", *b"\xff\xfe").await;
    assert_eq!(problem(none, 400).await["code"], "bad-request");
    for kind in [
        "text/html",
        "application/x-www-form-urlencoded",
        "text/plainer",
    ] {
        let other = upload_text(&server, kind, "dice-of-doom game 2\n").await;
        let error = problem(other, 415).await;
        assert!(
            error["detail"].as_str().unwrap().contains("text/plain"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_uploaded_game_keeps_and_shows_who_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let serve = async || Server::start_with(ServerConfig::on_file(&file).await).await;
    let server = serve().await;
    let registry = Registry::builtin();
    let original = value(&played(&registry, 3));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut record = original.clone();
        change(&mut record);
        record.as_object_mut().unwrap().remove("seal");
        record.to_string()
    };
    let long = "x".repeat(200);
    let changed = with(&|record| {
        record["seats"] = json!([
            {"player": 0, "kind": "program", "name": long},
            {"player": 1, "kind": "level", "level": "master", "simulations": 400},
        ]);
        record["seed"] = json!(u64::MAX);
    });
    let mut paths = Vec::new();
    for record in [&original.to_string(), &changed] {
        let made = upload(&server, record).await;
        assert_eq!(made.status(), 201);
        let game: Value = made.json().await.unwrap();
        let path = format!("/g/{}", game["id"].as_str().unwrap());
        assert_eq!(game["seats"][1]["level"], "master");
        assert_eq!(upload(&server, record).await.status(), 200);
        paths.push((
            path,
            value(record)["seats"].clone(),
            value(record)["seed"].clone(),
        ));
    }
    // Other people make it another game.
    assert_ne!(paths[0].0, paths[1].0);
    let client = server.person();
    let shown = client.page(&paths[0].0).await;
    assert_contains(&shown, &["Ada &quot;¦&quot; Ан", "Master"]);
    let shown = client.page(&paths[1].0).await;
    let cut = format!("{}…", "x".repeat(31));
    assert!(
        shown.contains(&cut) && !shown.contains(&"x".repeat(32)),
        "{shown}"
    );
    // After a restart, too.
    server.stop();
    server.service.close().await;
    drop(server);
    let server = serve().await;
    for (path, seats, seed) in &paths {
        let record = server.api().json(&format!("{path}/record.json")).await;
        assert_eq!((&record["seats"], &record["seed"]), (seats, seed));
        let holds = verify(&registry, &record.to_string());
        assert!(
            matches!(holds, Ok(VerifiedRecord::DiceVerified { .. })),
            "{holds:?}"
        );
    }
    let unseen = with(&|record| record["seats"][0]["name"] = json!("Ada\u{202e}"));
    let refused = problem(upload(&server, &unseen).await, 422).await;
    let why = "seats: player 0: a name has no control characters and none that cannot be seen";
    assert!(
        refused["detail"].as_str().unwrap().contains(why),
        "{refused}"
    );
    let longer = with(&|record| record["seats"][0]["name"] = json!("x".repeat(1025)));
    let refused = problem(upload(&server, &longer).await, 422).await;
    assert!(
        refused["detail"].as_str().unwrap().contains("1024 bytes"),
        "{refused}"
    );
}

/// The dice statistics follow from the stored games: where they are empty, all games are counted again.
#[tokio::test]
async fn emptied_dice_statistics_are_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let serve = async || Server::start_with(ServerConfig::on_file(&file).await).await;
    let stop = async |server: Server| {
        server.stop();
        server.service.close().await;
    };
    let server = serve().await;
    let new = json!({"game": "dice", "size": 3, "players": 2, "seats": ["human", "human"]});
    // One game is over, one is in progress, and one was uploaded.
    let over = server.api().create(new.clone()).await;
    over.play_to_the_end().await;
    let running = server.api().create(new).await;
    let path = likely(&running.moves().await);
    running.play(0, 0, &path).await;
    upload(&server, &games()[0]).await;
    let rolled = statistics(&server.app, "dice").await.unwrap();
    assert!(rolled.faces.iter().sum::<u64>() > 0);
    stop(server).await;

    let server = serve().await;
    assert_eq!(statistics(&server.app, "dice").await.unwrap(), rolled);
    // Nothing is counted twice.
    rebuild(&server.app).await.unwrap();
    assert_eq!(statistics(&server.app, "dice").await.unwrap(), rolled);
    stop(server).await;

    delete_dice_statistics(&file).await;
    let server = serve().await;
    // A game that is played before the count is complete is noted, and partial counts are not shown as complete.
    let running = running.on_server(&server.api());
    running.play_to_the_end().await;
    let noted = statistics(&server.app, "dice").await.unwrap();
    rebuild(&server.app).await.unwrap();
    let all = statistics(&server.app, "dice").await.unwrap();
    let sum = |faces: [u64; 6]| faces.iter().sum::<u64>();
    assert_eq!(sum(all.faces), sum(noted.faces) + sum(rolled.faces));
    stop(server).await;
    // The next start counts the same from the records, without what was noted meanwhile.
    delete_dice_statistics(&file).await;
    let server = serve().await;
    rebuild(&server.app).await.unwrap();
    assert_eq!(statistics(&server.app, "dice").await.unwrap(), all);
    stop(server).await;
}

async fn delete_dice_statistics(file: &std::path::Path) {
    use sqlx::{ConnectOptions as _, Connection as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    let emptied = sqlx::query("DELETE FROM counter");
    emptied.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn an_uploaded_game_can_be_reviewed() {
    let server = Server::start().await;
    let record = played_of(
        &Registry::builtin(),
        "trilobite",
        &json!({"width": 3, "height": 2, "win": 2}),
        1,
    );
    let game: Value = upload(&server, &record).await.json().await.unwrap();
    let path = format!("/api/v1/games/{}/review", game["id"].as_str().unwrap());
    let mut answer = server.api().post(&path, &json!({})).await;
    while answer.status() == 202 {
        tokio::task::yield_now().await;
        answer = server.api().get(&path).await;
    }
    assert_eq!(answer.status(), 200);
    let review: Value = answer.json().await.unwrap();
    assert!(review["plies"].is_array(), "{review}");
}

#[tokio::test]
async fn the_same_record_is_the_same_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let server = Server::start_with(ServerConfig::on_file(&file).await).await;
    let [one, other, _] = games();
    let id = async |answer: Response, status: u16| {
        assert_eq!(answer.status(), status);
        let game: Value = answer.json().await.unwrap();
        game["id"].as_str().unwrap().to_owned()
    };
    let first = id(upload(&server, &one).await, 201).await;
    // Whatever its format.
    let spaced = serde_json::to_string_pretty(&value(&one)).unwrap();
    assert_eq!(id(upload(&server, &spaced).await, 200).await, first);
    assert_ne!(id(upload(&server, &other).await, 201).await, first);
    let [me, you] = server.people();
    let mut found = BTreeSet::new();
    for client in [&me, &me, &you, &you] {
        let sent = send(client, b"", one.as_bytes()).await;
        found.insert(header_of(&sent, "location").to_owned());
    }
    assert_eq!(found.len(), 2, "one a browser: {found:?}");
    assert!(!found.contains(&format!("/g/{first}")));
    assert_eq!(me.page("/me").await.count("[href^='/g/']"), 1);
    // Retention counts from the upload, so the game is not old.
    let cutoffs = RetentionPolicy::default().cutoffs(dice_of_doom::clock::now_ms());
    assert_eq!(server.service.delete_expired(cutoffs).await.unwrap(), 0);
}

#[tokio::test]
async fn an_uploaded_unfinished_game_cannot_be_continued_by_its_players() {
    let server = Server::start().await;
    let new =
        json!({"game": "dice", "size": 3, "players": 2, "seed": 4, "seats": ["human", "human"]});
    let table = server.api().create(new).await;
    let path = likely(&table.moves().await);
    table.play(0, 0, &path).await;
    let record = table.record().await.to_string();
    let game: Value = upload(&server, &record).await.json().await.unwrap();
    assert_eq!(
        (&game["uploaded"], &game["over"]),
        (&json!(true), &json!(false))
    );
    let brought = server.api();
    let path = format!("/api/v1/games/{}", game["id"].as_str().unwrap());
    let own = brought.json(&format!("{path}/record")).await;
    let (theirs, ours) = (without_times(&record), without_times(&own.to_string()));
    // Only records with a dice commitment have the positions before rolls.
    assert_eq!(Value::from(sent_plies(&theirs)), ours["plies"]);
    // Its seed is not known here, so the record contains no commitment of this server.
    assert!(ours["dice"].is_null());
    let (moves, ply) = (format!("{path}/moves"), json!({"ply": 1, "path": null}));
    let moved = brought.post_as(table.token(0), &moves, &ply).await;
    assert_eq!(moved.status(), 403);
    let client = server.person();
    let here = format!("/g/{}", game["id"].as_str().unwrap());
    let shown = client.page(&here).await;
    assert_contains(&shown, &["The record ends here", "Play on from here"]);
    assert!(!shown.has("meta[http-equiv=refresh]") && !shown.contains("/join/"));
    assert!(shown.contains("dice are not proven</a>"));
    let dice = client.page(&format!("{here}/dice")).await;
    assert!(dice.contains("nothing proves its dice"), "{dice}");
    client.done(&format!("{here}/play-on"), "ply=1").await;
    client
        .redirected(&format!("/analysis?game={}", &here[3..]))
        .await;
}

/// The record with another value in this field of an entry.
fn altered(record: &Value, entry: usize, field: &str, value: Value) -> String {
    let mut record = record.clone();
    record["plies"][entry][field] = value;
    record.to_string()
}

#[test]
fn every_altered_entry_is_named() {
    let registry = Registry::builtin();
    let named = |text: &str| {
        registry
            .read_verified_record(text)
            .err()
            .and_then(|error| error.entry())
    };
    let mut found = 0;
    for text in games() {
        let record = value(&text);
        assert!(registry.read_verified_record(&text).is_ok());
        for (number, entry) in record["plies"].as_array().unwrap().iter().enumerate() {
            let mut changes = vec![
                ("ply", json!(number + 1)),
                ("player", json!(9)),
                ("player", Value::Null),
                ("at", json!("noon")),
                ("note", json!(1)),
            ];
            let is_ply = entry["takeback"].is_null() && entry["entropy"].is_null();
            if is_ply {
                let other = 1 - entry["player"].as_u64().unwrap().min(1);
                changes.push(("player", json!(other)));
            }
            if entry["path"].is_array() {
                let from = &entry["path"][0];
                changes.push(("path", json!([from, from])));
                changes.push(("path", json!([from, 200])));
                changes.push(("roll", Value::Null));
                let mut roll = entry["roll"].clone();
                let face = roll["attack"][0].as_u64().unwrap();
                roll["attack"][0] = json!(face % 6 + 1);
                changes.push(("roll", roll));
            }
            if !entry["cell"].is_null() {
                changes.push(("cell", json!(99)));
            }
            if !entry["takeback"].is_null() {
                changes.push(("takeback", json!(number)));
            }
            for (field, change) in changes {
                let changed = altered(&record, number, field, change.clone());
                let place = Some(number as u32);
                let actual = named(&changed);
                assert_eq!(actual, place, "{field} of {number} is {change}: {entry}");
                found += 1;
            }
        }
    }
    assert!(found > 300, "{found}");
}

/// Damaged records: the text, the pointer for programs, and the messages for people in three languages.
fn damaged() -> Vec<(String, String, [String; 3])> {
    let record = value(&games()[0]);
    let with = |field: &str, value: Value| {
        let mut record = record.clone();
        record[field] = value;
        record.to_string()
    };
    let plies = record["plies"].as_array().unwrap();
    let is_attack = |entry: &Value| entry["path"].is_array();
    let attack = plies.iter().position(is_attack).unwrap();
    let entry = &plies[attack];
    let mut longer = plies.clone();
    longer.resize(MAX_ENTRIES as usize + 1, plies[0].clone());
    let mut sealed = record["dice"].clone();
    sealed["seed"] = json!("0".repeat(64));
    let mut retimed = record.clone();
    retimed["plies"][0]["at"] = json!(1);
    let damaged = [
        (
            altered(
                &record,
                attack,
                "path",
                json!([entry["path"][0], entry["path"][0]]),
            ),
            "/plies/N",
            ["Ply N: ", "N番の手：", "Шаг N. "],
        ),
        (
            altered(
                &record,
                attack,
                "player",
                json!(1 - entry["player"].as_u64().unwrap()),
            ),
            "/plies/N",
            [
                "Ply N: it was another player’s turn.",
                "N番の手：別のプレイヤーの番",
                "Шаг N: ходить должен",
            ],
        ),
        (
            altered(
                &record,
                attack,
                "roll",
                json!({"attack": [1], "defend": [1]}),
            ),
            "/plies/N",
            [
                "Ply N: these dice do not belong",
                "この手の出目ではありません",
                "Шаг N: эти кубики не от",
            ],
        ),
        (
            altered(&record, attack, "path", json!("up")),
            "/plies/N",
            [
                "Ply N cannot be read.",
                "N番の手が読めません",
                "Шаг N не читается.",
            ],
        ),
        (
            with("format", json!(3)),
            "/format",
            ["It reads format 2.", "形式2だけ", "формат 2"],
        ),
        (
            with("format", json!(1)),
            "/format",
            [
                "An earlier build wrote this record. The last build that reads it is c1691778.",
                "これを読める最後のビルドはc1691778です。",
                "Последняя сборка, которая её читает, — c1691778.",
            ],
        ),
        (
            with("game", json!("chess")),
            "/game",
            ["“chess”", "「chess」", "«chess»"],
        ),
        (
            with("size", json!(99)),
            "",
            [
                "cannot be set up: A number",
                "始められません",
                "нельзя начать. Число",
            ],
        ),
        (
            with("plies", json!(longer)),
            "/plies",
            ["more than 1000", "1000手", "больше 1000"],
        ),
        (
            with("plies", Value::Null),
            "",
            [
                "not a complete record",
                "完全な棋譜では",
                "не полная запись",
            ],
        ),
        (
            with("winners", json!([1, 0])),
            "/ending",
            ["The end of the game", "終わり方", "Конец партии"],
        ),
        (
            with("dice", sealed),
            "/dice",
            [
                "says about its dice",
                "サイコロについての記載",
                "сказано о кубиках",
            ],
        ),
        (
            retimed.to_string(),
            "/seal",
            [
                "its seal does not fit",
                "封印が一致しません",
                "печать не сходится",
            ],
        ),
    ];
    let of = |text: &str| text.replace('N', &attack.to_string());
    let named =
        damaged.map(|(record, pointer, sentences)| (record, of(pointer), sentences.map(of)));
    named.into()
}

#[tokio::test]
async fn errors_are_in_the_readers_language() {
    let server = Server::start().await;
    let client = server.person();
    for (record, pointer, sentences) in damaged() {
        let refused = problem(upload(&server, &record).await, 422).await;
        assert_eq!(refused["code"], "record", "{refused}");
        assert_eq!(refused["pointer"], pointer, "{refused}");
        let number = pointer
            .strip_prefix("/plies/")
            .map(|ply| ply.parse::<u64>().unwrap());
        assert_eq!(refused["ply"].as_u64(), number);
        for (language, sentence) in ["en", "ja", "ru"].into_iter().zip(sentences) {
            let answer = send(
                &client.with("accept-language", language),
                b"",
                record.as_bytes(),
            )
            .await;
            let page = read_page(answer, 422, language).await;
            let alert = page.part("[role=alert]");
            assert!(alert.contains(&sentence), "{language}: {alert}");
        }
    }
    let nothing_told = async |file: &[u8], text: &[u8], sentence: &str| {
        let answer = send(&client, file, text).await;
        let page = read_page(answer, 422, sentence).await;
        assert!(page.contains(sentence), "{page}");
    };
    nothing_told(b"", b" ", "Choose a file").await;
    nothing_told(b"\xff\xfe", b"", "contains no text").await;
    nothing_told(
        b"{\"format\":2,\n \"plies\": [",
        b"",
        "from line 2, column 11 on",
    )
    .await;
    nothing_told(b"[]", b"", "not a complete record").await;
    let broken = upload(&server, "{\"format\":2").await;
    assert_eq!(problem(broken, 400).await["code"], "bad-request");
    client.refused("/upload", &[("text", "{}")], 415).await;
    // None of them was stored.
    assert!(
        client
            .page("/me")
            .await
            .contains("You have not played here yet")
    );
}

/// A rule violation in a record is worded for the player of the record, not for the reader.
#[test]
fn rule_violations_are_worded_for_the_player_of_the_record() {
    let registry = Registry::builtin();
    let record = value(&games()[0]);
    let mut plies = record["plies"].as_array().unwrap().iter();
    let attack = plies.position(|entry| entry["path"].is_array()).unwrap();
    let path = &record["plies"][attack]["path"];
    let (from, to) = (&path[0], &path[1]);
    let back = altered(&record, attack, "path", json!([to, from]));
    let Err(RecordError::Illegal(number, reason)) = registry.read_verified_record(&back) else {
        panic!("the defender attacks");
    };
    assert_eq!(number as usize, attack);
    assert_eq!(reason.message.key, "record-not-own-hex");
    assert_eq!(reason.sentence, format!("hex {to} is not yours"));
}

#[tokio::test]
async fn a_record_has_a_maximum_size() {
    let server = Server::start().await;
    let client = server.person();
    let spaces = " ".repeat(600 * 1024);
    let refused = problem(upload(&server, &spaces).await, 413).await;
    assert_eq!(refused["code"], "record-too-large");
    let refused = send(&client, spaces.as_bytes(), b"").await;
    let page = read_page(refused, 413, "spaces").await;
    assert!(page.contains("too large for a record"), "{page}");
    // Other paths still accept only small bodies, and a record may be larger than that.
    let form = client
        .request(Method::POST, "/games")
        .body(" ".repeat(100 * 1024));
    assert_eq!(form.send().await.unwrap().status(), 413);
    let [record, ..] = games();
    let padded = format!("{}{record}", " ".repeat(400 * 1024));
    assert_eq!(upload(&server, &padded).await.status(), 201);
}

#[tokio::test]
async fn records_count_as_new_games() {
    let server = Server::with(|config| config.loopback = LoopbackPolicy::Limited).await;
    let record = &games()[2];
    assert_eq!(upload(&server, record).await.status(), 201);
    let client = server.person();
    assert_eq!(send(&client, b"{}", b"").await.status(), 422);
    let refused = problem(upload(&server, record).await, 429).await;
    assert_eq!(refused["code"], "too-many");
    assert_eq!(send(&client, record.as_bytes(), b"").await.status(), 429);
    client.page("/upload").await;
}

/// The bytes that one client network may store in a day are limited, whatever they are.
#[tokio::test]
async fn the_bytes_stored_per_address_and_day_are_limited() {
    let record = &games()[2];
    let serve = async |stored_bytes| {
        Server::with(|config| {
            config.loopback = LoopbackPolicy::Limited;
            config.stored_bytes = stored_bytes;
            config.moves = 1_000;
            config.reads = 1_000;
        })
        .await
    };
    let full = async |answer: Response| {
        let retry = answer.headers()[header::RETRY_AFTER].to_str().unwrap();
        // Not within this minute, in contrast to the limit on new games.
        assert!(retry.parse::<u64>().unwrap() > 60, "{retry}");
        assert_eq!(problem(answer, 429).await["code"], "too-many");
    };
    // A record counts with the bytes that were sent.
    let server = serve(record.len() as u32 + 100).await;
    assert_eq!(upload(&server, record).await.status(), 201);
    full(upload(&server, &games()[1]).await).await;
    // A game and its plies count; reading them does not.
    let server = serve(4_096 + 256).await;
    let new = json!({"game": "dice", "players": 2, "seats": ["human", "human"], "seed": 1});
    let table = server.api().create(new.clone()).await;
    for _ in 0..20 {
        table.state().await;
    }
    let path = likely(&table.moves().await);
    table.play(0, 0, &path).await;
    full(table.post(0, 1, &Value::Null).await).await;
    full(server.api().post("/api/v1/games", &new).await).await;
    // The book's page stores a game at the first choice.
    let server = serve(4_096 + 100).await;
    server.api().create(new).await;
    let client = server.person();
    client.page("/game.html").await;
    let places = (0..25).map(|place| format!("/game.html?chosen={place}"));
    let mut refused = Vec::new();
    for place in places {
        let answer = client.get(&place).await;
        refused.extend((answer.status() == 429).then_some(place));
    }
    assert!(!refused.is_empty(), "one of the hexes is the player's");
}

/// Uploads records until the server goes away; notes what was acknowledged.
async fn upload_until_the_end(url: String, records: Vec<String>, noted: Arc<Mutex<Vec<String>>>) {
    let client = Client::new();
    for record in records {
        let request = client.post(format!("{url}{RECORDS}"));
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let Ok(answer) = request.body(record).send().await else {
            return;
        };
        assert_eq!(answer.status(), 201);
        let Ok(game) = answer.json::<Value>().await else {
            return;
        };
        let id = game["id"].as_str().unwrap().to_owned();
        noted.lock().unwrap().push(id);
    }
}

/// `DOD_UPLOAD_KILLS=100 cargo test --test program upload::an_upload_is_stored -- --nocapture` sets the number of kills;
/// without it, one hundredth of that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_is_stored_completely_or_not_at_all_after_kill_9() {
    let kills = u64::from(times("DOD_UPLOAD_KILLS", 200));
    let home = Home::new();
    let file = home.games();
    let registry = Registry::builtin();
    let mut stored = 0;
    for round in 0..kills {
        let records: Vec<_> = (0..60)
            .map(|seed| played(&registry, 1_000 * round + seed))
            .collect();
        let server = home.start();
        let noted: Arc<Mutex<Vec<_>>> = Arc::default();
        let (left, right) = records.split_at(30);
        let [left, right] = [left, right].map(|part| {
            let bringing =
                upload_until_the_end(server.url.clone(), part.to_vec(), Arc::clone(&noted));
            tokio::spawn(bringing)
        });
        let enough = 3 + round as usize % 20;
        while noted.lock().unwrap().len() < enough && !(left.is_finished() && right.is_finished()) {
            tokio::task::yield_now().await;
        }
        server.kill();
        let numbers = [left.await, right.await];
        assert!(numbers.iter().all(Result::is_ok), "{numbers:?}");
        let server = home.start();
        let acknowledged = std::mem::take(&mut *noted.lock().unwrap());
        for id in acknowledged {
            let again = server
                .api()
                .json(&format!("/api/v1/games/{id}/record"))
                .await;
            let holds = verify(&registry, &again.to_string());
            assert!(
                matches!(holds, Ok(VerifiedRecord::DiceVerified { .. })),
                "round {round}: {holds:?}"
            );
            stored += 1;
        }
        // Records without an acknowledgement are stored or not, and can be uploaded again.
        for record in &records {
            let client = Client::new().post(format!("{}{RECORDS}", server.url));
            let client = client.header(header::CONTENT_TYPE, "application/json");
            let answer = client.body(record.clone()).send().await.unwrap();
            assert!(matches!(answer.status().as_u16(), 200 | 201), "{answer:?}");
        }
        server.kill();
        let checked = program().arg("check").arg(&file).output().unwrap();
        assert!(checked.status.success(), "{checked:?}");
    }
    eprintln!("{kills} kills, {stored} records acknowledged, none lost, none partial");
}
