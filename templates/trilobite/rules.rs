//! The rules of Trilobite.

use maud::{Markup, html};

use crate::localization::Translations;
use crate::page::emphasised;

/// Renders the section on the rules page.
#[must_use]
pub fn rules(text: &Translations) -> Markup {
    let say = |key| emphasised(&text.get(key));
    html! {
        h2 #trilobite { (text.get("rules-trilobite-title")) }
        p { (say("rules-trilobite-text")) }
        ol.steps {
            @for key in ["rules-trilobite-drop", "rules-trilobite-line", "rules-trilobite-full"] { li { (say(key)) } }
        }
        p { (say("rules-trilobite-size")) }
        form.now method="post" action=(text.path("/games")) {
            input type="hidden" name="game" value="trilobite";
            button.btn { (text.get("start-trilobite")) }
        }
    }
}
