//! The frame of every page: head, navigation, content, footer.

use std::fmt::Debug;

use maud::{DOCTYPE, Markup, Render, html};

use super::localization::{Language, Translations};
use super::preferences::{BoardDrawing, DisplayOptions};
use super::social_card::SocialCard;
use super::svg_symbols;

/// The navigation entry of the current page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NavSection {
    /// Start page and game pages.
    #[default]
    Play,
    /// The viewer's own record.
    Record,
    /// The board of the day.
    Daily,
    /// The puzzles.
    Puzzles,
    /// The open tables.
    People,
    /// The settings page.
    Settings,
    /// No entry is current.
    Elsewhere,
}

/// Addresses of the static files.
pub trait AssetUrls {
    /// The URL of the file with this plain name, such as `style.css`.
    fn url(&self, name: &str) -> String;
}

/// A part of a shared page that a game renders outside the page of a table.
pub trait Component: Debug + Send + Sync {
    /// Renders the component.
    fn draw(&self, text: &Translations, display: &DisplayOptions) -> Markup;
}

/// What all pages have in common.
#[derive(Clone, Copy)]
pub struct SiteContext<'a> {
    /// The current navigation entry.
    pub section: NavSection,
    /// Addresses of the static files.
    pub assets: &'a (dyn AssetUrls + Sync),
    /// The viewer's display options.
    pub display: DisplayOptions,
    /// The server's origin as the client sees it, such as `http://localhost:8080`; only on pages with a link
    /// preview.
    pub origin: Option<&'a str>,
}

/// The modules that `board.js` imports: preloaded in parallel instead of one after another.
const MODULES: [&str; 9] = [
    "page.js",
    "motion.js",
    "playback.js",
    "live.js",
    "stream.js",
    "keyboard.js",
    "replay.js",
    "share.js",
    "end-turn.js",
];

/// A style sheet that only some pages need. It precedes the content that it styles, also where a script swaps
/// that content in.
pub(super) fn stylesheet_link(site: &SiteContext<'_>, name: &str) -> Markup {
    html! { link rel="stylesheet" href=(site.assets.url(name)); }
}

/// Whether and how the browser reloads the page.
pub(super) enum Refresh {
    /// No reload.
    Never,
    /// After this number of seconds, only if scripts are off.
    WithoutScripts(u32),
    /// After this number of seconds, to this path.
    To(u32, String),
}

/// A complete page around its `<main>`.
pub(super) fn page(
    site: &SiteContext<'_>,
    text: &Translations,
    title: &str,
    refresh: &Refresh,
    main: Markup,
) -> Markup {
    page_with_card(site, text, title, refresh, None, main)
}

