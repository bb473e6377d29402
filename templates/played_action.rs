//! An action that a page of a lesson or of a puzzle plays, with its roll.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::controls::{TableComponent, TableContext};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::SiteContext;
use super::players::PlayerNames;

/// View of an action that was played.
#[derive(Clone, Debug)]
pub struct PlayedActionView {
    /// The board after it.
    pub board: Arc<dyn BoardComponent>,
    /// What a script animates: the JSON of the ply, as in the event stream of a game.
    pub event: String,
    /// The dice in their tray, which is empty if nothing was rolled; `None` in a game without dice.
    pub strip: Option<Arc<dyn TableComponent>>,
    /// What happened, as in the log.
    pub message: LocalizedMessage,
    /// The roll in words; `None` if nothing was rolled.
    pub roll: Option<RollSentences>,
}

/// A roll in words.
#[derive(Clone, PartialEq, Debug)]
pub struct RollSentences {
    /// While the dice roll: how many against how many.
    pub rolling: LocalizedMessage,
    /// The probability of success, 0..=1.
    pub odds: f64,
    /// The sums, and what they decide.
    pub result: LocalizedMessage,
}

impl PlayedActionView {
    /// While the dice roll: how many against how many, and the odds unless the viewer hides them.
    pub(super) fn rolling(&self, site: &SiteContext<'_>, text: &Translations) -> Option<String> {
        let roll = self.roll.as_ref()?;
        let rolling = roll.rolling.render(text, &PlayerNames::none(text));
        Some(match site.display.odds(Some(roll.odds)) {
            None => rolling,
            Some(odds) => {
                let odds = text.language().format_percent(odds);
                let values = [("rolling", rolling.into()), ("odds", odds.into())];
                text.get_with("rolling-odds", &values).into_owned()
            }
        })
    }

    /// What the dice decided.
    pub(super) fn result(&self, text: &Translations) -> Option<String> {
        let roll = self.roll.as_ref()?;
        Some(roll.result.render(text, &PlayerNames::none(text)))
    }
}

/// Renders a tray of dice.
pub(super) fn dice_tray(
    site: &SiteContext<'_>,
    text: &Translations,
    strip: Option<&Arc<dyn TableComponent>>,
) -> Markup {
    let names = PlayerNames::none(text);
    let table = TableContext {
        text,
        display: &site.display,
        names: &names,
        id: "",
        ply: 0,
    };
    html! { @if let Some(strip) = strip { (strip.draw(&table)) } }
}

/// The script that answers on the page and rolls the dice.
pub(super) fn exercise_script(site: &SiteContext<'_>) -> Markup {
    html! { script type="module" src=(site.assets.url("exercise.js")) {} }
}
