//! Pages of games that are kept as they were drawn: one position is drawn once for each look and each
//! reader, and whoever has a page is only told so.

use crate::common::{Server, Table, likely};
use reqwest::{Client, Response};
use serde_json::json;

async fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = Client::new().get(server.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

async fn tag(server: &Server, path: &str, headers: &[(&str, &str)]) -> String {
    let response = get(server, path, headers).await;
    assert_eq!(response.status(), 200, "{path} {headers:?}");
    assert_eq!(header(&response, "cache-control"), "private, no-cache");
    header(&response, "etag").to_owned()
}

/// Two people at one table, so that nothing happens by itself.
async fn table(server: &Server) -> Table {
    let seats = json!(["human", "human"]);
    let game = json!({"game": "dice", "players": 2, "size": 4, "seed": 7, "seats": seats});
    server.api().create(game).await
}

#[tokio::test]
async fn who_has_a_page_is_only_told_so() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let first = tag(&server, &page, &[]).await;
    assert!(first.starts_with("W/\""), "{first}");
    assert_eq!(tag(&server, &page, &[]).await, first);
    let again = get(&server, &page, &[("if-none-match", &first)]).await;
    assert_eq!(again.status(), 304);
    assert_eq!(header(&again, "etag"), first);
    assert_eq!(again.text().await.unwrap(), "");

    // Another look, another ply and another choice are other pages.
    let dark = tag(&server, &page, &[("cookie", "dod_look=theme-dark")]).await;
    let past = tag(&server, &format!("{page}/0"), &[]).await;
    assert_ne!(dark, first);
    assert_ne!(past, first);
    let moves = table.moves().await;
    let played = table.play(0, 0, &likely(&moves)).await;
    assert_eq!(played["ply"], 1);
    let moved = get(&server, &page, &[("if-none-match", &first)]).await;
    assert_eq!(moved.status(), 200);
    assert_ne!(header(&moved, "etag"), first);
    assert!(moved.text().await.unwrap().contains("data-ply=\"1\""));
}

#[tokio::test]
async fn parts_for_scripts_are_kept_by_no_browser() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let whole = tag(&server, &page, &[]).await;
    for kind in ["1", "passing"] {
        let with = [("x-fragment", kind), ("if-none-match", &*whole)];
        let part = get(&server, &page, &with).await;
        assert_eq!(part.status(), 200, "{kind}");
        assert_eq!(header(&part, "cache-control"), "no-store", "{kind}");
        assert_eq!(header(&part, "etag"), "", "{kind}");
        assert!(!part.text().await.unwrap().contains("<html"), "{kind}");
    }
}

#[tokio::test]
async fn pages_are_compressed_once() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let plain = get(&server, &page, &[]).await;
    assert_eq!(header(&plain, "content-encoding"), "");
    let plain = plain.bytes().await.unwrap();
    for (takes, name) in [
        ("gzip, deflate, br, zstd", "gzip"),
        ("gzip", "gzip"),
        ("identity, GZIP", "gzip"),
    ] {
        let mut before = None;
        for _ in 0..2 {
            let small = get(&server, &page, &[("accept-encoding", takes)]).await;
            assert_eq!(header(&small, "content-encoding"), name, "{takes}");
            let varies = small.headers().get_all("vary").iter();
            let varies: Vec<_> = varies.map(|line| line.to_str().unwrap()).collect();
            assert!(varies.join(",").contains("accept-encoding"), "{varies:?}");
            let bytes = small.bytes().await.unwrap();
            assert!(bytes.len() * 3 < plain.len(), "{takes}");
            assert_eq!(*before.get_or_insert(bytes.clone()), bytes, "{takes}");
        }
    }
    // Who refuses an encoding does not get it.
    let refused = [("accept-encoding", "br;q=0, gzip;q=0")];
    let refused = get(&server, &page, &refused).await;
    assert_eq!(header(&refused, "content-encoding"), "");
    assert_eq!(refused.bytes().await.unwrap(), plain);
}

