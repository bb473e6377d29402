//! Acknowledged plies are durable, whatever happens to the program or to the client: the real program with a real
//! SQLite file.

use std::collections::HashSet;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::common::acknowledged_plies::{Acknowledged, has, play_until_the_end, plies};
use crate::common::loops::times;
use crate::common::{Api, HANG, Home, Program, Table, likely, number, program};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::mpsc;

/// Every game of a file with its number of entries, and whether it is marked as finished.
async fn marks(file: &Path) -> Vec<(String, u32, bool)> {
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    let query = "SELECT id, (SELECT count(*) FROM entry WHERE game = id), finished_ms IS NOT NULL FROM game";
    let marks = sqlx::query_as(query).fetch_all(&mut connection).await;
    connection.close().await.unwrap();
    marks.unwrap()
}

/// Notes every acknowledged ply.
fn noting(noted: &Arc<Mutex<Vec<Acknowledged>>>) -> impl FnMut(Acknowledged) -> bool + use<> {
    let noted = Arc::clone(noted);
    move |ply| {
        noted.lock().unwrap().push(ply);
        true
    }
}

/// Creates short games of computers, one after another, until the server goes away; sends a message when each is over.
async fn finish_games(api: Api, over: mpsc::UnboundedSender<()>) {
    let url = |path: &str| format!("{}{path}", api.url);
    loop {
        let new = json!({"game": "trilobite", "width": 3, "height": 3, "win": 2, "seats": ["random", "random"]});
        let created = api.client.post(url("/api/v1/games")).json(&new).send();
        let Ok(created) = created.await else { return };
        let Ok(game) = created.json::<Value>().await else {
            return;
        };
        let id = game["id"].as_str().unwrap();
        let path = format!("/api/v1/games/{id}?wait=9");
        let Ok(answer) = api.client.get(url(&path)).send().await else {
            return;
        };
        let Ok(game) = answer.json::<Value>().await else {
            return;
        };
        assert_eq!(game["over"], true, "{game}");
        // The receiver may be gone.
        let _ = over.send(());
    }
}

fn game(seed: u64, seats: [&str; 2]) -> Value {
    json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": seats, "seed": seed})
}

/// The number of kills per database: games of earlier rounds continue meanwhile.
const KILLS_OF_A_DATABASE: u64 = 10;

/// `DOD_KILLS=1000 cargo test --test program durability::kill_9 -- --nocapture` sets the number of kills.
#[tokio::test]
async fn kill_9_loses_nothing_acknowledged() {
    let kills = u64::from(times("DOD_KILLS", 500));
    let mut acknowledged = 0;
    for first in (0..kills).step_by(KILLS_OF_A_DATABASE as usize) {
        let home = Home::new();
        // Games whose marks have been checked.
        let mut known = HashSet::new();
        let mut program = home.start();
        for round in first..kills.min(first + KILLS_OF_A_DATABASE) {
            let played = Played::until_a_kill(program, round).await;
            // Read before the restart: a view of a game would repair its mark.
            let mut marks = marks(&home.games()).await;
            marks.retain(|(id, ..)| known.insert(id.clone()));

            program = home.start();
            let api = program.api();
            assert_eq!(api.get("/readyz").await.status(), 200);
            for (id, entries, marked) in &marks {
                let then = api.json(&format!("/api/v1/games/{id}?ply={entries}")).await;
                assert_eq!(then["over"], *marked, "round {round}: {then}");
            }
            let marked = marks.iter().filter(|(.., marked)| *marked).count();
            assert!(marked >= 5, "round {round}: {marked} games are finished");
            acknowledged += played.check(&api).await;
        }
    }
    eprintln!("{kills} kills, {acknowledged} acknowledged plies, none lost");
}

/// What was played until the program was killed.
struct Played {
    round: u64,
    /// Each with its acknowledged plies, and the plies of its record just before the kill.
    games: Vec<(Table, Vec<Acknowledged>, Vec<Value>)>,
}

