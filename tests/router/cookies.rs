//! Browser credentials: parsing of the cookie header, browsers without cookies, and the move from HTTP to HTTPS.

use crate::common::{
    Form, Page, Person, Server, ServerConfig, assert_contains, cookies_of, get_with, header_of,
    plain_client, read_page,
};
use dice_of_doom::secret::Secret;
use reqwest::header::HeaderValue;
use reqwest::{Response, StatusCode};

/// The `accept` header that browsers send for a page.
const PAGE: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

/// The header with which a proxy reports that it terminated TLS.
const TLS: (&str, &str) = ("x-forwarded-proto", "https");

/// The form of a game for two humans, one joining by link; small and without chance.
const TWO: &str = "rules=v2&seats=human&seats=open&seed=3";

fn visitor(server: &Server, headers: &[(&str, &str)]) -> Person {
    server.person_without_cookies().with_all(headers)
}

async fn page(server: &Server, path: &str, headers: &[(&str, &str)]) -> Page {
    visitor(server, headers).page(path).await
}

async fn post(server: &Server, path: &str, headers: &[(&str, &str)], form: impl Form) -> Response {
    visitor(server, headers).post(path, form).await
}

/// Creates a game and returns its path and the browser's cookie.
async fn create_game(
    server: &Server,
    headers: &[(&str, &str)],
    form: impl Form,
) -> (String, String) {
    let answer = post(server, "/games", headers, form).await;
    assert_eq!(answer.status(), 303);
    (
        header_of(&answer, "location").to_owned(),
        cookies_of(&answer),
    )
}

/// Whether a page offers to move what was taken without TLS.
fn offers_to_move(page: &str) -> bool {
    page.contains("Move my seats here")
}

fn has_seat(page: &Page) -> bool {
    page.has("[action$='/resign']")
}

/// The path of the first link to a seat.
fn link(page: &Page) -> String {
    let link = page.seat_links().remove(0);
    link[link.find("/join/").unwrap()..].to_owned()
}

#[tokio::test]
async fn the_cookie_is_found_among_foreign_and_malformed_ones() {
    let server = Server::start().await;
    let (game, own) = create_game(&server, &[], TWO).await;
    let quoted = format!("dod=\"{}\"", own.strip_prefix("dod=").unwrap());
    let long = format!("session={}", "x".repeat(20_000));
    let stale = format!("dod={}", Secret::random().to_text());
    for lines in [
        &["user=Jürgen", &*own][..],
        &[&*format!("user=Jürgen; {own}")],
        &[&*format!("{own}; user=Jürgen")],
        &[&*format!("a=1; {own};name=日本;; =; x")],
        &[&*format!("Jürgen; {own}")],
        &[&*format!("Jürgen={own}; {own}")],
        &["a=b", &*own, "c=d"],
        &[&*quoted],
        &[&*format!("dod=; dod=nonsense; dod=ü; {own}")],
        &[&*format!("{own}; dod=nonsense")],
        &[&*format!("{stale}; {own}")],
        &[&*format!("{own}; {stale}")],
        &[&*format!("__Host-{stale}; {own}")],
        &[&*format!("__Host-{own}")],
        &[&*format!("{long}; {own}")],
        &[&*format!("dodo=ü; dod_look=%FF; {own}")],
    ] {
        let headers: Vec<_> = lines.iter().map(|line| ("cookie", *line)).collect();
        let shown = page(&server, &game, &headers).await;
        assert!(has_seat(&shown), "{lines:?}");
        let mine = page(&server, "/me", &headers).await;
        assert!(mine.has(&format!("a[href='{game}']")), "{lines:?}");
    }
    // The header may contain invalid UTF-8.
    let latin1 = [b"user=J\xfcrgen; ", own.as_bytes()].concat();
    let request = plain_client().get(server.url(&game));
    let request = request.header("cookie", HeaderValue::from_bytes(&latin1).unwrap());
    let shown = read_page(request.send().await.unwrap(), 200, &game).await;
    assert!(has_seat(&shown));
}

