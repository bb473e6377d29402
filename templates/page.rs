//! The frame of every page: head, navigation, content, footer.

use std::fmt::Debug;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::localization::{Language, Translations};
use super::preferences::DisplayOptions;
use super::social_card::SocialCard;
use super::svg_symbols;

/// Where the reader is, for the navigation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NavSection {
    /// Start page and boards.
    #[default]
    Play,
    /// The reader's own games.
    Games,
    /// The rules page.
    Rules,
    /// The page of the programming interface.
    Api,
    /// The page of settings.
    Settings,
    /// The book's page, errors: nothing in the navigation is current.
    Elsewhere,
}

/// Where the static files are.
pub trait AssetUrls {
    /// The address of the file with this plain name, such as `style.css`.
    fn url(&self, name: &str) -> String;
}

/// Something that a game draws on a page of all games, where no table is.
pub trait Component: Debug + Send + Sync {
    /// The drawing.
    fn draw(&self, text: &Translations, look: &DisplayOptions) -> Markup;
}

/// What every page has in common.
#[derive(Clone, Copy)]
pub struct SiteContext<'a> {
    /// Which entry of the navigation is current.
    pub section: NavSection,
    /// Where the static files are.
    pub assets: &'a (dyn AssetUrls + Sync),
    /// What the reader chose about every page.
    pub look: DisplayOptions,
    /// Where the server is for the reader, such as `http://localhost:8080`, on pages whose link has a
    /// card elsewhere.
    pub origin: Option<&'a str>,
}

/// The modules that `board.js` imports: they are preloaded together instead of one after another.
const MODULES: [&str; 8] = [
    "page.js",
    "motion.js",
    "tempo.js",
    "live.js",
    "hands.js",
    "replay.js",
    "share.js",
    "turn.js",
];

/// A style sheet that only some pages need: it stands before what it dresses, also where a script swaps
/// that in.
pub(super) fn sheet(site: &SiteContext<'_>, name: &str) -> Markup {
    html! { link rel="stylesheet" href=(site.assets.url(name)); }
}

/// How a page asks the browser to load it again.
pub(super) enum Refresh {
    /// Not at all.
    Never,
    /// After so many seconds, where scripts are off.
    WithoutScripts(u32),
    /// After so many seconds, to that address.
    To(u32, String),
}

/// A whole page around its `<main>`.
pub(super) fn page(
    site: &SiteContext<'_>,
    text: &Translations,
    title: &str,
    refresh: &Refresh,
    main: Markup,
) -> Markup {
    page_with_card(site, text, title, refresh, None, main)
}

