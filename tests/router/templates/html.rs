//! Properties of the HTML of every page.

use dice_of_doom::templates::game_fragment;
use dice_of_doom::templates::page::NavSection;

use crate::templates::samples::dice::target_chosen;
use crate::templates::samples::pages::{page, pages};
use crate::templates::samples::{site, text};

#[test]
fn no_page_has_inline_styles_or_scripts() {
    for (name, page) in pages() {
        assert!(!page.has("[style], style, [onclick]"), "{name}");
        let own = page.count("script[type=module][src$='.js']:empty");
        assert_eq!(page.count("script"), own, "{name}");
    }
}

#[test]
fn ids_are_unique() {
    for (name, page) in pages() {
        let mut ids = page.attrs("[id]", "id");
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name}");
    }
}

#[test]
fn every_page_has_one_heading_and_one_main_element() {
    for (name, page) in pages() {
        assert_eq!(page.count("h1"), 1, "{name}");
        assert_eq!(page.count("main"), 1, "{name}");
        assert!(page.count(".btn.main") <= 1, "{name}: one main button");
    }
}

#[test]
fn no_page_has_missing_values_or_isolation_marks() {
    for (name, page) in pages() {
        assert!(
            !page.contains(['\u{2068}', '\u{2069}']),
            "{name}: isolation marks"
        );
        assert!(
            !page.contains("{ $") && !page.contains("{$"),
            "{name}: a value is missing"
        );
    }
}

#[test]
fn names_are_escaped() {
    let page = page("waiting");
    assert!(page.contains("Ada &lt;script&gt;"));
    assert!(!page.contains("Ada <script>"));
}

#[test]
fn a_fragment_contains_only_title_and_main() {
    let fragment = game_fragment(&site(NavSection::Play), text(), &target_chosen()).into_string();
    assert!(fragment.starts_with("<title>Your turn · Dice of Doom</title><main id=\"main\""));
    assert!(fragment.ends_with("</main>"));
}
