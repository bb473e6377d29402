//! Handwritten values from which the pages are rendered: the site context here, the views in the submodules.

use std::sync::LazyLock;

use dice_of_doom::games::Registry;
use dice_of_doom::templates::message::LocalizedMessage;
use dice_of_doom::templates::page::NavSection;
use dice_of_doom::templates::preferences::{BoardDrawing, DisplayOptions, UserPreferences};
use dice_of_doom::templates::prompt::{BackLink, MovePrompt, Prompt};
use dice_of_doom::templates::{AssetUrls, Language, SiteContext, Translations};

pub(crate) mod boards;
pub(crate) mod chips;
pub(crate) mod dice;
pub(crate) mod over;
pub(crate) mod pages;
pub(crate) mod seats;
pub(crate) mod start;
pub(crate) mod turns;

struct Plain;

impl AssetUrls for Plain {
    fn url(&self, name: &str) -> String {
        name.to_owned()
    }
}

pub(crate) fn site(section: NavSection) -> SiteContext<'static> {
    SiteContext {
        section,
        assets: &Plain,
        display: DisplayOptions::default(),
        origin: None,
    }
}

pub(crate) fn site_with(settings: &str, section: NavSection) -> SiteContext<'static> {
    let look = DisplayOptions::new(
        UserPreferences::parse(settings),
        BoardDrawing::Book,
        Language::English,
    );
    SiteContext {
        display: look,
        ..site(section)
    }
}

pub(crate) fn text() -> &'static Translations {
    text_in(Language::English)
}

pub(crate) fn text_in(language: Language) -> &'static Translations {
    static GAMES: LazyLock<Registry> = LazyLock::new(Registry::builtin);
    GAMES.translations(language)
}

fn move_prompt(
    headline: LocalizedMessage,
    sub: LocalizedMessage,
    back: Option<(&str, &'static str)>,
) -> Prompt {
    Prompt::Move(MovePrompt {
        headline,
        sub,
        sub_without_odds: None,
        back: back.map(|(href, key)| BackLink {
            href: href.to_owned(),
            key,
        }),
    })
}
