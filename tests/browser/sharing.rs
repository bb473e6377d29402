//! Sharing a game: the link to a move, its frame on another page, pictures and films.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::harness::{BrowserSession, Scripts};
use crate::player::InputDevice;
use crate::{TWO_PEOPLE, set_up_game, trilobite_player};

/// Plays a game of seven chips to its end; returns its path.
pub(crate) async fn finish_game(browser: &BrowserSession, device: InputDevice) -> String {
    set_up_game(browser, TWO_PEOPLE).await;
    trilobite_player::drop_chips(browser, device, 0, "dededed").await;
    browser.path().await
}

async fn value_of(browser: &BrowserSession, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.value ?? ''");
    let value = browser.run(&script).await;
    value.as_str().unwrap_or_default().to_owned()
}

/// Serves a page of another origin with the given frame element, and switches to the frame.
async fn open_in_frame(browser: &BrowserSession, element: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let page = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<!DOCTYPE html><title>Elsewhere</title>{element}"
    );
    let serving = tokio::spawn(async move {
        // Each connection has its own task, because browsers open connections that they may not use.
        while let Ok((mut stream, _)) = listener.accept().await {
            let page = page.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(page.as_bytes()).await;
            });
        }
    });
    let client = &browser.client;
    let outside = format!("http://{address}/");
    client.goto(&outside).await.expect("a page");
    client.enter_frame(0).await.expect("a frame");
    let there = "return location.protocol !== 'about:' && document.readyState === 'complete'";
    browser.wait_for(there, "what is in the frame").await;
    serving.abort();
}

#[tokio::test]
pub(crate) async fn a_move_is_shared_by_link_and_in_a_frame() {
    let browser = BrowserSession::open(Scripts::On).await;
    let game = finish_game(&browser, InputDevice::Keyboard).await;
    browser.goto(&format!("{game}/3")).await;
    browser.click(".pass-on summary").await;
    let here = format!("{}{game}", browser.address);
    assert_eq!(value_of(&browser, "#share-link").await, format!("{here}/3"));
    browser
        .click("[data-of=share-link]:not([data-share])")
        .await;
    let copied = "return document.querySelector('[data-of=share-link]').textContent === 'Copied'";
    browser
        .wait_for(copied, "the confirmation of the copy")
        .await;
    // The shared link follows the displayed move, and the section stays open.
    browser.click("a[data-ply=next]").await;
    let next = "return document.getElementById('main').dataset.ply === '4' && document.querySelector('.pass-on').open";
    browser.wait_for(next, "the next move").await;
    assert_eq!(value_of(&browser, "#share-link").await, format!("{here}/4"));
    let element = value_of(&browser, "#share-embed").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());

    open_in_frame(&browser, &element).await;
    let says = browser
        .eval("document.querySelector('h1').textContent")
        .await;
    assert_eq!(says, "Move 4 of 7");
    let fits = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(browser.run(fits).await, true);
    // Other pages of the server refuse to be framed.
    open_in_frame(&browser, &element.replace("/embed?ply=4", "/4")).await;
    let refused = "return document.querySelector('main') === null";
    assert_eq!(browser.run(refused).await, true);
}

#[tokio::test]
pub(crate) async fn a_frame_follows_its_game() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up_game(&browser, TWO_PEOPLE).await;
    let game = browser.path().await;
    browser.goto(&format!("{game}/embed")).await;
    // A page load would lose this value.
    browser.run("window.kept = true").await;
    let drop = format!(
        "return fetch('{game}/moves', {{ method: 'POST', body: new URLSearchParams({{ ply: 0, column: 'd' }}) }}).then(() => true)"
    );
    browser.run(&drop).await;
    let moved = "const main = document.getElementById('main'); return main.dataset.ply === '1' && main.querySelector('h1').textContent === 'Blue to move'";
    browser.wait_for(moved, "the next move").await;
    assert!(browser.is_true("window.kept").await);
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn links_lead_to_pictures_and_films_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    let game = finish_game(&browser, InputDevice::Mouse).await;
    browser.goto(&format!("{game}/3")).await;
    browser.click(".pass-on summary").await;
    let link = value_of(&browser, "#share-link").await;
    assert_eq!(link, format!("{}{game}/3", browser.address));
    let buttons = "return [...document.querySelectorAll('.pass-on button')].every((button) => button.offsetParent === null)";
    assert_eq!(browser.run(buttons).await, true, "only fields");
    browser.click(".pass-on a[href*='from=0']").await;
    // The page reloads itself until the film is ready.
    let film = "return document.querySelector('img.film')?.complete === true";
    browser.wait_for(film, "the film").await;
    assert_eq!(browser.path().await, format!("{game}/film?from=0&to=7"));
    browser.goto(&format!("{game}/3")).await;
    browser.click(".pass-on summary").await;
    browser.click(".pass-on a[href*='board.png']").await;
    let picture = "const image = document.images[0]; return Math.max(image?.naturalWidth, image?.naturalHeight) === 1200";
    browser.wait_for(picture, "the picture").await;
}
