//! The start page: the form for a new game, the reader's games, and games to watch.

use std::sync::Arc;

use dice_of_doom::templates::countdown::CountdownView;
use dice_of_doom::templates::dice_of_doom::form::DiceForm;
use dice_of_doom::templates::game::GameTitle;
use dice_of_doom::templates::games::CardView;
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::new_game_form::{GameFormView, NewGameFormView};
use dice_of_doom::templates::players::OccupantView;
use dice_of_doom::templates::start::StartView;
use dice_of_doom::templates::start::{DayAttempt, DayBoardView, DayPuzzleView};
use dice_of_doom::templates::tables::OpenTableView;
use dice_of_doom::templates::trilobite::form::TrilobiteForm;

use super::boards::idle_board;
use super::chips::{column_chosen, draw, middlegame};
use super::dice::players;
use super::over::finished_game;

pub(crate) const LEVELS: [&str; 8] = [
    "random", "book", "greedy", "steady", "advanced", "expert", "master", "champion",
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().copied().map(str::to_owned).collect()
}

pub(crate) fn rejected_form() -> NewGameFormView {
    let dice = DiceForm {
        rules: "v4".into(),
        seats: words(&["human", "book", "book", "book", "book", "book"]),
        levels: words(&LEVELS),
        ..DiceForm::default()
    };
    let chips = TrilobiteForm {
        levels: words(&LEVELS),
        ..TrilobiteForm::default()
    };
    NewGameFormView {
        game: "dice",
        parts: parts(dice, chips),
        problem: Some(LocalizedMessage::new("form-problem-players")),
        ..NewGameFormView::default()
    }
}

fn parts(dice: DiceForm, chips: TrilobiteForm) -> Vec<GameFormView> {
    let dice = GameFormView {
        game: "dice",
        title: "form-dice",
        fields: Arc::new(dice),
    };
    let chips = GameFormView {
        game: "trilobite",
        title: "form-trilobite",
        fields: Arc::new(chips),
    };
    vec![dice, chips]
}

pub(crate) fn refused_chips() -> NewGameFormView {
    let dice = DiceForm {
        rules: "v4".into(),
        levels: words(&LEVELS),
        ..DiceForm::default()
    };
    let chips = TrilobiteForm {
        width: Some(200),
        height: None,
        win: Some(5),
        seats: words(&["human", "human"]),
        levels: words(&["random", "exact"]),
    };
    NewGameFormView {
        game: "trilobite",
        parts: parts(dice, chips),
        problem: Some(LocalizedMessage::new("form-problem-board")),
        ..rejected_form()
    }
}

pub(crate) fn cards() -> Vec<CardView> {
    let card = CardView {
        id: "abcdefgh".into(),
        board: Arc::new(idle_board()),
        players: players(),
        stage: LocalizedMessage::new("card-turn")
            .with_value("turn", 33u8)
            .with_value("rules", "v4")
            .with_value("side", 5u8),
        your_turn: true,
        uploaded: false,
        is_aside: false,
        paused: false,
        result: None,
        created_ms: 1_795_388_709_000,
    };
    let lost = CardView {
        your_turn: false,
        stage: LocalizedMessage::new("card-plies")
            .with_value("plies", 132u8)
            .with_value("rules", "v4")
            .with_value("side", 5u8),
        result: finished_game().result,
        ..card.clone()
    };
    let chips = CardView {
        board: Arc::new(middlegame()),
        players: column_chosen().players,
        stage: LocalizedMessage::new("card-chips").with_value("chips", 30u8),
        ..card.clone()
    };
    let drawn = CardView {
        board: draw().board,
        stage: LocalizedMessage::new("card-chips").with_value("chips", 9u8),
        your_turn: false,
        result: draw().result,
        ..chips.clone()
    };
    vec![
        card.clone(),
        chips,
        CardView {
            your_turn: false,
            ..card
        },
        lost,
        drawn,
    ]
}

fn watch() -> Vec<CardView> {
    let mut players = players();
    players[0].occupant = OccupantView::Person;
    players[0].name = Some("Ada".into());
    let card = CardView {
        players,
        your_turn: false,
        ..cards().remove(0)
    };
    vec![card.clone(), card]
}

pub(crate) fn start() -> StartView {
    StartView {
        hero: Some(Arc::new(idle_board())),
        featured: None,
        game: "dice",
        others: vec![GameTitle {
            game: "trilobite",
            title: "form-trilobite",
        }],
        games: cards(),
        watch: watch(),
        daily: Some(DayBoardView {
            board: Arc::new(idle_board()),
            people: 3,
            streak: 2,
            attempt: DayAttempt::None,
            yesterday: None,
        }),
        puzzle: Some(DayPuzzleView {
            address: "/puzzles/1".into(),
            theme: "stop".into(),
            board: Arc::new(idle_board()),
            is_solved: None,
            streak: 0,
        }),
        lesson: None,
        next_day: CountdownView::new(3_660_000, 0),
        opponents: None,
        carry_over: true,
        tables: (vec![open_table()], 3),
        asks_name: false,
    }
}

fn open_table() -> OpenTableView {
    let mut players = players();
    players[0].occupant = OccupantView::Person;
    players[0].name = Some("Mika".into());
    players[1].occupant = OccupantView::Open;
    OpenTableView {
        id: "aaaaaaaa".into(),
        rules: LocalizedMessage::new("form-trilobite"),
        players,
        turn_s: Some(60),
        minutes: 4,
        is_own: false,
    }
}
