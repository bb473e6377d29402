//! A finished game of Dice of Doom and its history.

use std::sync::Arc;

use dice_of_doom::templates::dice_of_doom::history::{GameHistoryView, LuckView, SwingView};
use dice_of_doom::templates::game::{GameView, PlayerResult, ResultView};
use dice_of_doom::templates::game_over::{DailyCardView, LessonCardView, NextStepsView};
use dice_of_doom::templates::line_chart::{ChartSeries, ChartTurn};
use dice_of_doom::templates::message::{LocalizedMessage, MessageArg};
use dice_of_doom::templates::prompt::Prompt;
use dice_of_doom::templates::seats::LinkReach;
use dice_of_doom::templates::share::ShareView;

use super::boards::idle_board;
use super::dice::{game, players};

/// Five turns with three surprising rolls.
fn history() -> GameHistoryView {
    let line = |player: u8, values: [u32; 6]| ChartSeries {
        player,
        values: values.to_vec(),
    };
    let swing = |ply, turn, attacker, defender, dice, captured, probability| SwingView {
        own_turn: turn,
        ply,
        turn,
        attacker,
        defender,
        dice,
        captured,
        probability,
    };
    let luck = |player, rolls, won, expected| LuckView {
        player,
        rolls,
        won,
        expected,
    };
    GameHistoryView {
        hexes: vec![
            line(0, [6, 9, 8, 8, 8, 8]),
            line(1, [7, 5, 8, 8, 8, 9]),
            line(2, [6, 5, 4, 5, 2, 2]),
            line(3, [6, 6, 5, 4, 7, 6]),
        ],
        dice: vec![
            line(0, [14, 18, 16, 16, 16, 16]),
            line(1, [14, 10, 18, 17, 17, 18]),
            line(2, [14, 12, 9, 14, 4, 4]),
            line(3, [14, 14, 12, 10, 18, 17]),
        ],
        turns: (0..5)
            .map(|turn| ChartTurn {
                player: turn % 4,
                number: u32::from(turn / 4) + 1,
            })
            .collect(),
        swings: vec![
            swing(9, 1, 0, 1, (2, 4), true, 0.061),
            swing(40, 2, 1, 0, (4, 2), false, 0.09),
            swing(41, 2, 1, 2, (4, 3), false, 0.256),
        ],
        luck: vec![
            luck(0, 55, 29, 27.2),
            luck(1, 37, 17, 16.2),
            luck(2, 40, 21, 22.4),
            luck(3, 20, 9, 9.02),
        ],
    }
}

/// The offers after a lost game.
fn next_steps() -> NextStepsView {
    NextStepsView {
        milestone: None,
        daily_result: None,
        lesson: Some(LessonCardView {
            address: "/learn/odds".into(),
            title: Some("learn-odds-name".into()),
            reason: Some(
                LocalizedMessage::new("advice-odds")
                    .with_value("n", 7u8)
                    .with_value("failed", 5u8),
            ),
            losses: None,
        }),
        puzzle: None,
        daily: Some(DailyCardView { streak: 6 }),
    }
}

pub(crate) fn finished_game() -> GameView {
    let mut players = players();
    players[0].on_turn = false;
    players[1].winner = true;
    GameView {
        players,
        mover: None,
        commitment: None,
        is_over: true,
        may_resign: false,
        may_rematch: true,
        hints_for_all: false,
        may_review: true,
        result: Some(ResultView {
            winners: vec![1],
            plies: 132,
            takebacks: 0,
            own_result: Some(PlayerResult::Lost),
            verdict: LocalizedMessage::new("over-one")
                .with_player(1)
                .with_value("hexes", 9u8)
                .with_value("next", 8u8),
            placement: Some(LocalizedMessage::new("over-lost-by").with_value("n", 1u8)),
            reason: LocalizedMessage::new("over-one-die")
                .with_player(2)
                .with_value("hexes", 2u8)
                .with_value(
                    "scores",
                    MessageArg::Scores(vec![(1, 9), (0, 8), (3, 6), (2, 2)]),
                ),
        }),
        history: Some(Arc::new(history())),
        share: Some(ShareView {
            address: "http://localhost/g/abcdefgh".into(),
            reach: LinkReach::Internet,
            private: false,
        }),
        next_steps: Some(next_steps()),
        ..game(Prompt::Over, idle_board())
    }
}
