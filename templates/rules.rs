//! The page with the rules of all games.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};

/// Renders the page `/rules`; `games` has one rendered section for each game.
#[must_use]
pub fn rules_page(site: &SiteContext<'_>, text: &Translations, games: &[Markup]) -> Markup {
    let title = text.get("rules-title");
    let main = html! {
        main #main.page {
            (stylesheet_link(site, "text-pages.css"))
            h1 { (title) }
            p.lead { (text.get("rules-lead")) }
            @for game in games { (game) }
            p.links {
                a href=(text.path("/levels")) { (text.get("levels-title")) }
                a href=(text.path("/fair-dice")) { (text.get("footer-dice")) }
            }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}
