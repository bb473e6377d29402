//! Every page in a language that nobody speaks: all that stands in the files of `templates/text` is
//! written in other letters and longer, so that plain letters on a page were written elsewhere.

use std::collections::{BTreeSet, VecDeque};

use crate::common::disguise::disguise;
use crate::common::{House, Server};
use dice_of_doom::game_adapters::Registry;
use reqwest::{Client, redirect};
use serde_json::{Value, json};

/// So many pages are looked at, at most.
const PAGES: usize = 160;

/// What stands between these tags is no sentence: code, keys, the names of languages in themselves.
const NO_SENTENCES: [&str; 6] = ["code", "kbd", "pre", "script", "style", "textarea"];

/// What people read or hear, and what plain letters are left in it.
fn plain_words(page: &str) -> BTreeSet<String> {
    let mut left = BTreeSet::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        judge(&rest[..at], &mut left);
        let tag = &rest[at + 1..];
        let end = end_of(tag);
        let (inside, after) = tag.split_at(end);
        rest = after.get(1..).unwrap_or("");
        let code = inside.contains(" translate=\"no\"");
        for name in [
            "aria-label",
            "title",
            "alt",
            "placeholder",
            "aria-description",
        ] {
            if let Some(value) = attribute(inside, name).filter(|_| !code) {
                judge(value, &mut left);
            }
        }
        if inside.starts_with("meta ")
            && !inside.contains("viewport")
            && !inside.contains("og:image\"")
        {
            let is_sentence = ["description", "og:title", "og:site_name", "og:image:alt"];
            if is_sentence
                .iter()
                .any(|name| inside.contains(&format!("\"{name}\"")))
            {
                judge(attribute(inside, "content").unwrap_or(""), &mut left);
            }
        }
        let name = inside.split_whitespace().next().unwrap_or("");
        // The message from which dice are made is a text for programs, byte by byte.
        let message = inside.contains("class=\"lines\"");
        let foreign = (code || message || inside.contains(" lang=")) && name != "html";
        if (foreign || NO_SENTENCES.contains(&name)) && !inside.ends_with('/') {
            let closing = format!("</{name}>");
            let Some(at) = rest.find(&closing) else {
                continue;
            };
            rest = &rest[at + closing.len()..];
        }
    }
    judge(rest, &mut left);
    left
}

/// Where a tag ends; signs within quotes do not end it.
fn end_of(tag: &str) -> usize {
    let mut quoted = false;
    let end = tag.char_indices().find(|(_, sign)| {
        quoted ^= *sign == '"';
        *sign == '>' && !quoted
    });
    end.map_or(tag.len(), |(at, _)| at)
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

fn judge(words: &str, left: &mut BTreeSet<String>) {
    let words = words
        .replace("&amp;", " ")
        .replace("&lt;", " ")
        .replace("&gt;", " ")
        .replace("&quot;", " ");
    for word in words.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        // Ids have digits, and what is sealed is shown as hexadecimal digits.
        if word.bytes().any(|byte| byte.is_ascii_digit())
            || word.bytes().all(|byte| matches!(byte, b'a'..=b'f'))
        {
            continue;
        }
        // Columns and hexes have letters, and × has an x at some places.
        if word.len() > 1 {
            left.insert(word.to_owned());
        }
    }
}

/// The addresses of pages that a page leads to.
fn links(page: &str) -> impl Iterator<Item = String> {
    let links = page.split(" href=\"").skip(1);
    let links = links.filter_map(|rest| rest.split('"').next());
    let wanted = |link: &&str| {
        link.starts_with('/')
            && !link.starts_with("/assets/")
            && ![
                "record.json",
                ".svg",
                ".png",
                ".gif",
                ".webp",
                "openapi.json",
            ]
            .iter()
            .any(|ending| link.contains(ending))
    };
    links
        .filter(wanted)
        .map(|link| link.split('#').next().unwrap_or(link).replace("&amp;", "&"))
}

/// An address without its numbers and ids: of each kind some are looked at.
fn kind(link: &str) -> String {
    let parts = link.split('/').map(|part| {
        let number = part.find(|sign: char| sign.is_ascii_digit());
        &part[..number.unwrap_or(part.len())]
    });
    let path: Vec<_> = parts.collect();
    match path.as_slice() {
        ["", "g", _, rest @ ..] => format!("/g/ID/{}", rest.join("/")),
        parts => parts.join("/"),
    }
}

