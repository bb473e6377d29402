//! Trilobite: selectable columns, wins and draws, and texts without dice.

use std::sync::Arc;

use dice_of_doom::templates::game::GameView;
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::players::OccupantView;
use dice_of_doom::templates::trilobite::{CellView, ColumnBoardView, ColumnState, ColumnView};
use dice_of_doom::templates::{BoardComponent, board_svg};

use crate::common::{Page, assert_contains};
use crate::templates::samples::chips::{
    chips_over, column_chosen, columns, line, middlegame, won_by_line,
};
use crate::templates::samples::pages::{game_shown, page};

#[test]
fn boards_of_columns_are_small() {
    for (name, max_kib) in [
        ("columns", 48),
        ("columns-14", 48),
        ("columns-127", 48),
        ("columns-64", 80),
    ] {
        let size = page(name).len();
        assert!(size < max_kib * 1024, "{name}: {size} bytes");
    }
}

#[test]
fn an_open_column_is_one_link_with_a_name() {
    let page = page("columns");
    assert!(page.contains(
        r#"class="col can" id="col-d" data-x="280" data-y="0" href="/g/abcdefgh?column=d" data-column="d" data-key="d" aria-label="Column d, 5 chips, drop a chip, from the bottom: "#
    ));
    assert!(page.contains(r#"aria-label="Column a, empty, drop a chip""#));
    assert!(page.contains(
        r#"class="col" id="col-e" role="img" aria-label="Column e, full, from the bottom: "#
    ));
    // In the board and in the table.
    assert_eq!(page.count("[href^='/g/abcdefgh?column=']"), 2 * 7);
    assert_eq!(page.count("[data-column]"), 7);
    assert_eq!(page.count("circle.ring-last"), 1);
    assert!(!page.has(".lit"));
}

#[test]
fn every_open_column_has_its_key() {
    let page = page("columns");
    assert_eq!(page.count(".board [data-key]"), 7);
    assert!(
        !page.has("[name=column]"),
        "the board is the only row of columns"
    );
    assert!(!page.has("[data-key=e]"), "e is full, and no turn is ended");
    assert!(page.contains(">n</kbd>") && !page.contains("data-shift"));
    let long = self::page("columns-64");
    // There the letter alone selects a column.
    assert!(long.contains(">Shift+N</kbd>") && long.contains("data-shift"));
    assert!(long.has("#col-aa[data-column=aa]"));
}

#[test]
fn a_chosen_column_is_confirmed_by_one_focused_button() {
    let page = page("columns-chosen");
    assert!(page.contains("<h1>Drop in d?</h1>"));
    assert!(page.contains(r#"value="d"><button class="btn main" autofocus>Drop in d</button>"#));
    assert_eq!(page.count("[name=column]"), 1);
    assert!(page.contains(
        r#"class="col src" id="col-d" data-x="280" data-y="0" href="/g/abcdefgh" aria-label="Column d, chosen; choose again to put the chip back, from the bottom: "#
    ));
    assert!(page.contains(r#"<a data-back href="/g/abcdefgh">Another column</a>"#));
}

#[test]
fn a_waiting_player_can_click_no_column() {
    let page = page("columns-waiting");
    assert!(!page.has("[href^='/g/abcdefgh?column']"));
    assert!(!page.has(".hit"));
    assert!(page.contains("Blue is thinking"));
}

#[test]
fn trilobite_has_its_own_texts() {
    let page = page("columns");
    assert!(page.contains("<title>Your turn · Trilobite</title>"));
    assert!(page.contains("<h2>Chip 31</h2>"));
    assert!(page.has("[data-marks=k10]"));
    assert!(page.contains("Blue: <b>c</b>"));
    assert!(page.contains(r#"<b>15</b><i> chips</i>"#));
    assert!(!page.contains("hexes") && !page.contains("dice"));
}

#[test]
fn a_line_is_marked_and_announced() {
    let page = page("columns-line");
    assert!(page.contains("<title>Four in a row: you win in 30 chips · Trilobite</title>"));
    assert!(page.contains("Your last chip completed the line."));
    assert_eq!(page.count("circle.lit"), 4);
    assert_eq!(page.count("path.line"), 1);
    assert!(page.contains(r#"<path class="line" d="M280 200L520 440"/>"#));
    assert!(page.contains("<h2>Chip 30</h2>"));
    let mut lost = line();
    lost.players[0].occupant = OccupantView::Person;
    lost.players[0].name = Some("Ada <script>".into());
    lost.players[1].occupant = OccupantView::You;
    let page = game_shown(&lost);
    assert!(page.contains(">Four in a row: Ada &lt;script&gt; wins in 30 chips</h1>"));
    assert!(page.contains("Ada &lt;script&gt;’s last chip completed the line."));
}

#[test]
fn crossing_lines_are_two_strokes() {
    let mut board = columns(3, 3, &["rbr", "brb", "rbr"]);
    for cell in [0, 2, 4, 6, 8] {
        board.cells[cell].line = true;
    }
    let crossed = won_by_line(board);
    let page = game_shown(&crossed);
    assert_eq!(page.count("path.line"), 2);
    assert!(page.contains("Three in a row: you win"));
}

#[test]
fn a_draw_has_no_winner() {
    let page = page("columns-draw");
    assert!(page.contains(">The board is full: a draw</h1>"));
    assert!(page.contains("Nobody made a line."));
    assert!(!page.contains(">Winner<") && !page.has(".lit"));
    assert!(self::page("games").contains(r#"<small>Trilobite, 9 chips</small><small><time datetime="2026-11-22T23:05:09Z">22 November 2026, 23:05 UTC</time></small><em>Draw</em>"#));
}

#[test]
fn a_resignation_is_announced_without_a_score() {
    let verdict = |_| LocalizedMessage::new("over-won").with_player(1);
    let reason = LocalizedMessage::new("over-resigned-chips");
    let resigned = chips_over(middlegame(), vec![1], verdict, reason);
    let page = game_shown(&resigned);
    assert_contains(&page, &[">Blue wins</h1>", "The other side resigned."]);
}

#[test]
fn an_image_of_columns_is_standalone() {
    let picture = Page(board_svg(&*line().board).into_string());
    assert!(picture.starts_with("<svg xmlns="));
    for foreign in ["<style", "class=", "var(", "href=\"/", "<script", "id=\"k"] {
        assert!(!picture.contains(foreign), "{foreign}");
    }
    assert!(picture.contains("#bd2f1c") && picture.contains("#2052d2"));
}

#[test]
fn unusual_columns_do_not_panic() {
    for (width, height) in [(0, 0), (0, 3), (255, 255), (3, 0), (2, 2)] {
        let board: Arc<dyn BoardComponent> = Arc::new(ColumnBoardView {
            width,
            height,
            win: 0,
            cells: vec![
                CellView {
                    chip: Some(250),
                    last: true,
                    line: true,
                };
                5
            ],
            columns: vec![
                ColumnView {
                    tried: false,
                    hint: None,
                    state: ColumnState::Selectable,
                    href: Some("\"<".into()),
                    landing: Some(255),
                };
                2
            ],
        });
        let view = GameView {
            board: board.clone(),
            mover: Some(250),
            ..column_chosen()
        };
        let page = game_shown(&view);
        assert!(!page.contains("href=\"\"<"));
        let _ = board_svg(&*board);
    }
}
