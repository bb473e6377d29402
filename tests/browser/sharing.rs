//! What is handed on of a game: the link to a move, its frame on another page, and films.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::harness::{BrowserSession, Scripts};
use crate::player::InputDevice;
use crate::{TWO_PEOPLE, dropper, set_up_game};

/// A finished game of seven chips; answers its address.
async fn finish_game(world: &BrowserSession, hand: InputDevice) -> String {
    set_up_game(world, &TWO_PEOPLE).await;
    dropper::drop_chips(world, hand, 0, "dededed").await;
    world.path().await
}

async fn value_of(world: &BrowserSession, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.value ?? ''");
    let value = world.run_script(&script, vec![]).await;
    value.as_str().unwrap_or_default().to_owned()
}

/// Puts an element on a page of another site, and looks into its frame.
async fn open_in_frame(world: &BrowserSession, element: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let page = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<!DOCTYPE html><title>Elsewhere</title>{element}"
    );
    let serving = tokio::spawn(async move {
        // Browsers open connections that they may not use.
        while let Ok((mut stream, _)) = listener.accept().await {
            let page = page.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(page.as_bytes()).await;
            });
        }
    });
    let client = &world.client;
    let outside = format!("http://{address}/");
    client.goto(&outside).await.expect("a page");
    client.enter_frame(0).await.expect("a frame");
    let there = "return location.protocol !== 'about:' && document.readyState === 'complete'";
    world.wait_for(there, "what is in the frame").await;
    serving.abort();
}

#[tokio::test]
async fn a_move_is_shared_by_link_and_in_a_frame() {
    let world = BrowserSession::open(Scripts::On).await;
    let game = finish_game(&world, InputDevice::Keyboard).await;
    world.goto(&format!("{game}/3")).await;
    world.click(".pass-on summary").await;
    let here = format!("{}{game}", world.address);
    assert_eq!(value_of(&world, "#share-link").await, format!("{here}/3"));
    world.click("[data-of=share-link]:not([data-share])").await;
    let copied = "return document.querySelector('[data-of=share-link]').textContent === 'Copied'";
    world.wait_for(copied, "the word that it is copied").await;
    // What is shared follows the move that is shown, and stays unfolded.
    world.click("a[data-ply=next]").await;
    let next = "return document.getElementById('main').dataset.ply === '4' && document.querySelector('.pass-on').open";
    world.wait_for(next, "the next move").await;
    assert_eq!(value_of(&world, "#share-link").await, format!("{here}/4"));
    let element = value_of(&world, "#share-embed").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());

    open_in_frame(&world, &element).await;
    let says = world
        .run_script("return document.querySelector('h1').textContent", vec![])
        .await;
    assert_eq!(says, "Move 4 of 7");
    let fits = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(world.run_script(fits, vec![]).await, true);
    // No other page of ours shows itself there.
    open_in_frame(&world, &element.replace("/embed?ply=4", "/4")).await;
    let refused =
        "return location.protocol === 'chrome-error:' && document.querySelector('main') === null";
    assert_eq!(world.run_script(refused, vec![]).await, true);
}

#[tokio::test]
async fn a_frame_follows_its_game() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up_game(&world, &TWO_PEOPLE).await;
    let game = world.path().await;
    world.goto(&format!("{game}/embed")).await;
    // Whoever loads the page again loses this.
    world.run_script("window.kept = true", vec![]).await;
    let drop = format!(
        "return fetch('{game}/moves', {{ method: 'POST', body: new URLSearchParams({{ ply: 0, column: 'd' }}) }}).then(() => true)"
    );
    world.run_script(&drop, vec![]).await;
    let moved = "const main = document.getElementById('main'); return main.dataset.ply === '1' && main.querySelector('h1').textContent === 'Blue to move'";
    world.wait_for(moved, "the next move").await;
    assert_eq!(world.run_script("return window.kept", vec![]).await, true);
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn without_scripts_links_lead_to_pictures_and_films() {
    let world = BrowserSession::open(Scripts::Off).await;
    let game = finish_game(&world, InputDevice::Mouse).await;
    world.goto(&format!("{game}/3")).await;
    world.click(".pass-on summary").await;
    let link = value_of(&world, "#share-link").await;
    assert_eq!(link, format!("{}{game}/3", world.address));
    let buttons = "return [...document.querySelectorAll('.pass-on button')].every((button) => button.offsetParent === null)";
    assert_eq!(world.run_script(buttons, vec![]).await, true, "only fields");
    world.click(".pass-on a[href*='from=0']").await;
    // The page asks again by itself until the film is there.
    let film = "return document.querySelector('img.film')?.complete === true";
    world.wait_for(film, "the film").await;
    assert_eq!(world.path().await, format!("{game}/film?from=0&to=7"));
    world.goto(&format!("{game}/3")).await;
    world.click(".pass-on summary").await;
    world.click(".pass-on a[href*='board.png']").await;
    let picture = "const image = document.images[0]; return Math.max(image?.naturalWidth, image?.naturalHeight) === 1200";
    world.wait_for(picture, "the picture").await;
}
