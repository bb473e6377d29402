//! All pages by name, rendered from the other samples.

use std::sync::Arc;

use ::dice_of_doom::templates::dice_of_doom::book_page::book_page;
use ::dice_of_doom::templates::error::ErrorView;
use ::dice_of_doom::templates::game::GameView;
use ::dice_of_doom::templates::games::CardView;
use ::dice_of_doom::templates::message::LocalizedMessage;
use ::dice_of_doom::templates::my_record::{
    MonthView, MyRecordView, OpponentResultsView, RecordFilterView, my_record_page,
};
use ::dice_of_doom::templates::page::NavSection;
use ::dice_of_doom::templates::prompt::{Notice, Prompt};
use ::dice_of_doom::templates::seats::RematchOption;
use ::dice_of_doom::templates::settings::SettingsView;
use ::dice_of_doom::templates::{
    LogView, api_page, dice_of_doom, error_page, game_page, join_page, log_page, rules_page,
    settings_page, setup_page, start_page, trilobite,
};

use super::boards::{choosing_source, idle_board};
use super::chips::{
    choose_column, column_chosen, columns, draw, line, middlegame, trilobite, with_open_columns,
};
use super::dice::{
    book, choose_source, confirming, game, game_without_dice, log, players, sized_game,
    target_chosen, waiting,
};
use super::over::finished_game;
use super::seats::{departed, hosting, inviting, join, joined, refused_join, rematched, slow};
use super::start::{cards, refused_chips, rejected_form, start};
use super::turns::{
    end_confirmation, reinforcements, reinforcements_on_board, turn_summary, with_end_turn,
    with_game_end,
};
use super::{site, site_with, text};
use crate::common::Page;

pub(crate) fn pages() -> Vec<(&'static str, Page)> {
    let play = site(NavSection::Play);
    let error = |status, key| ErrorView {
        status,
        key,
        hosts: None,
        request_id: None,
    };
    let (missing, stale) = (error(404, "error-not-found"), error(409, "error-stale"));
    let confirming = confirming();
    let replay = GameView {
        ply: 40,
        mover: Some(3),
        ..game(Prompt::Replay, idle_board())
    };
    let noticed = GameView {
        notice: Some(Notice::Rules(
            LocalizedMessage::new("notice-one-die").with_value("hex", 20u8),
        )),
        ..game(choose_source(), choosing_source())
    };
    let columns_open = trilobite(choose_column(), with_open_columns(middlegame()));
    let columns_waiting = GameView {
        refresh_s: Some(1),
        mover: Some(1),
        ..trilobite(
            Prompt::Thinking {
                player: 1,
                ahead: 0,
            },
            middlegame(),
        )
    };
    let queued = GameView {
        prompt: Prompt::Thinking {
            player: 1,
            ahead: 12,
        },
        ..waiting()
    };
    let long = |chips: &[&str], height| {
        trilobite(
            choose_column(),
            with_open_columns(columns(height, 4, chips)),
        )
    };
    let with_settings = |settings: &str, view: &GameView| {
        game_page(&site_with(settings, NavSection::Play), text(), view)
    };
    let shown = |view: &GameView| game_page(&play, text(), view);
    let flat = |view: &GameView| with_settings("board-flat", view);
    let elsewhere = site(NavSection::Elsewhere);
    let rules = [
        dice_of_doom::rules::rules(text()),
        trilobite::rules::rules(text()),
    ];
    let settings = |settings: &str, back: Option<&str>| {
        let view = SettingsView {
            saved: back.is_some(),
            back: back.map(str::to_owned),
            feed: None,
            examples: vec![
                Arc::new(dice_of_doom::DiceSettingsExample),
                Arc::new(trilobite::TrilobiteSettingsExample),
            ],
        };
        settings_page(&site_with(settings, NavSection::Settings), text(), &view)
    };
    let own_games = |games| my_record_page(&site(NavSection::Record), text(), &my_record(games));
    [
        ("columns", shown(&columns_open)),
        ("columns-chosen", shown(&column_chosen())),
        ("columns-waiting", shown(&columns_waiting)),
        ("queued", shown(&queued)),
        ("columns-line", shown(&line())),
        ("columns-draw", shown(&draw())),
        ("columns-3", shown(&long(&["r", "b", ""], 3))),
        ("columns-14", shown(&long(&["rb"; 14], 8))),
        ("columns-64", shown(&long(&[""; 64], 1))),
        ("columns-127", shown(&long(&["rbr"], 127))),
        ("plain", shown(&game_without_dice())),
        ("start-chips", setup_page(&play, text(), &refused_chips())),
        ("game", shown(&target_chosen())),
        ("source", shown(&noticed)),
        ("confirm", shown(&confirming)),
        ("end-dice", shown(&reinforcements_on_board())),
        (
            "end-room",
            shown(&with_end_turn(reinforcements(4, 3, false))),
        ),
        (
            "end-alone",
            shown(&with_end_turn(reinforcements(4, 3, true))),
        ),
        ("end-wins", shown(&with_game_end(true))),
        ("end-loses", shown(&with_game_end(false))),
        ("end-asks", shown(&end_confirmation())),
        ("since", shown(&turn_summary(112))),
        ("since-start", shown(&turn_summary(0))),
        ("flat-end-dice", flat(&reinforcements_on_board())),
        ("flat-end-loses", flat(&with_game_end(false))),
        ("flat-since", flat(&turn_summary(112))),
        ("waiting", shown(&waiting())),
        ("replay", shown(&replay)),
        ("over", shown(&finished_game())),
        ("flat", flat(&target_chosen())),
        (
            "flat-source",
            with_settings("board-flat.coordinates-on", &noticed),
        ),
        ("flat-over", flat(&finished_game())),
        (
            "flat-odds-off",
            with_settings("board-flat.odds-off", &target_chosen()),
        ),
        ("odds-off", with_settings("odds-off", &confirming)),
        (
            "game-dark",
            with_settings("theme-dark.coordinates-on", &target_chosen()),
        ),
        (
            "game-okabe",
            with_settings("theme-light.colours-okabe", &sized_game(5, 5)),
        ),
        (
            "game-contrast",
            with_settings("theme-light.colours-contrast", &sized_game(5, 5)),
        ),
        (
            "game-contrast-dark",
            with_settings("theme-dark.colours-contrast", &sized_game(5, 5)),
        ),
        (
            "flat-contrast-dark",
            with_settings("theme-dark.colours-contrast.board-flat", &sized_game(5, 5)),
        ),
        (
            "flat-okabe-dark",
            with_settings("theme-dark.colours-okabe.board-flat", &sized_game(5, 5)),
        ),
        ("piles-2", with_settings("", &sized_game(2, 3))),
        ("piles-3", with_settings("", &sized_game(3, 3))),
        (
            "piles-8",
            with_settings("coordinates-on", &sized_game(8, 8)),
        ),
        ("flat-2", flat(&sized_game(2, 3))),
        ("flat-3", flat(&sized_game(3, 3))),
        (
            "flat-8",
            with_settings("board-flat.coordinates-on", &sized_game(8, 8)),
        ),
        (
            "columns-contrast",
            with_settings("theme-dark.colours-contrast", &column_chosen()),
        ),
        ("settings", settings("", None)),
        (
            "settings-dark",
            settings("theme-dark.colours-okabe.board-flat", Some("/g/abc")),
        ),
        ("hosting", shown(&hosting())),
        ("joined", shown(&joined())),
        ("inviting", shown(&inviting())),
        ("departed", shown(&departed())),
        ("slow", shown(&slow())),
        ("rematched", shown(&rematched(&[RematchOption::New]))),
        (
            "rematched-both",
            shown(&rematched(&[RematchOption::New, RematchOption::Same])),
        ),
        ("join", join_page(&play, text(), &join(false))),
        ("join-back", join_page(&play, text(), &join(true))),
        ("join-refused", join_page(&play, text(), &refused_join())),
        ("start", start_page(&play, text(), &start())),
        ("start-form", setup_page(&play, text(), &rejected_form())),
        ("games", own_games(cards())),
        ("games-none", own_games(Vec::new())),
        (
            "rules",
            rules_page(&site(NavSection::Elsewhere), text(), &rules),
        ),
        ("book", book_page(&elsewhere, text(), &book())),
        (
            "log",
            log_page(
                &play,
                text(),
                &LogView {
                    id: "abcdefgh",
                    entries: &log(),
                    seat_events: &[],
                    players: &players(),
                },
            ),
        ),
        (
            "api",
            api_page(
                &site(NavSection::Elsewhere),
                text(),
                "http://dice.example",
                &[],
            ),
        ),
        ("error", error_page(&elsewhere, text(), &missing, None)),
        (
            "error-board",
            error_page(&elsewhere, text(), &stale, Some(&target_chosen())),
        ),
    ]
    .map(|(name, page)| (name, Page(page.into_string())))
    .to_vec()
}

