//! Boards of dice: their labels, the equivalence of both drawings, and standalone images.

use dice_of_doom::templates::dice_of_doom::{HexBoardView, HexState, HexView};
use dice_of_doom::templates::game::GameView;
use dice_of_doom::templates::page::NavSection;
use dice_of_doom::templates::prompt::Prompt;
use dice_of_doom::templates::{board_svg, game_page};

use crate::common::Page;
use crate::templates::samples::boards::{choosing_target, idle_board};
use crate::templates::samples::dice::{confirming, game, sized_game, target_chosen};
use crate::templates::samples::pages::{game_shown, game_shown_with, page};
use crate::templates::samples::{site, site_with, text};

#[test]
fn a_full_board_with_twenty_log_entries_is_small() {
    let size = page("game").len();
    assert!(size < 50 * 1024, "{size} bytes");
}

#[test]
fn the_board_describes_the_legal_actions() {
    let page = page("game");
    assert!(page.contains(r#"href="/g/abcdefgh?from=13&amp;to=18" data-from="13" data-to="18" data-marks="h13 h18" aria-label="Hex 18, Purple, 2 dice, attack, 78% chance; next to 12, 13, 17, 19, 23 and 24""#));
    assert!(page.contains(r#"aria-label="Hex 16, yours, 3 dice, choose to attack from; next to 10, 11, 15, 17, 21 and 22""#));
    assert!(page.contains("Choose a target for your 3 dice"));
    assert!(page.has("input[type=hidden][name=pass][value='1']"));
    assert!(page.contains("+7 dice"));
    assert_eq!(page.count("[name=to]"), 6);
}

#[test]
fn a_board_image_is_standalone() {
    let picture = Page(board_svg(&idle_board()).into_string());
    assert!(picture.starts_with("<svg xmlns="));
    for foreign in ["<style", "class=", "var(", "href=\"/", "<script"] {
        assert!(!picture.contains(foreign), "{foreign}");
    }
    // The radii of pips are attributes, because there is no style sheet.
    assert!(picture.has("circle") && !picture.has("circle:not([r])"));
}

#[test]
fn unusual_values_do_not_panic() {
    for side in [0, 1, 2, 8, 255] {
        let hexes = vec![
            HexView {
                owner: 250,
                dice: 255,
                state: HexState::Target {
                    odds: Some(f64::NAN)
                },
                ..HexView::default()
            };
            3
        ];
        let board = HexBoardView {
            hint_arrows: Vec::new(),
            mentioned: None,
            side,
            max_dice: 0,
            hexes,
            last_attack: Some((255, 0)),
            attack_to_confirm: None,
        };
        let view = GameView {
            players: Vec::new(),
            ..game(Prompt::Waiting { player: 200 }, board.clone())
        };
        let _ = game_page(&site(NavSection::Play), text(), &view);
        let _ = board_svg(&board);
    }
}

/// The role, name and order of all elements of a board, as a screen reader reports them.
fn accessibility_tree(view: &GameView, settings: &str) -> String {
    let elements = game_shown_with(settings, view).map("svg.board, svg.board *", |element| {
        let attribute = |name| element.attr(name);
        let role = match element.value().name() {
            // Such a link only extends the clickable area of its hex, which is a link itself.
            "a" if attribute("tabindex") == Some("-1") => None,
            "a" => Some("link"),
            "title" | "desc" => {
                let words: String = element.text().collect();
                return match words.is_empty() {
                    true => words,
                    false => format!("- text: {words}\n"),
                };
            }
            _ => attribute("role"),
        };
        let line = |role| {
            format!(
                "- {role}: {}\n",
                attribute("aria-label").unwrap_or_default()
            )
        };
        role.map_or(String::new(), line)
    });
    elements.concat()
}

#[test]
fn both_drawings_have_the_same_accessible_content() {
    for view in [target_chosen(), sized_game(2, 3), sized_game(8, 8)] {
        let piles = accessibility_tree(&view, "");
        assert_eq!(accessibility_tree(&view, "board-flat"), piles);
    }
    let small = accessibility_tree(&sized_game(2, 3), "board-flat");
    let expect = "\
- group: 
- text: The board
- text: 2 by 2 hexes. Hexes are numbered from the back left, row by row.
- link: Hex 0, Blue, 1 die, attack, 9% chance; next to 1, 2 and 3
- link: Hex 1, Blue, 3 dice, attack, 26% chance; next to 0 and 3
- link: Hex 2, Purple, 3 dice, attack, 43% chance; next to 0 and 3
- link: Hex 3, yours, 2 dice, chosen; press again to choose another hex; next to 0, 1 and 2
";
    assert_eq!(small, expect);
}

#[test]
fn flat_boards_have_the_same_links_and_marks() {
    for (side, dice) in [(2, 3), (3, 3), (5, 5), (8, 8)] {
        let view = sized_game(side, dice);
        let [piles, flat] = ["", "board-flat"].map(|settings| game_shown_with(settings, &view));
        // Flat tiles do not overlap, so they need no extra clickable areas.
        assert!(piles.has("g.tops") && !flat.has(".tops"));
        for mark in [
            "[href^='/g/']",
            ".hex[id]",
            "[data-from]",
            "[data-x]",
            ".chip",
            ".num[class*=' p']",
        ] {
            let on_tops = piles.count(&format!("g.tops {mark}"));
            let found = flat.count(mark);
            assert_eq!(found, piles.count(mark) - on_tops, "{side}: {mark}");
        }
        assert_eq!(flat.count(".big"), usize::from(side).pow(2));
        assert!(!flat.has("use[href^='#die']"), "{side}");
        assert_eq!(flat.count("[href='#frl']"), 2, "{side}: the last attack");
        assert!(flat.len() < piles.len(), "{side}");
    }
    assert!(page("flat").len() < 48 * 1024);
}

#[test]
fn without_odds_game_pages_contain_no_percentages() {
    for board in ["book", "flat"] {
        for view in [target_chosen(), confirming()] {
            let site = site_with(&format!("odds-off.board-{board}"), NavSection::Play);
            let page = Page(game_page(&site, text(), &view).into_string());
            let main = page.part("main");
            assert!(!main.contains('%') && !main.has(".chip"), "{board}");
        }
    }
}

#[test]
fn the_hexes_of_an_attack_are_marked() {
    let page = page("game");
    assert!(page.contains(r#"<button class="btn" data-marks="h13 h18">"#));
    assert!(page.contains(r#"tabindex="-1" data-marks="h13 h18" data-from="13" data-to="18""#));
    let view = HexBoardView {
        attack_to_confirm: Some((13, 18)),
        ..choosing_target()
    };
    let confirmation = game_shown(&game(Prompt::Replay, view));
    assert_eq!(confirmation.count(".ask[transform]"), 2);
}

#[test]
fn boards_have_their_display_switches() {
    let page = page("game");
    for switch in [
        r#"name="board" value="book" aria-pressed="true">Piles<"#,
        r#"name="board" value="flat" aria-pressed="false">Flat<"#,
        r#"name="odds" value="off" aria-pressed="true""#,
        r#"name="coordinates" value="on" aria-pressed="false""#,
        r#"name="theme" value="dark""#,
        r#"<input type="hidden" name="next" value="/g/abcdefgh">"#,
    ] {
        assert!(page.contains(switch), "{switch}");
    }
    let columns = self::page("columns");
    assert!(columns.has("[name=theme]") && !columns.contains(r#"name="odds" value"#));
}
