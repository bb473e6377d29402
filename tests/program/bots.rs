//! The bots of `examples/bots` play in the arena and on a server, and come through refusals and broken connections.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};

use crate::common::{Program, is_installed};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const PROGRAM: &str = env!("CARGO_BIN_EXE_dice-of-doom");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bots");

/// The command of the bot in Rust, which `cargo test` builds with the other examples.
fn rust_bot() -> String {
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap();
    let name = format!("examples/bot{}", std::env::consts::EXE_SUFFIX);
    let bot = built.join(name).display().to_string();
    assert!(
        std::fs::exists(&bot).unwrap(),
        "there is no {bot}: cargo build --example bot makes it"
    );
    bot
}

/// Runs a command in the folder of the bots; returns its stdout.
#[track_caller]
fn run(command: &str, arguments: &[&str]) -> String {
    let mut words = command.split(' ').chain(arguments.iter().copied());
    let mut command = Command::new(words.next().unwrap());
    command.args(words).env("DICE_OF_DOOM", PROGRAM);
    let ended = command.current_dir(FOLDER).output().unwrap();
    let complaints = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{}: {complaints}", ended.status);
    String::from_utf8(ended.stdout).unwrap()
}

#[track_caller]
fn check_in_the_arena(bot: &str) {
    let seats = format!("cmd:{bot},random,random,random");
    let board = ["--side", "4", "--players", "4", "--boards", "5"];
    let arena = ["arena", "--json", "--seats", &seats];
    let report = run(PROGRAM, &[&arena[..], &board].concat());
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report["forfeits"].is_null(), "{report}");
    // All bots make the same decisions, so they all have this share.
    assert_eq!(report["contestants"][0]["share"], 0.5, "{report}");
    assert_eq!(report["contestants"][0]["decisions"], 205, "{report}");
    assert_eq!(report["par"], 0.25, "{report}");
}

#[track_caller]
fn check_on_a_server(bot: &str) {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &folder.path().join("log"));
    let out = run(bot, &[&format!("{}/", program.url)]);
    let (page, winners) = out.trim().split_once("\nwinners: ").unwrap();
    let game = page.replace("/g/", "/api/v1/games/");
    let path = game.strip_prefix(&program.url).unwrap();
    let game = Runtime::new().unwrap().block_on(program.api().json(path));
    assert_eq!(game["over"], true, "{game}");
    assert_eq!(game["ending"], "rules", "{game}");
    let winners: Value = serde_json::from_str(winners).unwrap();
    assert_eq!(winners, game["winners"]);
}

#[test]
fn the_bot_in_python_plays() {
    if is_installed("python3") {
        check_in_the_arena("python3 bot.py");
        check_on_a_server("python3 bot.py");
        check_interrupted_stream("python3 bot.py");
    }
}

#[test]
fn the_bot_in_javascript_plays() {
    if is_installed("node") {
        check_in_the_arena("node bot.mjs");
        check_on_a_server("node bot.mjs");
        check_interrupted_stream("node bot.mjs");
    }
}

#[test]
fn the_bot_in_shell_plays() {
    if is_installed("curl") {
        check_in_the_arena("sh bot.sh");
        check_on_a_server("sh bot.sh");
        check_interrupted_wait("sh bot.sh", None);
    }
}

#[test]
fn the_bot_in_rust_plays() {
    check_in_the_arena(&rust_bot());
    check_on_a_server(&rust_bot());
    check_interrupted_wait(&rust_bot(), Some(LOST));
}

/// A request that a server received.
#[derive(Debug, PartialEq)]
struct Request {
    /// Method and path.
    line: String,
    last_event_id: String,
    body: Value,
}

impl Request {
    fn read(stream: &TcpStream) -> Self {
        let mut lines = BufReader::new(stream);
        let (mut headers, mut line) = (Vec::new(), String::new());
        while lines.read_line(&mut line).unwrap() > 2 {
            headers.push(line.trim().to_owned());
            line.clear();
        }
        let header = |name: &str| {
            let mut pairs = headers.iter().filter_map(|header| header.split_once(": "));
            let found = pairs.find(|(given, _)| given.eq_ignore_ascii_case(name));
            found.map_or("", |(_, value)| value)
        };
        let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
        lines.read_exact(&mut body).unwrap();
        Request {
            line: headers[0].trim_end_matches(" HTTP/1.1").to_owned(),
            last_event_id: header("last-event-id").to_owned(),
            body: serde_json::from_slice(&body).unwrap_or_default(),
        }
    }
}

