//! Helpers of the HTTP tests: a server in this process, the real binary, and the calls that most tests make.

#![allow(
    dead_code,
    unused_imports,
    reason = "every test file uses its own part of this"
)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

pub(crate) mod acknowledged_plies;
pub(crate) mod contract;
pub(crate) mod failing_store;
pub(crate) mod loops;
pub(crate) mod page;
pub(crate) mod person;
pub(crate) mod pinned;
pub(crate) mod pseudo_language;
pub(crate) mod records;

use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader, Write as _};
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::games::Registry;
use dice_of_doom::http::base_path::BasePath;
use dice_of_doom::http::connections::{self, ConnectionLimits};
use dice_of_doom::http::guard::RequestGuard;
use dice_of_doom::http::rate_limit::RateLimiter;
use dice_of_doom::site::shared::subscribers::{StreamLimits, SubscriberRegistry};
use dice_of_doom::site::{self, RateLimits};
use dice_of_doom::store::Store;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::tables::{Environment, Service, ServiceSettings};
use rand::rngs::ChaCha20Rng;
use rand::{Rng as _, SeedableRng as _};
use reqwest::{Client, Response, StatusCode, header};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpSocket;
use tokio_util::sync::CancellationToken;

pub(crate) use loops::{HANG, times, until};
pub(crate) use page::Page;
pub(crate) use person::{Form, Person, api_path, read_page};

use contract::Contract;

/// The routes of the site as its source has them: the path, and the text with its handlers.
pub(crate) fn routes() -> Vec<(String, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/site")];
    let mut routes = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(path).unwrap();
            let found = source.split(".route(").skip(1);
            let found =
                found.filter_map(|route| route.trim_start().strip_prefix('"')?.split_once('"'));
            routes.extend(found.map(|(path, rest)| (path.to_owned(), rest.to_owned())));
        }
    }
    routes
}

/// An environment whose dice, ids and secrets are the same in each run.
pub(crate) fn seeded_environment(seed: u64) -> Environment {
    let random = Mutex::new(ChaCha20Rng::seed_from_u64(seed));
    Environment {
        entropy: Arc::new(move |bytes| random.lock().unwrap().fill_bytes(bytes)),
        ..Environment::default()
    }
}

/// An environment with a clock that shows what the test stores in it.
pub(crate) fn with_clock(environment: Environment, ms: i64) -> (Environment, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(ms));
    let clock = Arc::clone(&now);
    let clock = Arc::new(move || clock.load(Ordering::SeqCst));
    (
        Environment {
            clock,
            ..environment
        },
        now,
    )
}

/// The configuration of a server in this process.
pub(crate) struct ServerConfig {
    pub(crate) base_path: BasePath,
    pub(crate) limits: ConnectionLimits,
    pub(crate) loopback: LoopbackPolicy,
    pub(crate) games: Registry,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) environment: Environment,
    pub(crate) settings: ServiceSettings,
    pub(crate) streams: StreamLimits,
    /// Bytes that one address may store in a day.
    pub(crate) stored_bytes: u32,
    /// Moves that one address may make in a minute.
    pub(crate) moves: u32,
    /// Read quota of one address in a minute.
    pub(crate) reads: u32,
    /// The system's send buffer of a connection.
    pub(crate) send_buffer: Option<u32>,
    pub(crate) contract: Arc<Contract>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        ServerConfig {
            base_path: BasePath::default(),
            limits: ConnectionLimits::default(),
            loopback: LoopbackPolicy::Exempt,
            games: Registry::builtin(),
            store: Arc::new(SqliteStore::in_memory()),
            environment: Environment::default(),
            settings: ServiceSettings::default(),
            streams: StreamLimits::default(),
            stored_bytes: u32::MAX,
            moves: 3,
            reads: 1_000,
            send_buffer: None,
            contract: Contract::shared(),
        }
    }
}

impl ServerConfig {
    /// A server to which this machine is a proxy for other networks.
    pub(crate) fn behind_proxy() -> Self {
        let mut config = ServerConfig::default();
        config.limits.proxies = vec!["127.0.0.1".parse().unwrap()];
        config
    }

    /// Games in a file.
    pub(crate) async fn on_file(file: &Path) -> Self {
        ServerConfig {
            store: Arc::new(SqliteStore::open(file).await.unwrap()),
            ..ServerConfig::default()
        }
    }
}