#[tokio::test]
async fn display_options_and_the_book_game_are_found_among_other_cookies() {
    let server = Server::start().await;
    let look = ("cookie", "user=Jürgen; dod_look=theme-dark.language-ru");
    let shown = page(&server, "/rules", &[look]).await;
    assert!(shown.has("[data-theme=dark]") && shown.has("html[lang=ru]"));

    let first = get_with(&server, "/game.html", &[]).await;
    let stored = format!("user=Jürgen; {}", cookies_of(&first));
    let first = read_page(first, 200, "/game.html").await;
    let chosen = first.attr("a[href^='/game.html?chosen=']", "href");
    let shown = page(&server, &chosen, &[("cookie", &stored)]).await;
    assert!(!shown.contains("does not keep this site’s cookies"));
    assert!(
        server
            .service
            .store()
            .last_activity_ms()
            .await
            .unwrap()
            .is_some()
    );
    // Without cookies the page explains why there is a new deal.
    let shown = page(&server, &chosen, &[]).await;
    assert!(shown.contains("does not keep this site’s cookies"));
}

#[tokio::test]
async fn a_browser_without_cookies_gets_a_notice_and_the_link_of_its_seat() {
    let server = Server::start().await;
    let private = format!("{TWO}&private=1");
    for form in [TWO, &private, "seats=human", "opponents=easy"] {
        let created = post(&server, "/games", &[PAGE], form).await;
        assert_eq!(created.status(), 303);
        let own = cookies_of(&created);
        let to = header_of(&created, "location").to_owned();
        assert!(to.starts_with("/join/"), "{to}");
        // A browser with the cookie is redirected to the game.
        let redirect = get_with(&server, &to, &[PAGE, ("cookie", &own)]).await;
        assert_eq!(redirect.status(), 303);
        let game = header_of(&redirect, "location").to_owned();
        assert!(has_seat(&page(&server, &game, &[("cookie", &own)]).await));
        // A browser without the cookie sees a notice and the link of its seat.
        let notice = page(&server, &to, &[PAGE]).await;
        assert_contains(&notice, &["did not keep this site’s cookie"]);
        let link = link(&notice);
        assert_eq!(link, to.split('?').next().unwrap());
        // Without cookies the button changes nothing.
        for _ in 0..2 {
            let again = post(&server, &format!("{link}?"), &[PAGE], "").await;
            assert_eq!(again.status(), StatusCode::TEMPORARY_REDIRECT);
            let to = header_of(&again, "location").to_owned();
            let refused = post(&server, &to, &[PAGE], "").await;
            let refused = read_page(refused, 403, &to).await;
            assert_contains(&refused, &["did not keep this site’s cookie"]);
            assert!(has_seat(&page(&server, &game, &[("cookie", &own)]).await));
        }
        // With cookies allowed the button takes the seat.
        let again = post(&server, &format!("{link}?"), &[PAGE], "").await;
        let now = cookies_of(&again);
        let to = header_of(&again, "location").to_owned();
        let joined = post(&server, &to, &[PAGE, ("cookie", &now)], "").await;
        assert_eq!(joined.status(), 303);
        assert_eq!(header_of(&joined, "location"), game);
        assert!(has_seat(&page(&server, &game, &[("cookie", &now)]).await));
    }
}

#[tokio::test]
async fn a_host_without_cookies_gets_the_link_for_the_other_seat() {
    let server = Server::start().await;
    let form = "rules=v2&seats=open&seats=random";
    let created = post(&server, "/games", &[PAGE], form).await;
    let (own, to) = (
        cookies_of(&created),
        header_of(&created, "location").to_owned(),
    );
    let notice = page(&server, &to, &[PAGE]).await;
    assert!(
        notice.contains("did not keep this site’s cookie") && notice.contains("Take Red’s seat")
    );
    // A host with the cookie does not take the open seat.
    let redirect = get_with(&server, &to, &[PAGE, ("cookie", &own)]).await;
    assert!(header_of(&redirect, "location").starts_with("/g/"));
    // Without human or open seats there is no seat to lose, and programs are always redirected to the game.
    let computers = "rules=v2&seats=random&seats=random";
    for (headers, form) in [(&[PAGE][..], computers), (&[], TWO)] {
        let created = post(&server, "/games", headers, form).await;
        assert!(header_of(&created, "location").starts_with("/g/"));
    }
}

#[tokio::test]
async fn clicking_the_join_button_twice_takes_the_seat_once() {
    let server = Server::start().await;
    let (game, host) = create_game(&server, &[], TWO).await;
    let shown = page(&server, &game, &[("cookie", &host)]).await;
    let invitation = link(&shown);
    // The first click is aborted before its response arrives: the second one comes without a cookie, too.
    let lost = post(&server, &invitation, &[PAGE], "name=Bob").await;
    assert_eq!(lost.status(), StatusCode::TEMPORARY_REDIRECT);
    let second = post(&server, &invitation, &[PAGE], "name=Bob").await;
    let (own, to) = (
        cookies_of(&second),
        header_of(&second, "location").to_owned(),
    );
    for _ in 0..2 {
        let joined = post(&server, &to, &[PAGE, ("cookie", &own)], "name=Bob").await;
        assert_eq!(header_of(&joined, "location"), game);
    }
    let shown = page(&server, &game, &[("cookie", &own)]).await;
    assert!(has_seat(&shown) && shown.contains("Bob"));
}

