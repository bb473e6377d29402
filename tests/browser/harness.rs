//! Starts the program, chromedriver and browsers for the tests, and stops them.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::{Method, Url};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::fonts::Fonts;

/// The longest wait for a condition on a page.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The interval between two checks of a page.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
];

/// A child process that is killed on drop.
struct Program(Child);

impl Program {
    /// Starts the command and reads its standard output until `find` returns a value.
    fn start<T>(command: &mut Command, what: &str, find: impl Fn(&str) -> Option<T>) -> (Self, T) {
        Program::try_start(command, what, find).unwrap_or_else(|output| {
            panic!("{what} exited without the expected line; its output was: {output:?}")
        })
    }

    /// Like `start`; if the program exits first, returns its output.
    fn try_start<T>(
        command: &mut Command,
        what: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Result<(Self, T), Vec<String>> {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{what} cannot be started: {error}"));
        let out = child.stdout.take().expect("the stream is piped");
        let program = Program(child);
        let mut lines = BufReader::new(out).lines();
        let mut output = Vec::new();
        while let Some(Ok(line)) = lines.next() {
            if let Some(found) = find(&line) {
                // The pipe must be drained, or the program blocks when it is full.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok((program, found));
            }
            output.push(line);
        }
        Err(output)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A shell script that runs chromedriver until standard input ends, which it also does if the tests crash, and then
/// shuts down chromedriver and its browsers. The first input line is chromedriver's port.
const DRIVER_SCRIPT: &str = r#"
chromedriver --port=0 &
read -r port
cat >/dev/null
curl -s "http://127.0.0.1:$port/shutdown"
wait
"#;

/// A chromedriver whose browsers have the same fonts. All tests of the process share it.
struct Driver {
    port: u16,
    _keeper: Program,
    _open: ChildStdin,
}

/// The maximum number of attempts to start chromedriver: the port that it chooses may be in use by then.
const MAX_STARTS: u32 = 5;

impl Driver {
    fn start(fonts: Fonts) -> Self {
        let settings = fonts.settings();
        let what = "chromedriver (Debian: chromium-driver; these tests need it and chromium)";
        let mut last_output = Vec::new();
        for _ in 0..MAX_STARTS {
            let mut command = Command::new("sh");
            command.args(["-c", DRIVER_SCRIPT]).stdin(Stdio::piped());
            command.env("FONTCONFIG_FILE", &settings);
            match Program::try_start(&mut command, what, |line| {
                let port = line.split("successfully on port ").nth(1)?;
                port.trim_end_matches('.').parse().ok()
            }) {
                Ok((mut keeper, port)) => {
                    let mut open = keeper.0.stdin.take().expect("the stream is piped");
                    writeln!(open, "{port}").expect("the keeper listens");
                    return Driver {
                        port,
                        _keeper: keeper,
                        _open: open,
                    };
                }
                Err(output) => last_output = output,
            }
        }
        panic!("{what} exited without the expected line; its output was: {last_output:?}");
    }
}

/// The chromedriver of each of `Fonts`.
static DRIVERS: [LazyLock<Driver>; 3] = [
    LazyLock::new(|| Driver::start(Fonts::DejaVu)),
    LazyLock::new(|| Driver::start(Fonts::Arial)),
    LazyLock::new(|| Driver::start(Fonts::Noto)),
];

/// The runtime of the connections to the browsers, which outlive the runtimes of the tests.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build();
    runtime.expect("a runtime")
});

/// Idle browsers for later tests. Starting a browser takes as long as a short test.
static IDLE: Mutex<Vec<(BrowserKind, Client)>> = Mutex::new(Vec::new());

/// The settings that a browser is started with.
pub(crate) type BrowserKind = (Scripts, Motion, Cookies, Fonts);

async fn start_browser((scripts, motion, cookies, fonts): BrowserKind) -> Client {
    let mut flags: Vec<&str> = FLAGS.into();
    if motion == Motion::Reduced {
        flags.push("--force-prefers-reduced-motion");
    }
    let mut chrome = json!({ "args": flags });
    let mut prefs = json!({});
    if scripts == Scripts::Off {
        prefs["profile.managed_default_content_settings.javascript"] = json!(2);
    }
    if cookies == Cookies::Blocked {
        prefs["profile.default_content_setting_values.cookies"] = json!(2);
    }
    chrome["prefs"] = prefs;
    let mut capabilities = Capabilities::new();
    capabilities.insert("goog:chromeOptions".to_owned(), chrome);
    capabilities.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
    let driver = format!("http://127.0.0.1:{}", DRIVERS[fonts as usize].port);
    let started = RUNTIME.spawn(async move {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities).connect(&driver).await
    });
    let client = started.await.expect("no panic");
    client.unwrap_or_else(|error| panic!("chromium (Debian: chromium) does not start: {error}"))
}

