//! Forms: new games of both kinds, with their levels, and the settings.

use dice_of_doom::templates::dice_of_doom::form::{DiceForm, PresetDefaults};
use dice_of_doom::templates::levels::level_about;
use dice_of_doom::templates::page::Component;
use dice_of_doom::templates::start_page;
use dice_of_doom::templates::view::{DisplayOptions, NavSection, UserPreferences};

use crate::templates::samples::pages::page;
use crate::templates::samples::start::{LEVELS, start};
use crate::templates::samples::{site, text};

#[test]
fn every_level_can_be_selected_and_has_a_description() {
    let page = start_page(&site(NavSection::Play), text(), &start(true)).into_string();
    for (game, selects) in [("dice", 6), ("trilobite", 2)] {
        let (_, fields) = page
            .split_once(&format!("fieldset class=\"of of-{game}\""))
            .unwrap();
        let fields = fields.split("<fieldset class=\"of ").next().unwrap();
        for level in LEVELS {
            let option = format!(r#"<option value="{level}""#);
            assert_eq!(fields.matches(&option).count(), selects, "{game}: {level}");
            let about = format!("<dd>{}</dd>", level_about(text(), game, level));
            assert_eq!(fields.matches(&about).count(), 1, "{game}: {about}");
            assert!(!about.contains("level-"), "{about}");
        }
    }
}

#[test]
fn the_form_has_the_fields_of_both_games() {
    let dice = page("start");
    assert!(dice.contains(r#"<input type="radio" name="game" value="dice" checked>"#));
    assert_eq!(dice.matches(r#"name="seats""#).count(), 6);
    assert_eq!(dice.matches(r#"name="chips""#).count(), 2);
    assert!(dice.contains(
        r#"<form class="second" method="post" action="/games"><input type="hidden" name="game" value="trilobite">"#
    ));
    let chips = page("start-chips");
    assert!(chips.contains(r#"<input type="radio" name="game" value="trilobite" checked>"#));
    assert!(chips.contains("A board has at least one column"));
    for (name, value) in [
        ("width", r#" value="200""#),
        ("height", ""),
        ("win", r#" value="5""#),
    ] {
        let field = chips
            .split("<input ")
            .find(|field| field.contains(&format!(r#"name="{name}""#)))
            .expect("the field is there");
        let field = field.split('>').next().expect("it ends");
        assert!(field.contains(value), "{field}");
        assert_eq!(field.contains(" value="), !value.is_empty(), "{field}");
    }
    // Both seats are human, and the options are the levels that were given.
    let seats: Vec<_> = chips.split(r#"name="chips""#).skip(1).collect();
    for seat in seats {
        let seat = seat.split("</select>").next().expect("it ends");
        assert!(seat.contains(r#"<option value="human" selected>"#));
        assert!(seat.contains(r#"<option value="exact">Exact</option>"#));
    }
    assert_eq!(chips.matches(r#"value="exact""#).count(), 2);
}

#[test]
fn the_form_offers_seats_by_link_and_private_games() {
    let page = page("start-form");
    assert_eq!(
        page.matches("<option value=\"open\">A person, by link")
            .count(),
        8
    );
    for field in [
        "name=\"private\"",
        "name=\"replace_after\"",
        "name=\"name\"",
    ] {
        assert_eq!(page.matches(field).count(), 1, "{field}");
    }
    assert!(page.contains("after 5 minutes without a move"));
    assert!(page.contains("after a day without a move"));
    assert!(page.contains("Games to watch"));
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
            let input = format!(r#"name="{}" value="{word}""#, choice.name);
            // The footer also offers the other languages.
            let is_in_footer = choice.name == "language" && !["auto", "en"].contains(word);
            let count = 1 + usize::from(is_in_footer);
            assert_eq!(page.matches(&input).count(), count, "{input}");
            chosen += page.matches(&format!("{input} checked")).count();
        }
    }
    assert_eq!(chosen, 12);
    assert!(page.contains(r#"name="theme" value="dark" checked"#));
    assert!(page.contains(r#"<button class="btn" name="next" value="/g/abc">"#));
    assert!(
        page.contains(
            r#"<html lang="en" data-theme="dark" data-colours="okabe" data-board="flat">"#
        )
    );
    for kind in ["board still", "board flat still"] {
        assert!(
            page.contains(&format!("class=\"{kind} choosing\"")),
            "{kind}"
        );
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
