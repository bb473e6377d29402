//! Games of Dice of Doom in progress.

use std::sync::Arc;

use dice_of_doom::templates::dice_of_doom::book_page::{BookLink, BookMessage, BookView};
use dice_of_doom::templates::dice_of_doom::controls::{
    AttackButtons, AttackConfirmation, AttackView, EndTurnView, ReinforcementPreview,
};
use dice_of_doom::templates::dice_of_doom::roll::RollView;
use dice_of_doom::templates::dice_of_doom::{HexBoardView, HexState, HexView};
use dice_of_doom::templates::game::{GameTitle, GameView};
use dice_of_doom::templates::log::LogEntry;
use dice_of_doom::templates::message::{LocalizedMessage, MessageArg};
use dice_of_doom::templates::players::{CountColumns, OccupantView, PlayerView};
use dice_of_doom::templates::prompt::{BackLink, MovePrompt, Prompt};
use dice_of_doom::templates::seats::SeatsPanelView;

use super::boards::{choosing_source, choosing_target, idle_board, sized};
use super::move_prompt;

pub(crate) const DICE: GameTitle = GameTitle {
    game: "dice",
    title: "site-name",
};

const HEXES: CountColumns = CountColumns {
    headings: &["players-hexes", "players-dice", "players-cluster"],
    territory: Some(0),
};

pub(crate) fn choose_source() -> Prompt {
    let [headline, sub] = ["choose-source", "choose-source-sub"].map(LocalizedMessage::new);
    move_prompt(headline, sub, None)
}

fn choose_target(dice: u8, targets: u32) -> Prompt {
    let message = |key| {
        LocalizedMessage::new(key)
            .with_value("dice", dice)
            .with_value("targets", targets)
    };
    let back = Some(("/g/abcdefgh", "put-back"));
    move_prompt(message("choose-target"), message("choose-target-sub"), back)
}

/// The prompt that confirms an attack.
pub(crate) fn confirm(attack: AttackView, dice: (u8, u8)) -> Prompt {
    let against = |key| {
        LocalizedMessage::new(key)
            .with_value("attack", dice.0)
            .with_value("defend", dice.1)
    };
    let (from, to) = (attack.from, attack.to);
    Prompt::Move(MovePrompt {
        headline: LocalizedMessage::new("confirm")
            .with_value("from", from)
            .with_value("to", to),
        sub: match attack.odds {
            Some(odds) => against("confirm-odds").with_value("odds", MessageArg::Percent(odds)),
            None => against("confirm-sure"),
        },
        sub_without_odds: attack.odds.map(|_| against("confirm-plain")),
        back: Some(BackLink {
            href: format!("/g/abcdefgh?from={from}"),
            key: "other-target",
        }),
    })
}

pub(crate) fn sized_game(side: u8, max_dice: u8) -> GameView {
    let board = sized(side, max_dice);
    game(choose_target(3, 6), board)
}

pub(crate) fn players() -> Vec<PlayerView> {
    let seat = |number, who, hexes, dice, cluster| PlayerView {
        number,
        occupant: who,
        counts: vec![hexes, dice, cluster],
        on_turn: number == 0,
        ..PlayerView::default()
    };
    let level = |name: &str| OccupantView::Level(name.into());
    vec![
        seat(0, OccupantView::You, 8, 17, 7),
        seat(1, level("book"), 6, 24, 4),
        seat(2, level("greedy"), 6, 16, 3),
        seat(3, level("expert"), 5, 13, 2),
    ]
}

pub(crate) fn roll_view() -> RollView {
    RollView {
        attacker: 0,
        defender: 3,
        from: 23,
        to: 17,
        attack: vec![5, 2, 5],
        defend: vec![2, 5],
        dice: (3, 2),
        captured: true,
    }
}

pub(crate) fn log() -> Vec<LogEntry> {
    (0..20u32)
        .map(|i| LogEntry {
            ply: 132 - i,
            turn: Some(33 - i / 3),
            player: if i < 3 { 0 } else { 3 },
            sentence: if i % 7 == 3 {
                let player = if i < 3 { 0 } else { 3 };
                LocalizedMessage::new("log-end")
                    .with_player(player)
                    .with_value("dice", 7u8)
            } else {
                attack_sentence(if i % 5 != 4 { "captured" } else { "held" })
                    .with_player(if i < 3 { 0 } else { 3 })
            },
            marks: (i % 7 != 3).then(|| "h23 h17".to_owned()),
            is_on_mainline: true,
        })
        .collect()
}

pub(crate) fn attack_sentence(outcome: &str) -> LocalizedMessage {
    LocalizedMessage::new("log-attack")
        .with_value("from", 23u8)
        .with_value("to", 17u8)
        .with_value("attack", 3u8)
        .with_value("defend", 2u8)
        .with_value("sumA", 12u8)
        .with_value("sumD", 7u8)
        .with_value("outcome", outcome)
}

