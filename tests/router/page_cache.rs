//! Caching of pages: each is rendered once per display options and, where it depends on the reader, for each reader;
//! conditional requests get 304.

use crate::common::{Server, Table, get_with, header_of, likely};
use serde_json::json;

async fn etag(server: &Server, path: &str, headers: &[(&str, &str)]) -> String {
    let response = get_with(server, path, headers).await;
    assert_eq!(response.status(), 200, "{path} {headers:?}");
    assert_eq!(header_of(&response, "cache-control"), "private, no-cache");
    header_of(&response, "etag").to_owned()
}

/// A game of two humans, so that no ply is played in the background.
async fn table(server: &Server) -> Table {
    let seats = json!(["human", "human"]);
    let game = json!({"game": "dice", "players": 2, "size": 4, "seed": 7, "seats": seats});
    server.api().create(game).await
}

#[tokio::test]
async fn conditional_requests_get_304() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let first = etag(&server, &page, &[]).await;
    assert!(first.starts_with("W/\""), "{first}");
    assert_eq!(etag(&server, &page, &[]).await, first);
    let again = get_with(&server, &page, &[("if-none-match", &first)]).await;
    assert_eq!(again.status(), 304);
    assert_eq!(header_of(&again, "etag"), first);
    assert_eq!(again.text().await.unwrap(), "");

    // Other display options and another ply result in other pages.
    let dark = etag(&server, &page, &[("cookie", "dod_look=theme-dark")]).await;
    let past = etag(&server, &format!("{page}/0"), &[]).await;
    assert_ne!(dark, first);
    assert_ne!(past, first);
    let moves = table.moves().await;
    let played = table.play(0, 0, &likely(&moves)).await;
    assert_eq!(played["ply"], 1);
    let moved = get_with(&server, &page, &[("if-none-match", &first)]).await;
    assert_eq!(moved.status(), 200);
    assert_ne!(header_of(&moved, "etag"), first);
    assert!(moved.text().await.unwrap().contains("data-ply=\"1\""));
}

/// Pages that look the same to everybody without a cookie.
const SHARED_PAGES: [&str; 11] = [
    "/",
    "/daily",
    "/puzzles",
    "/puzzles/13-43",
    "/learn",
    "/learn?step=2",
    "/rules",
    "/levels",
    "/settings",
    "/api",
    "/openapi.json",
];

#[tokio::test]
async fn unchanged_pages_are_not_sent_again() {
    let server = Server::start().await;
    for page in SHARED_PAGES {
        let first = etag(&server, page, &[]).await;
        let gzip = [("accept-encoding", "gzip"), ("if-none-match", &*first)];
        assert_eq!(
            get_with(&server, page, &[gzip[1]]).await.status(),
            304,
            "{page}"
        );
        let compressed = get_with(&server, page, &gzip).await;
        assert_eq!(header_of(&compressed, "content-encoding"), "gzip", "{page}");
        let russian = [("accept-language", "ru"), ("if-none-match", &*first)];
        assert_eq!(get_with(&server, page, &russian).await.status(), 200);
        let dark = [("cookie", "dod_look=theme-dark"), ("if-none-match", &first)];
        assert_eq!(get_with(&server, page, &dark).await.status(), 200);
    }
}

#[tokio::test]
async fn the_start_page_shows_changes_at_once() {
    let server = Server::start().await;
    let [ada, eve] = server.people();
    let before = etag(&server, "/", &[]).await;
    assert_eq!(etag(&server, "/", &[]).await, before);
    let table = ada.create("game=dice&players=2&listed=on&name=Ada").await;
    let id = table.strip_prefix("/g/").unwrap();
    assert_ne!(etag(&server, "/", &[]).await, before);
    let join = format!("/tables/{id}");
    assert!(eve.page("/").await.contains(&join), "it can be joined");
    assert!(!ada.page("/").await.contains(&join), "it is her own");
    ada.done(&format!("{table}/table"), "do=close").await;
    assert!(!eve.page("/").await.contains(&join), "it is closed");
}

#[tokio::test]
async fn fragments_are_not_cached_by_browsers() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let page_etag = etag(&server, &page, &[]).await;
    for kind in ["1", "passing"] {
        let with = [("x-fragment", kind), ("if-none-match", &*page_etag)];
        let part = get_with(&server, &page, &with).await;
        assert_eq!(part.status(), 200, "{kind}");
        assert_eq!(header_of(&part, "cache-control"), "no-store", "{kind}");
        assert_eq!(header_of(&part, "etag"), "", "{kind}");
        assert!(!part.text().await.unwrap().contains("<html"), "{kind}");
    }
}

