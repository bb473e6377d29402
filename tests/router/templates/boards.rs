//! Boards of dice: their labels, the equivalence of both drawings, and standalone images.

use dice_of_doom::templates::dice_of_doom::{HexBoardView, HexState, HexView};
use dice_of_doom::templates::view::{GameView, NavSection, Prompt};
use dice_of_doom::templates::{board_svg, game_page};

use crate::templates::samples::boards::{choosing_target, idle_board};
use crate::templates::samples::dice::{confirming, game, sized_game, target_chosen};
use crate::templates::samples::pages::page;
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
    assert!(page.contains("Your 3 dice reach 6 hexes."));
    assert!(page.contains(r#"<input type="hidden" name="pass" value="1">"#));
    assert!(page.contains("+7 dice"));
    assert_eq!(page.matches(r#"name="to""#).count(), 6);
}

#[test]
fn a_board_image_is_standalone() {
    let picture = board_svg(&idle_board()).into_string();
    assert!(picture.starts_with("<svg xmlns="));
    for foreign in ["<style", "class=", "var(", "href=\"/", "<script"] {
        assert!(!picture.contains(foreign), "{foreign}");
    }
    // The radii of pips are attributes, because there is no style sheet.
    let mut circles = picture.split("<circle ").skip(1);
    assert!(circles.all(|circle| circle.starts_with("r=\"")));
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
    let page = game_page(&site_with(settings, NavSection::Play), text(), view).into_string();
    let from = page.find(r#"<svg class="board"#).expect("a board");
    let to = from + page[from..].find("</svg>").expect("closed");
    let mut out = String::new();
    for tag in page[from..to].split('<').skip(1) {
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()
        };
        let role = match tag.split([' ', '>']).next() {
            // Such a link only extends the clickable area of its hex, which is a link itself.
            Some("a") if attribute("tabindex") == Some("-1") => None,
            Some("a") => Some("link"),
            Some("title" | "desc") => {
                let words = tag.split('>').nth(1).unwrap_or_default();
                if !words.is_empty() {
                    out += &format!("- text: {words}\n");
                }
                None
            }
            _ => attribute("role"),
        };
        if let Some(role) = role {
            out += &format!(
                "- {role}: {}\n",
                attribute("aria-label").unwrap_or_default()
            );
        }
    }
    out
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
        let [piles, flat] = ["", "board-flat"].map(|settings| {
            game_page(&site_with(settings, NavSection::Play), text(), &view).into_string()
        });
        // Flat tiles do not overlap, so they need no extra clickable areas.
        assert!(!flat.contains("class=\"tops\""));
        let (before, tops) = piles.split_once("<g class=\"tops\"").expect("tops");
        let (_, after) = tops.split_once("</g>").expect("the end of the tops");
        let piles = format!("{before}{after}");
        for mark in [
            "href=\"/g/",
            " id=\"h",
            "data-from=",
            "data-x=",
            "class=\"chip",
            "class=\"num p",
        ] {
            assert_eq!(
                flat.matches(mark).count(),
                piles.matches(mark).count(),
                "{side}: {mark}"
            );
        }
        assert_eq!(
            flat.matches("class=\"big\"").count(),
            usize::from(side).pow(2)
        );
        assert!(!flat.contains("<use href=\"#die"), "{side}");
        assert_eq!(
            flat.matches("href=\"#frl\"").count(),
            2,
            "{side}: the last attack"
        );
        assert!(flat.len() < piles.len(), "{side}");
    }
    assert!(page("flat").len() < 48 * 1024);
}

#[test]
fn without_odds_game_pages_contain_no_percentages() {
    for board in ["book", "flat"] {
        for view in [target_chosen(), confirming()] {
            let site = site_with(&format!("odds-off.board-{board}"), NavSection::Play);
            let page = game_page(&site, text(), &view).into_string();
            let main = page.split("<main").nth(1).expect("a main part");
            assert!(
                !main.contains('%') && !main.contains("class=\"chip"),
                "{board}"
            );
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
    let confirmation =
        game_page(&site(NavSection::Play), text(), &game(Prompt::Replay, view)).into_string();
    assert_eq!(confirmation.matches(" ask\" transform").count(), 2);
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
    assert!(columns.contains(r#"name="theme""#) && !columns.contains(r#"name="odds" value"#));
}
