//! The Atom feed of a browser, `/feed/{token}.atom`.

use std::collections::BTreeSet;

use reqwest::{Client, Response};
use resvg::usvg::roxmltree::{Document, Node};

use crate::common::Server;

const ATOM: &str = "http://www.w3.org/2005/Atom";

fn browser() -> Client {
    Client::builder().cookie_store(true).build().unwrap()
}

async fn page(browser: &Client, server: &Server, path: &str) -> String {
    let answer = browser.get(server.url(path)).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.unwrap()
}

/// The path of the feed that the settings page shows.
async fn feed_path(browser: &Client, server: &Server) -> Option<String> {
    let settings = page(browser, server, "/settings").await;
    let (_, rest) = settings.split_once("/feed/")?;
    Some(format!("/feed/{}", rest.split('"').next()?))
}

/// Gives the browser a feed, or a new address.
async fn renew(browser: &Client, server: &Server) -> String {
    let answer = browser.post(server.url("/settings/feed")).send().await;
    assert_eq!(answer.unwrap().status(), 200);
    feed_path(browser, server).await.unwrap()
}

/// A request without cookies, as feed readers send it.
async fn get(server: &Server, path: &str) -> Response {
    Client::new().get(server.url(path)).send().await.unwrap()
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry {
    id: String,
    title: String,
    updated: String,
    href: String,
}

/// The text of the only child with this name.
fn child(node: Node<'_, '_>, name: &str) -> String {
    let found: Vec<_> = node
        .children()
        .filter(|child| child.has_tag_name((ATOM, name)))
        .collect();
    assert_eq!(found.len(), 1, "{name}");
    found[0].text().unwrap().to_owned()
}

fn links<'a>(node: Node<'a, 'a>, rel: &str) -> Vec<&'a str> {
    let links = node
        .children()
        .filter(|child| child.has_tag_name((ATOM, "link")));
    let links = links.filter(|link| link.attribute("rel") == Some(rel));
    links.map(|link| link.attribute("href").unwrap()).collect()
}

/// Checks what RFC 4287 demands of a feed, and returns its entries.
async fn entries(server: &Server, path: &str) -> Vec<Entry> {
    let answer = get(server, path).await;
    assert_eq!(answer.status(), 200);
    let kind = answer.headers()["content-type"].to_str().unwrap();
    assert_eq!(kind, "application/atom+xml; charset=utf-8");
    let body = answer.text().await.unwrap();
    let document = Document::parse(&body).unwrap();
    let feed = document.root_element();
    assert!(feed.has_tag_name((ATOM, "feed")));
    assert_eq!(
        links(feed, "self"),
        [server.url(path.split('?').next().unwrap())]
    );
    let author = feed
        .children()
        .find(|child| child.has_tag_name((ATOM, "author")));
    assert!(!child(author.unwrap(), "name").is_empty() && !child(feed, "title").is_empty());
    let entries = feed
        .children()
        .filter(|child| child.has_tag_name((ATOM, "entry")));
    let entries: Vec<_> = entries
        .map(|entry| Entry {
            id: child(entry, "id"),
            title: child(entry, "title"),
            updated: child(entry, "updated"),
            href: links(entry, "alternate")[0].to_owned(),
        })
        .collect();
    let ids: BTreeSet<_> = entries.iter().map(|entry| &entry.id).collect();
    assert_eq!(ids.len(), entries.len(), "ids are unique");
    for id in ids.into_iter().chain([&child(feed, "id")]) {
        let uuid = id.strip_prefix("urn:uuid:").unwrap();
        let lengths: Vec<_> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
    }
    let mut times: Vec<_> = entries.iter().map(|entry| &entry.updated).collect();
    assert_eq!(&child(feed, "updated"), times[0]);
    let newest_first = times.clone();
    times.sort_by(|one, other| other.cmp(one));
    assert_eq!(times, newest_first);
    entries
}

#[tokio::test]
async fn a_feed_has_a_secret_address_that_can_be_replaced() {
    let server = Server::start().await;
    let (ada, bob) = (browser(), browser());
    assert_eq!(feed_path(&ada, &server).await, None);
    let (first, other) = (renew(&ada, &server).await, renew(&bob, &server).await);
    assert_ne!(first, other);
    assert_eq!(feed_path(&ada, &server).await, Some(first.clone()));
    entries(&server, &first).await;
    let second = renew(&ada, &server).await;
    entries(&server, &second).await;
    entries(&server, &other).await;
    let invalid = [
        first.as_str(),
        "/feed/AAAAAAAAAAAAAAAAAAAAAA.atom",
        "/feed/x.atom",
        "/feed/.atom",
        second.strip_suffix(".atom").unwrap(),
    ];
    for path in invalid {
        assert_eq!(get(&server, path).await.status(), 404, "{path}");
    }
    // The token is no browser's secret.
    let token = second
        .strip_prefix("/feed/")
        .unwrap()
        .strip_suffix(".atom")
        .unwrap();
    let request = Client::new().get(server.url("/settings"));
    let settings = request
        .header("cookie", format!("dod={token}"))
        .send()
        .await
        .unwrap();
    assert!(!settings.text().await.unwrap().contains("/feed/"));
}

#[tokio::test]
async fn a_feed_tells_whose_turn_it_is() {
    let server = Server::start().await;
    let (ada, bob) = (browser(), browser());
    let (adas, bobs) = (renew(&ada, &server).await, renew(&bob, &server).await);
    let create = async |form: &[(&str, &str)]| {
        let created = ada
            .post(server.url("/games"))
            .form(form)
            .send()
            .await
            .unwrap();
        created.url().path().to_owned()
    };
    // It is not others who wait in a game against computers, or against oneself.
    create(&[("game", "trilobite")]).await;
    create(&[
        ("game", "trilobite"),
        ("chips", "human"),
        ("chips", "human"),
    ])
    .await;
    assert_eq!(entries(&server, &adas).await.len(), 1);
    let game = create(&[
        ("game", "trilobite"),
        ("chips", "human"),
        ("chips", "open"),
        ("name", "Ada <&\">"),
    ])
    .await;
    let created = page(&ada, &server, &game).await;
    let invitation = created
        .split("/join/")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let join = server.url(&format!("/join/{invitation}"));
    let joined = bob
        .post(join)
        .form(&[("name", "Bob")])
        .send()
        .await
        .unwrap();
    assert_eq!(joined.status(), 200);
    let play = async |who: &Client, ply: u32| {
        let form = [("ply", ply.to_string()), ("column", "d".to_owned())];
        let played = who
            .post(server.url(&format!("{game}/moves")))
            .form(&form)
            .send()
            .await;
        assert_eq!(played.unwrap().status(), 200);
    };
    let turn = async |path: &str| {
        let entries = entries(&server, path).await.into_iter();
        let mut turns = entries.filter(|entry| entry.href == server.url(&game));
        let turn = turns.next();
        assert_eq!(turns.next(), None);
        turn
    };
    let first = turn(&adas).await.unwrap();
    assert_eq!(first.title, "Your turn against Bob");
    assert_eq!(
        turn(&adas).await,
        Some(first.clone()),
        "the same turn is the same entry"
    );
    assert_eq!(turn(&bobs).await, None);
    play(&ada, 0).await;
    assert_eq!(turn(&adas).await, None);
    let theirs = turn(&bobs).await.unwrap();
    assert_eq!(theirs.title, "Your turn against Ada <&\">");
    play(&bob, 1).await;
    let second = turn(&adas).await.unwrap();
    assert_ne!(second.id, first.id);
    let russian = turn(&format!("{adas}?lang=ru")).await.unwrap();
    assert_eq!(russian.title, "Ваш ход. Соперники: Bob");
    assert_eq!(russian.id, second.id);
}

#[tokio::test]
async fn a_feed_is_sent_again_only_when_it_has_changed() {
    let server = Server::start().await;
    let ada = browser();
    let path = renew(&ada, &server).await;
    let answer = get(&server, &path).await;
    let tag = answer.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(answer.headers()["cache-control"], "private, no-cache");
    let again = async |path: &str| {
        let request = Client::new().get(server.url(path));
        request.header("if-none-match", &tag).send().await.unwrap()
    };
    let same = again(&path).await;
    assert_eq!(
        (
            same.status().as_u16(),
            same.headers()["etag"].to_str().unwrap()
        ),
        (304, &*tag)
    );
    assert_eq!(again(&format!("{path}?lang=ja")).await.status(), 200);
}

#[tokio::test]
async fn a_feed_has_the_language_of_its_creation() {
    let server = Server::start().await;
    let ada = browser();
    let request = ada.post(server.url("/settings/feed"));
    let made = request
        .header("accept-language", "ja")
        .send()
        .await
        .unwrap();
    assert_eq!(made.status(), 200);
    let path = feed_path(&ada, &server).await.unwrap();
    let entries = entries(&server, &path).await;
    assert!(entries[0].title.starts_with("今日の盤"), "{entries:?}");
}
