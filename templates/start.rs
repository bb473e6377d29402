//! The start page: one main button, and everything else below it.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::countdown::{CountdownView, countdown, local_time};
use super::daily::{YesterdayView, yesterday_line};
use super::game::GameTitle;
use super::games::{CardView, card, cards};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::new_game_form::{NewGameFormView, form};
use super::page::{
    Refresh, SiteContext, emphasised, page, page_title, page_with_card, stylesheet_link,
};
use super::players::PlayerNames;
use super::preferences::DisplayOptions;
use super::seats;
use super::social_card::SocialCard;
use super::tables::{OpenTableView, start_page_tables};

/// View of the start page.
#[derive(Clone, Debug, Default)]
pub struct StartView {
    /// An example position, shown if no featured game is running.
    pub hero: Option<Arc<dyn BoardComponent>>,
    /// The featured game between computers, shown instead of the example if there is one.
    pub featured: Option<FeaturedGameView>,
    /// The game that the main button starts.
    pub game: &'static str,
    /// Other games, each with its own start page.
    pub others: Vec<GameTitle>,
    /// Whether the viewer has seats from before the site moved to TLS that can be carried over.
    pub carry_over: bool,
    /// The opponents of the viewer's last game whose opponents were chosen.
    pub opponents: Option<&'static str>,
    /// The board of the first lesson, if the viewer may want it.
    pub lesson: Option<Arc<dyn BoardComponent>>,
    /// The board of the day.
    pub daily: Option<DayBoardView>,
    /// The puzzle of the day; `None` if the game has no puzzles.
    pub puzzle: Option<DayPuzzleView>,
    /// When the next board and puzzle of the day come, if the page says so.
    pub next_day: Option<CountdownView>,
    /// Open tables, up to two, and the number of all of them.
    pub tables: (Vec<OpenTableView>, u32),
    /// Whether a viewer who joins an open table is asked for a name.
    pub asks_name: bool,
    /// The viewer's newest games, up to four.
    pub games: Vec<CardView>,
    /// Games of other people, up to six.
    pub watch: Vec<CardView>,
}

/// The board of the day.
#[derive(Clone, Debug)]
pub struct DayBoardView {
    /// The board at the start.
    pub board: Arc<dyn BoardComponent>,
    /// The number of people who have finished it.
    pub people: u32,
    /// The number of days in a row that the viewer has played, up to today or yesterday.
    pub streak: u32,
    /// Whether the viewer has begun the scored game, and whether it is over.
    pub attempt: DayAttempt,
    /// What was played yesterday, if anything was.
    pub yesterday: Option<YesterdayView>,
}

/// The viewer's scored game of today.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DayAttempt {
    /// Not begun.
    None,
    /// In progress.
    Begun,
    /// Over.
    Over {
        /// The viewer's hexes at the end.
        hexes: u32,
        /// Whether the viewer won.
        is_won: bool,
    },
}

/// The puzzle of the day.
#[derive(Clone, Debug)]
pub struct DayPuzzleView {
    /// Its address.
    pub address: String,
    /// Its theme, as in the keys of its texts.
    pub theme: String,
    /// The board, without links.
    pub board: Arc<dyn BoardComponent>,
    /// Whether the viewer has solved it; `None` if the viewer has not answered.
    pub is_solved: Option<bool>,
    /// The number of days in a row on which the viewer has solved the puzzle of the day, up to today or yesterday.
    pub streak: u32,
}

/// A game between computers that anyone may watch.
#[derive(Clone, Debug)]
pub struct FeaturedGameView {
    /// Public id of the game.
    pub id: String,
    /// Number of plies played.
    pub ply: u32,
    /// The current board.
    pub board: Arc<dyn BoardComponent>,
    /// The turn, as a sentence.
    pub turn: LocalizedMessage,
    /// The last event.
    pub event: Option<LocalizedMessage>,
    /// The result, if the game is over.
    pub verdict: Option<LocalizedMessage>,
}

