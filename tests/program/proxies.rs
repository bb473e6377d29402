//! The program behind Debian's nginx and HAProxy, with the settings of docs/operations.md: under a path, with a
//! rewritten `Host`, and with health probes that do not know the server's name.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use reqwest::header::{LOCATION, SET_COOKIE};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    Api, HANG, Page, Person, Program, assert_contains, cookies_of, header_of, is_installed,
    program, read_page,
};
use crate::https::Proxy;

const OPERATIONS: &str = include_str!("../../docs/operations.md");

/// A game with an open seat.
const GAME: &str = "rules=v2&seats=human&seats=open&seed=3";

/// The settings for one program in docs/operations.md, in their order there.
fn settings(language: &str) -> Vec<&'static str> {
    let begin = format!("```{language}\n");
    let blocks = OPERATIONS.split(begin.as_str()).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

fn nginx(server: &Program, location: &str, ready: &str) -> Proxy {
    let location = location.replace("127.0.0.1:8080", &server.address());
    let settings = format!(
        "events {{}}\nhttp {{\n\tserver {{\n\t\tlisten 8080;\n\t\tlisten 8443 ssl;
        ssl_certificate /etc/nginx/dice.example.crt;\nssl_certificate_key /etc/nginx/dice.example.key;
        {location}\n}}\n}}\n"
    );
    Proxy::nginx_with(&settings, ready)
}

