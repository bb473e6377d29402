//! How operators configure the program: addresses, Unix sockets and sockets of systemd; lists on the command line, in
//! the environment and in a file; signals.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use crate::common::{
    HANG, assert_contains, free_port, is_installed, program, program_with_signals,
};
use serde_json::Value;

/// A server that prints each address at which it listens, one per line.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        command.args(["--database", "memory:"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Server { child, out }
    }

    /// The next address.
    #[track_caller]
    fn next_address(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        let place = line.trim_end().strip_prefix("Dice of Doom is open at ");
        place.unwrap_or_else(|| panic!("{line:?}")).to_owned()
    }

    fn signal(mut self, signal: &str) -> ExitStatus {
        let number = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &number]).status();
        assert!(sent.unwrap().success());
        self.child.wait().unwrap()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The response to a request on this connection.
fn response_to(
    mut stream: impl std::io::Read + std::io::Write,
    path: &str,
    headers: &str,
) -> String {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[track_caller]
fn check_open(place: &str) {
    let answer = match place.strip_prefix("unix:") {
        Some(path) => response_to(UnixStream::connect(path).unwrap(), "/healthz", ""),
        None => {
            let address = place.strip_prefix("http://").unwrap().trim_end_matches('/');
            response_to(TcpStream::connect(address).unwrap(), "/healthz", "")
        }
    };
    assert!(answer.starts_with("HTTP/1.1 200 "), "{place}: {answer}");
}

/// The error message for bad usage.
#[track_caller]
fn refused(command: &mut Command) -> String {
    let ended = command.output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{stderr}");
    assert_eq!(ended.stdout, b"");
    stderr
}

#[test]
fn a_server_listens_at_every_given_address() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, settings) = (
        folder.path().join("socket"),
        folder.path().join("config.toml"),
    );
    let unix = format!("unix:{}", socket.display());
    let text = format!("[serve]\nlisten = [\"127.0.0.1:0\", \"{unix}\"]\n");
    fs::write(&settings, text).unwrap();
    let list = format!("127.0.0.1:0,{unix}");
    for (arguments, variable) in [
        (vec!["--listen", "127.0.0.1:0", "--listen", &unix], None),
        (vec!["--listen", &list], None),
        (vec![], Some(&list)),
        (vec!["--config", settings.to_str().unwrap()], None),
    ] {
        let mut command = program();
        command.args(&arguments);
        if let Some(list) = variable {
            command.env("DOD_LISTEN", list);
        }
        let mut server = Server::start(&mut command);
        let places = [server.next_address(), server.next_address()];
        assert!(places[0].starts_with("http://127.0.0.1:"), "{places:?}");
        assert_eq!(places[1], unix);
        places.iter().for_each(|place| check_open(place));
        assert_eq!(server.signal("TERM").code(), Some(0));
        assert!(!socket.exists(), "{arguments:?}");
    }
}

#[test]
fn a_list_is_refused_where_one_value_is_expected() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("config.toml");
    let of = |text: &str| {
        fs::write(&settings, text).unwrap();
        let mut command = program();
        command.arg("--config").arg(&settings);
        command
    };
    for row in [
        "[serve]\nmetrics = [\"127.0.0.1:1\", \"127.0.0.1:2\"] | metrics takes one value",
        "[serve]\nlimit-tables = [1, 2] | limit-tables takes one value",
        "[serve]\ndatabase = [] | database takes one value",
    ] {
        let (text, message) = row.split_once(" | ").unwrap();
        let complaint = refused(&mut of(text));
        assert!(complaint.contains(message), "{complaint}");
    }
}