/// Closes a test's windows and clears the data that its pages have stored.
async fn reset_browser(client: &Client, address: &str) -> Result<(), CmdError> {
    let old = client.windows().await?;
    let new = client.new_window(true).await?.handle;
    for window in old {
        client.switch_to_window(window).await?;
        client.close_window().await?;
    }
    client.switch_to_window(new).await?;
    let stored = json!({ "origin": address, "storageTypes": "all" });
    for (cmd, params) in [
        ("Network.clearBrowserCookies", json!({})),
        ("Storage.clearDataForOrigin", stored),
    ] {
        client
            .issue_cmd(DriverCommand::devtools(cmd, params))
            .await?;
    }
    client.issue_cmd(DriverCommand::read_console()).await?;
    Ok(())
}

/// Whether pages may run scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scripts {
    On,
    Off,
}

/// Whether the user prefers reduced motion. Then there are no animations, and tests need not wait for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Motion {
    Reduced,
    Full,
}

/// Whether the browser accepts cookies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cookies {
    Allowed,
    Blocked,
}

/// A server process.
pub(crate) struct Server {
    pub(crate) address: String,
    _program: Program,
}

impl Server {
    /// Starts a server; with port 0 it uses any free port.
    pub(crate) fn start(listen: &str, database: &str) -> Self {
        Self::start_with(&["--listen", listen, "--database", database])
    }

    pub(crate) fn start_with(options: &[&str]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"));
        server.args(options).env("RUST_LOG", "warn");
        let (program, address) = Program::start(&mut server, "the game", |line| {
            let at = line.find("http://")?;
            Some(line[at..].trim_end_matches('/').to_owned())
        });
        Server {
            address,
            _program: program,
        }
    }

    /// The address without the scheme.
    pub(crate) fn host_and_port(&self) -> String {
        self.address.trim_start_matches("http://").to_owned()
    }
}

/// A browser with the address of the server that it visits.
pub(crate) struct BrowserSession {
    pub(crate) client: Client,
    pub(crate) address: String,
    kind: BrowserKind,
    _server: Option<Server>,
}

impl BrowserSession {
    /// A browser with reduced motion and its own server.
    pub(crate) async fn open(scripts: Scripts) -> Self {
        BrowserSession::open_with_motion(scripts, Motion::Reduced).await
    }

    /// A browser with its own server.
    pub(crate) async fn open_with_motion(scripts: Scripts, motion: Motion) -> Self {
        let server = Server::start("127.0.0.1:0", "memory:");
        let mut browser = BrowserSession::open_at(&server.address, scripts, motion).await;
        browser._server = Some(server);
        browser
    }

    /// Another user's browser at a running server.
    pub(crate) async fn open_at(address: &str, scripts: Scripts, motion: Motion) -> Self {
        let kind = (scripts, motion, Cookies::Allowed, Fonts::DejaVu);
        BrowserSession::open_kind_at(address, kind).await
    }

    /// A browser with other fonts than the usual ones, with scripts and reduced motion.
    pub(crate) async fn open_with_fonts_at(address: &str, fonts: Fonts) -> Self {
        let kind = (Scripts::On, Motion::Reduced, Cookies::Allowed, fonts);
        BrowserSession::open_kind_at(address, kind).await
    }

