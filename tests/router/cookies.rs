//! A seat belongs to a browser, which is known by a cookie: what else is in the header, a browser that keeps no
//! cookies, and the way from http to https.

use crate::common::{House, Server, header_of, plain_client};
use dice_of_doom::secret::Secret;
use dice_of_doom::web::connections::ConnectionLimits;
use reqwest::header::HeaderValue;
use reqwest::{Response, StatusCode};

/// What browsers send for a page.
const PAGE: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

/// A proxy that takes TLS says so.
const TLS: (&str, &str) = ("x-forwarded-proto", "https");

/// Two people, one by link; small and without luck.
const TWO: [(&str, &str); 4] = [
    ("rules", "v2"),
    ("seats", "human"),
    ("seats", "open"),
    ("seed", "3"),
];

async fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = plain_client().get(address(server, path));
    for (name, value) in headers {
        request = request.header(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    request.send().await.unwrap()
}

async fn page(server: &Server, path: &str, headers: &[(&str, &str)]) -> String {
    let answer = get(server, path, headers).await;
    assert_eq!(answer.status(), 200, "{path} {headers:?}");
    answer.text().await.unwrap()
}

async fn post(
    server: &Server,
    path: &str,
    headers: &[(&str, &str)],
    form: &[(&str, &str)],
) -> Response {
    let mut request = plain_client().post(address(server, path)).form(form);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn address(server: &Server, path: &str) -> String {
    match path.starts_with('/') {
        true => server.url(path),
        false => path.to_owned(),
    }
}

/// The cookies that an answer sets, as a browser sends them back.
fn cookies(answer: &Response) -> String {
    let lines = answer.headers().get_all("set-cookie").iter();
    let lines = lines.map(|line| line.to_str().unwrap().split(';').next().unwrap());
    lines.collect::<Vec<_>>().join("; ")
}

/// A game of a browser: its address, and the cookie.
async fn made(
    server: &Server,
    headers: &[(&str, &str)],
    form: &[(&str, &str)],
) -> (String, String) {
    let answer = post(server, "/games", headers, form).await;
    assert_eq!(answer.status(), 303);
    (header_of(&answer, "location").to_owned(), cookies(&answer))
}

fn has_seat(page: &str) -> bool {
    page.contains("/resign\"")
}

/// The path of the first link to a seat.
fn link(page: &str) -> String {
    let links = page
        .split("value=\"")
        .filter_map(|rest| rest.split('"').next());
    let link = links.into_iter().find(|value| value.contains("/join/"));
    let link = link.unwrap_or_else(|| panic!("no link in {page}"));
    link[link.find("/join/").unwrap()..].to_owned()
}

/// A server behind a proxy on this machine.
async fn behind_a_proxy() -> Server {
    let proxies = vec!["127.0.0.1".parse().unwrap()];
    Server::of(House {
        limits: ConnectionLimits {
            proxies,
            ..ConnectionLimits::default()
        },
        ..House::default()
    })
    .await
}

#[tokio::test]
async fn what_others_put_into_the_header_takes_no_seat() {
    let server = Server::start().await;
    let (game, own) = made(&server, &[], &TWO).await;
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
        let mine = page(&server, "/games", &headers).await;
        assert!(mine.contains(&format!("href=\"{game}\"")), "{lines:?}");
    }
    // Bytes that are no UTF-8 at all.
    let latin1 = [b"user=J\xfcrgen; ", own.as_bytes()].concat();
    let request = plain_client().get(server.url(&game));
    let request = request.header("cookie", HeaderValue::from_bytes(&latin1).unwrap());
    let shown = request.send().await.unwrap().text().await.unwrap();
    assert!(has_seat(&shown));
}

#[tokio::test]
async fn looks_and_the_books_game_are_read_beside_other_cookies() {
    let server = Server::start().await;
    let look = ("cookie", "user=Jürgen; dod_look=theme-dark.language-ru");
    let shown = page(&server, "/rules", &[look]).await;
    assert!(shown.contains("data-theme=\"dark\"") && shown.contains("lang=\"ru\""));

    let first = get(&server, "/game.html", &[]).await;
    let kept = format!("user=Jürgen; {}", cookies(&first));
    let first = first.text().await.unwrap();
    let chosen = first
        .split("href=\"")
        .find(|link| link.starts_with("/game.html?chosen="));
    let chosen = chosen
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .replace("&amp;", "&");
    let shown = page(&server, &chosen, &[("cookie", &kept)]).await;
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
    // Without them the page says why there is another deal.
    let shown = page(&server, &chosen, &[]).await;
    assert!(shown.contains("does not keep this site’s cookies"));
}

#[tokio::test]
async fn a_browser_that_keeps_no_cookies_is_told_and_gets_the_link_of_its_seat() {
    let server = Server::start().await;
    let private = [&TWO[..], &[("private", "1")]].concat();
    for form in [&TWO[..], &private, &TWO[1..2], &[("opponents", "easy")]] {
        let made = post(&server, "/games", &[PAGE], form).await;
        assert_eq!(made.status(), 303);
        let own = cookies(&made);
        let to = header_of(&made, "location").to_owned();
        assert!(to.starts_with("/join/"), "{to}");
        // Who keeps the cookie is led to the game.
        let kept = get(&server, &to, &[PAGE, ("cookie", &own)]).await;
        assert_eq!(kept.status(), 303);
        let game = header_of(&kept, "location").to_owned();
        assert!(has_seat(&page(&server, &game, &[("cookie", &own)]).await));
        // Who does not reads why nothing can be played, and where.
        let told = page(&server, &to, &[PAGE]).await;
        assert!(told.contains("did not keep this site’s cookie"), "{told}");
        let link = link(&told);
        assert_eq!(link, to.split('?').next().unwrap());
        // The button changes nothing as long as it is so.
        for _ in 0..2 {
            let again = post(&server, &format!("{link}?"), &[PAGE], &[]).await;
            assert_eq!(again.status(), StatusCode::TEMPORARY_REDIRECT);
            let to = header_of(&again, "location").to_owned();
            let refused = post(&server, &to, &[PAGE], &[]).await;
            assert_eq!(refused.status(), 403);
            let refused = refused.text().await.unwrap();
            assert!(
                refused.contains("did not keep this site’s cookie"),
                "{refused}"
            );
            assert!(has_seat(&page(&server, &game, &[("cookie", &own)]).await));
        }
        // With cookies allowed it brings the seat.
        let again = post(&server, &format!("{link}?"), &[PAGE], &[]).await;
        let now = cookies(&again);
        let to = header_of(&again, "location").to_owned();
        let taken = post(&server, &to, &[PAGE, ("cookie", &now)], &[]).await;
        assert_eq!(taken.status(), 303);
        assert_eq!(header_of(&taken, "location"), game);
        assert!(has_seat(&page(&server, &game, &[("cookie", &now)]).await));
    }
}

#[tokio::test]
async fn whoever_makes_a_game_for_others_learns_their_link_without_cookies() {
    let server = Server::start().await;
    let form = [("rules", "v2"), ("seats", "open"), ("seats", "random")];
    let made = post(&server, "/games", &[PAGE], &form).await;
    let (own, to) = (cookies(&made), header_of(&made, "location").to_owned());
    let told = page(&server, &to, &[PAGE]).await;
    assert!(told.contains("did not keep this site’s cookie") && told.contains("Take Red’s seat"));
    // The host with a cookie does not sit down.
    let kept = get(&server, &to, &[PAGE, ("cookie", &own)]).await;
    assert!(header_of(&kept, "location").starts_with("/g/"));
    // Where nobody can sit down there is nothing to lose; a program is sent to the game as ever.
    let computers = [("rules", "v2"), ("seats", "random"), ("seats", "random")];
    for (headers, form) in [(&[PAGE][..], &computers[..]), (&[], &TWO)] {
        let made = post(&server, "/games", headers, form).await;
        assert!(header_of(&made, "location").starts_with("/g/"));
    }
}

#[tokio::test]
async fn a_button_that_is_pressed_twice_takes_the_seat_once() {
    let server = Server::start().await;
    let (game, host) = made(&server, &[], &TWO).await;
    let shown = page(&server, &game, &[("cookie", &host)]).await;
    let invitation = link(&shown);
    // The first press is broken off before its answer is read: the second one comes without a cookie, too.
    let lost = post(&server, &invitation, &[PAGE], &[("name", "Bob")]).await;
    assert_eq!(lost.status(), StatusCode::TEMPORARY_REDIRECT);
    let pressed = post(&server, &invitation, &[PAGE], &[("name", "Bob")]).await;
    let (own, to) = (
        cookies(&pressed),
        header_of(&pressed, "location").to_owned(),
    );
    for _ in 0..2 {
        let taken = post(&server, &to, &[PAGE, ("cookie", &own)], &[("name", "Bob")]).await;
        assert_eq!(header_of(&taken, "location"), game);
    }
    let shown = page(&server, &game, &[("cookie", &own)]).await;
    assert!(has_seat(&shown) && shown.contains("Bob"));
}

#[tokio::test]
async fn whoever_plays_keeps_the_cookie_for_another_year() {
    let server = behind_a_proxy().await;
    for (tls, name) in [(&[][..], "dod"), (&[TLS], "__Host-dod")] {
        let (game, own) = made(&server, tls, &TWO).await;
        let headers = [tls, &[("cookie", &*own)]].concat();
        let named = [("player", "0"), ("do", "name"), ("name", "Ada")];
        for (path, form) in [
            ("/games", &TWO[..]),
            (&*format!("{game}/seats"), &named),
            (&format!("{game}/moves"), &[("ply", "0"), ("pass", "1")]),
        ] {
            let answer = post(&server, path, &headers, form).await;
            let set = header_of(&answer, "set-cookie").to_owned();
            if answer.status() == 303 {
                assert!(set.starts_with(&format!("{own}; ")), "{path}: {set}");
                assert!(set.contains("Max-Age=31536000"), "{set}");
                assert!(own.starts_with(&format!("{name}=")));
            }
        }
        // Of two cookies with one name, nobody knows which one the browser would overwrite.
        let two = format!("{own}; {name}={}", Secret::random().to_text());
        let headers = [tls, &[("cookie", &*two)]].concat();
        let answer = post(&server, &format!("{game}/seats"), &headers, &named).await;
        assert_eq!(answer.status(), 303);
        assert_eq!(header_of(&answer, "set-cookie"), "");
    }
}

#[tokio::test]
async fn seats_are_taken_along_from_http_to_https_when_the_reader_says_so() {
    let server = behind_a_proxy().await;
    let private = [&TWO[..], &[("private", "1")]].concat();
    let (game, old) = made(&server, &[], &private).await;
    let before = link(&page(&server, &game, &[("cookie", &old)]).await);
    let own = "/carry-over";

    // Over TLS the cookie opens nothing, and the pages say what can be done.
    let cookie = ("cookie", &*old);
    for path in ["/", "/games", &game] {
        let shown = page(&server, path, &[TLS, PAGE, cookie]).await;
        assert!(!has_seat(&shown), "{path}");
        assert!(shown.contains("action=\"/carry-over\""), "{path}");
    }
    let moved = [("ply", "0"), ("pass", "1")];
    let moves = format!("{game}/moves");
    assert_eq!(
        post(&server, &moves, &[TLS, cookie], &moved).await.status(),
        404
    );
    // Nobody else is offered anything.
    let stranger = format!("dod={}", Secret::random().to_text());
    let shown = page(&server, "/", &[TLS, ("cookie", &stranger)]).await;
    assert!(!shown.contains("/carry-over"));
    assert_eq!(
        get(&server, &game, &[TLS, ("cookie", &stranger)])
            .await
            .status(),
        404
    );
    assert!(
        !page(&server, &game, &[cookie])
            .await
            .contains("/carry-over")
    );

    // Only the page itself asks for it, and only over TLS.
    for evidence in [
        ("x-nothing", ""),
        ("origin", "http://127.0.0.1"),
        ("origin", "null"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let refused = post(&server, own, &[TLS, PAGE, cookie, evidence], &[]).await;
        assert_eq!(refused.status(), 403, "{evidence:?}");
    }
    let ours = ("sec-fetch-site", "same-origin");
    let form = [("game", game.trim_start_matches("/g/"))];
    // First the browser shows that it keeps the new cookie.
    let first = post(&server, own, &[TLS, PAGE, cookie, ours], &form).await;
    assert_eq!(first.status(), StatusCode::TEMPORARY_REDIRECT);
    let (new, to) = (cookies(&first), header_of(&first, "location").to_owned());
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
    let done = post(&server, &to, &[TLS, PAGE, ("cookie", &both), ours], &form).await;
    assert_eq!(done.status(), 303);
    assert_eq!(header_of(&done, "location"), game);
    let all = format!("{both}; {}", cookies(&done));
    assert!(all.contains("; __Host-dod_former="), "{all}");

    // The seat is opened by the new secret, its link too; what was sent without TLS opens it no more.
    let shown = page(&server, &game, &[TLS, ("cookie", &new)]).await;
    assert!(has_seat(&shown) && !shown.contains("/carry-over"));
    assert!(!has_seat(&page(&server, &game, &[cookie]).await));
    let own_link = shown.split("id=\"back-0\"").nth(1).unwrap();
    assert!(own_link.contains("https://"), "{own_link}");
    assert_eq!(
        get(&server, &before, &[]).await.status(),
        200,
        "an invitation stays"
    );
    // The game's host stays its host, and nothing is offered any more.
    for path in ["/", "/games", &game] {
        let shown = page(&server, path, &[TLS, ("cookie", &all)]).await;
        assert!(!shown.contains("/carry-over"), "{path}");
    }
    let shown = page(&server, &game, &[TLS, ("cookie", &all)]).await;
    assert_eq!(link(&shown), before);
    // Pressed again, nothing changes.
    let again = post(&server, own, &[TLS, PAGE, ("cookie", &both), ours], &form).await;
    assert_eq!(again.status(), 303);
    assert!(has_seat(
        &page(&server, &game, &[TLS, ("cookie", &new)]).await
    ));
}

#[tokio::test]
async fn a_proxy_that_is_trusted_no_more_makes_nobody_a_stranger() {
    let server = behind_a_proxy().await;
    let (game, own) = made(&server, &[TLS], &TWO).await;
    assert!(own.starts_with("__Host-dod="), "{own}");
    // The browser still speaks TLS, or it would not send the cookie; the server does not know it.
    let shown = page(&server, &game, &[("cookie", &own)]).await;
    assert!(has_seat(&shown));
}

#[tokio::test]
async fn who_watches_without_a_seat_reads_how_seats_are_found_again() {
    let server = Server::start().await;
    let (game, own) = made(&server, &[], &TWO).await;
    let shown = page(&server, &game, &[]).await;
    assert!(shown.contains("Did you have a seat here?"), "{shown}");
    let shown = page(&server, &game, &[("cookie", &own)]).await;
    assert!(!shown.contains("Did you have a seat here?"));
}

#[tokio::test]
async fn the_link_of_a_seat_opens_it_again_and_the_rematch_that_was_made_meanwhile() {
    let server = Server::start().await;
    let form = [("rules", "v2"), ("seats", "human"), ("seats", "random")];
    let (game, own) = made(&server, &[], &form).await;
    let cookie = ("cookie", &*own);
    let link = link(&page(&server, &game, &[cookie]).await);
    let resign = format!("{game}/resign");
    let resigned = post(&server, &resign, &[cookie], &[("ply", "0")]).await;
    assert_eq!(resigned.status(), 303);
    let rematch = post(&server, &format!("{game}/rematch"), &[cookie], &[]).await;
    assert_eq!(rematch.status(), 303);
    let rematch = header_of(&rematch, "location").to_owned();
    // A browser that forgets its cookies whenever it is closed.
    for _ in 0..3 {
        let came = post(&server, &link, &[], &[]).await;
        assert_eq!(header_of(&came, "location"), game);
        let now = cookies(&came);
        let shown = page(&server, &rematch, &[("cookie", &now)]).await;
        assert!(has_seat(&shown));
    }
    assert!(!has_seat(&page(&server, &rematch, &[cookie]).await));
}
