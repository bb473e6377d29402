//! A person with a browser without scripts.

use std::fmt::Debug;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;

use super::page::Page;
use super::{Events, HANG, likely, number};

/// The fields of a form: encoded, such as `name=Ada&seats=human`, or as pairs.
pub(crate) trait Form: Debug {
    fn fill(self, request: RequestBuilder) -> RequestBuilder;
}

impl Form for String {
    fn fill(self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        request.body(self)
    }
}

impl Form for &str {
    fn fill(self, request: RequestBuilder) -> RequestBuilder {
        self.to_owned().fill(request)
    }
}

impl Form for &String {
    fn fill(self, request: RequestBuilder) -> RequestBuilder {
        self.clone().fill(request)
    }
}

impl<V: AsRef<str> + Debug> Form for &[(&str, V)] {
    fn fill(self, request: RequestBuilder) -> RequestBuilder {
        let fields = self.iter().map(|(name, value)| (*name, value.as_ref()));
        request.form(&fields.collect::<Vec<_>>())
    }
}

impl<V: AsRef<str> + Debug> Form for &Vec<(&str, V)> {
    fn fill(self, request: RequestBuilder) -> RequestBuilder {
        self.as_slice().fill(request)
    }
}

impl<V: AsRef<str> + Debug, const N: usize> Form for &[(&str, V); N] {
    fn fill(self, request: RequestBuilder) -> RequestBuilder {
        self.as_slice().fill(request)
    }
}

/// A browser without scripts, which follows no redirects. Clones share its cookies. Games are named by the paths of their
/// pages.
#[derive(Clone)]
pub(crate) struct Person {
    client: Client,
    url: String,
    headers: HeaderMap,
}

impl Person {
    /// A new browser at a site.
    pub(crate) fn new(url: &str) -> Self {
        Self::with_cookies(url, true)
    }

    /// A browser that refuses cookies.
    pub(crate) fn without_cookies(url: &str) -> Self {
        Self::with_cookies(url, false)
    }

    fn with_cookies(url: &str, keeps_cookies: bool) -> Self {
        let client = Client::builder()
            .cookie_store(keeps_cookies)
            .redirect(Policy::none())
            .timeout(HANG);
        Person {
            client: client.build().unwrap(),
            url: url.trim_end_matches('/').to_owned(),
            headers: HeaderMap::new(),
        }
    }

    /// The same browser at another address of the site.
    pub(crate) fn at(&self, url: &str) -> Self {
        Person {
            url: url.trim_end_matches('/').to_owned(),
            ..self.clone()
        }
    }

