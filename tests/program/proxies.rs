//! The program behind Debian's nginx and HAProxy, with the settings of docs/operations.md: under a path, with a
//! rewritten `Host`, and with health probes that do not know the server's name.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use reqwest::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Client, redirect};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Api, HANG, Program, assert_contains, is_installed, program};
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

fn server(home: &TempDir, options: &[&str]) -> Program {
    let mut command = program();
    command.args(["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.args(options);
    Program::run(command, &home.path().join("log"))
}

fn is_without_nginx() -> bool {
    !(is_installed("nginx") && is_installed("openssl") && is_installed("curl"))
}

fn client() -> Client {
    let client = Client::builder().redirect(redirect::Policy::none());
    client.timeout(HANG).build().unwrap()
}

/// The values of these attributes in a page.
fn values<'p>(page: &'p str, attributes: &[&str]) -> Vec<&'p str> {
    let values = attributes.iter().flat_map(|name| {
        let begin = format!(" {name}=\"");
        let rests: Vec<_> = page.split(begin.as_str()).skip(1).collect();
        rests
            .into_iter()
            .map(|rest| rest.split('"').next().unwrap())
    });
    values.collect()
}

/// A browser that uses a proxy.
struct Visitor {
    client: Client,
    /// The proxy's URL without a path.
    url: String,
    /// The origin that the browser sees.
    name: String,
    cookie: String,
}

impl Visitor {
    fn at(proxy: &Proxy) -> Self {
        let url = format!("http://127.0.0.1:{}", proxy.ports[0]);
        Visitor {
            client: client(),
            name: url.clone(),
            url,
            cookie: String::new(),
        }
    }

    /// The same, where the proxy has this name.
    fn with_name(self, name: &str) -> Self {
        Visitor {
            name: name.to_owned(),
            ..self
        }
    }

    fn host(&self) -> &str {
        self.name.rsplit('/').next().unwrap()
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        let request = self.client.get(format!("{}{path}", self.url));
        let request = request.header(HOST, self.host());
        request.header(COOKIE, &self.cookie).send().await.unwrap()
    }

    async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    }

    async fn post(&self, path: &str, form: &str) -> reqwest::Response {
        let request = self.client.post(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.header(HOST, self.host()).header(ORIGIN, &self.name);
        let request = request.header(COOKIE, &self.cookie);
        request.body(form.to_owned()).send().await.unwrap()
    }

    /// Creates a game and keeps the cookie; returns the path of the game.
    async fn create(&mut self, path: &str) -> String {
        let created = self.post(path, GAME).await;
        assert_eq!(created.status(), 303, "{path}");
        let cookie = created.headers()[SET_COOKIE].to_str().unwrap();
        self.cookie = cookie.split(';').next().unwrap().to_owned();
        created.headers()[LOCATION].to_str().unwrap().to_owned()
    }
}

