//! Games of Trilobite: boards in progress, won and drawn.

use std::sync::Arc;

use dice_of_doom::templates::controls::{Button, PrimaryAction};
use dice_of_doom::templates::game::{GameTitle, GameView, PlayerResult, ResultView};
use dice_of_doom::templates::log::LogEntry;
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::players::{CountColumns, OccupantView, PlayerView};
use dice_of_doom::templates::prompt::Prompt;
use dice_of_doom::templates::trilobite::{CellView, ColumnBoardView, ColumnState, ColumnView};

use super::boards::idle_board;
use super::dice::game;
use super::move_prompt;

pub(crate) const TRILOBITE: GameTitle = GameTitle {
    game: "trilobite",
    title: "trilobite",
};

const CHIPS: CountColumns = CountColumns {
    headings: &["players-chips"],
    territory: None,
};

pub(crate) fn choose_column() -> Prompt {
    let sub = LocalizedMessage::new("choose-column-sub").with_value("win", 4u8);
    move_prompt(LocalizedMessage::new("choose-column"), sub, None)
}

fn drop(column: usize) -> Button {
    Button {
        fields: vec![("column", letter(column))],
        key: Some(letter(column)),
        label: LocalizedMessage::new("drop").with_value("column", letter(column)),
    }
}

/// A board from its chips, `r` and `b`: one string per column, from bottom to top.
pub(crate) fn columns(height: u8, win: u8, chips: &[&str]) -> ColumnBoardView {
    let width = chips.len();
    let mut cells = vec![CellView::default(); width * usize::from(height)];
    let mut columns = Vec::new();
    for (x, column) in chips.iter().enumerate() {
        for (above, chip) in column.chars().enumerate() {
            let y = usize::from(height) - 1 - above;
            cells[x + width * y].chip = Some(u8::from(chip == 'b'));
        }
        let free = usize::from(height) - column.len();
        columns.push(ColumnView {
            landing: (free > 0).then(|| (x + width * (free - 1)) as u8),
            ..ColumnView::default()
        });
    }
    ColumnBoardView {
        width: width as u8,
        height,
        win,
        cells,
        columns,
    }
}

fn letter(column: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    match column {
        0..26 => letter(column).to_string(),
        _ => format!("{}{}", letter(column / 26 - 1), letter(column % 26)),
    }
}

/// Makes every open column selectable.
pub(crate) fn with_open_columns(mut board: ColumnBoardView) -> ColumnBoardView {
    for (x, column) in board.columns.iter_mut().enumerate() {
        if column.landing.is_some() {
            column.state = ColumnState::Selectable;
            column.href = Some(format!("/g/abcdefgh?column={}", letter(x)));
        }
    }
    board
}

/// The position of the mock-up: the last chip is in column c, column e is full, Red is to move.
pub(crate) fn middlegame() -> ColumnBoardView {
    let chips = ["", "bbr", "rbbbrb", "brbrr", "rrbrbbr", "rbrrbr", "rb", "b"];
    let mut board = columns(7, 4, &chips);
    board.cells[2 + 8].last = true;
    board
}

pub(crate) fn trilobite(prompt: Prompt, board: ColumnBoardView) -> GameView {
    let chips = |player| {
        let mine = board.cells.iter().filter(|cell| cell.chip == Some(player));
        vec![mine.count() as u32]
    };
    let seat = |number: u8, who| PlayerView {
        number,
        occupant: who,
        counts: chips(number),
        on_turn: number == 0,
        ..PlayerView::default()
    };
    let log = (0..20).map(|i| LogEntry {
        ply: 30 - i,
        turn: None,
        player: ((i + 1) % 2) as u8,
        sentence: LocalizedMessage::new("log-drop")
            .with_player(((i + 1) % 2) as u8)
            .with_value("column", letter((2 + i % 5) as usize)),
        marks: Some(format!("k{}", 10 + i)),
        is_on_mainline: true,
    });
    GameView {
        ply: 30,
        newest: 30,
        turn: LocalizedMessage::new("turn-chip").with_value("turn", 31u8),
        game: TRILOBITE,
        buttons: None,
        strip: None,
        count_columns: CHIPS,
        players: vec![
            seat(0, OccupantView::You),
            seat(1, OccupantView::Level("book".into())),
        ],
        log: log.collect(),
        board: Arc::new(board),
        ..game(prompt, idle_board())
    }
}

pub(crate) fn column_chosen() -> GameView {
    let mut board = with_open_columns(middlegame());
    board.columns[3].state = ColumnState::Selected;
    board.columns[3].href = Some("/g/abcdefgh".into());
    let prompt = move_prompt(
        LocalizedMessage::new("confirm-column").with_value("column", "d"),
        LocalizedMessage::new("confirm-column-sub"),
        Some(("/g/abcdefgh", "other-column")),
    );
    GameView {
        primary_action: Some(Arc::new(PrimaryAction(drop(3)))),
        buttons: None,
        ..trilobite(prompt, board)
    }
}

pub(crate) fn chips_over(
    board: ColumnBoardView,
    winners: Vec<u8>,
    verdict: impl Fn(u32) -> LocalizedMessage,
    reason: LocalizedMessage,
) -> GameView {
    let plies = board
        .cells
        .iter()
        .filter(|cell| cell.chip.is_some())
        .count() as u32;
    let mut view = GameView {
        ply: plies,
        newest: plies,
        turn: LocalizedMessage::new("turn-chip").with_value("turn", plies),
        mover: None,
        commitment: None,
        is_over: false,
        may_resign: false,
        may_rematch: true,
        hints_for_all: false,
        may_review: true,
        ..trilobite(Prompt::Over, board)
    };
    for player in &mut view.players {
        player.on_turn = false;
        player.winner = winners.contains(&player.number);
    }
    view.result = Some(ResultView {
        own_result: Some(match &winners[..] {
            [] => PlayerResult::Tied,
            [0, ..] => PlayerResult::Won,
            _ => PlayerResult::Lost,
        }),
        winners,
        plies,
        takebacks: 2,
        verdict: verdict(plies),
        placement: None,
        reason,
    });
    view
}

/// A game that Red has won by a line.
pub(crate) fn won_by_line(board: ColumnBoardView) -> GameView {
    let win = board.win;
    let verdict = |plies| {
        let verdict = LocalizedMessage::new("over-line")
            .with_player(0)
            .with_value("win", win);
        verdict.with_value("chips", plies)
    };
    chips_over(
        board,
        vec![0],
        verdict,
        LocalizedMessage::new("over-line-reason").with_player(0),
    )
}

pub(crate) fn line() -> GameView {
    let mut board = columns(
        7,
        4,
        &["", "bbr", "rbbbrb", "brbrr", "rrbrbbr", "rbrrbr", "rr", "b"],
    );
    for cell in [3 + 8 * 2, 4 + 8 * 3, 5 + 8 * 4, 6 + 8 * 5] {
        board.cells[cell].line = true;
    }
    board.cells[6 + 8 * 5].last = true;
    won_by_line(board)
}

pub(crate) fn draw() -> GameView {
    let mut board = columns(3, 3, &["rrb", "bbr", "rrb"]);
    board.cells[0].last = true;
    let [verdict, reason] = ["over-full", "over-full-reason"].map(LocalizedMessage::new);
    chips_over(board, Vec::new(), |_| verdict.clone(), reason)
}
