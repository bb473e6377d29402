//! A server that a proxy publishes below a path writes this path into every address.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use reqwest::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use reqwest::{RequestBuilder, Response};
use serde_json::Value;

use crate::common::{Form, Server, header_of, plain_client, routes};

const BASE: &str = "/dice";

async fn server() -> Server {
    Server::with(|config| {
        config.base_path = BASE.parse().unwrap();
        config.limits.proxies = vec!["127.0.0.1".parse().unwrap()];
    })
    .await
}

/// A browser, which collects the addresses that the server writes.
struct Visitor<'a> {
    server: &'a Server,
    /// The value of its `Cookie` header.
    cookie: String,
    /// The paths that it has requested, without the base path.
    visited: BTreeSet<String>,
    /// The addresses that it has not requested yet.
    pending: Vec<String>,
}

impl Visitor<'_> {
    async fn send(&self, request: RequestBuilder) -> Response {
        let accept = "text/html,*/*";
        let request = request
            .header("accept", accept)
            .header("cookie", &self.cookie);
        request.send().await.unwrap()
    }

    /// Posts a form, checks the response, and returns where it redirects to.
    async fn post(&mut self, path: &str, form: impl Form) -> String {
        let request = plain_client().post(self.server.url(&format!("{BASE}{path}")));
        let response = self.send(form.fill(request)).await;
        let status = response.status();
        assert!(status.is_redirection(), "{path}: {status}");
        let to = header_of(&response, "location").to_owned();
        self.check(path, response).await;
        to
    }

    async fn visit(&mut self, address: &str) {
        let response = self
            .send(plain_client().get(self.server.url(address)))
            .await;
        self.check(address, response).await;
    }

    /// Checks the addresses in a response, and adds them to the pending ones.
    async fn check(&mut self, path: &str, response: Response) {
        assert!(!response.status().is_server_error(), "{path}");
        let headers = response.headers();
        if let Some(to) = headers.get(LOCATION) {
            self.add(path, to.to_str().unwrap());
        }
        for cookie in headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            let mut parts = cookie.split("; ");
            assert!(parts.any(|part| part == "Path=/dice"), "{path}: {cookie}");
        }
        let kind = headers.get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap());
        let kind = kind.unwrap_or_default().to_owned();
        if kind.starts_with("text/event-stream") || kind.starts_with("image/") {
            return;
        }
        let body = response.text().await.unwrap();
        match kind.split(';').next().unwrap() {
            "text/html" => self.check_page(path, &body),
            "text/css" => {
                for address in body.split("url(").skip(1) {
                    assert!(!address.trim_start_matches(['"', '\'']).starts_with('/'));
                }
            }
            "text/javascript" => {
                for function in ["fetch(", "import(", "assign(", "URL(", "from "] {
                    for quote in ['"', '\'', '`'] {
                        let rooted = format!("{function}{quote}/");
                        assert!(!body.contains(&rooted), "{path}: {rooted}");
                    }
                }
            }
            "application/json" | "application/manifest+json" => {
                let document: Value = serde_json::from_str(&body).unwrap();
                // A description is a text.
                for_each_text(&document, &mut |text| {
                    if text.starts_with('/') && !text.contains(' ') {
                        self.add(path, text);
                    }
                });
            }
            "application/atom+xml" => {
                for link in body.split(" href=\"").skip(1) {
                    let link = link.split('"').next().unwrap();
                    let from_root = link.strip_prefix(&self.server.url("")).unwrap();
                    self.add(path, from_root);
                }
            }
            _ => {}
        }
    }

    /// Checks the attributes of a page. A hidden field names a path to which the server redirects.
    fn check_page(&mut self, path: &str, page: &str) {
        for (at, _) in page.match_indices("=\"/") {
            let name = page[..at].rsplit([' ', '\n']).next().unwrap();
            let address = page[at + 2..].split('"').next().unwrap();
            match name {
                "value" => {}
                // Only requests of scripts and forms change something.
                "action" | "data-base" => assert!(is_below_base(address), "{path}: {address}"),
                _ => self.add(path, address),
            }
        }
        let whole = format!("=\"{}", self.server.url(""));
        for address in page.split(&whole).skip(1) {
            self.add(path, address.split('"').next().unwrap());
        }
        for address in page.split(";url=").skip(1) {
            self.add(path, address.split('"').next().unwrap());
        }
    }

    fn add(&mut self, path: &str, address: &str) {
        assert!(is_below_base(address), "{path}: {address}");
        let address = address.split('#').next().unwrap().replace("&amp;", "&");
        let path = address.split('?').next().unwrap();
        // One position leads to thousands, so each path is requested once, whatever its query.
        if self.visited.insert(path[BASE.len()..].to_owned()) {
            self.pending.push(address);
        }
    }

    async fn visit_pending(&mut self) {
        while let Some(address) = self.pending.pop() {
            self.visit(&address).await;
        }
    }
}

fn is_below_base(address: &str) -> bool {
    let rest = address.strip_prefix(BASE);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

fn for_each_text(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| for_each_text(item, found)),
        _ => {}
    }
}

