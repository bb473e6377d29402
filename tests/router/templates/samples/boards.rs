//! Boards of dice: the position of the design mock-up, idle or with choices, and boards of other sizes.

use dice_of_doom::templates::dice_of_doom::{HexBoardView, HexState, HexView};

/// The position of the mock-up: owner and dice of each hex.
#[rustfmt::skip]
const POSITION: [(u8, u8); 25] = [
    (3, 3), (2, 2), (2, 2), (1, 3), (1, 5),
    (2, 3), (1, 4), (1, 4), (2, 3), (1, 5),
    (3, 3), (2, 2), (2, 4), (0, 3), (1, 3),
    (0, 1), (0, 3), (0, 2), (3, 2), (3, 2),
    (0, 1), (3, 3), (0, 3), (0, 1), (0, 3),
];

pub(crate) fn idle_board() -> HexBoardView {
    let hexes = POSITION.map(|(owner, dice)| HexView {
        owner,
        dice,
        ..HexView::default()
    });
    HexBoardView {
        hint_arrows: Vec::new(),
        mentioned: None,
        side: 5,
        max_dice: 5,
        hexes: hexes.to_vec(),
        last_attack: Some((23, 17)),
        attack_to_confirm: None,
    }
}

pub(crate) fn choosing_source() -> HexBoardView {
    let mut board = idle_board();
    for hex in [13, 16, 17, 22, 24] {
        board.hexes[hex].state = HexState::Selectable;
        board.hexes[hex].href = Some(format!("/g/abcdefgh?from={hex}"));
    }
    for hex in [15, 16, 20] {
        board.hexes[hex].in_cluster = true;
    }
    board.hexes[15].reinforced = 1;
    board
}

pub(crate) fn choosing_target() -> HexBoardView {
    let mut board = choosing_source();
    board.hexes[13].state = HexState::Selected;
    board.hexes[13].href = Some("/g/abcdefgh".into());
    for (hex, odds) in [
        (7, 0.19),
        (8, 0.45),
        (12, 0.19),
        (14, 0.45),
        (18, 0.778),
        (19, 0.778),
    ] {
        board.hexes[hex].state = HexState::Target { odds: Some(odds) };
        board.hexes[hex].href = Some(format!("/g/abcdefgh?from=13&to={hex}"));
    }
    board
}

/// A board of this size with all numbers of dice, and a selected source in the middle whose neighbours are all
/// targets.
pub(crate) fn sized(side: u8, max_dice: u8) -> HexBoardView {
    let n = usize::from(side);
    let source = n * (n / 2) + n / 2;
    let near = |hex: usize| {
        let (dx, dy) = (
            (hex % n) as i32 - (source % n) as i32,
            (hex / n) as i32 - (source / n) as i32,
        );
        matches!(
            (dx, dy),
            (-1, -1) | (0, -1) | (1, 0) | (1, 1) | (0, 1) | (-1, 0)
        )
    };
    let hexes = (0..n * n).map(|hex| {
        let owner = if hex == source {
            0
        } else {
            (hex * 7 + hex / n) % 6
        } as u8;
        let owner = if near(hex) && owner == 0 { 1 } else { owner };
        let state = match () {
            () if hex == source => HexState::Selected,
            () if near(hex) => HexState::Target {
                odds: Some(((hex * 17 + 9) % 100) as f64 / 100.0),
            },
            () if owner == 0 && hex % 2 == 0 => HexState::Selectable,
            () => HexState::Idle,
        };
        let href = match state {
            HexState::Idle => None,
            HexState::Selected => Some("/g/abcdefgh".to_owned()),
            HexState::Selectable => Some(format!("/g/abcdefgh?from={hex}")),
            HexState::Target { .. } => Some(format!("/g/abcdefgh?from={source}&to={hex}")),
        };
        HexView {
            owner,
            dice: 1 + (hex * 5 + hex / n) as u8 % max_dice,
            state,
            href,
            ..HexView::default()
        }
    });
    HexBoardView {
        hint_arrows: Vec::new(),
        mentioned: None,
        side,
        max_dice,
        hexes: hexes.collect(),
        last_attack: Some((0, 1)),
        attack_to_confirm: None,
    }
}
