//! The levels of computer players: names, one-sentence descriptions, and the page with their measured
//! strength.

use maud::{Markup, html};

use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};
use super::players::PlayerNames;

/// View of the page of the levels.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LevelsView {
    /// One entry for each game type and measured variant.
    pub games: Vec<GameLevelsView>,
}

/// The levels in one game type.
#[derive(Clone, PartialEq, Debug)]
pub struct GameLevelsView {
    /// The measured variant, such as board size and number of players.
    pub setting: LocalizedMessage,
    /// The level variant: selects the descriptions of the levels.
    pub level_variant: &'static str,
    /// Number of players.
    pub players: u8,
    /// Number of boards on which the levels were measured; `None` if they were not.
    pub boards: Option<u32>,
    /// The levels, weakest first.
    pub levels: Vec<LevelView>,
}

/// A level and its measured strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelView {
    /// Its name in URLs and forms.
    pub level: &'static str,
    /// Its rating, in points.
    pub rating: Option<IntervalView>,
    /// Its win share, adjusted for luck, against the level `book` in all other seats, 0..=1.
    pub book: Option<IntervalView>,
}

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IntervalView {
    /// The point estimate.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Renders the page `/levels`.
#[must_use]
pub fn levels_page(site: &SiteContext<'_>, text: &Translations, view: &LevelsView) -> Markup {
    let title = text.get("levels-title");
    let main = html! {
        main #main.page {
            (stylesheet_link(site, "text-pages.css"))
            h1 { (title) }
            p.lead { (text.get("levels-lead")) }
            @for game in &view.games { (game_section(text, game)) }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn game_section(text: &Translations, game: &GameLevelsView) -> Markup {
    html! {
        section {
            h2 { (game.setting.render(text, &PlayerNames::none(text))) }
            table.strengths {
                thead {
                    tr {
                        th scope="col" { (text.get("levels-level")) }
                        @if game.boards.is_some() {
                            th scope="col" { (text.get("levels-rating")) }
                            th scope="col" { (text.get("levels-book")) }
                        }
                    }
                }
                tbody { @for row in &game.levels { (level_row(text, game, row)) } }
            }
            p.hint { (measurement_text(text, game)) }
        }
    }
}

fn level_row(text: &Translations, game: &GameLevelsView, row: &LevelView) -> Markup {
    let points = |points: f64| format!("{points:.0}");
    let percent = |share: f64| {
        let share = text.language().format_tenths(100.0 * share);
        let values = [("share", share.into())];
        text.get_with("levels-share", &values).into_owned()
    };
    html! {
        tr {
            th scope="row" {
                (level_name(text, row.level))
                small { (level_about(text, game.level_variant, row.level)) }
            }
            @if game.boards.is_some() {
                td { @if let Some(rating) = row.rating { (range(text, rating, points)) } }
                td { @if let Some(book) = row.book { (range(text, book, percent)) } }
            }
        }
    }
}

/// A number with its confidence interval below it, unless the interval is a single point.
fn range(
    text: &Translations,
    range: IntervalView,
    format_number: impl Fn(f64) -> String,
) -> Markup {
    let IntervalView { mean, low, high } = range;
    let [mean, low, high] = [mean, low, high].map(format_number);
    html! {
        b { (mean) }
        @if low != high {
            small { (text.get_with("levels-range", &[("low", low.into()), ("high", high.into())])) }
        }
    }
}

/// How the ratings were measured.
fn measurement_text(text: &Translations, game: &GameLevelsView) -> String {
    let Some(boards) = game.boards else {
        return text.get("levels-unmeasured").into_owned();
    };
    let par = text
        .language()
        .format_percent(1.0 / f64::from(game.players));
    let values = [("boards", boards.into()), ("par", par.into())];
    text.get_with("levels-measured", &values).into_owned()
}

pub(super) fn level_name(text: &Translations, level: &str) -> String {
    let key = format!("level-{level}");
    if text.has(&key) {
        return text.get(&key).into_owned();
    }
    let mut letters = level.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The one-sentence description of a level: the one for this level variant if there is one, else the general one.
///
/// ```
/// use dice_of_doom_templates::levels::level_about;
/// use dice_of_doom_templates::{Language, Translations};
///
/// let words = "level-steady-about-pig = Looks at one roll.";
/// let text = Translations::new(Language::English, |_| [words], None);
/// assert_eq!(level_about(&text, "pig", "steady"), "Looks at one roll.");
/// assert_eq!(level_about(&text, "poker", "steady"), text.get("level-steady-about"));
/// ```
#[must_use]
pub fn level_about(text: &Translations, variant: &str, level: &str) -> String {
    let variant_key = format!("level-{level}-about-{variant}");
    let key = if text.has(&variant_key) {
        variant_key
    } else {
        format!("level-{level}-about")
    };
    text.get(&key).into_owned()
}

/// A collapsed description of the levels, next to a level select. With several level variants it lists the
/// first one completely, and of the others only what differs from the first.
pub(super) fn about_levels(text: &Translations, variants: &[&str], levels: &[String]) -> Markup {
    let about = |variant| {
        levels
            .iter()
            .map(move |level| level_about(text, variant, level))
    };
    html! {
        details.about {
            summary { (text.get("form-levels")) }
            @for (at, variant) in variants.iter().enumerate() {
                @if variants.len() > 1 { p.hint { (text.get(&format!("levels-at-{variant}"))) } }
                dl.presets {
                    @for (level, (about, first_variant_about)) in levels.iter().zip(about(variant).zip(about(variants[0]))) {
                        @if at == 0 || about != first_variant_about {
                            dt { (level_name(text, level)) }
                            dd { (about) }
                        }
                    }
                }
            }
            p { a href=(text.path("/levels")) { (text.get("levels-title")) } }
        }
    }
}

pub(super) fn level_options(text: &Translations, levels: &[String], chosen: &str) -> Markup {
    html! {
        @for level in levels {
            option value=(level) selected[chosen == level] { (level_name(text, level)) }
        }
    }
}
