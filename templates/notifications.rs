//! Notifications of the browser when it is the viewer's turn: their state, on the settings page.

use maud::{Markup, html};

use super::localization::Translations;

/// What notifications need. A script asks for the permission when they are turned on, and replaces the text by their
/// state in this browser.
pub(super) fn notification_state(text: &Translations) -> Markup {
    html! {
        p.hint #notify-state role="status"
            data-granted=(text.get("notify-granted"))
            data-denied=(text.get("notify-denied"))
            data-default=(text.get("notify-default"))
            data-insecure=(text.get("notify-insecure"))
            data-unsupported=(text.get("notify-unsupported")) {
            (text.get("notify-needs"))
        }
    }
}
