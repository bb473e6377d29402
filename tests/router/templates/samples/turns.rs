//! The end of a turn, the end of the game, and the summary since the reader's last turn.

use std::sync::Arc;

use dice_of_doom::templates::controls::ButtonEmphasis;
use dice_of_doom::templates::dice_of_doom::controls::{
    EndGameConfirmation, EndTurnView, GameEndPreview, ReinforcementPreview,
};
use dice_of_doom::templates::dice_of_doom::turn_summary::{CaptorView, TurnSummaryView};
use dice_of_doom::templates::game::GameView;
use dice_of_doom::templates::message::LocalizedMessage;

use super::boards::choosing_source;
use super::dice::{choose_source, game, roll_view};
use super::move_prompt;

/// A page on which the turn can be ended with this button.
pub(crate) fn with_end_turn(pass: EndTurnView) -> GameView {
    GameView {
        primary_action: Some(Arc::new(pass)),
        ..game(choose_source(), choosing_source())
    }
}

pub(crate) fn reinforcements(dice: u32, lost: u32, alone: bool) -> EndTurnView {
    EndTurnView::GameContinues(ReinforcementPreview {
        dice,
        lost,
        cluster: Some(7),
        no_attacks_left: alone,
    })
}

/// The board previews the positions of seven new dice.
pub(crate) fn reinforcements_on_board() -> GameView {
    let mut board = choosing_source();
    for hex in [13, 15, 16, 17, 20, 22, 23] {
        board.hexes[hex].pending_dice = 1;
        board.hexes[hex].in_pending_cluster = hex != 13;
    }
    GameView {
        board: Arc::new(board),
        ..with_end_turn(reinforcements(7, 0, false))
    }
}

/// Ending the turn would end the game, won by the reader or by Green.
pub(crate) fn with_game_end(wins: bool) -> GameView {
    let why = [LocalizedMessage::new("end-game-lone-die").with_player(1)];
    let can = LocalizedMessage::new("end-game-you-can")
        .with_player(0)
        .with_value("hexes", 3u8);
    let mut board = choosing_source();
    for hex in [3, 6] {
        board.hexes[hex].stuck = true;
    }
    let pass = EndTurnView::GameEnds(GameEndPreview {
        outcome: LocalizedMessage::new("end-game-wins")
            .with_player(if wins { 0 } else { 2 })
            .with_value("most", 12u8)
            .with_value("least", 10u8),
        glyph: (!wins).then_some(2),
        why: why.into_iter().chain((!wins).then_some(can)).collect(),
        emphasis: if wins {
            ButtonEmphasis::Primary
        } else {
            ButtonEmphasis::Secondary
        },
        needs_confirmation: !wins,
        no_attacks_left: false,
    });
    GameView {
        board: Arc::new(board),
        ..with_end_turn(pass)
    }
}

/// The confirmation of ending a game that would be lost.
pub(crate) fn end_confirmation() -> GameView {
    let sub = LocalizedMessage::new("end-ask-loses")
        .with_player(2)
        .with_value("most", 12u8)
        .with_value("least", 10u8)
        .with_value("needed", 2u8);
    GameView {
        prompt: move_prompt(LocalizedMessage::new("end-ask"), sub, None),
        primary_action: Some(Arc::new(EndGameConfirmation {
            back: "/g/abcdefgh".to_owned(),
        })),
        ..with_game_end(false)
    }
}

/// Two other players have captured hexes of the reader since that ply.
pub(crate) fn turn_summary(from: u32) -> GameView {
    let taker = |player, hexes: &[u8], ply| CaptorView {
        player,
        hexes: hexes.to_vec(),
        ply,
    };
    let card = TurnSummaryView {
        reader: 0,
        lost_hexes: 5,
        received_dice: 6,
        lost_dice: 9,
        captors: vec![taker(2, &[1, 2, 5], 121), taker(3, &[18, 19], 130)],
        from,
        strip: Some(Arc::new(roll_view())),
    };
    let mut board = choosing_source();
    for hex in [1, 2, 5, 18, 19] {
        board.hexes[hex].previous_owner = Some(0);
    }
    GameView {
        board: Arc::new(board),
        strip: Some(Arc::new(card)),
        ..with_end_turn(reinforcements(4, 0, false))
    }
}