/// A server in this process; it stops at the end of the test.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) service: Service,
    pub(crate) app: site::App,
    pub(crate) gallery: Arc<SubscriberRegistry>,
    stop: CancellationToken,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::start_with(ServerConfig::default()).await
    }

    /// A server whose configuration differs from the default one in what the function changes.
    pub(crate) async fn with(change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut config = ServerConfig::default();
        change(&mut config);
        Self::start_with(config).await
    }

    /// A server with this store.
    pub(crate) async fn on(store: Arc<dyn Store>) -> Self {
        Self::with(|config| config.store = store).await
    }

    pub(crate) async fn start_with(config: ServerConfig) -> Self {
        let ServerConfig {
            base_path,
            limits,
            loopback,
            games,
            store,
            environment,
            settings,
            streams,
            stored_bytes,
            moves,
            reads,
            send_buffer,
            contract,
        } = config;
        let settings = ServiceSettings {
            loopback,
            ..settings
        };
        let service = Service::with_environment(environment, games, store, settings);
        let throttle = |count| Arc::new(RateLimiter::new(count, Duration::from_secs(60), loopback));
        let stop = CancellationToken::new();
        let gallery = Arc::new(SubscriberRegistry::new(
            StreamLimits {
                loopback,
                ..streams
            },
            stop.clone(),
        ));
        let throttles = RateLimits {
            stored_bytes: Arc::new(RateLimiter::new(
                stored_bytes,
                Duration::from_secs(24 * 60 * 60),
                loopback,
            )),
            games: throttle(2),
            moves: throttle(moves),
            reads: throttle(reads),
            wrong_codes: throttle(10),
            subscribers: Arc::clone(&gallery),
        };
        let guard = RequestGuard {
            base_path,
            body_timeout: limits.body_timeout,
            max_body_bytes: limits.max_body_bytes,
            proxies: limits.proxies.clone(),
            ..RequestGuard::default()
        };
        let (app, routes) = site::serve(service.clone(), throttles, guard);
        let routes = contract::with_contract(routes, service.games(), &contract);
        let local = "127.0.0.1:0".parse().unwrap();
        let listener = match send_buffer {
            None => connections::bind(local).await.unwrap(),
            Some(bytes) => {
                let socket = TcpSocket::new_v4().unwrap();
                socket.set_send_buffer_size(bytes).unwrap();
                socket.bind(local).unwrap();
                socket.listen(64).unwrap()
            }
        };
        let address = listener.local_addr().unwrap();
        tokio::spawn(connections::serve(listener, routes, limits, stop.clone()));
        Server {
            address,
            service,
            app,
            gallery,
            stop,
        }
    }

    /// Stops the server as SIGTERM does.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(self.url(""))
    }

    pub(crate) fn person(&self) -> Person {
        Person::new(&self.url(""))
    }

    /// Somebody whose browser refuses cookies.
    pub(crate) fn person_without_cookies(&self) -> Person {
        Person::without_cookies(&self.url(""))
    }

    pub(crate) fn people<const N: usize>(&self) -> [Person; N] {
        std::array::from_fn(|_| self.person())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The program as a child process; it is killed at the end of the test.
pub(crate) struct Program {
    child: Child,
    pub(crate) url: String,
    log: PathBuf,
}

impl Program {
    /// Starts the program on a free port and waits until it prints its address.
    pub(crate) fn start(database: &str, log: &Path) -> Self {
        Self::start_with(database, log, &[])
    }

    pub(crate) fn start_with(database: &str, log: &Path, environment: &[(&str, &str)]) -> Self {
        let mut command = program();
        command.envs(environment.iter().copied()).args([
            "--listen",
            "127.0.0.1:0",
            "--database",
            database,
        ]);
        Program::run(command, log)
    }

    /// Runs a command that becomes the program.
    pub(crate) fn run(command: Command, log: &Path) -> Self {
        let stderr = File::options().create(true).append(true).open(log).unwrap();
        Self::run_with_stderr(command, stderr, log)
    }

    /// Like [`Program::run`], with another stderr than the log.
    pub(crate) fn run_with_stderr(
        mut command: Command,
        stderr: impl Into<Stdio>,
        log: &Path,
    ) -> Self {
        command.stderr(stderr);
        match Self::try_run(command, log) {
            Ok(program) => program,
            Err(status) => panic!("it prints no address and ends with {status}; {}", read(log)),
        }
    }

    /// Runs a command that becomes the program; its exit status if it ends before it prints its address.
    pub(crate) fn try_run(mut command: Command, log: &Path) -> Result<Self, ExitStatus> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        match url {
            None => Err(child.wait().unwrap()),
            Some(url) => Ok(Program {
                url: url.trim_end_matches('/').to_owned(),
                child,
                log: log.to_owned(),
            }),
        }
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(self.url.clone())
    }

    pub(crate) fn person(&self) -> Person {
        Person::new(&self.url)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The host and port, for raw sockets.
    pub(crate) fn address(&self) -> String {
        self.url.trim_start_matches("http://").to_owned()
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM; returns the exit status and how long the exit took.
    pub(crate) fn terminate(self) -> (ExitStatus, Duration) {
        let sent = Command::new("kill")
            .arg(self.child.id().to_string())
            .status()
            .unwrap();
        assert!(sent.success());
        self.wait_for_exit()
    }

    /// Waits for the exit after a stop was requested; returns the exit status and how long it took.
    pub(crate) fn wait_for_exit(mut self) -> (ExitStatus, Duration) {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, begin.elapsed());
            }
            assert!(begin.elapsed() < HANG, "it does not end; {}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn log(&self) -> String {
        read(&self.log)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for the database and the log of the program.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Home(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The file of the database.
    pub(crate) fn games(&self) -> PathBuf {
        self.file("games.db")
    }

    /// The database as an argument.
    pub(crate) fn database(&self) -> String {
        format!("sqlite:{}", self.games().display())
    }

    /// The program on this database and a free port.
    pub(crate) fn command(&self) -> Command {
        let mut command = program();
        let database = self.database();
        command.args(["--listen", "127.0.0.1:0", "--database", &database]);
        command
    }

    pub(crate) fn start(&self) -> Program {
        self.start_with(&[], &[])
    }

    pub(crate) fn start_with(&self, environment: &[(&str, &str)], flags: &[&str]) -> Program {
        let mut command = self.command();
        command.envs(environment.iter().copied()).args(flags);
        Program::run(command, &self.file("log"))
    }
}

/// The command of the program, without the configuration in environment variables.
pub(crate) fn program() -> Command {
    let mut command = Command::new(program_file());
    command.env_remove("DATABASE_URL");
    command
}

/// Runs a command to its end with this input.
pub(crate) fn run_with_input(command: &mut Command, input: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Like [`program`], with no signal ignored: shells ignore some signals for background processes.
pub(crate) fn program_with_signals() -> Command {
    let program = program();
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(program.get_program());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The path of the binary. Cargo provides it to tests of its own package; those of others look where Cargo puts it.
fn program_file() -> PathBuf {
    if let Some(file) = option_env!("CARGO_BIN_EXE_dice-of-doom") {
        return file.into();
    }
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap();
    let file = built.join(format!("dice-of-doom{}", std::env::consts::EXE_SUFFIX));
    assert!(
        file.exists(),
        "there is no {}: cargo build --package dice-of-doom makes it, with --release for benches",
        file.display()
    );
    file
}

/// A port on which nothing listens, below those that systems give to connections and to listeners without a port: so
/// nobody else gets it before the test uses it.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test programs that run at the same time begin at different places.
    let first = std::process::id() as u16 % 900 * 20;
    let mut ports = std::iter::repeat_with(|| {
        12_000 + first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 18_000
    });
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.find(is_free).unwrap()
}

/// Whether another program is installed; prints the name of a missing one. With `DOD_NO_TOOLS=1` all count as missing.
pub(crate) fn is_installed(program: &str) -> bool {
    let mut found = Command::new("sh");
    found.args(["-c", &format!("command -v {program}")]);
    let found = std::env::var_os("DOD_NO_TOOLS").is_none()
        && found.stdout(Stdio::null()).status().unwrap().success();
    if !found {
        println!("skipped: {program} is not there");
    }
    found
}

/// Whether the test runs in a process of its own. If not, runs it again in one, and panics if it fails there. `test`
/// is its full path, such as `memory::untouched_games_take_little_memory`.
pub(crate) fn is_alone(test: &str) -> bool {
    const ALONE: &str = "DOD_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args([test, "--exact", "--nocapture"]).env(ALONE, "1");
    let Output {
        status,
        stdout,
        stderr,
    } = again.output().unwrap();
    let output = String::from_utf8_lossy(&stdout);
    println!("{output}");
    eprintln!("{}", String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{test} in a process of its own");
    assert!(output.contains("1 passed"), "there is no test {test}");
    false
}

/// The resident memory of a process in bytes, on Linux.
pub(crate) fn resident_bytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib: u64 = line
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    kib * 1024
}

fn read(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}

/// A client of the API.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) client: Client,
    pub(crate) url: String,
}

impl Api {
    pub(crate) fn new(url: String) -> Self {
        let client = Client::builder().timeout(HANG).build().unwrap();
        Api { client, url }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.client
            .get(format!("{}{path}", self.url))
            .send()
            .await
            .unwrap()
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        let request = self.client.post(format!("{}{path}", self.url));
        request.json(body).send().await.unwrap()
    }

    /// Posts with the token of a seat.
    pub(crate) async fn post_as(&self, token: &str, path: &str, body: &Value) -> Response {
        let request = self.client.post(format!("{}{path}", self.url));
        request.bearer_auth(token).json(body).send().await.unwrap()
    }

    /// A post that must be refused with this status; returns the problem.
    pub(crate) async fn refused(&self, path: &str, body: &Value, status: u16) -> Value {
        problem(self.post(path, body).await, status).await
    }

    /// A post with the token of a seat that must be refused with this status; returns the problem.
    pub(crate) async fn refused_as(
        &self,
        token: &str,
        path: &str,
        body: &Value,
        status: u16,
    ) -> Value {
        problem(self.post_as(token, path, body).await, status).await
    }

    /// Opens an event stream.
    pub(crate) async fn events(&self, path: &str) -> Events {
        Events::new(self.get(path).await)
    }

    /// The time from sending a ply until a stream reports it: the third shortest of nine, because buffering delays most of
    /// them and a busy machine only some.
    pub(crate) async fn event_delay(&self) -> Duration {
        let new = serde_json::json!({"game": "dice", "players": 2, "seats": ["human", "human"], "seed": 1});
        let table = self.create(new).await;
        let mut events = table.events_from(0).await;
        let mut took = Vec::new();
        for ply in 0..9 {
            let now = table.state().await;
            let path = likely(&table.moves().await);
            let begun = Instant::now();
            table
                .play(number(&now["player"]) as usize, ply, &path)
                .await;
            while events.next("ply").await.data["ply"] != ply {}
            took.push(begun.elapsed());
        }
        took.sort();
        took[2]
    }

    /// Creates a game; panics if it is refused.
    pub(crate) async fn create(&self, body: Value) -> Table {
        let response = self.post("/api/v1/games", &body).await;
        let status = response.status();
        let text = response.text().await.unwrap();
        assert_eq!(status, 201, "{body}: {text}");
        Table::from_created(self, serde_json::from_str(&text).unwrap())
    }
}

/// A game with the seat tokens of its people.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) api: Api,
    pub(crate) id: String,
    pub(crate) tokens: Vec<Option<String>>,
    /// The response to its creation.
    pub(crate) game: Value,
}

impl Table {
    /// The same game on a restarted server.
    pub(crate) fn on_server(&self, api: &Api) -> Table {
        Table {
            api: api.clone(),
            ..self.clone()
        }
    }

    /// The table of a response to the creation of a game.
    pub(crate) fn from_created(api: &Api, game: Value) -> Table {
        let tokens = game["seats"].as_array().unwrap().iter();
        Table {
            api: api.clone(),
            id: game["id"].as_str().unwrap().to_owned(),
            tokens: tokens
                .map(|seat| seat["token"].as_str().map(str::to_owned))
                .collect(),
            game,
        }
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/api/v1/games/{}{rest}", self.id)
    }

    pub(crate) fn token(&self, player: usize) -> &str {
        self.tokens[player]
            .as_deref()
            .expect("the seat is a person's")
    }

    pub(crate) async fn state(&self) -> Value {
        self.api.json(&self.path("")).await
    }

    /// The state of the game as soon as it has reached this ply.
    pub(crate) async fn wait(&self, ply: u64) -> Value {
        self.api.json(&self.path(&format!("?wait={ply}"))).await
    }

    pub(crate) async fn moves(&self) -> Value {
        self.api.json(&self.path("/moves")).await
    }

    pub(crate) async fn record(&self) -> Value {
        self.api.json(&self.path("/record")).await
    }

    /// Opens the game's event stream from this ply on.
    pub(crate) async fn events_from(&self, ply: u64) -> Events {
        let path = self.path(&format!("/events?from={ply}"));
        self.api.events(&path).await
    }

    pub(crate) async fn post(&self, player: usize, ply: u64, path: &Value) -> Response {
        let body = json!({"ply": ply, "path": path});
        self.send(player, "/moves", &body).await
    }

    /// Posts to a path of the game with the token of a player.
    pub(crate) async fn send(&self, player: usize, rest: &str, body: &Value) -> Response {
        let path = self.path(rest);
        self.api.post_as(self.token(player), &path, body).await
    }

    /// A post of a player that must be refused with this status; returns the problem.
    pub(crate) async fn refused(
        &self,
        player: usize,
        rest: &str,
        body: &Value,
        status: u16,
    ) -> Value {
        problem(self.send(player, rest, body).await, status).await
    }

    /// Plays a ply; panics if it is refused.
    pub(crate) async fn play(&self, player: usize, ply: u64, path: &Value) -> Value {
        let response = self.post(player, ply, path).await;
        let status = response.status();
        let text = response.text().await.unwrap();
        assert_eq!(status, 200, "ply {ply}, {path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Waits until a person is to move or the game is over.
    pub(crate) async fn settled(&self) -> Value {
        let mut now = self.state().await;
        while let Some(player) = now["player"].as_u64() {
            if self.tokens[player as usize].is_some() {
                break;
            }
            now = self.wait(number(&now["ply"]) + 1).await;
        }
        now
    }

    /// Plays for all people to the end: the likeliest attack while it is likely, else a pass.
    pub(crate) async fn play_to_the_end(&self) -> Value {
        self.play_plies(usize::MAX).await
    }

    /// Plays as many plies for all people, unless the game is over before; returns its state.
    pub(crate) async fn play_plies(&self, count: usize) -> Value {
        for _ in 0..count {
            let now = self.settled().await;
            let Some(player) = now["player"].as_u64() else {
                return now;
            };
            let choice = likely(&self.moves().await);
            self.play(player as usize, number(&now["ply"]), &choice)
                .await;
        }
        self.settled().await
    }
}

/// A server-sent event.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Event {
    pub(crate) event: String,
    pub(crate) id: Option<u64>,
    /// The data without its field `event`.
    pub(crate) data: Value,
    pub(crate) retry: Option<u64>,
}

impl Event {
    /// Parses a message. Its data has the name of the event, too.
    pub(crate) fn parse(message: &str) -> Event {
        let mut event = Event::default();
        for line in message.lines() {
            match line.split_once(": ").unwrap() {
                ("event", name) => event.event = name.to_owned(),
                ("id", id) => event.id = Some(id.parse().unwrap()),
                ("data", data) => event.data = serde_json::from_str(data).unwrap(),
                ("retry", retry) => event.retry = Some(retry.parse().unwrap()),
                ("", _) => event.event = "comment".to_owned(),
                _ => panic!("{line:?} is not a line of an event"),
            }
        }
        if let Some(data) = event.data.as_object_mut() {
            assert_eq!(data.remove("event"), Some(json!(event.event)), "{message}");
        }
        event
    }

    /// The data as it was sent.
    pub(crate) fn sent_data(&self) -> Value {
        let mut data = self.data.clone();
        data["event"] = json!(self.event);
        data
    }
}

/// An open event stream.
pub(crate) struct Events {
    response: Response,
    /// Received text that has not been parsed.
    rest: String,
}

impl Events {
    pub(crate) fn new(response: Response) -> Events {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Events {
            response,
            rest: String::new(),
        }
    }

    /// The next message as it was sent, without its empty line; `None` at the end.
    pub(crate) async fn raw(&mut self) -> Option<String> {
        loop {
            if let Some((message, rest)) = self.rest.split_once("\n\n") {
                let message = message.to_owned();
                self.rest = rest.to_owned();
                return Some(message);
            }
            match self.response.chunk().await.unwrap() {
                Some(chunk) => self.rest += std::str::from_utf8(&chunk).unwrap(),
                None => {
                    assert_eq!(self.rest, "", "incomplete message");
                    return None;
                }
            }
        }
    }

    /// The next event of this name; others are skipped.
    pub(crate) async fn next(&mut self, name: &str) -> Event {
        let found = tokio::time::timeout(HANG, self.find(name));
        found.await.unwrap_or_else(|_| panic!("no event {name}"))
    }

    async fn find(&mut self, name: &str) -> Event {
        loop {
            let message = self.raw().await;
            let message = message.unwrap_or_else(|| panic!("the stream ended before {name}"));
            let event = Event::parse(&message);
            if event.event == name {
                return event;
            }
        }
    }

    /// The plies `from` to `to`, each once and in order.
    pub(crate) async fn plies(&mut self, from: u64, to: u64) -> Vec<Value> {
        let mut plies = Vec::new();
        for number in from..=to {
            let event = self.next("ply").await;
            assert_eq!(event.id, Some(number), "{}", event.data);
            assert_eq!(event.data["ply"], number);
            plies.push(event.data);
        }
        plies
    }
}

/// The plies of a record as they are sent during the game: without the positions at which they were rolled.
pub(crate) fn sent_plies(record: &Value) -> Vec<Value> {
    let mut plies = record["plies"].as_array().unwrap().clone();
    for ply in &mut plies {
        ply.as_object_mut().unwrap().remove("before");
    }
    plies
}

/// The likeliest attack if it is at least one of equals (0.42 to 0.46) or nothing else is legal; else a pass. Without
/// attacks of equals, two full hexes would face each other for ever.
pub(crate) fn likely(moves: &Value) -> Value {
    let moves = moves["moves"].as_array().unwrap();
    let odds = |one: &&Value| one["odds"].as_f64().unwrap_or(1.0);
    let attacks = moves.iter().filter(|one| !one["path"].is_null());
    let best = attacks.max_by(|a, b| odds(a).total_cmp(&odds(b)));
    let pass = moves.iter().find(|one| one["path"].is_null());
    match (best, pass) {
        (Some(best), Some(_)) if odds(&best) > 0.4 => best["path"].clone(),
        (Some(best), None) => best["path"].clone(),
        _ => Value::Null,
    }
}

pub(crate) fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The problem document of a response, which must have this status.
pub(crate) async fn problem(response: Response, status: u16) -> Value {
    let found = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let text = response.text().await.unwrap();
    assert_eq!(found, StatusCode::from_u16(status).unwrap(), "{text}");
    assert_eq!(kind.unwrap(), "application/problem+json", "{text}");
    let problem: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(problem["status"], status, "{problem}");
    for member in ["type", "title", "detail"] {
        assert!(problem[member].is_string(), "{problem}");
    }
    problem
}

/// A client without redirects and cookies.
pub(crate) fn plain_client() -> Client {
    let none = reqwest::redirect::Policy::none();
    Client::builder().redirect(none).build().unwrap()
}

/// A page requested with these headers, such as `accept-language` and `cookie`.
pub(crate) async fn get_with(server: &Server, path: &str, headers: &[(&str, &str)]) -> Response {
    let reader = server.person_without_cookies();
    reader.with_all(headers).get(path).await
}

/// A header of a response; empty if it is missing.
pub(crate) fn header_of<'a>(response: &'a Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

/// The cookies that a response sets, as a browser sends them back.
pub(crate) fn cookies_of(response: &Response) -> String {
    let lines = response.headers().get_all("set-cookie").iter();
    let lines = lines.map(|line| line.to_str().unwrap().split(';').next().unwrap());
    lines.collect::<Vec<_>>().join("; ")
}

/// Panics with the text unless it contains each of these parts.
#[track_caller]
pub(crate) fn assert_contains(text: &(impl Deref<Target = str> + Display), parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

/// Panics with the text if it contains one of these parts.
#[track_caller]
pub(crate) fn assert_lacks(text: &(impl Deref<Target = str> + Display), parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part:?} in {text}");
    }
}

/// Checks the headers that every response must have.
#[track_caller]
pub(crate) fn check_headers(headers: &header::HeaderMap, of: &str) {
    let policy = headers
        .get("content-security-policy")
        .map(|value| value.to_str().unwrap());
    let policy = policy.unwrap_or_else(|| panic!("{of}: no content security policy"));
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self';"),
        "{of}: {policy}"
    );
    assert!(policy.contains("frame-ancestors 'none'"), "{of}: {policy}");
    let found = headers.get("x-content-type-options").unwrap();
    assert_eq!(found, "nosniff", "{of}");
    let found = headers.get("referrer-policy").unwrap();
    assert_eq!(found, "same-origin", "{of}");
    assert!(headers.contains_key("permissions-policy"), "{of}");
}
