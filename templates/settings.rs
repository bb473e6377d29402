//! The settings page: all choices, and an example that previews them.
//!
//! In browsers that support `:has()` the example previews a choice before it is saved; in others it shows
//! both boards, and the other settings only after saving.

use std::sync::Arc;

use maud::{Markup, html};

use super::feed::feed_settings;
use super::localization::{Language, Translations};
use super::notifications::notification_state;
use super::page::{Component, Refresh, SiteContext, page, page_title, stylesheet_link};
use super::preferences::SettingChoice;
use super::seats::LinkReach;

/// View of the settings page; the current values come from the page's
/// [`DisplayOptions`](super::preferences::DisplayOptions).
#[derive(Clone, Debug, Default)]
pub struct SettingsView {
    /// Whether the settings were just saved.
    pub saved: bool,
    /// Path of the page that the viewer came from.
    pub back: Option<String>,
    /// The address of the viewer's feed, and who can open it.
    pub feed: Option<(String, LinkReach)>,
    /// The example of each game.
    pub examples: Vec<Arc<dyn Component>>,
}

/// The settings that are in view; the others are folded away unless the viewer changed one.
const FIRST: [&str; 4] = ["language", "theme", "board", "sound"];

/// Renders the page `/settings`.
#[must_use]
pub fn settings_page(site: &SiteContext<'_>, text: &Translations, view: &SettingsView) -> Markup {
    let title = text.get("set-title");
    let preferences = site.display.preferences;
    let (first, rest): (Vec<_>, Vec<_>) = preferences
        .choices()
        .into_iter()
        .partition(|choice| FIRST.contains(&choice.name));
    let is_rest_chosen = rest
        .iter()
        .any(|choice| preferences.non_default(choice.name).is_some());
    let main = html! {
        main #main.page.wide {
            (stylesheet_link(site, "settings.css"))
            h1 { (title) }
            p.lead { (text.get("set-lead")) }
            @if view.saved { p.notice role="status" tabindex="-1" autofocus { (text.get("set-saved")) } }
            form.form.look method="post" action=(text.path("/settings")) {
                @if let Some(back) = &view.back { input type="hidden" name="back" value=(back); }
                div.looks {
                    @for choice in &first { (setting(text, choice)) }
                    details.about open[is_rest_chosen] {
                        summary { (text.get("set-more")) }
                        div.folded {
                            @for choice in &rest { (setting(text, choice)) }
                            p.hint { (text.get("set-keys-hint")) }
                            (notification_state(text))
                        }
                    }
                    p.row {
                        button.btn.main { (text.get("set-save")) }
                        @if let Some(back) = &view.back {
                            button.btn name="next" value=(back) { (text.get("set-save-back")) }
                        }
                    }
                }
                section.try aria-label=(text.get("set-example")) { div.example { @for example in &view.examples { (example.draw(text, &site.display)) } } }
            }
            (feed_settings(text, view.feed.as_ref()))
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

/// One setting as radio buttons. Languages are listed under their native names.
fn setting(text: &Translations, choice: &SettingChoice) -> Markup {
    html! {
        fieldset.pick {
            legend { (text.get(&format!("set-{}", choice.name))) }
            @for value in choice.values {
                label {
                    input type="radio" id={ (choice.name) "-" (value) } name=(choice.name) value=(value) checked[choice.value == *value];
                    @match Language::from_tag(value).filter(|_| choice.name == "language") {
                        Some(language) => { span lang=(language.tag()) { (language.native_name()) } }
                        None => { (text.get(&format!("set-{}-{value}", choice.name))) }
                    }
                }
            }
        }
    }
}
