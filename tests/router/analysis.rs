//! The analysis board over HTTP: positions by address, lines with chosen outcomes, edits, and rejected addresses.

use crate::common::Server;
use reqwest::{Client, redirect};
use serde_json::json;

struct Reader {
    client: Client,
    server: Server,
}

impl Reader {
    async fn new() -> Self {
        let client = Client::builder()
            .cookie_store(true)
            .redirect(redirect::Policy::none());
        Reader {
            client: client.build().unwrap(),
            server: Server::start().await,
        }
    }

    async fn get(&self, path: &str) -> (u16, String, String) {
        let answer = self.client.get(self.server.url(path)).send().await.unwrap();
        let status = answer.status().as_u16();
        let to = answer
            .headers()
            .get("location")
            .map(|to| to.to_str().unwrap().to_owned());
        (status, to.unwrap_or_default(), answer.text().await.unwrap())
    }

    async fn page(&self, path: &str) -> String {
        let (status, _, text) = self.get(path).await;
        assert_eq!(status, 200, "{path}");
        text
    }

    /// The page after its position has been analysed.
    async fn analysed_page(&self, path: &str) -> String {
        loop {
            let page = self.page(path).await;
            if !page.contains("http-equiv=\"refresh\"") {
                return page;
            }
        }
    }
}

/// The first link of a page whose address contains this text.
fn link(page: &str, text: &str) -> String {
    let links = page.split("href=\"").skip(1);
    let mut links = links.filter_map(|rest| rest.split('"').next());
    let found = links.find(|href| href.contains(text));
    found
        .unwrap_or_else(|| panic!("no link with {text}"))
        .replace("&amp;", "&")
}

#[tokio::test]
async fn a_line_can_be_followed_by_links() {
    let reader = Reader::new().await;
    let (status, dealt, _) = reader.get("/analysis").await;
    assert_eq!(status, 303);
    assert!(dealt.starts_with("/analysis?pos=dice.v4.5.4.5."), "{dealt}");
    let start = reader.analysed_page(&dealt).await;
    assert!(
        start.contains("class=\"evalb\""),
        "the win probabilities are shown"
    );
    let step = link(&start, "&amp;line=");
    assert!(step.ends_with(".0"), "{step}");
    let after = reader.analysed_page(&step).await;
    assert!(
        after.contains("%</a>") || step.contains("pass"),
        "both outcomes are links"
    );
    // The other outcome of the same action is another position.
    if !step.contains("pass") {
        let failed_attack = format!("{}1", step.strip_suffix('0').unwrap());
        assert!(
            after.contains(&failed_attack.replace('&', "&amp;")),
            "{failed_attack}"
        );
        reader.analysed_page(&failed_attack).await;
    }
    // A second request for the start finds its analysis in the cache.
    assert!(reader.page(&dealt).await.contains("class=\"evalb\""));
}

#[tokio::test]
async fn a_position_can_be_edited_by_links() {
    let reader = Reader::new().await;
    let pos = "/analysis?pos=dice.v2.2.2.3.a2b1b3a1.0.0.1";
    let page = reader.analysed_page(&format!("{pos}&at=1")).await;
    // Links give hex 1 to the other player, give it three dice, or change the player to move.
    for changed in ["a2a1b3a1.0.0.1", "a2b3b3a1.0.0.1", "a2b1b3a1.1.0.1"] {
        let href = format!("/analysis?pos=dice.v2.2.2.3.{changed}");
        assert!(page.contains(&href), "{href}");
        reader.analysed_page(&href).await;
    }
    let empty = reader.get("/analysis?deal=trilobite").await.1;
    let column = reader.analysed_page(&format!("{empty}&at=3")).await;
    // A chip is added at the bottom of column d, and the turn passes to the other player.
    assert!(column.contains("00010000.2&amp;at=3"), "{empty}");
}

#[tokio::test]
async fn invalid_positions_and_lines_are_rejected() {
    let reader = Reader::new().await;
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
        assert_eq!(
            reader.get(&format!("/analysis?pos={bad}")).await.0,
            422,
            "{bad}"
        );
    }
    let long = "a2".repeat(500);
    assert_eq!(
        reader.get(&format!("/analysis?pos={good}{long}")).await.0,
        422
    );
    for line in [
        "0-1",
        "0-1.7",
        "0-3.0",
        "1-0.0",
        "pass.0",
        "x.0",
        "0-1.0,0-1.0",
    ] {
        assert_eq!(
            reader
                .get(&format!("/analysis?pos={good}&line={line}"))
                .await
                .0,
            422,
            "{line}"
        );
    }
    assert_eq!(
        reader
            .get(&format!("/analysis?pos={good}&line=0-1.0"))
            .await
            .0,
        200
    );
}

#[tokio::test]
async fn a_ply_of_a_finished_game_redirects_to_its_position() {
    let reader = Reader::new().await;
    let api = reader.server.api();
    let game = json!({"game": "dice", "rules": "v2", "seats": ["human", "human"], "seed": 3});
    let table = api.create(game).await;
    let at = format!("/analysis?game={}&ply=0", table.id);
    // The game is in progress, and the reader has no seat in it.
    assert_eq!(reader.get(&at).await.0, 404);
    let (path, nothing) = (table.path("/resign"), json!({}));
    assert_eq!(
        api.post_as(table.token(0), &path, &nothing).await.status(),
        200
    );
    let over = table.state().await["over"] == true;
    let (status, to, _) = reader.get(&at).await;
    assert_eq!(status, if over { 303 } else { 404 });
    if over {
        reader.analysed_page(&to).await;
        assert_eq!(
            reader
                .get(&format!("/analysis?game={}&ply=9", table.id))
                .await
                .0,
            404
        );
    }
}
