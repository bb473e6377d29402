//! Shareable output of a game: images of every ply, films, and embedded frames.

use crate::common::{Page, Person, Server, Table, assert_contains, header_of, read_page};
use reqwest::{Response, StatusCode};
use resvg::tiny_skia::Pixmap;
use serde_json::{Value, json};

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Creates a game of computers on a small board and waits for its end.
async fn finished_game(server: &Server, new: Value) -> Table {
    let table = server.api().create(new).await;
    assert_eq!(table.wait(10_000).await["over"], true);
    table
}

fn dice_game() -> Value {
    json!({"game": "dice", "size": 2, "players": 2, "max_dice": 3, "seats": ["random", "random"], "seed": 4})
}

fn trilobite_game() -> Value {
    json!({"game": "trilobite", "width": 4, "height": 5, "win": 3, "seats": ["random", "random"], "seed": 4})
}

async fn bytes(answer: Response) -> Vec<u8> {
    answer.bytes().await.unwrap().to_vec()
}

async fn text(table: &Table, path: &str) -> Page {
    let reader = Person::without_cookies(&table.api.url);
    reader.page(&format!("/g/{}{path}", table.id)).await
}

/// Polls until the film is rendered.
async fn film(table: &Table, query: &str) -> Response {
    let path = format!("/g/{}/game.gif{query}", table.id);
    loop {
        let answer = table.api.get(&path).await;
        match answer.status() {
            StatusCode::OK => return answer,
            StatusCode::ACCEPTED => {
                assert_eq!(header_of(&answer, "retry-after"), "2");
                let progress: Value = answer.json().await.unwrap();
                assert!(
                    progress["done"].as_u64() <= progress["of"].as_u64(),
                    "{progress}"
                );
            }
            other => panic!("{other}: {}", answer.text().await.unwrap()),
        }
    }
}