impl Played {
    /// Eight people play and computers finish games; the program is killed in the middle.
    async fn until_a_kill(program: Program, round: u64) -> Self {
        let api = program.api();
        let mut games = Vec::new();
        for seed in 0..8 {
            let seats = if seed % 2 == 0 {
                ["human", "human"]
            } else {
                ["human", "random"]
            };
            let table = api.create(game(100 * round + seed, seats)).await;
            let noted = Arc::new(Mutex::new(Vec::new()));
            let player = tokio::spawn(play_until_the_end(table.clone(), noting(&noted)));
            games.push((table, noted, player));
        }
        let (over, mut finished) = mpsc::unbounded_channel();
        let finishing: Vec<_> = (0..4)
            .map(|_| tokio::spawn(finish_games(api.clone(), over.clone())))
            .collect();
        for _ in 0..5 {
            finished.recv().await.unwrap();
        }
        // The kill comes when the first game has reached this ply, in the middle of all others.
        games[0].0.wait(5 + round % 12).await;
        let mut seen = Vec::new();
        for (table, ..) in &games {
            seen.push(plies(&table.record().await));
        }
        program.kill();
        for finishing in finishing {
            finishing.await.unwrap();
        }
        let mut played = Vec::new();
        for ((table, noted, player), seen) in games.into_iter().zip(seen) {
            player.await.unwrap();
            let noted = std::mem::take(&mut *noted.lock().unwrap());
            played.push((table, noted, seen));
        }
        let games = played;
        Played { round, games }
    }

    /// After the next start nothing is missing, and every game continues; returns the number of acknowledged plies.
    async fn check(&self, api: &Api) -> usize {
        let round = self.round;
        let mut checked = 0;
        for (table, noted, seen) in &self.games {
            checked += noted.len();
            let table = table.on_server(api);
            let stored = plies(&table.record().await);
            assert!(
                stored.starts_with(seen),
                "round {round}: {stored:?} does not begin with {seen:?}"
            );
            for ply in noted {
                assert!(has(&stored, ply), "round {round}: {ply:?} is lost");
            }
            // The computers continue by themselves, and then the person.
            let now = table.settled().await;
            if let Some(player) = now["player"].as_u64() {
                let path = likely(&table.moves().await);
                table
                    .play(player as usize, number(&now["ply"]), &path)
                    .await;
            }
        }
        assert!(checked >= 5, "round {round}: nothing was played");
        checked
    }
}

#[tokio::test]
async fn a_restart_resumes_identically() {
    let home = Home::new();
    let program = home.start();
    let table = program.api().create(game(7, ["human", "human"])).await;
    for ply in 0..6 {
        let path = likely(&table.moves().await);
        let player = number(&table.state().await["player"]);
        table.play(player as usize, ply, &path).await;
    }
    let before = (
        table.state().await,
        table.record().await,
        table.moves().await,
    );
    let (status, _) = program.terminate();
    assert!(status.success());

    let program = home.start();
    let table = table.on_server(&program.api());
    assert_eq!(
        (
            table.state().await,
            table.record().await,
            table.moves().await
        ),
        before
    );
    // A ply whose response was lost with the old program is answered as already played.
    let last = &before.1["plies"][5];
    let again = table
        .play(number(&last["player"]) as usize, 5, &last["path"])
        .await;
    assert_eq!(
        (&again["repeated"], &again["roll"]),
        (&json!(true), &last["roll"])
    );
    let player = number(&before.0["player"]);
    table.play(player as usize, 6, &likely(&before.2)).await;
}

#[tokio::test]
async fn sigterm_during_play_ends_in_time_and_loses_nothing() {
    let home = Home::new();
    let program = home.start();
    let api = program.api();
    let mut games = Vec::new();
    for seed in 0..6 {
        let table = api.create(game(seed, ["human", "random"])).await;
        let noted = Arc::new(Mutex::new(Vec::new()));
        let player = tokio::spawn(play_until_the_end(table.clone(), noting(&noted)));
        games.push((table, noted, player));
    }
    games[0].0.wait(4).await;
    // A client waits for a ply that will not come.
    let waiting = tokio::spawn({
        let (client, url) = (
            api.client.clone(),
            format!("{}{}", api.url, games[0].0.path("?wait=4000000")),
        );
        async move {
            client
                .get(url)
                .send()
                .await
                .map(|response| response.status())
        }
    });
    let (status, took) = tokio::task::spawn_blocking(|| program.terminate())
        .await
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(took.as_secs_f64() < 2.0, "{took:?}");
    let _ = waiting.await.unwrap();

    let program = home.start();
    let api = program.api();
    for (table, noted, player) in games {
        player.await.unwrap();
        let stored = plies(&table.on_server(&api).record().await);
        for ply in noted.lock().unwrap().iter() {
            assert!(has(&stored, ply), "{ply:?} is lost");
        }
    }
}

