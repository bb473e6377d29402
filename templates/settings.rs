//! The page of settings: all choices, and an example that shows them.
//!
//! In browsers that know `:has()` the example shows a choice before it is saved; in others it shows both
//! boards, and the other settings only after saving.

use std::sync::Arc;

use maud::{Markup, html};

use super::localization::{Language, Translations};
use super::page::{Component, Refresh, SiteContext, page, titled};
use super::view::SettingChoice;

/// The page of settings; what is chosen comes with the page's [`Look`](super::preferences::Look).
#[derive(Clone, Debug, Default)]
pub struct SettingsView {
    /// The choices were just kept.
    pub saved: bool,
    /// The path of the page where the reader came from.
    pub back: Option<String>,
    /// What each game shows beside the choices.
    pub examples: Vec<Arc<dyn Component>>,
}

/// The page `/settings`.
#[must_use]
pub fn settings_page(site: &SiteContext<'_>, text: &Translations, view: &SettingsView) -> Markup {
    let title = text.say("set-title");
    let [looks, plays] = [0..6, 6..10].map(|range| site.look.settings.choices()[range].to_vec());
    let main = html! {
        main #main.page.wide {
            h1 { (title) }
            p.lead { (text.say("set-lead")) }
            @if view.saved { p.notice role="status" { (text.say("set-saved")) } }
            form.form.look method="post" action="/settings" {
                @if let Some(back) = &view.back { input type="hidden" name="back" value=(back); }
                div.choices {
                    @for choice in &looks { (question(text, choice)) }
                    @for choice in &plays { (question(text, choice)) }
                    p.hint { (text.say("set-keys-hint")) }
                    p.row {
                        button.btn.main { (text.say("set-save")) }
                        @if let Some(back) = &view.back {
                            button.btn name="next" value=(back) { (text.say("set-save-back")) }
                        }
                    }
                }
                section.try aria-label=(text.say("set-example")) { div.example { @for example in &view.examples { (example.draw(text, &site.look)) } } }
            }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

/// One thing to choose, as radio buttons. A language is called what its speakers call it.
fn question(text: &Translations, choice: &SettingChoice) -> Markup {
    html! {
        fieldset.pick {
            legend { (text.say(&format!("set-{}", choice.name))) }
            @for word in choice.words {
                label {
                    input type="radio" id={ (choice.name) "-" (word) } name=(choice.name) value=(word) checked[choice.word == *word];
                    @match Language::of_tag(word).filter(|_| choice.name == "language") {
                        Some(language) => { span lang=(language.tag()) { (language.own_name()) } }
                        None => { (text.say(&format!("set-{}-{word}", choice.name))) }
                    }
                }
            }
        }
    }
}
