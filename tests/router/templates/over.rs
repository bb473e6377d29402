//! Finished games: the winner, the reason, the course of the game, and rematches.

use dice_of_doom::templates::game::{GameView, PlayerResult};
use dice_of_doom::templates::game_over::MilestoneView;
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::seats::{RematchOption, RematchStepView, RematchView};

use crate::templates::samples::boards::idle_board;
use crate::templates::samples::over::finished_game;
use crate::templates::samples::pages::{game_shown, game_shown_with, page};

#[test]
fn a_rematch_button_becomes_a_link() {
    let html = page("over");
    assert!(html.contains(">Rematch<") && html.contains("Same board, play Blue"));
    assert!(!html.contains("To the rematch"));
    let created = page("rematched");
    assert!(created.contains("To the rematch") && created.has("[href='/g/zzzzzzzz']"));
    assert!(!created.contains(">Rematch<") && created.contains("Same board, play Blue"));
    assert!(!page("rematched-both").has("[action$='/rematch']"));
    for name in ["over", "rematched", "rematched-both"] {
        assert_eq!(page(name).count(".btn.main"), 1, "{name}");
    }
}

#[test]
fn rematches_with_other_levels_have_buttons() {
    let mut view = finished_game();
    view.seats_panel.steps = vec![
        RematchStepView {
            kind: RematchOption::Easier,
            opponents: None,
        },
        RematchStepView {
            kind: RematchOption::Harder,
            opponents: Some("medium"),
        },
    ];
    // A loser is offered no stronger computers, a winner no weaker ones.
    for (result, easier, harder) in [
        (PlayerResult::Lost, true, false),
        (PlayerResult::Won, false, true),
    ] {
        view.result.as_mut().expect("a result").own_result = Some(result);
        let html = game_shown(&view);
        assert_eq!(html.has("[value=easier]"), easier, "{result:?}");
        assert_eq!(html.has("[value=harder]"), harder, "{result:?}");
        assert!(html.has(".row [name=opponents]"), "{result:?}");
    }
    view.result.as_mut().expect("a result").own_result = Some(PlayerResult::Tied);
    let html = game_shown(&view);
    for (value, label) in [("easier", "Easier"), ("harder", "Harder: Medium")] {
        let form = format!(
            r#"<input type="hidden" name="opponents" value="{value}"><button class="btn">{label}</button>"#
        );
        assert!(html.contains(&form), "{form}");
    }
    assert!(html.has(".row [value=harder]") && html.has(".menu [value=easier]"));
    assert_eq!(html.count(".btn.main"), 1);
    view.seats_panel.rematches = vec![RematchView {
        kind: RematchOption::Easier,
        id: "zzzzzzzz".into(),
    }];
    let created = game_shown(&view);
    assert!(created.contains("To the easier rematch") && created.contains(">Harder: Medium<"));
    assert!(!created.contains(">Easier<"));
    view.may_rematch = false;
    assert!(!game_shown(&view).has("[action$='/rematch']"));
    assert!(!page("over").has("[name=opponents]"));
}

#[test]
fn one_row_has_the_next_actions_and_a_menu_the_others() {
    let row = |view: &GameView| {
        let row = game_shown(view).part(".res .row");
        row.texts("a, button")
    };
    let mut view = finished_game();
    let result = view.result.as_mut().expect("a result");
    result.own_result = Some(PlayerResult::Won);
    // Nobody is stronger than these opponents.
    let same = "Same board, play Blue";
    assert_eq!(row(&view), ["Rematch", same, "Review this game"]);
    view.seats_panel.steps = vec![RematchStepView {
        kind: RematchOption::Harder,
        opponents: Some("hard"),
    }];
    assert_eq!(row(&view), ["Rematch", "Harder: Hard", "Review this game"]);
    let page = game_shown(&view);
    let menu = page.part(".menu:last-child");
    let ways = menu.texts("button, a");
    for way in [
        same,
        "New game",
        "Move by move",
        "Full log",
        "Record as text",
    ] {
        assert!(ways.contains(&way.to_owned()), "{way}: {ways:?}");
    }
    // The scored game of a day has its result elsewhere, and its copy has no score.
    view.next_steps.as_mut().expect("next steps").daily_result = Some("/daily/2026-11-27".into());
    let page = game_shown(&view);
    assert_eq!(
        page.text("a[data-onward][href='/daily/2026-11-27']"),
        "Your result"
    );
    assert_eq!(page.texts(".btn.main"), ["Your result"]);
}

