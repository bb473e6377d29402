//! Pages in a browser: error messages, caching headers, and repeated clicks.

use crate::common::Server;
use reqwest::{Client, Response};

fn client() -> Client {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .cookie_store(true)
        .build()
        .unwrap()
}

async fn create_game(client: &Client, server: &Server, form: &[(&str, &str)]) -> Response {
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
async fn every_kind_of_404_has_its_message() {
    let server = Server::start().await;
    let client = client();
    let created = create_game(&client, &server, &[("game", "dice")]).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
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
async fn an_invalid_seed_has_its_message() {
    let server = Server::start().await;
    let refused = create_game(&client(), &server, &[("game", "dice"), ("seed", "mine")]).await;
    assert_eq!(refused.status(), 422);
    let page = refused.text().await.unwrap();
    assert!(page.contains("A seed is a whole number"));
    assert!(!page.contains("boards have 2 to 8"));
}

/// A browser may store a page for the back button, but must revalidate it before any other use.
#[tokio::test]
async fn pages_must_be_revalidated() {
    let server = Server::start().await;
    let client = client();
    let created = create_game(&client, &server, &[("game", "dice")]).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
    let cache_control = |answer: Response| {
        answer.headers()["cache-control"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    for path in ["/", "/rules", "/me", "/settings", &game] {
        let answer = client.get(server.url(path)).send().await.unwrap();
        assert_eq!(cache_control(answer), "private, no-cache", "{path}");
    }
    let part = client.get(server.url(&game)).header("x-fragment", "1");
    assert_eq!(cache_control(part.send().await.unwrap()), "no-store");
    let book = client.get(server.url("/game.html")).send().await.unwrap();
    assert_eq!(cache_control(book), "no-store");
}

#[tokio::test]
async fn pages_have_descriptions_and_fieldsets_have_legends() {
    let server = Server::start().await;
    let (_, page) = text(&client(), &server, "/").await;
    assert_eq!(
        page.matches(r#"<meta name="description" content=""#)
            .count(),
        1
    );
    let fieldsets = page.split("<fieldset").skip(1);
    for set in fieldsets {
        let (_, inside) = set.split_once('>').unwrap();
        assert!(inside.starts_with("<legend>"), "{inside}");
    }
}

/// A player who does not move first sees a summary of the earlier plies, once.
#[tokio::test]
async fn plies_before_the_first_turn_are_summarised() {
    let server = Server::start().await;
    let client = client();
    let seats = [
        ("game", "dice"),
        ("rules", "v1"),
        ("seed", "7"),
        ("seats", "book"),
        ("seats", "human"),
    ];
    let created = create_game(&client, &server, &seats).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
    let summary = "Before your first turn ";
    let mut page = text(&client, &server, &game).await.1;
    // The page waits for computers for a limited time only.
    for _ in 0..20 {
        if page.contains("Your turn") || page.contains("wins") {
            break;
        }
        page = text(&client, &server, &game).await.1;
    }
    assert!(page.contains(summary), "{page}");
    let moves_first = create_game(&client, &server, &[("game", "dice")]).await;
    let moves_first = moves_first.headers()["location"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        !text(&client, &server, &moves_first)
            .await
            .1
            .contains(summary)
    );
}

/// The button that ends a turn appears where the attack button was, so a double click must not end the turn.
#[tokio::test]
async fn the_second_click_of_a_double_click_does_nothing() {
    let server = Server::start().await;
    let client = client();
    let people = [
        ("game", "dice"),
        ("seats", "human"),
        ("seats", "human"),
        ("seats", "human"),
        ("seats", "human"),
    ];
    let created = create_game(&client, &server, &people).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
    let click = async |fields: &[(&str, &str)], is_navigation: bool| {
        let mut post = client.post(server.url(&format!("{game}/moves")));
        if is_navigation {
            post = post.header("sec-fetch-mode", "navigate");
        }
        post.form(fields).send().await.unwrap()
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
    assert_eq!(click(&attack, true).await.status(), 303);
    // The same click again is the same attack, at any interval.
    assert_eq!(click(&attack, true).await.status(), 303);
    let end = [("ply", "1"), ("pass", "1")];
    let double_click = click(&end, true).await;
    assert_eq!(double_click.status(), 200);
    let page = double_click.text().await.unwrap();
    assert!(page.contains("so nothing was done") && page.contains("data-ply=\"1\""));
    // Requests that are not navigations are not slowed down.
    assert_eq!(click(&end, false).await.status(), 303);
    let now = text(&client, &server, &game).await.1;
    assert!(now.contains("data-ply=\"2\""));
}

#[tokio::test]
async fn the_levels_page_has_descriptions_and_ratings_of_every_level() {
    use dice_of_doom::arena::RatingsFile;
    use dice_of_doom::game_adapters::Registry;
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
        let request = client.get(server.url("/levels"));
        let request = request.header("accept-language", language.tag());
        let page = request.send().await.unwrap().text().await.unwrap();
        assert!(page.len() < 48 << 10, "{} bytes", page.len());
        let text = games.translations(language);
        for setting in games.game_types().flat_map(|kind| kind.rated_games()) {
            for level in setting.levels() {
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
            let book = book.map(|share| format!("<b>{}{gap}%</b>", language.format_decimal(share)));
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

/// Applications through which links are shared append their own parameters.
#[tokio::test]
async fn pages_ignore_unknown_parameters() {
    const ADDED: &str = "fbclid=a&utm_source=b&gclid=c&ref=d&fbclid=%FF";
    let server = Server::start().await;
    let client = client();
    let created = create_game(&client, &server, &[("game", "dice")]).await;
    let game = created.headers()["location"].to_str().unwrap().to_owned();
    let id = game.trim_start_matches("/g/");
    let site = [
        "/",
        "/me",
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
        assert_eq!(status, 400, "the API rejects them: {path}");
    }
}