    /// Like `open_at`, with all browser settings.
    pub(crate) async fn open_kind_at(address: &str, kind: BrowserKind) -> Self {
        let idle = {
            let mut idle = IDLE.lock().expect("no panic");
            let at = idle.iter().position(|(its, _)| *its == kind);
            at.map(|at| idle.swap_remove(at).1)
        };
        BrowserSession {
            client: match idle {
                Some(client) => client,
                None => start_browser(kind).await,
            },
            address: address.to_owned(),
            kind,
            _server: None,
        }
    }

    /// Loads a path of the server.
    pub(crate) async fn goto(&self, path: &str) {
        let address = format!("{}{path}", self.address);
        self.client
            .goto(&address)
            .await
            .unwrap_or_else(|error| panic!("{address}: {error}"));
    }

    /// Path and query of the current page.
    pub(crate) async fn path(&self) -> String {
        let url = self
            .client
            .current_url()
            .await
            .expect("the browser answers");
        url.query().map_or(url.path().to_owned(), |query| {
            format!("{}?{query}", url.path())
        })
    }

    /// Waits until buttons that have just appeared accept clicks.
    pub(crate) async fn wait_for_active_buttons(&self) {
        let ready = "return document.querySelector('main[data-guarded]') === null";
        self.wait_for(ready, "buttons that accept clicks").await;
    }

    /// Clicks on the element; `false` if the page was replaced meanwhile.
    pub(crate) async fn try_click(&self, css: &str) -> bool {
        self.wait_for_active_buttons().await;
        let clicked = match self.client.find(Locator::Css(css)).await {
            Ok(element) => element.click().await,
            Err(error) => Err(error),
        };
        match clicked {
            Ok(()) => true,
            Err(error) if is_gone(&error) => false,
            Err(error) => panic!("{css} cannot be clicked: {error}"),
        }
    }

