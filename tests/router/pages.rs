//! What pages tell and ask of browsers: sentences that fit the case, and headers that let one go back.

use crate::common::Server;
use reqwest::{Client, Response};

fn client() -> Client {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .cookie_store(true)
        .build()
        .unwrap()
}

async fn begin(client: &Client, server: &Server, form: &[(&str, &str)]) -> Response {
    client
        .post(server.url("/games"))
        .form(form)
        .send()
        .await
        .unwrap()
}

async fn text(client: &Client, server: &Server, path: &str) -> (u16, String) {
    let answer = client.get(server.url(path)).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn what_is_not_there_is_told_in_its_own_words() {
    let server = Server::start().await;
    let client = client();
    let begun = begin(&client, &server, &[("game", "dice")]).await;
    let game = begun.headers()["location"].to_str().unwrap().to_owned();
    for (path, sentence) in [
        ("/nowhere".to_owned(), "There is nothing at this address."),
        ("/g/aaaaaaaa".to_owned(), "There is no such game here."),
        (format!("{game}/9999"), "This game has no such move."),
        (format!("{game}/first"), "This game has no such move."),
    ] {
        let (status, page) = text(&client, &server, &path).await;
        assert_eq!(status, 404, "{path}");
        assert!(page.contains(sentence), "{path}: {page}");
    }
}

#[tokio::test]
async fn a_seed_that_is_no_number_is_told_so() {
    let server = Server::start().await;
    let refused = begin(&client(), &server, &[("game", "dice"), ("seed", "mine")]).await;
    assert_eq!(refused.status(), 422);
    let page = refused.text().await.unwrap();
    assert!(page.contains("A seed is a whole number"));
    assert!(!page.contains("boards have 2 to 8"));
}

/// A browser may remember a page for who goes back, but asks again before it shows it anew.
#[tokio::test]
async fn pages_may_be_gone_back_to() {
    let server = Server::start().await;
    let client = client();
    let begun = begin(&client, &server, &[("game", "dice")]).await;
    let game = begun.headers()["location"].to_str().unwrap().to_owned();
    let kept = |answer: Response| {
        answer.headers()["cache-control"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    for path in ["/", "/rules", "/games", "/settings", &game] {
        let answer = client.get(server.url(path)).send().await.unwrap();
        assert_eq!(kept(answer), "private, no-cache", "{path}");
    }
    let part = client.get(server.url(&game)).header("x-fragment", "1");
    assert_eq!(kept(part.send().await.unwrap()), "no-store");
    let book = client.get(server.url("/game.html")).send().await.unwrap();
    assert_eq!(kept(book), "no-store");
}

#[tokio::test]
async fn pages_say_what_they_are() {
    let server = Server::start().await;
    let (_, page) = text(&client(), &server, "/").await;
    assert_eq!(
        page.matches(r#"<meta name="description" content=""#)
            .count(),
        1
    );
    let sets = page.split("<fieldset").skip(1);
    for set in sets {
        let (_, inside) = set.split_once('>').unwrap();
        assert!(inside.starts_with("<legend>"), "{inside}");
    }
}

/// Whoever does not move first is told that others have moved, once.
#[tokio::test]
async fn the_others_may_have_moved_first() {
    let server = Server::start().await;
    let client = client();
    let seats = [
        ("game", "dice"),
        ("rules", "v1"),
        ("seed", "7"),
        ("seats", "book"),
        ("seats", "human"),
    ];
    let begun = begin(&client, &server, &seats).await;
    let game = begun.headers()["location"].to_str().unwrap().to_owned();
    let first = "Before your first turn ";
    let mut page = text(&client, &server, &game).await.1;
    // The page waits for computers, though not for ever.
    for _ in 0..20 {
        if page.contains("Your turn") || page.contains("wins") {
            break;
        }
        page = text(&client, &server, &game).await.1;
    }
    assert!(page.contains(first), "{page}");
    let alone = begin(&client, &server, &[("game", "dice")]).await;
    let alone = alone.headers()["location"].to_str().unwrap().to_owned();
    assert!(!text(&client, &server, &alone).await.1.contains(first));
}

/// The button that ends a turn stands where the one that attacked stood.
#[tokio::test]
async fn the_second_press_of_two_does_nothing() {
    let server = Server::start().await;
    let client = client();
    let people = [
        ("game", "dice"),
        ("seats", "human"),
        ("seats", "human"),
        ("seats", "human"),
        ("seats", "human"),
    ];
    let begun = begin(&client, &server, &people).await;
    let game = begun.headers()["location"].to_str().unwrap().to_owned();
    let press = async |fields: &[(&str, &str)], by_hand: bool| {
        let mut press = client.post(server.url(&format!("{game}/moves")));
        if by_hand {
            press = press.header("sec-fetch-mode", "navigate");
        }
        press.form(fields).send().await.unwrap()
    };
    let link = |page: &str, before: &str| {
        let found = page.split(before).nth(1);
        found
            .and_then(|rest| rest.split('"').next())
            .unwrap()
            .to_owned()
    };
    let board = text(&client, &server, &game).await.1;
    let from = link(&board, &format!("href=\"{game}?from="));
    let targets = text(&client, &server, &format!("{game}?from={from}"))
        .await
        .1;
    let to = link(&targets, &format!("href=\"{game}?from={from}&amp;to="));
    let attack = [("ply", "0"), ("from", &*from), ("to", &*to)];
    assert_eq!(press(&attack, true).await.status(), 303);
    // The same press again is the same attack, however soon it comes.
    assert_eq!(press(&attack, true).await.status(), 303);
    let end = [("ply", "1"), ("pass", "1")];
    let twice = press(&end, true).await;
    assert_eq!(twice.status(), 200);
    let page = twice.text().await.unwrap();
    assert!(page.contains("so nothing was done") && page.contains("data-ply=\"1\""));
    // A program is as quick as it likes.
    assert_eq!(press(&end, false).await.status(), 303);
    let now = text(&client, &server, &game).await.1;
    assert!(now.contains("data-ply=\"2\""));
}

#[tokio::test]
async fn the_page_says_how_every_level_thinks_and_how_strong_it_is() {
    use dice_of_doom::arena::RatingsFile;
    use dice_of_doom::game_adapters::Registry;
    use dice_of_doom::level::Level;
    use dice_of_doom::templates::Language;
    use dice_of_doom::templates::levels::level_about;

    const SHIPPED: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/game_adapters/level_ratings.json"
    ));

    let server = Server::start().await;
    let client = Client::new();
    let games = Registry::builtin();
    for language in Language::ALL {
        let asked = client.get(server.url("/levels"));
        let asked = asked.header("accept-language", language.tag());
        let page = asked.send().await.unwrap().text().await.unwrap();
        assert!(page.len() < 48 << 10, "{} bytes", page.len());
        let text = games.translations(language);
        for setting in games.game_types().flat_map(|kind| kind.rated_games()) {
            for level in Level::ALL {
                let about = level_about(text, setting.level_variant_name(), level.name());
                let about = format!("<small>{about}</small>");
                assert!(page.contains(&about), "{}: {about}", language.tag());
            }
        }
        let shipped: RatingsFile = serde_json::from_str(SHIPPED).unwrap();
        for rung in shipped.games.iter().flat_map(|game| &game.levels) {
            let rating = rung.rating.map(|found| format!("<b>{:.0}</b>", found.mean));
            let book = rung.book.map(|found| format!("{:.1}", 100.0 * found.mean));
            let gap = match language {
                Language::English | Language::Japanese => "",
                Language::Russian => "\u{a0}",
            };
            let book = book.map(|share| format!("<b>{}{gap}%</b>", language.decimal(share)));
            for number in [rating, book].into_iter().flatten() {
                assert!(page.contains(&number), "{}: {number}", language.tag());
            }
        }
        assert!(!page.contains("levels-"), "{}", language.tag());
    }
    for path in ["/", "/rules"] {
        let page = client.get(server.url(path)).send().await.unwrap();
        let page = page.text().await.unwrap();
        assert!(page.contains("href=\"/levels\""), "{path}: {page}");
    }
}

/// Programs that people share links with add parameters of their own.
#[tokio::test]
async fn pages_ignore_parameters_that_they_do_not_know() {
    const ADDED: &str = "fbclid=a&utm_source=b&gclid=c&ref=d&fbclid=%FF";
    let server = Server::start().await;
    let client = client();
    let begun = begin(&client, &server, &[("game", "dice")]).await;
    let game = begun.headers()["location"].to_str().unwrap().to_owned();
    let id = game.trim_start_matches("/g/");
    let site = [
        "/",
        "/games",
        "/upload",
        "/rules",
        "/settings",
        "/levels",
        "/api",
        "/dice",
        "/onair",
        "/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1",
        "/join/nothing",
        "/program/nothing",
        "/game.html",
        "/board.png",
    ];
    let of_game = [
        "",
        "/0",
        "/log",
        "/review",
        "/dice",
        "/dice?rolls=all",
        "/hint",
        "/film",
        "/game.gif",
        "/board.svg",
        "/board.svg?ply=0",
        "/board.png",
        "/embed",
        "/record.json",
        "/record.txt",
    ];
    let of_game = of_game.map(|part| format!("{game}{part}"));
    for path in site.map(str::to_owned).into_iter().chain(of_game) {
        let joint = if path.contains('?') { '&' } else { '?' };
        let (status, page) = text(&client, &server, &format!("{path}{joint}{ADDED}")).await;
        assert_ne!(status, 400, "{path}: {page}");
    }
    for path in [format!("/api/v1/games/{id}"), "/api/v1/levels".to_owned()] {
        let (status, _) = text(&client, &server, &format!("{path}?{ADDED}")).await;
        assert_eq!(status, 400, "programs are told: {path}");
    }
}
