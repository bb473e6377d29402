//! What the people at a table say to each other: a few phrases, and no free text.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::Translations;
use super::page::{SiteContext, stylesheet_link};
use super::players::{PlayerNames, named_player};

/// The phrases of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PhrasesView {
    /// The names of the phrases that the viewer can say; their texts are `phrase-NAME`.
    pub offered: Vec<&'static str>,
    /// The last two phrases, newest first.
    pub said: Vec<SaidView>,
    /// Whether the newest was said just now.
    pub is_new: bool,
}

/// A phrase that a player has said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SaidView {
    /// The player.
    pub player: u8,
    /// The name of the phrase.
    pub phrase: &'static str,
    /// Unix time in milliseconds.
    pub at_ms: i64,
}

fn phrase(text: &Translations, name: &str) -> String {
    text.get(&format!("phrase-{name}")).into_owned()
}

/// The panel beside the board: a button for each phrase, and what was said last.
pub(super) fn panel(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    let Some(phrases) = &view.phrases else {
        return html! {};
    };
    let muted = !site.display.preferences.phrases;
    let (key, value) = match muted {
        true => ("phrases-show", "on"),
        false => ("phrases-mute", "off"),
    };
    html! {
        (stylesheet_link(site, "phrases.css"))
        section.panel.say aria-label=(text.get("phrases")) {
            header {
                h2 { (text.get(if muted { "phrases-muted" } else { "phrases" })) }
                form method="post" action=(text.path("/settings")) {
                    input type="hidden" name="next" value={ "/g/" (view.id) };
                    button.words #mute-phrases name="phrases" value=(value) { (text.get(key)) }
                }
            }
            @if !muted {
                @if !phrases.offered.is_empty() {
                    form.phrases method="post" action={ (text.path("/g/")) (view.id) "/phrases" } {
                        @for name in &phrases.offered { button id={ "say-" (name) } name="phrase" value=(name) { (phrase(text, name)) } }
                    }
                }
                ul.said { @for said in &phrases.said { li { (named_player(names, said.player)) (text.get("label-colon")) (phrase(text, said.phrase)) } } }
            }
        }
    }
}

/// The newest phrase, as a bubble in the row of its player.
pub(super) fn bubble(
    text: &Translations,
    view: &GameView,
    player: u8,
    muted: bool,
) -> Option<Markup> {
    let phrases = view
        .phrases
        .as_ref()
        .filter(|phrases| phrases.is_new && !muted)?;
    let newest = phrases.said.first().filter(|said| said.player == player)?;
    Some(html! { span.bubble { (phrase(text, newest.phrase)) } })
}