/// Posts all paths for the same ply at once; returns the responses in the order of the paths.
async fn race(table: &Table, paths: &[Value]) -> Vec<(u16, Value)> {
    let mut posts = Vec::new();
    for path in paths {
        let (table, path) = (table.clone(), path.clone());
        posts.push(tokio::spawn(async move {
            let response = table.post(0, 0, &path).await;
            (response.status().as_u16(), response.json().await.unwrap())
        }));
    }
    let mut answers = Vec::new();
    for post in posts {
        answers.push(post.await.unwrap());
    }
    answers
}

/// Eight by eight hexes of which player a owns every second row: more than a hundred attacks.
async fn create_wide_game(api: &Api) -> Table {
    let board: Vec<[u8; 2]> = (0..64).map(|hex| [(hex / 8) % 2, 3]).collect();
    let start = json!({"board": board, "player": 0, "spare": 0, "first_move": true});
    let seats = ["human", "human"];
    api.create(json!({"game": "dice", "rules": "v4", "size": 8, "players": 2, "seats": seats, "start": start}))
        .await
}

#[tokio::test]
async fn of_racing_plies_exactly_one_is_played() {
    let home = Home::new();
    let program = home.start();
    let table = create_wide_game(&program.api()).await;
    let moves = table.moves().await;
    let attacks: Vec<Value> = moves["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].clone())
        .collect();
    assert!(attacks.len() >= 100, "{}", attacks.len());
    // Every attack is sent twice: both requests of the winner succeed, all others are too late.
    let paths: Vec<Value> = attacks.iter().chain(&attacks).take(200).cloned().collect();
    let answers = race(&table, &paths).await;
    let fresh: Vec<_> = (0..paths.len())
        .filter(|at| answers[*at].1["repeated"] == false)
        .collect();
    assert_eq!(fresh.len(), 1, "{fresh:?}");
    let winner = &paths[fresh[0]];
    for (path, (status, answer)) in paths.iter().zip(&answers) {
        if path == winner {
            assert_eq!(
                (*status, &answer["roll"]),
                (200, &answers[fresh[0]].1["roll"]),
                "{answer}"
            );
        } else {
            assert_eq!((*status, &answer["ply"]), (409, &json!(1)), "{answer}");
        }
    }
    let record = table.record().await;
    assert_eq!(plies(&record).len(), 1);
    assert_eq!(&record["plies"][0]["path"], winner);
}

#[tokio::test]
async fn the_same_ply_two_hundred_times_is_rolled_once() {
    let home = Home::new();
    let program = home.start();
    let table = create_wide_game(&program.api()).await;
    let path = likely(&table.moves().await);
    let answers = race(&table, &vec![path; 200]).await;
    let count = |repeated: bool| {
        answers
            .iter()
            .filter(|(_, answer)| answer["repeated"] == repeated)
            .count()
    };
    assert_eq!((count(false), count(true)), (1, 199));
    for (status, answer) in &answers {
        assert_eq!((*status, &answer["roll"]), (200, &answers[0].1["roll"]));
    }
    assert_eq!(plies(&table.record().await).len(), 1);
}

#[tokio::test]
async fn a_client_that_disconnects_leaves_no_partial_ply() {
    let home = Home::new();
    let program = home.start();
    let table = create_wide_game(&program.api()).await;
    for round in 0..120_usize {
        let now = table.state().await;
        let Some(player) = now["player"].as_u64() else {
            break;
        };
        let ply = number(&now["ply"]);
        let body = json!({"ply": ply, "path": likely(&table.moves().await)}).to_string();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            table.path("/moves"),
            program.address(),
            table.token(player as usize),
            body.len(),
        );
        // Every third request is complete; the others are cut off at varying points.
        let bytes = match round % 3 {
            0 => request.len(),
            _ => (round * 7) % request.len(),
        };
        let mut stream = TcpStream::connect(program.address()).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        stream.write_all(&request.as_bytes()[..bytes]).unwrap();
        drop(stream);
        if round % 3 != 0 {
            // A partial request plays nothing; the complete ones before it are played or not.
            let record = plies(&table.record().await);
            assert!(record.len() as u64 <= ply + 1, "round {round}");
        }
    }
    let now = table.state().await;
    let record = table.record().await;
    let stored = plies(&record);
    assert!(!stored.is_empty(), "no complete request was played");
    for ply in &stored {
        assert_eq!(ply["path"].is_null(), ply["roll"].is_null(), "{ply}");
    }
    // A complete request now plays a ply, and the record replays to the current position.
    let now = match now["player"].as_u64() {
        None => now,
        Some(_) => {
            let now = table.settled().await;
            let (player, ply) = (number(&now["player"]) as usize, number(&now["ply"]));
            table.play(player, ply, &likely(&table.moves().await)).await;
            table.state().await
        }
    };
    assert_eq!(program.terminate().0.code(), Some(0));
    let program = home.start();
    assert_eq!(table.on_server(&program.api()).state().await, now);
}

