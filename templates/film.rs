//! The page of a film: the rendering progress, then the film.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};
use super::seats::{LinkReach, copyable_link, link_reach_notice};

/// View of the page of a film.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilmPageView {
    /// Public id of the game.
    pub id: String,
    /// Ply number of the first position.
    pub from: u32,
    /// Ply number of the last position.
    pub to: u32,
    /// Ply number of the newest position of the game.
    pub newest: u32,
    /// Numbers of rendered frames and of all frames; `None` when the film is ready.
    pub progress: Option<(u32, u32)>,
    /// The server's origin in links for other people.
    pub origin: String,
    /// Who can open those links.
    pub reach: LinkReach,
}

impl FilmPageView {
    fn query(&self) -> String {
        format!("?from={}&to={}", self.from, self.to)
    }

    fn title(&self, text: &Translations) -> String {
        if (self.from, self.to) == (0, self.newest) {
            return text.get("film-of-game").into_owned();
        }
        let first = (self.from + 1).min(self.to);
        let values = [
            ("from", first.into()),
            ("to", self.to.into()),
            ("moves", (self.to - first + 1).into()),
        ];
        text.get_with("film-of-moves", &values).into_owned()
    }
}

/// Renders the page of a film.
#[must_use]
pub fn film_page(site: &SiteContext<'_>, text: &Translations, view: &FilmPageView) -> Markup {
    let title = view.title(text);
    let refresh = match view.progress {
        Some(_) => Refresh::WithoutScripts(2),
        None => Refresh::Never,
    };
    let content = match view.progress {
        Some((done, of)) => render_progress(site, text, view, &title, done, of),
        None => finished_film(text, view, &title),
    };
    let main = html! {
        main #main.filmed {
            (stylesheet_link(site, "film.css"))
            h1 { (title) }
            (content)
            p.links { a href={ (text.path("/g/")) (view.id) "/" (view.from) } { (text.get("film-back")) } }
        }
    };
    page(site, text, &page_title(text, &title), &refresh, main)
}

fn render_progress(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &FilmPageView,
    title: &str,
    done: u32,
    of: u32,
) -> Markup {
    let values = [("done", done.into()), ("of", of.into())];
    html! {
        p.lead { (text.get("film-wait-lead")) }
        section.panel.come data-wait aria-live="polite" {
            progress value=(done) max=(of.max(1)) aria-label=(title) {}
            p { (text.get_with("film-wait-come", &values)) }
            p.hint { (text.get("film-wait-about")) " " a href={ (text.path("/g/")) (view.id) "/film" (view.query()) } { (text.get("look-again")) } }
        }
        script type="module" src=(site.assets.url("wait.js")) {}
    }
}

fn finished_film(text: &Translations, view: &FilmPageView, title: &str) -> Markup {
    let film = format!("{}{}/game.gif{}", text.path("/g/"), view.id, view.query());
    let name = format!("{}-{}-{}.gif", view.id, view.from, view.to);
    html! {
        // Users who prefer reduced motion see the last position as a still image.
        picture {
            source media="(prefers-reduced-motion:reduce)" srcset={ (text.path("/g/")) (view.id) "/board.png?ply=" (view.to) };
            img.film src=(film) alt=(title);
        }
        div.body {
            a.btn href=(film) download=(name) { (text.get("film-save")) }
            label for="film-link" { (text.get("film-link")) }
            (copyable_link(text, "film-link", &format!("{}{film}", view.origin)))
            (link_reach_notice(text, &view.reach))
        }
    }
}
