//! The pages around the games: the start page, the list of games, the rules and the book's page.

use std::sync::Arc;

use dice_of_doom::templates::dice_of_doom::book_page::{
    BookLink, BookMessage, BookView, book_page,
};
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::page::NavSection;
use dice_of_doom::templates::start::{FeaturedGameView, StartView};
use dice_of_doom::templates::start_page;

use crate::common::{Page, assert_contains};
use crate::templates::samples::boards::idle_board;
use crate::templates::samples::dice::{attack_sentence, book};
use crate::templates::samples::pages::page;
use crate::templates::samples::start::start;
use crate::templates::samples::{site, text};

#[test]
fn the_book_page_has_the_messages_of_the_book() {
    let page = page("book");
    assert!(page.contains("On 5 dice rolled 21. On 1 dice rolled 6."));
    assert!(page.contains(
        r#"You may now <a href="/game.html?chosen=pass&amp;ply=3">pass</a> or make another move:"#
    ));
    let ended = BookView {
        messages: vec![BookMessage::Tie {
            players: vec![0, 1],
        }],
        link: Some(BookLink::PlayAgain("/game.html?chosen=NIL".into())),
        refresh: Some((1, "/game.html?chosen=NIL&ply=4".into())),
        ..book()
    };
    let page = Page(book_page(&site(NavSection::Elsewhere), text(), &ended).into_string());
    assert!(page.contains("The game is a tie between (a b)"));
    assert!(page.contains(">play again</a>"));
    assert!(page.contains(
        r#"<meta http-equiv="refresh" content="1;url=/game.html?chosen=NIL&amp;ply=4">"#
    ));
}

#[test]
fn the_rules_have_exact_odds_and_pictures_of_the_board() {
    let page = page("rules");
    for (class, cell, times) in [
        ("hi", ">99", 2),
        ("hi", "99", 1),
        ("lo", "1", 1),
        ("hi", "100", 0),
    ] {
        let cells = page.texts(&format!("td.{class}"));
        let count = cells.iter().filter(|text| *text == cell).count();
        assert_eq!(count, times, "{cell}");
    }
    assert_eq!(page.count("figure.diagram"), 3);
    assert_eq!(page.count("[role=img][aria-label^='A small board.']"), 3);
    assert!(page.contains("&gt;99%</text>") && page.contains("46%</text>"));
    assert_eq!(page.count("g.plus"), 4);
}

#[test]
fn cards_of_games_show_their_state() {
    let page = page("games");
    assert_contains(&page, &["v4, 5 × 5, turn 33", "v4, 5 × 5, 132 moves"]);
    assert!(
        page.contains(
            r#"<time datetime="2026-11-22T23:05:09Z">22 November 2026, 23:05 UTC</time>"#
        )
    );
    assert!(page.has(".mini"));
}

#[test]
fn the_start_page_shows_the_featured_game() {
    let shown = |event: Option<LocalizedMessage>, verdict: Option<LocalizedMessage>| {
        let onair = FeaturedGameView {
            id: "abcdefgh".into(),
            ply: 12,
            board: Arc::new(idle_board()),
            turn: LocalizedMessage::new("turn").with_value("turn", 11u8),
            event,
            verdict,
        };
        let view = StartView {
            featured: Some(onair),
            // Who has games sees the board of the day instead.
            games: Vec::new(),
            ..start()
        };
        Page(start_page(&site(NavSection::Play), text(), &view).into_string())
    };
    let page = shown(Some(attack_sentence("captured")), None);
    assert!(page.contains("<b>Now playing.</b> Turn 11: "), "{page}");
    assert_eq!(page.text("a.btn[href='/g/abcdefgh']"), "Watch");
    assert_eq!(page.count("#live"), 1);
    assert_eq!(page.matches("A game under way").count(), 1);
    assert!(shown(None, None).contains("Four computers have just sat down."));
    let verdict = LocalizedMessage::new("over-one")
        .with_player(2)
        .with_value("hexes", 12u8)
        .with_value("next", 10u8);
    let page = shown(None, Some(verdict));
    assert!(page.contains("<b>Just played.</b> Green wins 12–10"));
    assert!(page.contains(">View the game</a>"));
}
