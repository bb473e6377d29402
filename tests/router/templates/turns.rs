//! Turns of Dice of Doom: attacks, waiting, the end of a turn, and the summary of the plies since the last one.

use std::sync::Arc;

use dice_of_doom::templates::dice_of_doom::controls::{AttackConfirmation, AttackView};
use dice_of_doom::templates::game_page;
use dice_of_doom::templates::view::{GameView, NavSection};

use crate::templates::samples::dice::{confirm, game_without_dice};
use crate::templates::samples::pages::page;
use crate::templates::samples::{site, text};

#[test]
fn a_queued_computer_shows_its_position_in_the_queue() {
    let page = page("queued");
    assert!(page.contains("<h1>Blue is in the queue</h1>"));
    assert!(page.contains("12 other games come first."));
    assert!(page.contains(r#"data-ahead="12""#));
    assert!(!self::page("waiting").contains("data-ahead"));
}

#[test]
fn without_rolls_pages_show_no_probabilities() {
    let page = page("plain");
    let main = page.split("<main ").nth(1).expect("the page has a main");
    assert!(!main.contains('%'), "no chances");
    assert!(main.contains(r#"aria-label="Hex 1, Blue, 1 die, attack; next to "#));
    assert!(main.contains("3 dice beat 1"));
    assert!(main.contains("You take <b>17</b> from 23, with 3 against 1."));
    assert!(main.contains("for the dice you captured, less one"));
    let attack = AttackView {
        from: 0,
        to: 1,
        odds: None,
    };
    let confirm = GameView {
        prompt: confirm(attack, (3, 1)),
        primary_action: Some(Arc::new(AttackConfirmation(attack))),
        buttons: None,
        ..game_without_dice()
    };
    let confirm = game_page(&site(NavSection::Play), text(), &confirm).into_string();
    assert!(confirm.contains("3 dice against 1: it will be yours."));
}

#[test]
fn the_log_consists_of_sentences() {
    let page = page("game");
    assert!(page.contains("You attack <b>23 → 17</b> with 3 against 2: 12 to 7, <b>captured</b>."));
    assert!(page.contains("Purple ends the turn: <b>+7</b> dice."));
    assert!(page.contains(r#"href="/g/abcdefgh/132""#));
}

#[test]
fn waiting_pages_refresh_without_scripts() {
    let page = page("waiting");
    assert!(page.contains(r#"<noscript><meta http-equiv="refresh" content="2"></noscript>"#));
    assert!(page.contains("Refresh"));
    assert!(page.contains("data-refresh"));
}

#[test]
fn a_confirmed_attack_is_one_focused_button() {
    let page = page("confirm");
    assert!(page.contains(r#"name="to" value="18"><button class="btn main" autofocus>"#));
    assert_eq!(page.matches(r#"name="to""#).count(), 1);
}

/// The text of the primary action's corner, without tags.
fn corner(name: &str) -> String {
    let page = page(name);
    let corner = page.split("class=\"acts").nth(1).expect("a corner");
    let corner = corner.split("</div>").next().expect("it ends");
    let texts = corner.split('<').filter_map(|tag| tag.split_once('>'));
    let words: Vec<_> = texts
        .flat_map(|(_, words)| words.split_whitespace())
        .collect();
    words.join(" ")
}

#[test]
fn the_end_turn_button_describes_its_effect() {
    for (page, expected) in [
        (
            "end-dice",
            "End turn +7 dice for your largest cluster, 7 hexes",
        ),
        (
            "end-room",
            "End turn +4 dice, no room for 3 more for your largest cluster, 7 hexes",
        ),
        (
            "end-alone",
            "End turn no hex of yours can attack +4 dice for your largest cluster, 7 hexes; no room for 3 more",
        ),
        (
            "end-wins",
            "End the game you win 12–10 Blue’s lone die cannot attack.",
        ),
        (
            "end-loses",
            "End the game Green wins 12–10 Blue’s lone die cannot attack. You can still attack, from 3 hexes.",
        ),
        ("end-asks", "Keep attacking Esc End the game"),
    ] {
        assert_eq!(corner(page), expected, "{page}");
    }
}

#[test]
fn ending_a_lost_game_needs_confirmation() {
    let (wins, loses, asks) = (page("end-wins"), page("end-loses"), page("end-asks"));
    let form = r#"name="pass""#;
    assert!(wins.contains(form) && !wins.contains("two stop"));
    assert!(
        !loses.contains(form)
            && loses.contains(
                r#"class="btn main two stop" id="end" href="/g/abcdefgh?end=1" data-key="e""#
            )
    );
    assert!(asks.contains(form) && asks.contains("data-back"));
    assert!(asks.contains(
        "Green wins 12–10 if the game ends now. Take two more hexes from Green and you would win."
    ));
    assert!(!asks.contains("data-key"), "one key must not end it twice");
}

#[test]
fn the_turn_summary_lists_losses_and_can_be_dismissed() {
    let page = page("since");
    for text in [
        "<h2>Since your turn</h2>",
        "<b>−5</b> hexes",
        "<b>+6</b> new dice, <b>9</b> lost",
        r#"href="/g/abcdefgh/121" data-marks="h1 h2 h5""#,
        "<b>Green</b> took 3",
        "<b>Purple</b> took 2",
        r##"<a class="again" href="/g/abcdefgh/112#play">"##,
        r#"type="checkbox""#,
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches(r##"class="was p0" href="#was""##).count(), 5);
    // The dice of the last attack are behind the card.
    assert!(page.contains("The last attack"));
    assert!(self::page("since-start").contains("<h2>Since the start</h2>"));
}
