//! The page on which people ask a program to play: who it is, whether it is there, and one button.

use maud::{Markup, html};

use super::game::GameTitle;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, emphasised, page, titled};

/// The page `/program/{id}`.
#[derive(Clone, Debug)]
pub struct ProgramView {
    /// What the program is called.
    pub name: String,
    /// It is connected now.
    pub is_listening: bool,
    /// What is played.
    pub game: GameTitle,
    /// Which sentence says why it was not asked.
    pub problem: Option<&'static str>,
}

/// The page `/program/{id}`. Its form is sent to the page's own address.
#[must_use]
pub fn program_page(site: &SiteContext<'_>, text: &Translations, view: &ProgramView) -> Markup {
    let game = text.say(view.game.title);
    // Bars mark emphasis in sentences, so names must not have any.
    let name = view.name.replace('|', "¦");
    let values = [("name", name.as_str().into()), ("game", (&*game).into())];
    let title = text.say_with("program-title", &values);
    let is_there = match view.is_listening {
        true => "program-there",
        false => "program-away",
    };
    let main = html! {
        main #main.join data-plain {
            section.card.p1 {
                p.whose { (text.say("who-program")) }
                h1 { (title) }
                p.lead { (emphasised(&text.say_with(is_there, &values))) }
                @if let Some(problem) = view.problem { p.notice role="alert" { (text.say_with(problem, &values)) } }
                form method="post" { button.btn.main { (text.say_with("program-ask", &values)) } }
                p.sub { (text.say_with("program-hint", &values)) }
            }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}
