//! The browser engines: starts browsers of each with their WebDriver servers, and makes them ready for the next test.

use std::cell::Cell;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Instant;

use fantoccini::error::CmdError;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use crate::common::free_port;
use crate::fonts::{Fonts, PACKAGES, write_settings};
use crate::harness::{Cookies, DriverCommand, Motion, POLL_INTERVAL, Scripts, TIMEOUT};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
    /// WebKitGTK, on a virtual display.
    WebKit,
}

thread_local! {
    static ENGINE: Cell<Engine> = const { Cell::new(Engine::Chromium) };
}

impl Engine {
    /// The engine of the browsers that the test of this thread opens.
    pub(crate) fn current() -> Self {
        ENGINE.get()
    }

    /// Runs a test in this engine, unless the variable for this says that it is missing.
    pub(crate) fn run(self, test: fn()) {
        let missing = format!("DOD_NO_{}", self.name().to_uppercase());
        if std::env::var_os(missing).is_some() {
            println!("skipped: {} is not there", self.name());
            return;
        }
        ENGINE.set(self);
        let result = std::panic::catch_unwind(test);
        ENGINE.set(Engine::Chromium);
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }

    fn name(self) -> &'static str {
        match self {
            Engine::Chromium => "Chromium",
            Engine::Firefox => "Firefox",
            Engine::WebKit => "WebKit",
        }
    }

    /// The program that answers WebDriver commands.
    fn driver(self) -> &'static str {
        match self {
            Engine::Chromium => "chromedriver",
            Engine::Firefox => "geckodriver",
            Engine::WebKit => "WebKitWebDriver",
        }
    }

    fn capabilities(self, (scripts, motion, cookies, _): BrowserKind) -> Value {
        match self {
            Engine::Chromium => {
                let mut flags: Vec<&str> = CHROMIUM_FLAGS.into();
                if motion == Motion::Reduced {
                    flags.push("--force-prefers-reduced-motion");
                }
                let mut prefs = json!({});
                if scripts == Scripts::Off {
                    prefs["profile.managed_default_content_settings.javascript"] = json!(2);
                }
                if cookies == Cookies::Blocked {
                    prefs["profile.default_content_setting_values.cookies"] = json!(2);
                }
                json!({
                    "goog:chromeOptions": { "args": flags, "prefs": prefs },
                    "goog:loggingPrefs": { "browser": "ALL" },
                })
            }
            Engine::Firefox => {
                let prefs = json!({
                    "javascript.enabled": scripts == Scripts::On,
                    "network.cookie.cookieBehavior": if cookies == Cookies::Blocked { 2 } else { 0 },
                    "ui.prefersReducedMotion": u8::from(motion == Motion::Reduced),
                });
                let args = ["-headless", "--window-size=1280,900"];
                json!({ "moz:firefoxOptions": { "args": args, "prefs": prefs } })
            }
            Engine::WebKit => {
                let mut args = vec!["--automation"];
                if scripts == Scripts::Off {
                    args.push("--enable-javascript-markup=false");
                }
                if cookies == Cookies::Blocked {
                    args.push("--cookies-policy=never");
                }
                json!({ "webkitgtk:browserOptions": { "binary": &*MINI_BROWSER, "args": args } })
            }
        }
    }
}

const CHROMIUM_FLAGS: [&str; 10] = [
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

/// The size of a window, as in `CHROMIUM_FLAGS`.
const WINDOW: (u32, u32) = (1280, 900);

/// The browser that Debian's webkit2gtk-driver brings.
static MINI_BROWSER: LazyLock<PathBuf> = LazyLock::new(|| {
    let libraries = Path::new("/usr/lib").read_dir().expect("a folder");
    let mut found = libraries.filter_map(|folder| {
        let file = folder.ok()?.path().join("webkit2gtk-4.1/MiniBrowser");
        file.exists().then_some(file)
    });
    let found = found.next();
    found.expect("Debian's webkit2gtk-driver brings /usr/lib/*/webkit2gtk-4.1/MiniBrowser")
});

/// What a browser is started with.
pub(crate) type BrowserKind = (Scripts, Motion, Cookies, Fonts);

/// The runtime of the connections to the browsers, which outlive the runtimes of the tests.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build();
    runtime.expect("a runtime")
});

