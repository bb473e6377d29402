//! The start page: one main button, and everything else below it.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::games::{CardView, card, cards};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::new_game_form::{NewGameFormView, form};
use super::page::{Refresh, SiteContext, emphasised, linked, page_with_card, stylesheet_link};
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
    /// Other games, each with its own button.
    pub others: Vec<OtherGameView>,
    /// Whether the viewer has seats from before the site moved to TLS that can be carried over.
    pub carry_over: bool,
    /// The opponents of the viewer's last game whose opponents were chosen.
    pub opponents: Option<&'static str>,
    /// Whether the viewer may want the first lesson.
    pub offers_lesson: bool,
    /// The board of the day.
    pub daily: Option<DayBoardView>,
    /// The puzzle of the day; `None` if the game has no puzzles.
    pub puzzle: Option<DayPuzzleView>,
    /// Open tables, up to two, and the number of all of them.
    pub tables: (Vec<OpenTableView>, u32),
    /// Whether a viewer who joins an open table is asked for a name.
    pub asks_name: bool,
    /// The viewer's newest games, up to four.
    pub games: Vec<CardView>,
    /// Games of other people, up to six.
    pub watch: Vec<CardView>,
    /// The form, with the viewer's input if it was rejected.
    pub form: NewGameFormView,
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
}

/// The viewer's scored game of today.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DayAttempt {
    /// Not begun.
    None,
    /// In progress.
    Begun,
    /// Over.
    Over,
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

/// A game that the start page offers besides the default one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherGameView {
    /// Its internal name.
    pub game: &'static str,
    /// Message key of its displayed name.
    pub title: &'static str,
    /// Message key of the button that starts it.
    pub play: &'static str,
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
    // The viewer's newest game, if in progress, is continued before another one is started.
    let (resumable, games) = match view.games.split_first() {
        Some((first, games)) if first.can_continue() => (Some(first), games),
        _ => (None, &view.games[..]),
    };
    let is_first_visit = view.games.is_empty();
    let main = html! {
        main #main {
            (stylesheet_link(site, "start.css"))
            @if view.carry_over { (seats::carry_over(text, None)) }
            div.start {
                section.hero {
                    @match resumable {
                        Some(game) => { (resume(text, game)) }
                        None => {
                            p.eyebrow { (with_title(&text.get("start-eyebrow"))) }
                            h1 { (text.get("start-headline")) }
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
                        p.why { (with_submit(&text.get("start-why"), "meet-book")) }
                    }
                    @if is_first_visit && view.offers_lesson {
                        div.second { a.btn href=(text.path("/learn")) { (text.get("start-lesson")) } }
                    }
                    form #meet-book method="post" action=(text.path("/games")) { input type="hidden" name="game" value=(view.game); }
                    @for other in &view.others {
                        form.second method="post" action=(text.path("/games")) {
                            input type="hidden" name="game" value=(other.game);
                            button.btn { (text.get(other.play)) }
                        }
                    }
                    (form(text, &site.display, &view.form))
                    p.learn { (linked(&text.get("tables-find"), text.path("/tables"))) }
                    p.learn { (linked(&text.get("start-learn"), text.path("/rules"))) }
                }
                @if is_first_visit {
                    @match (&view.featured, &view.hero) {
                        (Some(onair), _) => { (featured_game(text, &site.display, onair)) }
                        (None, hero) => { div.live #live { @if let Some(hero) = hero { (hero.picture(text, &site.display, &text.get("board-hero"))) } } }
                    }
                }
                (stylesheet_link(site, "day.css"))
                div.today.first[is_first_visit] {
                    @if let Some(daily) = &view.daily { (day_board(site, text, daily, is_first_visit)) }
                    @if let Some(puzzle) = &view.puzzle { (day_puzzle(text, puzzle)) }
                    @if !view.tables.0.is_empty() { (start_page_tables(site, text, (&view.tables.0, view.tables.1), view.asks_name)) }
                }
                @if !view.games.is_empty() {
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

/// The board of the day: large if it is the main picture of the page.
fn day_board(
    site: &SiteContext<'_>,
    text: &Translations,
    daily: &DayBoardView,
    is_small: bool,
) -> Markup {
    let title = text.get("next-daily");
    let button = match daily.attempt {
        DayAttempt::None => "start-day-play",
        DayAttempt::Begun => "daily-continue",
        DayAttempt::Over => "start-day-result",
    };
    html! {
        section.day.board-of-day {
            @if is_small { (daily.board.small()) }
            @else { (daily.board.picture(text, &site.display, &title)) }
            div {
                h2 { (title) }
                p { (text.get_with("start-day-people", &[("people", daily.people.into())])) }
                @if daily.streak > 0 {
                    p { b { (text.get_with("me-days", &[("days", daily.streak.into())])) } }
                }
                a.btn href=(text.path("/daily")) { (text.get(button)) }
            }
        }
    }
}

fn day_puzzle(text: &Translations, puzzle: &DayPuzzleView) -> Markup {
    html! {
        section.day {
            (puzzle.board.small())
            div {
                h2 { (text.get("puzzle-of-the-day")) }
                p { (text.get(&format!("puzzle-theme-{}", puzzle.theme))) }
                a.btn href=(text.path(&puzzle.address)) { (text.get("puzzle-solve-it")) }
            }
        }
    }
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

/// Renders a sentence; the part between bars submits the form with this id.
fn with_submit(sentence: &str, form: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { button.words form=(form) { (part) } } @else { (part) } } }
}

/// Renders a sentence; the part between bars is a title.
fn with_title(sentence: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { i { (part) } } @else { (part) } } }
}
