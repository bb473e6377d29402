//! Diagrams of the rules page: small boards, drawn by the same code as all boards.

use maud::{Markup, html};

use super::rules::chance;
use super::{HexBoardView, HexState, HexView, board};
use crate::localization::Translations;
use crate::preferences::DisplayOptions;

/// An attack: a selected pile, and the odds against its neighbours.
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
    board.hexes[4].state = HexState::Selected;
    for target in [0, 1, 3, 7, 8] {
        let hex = &mut board.hexes[target];
        let odds = chance(4, hex.dice);
        hex.state = HexState::Target { odds: Some(odds) };
    }
    diagram(text, &board, "lesson-attack-board", "lesson-attack")
}

/// Where new dice come from, and where they are placed.
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
    diagram(text, &board, "lesson-dice-board", "lesson-dice")
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
    diagram(text, &board, "lesson-stuck-board", "lesson-stuck")
}

fn diagram(text: &Translations, board: &HexBoardView, label: &str, caption: &str) -> Markup {
    // The captions mention piles and odds, so that the diagrams ignore the viewer's preferences.
    let display = DisplayOptions {
        language: text.language(),
        ..DisplayOptions::default()
    };
    let picture = board::picture(&display, board, &text.get(label), None);
    html! {
        figure.diagram {
            div.bd { (picture) }
            figcaption { (text.get(caption)) }
        }
    }
}

/// A board of nine hexes: owner and dice of each, from the back left.
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