pub(crate) fn game(prompt: Prompt, board: HexBoardView) -> GameView {
    GameView {
        clock: None,
        phrases: None,
        hint: None,
        id: "abcdefgh".into(),
        ply: 132,
        newest: 132,
        turn: LocalizedMessage::new("turn").with_value("turn", 33u8),
        game: DICE,
        board: Arc::new(board),
        prompt,
        mover: Some(0),
        primary_action: None,
        buttons: None,
        strip: Some(Arc::new(roll_view())),
        count_columns: HEXES,
        players: players(),
        log: log(),
        seat_events: Vec::new(),
        notice: None,
        refresh_s: None,
        result: None,
        history: None,
        replay: None,
        share: None,
        origin: None,
        watchers: 0,
        seats_revision: 0,
        commitment: None,
        is_over: false,
        takeback: None,
        may_resign: true,
        may_rematch: false,
        has_others: false,
        hints_for_all: false,
        may_review: false,
        has_analysis_board: true,
        seats_panel: SeatsPanelView::default(),
        next_steps: None,
    }
}

pub(crate) fn target_chosen() -> GameView {
    let attack = |to, odds| AttackView {
        from: 13,
        to,
        odds: Some(odds),
    };
    let pass = EndTurnView::GameContinues(ReinforcementPreview {
        dice: 7,
        lost: 0,
        cluster: Some(7),
        no_attacks_left: false,
    });
    let attacks = AttackButtons {
        from: 13,
        attacks: vec![
            attack(7, 0.19),
            attack(8, 0.45),
            attack(12, 0.19),
            attack(14, 0.45),
            attack(18, 0.778),
            attack(19, 0.778),
        ],
    };
    GameView {
        primary_action: Some(Arc::new(pass)),
        buttons: Some(Arc::new(attacks)),
        ..game(choose_target(3, 6), choosing_target())
    }
}

pub(crate) fn confirming() -> GameView {
    let attack = AttackView {
        from: 13,
        to: 18,
        odds: Some(0.778),
    };
    GameView {
        prompt: confirm(attack, (3, 2)),
        primary_action: Some(Arc::new(AttackConfirmation(attack))),
        buttons: None,
        ..target_chosen()
    }
}

pub(crate) fn waiting() -> GameView {
    let mut players = players();
    players[0].on_turn = false;
    players[1].on_turn = true;
    players[2].occupant = OccupantView::Person;
    players[2].name = Some("Ada <script>".into());
    GameView {
        players,
        mover: Some(1),
        refresh_s: Some(2),
        ..game(
            Prompt::Thinking {
                player: 1,
                ahead: 0,
            },
            idle_board(),
        )
    }
}

/// A game by version 1 of the book, without rolls.
pub(crate) fn game_without_dice() -> GameView {
    let hexes = [(0, 3), (1, 1), (1, 2), (0, 1)].map(|(owner, dice)| HexView {
        owner,
        dice,
        ..HexView::default()
    });
    let mut board = HexBoardView {
        hint_arrows: Vec::new(),
        mentioned: None,
        side: 2,
        max_dice: 3,
        hexes: hexes.to_vec(),
        last_attack: Some((0, 1)),
        attack_to_confirm: None,
    };
    board.hexes[0].state = HexState::Selected;
    board.hexes[0].href = Some("/g/abcdefgh".into());
    for hex in [1, 2] {
        board.hexes[hex].state = HexState::Target { odds: None };
        board.hexes[hex].href = Some(format!("/g/abcdefgh?from=0&to={hex}"));
    }
    let roll = RollView {
        attack: Vec::new(),
        defend: Vec::new(),
        dice: (3, 1),
        ..roll_view()
    };
    let attack = |to| AttackView {
        from: 0,
        to,
        odds: None,
    };
    let sentence = LocalizedMessage::new("log-attack-plain")
        .with_player(0)
        .with_value("from", 23u8)
        .with_value("to", 17u8)
        .with_value("attack", 3u8)
        .with_value("defend", 1u8);
    GameView {
        buttons: Some(Arc::new(AttackButtons {
            from: 0,
            attacks: [1, 2].map(attack).to_vec(),
        })),
        strip: Some(Arc::new(roll)),
        log: vec![LogEntry {
            ply: 1,
            turn: Some(1),
            player: 0,
            sentence,
            marks: Some("h23 h17".into()),
            is_on_mainline: true,
        }],
        primary_action: Some(Arc::new(EndTurnView::GameContinues(ReinforcementPreview {
            dice: 1,
            lost: 0,
            cluster: None,
            no_attacks_left: false,
        }))),
        ..game(choose_target(3, 2), board)
    }
}

pub(crate) fn book() -> BookView {
    BookView {
        board: choosing_source(),
        messages: vec![
            BookMessage::Rolled {
                attack: (5, 21),
                defend: (1, 6),
            },
            BookMessage::MayPass,
        ],
        link: Some(BookLink::Pass("/game.html?chosen=pass&ply=3".into())),
        refresh: None,
        notice: None,
        players: players(),
    }
}