    /// The same browser, which also sends this header with each request.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut person = self.clone();
        let name = HeaderName::try_from(name).unwrap();
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        person.headers.append(name, value);
        person
    }

    /// The same browser, which also sends these headers with each request.
    pub(crate) fn with_all(&self, headers: &[(&str, &str)]) -> Self {
        let headers = headers.iter();
        headers.fold(self.clone(), |person, (name, value)| {
            person.with(name, value)
        })
    }

    /// A request to a path of the site, or to a whole address.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let address = match path.starts_with("http") {
            true => path.to_owned(),
            false => format!("{}{path}", self.url),
        };
        let request = self.client.request(method, address);
        request.headers(self.headers.clone())
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub(crate) async fn page(&self, path: &str) -> Page {
        self.page_with_status(path, 200).await
    }

    pub(crate) async fn page_with_status(&self, path: &str, status: u16) -> Page {
        read_page(self.get(path).await, status, path).await
    }

    /// The location to which a path redirects.
    pub(crate) async fn redirected(&self, path: &str) -> String {
        let response = self.get(path).await;
        let location = super::header_of(&response, "location").to_owned();
        read_page(response, 303, path).await;
        location
    }

    /// The first link to a seat that the page of a game shows: an invitation, or the reader's own.
    pub(crate) async fn seat_link(&self, game: &str) -> String {
        self.page(game).await.seat_links().remove(0)
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.page(path).await).unwrap()
    }

    pub(crate) async fn events(&self, path: &str) -> Events {
        Events::new(self.get(path).await)
    }

    pub(crate) async fn post(&self, path: &str, form: impl Form) -> Response {
        let request = form.fill(self.request(Method::POST, path));
        request.send().await.unwrap()
    }

    /// A form that must be redirected; returns the location.
    pub(crate) async fn done(&self, path: &str, form: impl Form) -> String {
        let of = format!("{path} {form:?}");
        let response = self.post(path, form).await;
        let location = super::header_of(&response, "location").to_owned();
        read_page(response, 303, &of).await;
        location
    }

    /// The page to which a form leads.
    pub(crate) async fn page_after(&self, path: &str, form: impl Form) -> Page {
        self.page(&self.done(path, form).await).await
    }

    /// A form that must be refused with this status; returns the page.
    pub(crate) async fn refused(&self, path: &str, form: impl Form, status: u16) -> Page {
        let of = format!("{path} {form:?}");
        read_page(self.post(path, form).await, status, &of).await
    }

    /// Sends the form of uploads with these fields.
    pub(crate) async fn upload(&self, fields: &[(&str, &[u8])]) -> Response {
        let mut body = Vec::new();
        for (field, value) in fields {
            let head = format!("--x\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n");
            body.extend([head.as_bytes(), value, b"\r\n"].concat());
        }
        body.extend_from_slice(b"--x--\r\n");
        let request = self.request(Method::POST, "/upload").body(body);
        let request = request.header("content-type", "multipart/form-data; boundary=x");
        request.send().await.unwrap()
    }

    /// Creates a game by the form.
    pub(crate) async fn create(&self, form: impl Form) -> String {
        self.done("/games", form).await
    }

    /// Starts a game that waits for players, as its host.
    pub(crate) async fn start(&self, game: &str) {
        self.done(&format!("{game}/table"), "do=start").await;
    }

    pub(crate) async fn state(&self, game: &str) -> Value {
        self.json(&api_path(game, "")).await
    }

    /// The state of a game as soon as it has reached this ply.
    pub(crate) async fn wait(&self, game: &str, ply: u64) -> Value {
        self.json(&api_path(game, &format!("?wait={ply}"))).await
    }

    pub(crate) async fn moves(&self, game: &str) -> Value {
        self.json(&api_path(game, "/moves")).await
    }

    pub(crate) async fn record(&self, game: &str) -> Value {
        self.json(&api_path(game, "/record")).await
    }

    /// Attacks along a path, or ends the turn if it is null.
    pub(crate) async fn play(&self, game: &str, ply: u64, path: &Value) -> Response {
        let form = match path.is_null() {
            true => format!("ply={ply}&pass=1"),
            false => format!("ply={ply}&from={}&to={}", path[0], path[1]),
        };
        self.post(&format!("{game}/moves"), form).await
    }

    /// Plays the likeliest attack, or ends the turn; whether it attacked.
    pub(crate) async fn play_likely(&self, game: &str, state: &Value) -> bool {
        let path = likely(&self.moves(game).await);
        let played = self.play(game, number(&state["ply"]), &path).await;
        assert_eq!(played.status(), 303, "{path}");
        !path.is_null()
    }

    /// The state of a game when the first player is to move, or when it is over.
    pub(crate) async fn own_turn(&self, game: &str) -> Value {
        let mut state = self.state(game).await;
        while state["over"] == false && state["player"] != 0 {
            state = self.wait(game, number(&state["ply"]) + 1).await;
        }
        state
    }

    /// Plays as the first player until the game is over; returns the record.
    pub(crate) async fn play_to_the_end(&self, game: &str) -> Value {
        loop {
            let state = self.own_turn(game).await;
            if state["over"] == true {
                return self.record(game).await;
            }
            self.play_likely(game, &state).await;
        }
    }

    /// Loses a game in such a way that it counts: by giving it up in the third turn, if it is not over before.
    pub(crate) async fn lose(&self, game: &str) {
        let mut turns = 0;
        while turns < 2 {
            let state = self.own_turn(game).await;
            if state["over"] == true {
                return;
            }
            turns += u32::from(!self.play_likely(game, &state).await);
        }
        if self.own_turn(game).await["over"] == false {
            self.resign(game).await;
        }
    }

    pub(crate) async fn resign(&self, game: &str) {
        let form = format!("ply={}", self.state(game).await["ply"]);
        self.done(&format!("{game}/resign"), form).await;
    }
}

/// The path in the API of what belongs to a game.
pub(crate) fn api_path(game: &str, rest: &str) -> String {
    format!("{}{rest}", game.replacen("/g/", "/api/v1/games/", 1))
}

/// The page of a response, which must have this status.
pub(crate) async fn read_page(response: Response, status: u16, of: &str) -> Page {
    let found = response.status();
    let page = Page(response.text().await.unwrap());
    assert_eq!(found, status, "{of}: {page}");
    page
}
