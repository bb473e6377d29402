//! Three browsers at one table: a host with scripts, whose connection can be cut, a guest without scripts, and a
//! spectator.

use std::time::Duration;

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::proxy::Proxy;

/// How long the connection is cut.
const CUT: Duration = Duration::from_secs(10);

pub(crate) async fn wait_for_ply(browser: &BrowserSession, ply: u32) {
    let there = format!(
        "const main = document.getElementById('main'); return main?.dataset.ply === '{ply}' && main.dataset.stale === undefined"
    );
    browser.wait_for(&there, "the ply").await;
}

/// Drops a chip with one click.
pub(crate) async fn drop_with_scripts(host: &BrowserSession, column: char, ply: u32) {
    host.click(&format!("#col-{column}")).await;
    wait_for_ply(host, ply).await;
}

/// Drops a chip without scripts: loads the page, chooses the column and clicks on the button.
async fn drop_without_scripts(guest: &BrowserSession, game: &str, column: char, ply: u32) {
    guest.goto(game).await;
    guest.click(&format!("#col-{column}")).await;
    let confirm_button = "return Boolean(document.querySelector('.acts input[name=column]'))";
    guest
        .wait_for(confirm_button, "the button that drops the chip")
        .await;
    guest.click(".acts button").await;
    wait_for_ply(guest, ply).await;
}

/// Sets up a game of Trilobite with an open second seat; returns the paths of the game and of the invitation.
pub(crate) async fn invite(host: &BrowserSession) -> (String, String) {
    crate::set_up_game(host, "game=trilobite&chips:0=human&chips:1=open").await;
    (host.path().await, join_path(host).await)
}

/// The path of the link on the page of a game that waits for players.
pub(crate) async fn join_path(host: &BrowserSession) -> String {
    let link = "return document.querySelector('.lobby input.link')?.value ?? null";
    let link = host.wait_for(link, "the link of the table").await;
    let link = link.as_str().expect("a link");
    let join = link.find("/join/").expect("a link to join");
    link[join..].to_owned()
}

/// The host starts the game that waits for players.
pub(crate) async fn start(host: &BrowserSession) {
    host.click(".lobby [value=start]").await;
    host.wait_for_element("main[data-game] .stage").await;
}

#[tokio::test]
pub(crate) async fn a_host_a_guest_and_a_spectator_survive_disconnections() {
    let folder = tempfile::tempdir().expect("a folder for the games");
    let database = format!("sqlite:{}", folder.path().join("games.db").display());
    let server = Server::start("127.0.0.1:0", &database);
    let place = server.host_and_port();
    let line = Proxy::start(&place).await;

    let host = BrowserSession::open_at(&line.address, Scripts::On, Motion::Reduced).await;
    let (game, join) = invite(&host).await;

    // Opening the link does not occupy the seat; its button does.
    let guest = BrowserSession::open_at(&server.address, Scripts::Off, Motion::Reduced).await;
    guest.goto(&join).await;
    assert_eq!(host.count_elements(".lobby .vacant").await, 1);
    guest.click(".join form .btn").await;
    guest
        .wait_until("document.querySelector('main[data-game]')?.dataset.game ?? null")
        .await;
    assert_eq!(guest.path().await, game);
    // Without a press and without a reload both see the board when the time has come.
    let counts_down = "return document.querySelector('.lobby .clock') !== null";
    host.wait_for(counts_down, "the countdown").await;
    host.wait_for_element(".board a").await;
    guest.wait_for_element("main .stage").await;

    let spectator = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    spectator.goto(&game).await;
    wait_for_ply(&spectator, 0).await;
    spectator.run("window.sameWindow = true").await;
    assert!(
        !spectator
            .is_true("document.querySelector('.board a')")
            .await,
        "a spectator has no links on the board"
    );

    // Host and guest alternate, and the spectator sees every ply.
    drop_with_scripts(&host, 'd', 1).await;
    wait_for_ply(&spectator, 1).await;
    drop_without_scripts(&guest, &game, 'e', 2).await;
    wait_for_ply(&spectator, 2).await;
    wait_for_ply(&host, 2).await;
    drop_with_scripts(&host, 'd', 3).await;
    wait_for_ply(&spectator, 3).await;

    // The server is restarted during the game.
    drop(server);
    let stale = "return document.querySelector('main[data-stale]') !== null";
    host.wait_for(stale, "the notice that the host's page is stale")
        .await;
    spectator
        .wait_for(stale, "the notice on the spectator's page")
        .await;
    let server = Server::start(&place, &database);
    drop_without_scripts(&guest, &game, 'e', 4).await;
    wait_for_ply(&host, 4).await;
    wait_for_ply(&spectator, 4).await;
    drop_with_scripts(&host, 'd', 5).await;
    wait_for_ply(&spectator, 5).await;

    // The host's connection is cut for ten seconds while the guest plays.
    line.disconnect();
    host.wait_for(stale, "the notice that the host's page is stale")
        .await;
    drop_without_scripts(&guest, &game, 'f', 6).await;
    wait_for_ply(&spectator, 6).await;
    assert!(
        !host
            .is_true("document.getElementById('main').dataset.ply === '6'")
            .await
    );
    tokio::time::sleep(CUT).await;
    line.restore();
    wait_for_ply(&host, 6).await;
    drop_with_scripts(&host, 'd', 7).await;
    for page in [&host, &spectator] {
        let won = page
            .wait_for(
                "return document.querySelector('.res h1')?.textContent ?? null",
                "the result",
            )
            .await;
        assert!(
            won.as_str()
                .is_some_and(|words| words == "You won" || words.contains("win")),
            "{won}"
        );
    }
    assert!(
        spectator.is_true("window.sameWindow").await,
        "the page was reloaded"
    );
    drop(server);
}
