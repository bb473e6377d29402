//! Forms: new games of both kinds, with their levels, and the settings.

use dice_of_doom::templates::dice_of_doom::form::{DiceForm, PresetDefaults};
use dice_of_doom::templates::levels::level_about;
use dice_of_doom::templates::page::Component;
use dice_of_doom::templates::preferences::{DisplayOptions, UserPreferences};

use crate::common::assert_contains;
use crate::templates::samples::pages::page;
use crate::templates::samples::start::LEVELS;
use crate::templates::samples::text;

#[test]
fn every_level_can_be_selected_and_has_a_description() {
    let page = page("start-form");
    for (game, selects) in [("dice", 6), ("trilobite", 2)] {
        let fields = page.part(&format!("fieldset.of.of-{game}"));
        for level in LEVELS {
            let options = fields.count(&format!("option[value={level}]"));
            assert_eq!(options, selects, "{game}: {level}");
            let about = level_about(text(), game, level);
            let abouts = fields.texts("dd");
            let count = abouts.iter().filter(|text| **text == *about).count();
            assert_eq!(count, 1, "{game}: {about}");
            assert!(!about.contains("level-"), "{about}");
        }
    }
}

#[test]
fn the_form_has_the_fields_of_both_games() {
    let dice = page("start-form");
    let actual = dice.attrs("[type=radio][name=game][checked]", "value");
    assert_eq!(actual, ["dice"]);
    assert_eq!(dice.count("[name=seats]"), 6);
    assert_eq!(dice.count("[name=chips]"), 2);
    let chips = page("start-chips");
    let actual = chips.attrs("[type=radio][name=game][checked]", "value");
    assert_eq!(actual, ["trilobite"]);
    assert!(chips.contains("A board has at least one column"));
    for (name, value) in [("width", Some("200")), ("height", None), ("win", Some("5"))] {
        let found = chips.attrs(&format!("input[name={name}]"), "value");
        assert_eq!(found.first().map(String::as_str), value, "{name}");
    }
    // Both seats are human, and the options are the levels that were given.
    let chosen = chips.attrs("select[name=chips] option[selected]", "value");
    assert_eq!(chosen, ["human"; 2]);
    let actual = chips.texts("select[name=chips] option[value=exact]");
    assert_eq!(actual, ["Exact"; 2]);
    assert_eq!(chips.count("[value=exact]"), 2);
}

#[test]
fn the_form_offers_seats_by_link_and_private_games() {
    let page = page("start-form");
    let open = page.texts("option[value=open]");
    let by_link = open
        .iter()
        .filter(|text| text.starts_with("A person, by link"));
    assert_eq!(by_link.count(), 8);
    for field in ["private", "replace_after", "name"] {
        assert_eq!(page.count(&format!("[name={field}]")), 1, "{field}");
    }
    assert!(page.contains("after 5 minutes without a move"));
    assert_contains(&page, &["after a day without a move"]);
}

#[test]
fn settings_offer_every_option_and_show_the_selected_ones() {
    let page = page("settings-dark");
    let mut chosen = 0;
    for choice in UserPreferences::default().choices() {
        assert!(text().has(&format!("set-{}", choice.name)));
        for word in choice.values {
            // Languages have their native names.
            let is_language = choice.name == "language" && *word != "auto";
            assert!(
                is_language || text().has(&format!("set-{}-{word}", choice.name)),
                "{word}"
            );
            let input = format!("[name={}][value='{word}']", choice.name);
            // The footer also offers the other languages.
            let is_in_footer = choice.name == "language" && !["auto", "en"].contains(word);
            let count = 1 + usize::from(is_in_footer);
            assert_eq!(page.count(&input), count, "{input}");
            chosen += page.count(&format!("{input}[checked]"));
        }
    }
    assert_eq!(chosen, 14);
    assert!(page.has("[name=theme][value=dark][checked]"));
    assert!(page.has("button.btn[name=next][value='/g/abc']"));
    let root = "html[lang=en][data-theme=dark][data-colours=okabe][data-board=flat]";
    assert!(page.has(root));
    for kind in ["board still choosing", "board flat still choosing"] {
        assert!(page.has(&format!("[class='{kind}']")), "{kind}");
    }
}

#[test]
fn the_default_numbers_are_those_of_the_selected_rules() {
    let form_with = |rules: &str| {
        let numbers = |rules, size, players, max_dice| PresetDefaults {
            rules,
            size,
            players,
            max_dice,
        };
        let form = DiceForm {
            rules: rules.into(),
            defaults: vec![numbers("v4", 5, 4, 5), numbers("v1", 2, 2, 3)],
            ..DiceForm::default()
        };
        form.draw(text(), &DisplayOptions::default()).into_string()
    };
    let book = form_with("v4");
    for default_option in [
        "5 × 5 (default)</option>",
        "4 (default)</option>",
        "5 (default)</option>",
    ] {
        assert!(book.contains(default_option), "{book}");
    }
    assert!(book.contains(r#"data-usual="v4=5 × 5 (default);v1=2 × 2 (default)""#));
    assert!(form_with("v1").contains("2 × 2 (default)</option>"));
}
