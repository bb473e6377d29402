//! The page that gives another device the viewer's record.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, page_title};
use super::qr::qr;
use super::seats::copyable_link;

/// View of the page `/device`.
#[derive(Clone, Debug)]
pub struct DeviceView {
    /// The browser's code, and the address that contains it after `#`.
    pub code: Option<(String, String)>,
    /// Whether the code that was sent belongs to no record.
    pub is_unknown: bool,
}

/// Renders the page `/device`.
#[must_use]
pub fn device_page(site: &SiteContext<'_>, text: &Translations, view: &DeviceView) -> Markup {
    let title = text.get("device-title");
    let main = html! {
        main #main.page {
            h1 { (title) }
            p.lead { (text.get("device-lead")) }
            @if let Some((code, link)) = &view.code {
                h2 { (text.get("device-here")) }
                p { (text.get("device-give")) }
                details {
                    summary { (text.get("device-reveal")) }
                    label.vh for="code" { (text.get("device-code")) }
                    (copyable_link(text, "code", code))
                    (qr(link, &text.get("device-qr")))
                    p.sub { (text.get("device-secret")) }
                }
            }
            h2 { (text.get("device-there")) }
            @if view.is_unknown { p.notice role="alert" { (text.get("device-unknown")) } }
            form method="post" action="/device" {
                label for="device-code" { (text.get("device-code")) }
                input #device-code type="text" name="code" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64";
                p.sub { (text.get("device-merge")) }
                button.btn.main { (text.get("device-use")) }
            }
            script type="module" src=(site.assets.url("device.js")) {}
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}