pub(crate) fn page(name: &str) -> Page {
    pages()
        .into_iter()
        .find(|(other, _)| *other == name)
        .map(|(_, page)| page)
        .expect("the page is listed above")
}

/// The page of a game.
pub(crate) fn game_shown(view: &GameView) -> Page {
    game_shown_with("", view)
}

/// The page of a game with display options.
pub(crate) fn game_shown_with(settings: &str, view: &GameView) -> Page {
    let site = site_with(settings, NavSection::Play);
    Page(game_page(&site, text(), view).into_string())
}

fn my_record(cards: Vec<CardView>) -> MyRecordView {
    let games = cards.len() as u32;
    let month = |month: &str, luck, decisions, accuracy| MonthView {
        month: month.to_owned(),
        games: 4,
        luck,
        decisions,
        accuracy,
    };
    MyRecordView {
        filter: RecordFilterView {
            rules: vec![("{}".to_owned(), LocalizedMessage::new("site-name"))],
            months: vec!["2026-11".to_owned(), "2026-10".to_owned()],
            month: "2026-11".to_owned(),
            opponents: vec!["easy", "steady", "mixed", "people"],
            ..RecordFilterView::default()
        },
        all_games: games,
        is_truncated: true,
        since: "2026-10".to_owned(),
        played: games * 5,
        won: 2,
        share: (0.4, Some(0.25)),
        accuracy: Some(0.91),
        accuracy_games: 20,
        days: (7, 9, 41),
        puzzles: (63, 88, 1520),
        by_opponents: [("easy", Some(0.7)), ("people", Some(0.25)), ("mixed", None)]
            .map(|(opponents, expected)| OpponentResultsView {
                opponents,
                games: 3,
                share: 0.4,
                expected,
            })
            .to_vec(),
        months: vec![
            month("2026-10", 3, -14, 0.78),
            month("2026-11", -6, 0, 0.915),
        ],
        reviewing: 0,
        to_review: 3,
        listed: (1, games),
        cards,
        newer: Some("/me?page=1#games".to_owned()),
        older: Some("/me?page=3#games".to_owned()),
        carry_over: true,
        game: "dice",
    }
}
