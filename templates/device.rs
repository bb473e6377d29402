//! The pages that give another device the viewer's record, and that ask before two records are joined.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, page_title};
use super::qr::qr;
use super::seats::copyable_link;

/// View of the page `/device`.
#[derive(Clone, Debug)]
pub struct DeviceView {
    /// Whether the browser has a secret, and so a record to share.
    pub has_secret: bool,
    /// The new code of this browser.
    pub code: Option<PairingCodeView>,
    /// What the page reports.
    pub notice: Option<DeviceNotice>,
}

/// A pairing code.
#[derive(Clone, Debug)]
pub struct PairingCodeView {
    /// As it is entered.
    pub text: String,
    /// The address that contains the code after `#`.
    pub link: String,
    /// How long it is valid.
    pub minutes: u32,
}

/// What the page `/device` reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceNotice {
    /// The code that was sent is not valid.
    WrongCode,
    /// The code belongs to the record that this browser has already.
    OwnCode,
    /// All other devices were ended.
    Ended,
}

impl DeviceNotice {
    const fn key(self) -> &'static str {
        match self {
            DeviceNotice::WrongCode => "device-unknown",
            DeviceNotice::OwnCode => "device-own",
            DeviceNotice::Ended => "device-ended",
        }
    }
}

/// Renders the page `/device`.
#[must_use]
pub fn device_page(site: &SiteContext<'_>, text: &Translations, view: &DeviceView) -> Markup {
    let title = text.get("device-title");
    let main = html! {
        main #main.page {
            h1 { (title) }
            p.lead { (text.get("device-lead")) }
            @if let Some(notice) = view.notice { p.notice role="alert" { (text.get(notice.key())) } }
            @if view.has_secret {
                h2 { (text.get("device-here")) }
                @if let Some(code) = &view.code { (pairing_code(text, code)) }
                @else { p { (text.get("device-give")) } }
                form method="post" action=(text.path("/device/code")) {
                    button.btn.main[view.code.is_none()] { (text.get(if view.code.is_some() { "device-renew" } else { "device-make" })) }
                }
            }
            h2 { (text.get("device-there")) }
            form method="post" action=(text.path("/device")) {
                label for="device-code" { (text.get("device-code")) }
                input #device-code type="text" name="code" required autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="256";
                p.sub { (text.get("device-merge")) }
                button.btn { (text.get("device-use")) }
            }
            @if view.has_secret {
                h2 { (text.get("device-end")) }
                p { (text.get("device-end-why")) }
                form method="post" action=(text.path("/device/end")) { button.btn { (text.get("device-end-now")) } }
            }
            p.sub { (text.get("device-lost")) }
            script type="module" src=(site.assets.url("device.js")) {}
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn pairing_code(text: &Translations, code: &PairingCodeView) -> Markup {
    html! {
        p { (text.get_with("device-enter", &[("minutes", code.minutes.into())])) }
        label.vh for="code" { (text.get("device-code")) }
        (copyable_link(text, "code", &code.text))
        (qr(&code.link, &text.get("device-qr")))
        p.sub { (text.get("device-secret")) }
    }
}

/// View of the page that asks before two records are joined.
#[derive(Clone, Debug)]
pub struct JoinRecordsView {
    /// The record that would move.
    pub moved: RecordView,
    /// The record to which it would move.
    pub target: RecordView,
    /// Which records these are.
    pub source: JoinSource,
}

/// Which records are to be joined.
#[derive(Clone, Debug)]
pub enum JoinSource {
    /// That of this browser to that of a code.
    Code {
        /// As it was entered.
        code: String,
    },
    /// What this browser took without TLS to its record over TLS.
    Http {
        /// The game to which the reader returns.
        game: Option<String>,
    },
}

/// A record in numbers.
#[derive(Clone, Debug)]
pub struct RecordView {
    /// The games.
    pub games: u32,
    /// The scores of boards of the day.
    pub days: u32,
    /// The answers to puzzles.
    pub puzzles: u32,
    /// The name of its player.
    pub name: Option<String>,
}

/// Renders the page that asks before two records are joined. What it proposes is to leave both as they are.
#[must_use]
pub fn join_records_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &JoinRecordsView,
) -> Markup {
    let title = text.get("join-records-title");
    let (moved, target, effect) = match &view.source {
        JoinSource::Code { .. } => (
            "join-records-this",
            "join-records-other",
            "join-records-effect",
        ),
        JoinSource::Http { .. } => (
            "join-records-http",
            "join-records-this",
            "join-records-effect-http",
        ),
    };
    let who = view.target.name.clone();
    let who = who.unwrap_or_else(|| text.get("join-records-nameless").into_owned());
    let effect = text.get_with(
        effect,
        &[("games", view.moved.games.into()), ("who", who.into())],
    );
    let main = html! {
        main #main.page {
            h1 { (title) }
            (record(text, moved, &view.moved))
            (record(text, target, &view.target))
            p { b { (effect) } }
            p { (text.get("join-records-why")) }
            form.form method="post" action=(text.path("/device")) {
                @match &view.source {
                    JoinSource::Code { code } => { input type="hidden" name="code" value=(code); }
                    JoinSource::Http { game } => {
                        @if let Some(game) = game { input type="hidden" name="game" value=(game); }
                    }
                }
                fieldset.pick {
                    legend { (text.get("join-records-ask")) }
                    label { input type="radio" name="do" value="keep" checked; (text.get("join-records-keep")) }
                    label { input type="radio" name="do" value="join"; (text.get("join-records-join")) }
                }
                button.btn.main { (text.get("join-records-go")) }
            }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn record(text: &Translations, heading: &str, record: &RecordView) -> Markup {
    let values = [
        ("games", record.games.into()),
        ("days", record.days.into()),
        ("puzzles", record.puzzles.into()),
    ];
    html! {
        h2 { (text.get(heading)) }
        p {
            @if let Some(name) = &record.name { b { bdi { (name) } } " · " }
            (text.get_with("join-records-count", &values))
        }
    }
}