#[tokio::test]
async fn playing_renews_the_cookie_for_a_year() {
    let server = Server::start_with(ServerConfig::behind_proxy()).await;
    for (tls, name) in [(&[][..], "dod"), (&[TLS], "__Host-dod")] {
        let (game, own) = create_game(&server, tls, TWO).await;
        let headers = [tls, &[("cookie", &*own)]].concat();
        let named = "player=0&do=name&name=Ada";
        for (path, form) in [
            ("/games", TWO),
            (&*format!("{game}/seats"), named),
            (&format!("{game}/moves"), "ply=0&pass=1"),
        ] {
            let answer = post(&server, path, &headers, form).await;
            let set = header_of(&answer, "set-cookie").to_owned();
            if answer.status() == 303 {
                assert!(set.starts_with(&format!("{own}; ")), "{path}: {set}");
                assert!(set.contains("Max-Age=31536000"), "{set}");
                assert!(own.starts_with(&format!("{name}=")));
            }
        }
        // With two cookies of the same name it is unknown which one the browser would overwrite, so none is set.
        let two = format!("{own}; {name}={}", Secret::random().to_text());
        let headers = [tls, &[("cookie", &*two)]].concat();
        let answer = post(&server, &format!("{game}/seats"), &headers, named).await;
        assert_eq!(answer.status(), 303);
        assert_eq!(header_of(&answer, "set-cookie"), "");
    }
}