    /// Clicks on the element as soon as it is there.
    pub(crate) async fn click(&self, css: &str) {
        let until = Instant::now() + TIMEOUT;
        while !self.try_click(css).await {
            assert!(
                Instant::now() < until,
                "{css} is not on {}",
                self.path().await
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Runs a script in the page and returns its result. This also works if the page itself may not run scripts.
    pub(crate) async fn run_script(&self, script: &str, with: Vec<Value>) -> Value {
        // During navigation the script fails; it is retried on the next page.
        let until = Instant::now() + TIMEOUT;
        loop {
            match self.client.execute(script, with.clone()).await {
                Ok(answer) => return answer,
                Err(error) if Instant::now() > until || !is_gone(&error) => {
                    panic!("{error} for {script}")
                }
                Err(_) => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// Runs a script without arguments.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.run_script(script, Vec::new()).await
    }

    /// The value of an expression in the page.
    pub(crate) async fn eval(&self, expression: &str) -> Value {
        self.run(&format!("return {expression}")).await
    }

    /// Whether an expression is true in the page.
    pub(crate) async fn is_true(&self, expression: &str) -> bool {
        self.eval(&format!("Boolean({expression})")).await == true
    }

    /// Waits until an expression is true in the page.
    pub(crate) async fn wait_until(&self, expression: &str) {
        let script = format!("return Boolean({expression})");
        self.wait_for(&script, expression).await;
    }

    /// Waits until the page has such an element.
    pub(crate) async fn wait_for_element(&self, css: &str) {
        let script = format!("return document.querySelector({css:?}) !== null");
        self.wait_for(&script, css).await;
    }

    /// The text of the first such element; empty if there is none.
    pub(crate) async fn text_of(&self, css: &str) -> String {
        let script = format!("return document.querySelector({css:?})?.textContent ?? ''");
        let text = self.run(&script).await;
        text.as_str().expect("a text").to_owned()
    }

    pub(crate) async fn count_elements(&self, css: &str) -> u64 {
        let script = format!("return document.querySelectorAll({css:?}).length");
        let count = self.run(&script).await;
        count.as_u64().expect("a number")
    }

    /// Waits until the script returns a value other than `false` or `null`.
    pub(crate) async fn wait_for(&self, script: &str, what: &str) -> Value {
        let until = Instant::now() + TIMEOUT;
        loop {
            let answer = self.run(script).await;
            if !matches!(answer, Value::Null | Value::Bool(false)) {
                return answer;
            }
            assert!(
                Instant::now() < until,
                "timeout while waiting for {what} at {}",
                self.path().await
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until the text of an element contains `part`: the page of the last click may still be loading.
    pub(crate) async fn wait_for_text(&self, css: &str, part: &str) {
        let script = format!(
            "return document.querySelector({css:?})?.textContent.includes({part:?}) ?? false"
        );
        self.wait_for(&script, &format!("{part:?} in {css}")).await;
    }

    /// Presses and releases the keys one after another.
    pub(crate) async fn press_keys(&self, keys: impl IntoIterator<Item = char>) {
        self.wait_for_active_buttons().await;
        let mut actions = KeyActions::new("keyboard".to_owned());
        for value in keys {
            actions = actions
                .then(KeyAction::Down { value })
                .then(KeyAction::Up { value });
        }
        self.client
            .perform_actions(actions)
            .await
            .expect("keys can be pressed");
    }

    /// Sends a command of the Chrome DevTools protocol.
    pub(crate) async fn devtools(&self, cmd: &str, params: Value) -> Value {
        self.client
            .issue_cmd(DriverCommand::devtools(cmd, params))
            .await
            .unwrap_or_else(|error| panic!("{cmd}: {error}"))
    }

    /// Emulates a system preference for a `light` or `dark` theme.
    pub(crate) async fn emulate_theme(&self, theme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        )
        .await;
    }

    /// Sets the window size in CSS pixels; a width below 600 emulates a phone.
    pub(crate) async fn set_window_size(&self, (width, height): (u32, u32)) {
        let size = json!({
            "width": width, "height": height,
            "deviceScaleFactor": if width < 600 { 2 } else { 1 }, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size)
            .await;
    }

    /// The warnings and errors on the browser's console since the last call.
    pub(crate) async fn console_errors(&self) -> Vec<String> {
        let log = self
            .client
            .issue_cmd(DriverCommand::read_console())
            .await
            .expect("the console can be read");
        let entries: VecDeque<Value> = log.as_array().into_iter().flatten().cloned().collect();
        let bad = |entry: &Value| entry["level"] == "SEVERE" || entry["level"] == "WARNING";
        entries
            .into_iter()
            .filter(bad)
            .map(|entry| entry["message"].to_string())
            .collect()
    }
}

impl Drop for BrowserSession {
    /// Makes the browser available to the next test, before the server is stopped.
    fn drop(&mut self) {
        let (kind, client, address) = (self.kind, self.client.clone(), self.address.clone());
        let (done, wait) = std::sync::mpsc::channel();
        RUNTIME.spawn(async move {
            if tokio::time::timeout(TIMEOUT, reset_browser(&client, &address))
                .await
                .is_ok_and(|tidied| tidied.is_ok())
            {
                IDLE.lock().expect("no panic").push((kind, client));
            } else {
                let _ = client.close().await;
            }
            let _ = done.send(());
        });
        let _ = wait.recv();
    }
}

/// Whether the error means that the page has been replaced or is being replaced.
fn is_gone(error: &CmdError) -> bool {
    let message = error.to_string();
    error.is_stale_element_reference()
        || error.is_no_such_element()
        || ["navigat", "detached", "context", "aborted"]
            .iter()
            .any(|part| message.contains(part))
}

/// A chromedriver command that the client has no method for.
struct DriverCommand {
    path: &'static str,
    body: Value,
}

impl DriverCommand {
    /// A command of the Chrome DevTools protocol.
    fn devtools(cmd: &str, params: Value) -> Self {
        DriverCommand {
            path: "goog/cdp/execute",
            body: json!({ "cmd": cmd, "params": params }),
        }
    }

    /// Reads the browser's console since the last read.
    fn read_console() -> Self {
        DriverCommand {
            path: "se/log",
            body: json!({ "type": "browser" }),
        }
    }
}

impl fmt::Debug for DriverCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "POST {}", self.path)
    }
}

impl WebDriverCompatibleCommand for DriverCommand {
    fn endpoint(
        &self,
        base: &Url,
        session: Option<&str>,
    ) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.path
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