/// Whether a path is one of a route, such as `/g/{id}`.
fn fits(route: &str, path: &str) -> bool {
    let (route, path) = (route.split('/'), path.split('/'));
    route.clone().count() == path.clone().count()
        && route
            .zip(path)
            .all(|(due, part)| due == part || due.starts_with('{'))
}

#[tokio::test]
async fn every_address_begins_with_the_base_path() {
    let server = server().await;
    let mut visitor = Visitor {
        server: &server,
        cookie: String::new(),
        visited: BTreeSet::new(),
        pending: Vec::new(),
    };
    // A newcomer is sent to a seat link.
    let two = "seats=human&seats=open&seed=3";
    visitor.post("/games", two).await;
    visitor.visit_pending().await;
    let secret = dice_of_doom::secret::Secret::random().to_text();
    visitor.cookie = format!("dod={secret}");
    let game = visitor.post("/games", two).await;
    let game = game[BASE.len()..].to_owned();
    visitor.post(&format!("{game}/table"), "do=open").await;
    let both = "seats=human&seats=human&seed=3";
    let over = visitor.post("/games", both).await;
    let over = over[BASE.len()..].to_owned();
    visitor.visit_pending().await;
    for (path, form) in [
        ("/language", "language=en"),
        ("/settings", "theme=dark"),
        ("/settings", "theme=dark&next=/rules"),
        ("/settings", "theme=dark&back=/rules"),
        ("/settings/feed", ""),
        ("/learn", ""),
        ("/me/reviews", ""),
        ("/device/end", ""),
        (&format!("{over}/resign"), "ply=0"),
        (&format!("{over}/play-on"), "ply=0"),
    ] {
        visitor.post(path, form).await;
    }
    // With the address of the feed.
    visitor.visit("/dice/settings?saved=1&back=/rules").await;
    for path in [
        "",
        "/",
        "/analysis?deal=dice",
        "/assets/0123456789abcdef/page.js",
        "/assets/page.js",
        "/board.png",
        "/daily/2026-01-01",
        "/daily/2026-01-01/board.png",
        "/daily/2026-01-01/result.png",
        "/dice",
        "/events",
        "/favicon.ico",
        "/game.html?chosen=1&ply=0",
        "/healthz",
        "/language",
        "/me/delete",
        "/metrics",
        "/nowhere",
        "/onair",
        "/program/none",
        "/readyz",
        "/tables",
        "/verify.py",
        &format!("{over}/0"),
        &format!("{over}/embed"),
        &format!("{over}/events"),
        &format!("{over}/game.gif"),
        &format!("{over}/review"),
        &format!("{over}/review/0"),
        &format!("/api/v1{}", game.replace("/g/", "/games/")),
        &format!("/api/v1{}/record", game.replace("/g/", "/games/")),
    ] {
        visitor.add("this test", &format!("{BASE}{path}"));
    }
    visitor.visit_pending().await;
    let pages = routes().into_iter();
    let pages = pages.filter(|(path, handlers)| {
        !path.starts_with("/api/") && handlers.split(".route(").next().unwrap().contains("get(")
    });
    let missing: Vec<_> = pages
        .map(|(path, _)| path)
        .filter(|route| !visitor.visited.iter().any(|path| fits(route, path)))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "{:?}", visitor.visited);
}

/// In a template, an address that starts with `/` is written with `Translations::path`.
#[test]
fn no_template_contains_an_address_without_the_base_path() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")];
    let mut templates = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                templates += 1;
                let template = fs::read_to_string(&path).unwrap();
                for name in [
                    "href",
                    "src",
                    "srcset",
                    "action",
                    "data-record",
                    "data-base",
                ] {
                    for start in ["\"/", "{ \"/"] {
                        let rooted = format!("{name}={start}");
                        assert!(!template.contains(&rooted), "{path:?}: {rooted}");
                    }
                }
            }
        }
    }
    assert!(templates > 50);
}

#[tokio::test]
async fn cookies_are_restricted_to_the_base_path() {
    let server = server().await;
    let visit = async |cookie: &str| {
        let request = plain_client().post(server.url("/dice/games"));
        let request = request.header("x-forwarded-proto", "https");
        let request = request.header("cookie", cookie);
        let response = request.form(&[("seed", "3")]).send().await.unwrap();
        header_of(&response, "set-cookie").to_owned()
    };
    let set = visit("").await;
    assert!(set.starts_with("__Secure-dod="), "{set}");
    let parts: Vec<_> = set.split("; ").collect();
    for part in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/dice"] {
        assert!(parts.contains(&part), "{set}");
    }
    let own = parts[0];
    assert!(visit(own).await.starts_with(own), "the secret is kept");
    // A cookie with `__Host-` belongs to a server at the root.
    let foreign = own.replace("__Secure-", "__Host-");
    let set = visit(&foreign).await;
    assert!(
        set.starts_with("__Secure-dod=") && !set.starts_with(own),
        "{set}"
    );
}