/// Idle browsers for later tests. Starting a browser takes as long as a short test.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// More idle browsers than this are closed, the oldest first.
const MAX_IDLE: usize = 8;

/// A browser with a WebDriver server of its own: those of Firefox and WebKit serve only one browser.
pub(crate) struct Browser {
    pub(crate) client: Client,
    pub(crate) engine: Engine,
    kind: BrowserKind,
    driver: Arc<ChildProgram>,
}

impl Browser {
    /// An idle browser of this kind, or else a new one.
    pub(crate) async fn get(engine: Engine, kind: BrowserKind) -> Self {
        let idle = {
            let mut idle = IDLE.lock().expect("no panic");
            let at = idle
                .iter()
                .position(|browser| (browser.engine, browser.kind) == (engine, kind));
            at.map(|at| idle.remove(at))
        };
        match idle {
            Some(browser) => browser,
            None => Browser::start(engine, kind).await,
        }
    }

    async fn start(engine: Engine, kind: BrowserKind) -> Self {
        let (driver, port) = start_driver(engine, kind);
        let capabilities = engine.capabilities(kind);
        let started = RUNTIME.spawn(async move {
            let until = Instant::now() + TIMEOUT;
            while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                let (program, output) = (engine.driver(), driver.take_output());
                assert!(
                    Instant::now() < until,
                    "{program} (tests/run installs it) does not start: {output:?}"
                );
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            let capabilities: Capabilities =
                serde_json::from_value(capabilities).expect("capabilities are an object");
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let client = builder
                .capabilities(capabilities)
                .connect(&format!("http://127.0.0.1:{port}"))
                .await
                .unwrap_or_else(|error| panic!("{} does not start: {error}", engine.name()));
            let driver = Arc::new(driver);
            let browser = Browser {
                client,
                engine,
                kind,
                driver,
            };
            browser.reset_size().await.expect("the window has a size");
            browser
        });
        started.await.expect("no panic")
    }

    /// Makes this browser available to other tests. The current page must be one of the server.
    pub(crate) fn put_back(&self) {
        let browser = Browser {
            client: self.client.clone(),
            driver: Arc::clone(&self.driver),
            ..*self
        };
        let (done, wait) = std::sync::mpsc::channel();
        RUNTIME.spawn(async move {
            let reset = tokio::time::timeout(TIMEOUT, browser.reset()).await;
            let closed = if reset.is_ok_and(|reset| reset.is_ok()) {
                let mut idle = IDLE.lock().expect("no panic");
                idle.push(browser);
                (idle.len() > MAX_IDLE).then(|| idle.remove(0))
            } else {
                Some(browser)
            };
            if let Some(browser) = &closed {
                let _ = browser.client.clone().close().await;
            }
            let _ = done.send(closed);
        });
        // A closed browser is dropped here: its driver takes a moment to stop.
        let _ = wait.recv();
    }

    /// Closes the windows of the last test and deletes the cookies of its server.
    async fn reset(&self) -> Result<(), CmdError> {
        let client = &self.client;
        client.delete_all_cookies().await?;
        let mut old = client.windows().await?;
        // Only Chromium shows a new window at once. Its new window also ends what the test emulated.
        let kept = match self.engine {
            Engine::Chromium => client.new_window(true).await?.handle,
            Engine::Firefox | Engine::WebKit => old.remove(0),
        };
        for window in old {
            client.switch_to_window(window).await?;
            client.close_window().await?;
        }
        client.switch_to_window(kept).await?;
        client.goto("about:blank").await?;
        self.reset_size().await?;
        self.console_errors().await?;
        Ok(())
    }

    /// Gives the window its size again: in Chromium, tests only emulate other sizes.
    async fn reset_size(&self) -> Result<(), CmdError> {
        if self.engine == Engine::Chromium {
            return Ok(());
        }
        let (width, height) = WINDOW;
        self.client.set_window_rect(0, 0, width, height).await
    }

    /// The warnings and errors on the console since the last call. Firefox only reports uncaught errors of scripts, maybe
    /// a moment later, and WebKit reports nothing.
    pub(crate) async fn console_errors(&self) -> Result<Vec<String>, CmdError> {
        if self.engine != Engine::Chromium {
            let output = self.driver.take_output().into_iter();
            return Ok(output
                .filter(|line| line.starts_with("JavaScript error: http"))
                .collect());
        }
        let log = self.client.issue_cmd(DriverCommand::read_console()).await?;
        let entries = log.as_array().into_iter().flatten();
        let bad = |entry: &&Value| entry["level"] == "SEVERE" || entry["level"] == "WARNING";
        Ok(entries
            .filter(bad)
            .map(|entry| entry["message"].to_string())
            .collect())
    }
}