/// View of the start page of a game other than the default one.
#[derive(Clone, Debug)]
pub struct GameStartView {
    /// The game.
    pub game: GameTitle,
    /// Message key of a sentence about it.
    pub about: &'static str,
    /// The opponents that one press starts a game with: message key of the name, and level.
    pub opponents: Vec<(&'static str, &'static str)>,
    /// A position of the game, and the address of its puzzle.
    pub puzzle: Option<(Arc<dyn BoardComponent>, String)>,
    /// The form.
    pub form: NewGameFormView,
}

/// The opponents that the main button can start a game with: name in the form, message key of the displayed
/// name, message key of the description. The first is preselected unless the viewer's last game had other
/// ones.
const OPPONENTS: [(&str, &str, &str); 3] = [
    ("easy", "opponents-easy", "opponents-easy-about"),
    ("medium", "opponents-medium", "opponents-medium-about"),
    ("hard", "opponents-hard", "opponents-hard-about"),
];

/// Message key of the displayed name of these opponents.
pub(super) fn opponents_key(name: &str) -> Option<&'static str> {
    let mut options = OPPONENTS.into_iter();
    options
        .find(|(option, ..)| *option == name)
        .map(|(_, key, _)| key)
}

/// Renders the page `/`.
#[must_use]
pub fn start_page(site: &SiteContext<'_>, text: &Translations, view: &StartView) -> Markup {
    let main = html! {
        main #main {
            (stylesheet_link(site, "start.css"))
            @if view.carry_over { (seats::carry_over(text, None)) }
            (games_and_days(site, text, view))
        }
    };
    let title = text.get("start-title");
    let card = SocialCard {
        title: title.clone().into_owned(),
        description: text.get("start-lead").into_owned(),
        path: Some("/".to_owned()),
        picture: "/board.png".to_owned(),
    };
    page_with_card(site, text, &title, &Refresh::Never, Some(&card), main)
}