#[tokio::test]
async fn a_seat_is_drawn_for_its_owner_alone() {
    let server = Server::start().await;
    let client = Client::builder().cookie_store(true).build().unwrap();
    let form = [
        ("game", "dice"),
        ("players", "2"),
        ("seats", "human"),
        ("seats", "human"),
    ];
    let made = client.post(server.url("/games")).form(&form).send();
    let made = made.await.unwrap();
    let path = made.url().path().to_owned();
    let own = made.text().await.unwrap();
    let others = get(&server, &path, &[]).await.text().await.unwrap();
    assert!(own.contains("data-yours"), "the owner may move");
    assert!(!others.contains("data-yours"), "a stranger may not");
    let again = client.get(server.url(&path)).send().await.unwrap();
    assert!(again.text().await.unwrap().contains("data-yours"));
}

/// A browser, which keeps its cookies.
fn browser() -> Client {
    Client::builder().cookie_store(true).build().unwrap()
}

/// The first link that a page has for the reader to hand on.
fn link(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("/join/")?;
    rest.split('"').next()
}

#[tokio::test]
async fn two_at_one_table_never_see_the_page_of_the_other() {
    let server = Server::start().await;
    let (ada, bob, eve) = (browser(), browser(), browser());
    let seats = [("seats", "human"), ("seats", "open")];
    let form = [("game", "dice"), ("players", "2"), seats[0], seats[1]];
    let made = ada.post(server.url("/games")).form(&form).send().await;
    let made = made.unwrap();
    let path = made.url().path().to_owned();
    let page = async |who: &Client, look: &str| {
        let request = who.get(server.url(&format!("{path}{look}")));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.text().await.unwrap()
    };
    let first = page(&ada, "").await;
    let invitation = link(&first).unwrap();
    assert_eq!(link(&page(&eve, "").await), None);
    let join = server.url(&format!("/join/{invitation}"));
    assert_eq!(bob.post(&join).send().await.unwrap().status(), 200);

    // Everybody looks twice, in turns: the second time at what was kept.
    let mut seen = Vec::new();
    for _ in 0..2 {
        for who in [&ada, &bob, &eve] {
            seen.push(page(who, "").await);
        }
    }
    let (before, again) = seen.split_at(3);
    assert_eq!(before, again);
    let [adas, bobs, eves] = [0, 1, 2].map(|who| link(&seen[who]));
    assert!(adas.is_some() && bobs.is_some() && adas != bobs);
    assert_eq!(eves, None);
    assert!(!seen[0].contains(invitation), "the seat is taken");
    for (who, other) in [(0, bobs), (1, adas), (2, adas), (2, bobs)] {
        assert!(!seen[who].contains(other.unwrap()), "{who}");
    }

    // A link that was withdrawn is on no page any more, whatever was kept.
    let renew = [("player", "0"), ("do", "renew")];
    let seats = server.url(&format!("{path}/seats"));
    let renewed = ada.post(seats).form(&renew).send().await.unwrap();
    assert_eq!(renewed.status(), 200);
    let now = page(&ada, "").await;
    assert_ne!(link(&now), adas);
    assert_eq!(link(&page(&bob, "").await), bobs);
    assert_eq!(page(&ada, "").await, now);
}

#[tokio::test]
async fn a_page_gives_its_place_to_no_other_address_and_look() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let moves = table.moves().await;
    table.play(0, 0, &likely(&moves)).await;
    let past = format!("{page}/0");
    let mut tags = Vec::new();
    for _ in 0..2 {
        for path in [&page, &past] {
            for look in ["theme-dark", "board-flat", "colours-okabe"] {
                let cookie = format!("dod_look={look}");
                tags.push(tag(&server, path, &[("cookie", &cookie)]).await);
            }
        }
    }
    let (before, again) = tags.split_at(6);
    assert_eq!(before, again);
    let different: std::collections::HashSet<_> = before.iter().collect();
    assert_eq!(different.len(), 6);
}
