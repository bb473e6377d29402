//! The pictures of the rules page: small boards, drawn by the code that draws every board.

use maud::{Markup, html};

use super::rules::chance;
use super::{HexBoardView, HexState, HexView, board};
use crate::localization::Translations;
use crate::preferences::DisplayOptions;

/// An attack: a chosen pile, and the odds of its neighbours.
pub(super) fn attack(text: &Translations) -> Markup {
    let mut board = board([
        (1, 2),
        (2, 3),
        (2, 2),
        (1, 1),
        (0, 4),
        (0, 2),
        (0, 1),
        (2, 4),
        (1, 5),
    ]);
    board.hexes[4].state = HexState::Chosen;
    for target in [0, 1, 3, 7, 8] {
        let hex = &mut board.hexes[target];
        let odds = chance(4, hex.dice);
        hex.state = HexState::Target { odds: Some(odds) };
    }
    lesson(text, &board, "lesson-attack-board", "lesson-attack")
}

/// Where new dice come from, and where they go.
pub(super) fn new_dice(text: &Translations) -> Markup {
    let mut board = board([
        (1, 2),
        (2, 3),
        (0, 2),
        (0, 3),
        (0, 2),
        (1, 2),
        (0, 2),
        (0, 1),
        (2, 1),
    ]);
    for hex in [3, 4, 6, 7] {
        board.hexes[hex].in_cluster = true;
    }
    for hex in [2, 3, 4, 6] {
        board.hexes[hex].reinforced = 1;
    }
    lesson(text, &board, "lesson-dice-board", "lesson-dice")
}

/// A player who cannot attack.
pub(super) fn stuck(text: &Translations) -> Markup {
    let board = board([
        (1, 2),
        (1, 3),
        (2, 2),
        (0, 1),
        (1, 2),
        (2, 4),
        (0, 1),
        (0, 1),
        (2, 2),
    ]);
    lesson(text, &board, "lesson-stuck-board", "lesson-stuck")
}

fn lesson(text: &Translations, board: &HexBoardView, label: &str, caption: &str) -> Markup {
    // The pictures speak of piles and odds, whatever the reader chose for games.
    let look = DisplayOptions {
        language: text.language(),
        ..DisplayOptions::default()
    };
    let picture = board::picture(&look, board, &text.say(label));
    html! {
        figure.lesson {
            div.bd { (picture) }
            figcaption { (text.say(caption)) }
        }
    }
}

/// A board of nine hexes: the owner of each and its dice, from the back left.
fn board(hexes: [(u8, u8); 9]) -> HexBoardView {
    let hexes = hexes.map(|(owner, dice)| HexView {
        owner,
        dice,
        ..HexView::default()
    });
    HexBoardView {
        side: 3,
        max_dice: 5,
        hexes: hexes.to_vec(),
        last_attack: None,
        ..HexBoardView::default()
    }
}