#[tokio::test]
async fn the_memory_store_keeps_games_while_the_program_runs() {
    let home = Home::new();
    let program = Program::start("memory:", &home.file("log"));
    let table = program.api().create(game(3, ["human", "random"])).await;
    let path = likely(&table.moves().await);
    table.play(0, 0, &path).await;
    assert_eq!(plies(&table.record().await)[0]["path"], path);
    assert_eq!(program.terminate().0.code(), Some(0));
    let program = Program::start("memory:", &home.file("log"));
    assert_eq!(program.api().get(&table.path("")).await.status(), 404);
}

/// Runs the program until it ends by itself; returns its exit code and its stderr.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let run = program()
        .env("RUST_LOG", "off")
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "", "{arguments:?}");
    (run.status.code(), String::from_utf8(run.stderr).unwrap())
}

#[test]
fn an_unusable_database_is_one_line_and_exit_1() {
    let home = Home::new();
    let folder = home.path();
    let text = folder.join("text.db");
    std::fs::write(&text, "This is no database at all. ".repeat(100)).unwrap();
    let below_a_file = text.join("games.db");
    for (database, expected) in [
        (
            format!("sqlite:{}", text.display()),
            "not a SQLite database",
        ),
        (format!("sqlite:{}", folder.display()), "cannot"),
        (format!("sqlite:{}", below_a_file.display()), "cannot"),
        ("sqlite::memory:".to_owned(), "memory:"),
        ("sqlite:".to_owned(), "path"),
        ("games.db".to_owned(), "unknown kind of database"),
        ("mysql://user:secret@host/games".to_owned(), "mysql"),
    ] {
        let (code, stderr) = refused(&["--listen", "127.0.0.1:0", "--database", &database]);
        assert_eq!(code, Some(1), "{database}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{database}: {stderr}");
        assert!(
            stderr.starts_with("dice-of-doom: ") && stderr.contains(expected),
            "{database}: {stderr}"
        );
        assert!(!stderr.contains("secret"), "{stderr}");
    }
}

#[test]
fn an_occupied_port_is_one_line_and_exit_1() {
    let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = occupied.local_addr().unwrap().to_string();
    let (code, stderr) = refused(&["--listen", &address, "--database", "memory:"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.contains(&occupied.local_addr().unwrap().port().to_string()),
        "{stderr}"
    );
}

#[test]
fn bad_usage_is_exit_2() {
    for arguments in [
        &["--listen", "nowhere"][..],
        &["--nonsense"],
        &["--limit-games-per-minute", "0"],
    ] {
        let (code, stderr) = refused(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
    }
}
