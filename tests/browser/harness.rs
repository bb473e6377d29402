//! Starts the program for the tests, and does what a user does with a browser.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, Locator};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use crate::engine::{Browser, BrowserKind, Engine};
use crate::fonts::Fonts;

/// The longest wait for a condition on a page.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The interval between two checks of a page.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A child process that is killed on drop.
struct Program(Child);

impl Program {
    /// Starts the command and reads its standard output until `find` returns a value.
    fn start<T>(command: &mut Command, what: &str, find: impl Fn(&str) -> Option<T>) -> (Self, T) {
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
                return (program, found);
            }
            output.push(line);
        }
        panic!("{what} exited without the expected line; its output was: {output:?}")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
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
    browser: Browser,
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
        let browser = Browser::get(Engine::current(), kind).await;
        BrowserSession {
            client: browser.client.clone(),
            address: address.to_owned(),
            browser,
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
        // WebKitWebDriver may answer before the scripts of the page have run.
        self.wait_until("document.readyState === 'complete'").await;
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

    /// Clicks on the element; `false` if the page was replaced meanwhile, or if the element does not accept clicks yet.
    pub(crate) async fn try_click(&self, css: &str) -> bool {
        self.wait_for_active_buttons().await;
        let clicked = match self.client.find(Locator::Css(css)).await {
            Ok(element) => self.click_element(element).await,
            Err(error) => Err(error),
        };
        match clicked {
            Ok(clicked) => clicked,
            Err(error) if is_gone(&error) || error.is_element_not_interactable() => false,
            Err(error) => panic!("{css} cannot be clicked: {error:?}"),
        }
    }

    /// Clicks on the element; `false` if another one covers it. Firefox and WebKit refuse to click on links in SVG, so
    /// these are clicked at their place in the window.
    async fn click_element(&self, element: Element) -> Result<bool, CmdError> {
        let place = r#"
            const [at] = arguments;
            if (!(at instanceof SVGElement)) return null;
            at.scrollIntoView({ block: "nearest", inline: "nearest" });
            const { left, top, width, height } = at.getBoundingClientRect();
            const [x, y] = [left + width / 2, top + height / 2];
            return at.contains(document.elementFromPoint(x, y)) && [x, y];
        "#;
        let at = serde_json::to_value(&element)?;
        let at = self.client.execute(place, vec![at]).await?;
        if at.is_null() {
            return element.click().await.map(|()| true);
        }
        let (Some(x), Some(y)) = (at[0].as_f64(), at[1].as_f64()) else {
            return Ok(false);
        };
        let button = MOUSE_BUTTON_LEFT;
        let click = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveTo {
                duration: None,
                x,
                y,
            })
            .then(PointerAction::Down { button })
            .then(PointerAction::Up { button });
        self.client.perform_actions(click).await.map(|()| true)
    }

    /// Clicks on the element as soon as it is there.
    pub(crate) async fn click(&self, css: &str) {
        let until = Instant::now() + TIMEOUT;
        while !self.try_click(css).await {
            assert!(
                Instant::now() < until,
                "{css} cannot be clicked on {}",
                self.path().await
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Moves the mouse pointer to the middle of the element.
    pub(crate) async fn point_at(&self, css: &str) {
        let element = self.client.find(Locator::Css(css)).await;
        let over = PointerAction::MoveToElement {
            element: element.expect("the element is there"),
            duration: None,
            x: 0.0,
            y: 0.0,
        };
        let moved = MouseActions::new("mouse".to_owned()).then(over);
        let moved = self.client.perform_actions(moved).await;
        moved.expect("the pointer can be moved");
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

    /// Where Firefox runs scripts from now on: in the page (`content`), or with the privileges of the browser (`chrome`).
    pub(crate) async fn use_context(&self, context: &str) {
        let command = DriverCommand {
            path: "moz/context",
            body: json!({ "context": context }),
        };
        let set = self.client.issue_cmd(command).await;
        set.expect("geckodriver allows access to the browser");
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
        if self.browser.engine != Engine::Chromium {
            return self.resize_window([width, height]).await;
        }
        let size = json!({
            "width": width, "height": height,
            "deviceScaleFactor": if width < 600 { 2 } else { 1 }, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size)
            .await;
    }

    /// Those of the sizes that a page of this engine can have: only Chromium emulates phones.
    pub(crate) fn possible_sizes(&self, sizes: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let emulates = self.browser.engine == Engine::Chromium;
        let possible = |&&(width, height): &&(u32, u32)| emulates || width.min(height) >= 500;
        sizes.iter().filter(possible).copied().collect()
    }

    /// Resizes the window so that the page has this size.
    async fn resize_window(&self, size: [u32; 2]) {
        let page = self.eval("[innerWidth, innerHeight]").await;
        let frame = self.client.get_window_rect().await.expect("a window");
        let frame = [frame.2, frame.3];
        let [width, height] = [0, 1].map(|i| {
            let page = page[i].as_u64().expect("a number");
            u32::try_from(u64::from(size[i]) + frame[i] - page).expect("the size of a window")
        });
        let resized = self.client.set_window_rect(0, 0, width, height).await;
        resized.expect("the window can be resized");
        let [width, height] = size;
        self.wait_until(&format!(
            "innerWidth === {width} && innerHeight === {height}"
        ))
        .await;
    }

    /// The warnings and errors on the browser's console since the last call.
    pub(crate) async fn console_errors(&self) -> Vec<String> {
        let errors = self.browser.console_errors().await;
        errors.expect("the console can be read")
    }
}

impl Drop for BrowserSession {
    /// Makes the browser available to the next test, before the server is stopped.
    fn drop(&mut self) {
        self.browser.put_back();
    }
}

/// Whether the error means that the page has been replaced or is being replaced.
fn is_gone(error: &CmdError) -> bool {
    let message = error.to_string();
    error.is_stale_element_reference()
        || error.is_no_such_element()
        || [
            "navigat",
            "detached",
            "context",
            "aborted",
            "unload",
            "parse script result",
        ]
        .iter()
        .any(|part| message.contains(part))
}

/// A command of one driver that the client has no method for.
pub(crate) struct DriverCommand {
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
    pub(crate) fn read_console() -> Self {
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