#[tokio::test]
async fn seats_can_be_carried_over_from_http_to_https() {
    let server = Server::start_with(ServerConfig::behind_proxy()).await;
    let private = format!("{TWO}&private=1");
    let (game, old) = create_game(&server, &[], &private).await;
    let before = link(&page(&server, &game, &[("cookie", &old)]).await);
    let carry_over = "/device";

    // Over TLS the old cookie has no effect, and the pages offer to carry the seats over.
    let cookie = ("cookie", &*old);
    for path in ["/", "/me", &game] {
        let shown = page(&server, path, &[TLS, PAGE, cookie]).await;
        assert!(!has_seat(&shown), "{path}");
        assert!(offers_to_move(&shown), "{path}");
    }
    let moved = [("ply", "0"), ("pass", "1")];
    let moves = format!("{game}/moves");
    let status = post(&server, &moves, &[TLS, cookie], &moved).await.status();
    assert_eq!(status, 404);
    // Other browsers get no such offer.
    let stranger = format!("dod={}", Secret::random().to_text());
    let shown = page(&server, "/", &[TLS, ("cookie", &stranger)]).await;
    assert!(!offers_to_move(&shown));
    assert_eq!(
        get_with(&server, &game, &[TLS, ("cookie", &stranger)])
            .await
            .status(),
        404
    );
    assert!(!offers_to_move(&page(&server, &game, &[cookie]).await));

    // The request must come from this site's own page and over TLS.
    for evidence in [
        ("x-nothing", ""),
        ("origin", "http://127.0.0.1"),
        ("origin", "null"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let refused = post(&server, carry_over, &[TLS, PAGE, cookie, evidence], "").await;
        assert_eq!(refused.status(), 403, "{evidence:?}");
    }
    let ours = ("sec-fetch-site", "same-origin");
    let asked = [("game", game.trim_start_matches("/g/"))];
    let form = [asked[0], ("do", "join")];
    // First the browser proves that it stores the new cookie.
    let first = post(&server, carry_over, &[TLS, PAGE, cookie, ours], &form).await;
    assert_eq!(first.status(), StatusCode::TEMPORARY_REDIRECT);
    let (new, to) = (cookies_of(&first), header_of(&first, "location").to_owned());
    assert!(new.starts_with("__Host-dod="), "{new}");
    let blocked = post(&server, &to, &[TLS, PAGE, cookie, ours], &form).await;
    assert_eq!(blocked.status(), 401);
    assert!(
        blocked
            .text()
            .await
            .unwrap()
            .contains("does not keep this site’s cookies")
    );
    assert!(has_seat(&page(&server, &game, &[cookie]).await));
    let both = format!("{old}; {new}");
    // Then it is asked, and nothing has moved.
    let asking = post(
        &server,
        carry_over,
        &[TLS, PAGE, ("cookie", &both), ours],
        &asked,
    )
    .await;
    assert_eq!(asking.status(), 200);
    let asking = asking.text().await.unwrap();
    assert_contains(&asking, &["1 game will belong to this browser"]);
    assert!(asking.contains("value=\"keep\" checked"), "{asking}");
    let keep = [asked[0], ("do", "keep")];
    let kept = post(
        &server,
        carry_over,
        &[TLS, PAGE, ("cookie", &both), ours],
        &keep,
    )
    .await;
    assert_eq!(header_of(&kept, "location"), game);
    assert!(has_seat(&page(&server, &game, &[cookie]).await));
    let completed = post(&server, &to, &[TLS, PAGE, ("cookie", &both), ours], &form).await;
    assert_eq!(completed.status(), 303);
    assert_eq!(header_of(&completed, "location"), game);

    // The new secret opens the seat; credentials that were sent without TLS no longer do.
    let shown = page(&server, &game, &[TLS, ("cookie", &new)]).await;
    assert!(has_seat(&shown) && !offers_to_move(&shown));
    assert_eq!(get_with(&server, &game, &[cookie]).await.status(), 404);
    let status = get_with(&server, &before, &[]).await.status();
    assert_eq!(status, 200, "the invitation remains valid");
    // The host of the game remains its host and can make a new invitation; nothing is offered any more.
    for path in ["/", "/me", &game] {
        let shown = page(&server, path, &[TLS, ("cookie", &both)]).await;
        assert!(!offers_to_move(&shown), "{path}");
    }
    let renew = [("player", "1"), ("do", "renew")];
    let seats = format!("{game}/seats");
    let renewed = post(&server, &seats, &[TLS, ("cookie", &new)], &renew).await;
    assert_eq!(renewed.status(), 303);
    let shown = page(&server, &game, &[TLS, ("cookie", &new)]).await;
    assert_ne!(link(&shown), before);
    // Repeating the request changes nothing.
    let again = post(
        &server,
        carry_over,
        &[TLS, PAGE, ("cookie", &both), ours],
        &form,
    )
    .await;
    assert_eq!(again.status(), 303);
    assert!(has_seat(
        &page(&server, &game, &[TLS, ("cookie", &new)]).await
    ));
}

#[tokio::test]
async fn secure_cookies_work_without_a_trusted_proxy() {
    let server = Server::start_with(ServerConfig::behind_proxy()).await;
    let (game, own) = create_game(&server, &[TLS], TWO).await;
    assert!(own.starts_with("__Host-dod="), "{own}");
    // The browser sends the cookie only over TLS; the server cannot detect TLS without a trusted proxy.
    let shown = page(&server, &game, &[("cookie", &own)]).await;
    assert!(has_seat(&shown));
}

#[tokio::test]
async fn spectators_see_how_to_recover_a_seat() {
    let server = Server::start().await;
    let (game, own) = create_game(&server, &[], TWO).await;
    let shown = page(&server, &game, &[]).await;
    assert!(shown.contains("Did you have a seat here?"), "{shown}");
    let shown = page(&server, &game, &[("cookie", &own)]).await;
    assert!(!shown.contains("Did you have a seat here?"));
}

#[tokio::test]
async fn the_link_of_a_seat_also_opens_its_rematch() {
    let server = Server::start().await;
    let form = [("rules", "v2"), ("seats", "human"), ("seats", "random")];
    let (game, own) = create_game(&server, &[], &form).await;
    let cookie = ("cookie", &*own);
    let link = link(&page(&server, &game, &[cookie]).await);
    let resign = format!("{game}/resign");
    let resigned = post(&server, &resign, &[cookie], "ply=0").await;
    assert_eq!(resigned.status(), 303);
    let rematch = post(&server, &format!("{game}/rematch"), &[cookie], "").await;
    assert_eq!(rematch.status(), 303);
    let rematch = header_of(&rematch, "location").to_owned();
    // A browser that deletes its cookies when it is closed.
    for _ in 0..3 {
        let joined = post(&server, &link, &[], "").await;
        assert_eq!(header_of(&joined, "location"), game);
        let now = cookies_of(&joined);
        let shown = page(&server, &rematch, &[("cookie", &now)]).await;
        assert!(has_seat(&shown));
    }
    assert!(!has_seat(&page(&server, &rematch, &[cookie]).await));
}
