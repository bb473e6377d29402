//! Pseudo-localisation: all texts in `templates/text` are rendered with accented letters and longer, so plain ASCII
//! words on a page reveal text outside the translation files.

use std::collections::{BTreeSet, VecDeque};

use crate::common::Server;
use crate::common::pseudo_language::pseudo_localize;
use dice_of_doom::games::Registry;
use reqwest::{Client, redirect};
use serde_json::{Value, json};

/// Maximum number of pages to check.
const MAX_PAGES: usize = 160;

/// Elements whose content is not translatable: code, keys, form input, language names.
const UNTRANSLATED_ELEMENTS: [&str; 6] = ["code", "kbd", "pre", "script", "style", "textarea"];

/// The plain ASCII words in the text and the labels of a page.
fn plain_words(page: &str) -> BTreeSet<String> {
    let mut left = BTreeSet::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        collect_words(&rest[..at], &mut left);
        let tag = &rest[at + 1..];
        let end = tag_end(tag);
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
                collect_words(value, &mut left);
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
                collect_words(attribute(inside, "content").unwrap_or(""), &mut left);
            }
        }
        let name = inside.split_whitespace().next().unwrap_or("");
        // The message from which the dice are derived is untranslatable, byte for byte.
        let message = inside.contains("class=\"lines\"");
        let foreign = (code || message || inside.contains(" lang=")) && name != "html";
        if (foreign || UNTRANSLATED_ELEMENTS.contains(&name)) && !inside.ends_with('/') {
            let closing = format!("</{name}>");
            let Some(at) = rest.find(&closing) else {
                continue;
            };
            rest = &rest[at + closing.len()..];
        }
    }
    collect_words(rest, &mut left);
    left
}

/// The end of a tag; `>` within quotes does not end it.
fn tag_end(tag: &str) -> usize {
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

fn collect_words(text: &str, left: &mut BTreeSet<String>) {
    let text = text
        .replace("&amp;", " ")
        .replace("&lt;", " ")
        .replace("&gt;", " ")
        .replace("&quot;", " ");
    for word in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        // Ids contain digits, and hashes are hexadecimal digits.
        if word.bytes().any(|byte| byte.is_ascii_digit())
            || word.bytes().all(|byte| matches!(byte, b'a'..=b'f'))
        {
            continue;
        }
        // Columns and hexes are named by single letters, and `x` may stand for ×.
        if word.len() > 1 {
            left.insert(word.to_owned());
        }
    }
}

/// The paths of the pages that a page links to.
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

/// The path without numbers and ids; the number of checked pages per kind is limited.
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
async fn no_page_has_untranslated_text() {
    let games = Registry::builtin().pseudo_localized(pseudo_localize);
    let server = Server::with(|config| config.games = games).await;
    let client = Client::builder()
        .cookie_store(true)
        .redirect(redirect::Policy::limited(5))
        .build()
        .unwrap();
    let mut queue: VecDeque<String> = [
        "/",
        "/me",
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
    // Games of each kind: with an open seat, with computers, and finished by computers.
    for game in [
        json!({"game": "dice", "players": 2, "size": 3, "seed": 7, "seats": ["human", "open"]}),
        json!({"game": "dice", "rules": "v2", "seed": 7, "seats": ["book", "random"]}),
        json!({"game": "dice", "seed": 7, "seats": ["human", "book", "greedy", "random"]}),
        json!({"game": "trilobite", "seats": ["human", "book"]}),
        json!({"game": "trilobite", "seats": ["random", "random"]}),
    ] {
        queue.push_back(format!("/g/{}", server.api().create(game).await.id));
    }
    // Uploaded records of a finished and of an unfinished game.
    let new =
        json!({"game": "dice", "size": 3, "players": 2, "seed": 7, "seats": ["random", "random"]});
    let table = server.api().create(new).await;
    table.settled().await;
    let complete = table.record().await;
    let mut partial = complete.clone();
    let plies = partial["plies"].as_array_mut().unwrap();
    plies.truncate(plies.len() / 2);
    for field in ["ending", "winners", "resigned", "dice", "seal"] {
        partial.as_object_mut().unwrap().remove(field);
    }
    for record in [&complete, &partial] {
        let game = server.api().post("/api/v1/records", record).await;
        assert_eq!(game.status(), 201);
        let game: Value = game.json().await.unwrap();
        queue.push_back(format!("/g/{}", game["id"].as_str().unwrap()));
    }
    partial["plies"][0]["player"] = json!(9);
    let damaged =
        format!("--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{partial}\r\n--b--");
    let sent = client.post(server.url("/upload")).body(damaged);
    let sent = sent.header("content-type", "multipart/form-data; boundary=b");
    let page = sent.send().await.unwrap().text().await.unwrap();
    assert_eq!(plain_words(&page), BTreeSet::new(), "a damaged record");
    for form in [
        &[("game", "dice"), ("seed", "7"), ("seat1", "human")][..],
        &[("game", "dice"), ("seed", "x")],
        &[("game", "trilobite")],
    ] {
        let created = client
            .post(server.url("/games"))
            .form(form)
            .send()
            .await
            .unwrap();
        let address = created.url().path().to_owned();
        let page = created.text().await.unwrap();
        assert_eq!(plain_words(&page), BTreeSet::new(), "{form:?}");
        queue.push_back(address);
        queue.extend(links(&page));
    }
    let mut seen = BTreeSet::new();
    let mut kinds: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    while let Some(link) = queue.pop_front() {
        let of_kind = kinds.entry(kind(&link)).or_default();
        if seen.len() == MAX_PAGES || *of_kind == 12 || !seen.insert(link.clone()) {
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
        // Some game ids consist of letters only.
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
fn plain_text_is_found_and_code_is_ignored() {
    let page = r#"<p title="Łóñĝ">ţwó <b>three</b><code>let</code><i lang="ru">Ok</i><svg aria-label="four"></svg>"#;
    let left: Vec<_> = plain_words(page).into_iter().collect();
    assert_eq!(left, ["four", "three"]);
    let longer = pseudo_localize("Your reinforcements have been placed.")
        .chars()
        .count();
    assert_eq!(longer, 37 + 12, "two fifths of its letters");
}