/// Like [`page`], with a link preview.
pub(super) fn page_with_card(
    site: &SiteContext<'_>,
    text: &Translations,
    title: &str,
    refresh: &Refresh,
    card: Option<&SocialCard>,
    main: Markup,
) -> Markup {
    let entry = |section, path, key| {
        html! { a href=(text.path(path)) aria-current=[(site.section == section).then_some("page")] { (text.get(key)) } }
    };
    let non_default = |name| site.display.preferences.non_default(name);
    // The start page can learn only after it was served that its window is narrow.
    let swapped_in: &[_] = match site.section {
        NavSection::Play if main.0.contains("data-game") => &[site.display.drawing],
        NavSection::Play => &[BoardDrawing::Book, BoardDrawing::Flat],
        _ => &[],
    };
    html! {
        (DOCTYPE)
        html lang=(text.language().tag())
            data-theme=[non_default("theme")]
            data-colours=[non_default("colours")]
            data-board=(site.display.drawing.attribute_value())
            data-board-auto[site.display.is_auto()]
            data-odds=[non_default("odds")]
            data-coordinates=[non_default("coordinates")]
            data-speed=[non_default("speed")]
            data-fights=[non_default("fights")]
            data-announce=[non_default("announce")]
            data-sound=[non_default("sound")]
            data-ends=[non_default("ends")]
            data-keys=[non_default("keys")]
            data-notify=[non_default("notify")] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                @if let Some((card, origin)) = card.zip(site.origin) { (card.tags(text, origin)) }
                meta name="description" content=(text.get("site-about"));
                link rel="icon" type="image/svg+xml" href=(site.assets.url("favicon.svg")) data-turn=(site.assets.url("favicon-turn.svg"));
                link rel="manifest" href=(text.path("/manifest.webmanifest")) crossorigin="use-credentials";
                link rel="stylesheet" href=(site.assets.url("colours.css"));
                link rel="stylesheet" href=(site.assets.url("style.css"));
                link rel="stylesheet" href=(site.assets.url("motion.css"));
                link rel="stylesheet" href=(site.assets.url("layout.css"));
                link rel="stylesheet" href=(site.assets.url("languages.css"));
                link rel="stylesheet" media="print" href=(site.assets.url("print.css"));
                @for module in MODULES { link rel="modulepreload" href=(site.assets.url(module)); }
                script type="module" src=(site.assets.url("board.js")) {}
                @match refresh {
                    Refresh::Never => {}
                    Refresh::WithoutScripts(seconds) => { noscript { meta http-equiv="refresh" content=(seconds); } }
                    Refresh::To(seconds, address) => { meta http-equiv="refresh" content={ (seconds) ";url=" (text.path(address)) }; }
                }
            }
            body {
                (svg_symbols::definitions(&main.0, swapped_in))
                a.skip href="#main" { (text.get("skip")) }
                header.top {
                    a.brand href=(text.path("/")) {
                        img.mark src=(site.assets.url("favicon.svg")) width="34" height="38" alt="";
                        span { (text.get("site-name")) }
                    }
                    // With large text in a narrow window the button opens the links.
                    button.btn.menu-button popovertarget="nav" { (text.get("nav-menu")) }
                    nav #nav popover aria-label=(text.get("nav-site")) {
                        (entry(NavSection::Play, "/", "nav-play"))
                        (entry(NavSection::Daily, "/daily", "nav-daily"))
                        (entry(NavSection::Puzzles, "/puzzles", "nav-puzzles"))
                        (entry(NavSection::People, "/tables", "nav-people"))
                        (entry(NavSection::Record, "/me", "nav-me"))
                        a.gear href=(text.path("/settings")) aria-current=[(site.section == NavSection::Settings).then_some("page")] {
                            svg.ico aria-hidden="true" { use href="#i-set" {} }
                            span { (text.get("nav-settings")) }
                        }
                    }
                }
                (main)
                div #say.vh role="status" {}
                @if site.section == NavSection::Play { (keyboard_help(text)) }
                footer.foot {
                    p {
                        (text.get("footer-words")) " · "
                        a href=(text.path("/game.html")) { (text.get("footer-book")) } " · "
                        a href=(text.path("/learn")) { (text.get("nav-learn")) } " · "
                        a href=(text.path("/rules")) { (text.get("nav-rules")) } " · "
                        @for other in text.other_games() {
                            a href={ (text.path("/?game=")) (other.game) } { (text.get(other.title)) } " · "
                        }
                        a href=(text.path("/api")) { (text.get("footer-api")) }
                    }
                    (language_switch(text))
                }
            }
        }
    }
}

/// The language switch: each language under its own name. It returns to the current page.
fn language_switch(text: &Translations) -> Markup {
    html! {
        form.languages method="post" action=(text.path("/language")) {
            @for language in Language::ALL {
                @if language == text.language() {
                    b lang=(language.tag()) aria-current="true" { (language.native_name()) }
                } @else {
                    button name="language" value=(language.tag()) lang=(language.tag()) { (language.native_name()) }
                }
            }
        }
    }
}

/// The list of keyboard shortcuts, in a dialog that a script opens.
fn keyboard_help(text: &Translations) -> Markup {
    let keys: [(&[&str], &str); 15] = [
        (&["←", "↑", "→", "↓"], "key-arrows"),
        (&["Home", "End"], "key-ends"),
        (&["PgUp", "PgDn"], "key-each"),
        (&["Enter"], "key-enter"),
        (&["Esc"], "key-back"),
        (&["e"], "key-turn"),
        (&["a", "…", "h"], "key-column"),
        (&["u"], "key-undo"),
        (&["h"], "key-hint"),
        (&["n"], "key-now"),
        (&["p"], "tempo-pause"),
        (&["Shift"], "key-shift"),
        (&["←", "→"], "key-plies"),
        (&["t"], "review-try"),
        (&["?"], "key-help"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { (text.get("keys")) }
            dl {
                @for (names, key) in keys {
                    dt { @for name in names { kbd { (name) } } }
                    dd { (text.get(key)) }
                }
            }
            p.sub { (text.get("keys-off")) " " a href=(text.path("/settings")) { (text.get("nav-settings")) } }
            form method="dialog" { button.btn autofocus { (text.get("keys-close")) } }
        }
    }
}

/// Renders a sentence; parts between bars are emphasised.
pub(super) fn emphasised(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('|').enumerate() {
            @if i % 2 == 1 { b { (part) } } @else { (part) }
        }
    }
}

/// Renders a sentence; the part between bars is a link.
pub(super) fn linked(sentence: &str, href: impl Render) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { a href=(href) { (part) } } @else { (part) } } }
}

/// A page title: "Your turn · Dice of Doom".
pub(super) fn page_title(text: &Translations, what: &str) -> String {
    format!("{what} · {}", text.get("site-name"))
}

/// The CSS class for good (60 % and more), even (35 % and more) or bad odds.
pub(super) fn odds_class(odds: f64) -> &'static str {
    match (odds * 100.0).round() as u32 {
        60.. => "hi",
        35.. => "mid",
        _ => "lo",
    }
}
