//! The display options over HTTP: they are stored in one cookie, and every page applies them.

use crate::common::{Form, Server, assert_contains, get_with, header_of};

/// Saves a form and returns the redirect target and the cookie that the response sets.
async fn save(server: &Server, form: impl Form) -> (String, String) {
    let answer = server.person().post("/settings", form).await;
    assert_eq!(answer.status(), 303);
    (
        header_of(&answer, "location").to_owned(),
        header_of(&answer, "set-cookie").to_owned(),
    )
}

/// The `<html>` tag of a page requested with these headers.
async fn html_tag(server: &Server, path: &str, headers: &[(&str, &str)]) -> String {
    let answer = get_with(server, path, headers).await;
    let vary: Vec<_> = answer.headers().get_all("vary").iter().collect();
    let varies = vary
        .iter()
        .any(|line| line.to_str().unwrap().contains("sec-ch-ua-mobile"));
    assert!(varies, "{path}: {vary:?}");
    let page = answer.text().await.unwrap();
    let from = page.find("<html").unwrap();
    let to = page[from..].find('>').unwrap();
    page[from..=from + to].to_owned()
}

#[tokio::test]
async fn saved_options_apply_to_every_page() {
    let server = Server::start().await;
    let game = server.person().create("rules=v4&seed=7").await;
    let options =
        "theme=dark&colours=okabe&board=flat&odds=off&coordinates=on&speed=fast&sound=on&keys=off";
    let (to, cookie) = save(&server, options).await;
    assert_eq!(to, "/settings?saved=1");
    let (pair, rest) = cookie.split_once(';').unwrap();
    assert!(
        !rest.contains("HttpOnly") && rest.contains("SameSite=Lax"),
        "{rest}"
    );
    assert_contains(&rest, &["Path=/", "Max-Age=31536000"]);
    let expect = r#"<html lang="en" data-theme="dark" data-colours="okabe" data-board="flat" data-odds="off" data-coordinates="on" data-speed="fast" data-sound="on" data-keys="off">"#;
    for path in [
        "/",
        "/me",
        "/rules",
        "/levels",
        "/api",
        "/settings",
        "/nowhere",
        "/game.html",
        &game,
        &format!("{game}/0"),
        &format!("{game}/log"),
    ] {
        let found = html_tag(&server, path, &[("cookie", pair)]).await;
        assert_eq!(found, expect, "{path}");
    }
}

#[tokio::test]
async fn the_default_options_need_no_cookie() {
    let server = Server::start().await;
    let default_tag = r#"<html lang="en" data-board="book" data-board-auto>"#;
    assert_eq!(html_tag(&server, "/", &[]).await, default_tag);
    let (_, cookie) = save(&server, "theme=system&board=auto").await;
    assert_eq!(cookie, "", "there is no cookie to set or to delete");
    let phone = r#"<html lang="en" data-board="flat" data-board-auto>"#;
    let found = html_tag(&server, "/", &[("sec-ch-ua-mobile", "?1")]).await;
    assert_eq!(found, phone);
    let found = html_tag(&server, "/", &[("cookie", "dod_narrow=1")]).await;
    assert_eq!(found, phone);
}

#[tokio::test]
async fn hostile_cookies_and_options_are_ignored() {
    let server = Server::start().await;
    let default_tag = r#"<html lang="en" data-board="book" data-board-auto>"#;
    for cookie in [
        "dod_look=theme-\"><script>alert(1)</script>",
        "dod_look=theme-DARK.board-3...-",
        "dod_look=",
        "dod_narrow=2",
    ] {
        let found = html_tag(&server, "/", &[("cookie", cookie)]).await;
        assert_eq!(found, default_tag, "{cookie}");
    }
    let (_, cookie) = save(&server, &[("theme", "<b>"), ("colours", "okabe")]).await;
    assert!(cookie.starts_with("dod_look=colours-okabe;"), "{cookie}");
}

#[tokio::test]
async fn redirects_stay_on_this_site() {
    let server = Server::start().await;
    for (next, back, expect) in [
        ("/g/abc?from=3", "", "/g/abc?from=3"),
        (
            "",
            "/g/abc?from=3",
            "/settings?saved=1&back=/g/abc%3Ffrom%3D3",
        ),
        ("//evil.example", "", "/settings?saved=1"),
        ("/\\evil.example", "", "/settings?saved=1"),
        (
            "https://evil.example/",
            "//evil.example",
            "/settings?saved=1",
        ),
        ("/a\r\nset-cookie: x=y", "", "/settings?saved=1"),
    ] {
        let (to, _) = save(&server, &[("next", next), ("back", back)]).await;
        assert_eq!(to, expect, "{next} {back}");
    }
    let page = server
        .person()
        .page("/settings?back=/g/%22%3E%3Cscript%3E")
        .await;
    assert!(!page.has("script:not([src])"), "{page}");
    assert!(page.contains("&quot;&gt;&lt;script&gt;"));
}

#[tokio::test]
async fn cross_site_requests_change_nothing() {
    let server = Server::start().await;
    let elsewhere = server.person().with("sec-fetch-site", "cross-site");
    let answer = elsewhere.post("/settings", "theme=dark").await;
    assert_eq!(answer.status(), 403);
    assert_eq!(header_of(&answer, "set-cookie"), "");
}

#[tokio::test]
async fn a_single_option_leaves_the_others_unchanged() {
    let server = Server::start().await;
    let (_, cookie) = save(&server, "theme=dark&board=flat").await;
    let stored = cookie.split(';').next().unwrap();
    let person = server.person().with("cookie", stored);
    let form = [("next", "/g/abc"), ("odds", "off")];
    let answer = person.post("/settings", &form).await;
    assert_eq!(header_of(&answer, "location"), "/g/abc");
    let cookie = header_of(&answer, "set-cookie");
    assert!(
        cookie.starts_with("dod_look=theme-dark.board-flat.odds-off;"),
        "{cookie}"
    );
}
