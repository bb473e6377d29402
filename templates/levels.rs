//! The levels that people choose from: their names, what each of them does in one sentence, and the page
//! that says how strong they are.

use maud::{Markup, html};

use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, sheet, titled};
use super::players::PlayerNames;

/// The page of the levels.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LevelsView {
    /// One for each kind of game.
    pub games: Vec<GameLevelsView>,
}

/// The levels in one kind of game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameLevelsView {
    /// What is played.
    pub numbers: LocalizedMessage,
    /// The way in which its levels think.
    pub way: &'static str,
    /// How many players it has.
    pub players: u8,
    /// On how many boards they were measured; `None` where they were not.
    pub boards: Option<u32>,
    /// The levels, weakest first.
    pub levels: Vec<LevelView>,
}

/// A level and how strong it is, as far as that is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelView {
    /// Its name in addresses and forms.
    pub level: &'static str,
    /// Its rating.
    pub rating: Option<IntervalView>,
    /// Its share of the games against the book in all other seats, 0..=1.
    pub book: Option<IntervalView>,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IntervalView {
    /// The number.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The page `/levels`.
#[must_use]
pub fn levels_page(site: &SiteContext<'_>, text: &Translations, view: &LevelsView) -> Markup {
    let title = text.say("levels-title");
    let main = html! {
        main #main.page {
            (sheet(site, "reading.css"))
            h1 { (title) }
            p.lead { (text.say("levels-lead")) }
            @for game in &view.games { (of_game(text, game)) }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

fn of_game(text: &Translations, game: &GameLevelsView) -> Markup {
    html! {
        section {
            h2 { (game.numbers.told(text, &PlayerNames::nobody(text))) }
            table.strengths {
                thead {
                    tr {
                        th scope="col" { (text.say("levels-level")) }
                        @if game.boards.is_some() {
                            th scope="col" { (text.say("levels-rating")) }
                            th scope="col" { (text.say("levels-book")) }
                        }
                    }
                }
                tbody { @for row in &game.levels { (level_row(text, game, row)) } }
            }
            p.hint { (measured(text, game)) }
        }
    }
}

fn level_row(text: &Translations, game: &GameLevelsView, row: &LevelView) -> Markup {
    let points = |points: f64| format!("{points:.0}");
    let percent = |share: f64| {
        let share = text.language().decimal(format!("{:.1}", 100.0 * share));
        let values = [("share", share.into())];
        text.say_with("levels-share", &values).into_owned()
    };
    html! {
        tr {
            th scope="row" {
                (level_name(text, row.level))
                small { (level_about(text, game.way, row.level)) }
            }
            @if game.boards.is_some() {
                td { @if let Some(rating) = row.rating { (range(text, rating, points)) } }
                td { @if let Some(book) = row.book { (range(text, book, percent)) } }
            }
        }
    }
}

/// A number with its bounds below it; none where both are the number itself.
fn range(text: &Translations, range: IntervalView, written: impl Fn(f64) -> String) -> Markup {
    let IntervalView { mean, low, high } = range;
    let [mean, low, high] = [mean, low, high].map(written);
    html! {
        b { (mean) }
        @if low != high {
            small { (text.say_with("levels-range", &[("low", low.into()), ("high", high.into())])) }
        }
    }
}

/// How it was measured.
fn measured(text: &Translations, game: &GameLevelsView) -> String {
    let Some(boards) = game.boards else {
        return text.say("levels-unmeasured").into_owned();
    };
    let par = text.language().percent(1.0 / f64::from(game.players));
    let values = [("boards", boards.into()), ("par", par.into())];
    text.say_with("levels-measured", &values).into_owned()
}

/// The name of a level as people read it.
pub(super) fn level_name(text: &Translations, level: &str) -> String {
    let key = format!("level-{level}");
    if text.has(&key) {
        return text.say(&key).into_owned();
    }
    let mut letters = level.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// What a level does in a game whose levels think in this way, in a sentence: the way's own where it has one.
///
/// ```
/// use dice_of_doom_templates::levels::level_about;
/// use dice_of_doom_templates::{Language, Text};
///
/// let words = "level-steady-about-pig = Looks at one roll.";
/// let text = Text::new(Language::English, |_| [words], None);
/// assert_eq!(level_about(&text, "pig", "steady"), "Looks at one roll.");
/// assert_eq!(level_about(&text, "poker", "steady"), text.say("level-steady-about"));
/// ```
#[must_use]
pub fn level_about(text: &Translations, way: &str, level: &str) -> String {
    let own = format!("level-{level}-about-{way}");
    let key = if text.has(&own) {
        own
    } else {
        format!("level-{level}-about")
    };
    text.say(&key).into_owned()
}

/// The levels and what they do, folded away, beside the choice of a level. Where the levels may think in
/// several ways, what they do in the first of them, and then what they do otherwise in the next.
pub(super) fn about_levels(text: &Translations, ways: &[&str], levels: &[String]) -> Markup {
    let about = |way| {
        levels
            .iter()
            .map(move |level| level_about(text, way, level))
    };
    html! {
        details.about {
            summary { (text.say("form-levels")) }
            @for (at, way) in ways.iter().enumerate() {
                @if ways.len() > 1 { p.hint { (text.say(&format!("levels-at-{way}"))) } }
                dl.presets {
                    @for (level, (about, usual)) in levels.iter().zip(about(way).zip(about(ways[0]))) {
                        @if at == 0 || about != usual {
                            dt { (level_name(text, level)) }
                            dd { (about) }
                        }
                    }
                }
            }
            p { a href="/levels" { (text.say("levels-title")) } }
        }
    }
}

/// The options of a select.
pub(super) fn level_options(text: &Translations, levels: &[String], chosen: &str) -> Markup {
    html! {
        @for level in levels {
            option value=(level) selected[chosen == level] { (level_name(text, level)) }
        }
    }
}
