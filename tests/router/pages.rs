//! Pages in a browser: error messages, caching headers, and repeated clicks.

use crate::common::{Page, Person, Server, get_with, header_of, read_page};

#[tokio::test]
async fn every_kind_of_404_has_its_message() {
    let server = Server::start().await;
    let client = server.person();
    let game = client.create("game=dice").await;
    for (path, sentence) in [
        ("/nowhere".to_owned(), "There is nothing at this address."),
        ("/g/aaaaaaaa".to_owned(), "There is no such game here."),
        (format!("{game}/9999"), "This game has no such move."),
        (format!("{game}/first"), "This game has no such move."),
    ] {
        let page = client.page_with_status(&path, 404).await;
        assert!(page.contains(sentence), "{path}: {page}");
    }
}

#[tokio::test]
async fn an_invalid_seed_has_its_message() {
    let server = Server::start().await;
    let form = "game=dice&seed=mine";
    let page = server.person().refused("/games", form, 422).await;
    assert!(page.contains("A seed is a whole number"));
    assert!(!page.contains("boards have 2 to 8"));
}

/// A browser may store a page for the back button, but must revalidate it before any other use.
#[tokio::test]
async fn pages_must_be_revalidated() {
    let server = Server::start().await;
    let client = server.person();
    let game = client.create("game=dice").await;
    let cache_control = async |person: &Person, path: &str| {
        let answer = person.get(path).await;
        header_of(&answer, "cache-control").to_owned()
    };
    for path in ["/", "/rules", "/me", "/settings", &game] {
        let found = cache_control(&client, path).await;
        assert_eq!(found, "private, no-cache", "{path}");
    }
    let part = client.with("x-fragment", "1");
    assert_eq!(cache_control(&part, &game).await, "no-store");
    assert_eq!(cache_control(&client, "/game.html").await, "no-store");
}

#[tokio::test]
async fn pages_have_descriptions_and_fieldsets_have_legends() {
    let server = Server::start().await;
    let page = server.person().page("/").await;
    assert_eq!(page.count("meta[name=description][content]"), 1);
    let found = page.count("fieldset");
    assert_eq!(found, page.count("fieldset > legend:first-child"));
}

/// A player who does not move first sees a summary of the earlier plies, once.
#[tokio::test]
async fn plies_before_the_first_turn_are_summarised() {
    let server = Server::start().await;
    let client = server.person();
    let seats = "game=dice&rules=v1&seed=7&seats=book&seats=human";
    let game = client.create(seats).await;
    let summary = "Before your first turn ";
    let mut page = client.page(&game).await;
    // The page waits for computers for a limited time only.
    for _ in 0..20 {
        if page.contains("Your turn") || page.contains("wins") {
            break;
        }
        page = client.page(&game).await;
    }
    assert!(page.contains(summary), "{page}");
    let moves_first = client.create("game=dice").await;
    assert!(!client.page(&moves_first).await.contains(summary));
}

/// The button that ends a turn appears where the attack button was, so a double click must not end the turn.
#[tokio::test]
async fn the_second_click_of_a_double_click_does_nothing() {
    let server = Server::start().await;
    let client = server.person();
    let people = "game=dice&seats=human&seats=human&seats=human&seats=human";
    let game = client.create(people).await;
    let click = async |fields: &[(&str, &str)], is_navigation: bool| {
        let mode = if is_navigation { "navigate" } else { "cors" };
        let client = client.with("sec-fetch-mode", mode);
        client.post(&format!("{game}/moves"), fields).await
    };
    // The value of the last parameter of the first such link.
    let chosen = |page: &Page, link: &str| {
        let href = page.attr(&format!("a[href^='{link}']"), "href");
        href[link.len()..].to_owned()
    };
    let board = client.page(&game).await;
    let from = chosen(&board, &format!("{game}?from="));
    let targets = client.page(&format!("{game}?from={from}")).await;
    let to = chosen(&targets, &format!("{game}?from={from}&to="));
    let attack = [("ply", "0"), ("from", &*from), ("to", &*to)];
    assert_eq!(click(&attack, true).await.status(), 303);
    // The same click again is the same attack, at any interval.
    assert_eq!(click(&attack, true).await.status(), 303);
    let end = [("ply", "1"), ("pass", "1")];
    let double_click = click(&end, true).await;
    let page = read_page(double_click, 200, "the second click").await;
    assert!(page.contains("so nothing was done"));
    assert_eq!(page.attr("main", "data-ply"), "1");
    // Requests that are not navigations are not slowed down.
    assert_eq!(click(&end, false).await.status(), 303);
    assert_eq!(client.page(&game).await.attr("main", "data-ply"), "2");
}

#[tokio::test]
async fn the_levels_page_has_descriptions_and_ratings_of_every_level() {
    use dice_of_doom::arena::RatingsFile;
    use dice_of_doom::games::Registry;
    use dice_of_doom::templates::Language;
    use dice_of_doom::templates::levels::level_about;

    const SHIPPED: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/games/level_ratings.json"
    ));

    let server = Server::start().await;
    let client = server.person();
    let games = Registry::builtin();
    for language in Language::ALL {
        let page = client
            .with("accept-language", language.tag())
            .page("/levels")
            .await;
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
    for path in ["/?game=dice", "/rules"] {
        let page = client.page(path).await;
        assert!(page.has("a[href='/levels']"), "{path}: {page}");
    }
}

/// Applications through which links are shared append their own parameters.
#[tokio::test]
async fn pages_ignore_unknown_parameters() {
    const ADDED: &str = "fbclid=a&utm_source=b&gclid=c&ref=d&fbclid=%FF";
    let server = Server::start().await;
    let client = server.person();
    let game = client.create("game=dice").await;
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
        let answer = client.get(&format!("{path}{joint}{ADDED}")).await;
        assert_ne!(answer.status(), 400, "{path}");
    }
    for path in [format!("/api/v1/games/{id}"), "/api/v1/levels".to_owned()] {
        // The API rejects them.
        client
            .page_with_status(&format!("{path}?{ADDED}"), 400)
            .await;
    }
}

#[tokio::test]
async fn the_page_of_a_game_is_light() {
    let server = Server::start().await;
    let client = server.person();
    let seats = "&seats=human".repeat(4);
    let form = format!("game=dice&players=4&size=5&seed=42{seats}");
    let page = client.page(&client.create(form).await).await;
    assert!(page.has("[data-yours]"));
    assert!(page.len() <= 42_000, "{} bytes", page.len());
    let mut scripts = page.attrs("[rel=modulepreload]", "href");
    scripts.extend(page.attrs("script", "src"));
    let styles = page.attrs("[rel=stylesheet]", "href");
    for (files, limit) in [(scripts, 26_000), (styles, 20_000)] {
        let mut size = 0;
        for file in &files {
            let packed = get_with(&server, file, &[("accept-encoding", "gzip")]).await;
            assert_eq!(header_of(&packed, "content-encoding"), "gzip", "{file}");
            size += packed.bytes().await.unwrap().len();
            // A module that is only imported is loaded late.
            let text = client.get(file).await.text().await.unwrap();
            for name in text.split("from \"./").skip(1) {
                let name = name.split('"').next().unwrap();
                assert!(files.iter().any(|file| file.ends_with(name)), "{name}");
            }
        }
        assert!(size <= limit, "{size} bytes: {files:#?}");
    }
}
