//! The page `/dice`: all rolls on a server compared with the expectation for fair dice.

use maud::{Markup, html};

use super::face_counts::{FaceCountsView, histogram};
use crate::localization::Translations;
use crate::page::{Refresh, SiteContext, page, page_title, stylesheet_link};

/// View of all dice of a server.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ServerDiceView {
    /// One entry for each game with rolls.
    pub games: Vec<GameDiceView>,
}

/// All dice of one game type.
#[derive(Clone, PartialEq, Debug)]
pub struct GameDiceView {
    /// Message key of the game's name.
    pub title: &'static str,
    /// Face counts.
    pub faces: FaceCountsView,
    /// Attacks by number of dice, sorted by the attacker's, then the defender's.
    pub cells: Vec<AttackOddsView>,
    /// p-value of the attacks: the probability that fair dice deviate at least as much, 0..=1.
    pub p_value: f64,
}

/// All attacks with the same numbers of dice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackOddsView {
    /// The attacker's and the defender's dice.
    pub dice: (u8, u8),
    /// Number of attacks won.
    pub won: u64,
    /// Number of attacks.
    pub attacks: u64,
    /// Probability of winning one attack, 0..=1.
    pub odds: f64,
}

/// Renders the page `/dice`.
#[must_use]
pub fn all_dice_page(site: &SiteContext<'_>, text: &Translations, view: &ServerDiceView) -> Markup {
    let title = text.get("all-dice-title");
    let main = html! {
        main #main.page.dice-all {
            (stylesheet_link(site, "fair.css"))
            h1 { (title) }
            p.lead { (text.get("all-dice-lead")) }
            @if view.games.is_empty() { p { (text.get("all-dice-none")) } }
            @for game in &view.games { (game_type_section(text, game)) }
            p.hint { (text.get("all-dice-how")) (text.get("sentence-gap")) (text.get("all-dice-proof")) }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn game_type_section(text: &Translations, game: &GameDiceView) -> Markup {
    let dice = u32::try_from(game.faces.dice()).unwrap_or(u32::MAX);
    let name = text.get(game.title);
    let values = [("game", (&*name).into()), ("dice", dice.into())];
    html! {
        section {
            h2 { (text.get_with("all-dice-game", &values)) }
            div.all-faces { (histogram(text, &game.faces)) }
            p { (deviation_text(text, "all-dice-faces", "all-dice-faces-hardly", game.faces.p_value)) }
            @if !game.cells.is_empty() { (cells(text, game)) }
        }
    }
}

fn deviation_text(
    text: &Translations,
    key: &'static str,
    hardly: &'static str,
    p_value: f64,
) -> String {
    match (p_value * 100.0).round().clamp(0.0, 100.0) as u32 {
        0 => text.get(hardly).into_owned(),
        n => text.get_with(key, &[("n", n.into())]).into_owned(),
    }
}

fn cells(text: &Translations, game: &GameDiceView) -> Markup {
    let numbers = |of: fn(&AttackOddsView) -> u8| {
        let mut numbers: Vec<u8> = game.cells.iter().map(of).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let (attackers, defenders) = (numbers(|cell| cell.dice.0), numbers(|cell| cell.dice.1));
    let cell = |dice| game.cells.iter().find(|cell| cell.dice == dice);
    html! {
        h3 { (text.get("all-dice-cells")) }
        p.hint { (text.get("all-dice-cells-lead")) }
        div.cells tabindex="0" role="group" aria-label=(text.get("all-dice-cells")) {
            table {
                thead {
                    tr {
                        th scope="col" { (text.get("all-dice-attackers")) }
                        @for defend in &defenders { th scope="col" { (text.get_with("all-dice-defenders", &[("n", (*defend).into())])) } }
                    }
                }
                tbody {
                    @for attack in &attackers {
                        tr {
                            th scope="row" { (attack) }
                            @for defend in &defenders { td { @if let Some(cell) = cell((*attack, *defend)) { (cell_content(text, cell)) } } }
                        }
                    }
                }
            }
        }
        p { (deviation_text(text, "all-dice-attacks", "all-dice-attacks-hardly", game.p_value)) }
    }
}

fn cell_content(text: &Translations, cell: &AttackOddsView) -> Markup {
    let percent = |share: f64| text.language().format_percent(share);
    let won = percent(cell.won as f64 / cell.attacks.max(1) as f64);
    let all = u32::try_from(cell.attacks).unwrap_or(u32::MAX);
    let of = [("odds", percent(cell.odds).into()), ("n", all.into())];
    html! {
        b { (text.get_with("all-dice-cell", &[("won", won.into())])) }
        br;
        small { (text.get_with("all-dice-cell-of", &of)) }
    }
}