/// The seats of an arena's report.
#[track_caller]
fn seats(command: &mut Command) -> Vec<String> {
    let ended = command.output().unwrap();
    let complaints = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{complaints}");
    let report: Value = serde_json::from_slice(&ended.stdout).unwrap();
    let seats = report["contestants"].as_array().unwrap().iter();
    let names = seats.map(|seat| seat["contestant"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn lists_are_the_same_on_the_command_line_in_the_environment_and_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("config.toml");
    let file = |text: &str| {
        fs::write(&settings, format!("[arena]\n{text}\n")).unwrap();
    };
    let arena = || {
        let mut command = program();
        command.args("arena --side 3 --players 2 --boards 1 --json".split(' '));
        command
    };
    let with_file = || {
        let mut command = arena();
        command.arg("--config").arg(&settings);
        command
    };
    let expected = ["greedy", "random"];
    assert_eq!(seats(arena().args(["--seats", "greedy,random"])), expected);
    let found = seats(arena().args(["--seats", "greedy", "--seats", "random"]));
    assert_eq!(found, expected);
    assert_eq!(seats(arena().env("DOD_SEATS", "greedy,random")), expected);
    for text in [
        "seats = [\"greedy\", \"random\"]",
        "seats = \"greedy,random\"",
    ] {
        file(text);
        assert_eq!(seats(&mut with_file()), expected, "{text}");
        // The command line takes precedence, even where its options exclude those of the file.
        let found = seats(with_file().args(["--seats", "book,random"]));
        assert_eq!(found, ["book", "random"]);
        let ladder = with_file()
            .args(["--ladder", "random,greedy"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&ladder.stdout).unwrap();
        assert_eq!(report["steps"].as_array().unwrap().len(), 1, "{report}");
    }
    file("ladder = [\"random\", \"greedy\"]");
    let ladder = with_file().output().unwrap();
    let report: Value = serde_json::from_slice(&ladder.stdout).unwrap();
    assert_eq!(report["steps"].as_array().unwrap().len(), 1, "{report}");
    let found = seats(with_file().args(["--seats", "book,random"]));
    assert_eq!(found, ["book", "random"]);
    file("move-time = 20");
    let found = seats(with_file().args(["--seats", "greedy,random", "--nodes", "5"]));
    assert_eq!(found, expected);

    // Host names.
    fs::write(
        &settings,
        "[serve]\nhost = [\"a.example\", \"b.example\"]\n",
    )
    .unwrap();
    let hosts = "a.example,b.example";
    for (arguments, variable) in [
        (vec!["--host", hosts], None),
        (vec!["--host", "a.example", "--host", "b.example"], None),
        (vec![], Some(hosts)),
        (vec!["--config", settings.to_str().unwrap()], None),
    ] {
        let mut command = program();
        command.args(["--listen", "127.0.0.1:0"]).args(&arguments);
        if let Some(hosts) = variable {
            command.env("DOD_HOST", hosts);
        }
        let mut server = Server::start(&mut command);
        let place = server.next_address();
        let address = place.trim_start_matches("http://").trim_end_matches('/');
        for host in ["a.example", "b.example"] {
            let mut stream = TcpStream::connect(address).unwrap();
            let request = format!("GET /healthz HTTP/1.0\r\nHost: {host}\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.contains(" 200 "), "{arguments:?} {host}: {answer}");
        }
    }
}

#[test]
fn invisible_characters_in_a_variable_are_shown() {
    for (name, value, shown) in [
        (
            "DOD_LISTEN",
            "127.0.0.1:0\r",
            r#"DOD_LISTEN is "127.0.0.1:0\r" in the environment"#,
        ),
        ("DOD_LISTEN", "", r#"DOD_LISTEN is "" in the environment"#),
        ("DOD_DRAIN_SECONDS", "3\r", r#"DOD_DRAIN_SECONDS is "3\r""#),
        (
            "DOD_HOST",
            "dice.example\r\n",
            r#"DOD_HOST is "dice.example\r\n""#,
        ),
        ("DOD_HOST", " ", r#"DOD_HOST is " ""#),
        (
            "DOD_LIMIT_LOOPBACK",
            "false\r",
            r#"DOD_LIMIT_LOOPBACK is "false\r""#,
        ),
        ("DOD_LOG_FORMAT", "json\r", r#"DOD_LOG_FORMAT is "json\r""#),
        ("DOD_CONFIG", "", r#"DOD_CONFIG is """#),
        (
            "DOD_CONFIG",
            "/etc/dice.toml\r",
            r#"DOD_CONFIG is "/etc/dice.toml\r""#,
        ),
        (
            "DATABASE_URL",
            "postgres://ada:secret@db/games\r",
            "DATABASE_URL is written with",
        ),
        ("DATABASE_URL", "", "DATABASE_URL is empty"),
    ] {
        for command in [&[][..], &["serve"]] {
            let stderr = refused(program().args(command).env(name, value));
            assert!(stderr.contains(shown), "{stderr}");
            assert!(
                !stderr.contains('\r') && !stderr.contains("secret"),
                "{stderr}"
            );
        }
    }
    let stderr = refused(program().args(["--listen", "127.0.0.1:0\r"]));
    assert!(
        stderr.contains(r"'127.0.0.1:0\r'") && !stderr.contains('\r'),
        "{stderr}"
    );
    // Variables that are not used, or that the command line overrides, do not matter.
    let mut version = program();
    version.arg("--version").env("DOD_LISTEN", "\r");
    assert!(version.output().unwrap().status.success());
    let mut other = program();
    other.args(["completions", "bash"]).env("DOD_LISTEN", "");
    assert!(other.output().unwrap().status.success());
    let mut command = program();
    command
        .args(["--listen", "127.0.0.1:0"])
        .env("DOD_LISTEN", "");
    Server::start(&mut command).next_address();
    for filter in ["debug\r", ""] {
        let mut command = program();
        let ended = command
            .args(["check", "Cargo.toml"])
            .env("RUST_LOG", filter)
            .output();
        let stderr = String::from_utf8(ended.unwrap().stderr).unwrap();
        assert!(
            stderr.contains(&format!("RUST_LOG={filter:?} is not a valid log filter")),
            "{stderr}"
        );
    }
}

/// A socket file in a folder of its own.
fn socket() -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dice.sock");
    let place = format!("unix:{}", path.display());
    (folder, path, place)
}

fn at_socket(place: &str, more: &[&str]) -> Server {
    Server::start(program().args(["--listen", place]).args(more))
}

#[track_caller]
fn check_refused_socket(place: &str, expected: &str) {
    let mut command = program();
    let ended = command
        .args(["--database", "memory:", "--listen", place])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert_contains(&stderr, &[place, expected]);
}

#[test]
fn a_socket_file_is_made_and_removed() {
    let (_folder, path, place) = socket();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (access, expected) in [("owner", 0o600), ("group", 0o660), ("everybody", 0o666)] {
        let mut server = at_socket(&place, &["--socket-access", access]);
        assert_eq!(server.next_address(), place);
        assert_eq!(mode(&path), expected);
        check_open(&place);
        assert_eq!(server.signal("INT").code(), Some(0));
        assert!(!path.exists());
    }
    // A socket file that was left behind is replaced; one in use is not.
    let mut killed = at_socket(&place, &[]);
    killed.next_address();
    killed.kill();
    assert!(path.exists());
    let mut server = at_socket(&place, &[]);
    server.next_address();
    assert_eq!(mode(&path), 0o660);
    check_refused_socket(&place, "another program listens there");
    check_open(&place);
    // A socket file that has been replaced belongs to another process, and is not removed.
    fs::remove_file(&path).unwrap();
    let _other = UnixListener::bind(&path).unwrap();
    assert_eq!(server.signal("TERM").code(), Some(0));
    assert!(path.exists());
    fs::remove_file(&path).unwrap();
    fs::write(&path, "dear diary").unwrap();
    check_refused_socket(&place, "no socket");
    assert_eq!(fs::read_to_string(&path).unwrap(), "dear diary");
    check_refused_socket("unix:/no/such/folder/socket", "No such file");
}

#[test]
fn clients_of_a_socket_are_proxies() {
    let (_folder, path, place) = socket();
    let limits = [
        "--limit-reads-per-second",
        "1",
        "--limit-connections-per-address",
        "1",
    ];
    let mut server = at_socket(&place, &limits);
    server.next_address();
    let look = |headers: &str| {
        let answer = response_to(UnixStream::connect(&path).unwrap(), "/rules", headers);
        answer.split_whitespace().nth(1).unwrap().to_owned()
    };
    // Without a forwarded address the client counts as local.
    assert_eq!([look(""), look(""), look("")], ["200", "200", "200"]);
    let _open = [(); 3].map(|()| UnixStream::connect(&path).unwrap());
    let from = |address: &str| look(&format!("X-Forwarded-For: {address}\r\n"));
    let seen: Vec<String> = (0..5).map(|_| from("192.0.2.1")).collect();
    assert!(seen.contains(&"429".to_owned()), "{seen:?}");
    assert_eq!(from("192.0.2.2"), "200");
    assert_eq!(from("nobody"), "400");
}

/// Starts a server as systemd does, with sockets that are already open, through Python.
fn with_systemd_sockets(sockets: &str, more: &[&str]) -> Command {
    let script = format!(
        "import os, socket, sys\n\
         sockets = [{sockets}]\n\
         for number, one in enumerate(sockets):\n\
         \x20   if isinstance(one, socket.socket): one.listen(16)\n\
         \x20   os.dup2(one.fileno(), 100 + number)\n\
         for number in range(len(sockets)):\n\
         \x20   os.dup2(100 + number, 3 + number)\n\
         os.environ['LISTEN_FDS'] = str(len(sockets))\n\
         os.environ['LISTEN_PID'] = str(os.getpid())\n\
         os.execv(sys.argv[1], sys.argv[1:])\n"
    );
    let program = program();
    let mut command = Command::new("python3");
    command
        .args(["-c", &script])
        .arg(program.get_program())
        .args(more);
    command.env_remove("DATABASE_URL");
    command
}

#[test]
fn sockets_of_systemd_are_served() {
    if !is_installed("python3") {
        return;
    }
    let (_folder, path, place) = socket();
    let port = free_port();
    let tcp = format!("(lambda s: (s.bind(('127.0.0.1', {port})), s)[1])(socket.socket())");
    let unix = format!(
        "(lambda s: (s.bind('{}'), s)[1])(socket.socket(socket.AF_UNIX))",
        path.display()
    );
    let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
    let occupied = occupied.local_addr().unwrap().to_string();
    let mut command = with_systemd_sockets(&format!("{tcp}, {unix}"), &["--listen", &occupied]);
    let mut server = Server::start(&mut command);
    let places = [server.next_address(), server.next_address()];
    assert_eq!(places, [format!("http://127.0.0.1:{port}/"), place]);
    places.iter().for_each(|place| check_open(place));
    assert_eq!(server.signal("TERM").code(), Some(0));
    assert!(path.exists(), "the file is systemd's");

    let ended = with_systemd_sockets("open('/dev/null')", &["--database", "memory:"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert_contains(&stderr, &["LISTEN_FDS", "not a socket"]);

    // They were meant for another process.
    let mut other = program();
    other
        .args(["--listen", "127.0.0.1:0"])
        .env("LISTEN_FDS", "1")
        .env("LISTEN_PID", "1");
    check_open(&Server::start(&mut other).next_address());
}

#[test]
fn every_terminating_signal_is_an_orderly_end() {
    let mut signals = vec!["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM"];
    if cfg!(target_os = "linux") {
        signals.extend(["VTALRM", "PROF", "XCPU", "XFSZ", "IO", "PWR", "STKFLT"]);
    }
    let folder = tempfile::tempdir().unwrap();
    for signal in signals {
        let database = folder.path().join(signal);
        let mut command = program_with_signals();
        command.args(["--listen", "127.0.0.1:0", "--database"]);
        command.arg(format!("sqlite:{}", database.display()));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        let lock = folder.path().join(format!("{signal}.lock"));
        assert!(!lock.exists(), "{signal}: not an orderly end");
    }
}

#[test]
fn a_server_outlives_its_terminal_if_requested() {
    let mut command = Command::new("sh");
    let server = program();
    command
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(server.get_program());
    command
        .args(["--listen", "127.0.0.1:0"])
        .env_remove("DATABASE_URL");
    let mut server = Server::start(&mut command);
    let place = server.next_address();
    let number = server.child.id().to_string();
    let sent = Command::new("kill").args(["-s", "HUP", &number]).status();
    assert!(sent.unwrap().success());
    check_open(&place);
    assert_eq!(server.signal("TERM").code(), Some(0));
}

#[test]
fn a_game_in_the_terminal_is_recorded_when_a_signal_ends_it() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("game.json");
        let mut play = program_with_signals()
            .args(["play", "--rules", "v2", "--seed", "7", "--record"])
            .arg(&record)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = play.stdin.take().unwrap();
        input.write_all(b"1\n").unwrap();
        let mut out = BufReader::new(play.stdout.take().unwrap());
        // At the second prompt the typed move has been played.
        let begun = std::time::Instant::now();
        let mut prompts = 0;
        while prompts < 2 {
            assert!(begun.elapsed() < HANG);
            let mut line = String::new();
            assert!(out.read_line(&mut line).unwrap() > 0, "it ends");
            prompts += usize::from(line.starts_with("choose your move"));
        }
        let sent = Command::new("kill")
            .args(["-s", signal, &play.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(play.wait().unwrap().code(), Some(0), "{signal}");
        let record: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
        assert!(!record["plies"].as_array().unwrap().is_empty(), "{record}");
        drop(input);
    }
}
