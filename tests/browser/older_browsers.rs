//! A game in a browser as old as docs/playing.md supports: its style sheets have no `color-mix()`, `:has()` and container
//! queries, and its scripts lack functions that came in 2022 or later.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use dice_of_doom::http::connections::{self, ConnectionLimits};
use reqwest::redirect::Policy;
use reqwest::{Client, header};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::player::{InputDevice, Player};
use crate::shared_game;

/// What is taken out of style sheets, each with an unknown name of the same length.
const STYLES: [(&str, &str); 3] = [
    ("color-mix(", "color-nix("),
    (":has(", ":hax("),
    ("@container", "@containex"),
];

/// What is taken away from scripts.
const SCRIPTS: &str = "
    delete HTMLFormElement.prototype.requestSubmit;
    delete AbortSignal.timeout;
    delete window.SharedWorker;
    const { FormData: Whole } = window;
    window.FormData = class extends Whole { constructor(form) { super(form); } };
";

/// Serves what another server serves, with the style sheets of an older browser; returns the address.
async fn start_proxy(server: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let client = Client::builder().redirect(Policy::none()).build();
    let (client, server) = (client.expect("a client"), server.to_owned());
    let forward = async move |request: Request| forward(&client, &server, request).await;
    let router = axum::Router::new().fallback(forward);
    let limits = ConnectionLimits::default();
    tokio::spawn(connections::serve(
        listener,
        router,
        limits,
        CancellationToken::new(),
    ));
    format!("http://{address}")
}

async fn forward(client: &Client, server: &str, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    parts.headers.remove(header::ACCEPT_ENCODING);
    let body = axum::body::to_bytes(body, usize::MAX).await;
    let url = format!("{server}{}", parts.uri);
    let request = client.request(parts.method, url).headers(parts.headers);
    let answer = request.body(body.expect("a body")).send().await;
    let answer = answer.expect("the server answers");
    let (status, headers) = (answer.status(), answer.headers().clone());
    let is_style = headers.get(header::CONTENT_TYPE);
    let is_style = is_style.is_some_and(|kind| kind.as_bytes().starts_with(b"text/css"));
    let body = if is_style {
        let style = answer.text().await.expect("a style sheet");
        let old = |style: String, (new, old): (&str, &str)| style.replace(new, old);
        Body::from(STYLES.into_iter().fold(style, old))
    } else {
        Body::from_stream(answer.bytes_stream())
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The shapes of tiles and dice that would be black on a hex or a side of the roll, instead of in the colours of the
/// player.
const BLACK: &str = r#"
    const found = [];
    for (const group of document.querySelectorAll(".board .hex, .roll .side")) {
        for (const shape of ["t-l", "t-r", "t-t", "d-t", "d-l", "d-r", "f-t", "f-s"]) {
            const at = document.createElementNS("http://www.w3.org/2000/svg", "rect");
            at.setAttribute("class", shape);
            group.append(at);
            if (getComputedStyle(at).fill === "rgb(0, 0, 0)") found.push(`${shape} in ${group.getAttribute("class")}`);
            at.remove();
        }
    }
    return found;
"#;

async fn open_older_browser(address: &str) -> BrowserSession {
    let browser = BrowserSession::open_at(address, Scripts::On, Motion::Reduced).await;
    let without = json!({ "source": SCRIPTS });
    browser
        .devtools("Page.addScriptToEvaluateOnNewDocument", without)
        .await;
    browser
}

#[tokio::test]
async fn a_game_is_played_in_an_older_browser() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let browser = open_older_browser(&start_proxy(&server.address).await).await;
    let fields = "seed=7&size=4&players=2&seats:0=human&seats:1=human";
    crate::set_up_game(&browser, fields).await;
    let present = "'requestSubmit' in HTMLFormElement.prototype || 'SharedWorker' in window";
    assert!(!browser.is_true(present).await);
    let mut player = Player::new(&browser, InputDevice::Keyboard);
    player
        .play_until(|state| state.ply > 0 && state.chosen.is_some())
        .await;
    assert_eq!(browser.run(BLACK).await, json!([]));
    player.play_until(|_| false).await;
    assert!(player.passes > 0, "the key ended no turn");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_phrase_is_said_in_an_older_browser() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let host = open_older_browser(&start_proxy(&server.address).await).await;
    let (_, join) = shared_game::invite(&host).await;
    let guest = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    guest.goto(&join).await;
    guest.click(".join form .btn").await;
    shared_game::start(&host).await;
    guest.wait_for_element("main .stage").await;
    host.run("window.sameWindow = true").await;
    host.click("#say-luck").await;
    let bubble = "return document.querySelector('.bubble')?.textContent ?? null";
    for page in [&host, &guest] {
        assert_eq!(page.wait_for(bubble, "the phrase").await, "Good luck");
    }
    assert!(host.is_true("window.sameWindow").await);
    assert_eq!(host.console_errors().await, Vec::<String>::new());
}
