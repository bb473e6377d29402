//! Turns of Dice of Doom: attacks, waiting, the end of a turn, and the summary of the plies since the last one.

use std::sync::Arc;

use dice_of_doom::templates::dice_of_doom::controls::{AttackConfirmation, AttackView};
use dice_of_doom::templates::game::GameView;

use crate::templates::samples::dice::{confirm, game_without_dice};
use crate::templates::samples::pages::{game_shown, page};

#[test]
fn a_queued_computer_shows_its_position_in_the_queue() {
    let page = page("queued");
    assert!(page.contains("<h1>Blue is in the queue</h1>"));
    assert!(page.contains("12 other games come first."));
    assert!(page.has("[data-ahead='12']"));
    assert!(!self::page("waiting").has("[data-ahead]"));
}

#[test]
fn without_rolls_pages_show_no_probabilities() {
    let page = page("plain");
    let main = page.part("main");
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
    let confirm = game_shown(&confirm);
    assert!(confirm.contains("3 dice against 1: it will be yours."));
}

#[test]
fn the_log_consists_of_sentences() {
    let page = page("game");
    assert!(page.contains("You attack <b>23 → 17</b> with 3 against 2: 12 to 7, <b>captured</b>."));
    assert!(page.contains("Purple ends the turn: <b>+7</b> dice."));
    assert!(page.has("[href='/g/abcdefgh/132']"));
}

#[test]
fn waiting_pages_refresh_without_scripts() {
    let page = page("waiting");
    let found = page.attr("noscript > meta[http-equiv=refresh]", "content");
    assert_eq!(found, "2");
    assert!(page.contains("Refresh"));
    assert!(page.has("[data-refresh]"));
}

#[test]
fn a_confirmed_attack_is_one_focused_button() {
    let page = page("confirm");
    assert!(page.has("[name=to][value='18'] + button.btn.main[autofocus]"));
    assert_eq!(page.count("[name=to]"), 1);
}

#[test]
fn the_end_turn_button_describes_its_effect() {
    for row in [
        "end-dice | End turn +7 dice for your largest cluster, 7 hexes",
        "end-room | End turn +4 dice, no room for 3 more for your largest cluster, 7 hexes",
        "end-alone | End turn no hex of yours can attack +4 dice for your largest cluster, 7 hexes; no room for 3 more",
        "end-wins | End the game you win 12–10 Blue’s lone die cannot attack.",
        "end-loses | End the game Green wins 12–10 Blue’s lone die cannot attack. You can still attack, from 3 hexes.",
        "end-asks | Keep attacking Esc End the game",
    ] {
        let (page, expected) = row.split_once(" | ").unwrap();
        let words = self::page(page).map(".acts", |corner| {
            let words = corner.text().flat_map(str::split_whitespace);
            words.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(words, [expected], "{page}");
    }
}

#[test]
fn ending_a_lost_game_needs_confirmation() {
    let (wins, loses, asks) = (page("end-wins"), page("end-loses"), page("end-asks"));
    let form = "[name=pass]";
    assert!(wins.has(form) && !wins.has(".two.stop"));
    let end = "#end.btn.main.two.stop[href='/g/abcdefgh?end=1'][data-key=e]";
    assert!(!loses.has(form) && loses.has(end));
    assert!(asks.has(form) && asks.has("[data-back]"));
    assert!(asks.contains(
        "Green wins 12–10 if the game ends now. Take two more hexes from Green and you would win."
    ));
    assert!(!asks.has("[data-key]"), "one key must not end it twice");
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
    assert_eq!(page.count(".was.p0[href='#was']"), 5);
    // The dice of the last attack are behind the card.
    assert!(page.contains("The last attack"));
    assert!(self::page("since-start").contains("<h2>Since the start</h2>"));
}