/// Starts a server that gives these answers, each with its status, then only status 500. Returns its address and the
/// requests that arrive.
fn serve<const N: usize>(answers: [String; N]) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        let mut answers = answers.into_iter();
        while let Ok((mut stream, _)) = listener.accept() {
            let Ok(()) = sender.send(Request::read(&stream)) else {
                return;
            };
            let answer = answers.next().unwrap_or("500 Unexpected\r\n\r\n".into());
            if answer != LOST {
                write!(stream, "HTTP/1.1 {answer}").unwrap();
            }
        }
    });
    (url, requests)
}

/// Closes the connection without an answer.
const LOST: &str = "";

fn busy() -> String {
    "503 Service Unavailable\r\nconnection: close\r\nretry-after: 0\r\n\r\n{}".to_owned()
}

fn stale() -> String {
    "409 Conflict\r\nconnection: close\r\n\r\n{\"code\":\"stale\"}".to_owned()
}

fn ok(body: &str) -> String {
    format!("200 OK\r\nconnection: close\r\n\r\n{body}")
}

/// A stream that breaks off in a line.
const BROKEN: &str = "200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nevent: pi\r\n9\r\nng";

/// Odds in every notation that a number may have.
const MOVES: &str =
    r#"[{"path":[1,0],"odds":7.5e-7},{"path":null,"odds":null},{"path":[4,2],"odds":0.59}]"#;

/// A bot that follows a stream sends a request again after `Retry-After` and after a lost answer, and comes back to
/// a stream that ended or broke with the id of its last event.
#[track_caller]
fn check_interrupted_stream(bot: &str) {
    let turn = format!(r#"{{"id":"g","ply":8,"moves":{MOVES}}}"#);
    let turn = format!("retry: 1\n\nevent: turn\nid: 7\ndata: {turn}\n\n");
    let bye = "event: bye\nretry: 1\ndata: {}\n\n";
    let finish = r#"{"id":"g","winners":[0,2]}"#;
    let finish = format!("event: gameFinish\nid: 8\ndata: {finish}\n\n");
    let (url, requests) = serve([
        busy(),
        ok(r#"{"token":"t"}"#),
        ok(r#"{"id":"g"}"#),
        ok(&format!("{turn}{bye}")),
        LOST.to_owned(),
        stale(),
        busy(),
        BROKEN.to_owned(),
        ok(&finish),
    ]);
    let out = run(bot, &[&url]);
    assert_eq!(out.replace(' ', ""), format!("{url}/g/g\nwinners:[0,2]\n"));
    let requests: Vec<Request> = requests.try_iter().collect();
    let expected = [
        "POST /api/v1/programs",
        "POST /api/v1/programs",
        "POST /api/v1/games",
        "GET /api/v1/events",
        "POST /api/v1/games/g/moves",
        "POST /api/v1/games/g/moves",
        "GET /api/v1/events",
        "GET /api/v1/events",
        "GET /api/v1/events",
    ];
    assert_eq!(lines(&requests), expected);
    assert_eq!(requests[0], requests[1]);
    assert_eq!(requests[4].body, json!({"ply": 8, "path": null}));
    assert_eq!(requests[4], requests[5]);
    assert_eq!(requests[8].last_event_id, "7");
}

/// The methods and addresses of the requests.
fn lines(requests: &[Request]) -> Vec<&str> {
    let requests = requests.iter();
    requests.map(|request| request.line.as_str()).collect()
}

/// A bot that waits for each ply sends a request again after `Retry-After` and, if `lost`, after a lost answer.
#[track_caller]
fn check_interrupted_wait(bot: &str, lost: Option<&str>) {
    let game = |ply: u32, over: bool, winners: &str| {
        let seats = r#"[{"player":0,"token":"t"}]"#;
        ok(&format!(
            r#"{{"id":"g","ply":{ply},"player":0,"over":{over},"winners":{winners},"seats":{seats}}}"#
        ))
    };
    let interruption = lost.map_or_else(busy, str::to_owned);
    let (url, requests) = serve([
        busy(),
        game(0, false, "null"),
        ok(&format!(r#"{{"moves":{MOVES}}}"#)),
        interruption,
        ok(r#"{"repeated":true}"#),
        game(3, true, "[0,2]"),
    ]);
    assert_eq!(run(bot, &[&url]), format!("{url}/g/g\nwinners: [0,2]\n"));
    let requests: Vec<Request> = requests.try_iter().collect();
    let expected = [
        "POST /api/v1/games",
        "POST /api/v1/games",
        "GET /api/v1/games/g/moves",
        "POST /api/v1/games/g/moves",
        "POST /api/v1/games/g/moves",
        "GET /api/v1/games/g?wait=1",
    ];
    assert_eq!(lines(&requests), expected);
    assert_eq!(requests[0], requests[1]);
    assert_eq!(requests[3].body, json!({"ply": 0, "path": null}));
    assert_eq!(requests[3], requests[4]);
}