/// Follows every link, file and image that can be reached from the start page under a path: each one exists, and each
/// URL is under the path.
async fn crawl(visitor: &Visitor, base: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::from([format!("{base}/")]);
    let mut pending: Vec<_> = found.iter().cloned().collect();
    while let Some(path) = pending.pop() {
        let answer = visitor.get(&path).await;
        let status = answer.status().as_u16();
        assert!(status < 400, "{path}: {status}");
        let kind = answer.headers().get("content-type");
        let is_page = kind.is_some_and(|kind| kind.to_str().unwrap().starts_with("text/html"));
        if let Some(to) = answer.headers().get(LOCATION) {
            assert!(to.to_str().unwrap().starts_with(base), "{path}: {to:?}");
        }
        for cookie in answer.headers().get_all(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            let is_scoped = cookie
                .split("; ")
                .any(|part| part == format!("Path={base}"));
            assert!(is_scoped, "{path}: {cookie}");
        }
        if !is_page {
            continue;
        }
        let page = answer.text().await.unwrap();
        for (before, value) in page.split("=\"").zip(page.split("=\"").skip(1)) {
            // A form's value is completed when the browser is redirected.
            if before.ends_with(" value") {
                continue;
            }
            let value = value.split('"').next().unwrap();
            let is_rooted = value.starts_with('/') && value != "/";
            let is_base = value
                .strip_prefix(base)
                .is_some_and(|rest| rest.starts_with('/'));
            assert!(!is_rooted || is_base, "{path}: {value}");
        }
        assert!(
            !page.contains(";url=/") || page.contains(&format!(";url={base}/")),
            "{path}"
        );
        for link in values(
            &page,
            &["href", "src", "srcset", "data-record", "data-turn"],
        ) {
            let link = link.split('#').next().unwrap();
            // One position leads to thousands, so each page is fetched once, whatever its query.
            let path = link.split(['?', '#']).next().unwrap().to_owned();
            if path.starts_with('/') && found.insert(path) {
                pending.push(link.replace("&amp;", "&"));
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
    let options = [
        "--base-path",
        "/dice",
        "--trusted-proxy",
        "127.0.0.1",
        "--host",
        "dice.example",
    ];
    let server = server(&home, &options);
    let proxy = nginx(&server, location, "/dice/readyz");
    let mut visitor = Visitor::at(&proxy);

    let game = visitor.create("/dice/games").await;
    assert!(game.starts_with("/dice/g/"), "{game}");
    let page = visitor.page(&game).await;
    let begin = format!("{}/dice/join/", visitor.url);
    let invitation = values(&page, &["value"])
        .into_iter()
        .find(|value| value.starts_with(&begin));
    let invitation = invitation.unwrap_or_else(|| panic!("no {begin} in {page}"));
    let guest = Visitor::at(&proxy);
    guest.page(&invitation[visitor.url.len()..]).await;
    let resigned = visitor
        .post(&format!("{game}/resign"), "player=0&ply=0")
        .await;
    assert!(resigned.status().as_u16() < 500, "{}", resigned.status());
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
    let request = visitor
        .client
        .post(format!("{}/dice/language", visitor.url));
    let request = request.header("referer", format!("{}/dice/rules", visitor.url));
    let switched = request.form(&[("language", "en")]).send().await.unwrap();
    assert_eq!(switched.headers()[LOCATION], "/dice/rules");

    // The API works there, too.
    let document: Value = visitor
        .get("/dice/openapi.json")
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(document["servers"], json!([{ "url": "/dice" }]));
    let games = format!("{}/dice/api/v1/games", visitor.url);
    let body = json!({ "game": "dice", "players": 2, "seats": ["human", "open"] });
    let created = visitor.client.post(games).json(&body).send().await.unwrap();
    assert_eq!(created.status(), 201);
    let place = created.headers()[LOCATION].to_str().unwrap().to_owned();
    assert!(place.starts_with("/dice/api/v1/games/"), "{place}");
    assert_eq!(visitor.get(&place).await.status(), 200);
    let mut events = visitor.get(&format!("{place}/events")).await;
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains("event: game") {
        received.extend(events.chunk().await.unwrap().unwrap());
    }

    // Over https, cookies are scoped to the path.
    let created = proxy.ask("/dice/games", "127.0.0.1", &["--data", GAME]);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
    let cookie = created.header("set-cookie");
    assert!(cookie.starts_with("__Secure-dod="), "{cookie}");
    for attribute in ["Secure", "Path=/dice", "HttpOnly"] {
        assert!(cookie.split("; ").any(|part| part == attribute), "{cookie}");
    }
    let cookie = format!("cookie: {}", cookie.split(';').next().unwrap());
    let page = proxy
        .ask(
            created.header("location"),
            "127.0.0.1",
            &["--header", &cookie],
        )
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
    let public = [
        "--public-url",
        "https://dice.example/dice",
        "--trusted-proxy",
        "127.0.0.1",
    ];
    let server = server(&home, &public);
    let settings = settings("haproxy")[0].replace("127.0.0.1:8080", &server.address());
    let proxy = Proxy::haproxy_with(&settings, "/dice/readyz");
    let mut visitor = Visitor::at(&proxy);
    for start in ["/dice", "/dice/"] {
        let page = visitor.page(start).await;
        assert!(page.contains(" action=\"/dice/games\""), "{start}: {page}");
    }
    let game = visitor.create("/dice/games").await;
    let page = visitor.page(&game).await;
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
    let server = server(
        &home,
        &["--trusted-proxy", "127.0.0.1", "--host", "dice.example"],
    );
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
    let server = server(&home, &["--listen", &listen, "--host", "dice.example"]);
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
    let alone = server(&home, &[]);
    let proxy = nginx(&alone, BARE, "/readyz");
    let visitor = Visitor::at(&proxy);
    let refused = visitor.post("/games", GAME).await;
    assert_eq!(refused.status(), 403);
    let page = refused.text().await.unwrap();
    let line = alone.log();
    let line = line.lines().find(|line| line.contains("--public-url"));
    let line = line.unwrap_or_else(|| panic!("{}", alone.log()));
    for name in [&visitor.url, &alone.address()] {
        assert!(page.contains(name.as_str()), "{name} in {page}");
        assert!(line.contains(name.as_str()), "{name} in {line}");
    }
    // The API reports it, too.
    let request = visitor.client.post(format!("{}/api/v1/games", visitor.url));
    let request = request
        .header(ORIGIN, &visitor.url)
        .json(&json!({ "game": "dice" }));
    let problem: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(problem["code"], "cross-site");
    let detail = problem["detail"].as_str().unwrap();
    assert_contains(&detail, &[&visitor.url, &alone.address()]);

    // A public URL solves it.
    let public = server(&home, &["--public-url", "https://dice.example"]);
    let proxy = nginx(&public, BARE, "/readyz");
    let mut visitor = Visitor::at(&proxy).with_name("https://dice.example");
    let game = visitor.create("/games").await;
    let page = visitor.page(&game).await;
    assert!(page.contains("\"https://dice.example/join/"), "{page}");
    assert!(!page.contains(&public.address()), "{page}");

    // So does the name in a forwarded header from a trusted proxy.
    let trusting = server(
        &home,
        &["--host", "dice.example", "--trusted-proxy", "127.0.0.1"],
    );
    let proxy = nginx(&trusting, settings("nginx")[3], "/readyz");
    let mut visitor = Visitor::at(&proxy).with_name("http://dice.example");
    let game = visitor.create("/games").await;
    let page = visitor.page(&game).await;
    assert!(page.contains("\"http://dice.example/join/"), "{page}");
    // A forwarded name that is not the server's own is ignored.
    let stranger = Visitor::at(&proxy).with_name("http://evil.example");
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
        let mut visitor = Visitor::at(&proxy).with_name(&alone.url);
        let game = visitor.create("/games").await;
        assert_eq!(
            shown_address(&visitor.page(&game).await),
            None,
            "{location}"
        );
    }
    // A visitor at the machine is shown the address.
    let mut visitor = Visitor {
        client: client(),
        url: alone.url.clone(),
        name: alone.url.clone(),
        cookie: String::new(),
    };
    let game = visitor.create("/games").await;
    let request = visitor.client.get(format!("{}{game}", alone.url));
    let request = request.header(COOKIE, &visitor.cookie);
    let page = request
        .header("sec-fetch-site", "none")
        .send()
        .await
        .unwrap();
    let shown_address = shown_address(&page.text().await.unwrap());
    assert!(
        shown_address.is_some() || inner_addresses().iter().all(IpAddr::is_ipv6),
        "{shown_address:?}"
    );
}

#[tokio::test]
async fn probes_answer_for_any_host() {
    let home = tempfile::tempdir().unwrap();
    let under_a_path = ["--base-path", "/dice"];
    for (options, base) in [(&[][..], ""), (&under_a_path[..], "/dice")] {
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
