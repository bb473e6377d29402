//! The Atom feed of a browser, `/feed/{token}.atom`.

use std::collections::BTreeSet;

use resvg::usvg::roxmltree::{Document, Node};

use crate::common::{Person, Server, get_with};

const ATOM: &str = "http://www.w3.org/2005/Atom";

/// The path of the feed that the settings page shows.
pub(crate) async fn feed_path(person: &Person) -> Option<String> {
    let settings = person.page("/settings").await;
    let links = settings.attrs("[value*='/feed/']", "value");
    let mut paths = links
        .iter()
        .map(|link| link[link.find("/feed/").unwrap()..].to_owned());
    paths.next_back()
}

/// Gives the browser a feed, or a new address.
pub(crate) async fn renew(person: &Person) -> String {
    person.done("/settings/feed", "").await;
    feed_path(person).await.unwrap()
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
    let answer = server.api().get(path).await;
    assert_eq!(answer.status(), 200);
    let kind = answer.headers()["content-type"].to_str().unwrap();
    assert_eq!(kind, "application/atom+xml; charset=utf-8");
    let body = answer.text().await.unwrap();
    let document = Document::parse(&body).unwrap();
    let feed = document.root_element();
    assert!(feed.has_tag_name((ATOM, "feed")));
    let found = links(feed, "self");
    assert_eq!(found, [server.url(path.split('?').next().unwrap())]);
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
    let [ada, bob] = server.people();
    assert_eq!(feed_path(&ada).await, None);
    let (first, other) = (renew(&ada).await, renew(&bob).await);
    assert_ne!(first, other);
    assert_eq!(feed_path(&ada).await, Some(first.clone()));
    entries(&server, &first).await;
    let second = renew(&ada).await;
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
        assert_eq!(server.api().get(path).await.status(), 404, "{path}");
    }
    // The token is no browser's secret.
    let token = second
        .strip_prefix("/feed/")
        .unwrap()
        .strip_suffix(".atom")
        .unwrap();
    let stranger = server.person().with("cookie", &format!("dod={token}"));
    assert_eq!(feed_path(&stranger).await, None);
}

#[tokio::test]
async fn a_feed_tells_whose_turn_it_is() {
    let server = Server::start().await;
    let [ada, bob] = server.people();
    let (adas, bobs) = (renew(&ada).await, renew(&bob).await);
    // It is not others who wait in a game against computers, or against oneself.
    ada.create("game=trilobite").await;
    ada.create("game=trilobite&chips=human&chips=human").await;
    assert_eq!(entries(&server, &adas).await.len(), 1);
    let game = ada
        .create(&[
            ("game", "trilobite"),
            ("chips", "human"),
            ("chips", "open"),
            ("name", "Ada <&\">"),
        ])
        .await;
    let invitation = ada.seat_link(&game).await;
    bob.done(&invitation, "name=Bob").await;
    assert_eq!(entries(&server, &adas).await.len(), 1, "nobody is to move");
    ada.start(&game).await;
    let play = async |who: &Person, ply: &str| {
        let form = [("ply", ply), ("column", "d")];
        who.done(&format!("{game}/moves"), &form).await;
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
    play(&ada, "0").await;
    assert_eq!(turn(&adas).await, None);
    let theirs = turn(&bobs).await.unwrap();
    assert_eq!(theirs.title, "Your turn against Ada <&\">");
    play(&bob, "1").await;
    let second = turn(&adas).await.unwrap();
    assert_ne!(second.id, first.id);
    let russian = turn(&format!("{adas}?lang=ru")).await.unwrap();
    assert_eq!(russian.title, "Ваш ход. Соперники: Bob");
    assert_eq!(russian.id, second.id);
}

#[tokio::test]
async fn a_feed_is_sent_again_only_when_it_has_changed() {
    let server = Server::start().await;
    let ada = server.person();
    let path = renew(&ada).await;
    let answer = server.api().get(&path).await;
    let tag = answer.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(answer.headers()["cache-control"], "private, no-cache");
    let again = async |path: &str| get_with(&server, path, &[("if-none-match", &tag)]).await;
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
    let ada = server.person();
    let path = renew(&ada.with("accept-language", "ja")).await;
    let entries = entries(&server, &path).await;
    assert!(entries[0].title.starts_with("今日の盤"), "{entries:?}");
}
