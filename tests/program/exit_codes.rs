//! What the program reports to its operator, and how it ends: the program itself, run as operators run it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{HANG, Home, Program, assert_lacks, program};
use reqwest::Client;
use reqwest::header::HOST;
use serde_json::json;

/// Waits until the log has this text; the log is written by a thread of its own.
fn wait_for_log(program: &Program, text: &str) -> String {
    let begin = Instant::now();
    loop {
        let log = program.log();
        if log.contains(text) {
            return log;
        }
        assert!(begin.elapsed() < HANG, "no {text:?} in {log:?}");
        std::thread::yield_now();
    }
}

/// Plays some plies and ends the program in an orderly way.
async fn check_play(program: Program, how: &str) {
    let new = json!({"game": "dice", "rules": "v4", "players": 2, "seats": ["human", "random"], "seed": 7});
    let table = program.api().create(new).await;
    table.play_plies(6).await;
    let unknown = program.api().get("/api/v1/games/00000000").await;
    assert_eq!(unknown.status(), 404, "{how}");
    let (status, took) = program.terminate();
    assert_eq!(status.code(), Some(0), "{how}");
    assert!(took < Duration::from_secs(2), "{how}: {took:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn an_unwritable_stderr_does_not_stop_the_server() {
    let home = Home::new();
    let log = home.file("log");
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let loud = || {
        let mut command = home.command();
        command.env("RUST_LOG", "trace");
        command
    };
    check_play(
        Program::run_with_stderr(loud(), full(), &log),
        "a full disk",
    )
    .await;

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    check_play(
        Program::run_with_stderr(loud(), writer, &log),
        "a closed pipe",
    )
    .await;

    let (reader, writer) = std::io::pipe().unwrap();
    check_play(
        Program::run_with_stderr(loud(), writer, &log),
        "a pipe that is not read",
    )
    .await;
    drop(reader);

    let command = loud();
    let mut closed = Command::new("sh");
    closed
        .args(["-c", "exec \"$0\" \"$@\" 2>&-"])
        .arg(command.get_program())
        .args(command.get_args())
        .env_remove("DATABASE_URL")
        .env("RUST_LOG", "trace");
    check_play(Program::run(closed, &log), "closed").await;

    // Ends with an error keep their exit codes.
    let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = occupied.local_addr().unwrap().to_string();
    for (arguments, code) in [
        (&["--listen", &address, "--database", "memory:"][..], 1),
        (&["--listen", "nowhere"], 2),
        (&["play", "--record", "/no/such/folder/game.json"], 1),
    ] {
        let ended = program()
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(full())
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn an_invalid_host_is_refused_with_an_explanation() {
    for (name, expected) in [
        ("", "write a name"),
        ("https://dice.example", "without the https://"),
        ("dice.example/play", "without a path"),
        ("dice.example:8080", "at every port"),
        ("dice example", "letters a to z"),
        ("*.example", "no *"),
    ] {
        let ended = program()
            .args(["--database", "memory:", "--host", name])
            .output()
            .unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{name}: {stderr}");
        assert!(stderr.contains(expected), "{name}: {stderr}");
        assert_eq!(ended.stdout, b"");
    }
}

#[tokio::test]
async fn host_names_are_case_insensitive() {
    let home = Home::new();
    let program = home.start_with(&[], &["--host", "Dice.Example."]);
    for (host, status) in [
        ("dice.example", 200),
        ("DICE.example:8443", 200),
        ("dice.example:abc", 400),
        ("other.example", 421),
    ] {
        let request = Client::new().get(format!("{}/robots.txt", program.url));
        let answer = request.header(HOST, host).send().await.unwrap();
        assert_eq!(answer.status(), status, "{host}");
        // Health probes may use any host name.
        for probe in ["healthz", "readyz"] {
            let request = Client::new().get(format!("{}/{probe}", program.url));
            let answer = request.header(HOST, host).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{probe} {host}");
        }
    }
}

#[tokio::test]
async fn an_untrusted_proxy_is_reported_once() {
    let home = Home::new();
    let program = home.start();
    for header in ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-for"] {
        let request = Client::new().get(format!("{}/healthz", program.url));
        let answer = request.header(header, "192.0.2.7").send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    wait_for_log(&program, "--trusted-proxy 127.0.0.1");
    let file = home.file("log");
    assert!(program.terminate().0.success());
    let log = fs::read_to_string(file).unwrap();
    assert_eq!(log.matches("--trusted-proxy").count(), 1, "{log}");

    let program = home.start_with(&[], &["--trusted-proxy", "127.0.0.0/8"]);
    let request = Client::new().get(format!("{}/healthz", program.url));
    let answer = request.header("x-forwarded-for", "192.0.2.7").send().await;
    assert_eq!(answer.unwrap().status(), 200);
    let request = Client::new().get(format!("{}/healthz", program.url));
    let answer = request.header("x-forwarded-for", "unknown").send().await;
    assert_eq!(answer.unwrap().status(), 400);
    program.terminate();
    let log = fs::read_to_string(home.file("log")).unwrap();
    assert_eq!(log.matches("--trusted-proxy").count(), 1, "{log}");
}

/// Clients that keep their connections open; the best of three, because the machine may be busy. Connections beyond
/// the file limit are rejected, and the program can still open its own files.
#[cfg(unix)]
#[test]
fn few_open_files_are_enough_for_the_connections_that_are_accepted() {
    let home = Home::new();
    let own = home.command();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 120 && exec \"$@\"", "sh"]);
    command.arg(own.get_program()).args(own.get_args());
    let program = Program::run(command, &home.file("log"));
    let address = program.address();
    let connections = (0..150).map(|_| {
        let mut connection = TcpStream::connect(&address).unwrap();
        connection.set_read_timeout(Some(HANG)).unwrap();
        // A rejected connection may already be closed.
        let _ = connection.write_all(b"GET /me HTTP/1.1\r\nHost: localhost\r\n\r\n");
        connection
    });
    let mut connections: Vec<_> = connections.collect();
    let answers = connections.iter_mut().map(|connection| {
        let mut status = [0; 12];
        connection.read_exact(&mut status).map(|()| status)
    });
    let answers: Vec<_> = answers.collect();
    let are = |status: &[u8]| {
        answers
            .iter()
            .flatten()
            .filter(|found| *found == status)
            .count()
    };
    assert!(are(b"HTTP/1.1 200") >= 40, "{answers:?}");
    assert!(are(b"HTTP/1.1 503") >= 10, "{answers:?}");
    let log = fs::read_to_string(home.file("log")).unwrap();
    assert_lacks(&log, &["cannot accept", "open files (os error"]);
}

#[tokio::test]
async fn sigterm_does_not_wait_for_idle_connections() {
    let mut best = HANG;
    for _ in 0..3 {
        let home = Home::new();
        let program = home.start();
        let mut idle = Vec::new();
        for _ in 0..30 {
            let mut stream = TcpStream::connect(program.address()).unwrap();
            stream
                .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .unwrap();
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200");
            idle.push(stream);
        }
        let (status, took) = program.terminate();
        assert_eq!(status.code(), Some(0));
        assert!(took < Duration::from_secs(2), "{took:?}");
        best = best.min(took);
    }
    assert!(best <= Duration::from_millis(100), "{best:?}");
}

/// `timeout` signals both the program and its process group, so the signal arrives twice.
#[tokio::test]
async fn a_doubled_signal_is_an_orderly_end() {
    for _ in 0..10 {
        let home = Home::new();
        let program = home.start();
        let pid = program.pid().to_string();
        let sent = Command::new("kill").args([&pid, &pid]).status().unwrap();
        assert!(sent.success());
        let (status, _) = program.wait_for_exit();
        assert_eq!(status.code(), Some(0));
        let lock = home.file("games.db.lock");
        assert!(!lock.exists(), "the end was not orderly");
    }
}

/// Many champions, each of which thinks for seconds.
#[tokio::test]
async fn sigterm_does_not_wait_for_compute_threads() {
    let home = Home::new();
    let program = home.start_with(&[], &["--thinkers", "2"]);
    for seed in 0..2 {
        let new = json!({"game": "dice", "rules": "v4", "size": 8, "players": 6, "seats": vec!["champion"; 6], "seed": seed});
        let table = program.api().create(new).await;
        table.wait(1).await;
    }
    let (status, took) = program.terminate();
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_that_others_can_read_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new();
    home.start().terminate();
    let file = home.file("games.db");
    let mode = |name: &str| fs::metadata(home.file(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("games.db"), 0o600);
    let quiet = fs::read_to_string(home.file("log")).unwrap();
    assert!(!quiet.contains("chmod"), "{quiet}");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let program = home.start();
    let advice = format!("chmod 600 '{}'", file.display());
    wait_for_log(&program, &advice);
    let new = json!({"game": "dice", "rules": "v4", "players": 2, "seats": ["human", "human"]});
    program.api().create(new).await;
    // The operator follows the advice, and the program is killed: its log and index had the old permissions.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(mode("games.db-wal"), 0o644);
    program.kill();
    let program = home.start();
    program.api().get("/readyz").await;
    for file in ["games.db-wal", "games.db-shm"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    assert_eq!(program.log().matches("chmod").count(), 1);
}

#[test]
fn a_command_of_the_lab_is_answered_with_its_place() {
    for command in ["train", "exploit", "ladder", "load"] {
        for more in [&["--help"][..], &["--games", "5", "x"], &[]] {
            let output = program().arg(command).args(more).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{command} {more:?}");
            assert_eq!(
                String::from_utf8(output.stderr).unwrap(),
                format!(
                    "dice-of-doom: {command} is a command of dice-of-doom-lab now: \
                     cargo run --release --package dice-of-doom-lab -- {command}\n"
                )
            );
            assert!(output.stdout.is_empty());
        }
    }
}