/// The delay of every frame of a film, in hundredths of a second.
fn frame_delays(film: &[u8]) -> Vec<u16> {
    let mut decoder = gif::DecodeOptions::new().read_info(film).unwrap();
    let mut times = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        times.push(frame.delay);
    }
    times
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_ply_has_its_image() {
    let server = Server::start().await;
    for new in [dice_game(), trilobite_game()] {
        let table = finished_game(&server, new).await;
        let newest = table.state().await["ply"].as_u64().unwrap();
        let mut before = String::new();
        for ply in 0..=newest {
            let path = format!("/g/{}/board.svg?ply={ply}", table.id);
            let answer = table.api.get(&path).await;
            assert_eq!(header_of(&answer, "content-type"), "image/svg+xml");
            assert_eq!(header_of(&answer, "cache-control"), IMMUTABLE);
            let svg = answer.text().await.unwrap();
            assert_ne!(svg, before, "{ply}");
            before = svg;
        }
        // The image of the newest ply is the image of the game's current state.
        assert_eq!(before, *text(&table, "/board.svg").await);
        for ply in [0, newest] {
            let path = format!("/g/{}/board.png?ply={ply}", table.id);
            let answer = table.api.get(&path).await;
            assert_eq!(header_of(&answer, "content-type"), "image/png");
            assert_eq!(header_of(&answer, "cache-control"), IMMUTABLE);
            let image = Pixmap::decode_png(&bytes(answer).await).unwrap();
            assert_eq!(image.width().max(image.height()), 1200);
            assert!(image.width().min(image.height()) > 400);
            let is_opaque = image.pixels().iter().all(|pixel| pixel.alpha() == 255);
            assert!(is_opaque, "the image is opaque");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nonexistent_plies_have_no_image() {
    let server = Server::start().await;
    let table = finished_game(&server, dice_game()).await;
    let reader = server.person().with("accept", "text/html");
    for path in [
        "board.svg?ply=9999",
        "board.svg?ply=first",
        "board.png?ply=9999",
        "board.png?ply=-1",
        "embed?ply=9999",
        "embed?ply=",
        "film?from=9999",
        "film?from=2&to=1",
        "game.gif?to=9999",
        "game.gif?from=x",
        "game.gif?from=2&to=1",
    ] {
        let path = format!("/g/{}/{path}", table.id);
        let page = reader.page_with_status(&path, 404).await;
        assert!(page.contains("This game has no such move."), "{path}");
    }
}

/// Images are numbered by entry: each shows the board after that entry, also across takebacks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn images_include_plies_that_were_taken_back() {
    let server = Server::start().await;
    let new = json!({"game": "trilobite", "width": 5, "height": 4, "win": 4, "seats": ["human", "random"], "seed": 1});
    let table = server.api().create(new).await;
    let mut shown = vec![text(&table, "/board.svg").await];
    let drop = async |ply: u64| {
        let cell = table.moves().await["moves"][0].clone();
        let (path, body) = (table.path("/moves"), json!({"ply": ply, "cell": cell}));
        let played = table.api.post_as(table.token(0), &path, &body).await;
        assert_eq!(played.status(), 200);
        table.wait(ply + 2).await;
    };
    drop(0).await;
    shown.push(text(&table, "/board.svg?ply=1").await);
    shown.push(text(&table, "/board.svg").await);
    let (path, body) = (table.path("/undo"), json!({"ply": 2}));
    let undone = table.api.post_as(table.token(0), &path, &body).await;
    assert_eq!(undone.status(), 200);
    shown.push(text(&table, "/board.svg").await);
    assert_eq!(shown[3], shown[0]);
    drop(3).await;
    shown.push(text(&table, "/board.svg?ply=4").await);
    shown.push(text(&table, "/board.svg").await);
    for (ply, shown) in shown.iter().enumerate() {
        let image = text(&table, &format!("/board.svg?ply={ply}")).await;
        assert_eq!(image, *shown, "{ply}");
    }
    assert_ne!(shown[5], shown[3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_film_shows_every_ply_of_its_range() {
    let server = Server::start().await;
    for new in [dice_game(), trilobite_game()] {
        let table = finished_game(&server, new).await;
        let newest = table.state().await["ply"].as_u64().unwrap();
        let answer = film(&table, "").await;
        assert_eq!(header_of(&answer, "content-type"), "image/gif");
        // The range of a film without parameters may grow, so it is not immutable.
        assert_eq!(header_of(&answer, "cache-control"), "no-cache");
        let gif = bytes(answer).await;
        let delays = frame_delays(&gif);
        assert_eq!(delays.len() as u64, newest + 1);
        assert_eq!(delays.last(), Some(&300));
        let sizes = gif::DecodeOptions::new().read_info(&*gif).unwrap();
        assert_eq!(sizes.width().max(sizes.height()), 640);

        let named = film(&table, &format!("?from=0&to={newest}")).await;
        assert_eq!(header_of(&named, "cache-control"), IMMUTABLE);
        assert_eq!(bytes(named).await, gif);
        // The last two plies; a short game of dice may have fewer.
        let (from, to) = (newest.saturating_sub(2), newest);
        let query = format!("?from={from}&to={to}");
        let part = bytes(film(&table, &query).await).await;
        assert_eq!(frame_delays(&part).len() as u64, to - from + 1);
        let page = text(&table, &format!("/film{query}")).await;
        let query = query.replace('&', "&amp;");
        let source = format!("src=\"/g/{}/game.gif{query}\"", table.id);
        assert!(page.contains(&source) && !page.contains("data-wait"));
        let name = match from {
            0 => "Film of the game".to_owned(),
            from => format!("Film of moves {} to {to}", from + 1),
        };
        assert!(page.contains(&name), "{page}");
        assert!(text(&table, "/film").await.contains("Film of the game"));
    }
}

/// When many films are requested at once, some are rendered, and the other requests are told to retry.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_film_requests_are_bounded() {
    let server = Server::start().await;
    let table = finished_game(&server, trilobite_game()).await;
    let newest = table.state().await["ply"].as_u64().unwrap();
    let ranges = (0..newest).flat_map(|from| (from..=newest).map(move |to| (from, to)));
    let ranges: Vec<_> = ranges.collect();
    let requests = (0..100).map(|number| {
        let (from, to) = ranges[number % ranges.len()];
        let path = format!("/g/{}/game.gif?from={from}&to={to}", table.id);
        let api = table.api.clone();
        tokio::spawn(async move { api.get(&path).await })
    });
    let requests: Vec<_> = requests.collect();
    let mut accepted = 0;
    for answer in requests {
        let answer = answer.await.unwrap();
        match answer.status().as_u16() {
            200 | 202 => accepted += 1,
            503 => assert_eq!(header_of(&answer, "retry-after"), "5"),
            other => panic!("{other}"),
        }
    }
    assert!(accepted >= 3, "{accepted}");
    // Pages are served meanwhile, and films are accepted again once the queue is empty.
    text(&table, "").await;
    let path = format!("/g/{}/game.gif?from=0&to={newest}", table.id);
    loop {
        match table.api.get(&path).await.status().as_u16() {
            200 => break,
            202 | 503 => tokio::task::yield_now().await,
            other => panic!("{other}"),
        }
    }
}

/// Only clients who can view a private game get its images, which shared caches must not store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn images_of_private_games_are_private() {
    let server = Server::start().await;
    let new = json!({"game": "dice", "size": 2, "players": 2, "private": true, "seats": ["human", "random"], "seed": 4});
    let table = server.api().create(new).await;
    for path in ["board.svg?ply=0", "board.png?ply=0", "game.gif?from=0&to=0"] {
        let address = server.url(&format!("/g/{}/{path}", table.id));
        let stranger = table.api.client.get(&address).send().await.unwrap();
        assert_eq!(stranger.status(), 404, "{path}");
        let own = || table.api.client.get(&address).bearer_auth(table.token(0));
        let mut answer = own().send().await.unwrap();
        while answer.status() == 202 {
            answer = own().send().await.unwrap();
        }
        assert_eq!(answer.status(), 200, "{path}");
        let cache_control = header_of(&answer, "cache-control");
        assert_eq!(cache_control, "private, max-age=31536000, immutable");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_embed_pages_can_be_framed() {
    let server = Server::start().await;
    let table = finished_game(&server, dice_game()).await;
    for path in [
        "/".to_owned(),
        format!("/g/{}", table.id),
        format!("/g/{}/0", table.id),
        format!("/g/{}/log", table.id),
        format!("/g/{}/film?from=0&to=1", table.id),
        format!("/g/{}/board.svg", table.id),
        format!("/g/{}/embed?ply=9999", table.id),
        "/g/00000000/embed".to_owned(),
        "/settings".to_owned(),
    ] {
        let answer = table.api.get(&path).await;
        assert_eq!(header_of(&answer, "x-frame-options"), "DENY", "{path}");
        let policy = header_of(&answer, "content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
    }
    for query in ["", "?ply=1"] {
        let path = format!("/g/{}/embed{query}", table.id);
        let answer = table.api.get(&path).await;
        assert_eq!(header_of(&answer, "x-frame-options"), "");
        let policy = header_of(&answer, "content-security-policy").to_owned();
        assert_contains(&policy, &["frame-ancestors *", "default-src 'none'"]);
        assert_eq!(header_of(&answer, "set-cookie"), "");
        let page = read_page(answer, 200, &path).await;
        let foreign = "form, button, input, script, [http-equiv]";
        assert!(!page.has(foreign), "{query}: {page}");
        let ply = if query.is_empty() {
            table.state().await["ply"].as_u64().unwrap()
        } else {
            1
        };
        let link = format!("[href='/g/{}/{ply}'][target=_blank]", table.id);
        assert!(page.has(&link), "{query}: {page}");
        assert!(page.len() < 48 * 1024, "{} bytes", page.len());
    }
}

#[tokio::test]
async fn an_embed_page_follows_its_game_and_is_the_same_for_every_reader() {
    let server = Server::start().await;
    let [player, stranger] = server.people();
    let form = "game=trilobite&chips=human&chips=human";
    let game = player.create(form).await;
    let frame = format!("{game}/embed");
    let own = player.page(&frame).await;
    assert_eq!(own, stranger.page(&frame).await);
    assert!(own.has("[data-follows]") && own.has("script[src$='embed.js']"));
    let found = own.attr("noscript > meta[http-equiv=refresh]", "content");
    assert_eq!(found, "10");
    assert!(own.contains("Red to move"), "{own}");
    assert!(own.has(&format!("a[href='{game}'][target=_blank]")));
    let past = player.page(&format!("{frame}?ply=0")).await;
    assert!(!past.has("[data-follows]") && past.contains("Move 0 of 0"));
}

/// The page of a ply has all links for sharing, with and without scripts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_a_ply_has_its_sharing_links() {
    let server = Server::start().await;
    let table = finished_game(&server, trilobite_game()).await;
    let newest = table.state().await["ply"].as_u64().unwrap();
    let page = text(&table, "/2").await;
    let (id, here) = (&table.id, server.url(&format!("/g/{}", table.id)));
    for part in [
        format!("[value='{here}/2']"),
        format!("[href='/g/{id}/board.png?ply=2']"),
        format!("[href='/g/{id}/board.svg?ply=2']"),
        format!("[href='/g/{id}/film?from=2&to=3']"),
        format!("[href='/g/{id}/film?from=0&to={newest}']"),
    ] {
        assert!(page.has(&part), "{part}: {page}");
    }
    let frame = format!("&lt;iframe src=&quot;{here}/embed?ply=2&quot;");
    assert!(page.contains(&frame), "{page}");
    // The page of the current position has no sharing links.
    assert!(!text(&table, "").await.contains("share-link"));
}