/// As [`page`], with the card that other sites show for a link to it.
pub(super) fn page_with_card(
    site: &SiteContext<'_>,
    text: &Translations,
    title: &str,
    refresh: &Refresh,
    card: Option<&SocialCard>,
    main: Markup,
) -> Markup {
    let entry = |section, address, key| {
        html! { a href=(address) aria-current=[(site.section == section).then_some("page")] { (text.say(key)) } }
    };
    let unusual = |name| site.look.settings.unusual(name);
    html! {
        (DOCTYPE)
        html lang=(text.language().tag())
            data-theme=[unusual("theme")]
            data-colours=[unusual("colours")]
            data-board=(site.look.drawing.word())
            data-board-auto[site.look.is_auto()]
            data-odds=[unusual("odds")]
            data-coordinates=[unusual("coordinates")]
            data-speed=[unusual("speed")]
            data-sound=[unusual("sound")]
            data-ends=[unusual("ends")]
            data-keys=[unusual("keys")] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                @if let Some((card, origin)) = card.zip(site.origin) { (card.tags(text, origin)) }
                meta name="description" content=(text.say("site-about"));
                link rel="icon" type="image/svg+xml" href=(site.assets.url("favicon.svg")) data-turn=(site.assets.url("favicon-turn.svg"));
                link rel="stylesheet" href=(site.assets.url("colours.css"));
                link rel="stylesheet" href=(site.assets.url("style.css"));
                link rel="stylesheet" href=(site.assets.url("motion.css"));
                link rel="stylesheet" href=(site.assets.url("layout.css"));
                link rel="stylesheet" href=(site.assets.url("languages.css"));
                @for module in MODULES { link rel="modulepreload" href=(site.assets.url(module)); }
                script type="module" src=(site.assets.url("board.js")) {}
                @match refresh {
                    Refresh::Never => {}
                    Refresh::WithoutScripts(seconds) => { noscript { meta http-equiv="refresh" content=(seconds); } }
                    Refresh::To(seconds, address) => { meta http-equiv="refresh" content={ (seconds) ";url=" (address) }; }
                }
            }
            body {
                (PreEscaped(svg_symbols::BOARD.as_str()))
                a.skip href="#main" { (text.say("skip")) }
                header.top {
                    a.brand href="/" {
                        img.mark src=(site.assets.url("favicon.svg")) width="34" height="38" alt="";
                        span { (text.say("site-name")) }
                    }
                    nav aria-label=(text.say("nav-site")) {
                        (entry(NavSection::Play, "/", "nav-play"))
                        (entry(NavSection::Games, "/games", "nav-games"))
                        @for other in text.other_games() {
                            a.other href={ "/?game=" (other.game) "#setup" } { (text.say(other.title)) }
                        }
                        (entry(NavSection::Rules, "/rules", "nav-rules"))
                        a.gear href="/settings" aria-current=[(site.section == NavSection::Settings).then_some("page")] {
                            svg.ico aria-hidden="true" { use href="#i-set" {} }
                            span { (text.say("nav-settings")) }
                        }
                    }
                }
                (main)
                div #say.vh role="status" {}
                @if site.section == NavSection::Play { (keys(text)) }
                footer.foot {
                    p {
                        (text.say("footer-words")) " · "
                        a href="/game.html" { (text.say("footer-book")) } " · "
                        a href="/api" { (text.say("footer-api")) } " · "
                        a href="/settings" { (text.say("nav-settings")) }
                    }
                    (tongues(text))
                }
            }
        }
    }
}

/// The switch of languages, each called by its own name; it comes back to this page.
fn tongues(text: &Translations) -> Markup {
    html! {
        form.tongues method="post" action="/language" {
            @for language in Language::ALL {
                @if language == text.language() {
                    b lang=(language.tag()) aria-current="true" { (language.own_name()) }
                } @else {
                    button name="language" value=(language.tag()) lang=(language.tag()) { (language.own_name()) }
                }
            }
        }
    }
}

/// The list of keys, in a dialog that the script opens.
fn keys(text: &Translations) -> Markup {
    let keys: [(&[&str], &str); 14] = [
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
        (&["?"], "key-help"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { (text.say("keys")) }
            dl {
                @for (names, key) in keys {
                    dt { @for name in names { kbd { (name) } } }
                    dd { (text.say(key)) }
                }
            }
            p.sub { (text.say("keys-off")) " " a href="/settings" { (text.say("nav-settings")) } }
            form method="dialog" { button.btn autofocus { (text.say("keys-close")) } }
        }
    }
}

/// A sentence whose parts between bars are emphasised.
pub(super) fn emphasised(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('|').enumerate() {
            @if i % 2 == 1 { b { (part) } } @else { (part) }
        }
    }
}

/// A sentence whose part between bars is a link.
pub(super) fn linked(sentence: &str, href: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { a href=(href) { (part) } } @else { (part) } } }
}

/// "Your turn · Dice of Doom".
pub(super) fn titled(text: &Translations, what: &str) -> String {
    format!("{what} · {}", text.say("site-name"))
}

/// Whether odds are good, even or bad, as a class.
pub(super) fn band(odds: f64) -> &'static str {
    match (odds * 100.0).round() as u32 {
        60.. => "hi",
        35.. => "mid",
        _ => "lo",
    }
}