#[test]
fn a_win_says_what_it_is_the_first_of() {
    let said = |milestone| {
        let mut view = finished_game();
        let result = view.result.as_mut().expect("a result");
        result.own_result = Some(PlayerResult::Won);
        view.next_steps.as_mut().expect("next steps").milestone = milestone;
        game_shown(&view).text(".whose")
    };
    assert_eq!(said(None), "Blue wins 9–8");
    assert_eq!(said(Some(MilestoneView::FirstWin)), "Your first win");
    for (opponents, words) in [
        ("medium", "Your first win against Medium"),
        ("greedy", "Your first win against Greedy"),
    ] {
        let milestone = MilestoneView::FirstWinAgainst { opponents };
        assert_eq!(said(Some(milestone)), words);
    }
    for (wins, words) in [(3, "Your third win in a row"), (12, "12 wins in a row")] {
        assert_eq!(said(Some(MilestoneView::WinsInARow { wins })), words);
    }
}

#[test]
fn the_hexes_of_a_winner_are_raised() {
    let mut view = finished_game();
    let own = idle_board()
        .hexes
        .iter()
        .filter(|hex| hex.owner == 0)
        .count();
    assert!(own > 0 && !game_shown(&view).has(".risen"));
    view.result.as_mut().expect("a result").own_result = Some(PlayerResult::Won);
    let page = game_shown(&view);
    assert_eq!(page.count(".choosing .hex.p0.tgt > .risen"), own);
    assert_eq!(page.count(".risen"), own);
    // The players with hexes, most first.
    assert_eq!(page.count(".sums .tok"), page.count(".sums b"));
    let sums = page.texts(".sums b");
    let sums: Vec<u32> = sums
        .iter()
        .map(|sum| sum.parse().expect("a number"))
        .collect();
    assert!(sums.is_sorted_by(|a, b| a >= b), "{sums:?}");
    // The flat board has no columns.
    let flat = game_shown_with("board-flat", &view);
    assert!(!flat.contains("risen") && flat.contains(" tgt"));
}

#[test]
fn what_is_shared_is_a_result() {
    let mut view = finished_game();
    let shared = |view: &GameView| {
        let lines = game_shown(view).map("#result-text", |field| field.text().collect::<String>());
        lines.concat().replace('\u{a0}', " ")
    };
    let text = shared(&view);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("Dice of Doom, against "), "{text}");
    assert_eq!(lines[1], "Lost by one hex");
    assert_eq!(lines[2].chars().count(), 10, "{text}");
    assert_eq!(lines[3..], ["http://localhost/g/abcdefgh"]);
    // Others cannot open a private game.
    view.share.as_mut().expect("it can be shared").private = true;
    assert!(!shared(&view).contains("http"));
}

#[test]
fn the_end_leads_on() {
    let mut view = finished_game();
    let html = game_shown(&view);
    for part in [
        "Lesson: Attack on good odds</h2><p>You attacked 7 times with less than 50 %, and 5 failed.</p>",
        r#"href="/learn/odds">Start<"#,
        "Not played yet today; 6 days in a row so far.",
        r#"href="/daily">Play<"#,
        r#"href="/g/abcdefgh/board.png?ply=132">Picture<"#,
        r#"href="/g/abcdefgh/record.txt">Record as text<"#,
        r#"href="/g/abcdefgh/film?from=0&amp;to=132">Film<"#,
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("advised"));
    let next = view.next_steps.as_mut().expect("there are next steps");
    next.lesson.as_mut().expect("a lesson").losses = Some(3);
    next.daily = None;
    let html = game_shown(&view);
    assert!(html.has(".panel.advised"));
    assert!(html.contains("You lost 3 games in a row. You attacked 7 times"));
    assert!(!html.texts("a[href='/daily']").contains(&"Play".to_owned()));
    // A spectator is offered nothing, and shares the game.
    view.next_steps = None;
    let html = game_shown(&view);
    assert!(!html.has(".next-steps") && html.contains(">Picture<"));
}