/// A server with options that are separated by spaces.
fn server(home: &TempDir, options: &str) -> Program {
    let mut command = program();
    command.args(["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.args(options.split_whitespace());
    Program::run(command, &home.path().join("log"))
}

fn is_without_nginx() -> bool {
    !(is_installed("nginx") && is_installed("openssl") && is_installed("curl"))
}

/// A browser at a proxy, or at another address of the server.
struct Visitor {
    browser: Person,
    /// The URL without a path.
    url: String,
    /// The origin that the browser sees.
    name: String,
}

impl Visitor {
    fn at(proxy: &Proxy) -> Self {
        let url = format!("http://127.0.0.1:{}", proxy.ports[0]);
        Self::with_name(&url, &url)
    }

    /// A visitor who knows this address by a name.
    fn with_name(url: &str, name: &str) -> Self {
        let host = name.rsplit('/').next().unwrap();
        Visitor {
            browser: Person::without_cookies(url).with("host", host),
            url: url.to_owned(),
            name: name.to_owned(),
        }
    }

    fn at_name(proxy: &Proxy, name: &str) -> Self {
        Self::with_name(&Self::at(proxy).url, name)
    }

    async fn post(&self, path: &str, form: &str) -> Response {
        let browser = self.browser.with("origin", &self.name);
        browser.post(path, form).await
    }

    /// Creates a game and keeps the cookie; returns the path of the game.
    async fn create(&mut self, path: &str) -> String {
        let created = self.post(path, GAME).await;
        assert_eq!(created.status(), 303, "{path}");
        self.browser = self.browser.with("cookie", &cookies_of(&created));
        header_of(&created, "location").to_owned()
    }
}

/// All attributes of the elements of a page.
fn attributes(page: &Page) -> Vec<(String, String)> {
    let attributes = page.map("*", |element| {
        let attributes = element.value().attrs();
        attributes
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect::<Vec<_>>()
    });
    attributes.into_iter().flatten().collect()
}

/// Follows every link, file and image that can be reached from the start page under a path: each one exists, and each
/// URL is under the path.
async fn crawl(visitor: &Visitor, base: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::from([format!("{base}/")]);
    let mut pending: Vec<_> = found.iter().cloned().collect();
    while let Some(path) = pending.pop() {
        let answer = visitor.browser.get(&path).await;
        let status = answer.status().as_u16();
        assert!(status < 400, "{path}: {status}");
        let is_page = header_of(&answer, "content-type").starts_with("text/html");
        if let Some(to) = answer.headers().get(LOCATION) {
            assert!(to.to_str().unwrap().starts_with(base), "{path}: {to:?}");
        }
        for cookie in answer.headers().get_all(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            let scope = format!("Path={base}");
            let is_scoped = cookie.split("; ").any(|part| part == scope);
            assert!(is_scoped, "{path}: {cookie}");
        }
        if !is_page {
            continue;
        }
        let page = Page(answer.text().await.unwrap());
        let refreshes_elsewhere =
            page.contains(";url=/") && !page.contains(&format!(";url={base}/"));
        assert!(!refreshes_elsewhere, "{path}");
        for (name, value) in attributes(&page) {
            // A form's value is completed when the browser is redirected.
            if name == "value" {
                continue;
            }
            let is_rooted = value.starts_with('/') && value != "/";
            let is_under_base = value.starts_with(&format!("{base}/"));
            assert!(!is_rooted || is_under_base, "{path}: {value}");
            if !["href", "src", "srcset", "data-record", "data-turn"].contains(&&*name) {
                continue;
            }
            let link = value.split('#').next().unwrap();
            // One position leads to thousands, so each page is fetched once, whatever its query.
            let path = link.split('?').next().unwrap().to_owned();
            if path.starts_with('/') && found.insert(path) {
                pending.push(link.to_owned());
            }
        }
    }
    found
}

async fn check_under_a_path(location: &str) {
    if is_without_nginx() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let options = "--base-path /dice --trusted-proxy 127.0.0.1 --host dice.example";
    let server = server(&home, options);
    let proxy = nginx(&server, location, "/dice/readyz");
    let mut visitor = Visitor::at(&proxy);

    let game = visitor.create("/dice/games").await;
    assert!(game.starts_with("/dice/g/"), "{game}");
    let page = visitor.browser.page(&game).await;
    let begin = format!("{}/dice/join/", visitor.url);
    let invitation = page.attr(&format!("[value^='{begin}']"), "value");
    let guest = Visitor::at(&proxy).browser;
    guest.page(&invitation[visitor.url.len()..]).await;
    let resign = format!("{game}/resign");
    let resigned = visitor.post(&resign, "player=0&ply=0").await.status();
    assert!(resigned.as_u16() < 500, "{resigned}");
    let found = crawl(&visitor, "/dice").await;
    for path in [
        "/dice/rules",
        "/dice/game.html",
        "/dice/openapi.json",
        "/dice/fair-dice",
        &game,
    ] {
        assert!(found.contains(path), "{path} in {found:?}");
    }
    assert!(found.len() > 30, "{found:?}");
    // A changed setting redirects back to the page.
    let rules = format!("{}/dice/rules", visitor.url);
    let reader = visitor.browser.with("referer", &rules);
    let switched = reader.done("/dice/language", "language=en").await;
    assert_eq!(switched, "/dice/rules");

    // The API works there, too.
    let document = visitor.browser.json("/dice/openapi.json").await;
    assert_eq!(document["servers"], json!([{ "url": "/dice" }]));
    let api = Api::new(visitor.url.clone());
    let body = json!({ "game": "dice", "players": 2, "seats": ["human", "open"] });
    let created = api.post("/dice/api/v1/games", &body).await;
    assert_eq!(created.status(), 201);
    let place = header_of(&created, "location");
    assert!(place.starts_with("/dice/api/v1/games/"), "{place}");
    assert_eq!(api.get(place).await.status(), 200);
    let mut events = api.events(&format!("{place}/events")).await;
    events.next("game").await;

    // Over https, cookies are scoped to the path.
    let created = proxy.ask("/dice/games", "127.0.0.1", &["--data", GAME]);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
    let cookie = created.header("set-cookie");
    assert!(cookie.starts_with("__Secure-dod="), "{cookie}");
    for attribute in ["Secure", "Path=/dice", "HttpOnly"] {
        assert!(cookie.split("; ").any(|part| part == attribute), "{cookie}");
    }
    let cookie = format!("cookie: {}", cookie.split(';').next().unwrap());
    let location = created.header("location");
    let page = proxy
        .ask(location, "127.0.0.1", &["--header", &cookie])
        .body;
    let begin = format!("\"https://dice.example:{}/dice/join/", proxy.ports[1]);
    assert!(page.contains(&begin), "no {begin} in {page}");
}

#[tokio::test]
async fn a_proxy_serves_the_server_under_a_path_and_keeps_it() {
    check_under_a_path(settings("nginx")[1]).await;
}

#[tokio::test]
async fn a_proxy_serves_the_server_under_a_path_and_strips_it() {
    check_under_a_path(settings("nginx")[2]).await;
}

#[tokio::test]
async fn haproxy_serves_the_server_under_a_path() {
    if !(is_installed("haproxy") && is_installed("openssl") && is_installed("curl")) {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let options = "--public-url https://dice.example/dice --trusted-proxy 127.0.0.1";
    let server = server(&home, options);
    let settings = settings("haproxy")[0].replace("127.0.0.1:8080", &server.address());
    let proxy = Proxy::haproxy_with(&settings, "/dice/readyz");
    let mut visitor = Visitor::at(&proxy);
    for start in ["/dice", "/dice/"] {
        let page = visitor.browser.page(start).await;
        assert!(page.contains(" action=\"/dice/games\""), "{start}: {page}");
    }
    let game = visitor.create("/dice/games").await;
    let page = visitor.browser.page(&game).await;
    assert!(page.contains("\"https://dice.example/dice/join/"), "{page}");
    check_no_buffering(&format!("{}/dice", visitor.url)).await;
}

/// A proxy that buffers small writes delays them by 40 to 200 ms.
async fn check_no_buffering(url: &str) {
    let after = Api::new(url.to_owned()).event_delay().await;
    assert!(after < Duration::from_millis(35), "{after:?}");
}

#[tokio::test]
async fn the_documented_proxy_settings_are_sufficient() {
    if is_without_nginx() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let server = server(&home, "--trusted-proxy 127.0.0.1 --host dice.example");
    let proxy = nginx(&server, settings("nginx")[0], "/readyz");
    check_no_buffering(&Visitor::at(&proxy).url).await;
    let created = proxy.ask("/games", "127.0.0.1", &["--data", GAME]);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
    assert!(created.header("set-cookie").starts_with("__Host-dod="));
    assert_eq!(proxy.ask_plainly("/rules", "127.0.0.1", &[]).status, 200);
}

#[tokio::test]
async fn a_proxy_reaches_the_server_at_its_socket() {
    if is_without_nginx() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("http.sock");
    let listen = format!("unix:{}", socket.display());
    let server = server(&home, &format!("--listen {listen} --host dice.example"));
    let location = settings("nginx")[4].replace("unix:/run/dice-of-doom/http.sock", &listen);
    let proxy = nginx(&server, &location, "/readyz");
    let created = proxy.ask("/games", "127.0.0.1", &["--data", GAME]);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
    assert!(created.header("set-cookie").starts_with("__Host-dod="));
    let renamed = location.replace("Host $http_host", "X-Forwarded-Host $http_host");
    let proxy = nginx(&server, &renamed, "/readyz");
    let origin = format!("origin: https://dice.example:{}", proxy.ports[1]);
    let form = ["--data", GAME, "--header", &origin];
    let created = proxy.ask("/games", "127.0.0.1", &form);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
}

/// The default behaviour of nginx.
const BARE: &str = "location / { proxy_pass http://127.0.0.1:8080; }";

/// The same with persistent connections.
const KEPT: &str = "location / { proxy_pass http://127.0.0.1:8080; proxy_http_version 1.1; proxy_set_header Connection \"\"; }";

#[tokio::test]
async fn a_proxy_that_rewrites_the_host_is_reported() {
    if is_without_nginx() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let alone = server(&home, "");
    let proxy = nginx(&alone, BARE, "/readyz");
    let visitor = Visitor::at(&proxy);
    let refused = visitor.post("/games", GAME).await;
    let page = read_page(refused, 403, "/games").await;
    let line = alone.log();
    let line = line.lines().find(|line| line.contains("--public-url"));
    let line = line.unwrap_or_else(|| panic!("{}", alone.log()));
    for name in [&visitor.url, &alone.address()] {
        assert!(page.contains(name.as_str()), "{name} in {page}");
        assert!(line.contains(name.as_str()), "{name} in {line}");
    }
    // The API reports it, too.
    let browser = visitor.browser.with("origin", &visitor.url);
    let request = browser.request(Method::POST, "/api/v1/games");
    let request = request.json(&json!({ "game": "dice" }));
    let problem: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(problem["code"], "cross-site");
    let detail = problem["detail"].as_str().unwrap();
    assert_contains(&detail, &[&visitor.url, &alone.address()]);

    // A public URL solves it.
    let public = server(&home, "--public-url https://dice.example");
    let proxy = nginx(&public, BARE, "/readyz");
    let mut visitor = Visitor::at_name(&proxy, "https://dice.example");
    let game = visitor.create("/games").await;
    let page = visitor.browser.page(&game).await;
    assert!(page.contains("\"https://dice.example/join/"), "{page}");
    assert!(!page.contains(&public.address()), "{page}");

    // So does the name in a forwarded header from a trusted proxy.
    let trusting = server(&home, "--host dice.example --trusted-proxy 127.0.0.1");
    let proxy = nginx(&trusting, settings("nginx")[3], "/readyz");
    let mut visitor = Visitor::at_name(&proxy, "http://dice.example");
    let game = visitor.create("/games").await;
    let page = visitor.browser.page(&game).await;
    assert!(page.contains("\"http://dice.example/join/"), "{page}");
    // A forwarded name that is not the server's own is ignored.
    let stranger = Visitor::at_name(&proxy, "http://evil.example");
    assert_eq!(stranger.post("/games", GAME).await.status(), 403);
}

/// The addresses of this machine in its network; a visitor at the machine is shown one of them.
fn inner_addresses() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap().into_iter();
    let addresses = interfaces.map(|interface| interface.ip());
    addresses.filter(|address| !address.is_loopback()).collect()
}

#[tokio::test]
async fn visitors_behind_a_proxy_are_shown_no_address_of_the_machine() {
    if is_without_nginx() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let shown_address = |page: &str| {
        let addresses = inner_addresses()
            .into_iter()
            .map(|address| address.to_string());
        let mut shown_address = addresses.filter(|address| page.contains(address.as_str()));
        shown_address.next()
    };
    let mut command = program();
    command.args(["--listen", "0.0.0.0:0", "--database", "memory:"]);
    let alone = Program::run(command, &home.path().join("log"));
    for location in [BARE, KEPT] {
        let proxy = nginx(&alone, location, "/readyz");
        // The page came from the proxy's own address, so that its forms are accepted there.
        let mut visitor = Visitor::at_name(&proxy, &alone.url);
        let game = visitor.create("/games").await;
        let shown = shown_address(&visitor.browser.page(&game).await);
        assert_eq!(shown, None, "{location}");
    }
    // A visitor at the machine is shown the address.
    let mut visitor = Visitor::with_name(&alone.url, &alone.url);
    let game = visitor.create("/games").await;
    let reader = visitor.browser.with("sec-fetch-site", "none");
    let shown_address = shown_address(&reader.page(&game).await);
    assert!(
        shown_address.is_some() || inner_addresses().iter().all(IpAddr::is_ipv6),
        "{shown_address:?}"
    );
}

#[tokio::test]
async fn probes_answer_for_any_host() {
    let home = tempfile::tempdir().unwrap();
    for (options, base) in [("", ""), ("--base-path /dice", "/dice")] {
        let server = server(&home, options);
        let ask = |line: &str| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.set_read_timeout(Some(HANG)).unwrap();
            stream.write_all(line.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer.split(' ').nth(1).unwrap().to_owned()
        };
        for path in ["/healthz", "/readyz"] {
            let path = format!("{base}{path}");
            assert_eq!(
                ask(&format!("GET {path} HTTP/1.0\r\n\r\n")),
                "200",
                "{path}"
            );
            for host in ["10.0.0.7", "dice.example:80", "evil.example", "_", ""] {
                let request =
                    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
                assert_eq!(ask(&request), "200", "{path} {host}");
            }
        }
        // Other paths are served under the server's own names only.
        assert_eq!(ask("GET /rules HTTP/1.0\r\n\r\n"), "400");
        let foreign = "GET /rules HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
        assert_eq!(ask(foreign), "421");
    }
}