#[tokio::test]
async fn compressed_pages_are_cached() {
    let server = Server::start().await;
    let table = table(&server).await;
    let page = format!("/g/{}", table.id);
    let plain = get_with(&server, &page, &[]).await;
    assert_eq!(header_of(&plain, "content-encoding"), "");
    let plain = plain.bytes().await.unwrap();
    for (accepted, name) in [
        ("gzip, deflate, br, zstd", "gzip"),
        ("gzip", "gzip"),
        ("identity, GZIP", "gzip"),
    ] {
        let mut before = None;
        for _ in 0..2 {
            let small = get_with(&server, &page, &[("accept-encoding", accepted)]).await;
            assert_eq!(header_of(&small, "content-encoding"), name, "{accepted}");
            let varies = small.headers().get_all("vary").iter();
            let varies: Vec<_> = varies.map(|line| line.to_str().unwrap()).collect();
            assert!(varies.join(",").contains("accept-encoding"), "{varies:?}");
            let bytes = small.bytes().await.unwrap();
            assert!(bytes.len() * 3 < plain.len(), "{accepted}");
            assert_eq!(*before.get_or_insert(bytes.clone()), bytes, "{accepted}");
        }
    }
    // An encoding with quality 0 is not used.
    let refused = [("accept-encoding", "br;q=0, gzip;q=0")];
    let refused = get_with(&server, &page, &refused).await;
    assert_eq!(header_of(&refused, "content-encoding"), "");
    assert_eq!(refused.bytes().await.unwrap(), plain);
}

#[tokio::test]
async fn only_the_owner_of_a_seat_sees_its_controls() {
    let server = Server::start().await;
    let [owner, stranger] = server.people();
    let form = "game=dice&players=2&seats=human&seats=human";
    let path = owner.create(form).await;
    for _ in 0..2 {
        assert!(
            owner.page(&path).await.has("[data-yours]"),
            "the owner may move"
        );
        assert!(
            !stranger.page(&path).await.has("[data-yours]"),
            "a stranger may not"
        );
    }
}

#[tokio::test]
async fn players_of_one_game_never_see_each_others_page() {
    let server = Server::start().await;
    let [ada, bob, eve] = server.people();
    let seats = [("seats", "human"), ("seats", "open")];
    let form = [("game", "dice"), ("players", "2"), seats[0], seats[1]];
    let game = ada.create(&form).await;
    let invitation = ada.seat_link(&game).await;
    assert!(eve.page(&game).await.seat_links().is_empty());
    bob.done(&invitation, "").await;
    ada.start(&game).await;

    // Every browser reads the page twice; the second response comes from the cache.
    let mut seen = Vec::new();
    for _ in 0..2 {
        for who in [&ada, &bob, &eve] {
            seen.push(who.page(&game).await);
        }
    }
    let (before, again) = seen.split_at(3);
    assert_eq!(before, again);
    let [adas, bobs, eves] = [0, 1, 2].map(|who| seen[who].seat_links());
    assert!(adas.len() == 1 && bobs.len() == 1 && adas != bobs);
    assert!(eves.is_empty());
    // An absolute address: the secret is its end.
    let secret = |link: &str| link.rsplit('/').next().unwrap().to_owned();
    assert!(!seen[0].contains(&secret(&invitation)), "the seat is taken");
    for (who, other) in [(0, &bobs), (1, &adas), (2, &adas), (2, &bobs)] {
        assert!(!seen[who].contains(&secret(&other[0])), "{who}");
    }

    // A revoked link is on no page, cached or not.
    let renew = "player=0&do=renew";
    ada.done(&format!("{game}/seats"), renew).await;
    let now = ada.page(&game).await;
    assert_ne!(now.seat_links(), adas);
    assert_eq!(bob.page(&game).await.seat_links(), bobs);
    assert_eq!(ada.page(&game).await, now);
}

#[tokio::test]
async fn pages_are_cached_per_path_and_display_options() {
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
                tags.push(etag(&server, path, &[("cookie", &cookie)]).await);
            }
        }
    }
    let (before, again) = tags.split_at(6);
    assert_eq!(before, again);
    let different: std::collections::HashSet<_> = before.iter().collect();
    assert_eq!(different.len(), 6);
}