#[test]
fn the_page_shows_the_winner_and_the_reason() {
    let page = page("over");
    assert!(page.contains("<title>Lost by one hex · Dice of Doom</title>"));
    assert!(page.contains(">Lost by one hex</h1>") && page.contains("Blue wins 9–8"));
    assert!(page.contains(
        "Green’s 2 hexes had a single die each on their turn, and one die cannot attack, so the game \
         ended. Most hexes win: Blue 9, you 8, Purple 6, Green 2."
    ));
    assert!(page.has("[action='/g/abcdefgh/rematch']"));
}

#[test]
fn wins_and_losses_differ_and_spectators_see_the_winner() {
    let ending = |result_of_reader, place: Option<LocalizedMessage>| {
        let mut view = finished_game();
        let result = view.result.as_mut().expect("it is over");
        (result.own_result, result.placement) = (result_of_reader, place);
        game_shown(&view)
    };
    let won = ending(
        Some(PlayerResult::Won),
        Some(LocalizedMessage::new("over-won-by").with_value("n", 14u8)),
    );
    assert!(won.has(".over.won") && won.contains(">Won by 14 hexes</h1>"));
    let tied = ending(
        Some(PlayerResult::Tied),
        Some(LocalizedMessage::new("over-tied").with_players([1, 2, 3])),
    );
    assert!(tied.has(".over.tied"));
    assert!(tied.contains(">A tie with Blue, Green and Purple</h1>"));
    let watched = ending(None, None);
    assert!(watched.has("[class=over]") && watched.contains(">Blue wins 9–8</h1>"));
    assert!(watched.contains("After 132 moves"));
    assert!(page("over").has(".over.lost"));
}

#[test]
fn the_page_shows_the_course_of_the_game() {
    let page = page("over");
    // Two charts with equivalent tables, and a switch that works without scripts.
    assert_eq!(page.count("svg.graph"), 2);
    assert_eq!(page.count(".graph polyline"), 8);
    // The axis has the numbers of turns: four players have had one, and the first one has had another.
    let axis = page.texts(".of-hexes .ax:not(.at)");
    assert_eq!(axis, ["start", "1", "2", "turns"]);
    let rows = page.texts(".of-hexes tbody th");
    assert!(
        rows[1].starts_with("1 ") && rows[5].starts_with("2 "),
        "{rows:?}"
    );
    assert_eq!(page.count("[type=radio][name=held]"), 2);
    assert!(page.has("[value=hexes][checked]"));
    let start = page.texts(".of-dice tbody > tr:first-child > *");
    assert_eq!(start[..3], ["start", "14", "14"]);
    assert_eq!(page.count("g.mk"), 6);
    // Each swing links to its move.
    for text in [
        "href=\"/g/abcdefgh/9\"><span class=\"no\">1</span><span><b>Your 2 beat Blue’s 4</b>, 6% likely",
        "href=\"/g/abcdefgh/40\"><span class=\"no\">2</span><span><b>Blue’s 4 lost to your 2</b>, 9% likely",
        "<b>Blue’s 4 lost to Green’s 3</b>, 26% likely</span><small>turn 2</small>",
        "You won 2 rolls more than expected.",
        "<td>55</td><td>29</td><td>27.2</td>",
        "<b>+1.8</b>",
        "<b>−1.4</b>",
        "<b>0.0</b>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // A game without a history has none of this.
    assert!(!self::page("columns-line").has(".course"));
}
