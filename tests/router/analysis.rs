//! The analysis board over HTTP: positions by address, lines with chosen outcomes, edits, and rejected addresses.

use crate::common::{Page, Person, Server};
use serde_json::json;

/// The page after its position has been analysed.
async fn analysed_page(reader: &Person, path: &str) -> Page {
    loop {
        let page = reader.page(path).await;
        if !page.has("meta[http-equiv=refresh]") {
            return page;
        }
    }
}

#[tokio::test]
async fn a_line_can_be_followed_by_links() {
    let server = Server::start().await;
    let reader = server.person();
    let dealt = reader.redirected("/analysis").await;
    assert!(dealt.starts_with("/analysis?pos=dice.v4.5.4.5."), "{dealt}");
    let start = analysed_page(&reader, &dealt).await;
    assert!(start.has(".evalb"), "the win probabilities are shown");
    let step = start.attr("a[href*='&line=']", "href");
    assert!(step.ends_with(".0"), "{step}");
    let after = analysed_page(&reader, &step).await;
    assert!(
        after.contains("%</a>") || step.contains("pass"),
        "both outcomes are links"
    );
    // The other outcome of the same action is another position.
    if !step.contains("pass") {
        let failed_attack = format!("{}1", step.strip_suffix('0').unwrap());
        assert!(
            after.attrs("a", "href").contains(&failed_attack),
            "{failed_attack}"
        );
        analysed_page(&reader, &failed_attack).await;
    }
    // A second request for the start finds its analysis in the cache.
    assert!(reader.page(&dealt).await.has(".evalb"));
}

#[tokio::test]
async fn a_position_can_be_edited_by_links() {
    let server = Server::start().await;
    let reader = server.person();
    let pos = "/analysis?pos=dice.v2.2.2.3.a2b1b3a1.0.0.1";
    let page = analysed_page(&reader, &format!("{pos}&at=1")).await;
    // Links give hex 1 to the other player, give it three dice, or change the player to move.
    for changed in ["a2a1b3a1.0.0.1", "a2b3b3a1.0.0.1", "a2b1b3a1.1.0.1"] {
        let href = format!("/analysis?pos=dice.v2.2.2.3.{changed}");
        let links = page.attrs("a", "href");
        assert!(links.iter().any(|link| link.contains(&href)), "{href}");
        analysed_page(&reader, &href).await;
    }
    let empty = reader.redirected("/analysis?deal=trilobite").await;
    let column = analysed_page(&reader, &format!("{empty}&at=3")).await;
    // A chip is added at the bottom of column d, and the turn passes to the other player.
    assert!(column.has("a[href*='00010000.2&at=3']"), "{empty}");
}

#[tokio::test]
async fn invalid_positions_and_lines_are_rejected() {
    let server = Server::start().await;
    let reader = server.person();
    let good = "dice.v2.2.2.3.a2b1b3a1.0.0.1";
    for bad in [
        "",
        "dice",
        "dice.",
        "chess.v4.5",
        "dice.v9.2.2.3.a2b1b3a1.0.0.1",
        "dice.v2.2.2.3.a2b1b3.0.0.1",
        "dice.v2.2.2.3.a2b1b3a9.0.0.1",
        "dice.v2.2.2.3.a2b1b3f1.0.0.1",
        "dice.v2.2.2.3.a2b1b3a1.5.0.1",
        "dice.v2.2.2.3.a2b1b3a1.0.0.1.0.0",
        "dice.v2.2.2.3.a2b1b3%C3%A9.0.0.1",
        "trilobite.3.3.3.100000000.1",
        "trilobite.3.3.3.0000000.1",
        "trilobite.3.3.9.000000000.1",
    ] {
        reader
            .page_with_status(&format!("/analysis?pos={bad}"), 422)
            .await;
    }
    let long = "a2".repeat(500);
    reader
        .page_with_status(&format!("/analysis?pos={good}{long}"), 422)
        .await;
    for line in [
        "0-1",
        "0-1.7",
        "0-3.0",
        "1-0.0",
        "pass.0",
        "x.0",
        "0-1.0,0-1.0",
    ] {
        reader
            .page_with_status(&format!("/analysis?pos={good}&line={line}"), 422)
            .await;
    }
    reader
        .page_with_status(&format!("/analysis?pos={good}&line=0-1.0"), 200)
        .await;
}

#[tokio::test]
async fn a_ply_of_a_finished_game_redirects_to_its_position() {
    let server = Server::start().await;
    let reader = server.person();
    let api = server.api();
    let game = json!({"game": "dice", "rules": "v2", "seats": ["human", "human"], "seed": 3});
    let table = api.create(game).await;
    let at = format!("/analysis?game={}&ply=0", table.id);
    // The game is in progress, and the reader has no seat in it.
    reader.page_with_status(&at, 404).await;
    let (path, nothing) = (table.path("/resign"), json!({}));
    let status = api.post_as(table.token(0), &path, &nothing).await.status();
    assert_eq!(status, 200);
    let over = table.state().await["over"] == true;
    if !over {
        reader.page_with_status(&at, 404).await;
    } else {
        let to = reader.redirected(&at).await;
        analysed_page(&reader, &to).await;
        reader
            .page_with_status(&format!("/analysis?game={}&ply=9", table.id), 404)
            .await;
    }
}
