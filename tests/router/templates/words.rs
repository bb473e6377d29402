//! The sentences: each is written once, said somewhere and right for its number.

use std::fs;
use std::path::Path;

use dice_of_doom::templates::view::{GameView, NavSection, Prompt};
use dice_of_doom::templates::{Language, game_page};

use crate::templates::samples::boards::resting;
use crate::templates::samples::dice::game;
use crate::templates::samples::pages::page;
use crate::templates::samples::{site, text, text_in};

/// Every word: the platform's and those of the house's games.
const WRITTEN: [&str; 4] = [
    include_str!("../../../templates/text/en.ftl"),
    include_str!("../../../templates/text/fair.en.ftl"),
    include_str!("../../../templates/text/dice.en.ftl"),
    include_str!("../../../templates/text/trilobite.en.ftl"),
];

/// Appends every source file below a folder.
fn read_sources(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("sources are there") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *sources += &fs::read_to_string(path).expect("a source file");
        }
    }
}

#[test]
fn every_sentence_is_used_and_every_used_one_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = fs::read_to_string(root.join("src/terminal.rs")).expect("a source file");
    for folder in ["templates", "src/terminal", "src/game_adapters", "src/web"] {
        read_sources(&root.join(folder), &mut sources);
    }
    let written = WRITTEN.concat();
    let keys: Vec<_> = written
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|line| line.split(" =").next())
        .collect();
    for key in &keys {
        assert!(text().has(key), "{key} cannot be parsed");
        let said = key.starts_with("level-")
            || key.starts_with("error-")
            || key.starts_with("set-")
            || ["levels-at-", "log-empty-", "switch-", "month-"]
                .iter()
                .any(|prefix| key.starts_with(prefix))
            || sources.contains(&format!("\"{key}\""));
        assert!(said, "{key} is never said");
    }
    let literals = sources.split('"').skip(1).step_by(2);
    for prefix in ["say(", "say_with(", "Said::new("] {
        for rest in sources.split(prefix).skip(1) {
            let Some(key) = rest
                .trim_start()
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            assert!(text().has(key), "{key} is not written");
        }
    }
    let prefixes = [
        "form-", "notice-", "over-", "book-", "rules-", "roll-", "log-", "card-", "table-",
        "confirm-", "api-", "nav-",
    ];
    for literal in literals.filter(|literal| {
        prefixes.iter().any(|prefix| literal.starts_with(prefix))
            && !literal.contains([' ', '{', '.', '#'])
    }) {
        assert!(
            text().has(literal) || literal.ends_with('-'),
            "{literal} is not written"
        );
    }
}

#[test]
fn a_missing_sentence_shows_its_key() {
    assert_eq!(text().get("no-such-sentence"), "no-such-sentence");
}

#[test]
fn every_sentence_has_a_name_of_its_own() {
    let written = WRITTEN.concat();
    let mut names: Vec<_> = written
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| Some(line.split_once(" =")?.0))
        .collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|two| two[0] == two[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn watchers_have_the_words_of_their_number() {
    let page = |language, watchers| {
        let view = GameView {
            watchers,
            ..game(Prompt::Waiting { player: 2 }, resting())
        };
        game_page(&site(NavSection::Play), text_in(language), &view).into_string()
    };
    let russian = page(Language::Russian, 2);
    assert!(russian.contains("<b>2</b> зрителя"), "{russian}");
    for words in [
        r#"data-one="|| зритель""#,
        r#"data-few="|| зрителя""#,
        r#"data-other="|| зрителей""#,
    ] {
        assert!(russian.contains(words), "{words}");
    }
    // Where the words are the same for all numbers, the page does not repeat them.
    let english = page(Language::English, 2);
    assert!(english.contains("<b>2</b> watching") && !english.contains("|| watching"));
}

#[test]
fn one_of_a_thing_is_not_many() {
    let page = page("columns");
    assert!(!page.contains("<b>1</b><i> chips</i>"));
    assert_eq!(
        text().get_with("players-dice", &[("count", 1u8.into())]),
        "die"
    );
    assert_eq!(
        text().get_with("players-chips", &[("count", 1u8.into())]),
        "chip"
    );
}
