//! The result of the board of the day.

use std::sync::Arc;

use dice_of_doom::templates::countdown::CountdownView;
use dice_of_doom::templates::daily::{
    AttemptView, DailyDecisionsView, DailyResultView, DailyView, DayPhase, ScoreCountView,
    daily_page,
};
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::page::NavSection;
use dice_of_doom::templates::review::{NotableDecisionView, NotableDecisionsView, SmallBoard};

use crate::common::{Page, assert_contains};
use crate::templates::samples::boards::idle_board;
use crate::templates::samples::dice::players;
use crate::templates::samples::{site, text};

fn decision(points: u32) -> NotableDecisionView {
    let attack = |from: u8, to: u8| {
        LocalizedMessage::new("review-attack")
            .with_value("attack", 3_u8)
            .with_value("defend", 2_u8)
            .with_value("from", from)
            .with_value("to", to)
    };
    NotableDecisionView {
        page: 12,
        points,
        played: Some(attack(10, 16)),
        other: attack(12, 7),
        why: None,
        board: Arc::new(SmallBoard(Arc::new(idle_board()))),
    }
}

fn result(decisions: DailyDecisionsView) -> String {
    let view = DailyView {
        day: "2026-11-27".to_owned(),
        phase: DayPhase::Open,
        next: CountdownView::new(432 * 60_000, 0),
        over_ms: 0,
        board: Arc::new(idle_board()),
        hexes: 25,
        attempt: AttemptView::Over(Box::new(DailyResultView {
            id: "abcdefgh".to_owned(),
            hexes: 14,
            is_won: true,
            by_turn: vec![vec![6, 19], vec![8, 17], vec![14, 11]],
            is_shown: false,
            players: vec![(0, 14), (1, 11)],
            address: "http://localhost/daily/2026-11-27".to_owned(),
            seats: players(),
            decisions,
        })),
        counts: vec![
            ScoreCountView {
                hexes: 9,
                is_won: false,
                games: 19,
            },
            ScoreCountView {
                hexes: 14,
                is_won: true,
                games: 6,
            },
        ],
        streak: 3,
        yesterday: None,
        calendar: Vec::new(),
        commitment: String::new(),
        next_commitment: None,
        is_late: false,
        secret: None,
    };
    let page = daily_page(&site(NavSection::Daily), text(), &view).into_string();
    page.replace('\u{a0}', " ")
}

fn ready(best: Option<u32>, costliest: Option<u32>) -> String {
    result(DailyDecisionsView::Ready(Box::new(NotableDecisionsView {
        best: best.map(decision),
        costliest: costliest.map(decision),
    })))
}

#[test]
fn the_best_and_the_costliest_decision_name_both_moves() {
    let page = ready(Some(6), Some(9));
    for part in [
        "<b>+6 points</b> more than the next best: <b>3 against 2 (10 → 16)</b> instead of 3 against 2 (12 → 7).",
        "<b>−9 points</b>: <b>3 against 2 (10 → 16)</b>, where <b>3 against 2 (12 → 7)</b> was better.",
        r#"href="/g/abcdefgh/12""#,
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("No decision cost more"));
}

#[test]
fn a_game_without_mistakes_is_said_to_be_one() {
    for costliest in [None, Some(2)] {
        let page = ready(None, costliest);
        assert_contains(&page, &["No decision cost more than 2 points."]);
        assert!(!page.contains("Your best decision") && !page.contains("points</b>"));
    }
    assert!(ready(None, Some(3)).contains("−3 points"));
}

#[test]
fn the_space_is_kept_while_the_decisions_are_looked_for() {
    let page = result(DailyDecisionsView::InProgress { done: 3, of: 40 });
    assert!(page.contains("Looking for your best decision…"));
    assert!(page.contains("data-wait") && page.contains(r#"http-equiv="refresh""#));
    let page = result(DailyDecisionsView::Unavailable);
    assert!(!page.contains("data-wait") && !page.contains("costliest"));
}

#[test]
fn the_result_is_said_drawn_and_copied() {
    let page = ready(Some(6), None);
    assert_contains(
        &page,
        &[
            "<h1>Won with 14 of 25 hexes</h1>",
            "Better than <b>76%</b> of 25 people so far.",
            "<b>3 days in a row</b>",
            "Next board in ",
            ">7 h 12 min</span>",
            "(at 07:12 UTC)",
            "Turn 3: 6 of 10 yours",
            "aria-label=\"How many hexes everybody held at the end. You: 14.\"",
            "You: 14</text>",
            "Dice of Doom, 27 November\nWon with 14 of 25, day 3\n🟥🟥🟦🟦🟦🟦🟦🟦🟦🟦\n🟥🟥🟥🟦🟦🟦🟦🟦🟦🟦\n\
            🟥🟥🟥🟥🟥🟥🟦🟦🟦🟦\nhttp://localhost/daily/2026-11-27</textarea>",
        ],
    );
    let page = Page(page);
    assert_eq!(page.texts(".btn.main"), ["Copy result"]);
    assert_eq!(page.count(".drawn li:last-of-type i.p0"), 6);
    assert_eq!(page.count(".streak i"), 3);
}
