//! Texts: each is defined once, used, and has the right plural form.

use std::fs;
use std::path::Path;

use dice_of_doom::templates::game::GameView;
use dice_of_doom::templates::page::NavSection;
use dice_of_doom::templates::prompt::Prompt;
use dice_of_doom::templates::{Language, game_page};

use crate::templates::samples::boards::idle_board;
use crate::templates::samples::dice::game;
use crate::templates::samples::pages::page;
use crate::templates::samples::{site, text, text_in};

/// The English texts of the platform and of the built-in games.
const ENGLISH_SOURCES: [&str; 4] = [
    include_str!("../../../templates/text/en.ftl"),
    include_str!("../../../templates/text/fair.en.ftl"),
    include_str!("../../../templates/text/dice.en.ftl"),
    include_str!("../../../templates/text/trilobite.en.ftl"),
];

/// Appends all source files below a folder.
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
fn every_text_is_used_and_every_used_text_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = fs::read_to_string(root.join("src/terminal.rs")).expect("a source file");
    for folder in [
        "templates",
        "src/terminal",
        "src/games",
        "src/site",
        "src/http",
    ] {
        read_sources(&root.join(folder), &mut sources);
    }
    let written = ENGLISH_SOURCES.concat();
    let keys: Vec<_> = written
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|line| line.split(" =").next())
        .collect();
    for key in &keys {
        assert!(text().has(key), "{key} cannot be parsed");
        let is_used = key.starts_with("level-")
            || key.starts_with("error-")
            || key.starts_with("set-")
            || [
                "learn-",
                "levels-at-",
                "log-empty-",
                "month-",
                "phrase-",
                "puzzle-task-",
                "puzzle-theme-",
                "switch-",
            ]
            .iter()
            .any(|prefix| key.starts_with(prefix))
            || sources.contains(&format!("\"{key}\""));
        assert!(is_used, "{key} is never used");
    }
    let literals = sources.split('"').skip(1).step_by(2);
    for prefix in ["text.get(", "get_with(", "say(", "LocalizedMessage::new("] {
        for rest in sources.split(prefix).skip(1) {
            let Some(key) = rest
                .trim_start()
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            assert!(text().has(key), "{key} is not defined");
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
            "{literal} is not defined"
        );
    }
}

#[test]
fn a_missing_text_shows_its_key() {
    assert_eq!(text().get("no-such-sentence"), "no-such-sentence");
}

#[test]
fn every_key_is_unique() {
    let written = ENGLISH_SOURCES.concat();
    let mut names: Vec<_> = written
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| Some(line.split_once(" =")?.0))
        .collect();
    names.sort_unstable();
    let duplicates: Vec<_> = names.windows(2).filter(|two| two[0] == two[1]).collect();
    assert!(duplicates.is_empty(), "{duplicates:?}");
}

#[test]
fn the_number_of_watchers_has_the_right_plural_form() {
    let page = |language, watchers| {
        let view = GameView {
            watchers,
            ..game(Prompt::Waiting { player: 2 }, idle_board())
        };
        game_page(&site(NavSection::Play), text_in(language), &view).into_string()
    };
    let russian = page(Language::Russian, 2);
    assert!(russian.contains("<b>2</b> зрителя"), "{russian}");
    for attribute in [
        r#"data-one="|| зритель""#,
        r#"data-few="|| зрителя""#,
        r#"data-other="|| зрителей""#,
    ] {
        assert!(russian.contains(attribute), "{attribute}");
    }
    // If all plural forms are equal, the page does not repeat them.
    let english = page(Language::English, 2);
    assert!(english.contains("<b>2</b> watching") && !english.contains("|| watching"));
}

#[test]
fn singular_forms_differ_from_plural_forms() {
    let page = page("columns");
    assert!(!page.contains("<b>1</b><i> chips</i>"));
    let found = text().get_with("players-dice", &[("count", 1u8.into())]);
    assert_eq!(found, "|1| die");
    let found = text().get_with("players-chips", &[("count", 1u8.into())]);
    assert_eq!(found, "|1| chip");
}
