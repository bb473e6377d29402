//! The language of a response: set by the language switch or by `Accept-Language`; never two languages on one page.

use crate::common::{Page, Server, get_with, header_of, routes};
use serde_json::{Value, json};

/// The path of a game without computers, so that no ply is played in the background.
async fn game(server: &Server) -> String {
    let seats = json!(["human", "human"]);
    let game = json!({"game": "dice", "players": 2, "size": 4, "seed": 7, "seats": seats});
    format!("/g/{}", server.api().create(game).await.id)
}

#[tokio::test]
async fn every_page_is_in_the_chosen_or_the_accepted_language() {
    let server = Server::start().await;
    let game = game(&server).await;
    for path in [
        "/",
        "/me",
        "/rules",
        "/learn",
        "/daily",
        "/puzzles",
        "/levels",
        "/api",
        "/settings",
        "/nowhere",
        "/game.html",
        &game,
        &format!("{game}/0"),
        &format!("{game}/log"),
        &format!("{game}/99"),
        "/join/nothing",
    ] {
        for (headers, spoken) in [
            (&[][..], "en"),
            (&[("accept-language", "fr,ja;q=0.8,en;q=0.5")], "ja"),
            (&[("accept-language", "ru-RU")], "ru"),
            (
                &[
                    ("accept-language", "ru"),
                    ("cookie", "dod_look=language-ja"),
                ],
                "ja",
            ),
            (
                &[
                    ("accept-language", "ru"),
                    ("cookie", "dod_look=language-xx"),
                ],
                "ru",
            ),
        ] {
            let answer = get_with(&server, path, headers).await;
            assert_eq!(header_of(&answer, "content-language"), spoken, "{path}");
            let vary: Vec<_> = answer.headers().get_all("vary").iter().collect();
            let varies = |by: &str| {
                let mut lines = vary.iter().map(|line| line.to_str().unwrap());
                lines.any(|line| line.contains(by))
            };
            assert!(
                varies("accept-language") && varies("cookie"),
                "{path}: {vary:?}"
            );
            let page = answer.text().await.unwrap();
            assert_eq!(Page(page).attr("html", "lang"), spoken, "{path}");
        }
    }
}

#[tokio::test]
async fn pages_are_cached_per_language() {
    let server = Server::start().await;
    let game = game(&server).await;
    let mut tags = Vec::new();
    for language in ["en", "ja", "ru"] {
        let answer = get_with(&server, &game, &[("accept-language", language)]).await;
        tags.push(header_of(&answer, "etag").to_owned());
    }
    let [english, japanese, russian] = &tags[..] else {
        panic!("{tags:?}")
    };
    assert!(english != japanese && japanese != russian && russian != english);
    let known = [
        ("accept-language", "ru"),
        ("if-none-match", english.as_str()),
    ];
    assert_eq!(get_with(&server, &game, &known).await.status(), 200);
    let known = [
        ("accept-language", "ru"),
        ("if-none-match", russian.as_str()),
    ];
    assert_eq!(get_with(&server, &game, &known).await.status(), 304);
}

#[tokio::test]
async fn a_fragment_is_in_the_language_of_its_page() {
    let server = Server::start().await;
    let game = game(&server).await;
    let part = [
        ("x-fragment", "1"),
        ("x-language", "ru"),
        ("accept-language", "en"),
        ("cookie", "dod_look=language-ja"),
    ];
    let answer = get_with(&server, &game, &part).await;
    assert_eq!(header_of(&answer, "content-language"), "ru");
}

#[tokio::test]
async fn the_switch_stores_the_language_and_returns_to_the_page() {
    let server = Server::start().await;
    for (page, lands) in [
        ("/rules", "/rules"),
        ("/g/abc/7", "/g/abc/7"),
        ("/g/abc/seats", "/g/abc"),
        ("/game.html?chosen=3", "/game.html"),
        ("/settings", "/settings"),
    ] {
        let reader = server.person().with("referer", &server.url(page));
        let reader = reader.with("cookie", "dod_look=theme-dark");
        let answer = reader.post("/language", "language=ja").await;
        assert_eq!(header_of(&answer, "location"), lands);
        let cookie = header_of(&answer, "set-cookie");
        assert!(
            cookie.starts_with("dod_look=language-ja.theme-dark;"),
            "{cookie}"
        );
    }
    let reader = server.person().with("cookie", "dod_look=language-ja");
    let page = reader.page("/rules").await;
    for (button, text) in [
        ("button[name=language][value=en][lang=en]", "English"),
        ("b[lang=ja][aria-current=true]", "日本語"),
        ("button[name=language][value=ru][lang=ru]", "Русский"),
    ] {
        assert_eq!(page.text(button), text);
    }
}

/// After a rejected form the browser shows a page at an address that accepts only POST.
#[tokio::test]
async fn the_switch_leads_from_every_form_of_a_game_to_a_page() {
    let server = Server::start().await;
    let game = game(&server).await;
    let routes = routes();
    let forms = routes
        .iter()
        .filter(|(_, handlers)| handlers.contains("post("));
    let forms = forms.filter_map(|(path, _)| path.strip_prefix("/g/{id}/"));
    let forms: Vec<&str> = forms.collect();
    assert!(forms.contains(&"moves") && forms.contains(&"entropy"));
    for form in forms {
        let referer = server.url(&format!("{game}/{form}"));
        let reader = server.person().with("referer", &referer);
        let to = reader.done("/language", "language=ja").await;
        let page = server.person().get(&to).await;
        assert_ne!(page.status(), 405, "{form}");
    }
}

#[tokio::test]
async fn api_errors_are_in_english_unless_another_language_is_accepted() {
    let server = Server::start().await;
    let problem = async |headers: &[(&str, &str)]| {
        let answer = get_with(&server, "/api/v1/games/nothing", headers).await;
        assert_eq!(answer.status(), 404);
        let spoken = header_of(&answer, "content-language").to_owned();
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], "not-found");
        assert_eq!(problem["detail"], "there is no such game");
        (spoken, problem["title"].as_str().unwrap().to_owned())
    };
    let plain = ("en".to_owned(), "Not Found".to_owned());
    assert_eq!(problem(&[]).await, plain);
    // The language cookie affects only pages.
    assert_eq!(problem(&[("cookie", "dod_look=language-ja")]).await, plain);
    let (spoken, _) = problem(&[("accept-language", "ru")]).await;
    assert_eq!(spoken, "ru");
}
