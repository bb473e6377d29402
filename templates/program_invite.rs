//! The page for inviting a program to play: its name, whether it is connected, and a button.

use maud::{Markup, html};

use super::game::GameTitle;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, emphasised, page, page_title, stylesheet_link};

/// View of the page `/program/{id}`.
#[derive(Clone, Debug)]
pub struct ProgramView {
    /// The program's name.
    pub name: String,
    /// Whether the program is connected.
    pub is_listening: bool,
    /// Title of the game.
    pub game: GameTitle,
    /// Message key of the reason why the invitation failed.
    pub problem: Option<&'static str>,
}

/// Renders the page `/program/{id}`. The form posts to the page's own address.
#[must_use]
pub fn program_page(site: &SiteContext<'_>, text: &Translations, view: &ProgramView) -> Markup {
    let game = text.get(view.game.title);
    // Bars mark emphasis in messages, so a name must not contain any.
    let name = view.name.replace('|', "¦");
    let values = [("name", name.as_str().into()), ("game", (&*game).into())];
    let title = text.get_with("program-title", &values);
    let connection_key = match view.is_listening {
        true => "program-there",
        false => "program-away",
    };
    let main = html! {
        main #main.join data-plain {
            (stylesheet_link(site, "join.css"))
            section.card.p1 {
                p.whose { (text.get("who-program")) }
                h1 { (title) }
                p.lead { (emphasised(&text.get_with(connection_key, &values))) }
                @if let Some(problem) = view.problem { p.notice role="alert" { (text.get_with(problem, &values)) } }
                form method="post" { button.btn.main { (text.get_with("program-ask", &values)) } }
                p.sub { (text.get_with("program-hint", &values)) }
            }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}