/// A shell script that runs a program until standard input ends, which it also does if the tests crash, or until a signal
/// stops the script. Then it stops the program and all that this has started, and deletes its temporary files. `$STOP`
/// is the address that stops a program whose children are not in its process group.
const KEEPER: &str = r#"
trap : TERM INT HUP
export TMPDIR="$(mktemp -d)"
setsid "$@" 2>&1 &
cat >/dev/null
test -z "$STOP" || curl -s -m 10 "$STOP"
kill -- "-$!"
wait
rm -rf "$TMPDIR"
"#;

/// A program that is stopped on drop.
struct ChildProgram {
    keeper: Child,
    input: Option<ChildStdin>,
    output: Arc<Mutex<Vec<String>>>,
}

impl ChildProgram {
    fn start(program: &[String], environment: &[(&str, PathBuf)], stop: &str) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, "sh"]).args(program);
        command.envs(environment.iter().cloned()).env("STOP", stop);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut keeper = command.stderr(Stdio::null()).spawn().expect("a shell");
        let input = keeper.stdin.take();
        let lines = BufReader::new(keeper.stdout.take().expect("the stream is piped"));
        let output = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&output);
        std::thread::spawn(move || {
            for line in lines.split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                kept.lock().expect("no panic").push(line);
            }
        });
        ChildProgram {
            keeper,
            input,
            output,
        }
    }

    /// The lines of standard output since the last call.
    fn take_output(&self) -> Vec<String> {
        std::mem::take(&mut *self.output.lock().expect("no panic"))
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.keeper.wait();
    }
}

/// The display of the browsers that cannot do without one.
static DISPLAY: LazyLock<(ChildProgram, String)> = LazyLock::new(|| {
    let program = "Xvfb -displayfd 1 -nolisten tcp -screen 0 2560x1440x24";
    let program: Vec<String> = program.split(' ').map(str::to_owned).collect();
    let display = ChildProgram::start(&program, &[], "");
    let until = Instant::now() + TIMEOUT;
    loop {
        let output = display.take_output();
        if let Some(number) = output.iter().find(|line| line.parse::<u32>().is_ok()) {
            let name = format!(":{number}");
            return (display, name);
        }
        assert!(
            Instant::now() < until,
            "Xvfb (tests/run installs it) does not start: {output:?}"
        );
        std::thread::sleep(POLL_INTERVAL);
    }
});

/// Starts the WebDriver server; returns it with its port, which it opens soon.
fn start_driver(engine: Engine, kind: BrowserKind) -> (ChildProgram, u16) {
    let (_, motion, _, fonts) = kind;
    let port = free_port();
    let mut program = vec![engine.driver().to_owned(), format!("--port={port}")];
    let mut environment = vec![("FONTCONFIG_FILE", fonts.settings())];
    let mut stop = String::new();
    match engine {
        Engine::Chromium => stop = format!("http://127.0.0.1:{port}/shutdown"),
        Engine::Firefox => {
            program.extend(["--websocket-port=0", "--allow-system-access"].map(str::to_owned));
            // Otherwise pages could not read the fonts.
            environment.push(("MOZ_DISABLE_CONTENT_SANDBOX", PathBuf::from("1")));
        }
        Engine::WebKit => {
            environment.push(("DISPLAY", PathBuf::from(&DISPLAY.1)));
            environment.push(("XDG_CONFIG_HOME", gtk_settings(motion)));
        }
    }
    (ChildProgram::start(&program, &environment, &stop), port)
}

/// A folder with GTK's settings: the fonts of a system that has none of its own, and whether the user prefers reduced
/// motion.
fn gtk_settings(motion: Motion) -> PathBuf {
    let folder = PACKAGES.with_file_name(format!("gtk-{motion:?}"));
    let animations = u8::from(motion == Motion::Full);
    let settings =
        format!("[Settings]\ngtk-font-name=sans-serif 10\ngtk-enable-animations={animations}\n");
    let file = folder.join("gtk-3.0/settings.ini");
    write_settings(&file, &settings);
    folder
}