#[tokio::test]
async fn no_page_has_words_of_its_own() {
    let games = Registry::builtin().pseudo_localized(disguise);
    let server = Server::of(House {
        games,
        reads: 100_000,
        moves: 100_000,
        ..House::default()
    })
    .await;
    let client = Client::builder()
        .cookie_store(true)
        .redirect(redirect::Policy::limited(5))
        .build()
        .unwrap();
    let mut queue: VecDeque<String> = [
        "/",
        "/games",
        "/rules",
        "/settings",
        "/levels",
        "/api",
        "/nowhere",
        "/game.html",
        "/join/nothing",
        "/g/nothing",
    ]
    .map(str::to_owned)
    .into();
    // A table of each game: one with an open seat, one that computers play to its end.
    for game in [
        json!({"game": "dice", "players": 2, "size": 3, "seed": 7, "seats": ["human", "open"]}),
        json!({"game": "dice", "rules": "v2", "seed": 7, "seats": ["book", "random"]}),
        json!({"game": "dice", "seed": 7, "seats": ["human", "book", "greedy", "random"]}),
        json!({"game": "trilobite", "seats": ["human", "book"]}),
        json!({"game": "trilobite", "seats": ["random", "random"]}),
    ] {
        queue.push_back(format!("/g/{}", server.api().create(game).await.id));
    }
    // Records that were brought here: of a game that is over, and of one that is not.
    let new =
        json!({"game": "dice", "size": 3, "players": 2, "seed": 7, "seats": ["random", "random"]});
    let table = server.api().create(new).await;
    table.settled().await;
    let whole = table.record().await;
    let mut part = whole.clone();
    let plies = part["plies"].as_array_mut().unwrap();
    plies.truncate(plies.len() / 2);
    for field in ["ending", "winners", "resigned", "dice", "seal"] {
        part.as_object_mut().unwrap().remove(field);
    }
    for record in [&whole, &part] {
        let game = server.api().post("/api/v1/records", record).await;
        assert_eq!(game.status(), 201);
        let game: Value = game.json().await.unwrap();
        queue.push_back(format!("/g/{}", game["id"].as_str().unwrap()));
    }
    part["plies"][0]["player"] = json!(9);
    let damaged =
        format!("--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{part}\r\n--b--");
    let sent = client.post(server.url("/upload")).body(damaged);
    let sent = sent.header("content-type", "multipart/form-data; boundary=b");
    let page = sent.send().await.unwrap().text().await.unwrap();
    assert_eq!(plain_words(&page), BTreeSet::new(), "a damaged record");
    for form in [
        &[("game", "dice"), ("seed", "7"), ("seat1", "human")][..],
        &[("game", "dice"), ("seed", "x")],
        &[("game", "trilobite")],
    ] {
        let made = client
            .post(server.url("/games"))
            .form(form)
            .send()
            .await
            .unwrap();
        let address = made.url().path().to_owned();
        let page = made.text().await.unwrap();
        assert_eq!(plain_words(&page), BTreeSet::new(), "{form:?}");
        queue.push_back(address);
        queue.extend(links(&page));
    }
    let mut seen = BTreeSet::new();
    let mut kinds: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    while let Some(link) = queue.pop_front() {
        let of_kind = kinds.entry(kind(&link)).or_default();
        if seen.len() == PAGES || *of_kind == 12 || !seen.insert(link.clone()) {
            continue;
        }
        *of_kind += 1;
        let answer = client.get(server.url(&link)).send().await.unwrap();
        let header = answer.headers().get("content-type");
        if header.is_none_or(|kind| !kind.to_str().unwrap().starts_with("text/html")) {
            continue;
        }
        let page = answer.text().await.unwrap();
        let mut words = plain_words(&page);
        // Some ids of games are letters alone.
        words.retain(|word| {
            !seen
                .iter()
                .any(|link| link.starts_with(&format!("/g/{word}")))
        });
        assert_eq!(words, BTreeSet::new(), "{link}");
        queue.extend(links(&page));
    }
    assert!(seen.len() > 40, "{seen:?}");
    println!("{} pages: {kinds:?}", seen.len());
}

#[test]
fn plain_letters_are_found_and_code_is_none() {
    let page = r#"<p title="Łóñĝ">ţwó <b>three</b><code>let</code><i lang="ru">Ok</i><svg aria-label="four"></svg>"#;
    let left: Vec<_> = plain_words(page).into_iter().collect();
    assert_eq!(left, ["four", "three"]);
    let longer = disguise("Your reinforcements have been placed.")
        .chars()
        .count();
    assert_eq!(longer, 37 + 12, "two fifths of its letters");
}