/// The main button with a board beside it, and below what changes every day and the viewer's games.
fn games_and_days(site: &SiteContext<'_>, text: &Translations, view: &StartView) -> Markup {
    // The viewer's newest game, if in progress, is continued before another one is started; one that was played on from
    // another game is just a try.
    let (resumable, games) = match view.games.split_first() {
        Some((first, games)) if first.can_continue() && !first.is_aside => (Some(first), games),
        _ => (None, &view.games[..]),
    };
    html! {
        div.start {
            section.hero {
                @match resumable {
                    Some(game) => { (resume(text, game)) }
                    None => {
                        h1 { (text.get(if view.games.is_empty() { "start-headline" } else { "start-again" })) }
                        p.lead { (text.get("start-lead")) }
                    }
                }
                form.play method="post" action=(text.path("/games")) {
                    input type="hidden" name="game" value=(view.game);
                    button.btn.huge.main[resumable.is_none()] {
                        svg.face.p0 aria-hidden="true" { use href="#f5" {} }
                        span { (text.get("start-play")) }
                    }
                    (opponents(text, view.opponents))
                }
                ul.others {
                    li { a href=(text.path("/tables")) { (text.get("start-people")) } }
                    @for other in &view.others {
                        li { a href={ (text.path("/?game=")) (other.game) } { (text.get(other.title)) } }
                    }
                    li { a href={ (text.path("/?game=")) (view.game) } { (text.get("start-setup")) } }
                }
            }
            @match (&view.featured, &view.hero) {
                (Some(onair), _) => { (featured_game(text, &site.display, onair)) }
                (None, hero) => { div.live #live { @if let Some(hero) = hero { (hero.picture(text, &site.display, &text.get("board-hero"))) } } }
            }
            (stylesheet_link(site, "day.css"))
            div.today {
                @if let Some(daily) = &view.daily { (day_board(text, daily)) }
                @if let Some(puzzle) = &view.puzzle { (day_puzzle(text, puzzle)) }
                @if let Some(board) = &view.lesson { (first_lesson(text, board)) }
                @if let Some(next) = &view.next_day { (next_day(site, text, next)) }
            }
            @if !view.tables.0.is_empty() { (start_page_tables(site, text, (&view.tables.0, view.tables.1), view.asks_name)) }
            @if !games.is_empty() {
                section.mine {
                    h2 { (text.get("start-games")) }
                    (cards(text, games))
                    p { a href=(text.path("/me#games")) { (text.get("start-all-games")) } }
                }
            }
            @if !view.watch.is_empty() {
                section.mine.watch {
                    h2 { (text.get("start-watch")) }
                    (cards(text, &view.watch))
                }
            }
        }
    }
}

fn day_board(text: &Translations, daily: &DayBoardView) -> Markup {
    let button = match daily.attempt {
        DayAttempt::None => "start-day-play",
        DayAttempt::Begun => "daily-continue",
        DayAttempt::Over { .. } => "start-day-result",
    };
    let result = match daily.attempt {
        DayAttempt::Over { hexes, is_won } => {
            let key = if is_won {
                "start-day-won"
            } else {
                "start-day-lost"
            };
            Some(text.get_with(key, &[("hexes", hexes.into())]))
        }
        DayAttempt::None | DayAttempt::Begun => None,
    };
    html! {
        section.day.board-of-day.done[result.is_some()] {
            (daily.board.small())
            div {
                h2 { (text.get("next-daily")) }
                @match (result, daily.yesterday.as_ref().filter(|yesterday| yesterday.own.is_some())) {
                    (Some(result), _) => { p { b { (result) } } }
                    (None, Some(yesterday)) => { (yesterday_line(text, yesterday)) }
                    (None, None) => { p { (text.get_with("start-day-people", &[("people", daily.people.into())])) } }
                }
                @if daily.streak > 0 {
                    p { (text.get_with("me-days", &[("days", daily.streak.into())])) }
                }
                a.btn href=(text.path("/daily")) { (text.get(button)) }
            }
        }
    }
}

fn day_puzzle(text: &Translations, puzzle: &DayPuzzleView) -> Markup {
    let (result, button) = match puzzle.is_solved {
        None => (None, "puzzle-solve-it"),
        Some(true) => (Some("start-puzzle-solved"), "start-puzzle-another"),
        Some(false) => (Some("start-puzzle-missed"), "start-puzzle-another"),
    };
    let address = match result {
        None => &puzzle.address,
        Some(_) => "/puzzles",
    };
    html! {
        section.day.done[result.is_some()] {
            (puzzle.board.small())
            div {
                h2 { (text.get("puzzle-of-the-day")) }
                p {
                    @match result {
                        Some(result) => { b { (text.get(result)) } }
                        None => { (text.get(&format!("puzzle-theme-{}", puzzle.theme))) }
                    }
                }
                @if puzzle.streak > 0 {
                    p { (text.get_with("me-days", &[("days", puzzle.streak.into())])) }
                }
                a.btn href=(text.path(address)) { (text.get(button)) }
            }
        }
    }
}

fn first_lesson(text: &Translations, board: &Arc<dyn BoardComponent>) -> Markup {
    html! {
        section.day {
            (board.small())
            div {
                h2 { (text.get("start-lesson")) }
                p { (text.get("start-lesson-about")) }
                a.btn href=(text.path("/learn")) { (text.get("start-lesson-start")) }
            }
        }
    }
}

fn next_day(site: &SiteContext<'_>, text: &Translations, next: &CountdownView) -> Markup {
    html! {
        section.day.next {
            div {
                h2 { (text.get("start-next")) }
                p { b { (countdown(site, text, next)) } }
                p { (local_time(text, next)) }
            }
        }
    }
}

/// Renders the page with the form of a new game.
#[must_use]
pub fn setup_page(site: &SiteContext<'_>, text: &Translations, view: &NewGameFormView) -> Markup {
    let title = text.get("start-setup");
    let main = html! {
        main #main.page {
            (stylesheet_link(site, "start.css"))
            h1 { (title) }
            (form(text, &site.display, view))
        }
    };
    let title = page_title(text, &title);
    page(site, text, &title, &Refresh::Never, main)
}

