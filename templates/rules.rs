//! The page with the rules of all games.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, sheet, titled};

/// Renders the page `/rules`; `games` has one rendered section for each game.
#[must_use]
pub fn rules_page(site: &SiteContext<'_>, text: &Translations, games: &[Markup]) -> Markup {
    let title = text.say("rules-title");
    let main = html! {
        main #main.page {
            (sheet(site, "reading.css"))
            h1 { (title) }
            p.lead { (text.say("rules-lead")) }
            @for game in games { (game) }
            p.links {
                a href="/levels" { (text.say("levels-title")) }
                a href="/fair-dice" { (text.say("footer-dice")) }
            }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}