/// Renders the start page of a game other than the default one, `/?game=NAME`.
#[must_use]
pub fn game_start_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameStartView,
) -> Markup {
    let title = text.get(view.game.title);
    let main = html! {
        main #main {
            (stylesheet_link(site, "start.css"))
            div.start {
                section.hero {
                    h1 { (title) }
                    p.lead { (text.get(view.about)) }
                    form.by-level method="post" action=(text.path("/games")) {
                        input type="hidden" name="game" value=(view.game.game);
                        input type="hidden" name="seats" value="human";
                        @for (i, (name, level)) in view.opponents.iter().enumerate() {
                            button.btn.main[i == 0] name="seats" value=(level) { (text.get_with(name, &[("place", "head".into())])) }
                        }
                    }
                    ul.others {
                        li { a href=(text.path("/tables")) { (text.get("start-people")) } }
                        li { a href=(text.path("/puzzles")) { (text.get("nav-puzzles")) } }
                    }
                    details.custom {
                        summary { (text.get("start-setup")) }
                        (form(text, &site.display, &view.form))
                    }
                }
                @if let Some((board, address)) = &view.puzzle {
                    div.live {
                        (board.picture(text, &site.display, &title))
                        div.onair { p { (text.get("puzzle-of-the-day")) } a.btn href=(text.path(address)) { (text.get("puzzle-solve-it")) } }
                    }
                }
            }
        }
    };
    let title = page_title(text, &title);
    page(site, text, &title, &Refresh::Never, main)
}

/// The viewer's game in progress, with a button that leads to it.
fn resume(text: &Translations, game: &CardView) -> Markup {
    let headline = if game.your_turn {
        "start-your-turn"
    } else {
        "start-goes-on"
    };
    html! {
        h1 { (text.get(headline)) }
        div.resume {
            (card(text, game))
            a.btn.main.huge href={ (text.path("/g/")) (game.id) } { (text.get("start-continue")) }
        }
    }
}

/// The featured game, which a script reloads periodically.
#[must_use]
pub fn featured_game(
    text: &Translations,
    display: &DisplayOptions,
    view: &FeaturedGameView,
) -> Markup {
    let no_names = PlayerNames::none(text);
    let sentence = match (&view.verdict, &view.event) {
        (Some(verdict), _) => {
            let verdict = verdict.render(text, &no_names);
            text.get_with("onair-over", &[("verdict", verdict.into())])
        }
        (None, Some(event)) => {
            let turn = view.turn.render(text, &no_names);
            let what = event.render(text, &no_names);
            text.get_with("onair", &[("turn", turn.into()), ("what", what.into())])
        }
        (None, None) => text.get("onair-begins"),
    };
    let watch = text.get(if view.verdict.is_some() {
        "onair-look"
    } else {
        "card-watch"
    });
    html! {
        div.live #live data-ply=(view.ply) {
            (view.board.picture(text, display, &text.get("board-hero")))
            div.onair {
                p { (emphasised(&sentence)) }
                a.btn href={ (text.path("/g/")) (view.id) } { (watch) }
            }
        }
    }
}

fn opponents(text: &Translations, chosen: Option<&str>) -> Markup {
    let chosen = chosen.filter(|name| opponents_key(name).is_some());
    let chosen = chosen.unwrap_or(OPPONENTS[0].0);
    html! {
        fieldset.levels {
            legend { (text.get("opponents")) }
            @for (name, key, about) in OPPONENTS {
                label {
                    input type="radio" name="opponents" value=(name) checked[name == chosen];
                    span { b { (text.get_with(key, &[("place", "head".into())])) } small { (text.get(about)) } }
                }
            }
        }
    }
}
